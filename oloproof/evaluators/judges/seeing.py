"""What a judge is shown of the recorded media: parts in order, and the record of each of them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any, BinaryIO

from msgspec import Struct, field

from oloproof import media
from oloproof.digests import digest_of
from oloproof.errors import JudgeUnfit, MediaUnreadable
from oloproof.evaluators.judges.hearing import Hearing
from oloproof.evaluators.judges.options import ModelOptions
from oloproof.evaluators.judges.prompt import frame_words, medium_words
from oloproof.evaluators.judges.seen import Seen, record_of
from oloproof.evaluators.judges.vendors import LIMITS
from oloproof.media.extras import need_pillow
from oloproof.media.frame_rules import FRAMES_VERSION
from oloproof.providers import ImagePart, Part, TextPart
from oloproof.records import MediaItem

if TYPE_CHECKING:
    from oloproof.media import Frame, Frames, MediaReader, Prepared

_FRAMES_HELD = 96 * 1024 * 1024
"""Bytes of frames that are held for other judges of the same run."""

_SMALL = 1 << 20
_SMALL_ONES = threading.Lock()
"""Held while a picture of at most ``_SMALL`` bytes is prepared. That is mostly Python, which runs one thread at a time:
threads that take it from each other after every call cost an eighth of a run. Decoding a large picture is not."""


class _Turn(Struct):
    """The lock of one key, and how many hold it or wait for it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    wanted: int = 0


class Turns:
    """Lets one thread at a time do the work of each key; nothing is kept of a key that nobody wants any more."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._turns: dict[Hashable, _Turn] = {}

    @contextmanager
    def alone(self, key: Hashable) -> Iterator[None]:
        """Wait until nobody else works under ``key``."""
        with self._lock:
            turn = self._turns.setdefault(key, _Turn())
            turn.wanted += 1
        try:
            with turn.lock:
                yield
        finally:
            with self._lock:
                turn.wanted -= 1
                if not turn.wanted:
                    del self._turns[key]


class FrameShelf:
    """Frames taken in this run, so that several judges of one clip start ffmpeg once. Bounded in bytes."""

    def __init__(self, most_bytes: int = _FRAMES_HELD) -> None:
        self._most = most_bytes
        self._held = 0
        self._lock = threading.Lock()
        self._shelf: OrderedDict[str, Frames] = OrderedDict()
        self.turns = Turns()
        """Of everything that is made of a medium once: its frames here, its transcript elsewhere."""

    def frames(self, key: str, make: Callable[[], Frames]) -> Frames:
        """Return the frames under ``key``, made by the first who asks; the others wait for them."""
        with self.turns.alone(key):
            with self._lock:
                if key in self._shelf:
                    self._shelf.move_to_end(key)
                    return self._shelf[key]
            frames = make()
            with self._lock:
                self._put(key, frames)
            return frames

    def _put(self, key: str, frames: Frames) -> None:
        self._shelf[key] = frames
        self._held += _bytes_of(frames)
        while self._held > self._most and len(self._shelf) > 1:
            _, dropped = self._shelf.popitem(last=False)
            self._held -= _bytes_of(dropped)


def _bytes_of(frames: Frames) -> int:
    return sum(len(frame.data) for frame in frames.frames)


class Eyes(Struct):
    """Shows media to one judge: pictures prepared, videos as frames, sound as it hears it."""

    options: ModelOptions
    hearing: Hearing
    shelf: FrameShelf = field(default_factory=FrameShelf)

    @property
    def identity(self) -> Mapping[str, Any]:
        """What of it makes a judge another judge."""
        options = self.options
        return {
            "media": options.media,
            "kinds": None if options.kinds is None else sorted(options.kinds),
            "images": options.image_recipe.identity,
            "max_images": options.max_images,
            "frames": [FRAMES_VERSION, options.frame_rule.identity],
            "sound": self.hearing.identity,
        }

    def refuse(self, item: MediaItem) -> None:
        """Refuse a medium that this judge has no way to take.

        Raises:
            JudgeUnfit: it stops the run before the judge is asked about it.
            ToolMissing: so does a picture or clip where nothing can open one.
        """
        kinds = self.options.kinds
        if kinds is not None and item.kind not in kinds:
            raise JudgeUnfit(
                f"{self.options.criterion}: {item.name} is {item.kind}, and this judge is declared for "
                f"kinds: [{', '.join(kinds)}]; add {item.kind} to them, or record only what it judges"
            )
        if item.kind != "audio":
            need_pillow(f"{self.options.criterion}: {item.name} is {item.kind}, and showing it to a judge")
        elif not self.hearing.can_hear:
            raise JudgeUnfit(
                f"{self.options.criterion}: {item.name} is audio, and this judge can hear nothing; "
                "add transcriber: {model: ...} or, for a model that takes sound, audio: native"
            )

    def show(self, items: Sequence[MediaItem], reader: MediaReader) -> Seen:
        """Return what is sent of ``items``, in their order.

        Raises:
            MediaUnreadable: one of them cannot be shown; the text names it, and nothing is sent.
            MediaDrift, MediaMissing, ToolMissing, CallFailed: as reading, ffmpeg and the transcriber raise them.
        """
        looks = [self._look(number, item, reader) for number, item in enumerate(items, 1)]
        self._refuse_too_many(looks)
        parts: list[Part] = []
        saw: list[Mapping[str, Any]] = []
        for number, (item, look) in enumerate(zip(items, looks, strict=True), 1):
            parts.append(TextPart(medium_words(number, len(items), item)))
            for one in (look, self._sound(number, item, reader)):
                parts += one.parts
                saw += one.saw
        return Seen(tuple(parts), tuple(saw), next((look.ffmpeg for look in looks if look.ffmpeg), None))

    def _refuse_too_many(self, looks: Sequence[Seen]) -> None:
        pictures = [part for look in looks for part in look.parts if isinstance(part, ImagePart)]
        vendor = LIMITS[self.options.provider]
        most = min(self.options.max_images, vendor.images or self.options.max_images)
        if len(pictures) > most:
            raise MediaUnreadable(
                f"{len(pictures)} pictures and frames are more than the {most} that one judgement takes; "
                "ask for fewer video_frames:, record less, or raise max_images: where the model takes more",
                code="over_limit",
            )
        encoded = sum(4 * -(-len(part.data) // 3) for part in pictures)
        if vendor.request_bytes is not None and encoded > vendor.request_bytes:
            raise MediaUnreadable(
                f"its pictures and frames take {encoded} bytes as base64, and {self.options.provider} takes requests "
                f"of {vendor.request_bytes}; show fewer, or set max_image_side: with downscale: true",
                code="over_limit",
            )

    def _look(self, number: int, item: MediaItem, reader: MediaReader) -> Seen:
        """Return what is to be seen of a medium: of a sound nothing."""
        with _naming(item):
            if item.kind == "image":
                return self._image(number, item, reader)
            if item.kind == "video":
                return self._frames(number, item, self._video_frames(item, reader))
        return Seen()

    def _sound(self, number: int, item: MediaItem, reader: MediaReader) -> Seen:
        """Return what is to be heard of a medium; the same bytes are written down by one thread, others wait."""
        if item.kind == "image" or not self.hearing.can_hear:
            return Seen()
        with _naming(item), self.shelf.turns.alone(("sound", item.sha256)):
            return self.hearing.heard(number, item, reader)

    def _image(self, number: int, item: MediaItem, reader: MediaReader) -> Seen:
        try:
            with reader.open(item) as file:
                prepared = self._prepared(item, file)
        except MediaUnreadable as error:
            if error.code != "animated":
                raise
            return self._frames(number, item, self._animation_frames(item, reader))
        part = ImagePart(prepared.data, prepared.media_type)
        return Seen((part,), (_record("image", item, prepared),))

    def _prepared(self, item: MediaItem, file: BinaryIO) -> Prepared:
        if item.size > _SMALL:
            return media.prepare_image(file, self.options.image_recipe)
        data = BytesIO(file.read())
        with _SMALL_ONES:
            return media.prepare_image(data, self.options.image_recipe)

    def _video_frames(self, item: MediaItem, reader: MediaReader) -> Frames:
        options = self.options

        def make() -> Frames:
            with reader.lend(item) as (_, path, check):
                return media.extract_frames(
                    path,
                    item.format,
                    options.frame_rule,
                    check=check,
                    max_frames=options.max_images,
                    background=options.background,
                )

        return self.shelf.frames(self._frame_key(item), make)

    def _animation_frames(self, item: MediaItem, reader: MediaReader) -> Frames:
        options = self.options

        def make() -> Frames:
            with reader.open(item) as file:
                return media.animation_frames(
                    file,
                    options.frame_rule,
                    max_frames=options.max_images,
                    background=options.background,
                )

        return self.shelf.frames(self._frame_key(item), make)

    def _frame_key(self, item: MediaItem) -> str:
        options = self.options
        recipe = [options.frame_rule.identity, options.max_images, options.background]
        return digest_of([item.sha256, FRAMES_VERSION, recipe])

    def _frames(self, number: int, item: MediaItem, frames: Frames) -> Seen:
        count = len(frames.frames)
        notes = "".join(f" Note: {note}." for note in frames.notes)
        words = f"Medium {number} moves: {count} still {'frame' if count == 1 else 'frames'} of it follow.{notes}"
        parts: list[Part] = [TextPart(words)]
        saw: list[Mapping[str, Any]] = []
        for frame in frames.frames:
            prepared = self._prepared_frame(frame)
            parts += [TextPart(frame_words(number, frame.time)), ImagePart(prepared.data, prepared.media_type)]
            saw.append({**_record("frame", item, prepared), "time": frame.time})
        if saw and frames.notes:
            saw[0] = {**saw[0], "steps": [*saw[0]["steps"], *frames.notes]}
        return Seen(tuple(parts), tuple(saw), ffmpeg=frames.ffmpeg)

    def _prepared_frame(self, frame: Frame) -> Prepared:
        recipe = self.options.image_recipe
        if len(frame.data) <= recipe.max_bytes and max(frame.width, frame.height) <= (recipe.max_side or 65_535):
            # made here, so known to be whole
            return media.Prepared(frame.data, "image/png", frame.width, frame.height, ())
        return media.prepare_image(BytesIO(frame.data), recipe)


@contextmanager
def _naming(item: MediaItem) -> Iterator[None]:
    """Name the medium in the error when it cannot be shown."""
    try:
        yield
    except MediaUnreadable as error:
        raise MediaUnreadable(f"{item.name}: {error}", path=item.path, code=error.code) from error


def _record(kind: str, item: MediaItem, prepared: Prepared) -> dict[str, Any]:
    """Return what is kept of one picture that was shown."""
    return record_of(
        kind,
        item,
        sha256_sent=prepared.sha256,
        media_type=prepared.media_type,
        width=prepared.width,
        height=prepared.height,
        steps=list(prepared.steps),
    )
