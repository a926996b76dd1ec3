"""What is made of a recorded file so that it can be looked at: a thumbnail, a waveform, a spectrogram, frames.

Pictures are made by the functions that make them for a judge, from verified bytes, and kept by what they were made
from and how. At most two are made at once, so that a page full of videos does not start fifty programs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from io import BytesIO
from typing import TYPE_CHECKING

import anyio
from anyio.to_thread import run_sync
from msgspec import Struct, to_builtins

from oloproof.errors import MediaUnreadable
from oloproof.media.animations import animation_frames
from oloproof.media.drafting import Limits
from oloproof.media.formats import FORMATS
from oloproof.media.frame_rules import FRAMES_VERSION, Count, FrameRule, Moments
from oloproof.media.frame_table import FRAME_TABLE_VERSION, read_frame_table
from oloproof.media.frames import Frames, extract_frames
from oloproof.media.images import as_png, thumbnail
from oloproof.media.spectrograms import SPECTROGRAM_VERSION, spectrogram_of
from oloproof.media.waveforms import WAVEFORM_VERSION, peaks_of

if TYPE_CHECKING:
    from oloproof.media import MediaReader
    from oloproof.records import MediaItem
    from oloproof.storage.derived import DerivedFiles

VERSION = 1
"""Raised when a recipe makes something else of the same bytes."""

THUMBNAIL_SIDE = 400
WAVEFORM_PEAKS = 240
AT_ONCE = 2
_MOST_FAILURES = 10_000

_LIMITS = Limits(probe_seconds=30.0, decode_seconds=120.0)
_GREY = "#7d8590"
"""Seen on a light and on a dark page: what is shown as an image does not know on which it stands."""


class Recipe(Struct, frozen=True):
    """How something is made of a file. ``name`` tells it from every other way; ``media_type`` is what comes out."""

    name: str
    media_type: str
    make: Callable[[MediaReader, MediaItem], bytes]


class Derivation:
    """Makes things of files and keeps them in ``files``; what cannot be made is not tried again in this session."""

    def __init__(self, files: DerivedFiles) -> None:
        self._files = files
        self._slots = anyio.CapacityLimiter(AT_ONCE)
        self._failed: dict[str, tuple[str, str]] = {}

    def key(self, item: MediaItem, recipe: Recipe) -> str:
        """Return the identity of what ``recipe`` makes of ``item``."""
        return self._files.key(item.sha256, recipe.name)

    async def of(self, reader: MediaReader, item: MediaItem, recipe: Recipe) -> bytes:
        """Return what ``recipe`` makes of ``item``, whose bytes are verified also where it was made before.

        Raises:
            MediaDrift, MediaMissing: the file changed or is gone.
            MediaUnreadable: nothing can be made of it.
            ToolMissing: ffmpeg or Pillow is needed and not installed.
        """
        key = self.key(item, recipe)
        await run_sync(lambda: reader.verify(item, certain=True))
        kept = await run_sync(self._files.get, key)
        if kept is not None:
            return kept
        return await run_sync(self._make, reader, item, recipe, key, limiter=self._slots)

    def _make(self, reader: MediaReader, item: MediaItem, recipe: Recipe, key: str) -> bytes:
        made = self._files.get(key)  # by whoever was before us
        if made is not None:
            return made
        if key in self._failed:
            message, code = self._failed[key]
            raise MediaUnreadable(message, path=item.path, code=code)
        try:
            made = recipe.make(reader, item)
        except MediaUnreadable as error:
            self._remember_failure(key, error)
            raise
        self._files.put(key, made)
        return made

    def _remember_failure(self, key: str, error: MediaUnreadable) -> None:
        if error.code == "media_too_slow":  # at another time it may be done in time
            return
        if len(self._failed) >= _MOST_FAILURES:
            self._failed.clear()
        self._failed[key] = str(error), error.code


def small(item: MediaItem) -> Recipe:
    """Return how a small picture of ``item`` is made: JPEG of what is shown, SVG of what is heard."""
    if item.kind == "audio":
        return Recipe(f"waveform/{VERSION}.{WAVEFORM_VERSION}/{WAVEFORM_PEAKS}", "image/svg+xml", _waveform)
    make = _small_frame if item.kind == "video" else _small_picture
    return Recipe(f"thumbnail/{VERSION}.{FRAMES_VERSION}/{THUMBNAIL_SIDE}/{item.kind}", "image/jpeg", make)


def is_drawn_here(item: MediaItem) -> bool:
    """Return whether a picture can be made of it: not of SVG, nor of an image that nobody here decodes."""
    form = FORMATS.get(item.format)
    return item.kind != "image" or (form is not None and form.pillow is not None)


def frame_at(seconds: float) -> Recipe:
    """Return how the frame shown at a moment is made: a PNG, upright, on white, as a judge is shown it."""
    rule = Moments((seconds,))

    def make(reader: MediaReader, item: MediaItem) -> bytes:
        return _frames(reader, item, rule).frames[0].data

    return Recipe(f"frame/{VERSION}.{FRAMES_VERSION}/{seconds!r}", "image/png", make)


def picture() -> Recipe:
    """Return how a picture that browsers cannot show is made one that they can: a PNG of its full size, on white."""

    def make(reader: MediaReader, item: MediaItem) -> bytes:
        with reader.open(item) as file:
            return as_png(file)

    return Recipe(f"picture/{VERSION}", "image/png", make)


def frame_times() -> Recipe:
    """Return how the moments of a video's frames are told: JSON with ``times``, ``end`` and ``lead``, in seconds."""

    def make(reader: MediaReader, item: MediaItem) -> bytes:
        with reader.lend(item) as (_, path, check):
            table = read_frame_table(path, item.format, check=check, limits=_LIMITS)
        return json.dumps(to_builtins(table), separators=(",", ":")).encode()

    return Recipe(f"frame-times/{VERSION}.{FRAME_TABLE_VERSION}", "application/json", make)


def spectrogram(top: int) -> Recipe:
    """Return how a sound is drawn over time and frequency, from 0 to ``top`` Hz: a PNG without axes."""

    def make(reader: MediaReader, item: MediaItem) -> bytes:
        with reader.lend(item) as (_, path, check):
            return spectrogram_of(path, item.format, top, check=check, timeout=_LIMITS.decode_seconds)

    return Recipe(f"spectrogram/{VERSION}.{SPECTROGRAM_VERSION}/{top}", "image/png", make)


def _small_picture(reader: MediaReader, item: MediaItem) -> bytes:
    with reader.open(item) as file:
        return thumbnail(file, THUMBNAIL_SIDE)


def _small_frame(reader: MediaReader, item: MediaItem) -> bytes:
    frames = _frames(reader, item, Count(1), THUMBNAIL_SIDE).frames
    return thumbnail(BytesIO(frames[0].data), THUMBNAIL_SIDE)


def _frames(reader: MediaReader, item: MediaItem, rule: FrameRule, max_side: int | None = None) -> Frames:
    if item.kind == "image":
        with reader.open(item) as file:
            return animation_frames(file, rule, limits=_LIMITS, max_side=max_side)
    with reader.lend(item) as (_, path, check):
        return extract_frames(path, item.format, rule, check=check, limits=_LIMITS, max_side=max_side)


def _waveform(reader: MediaReader, item: MediaItem) -> bytes:
    with reader.lend(item) as (_, path, check):
        peaks = peaks_of(
            path,
            item.format,
            WAVEFORM_PEAKS,
            seconds=item.duration,
            check=check,
            timeout=_LIMITS.decode_seconds,
        )
    return waveform_svg(peaks).encode()


def waveform_svg(peaks: Sequence[float]) -> str:
    """Return peaks (0 is silence, 1 full scale), at least one, as an outline around a middle line, in one SVG path.

    Heights are square roots of the peaks, so that quiet speech is seen beside loud; silence is a thin line.
    """
    halves = [max(48.0 * min(peak, 1.0) ** 0.5, 0.4) for peak in peaks]
    upper = [f"{number}.5 {50 - half:.1f}" for number, half in enumerate(halves)]
    lower = [f"{number}.5 {50 + half:.1f}" for number, half in enumerate(halves)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {len(peaks)} 100" width="{2 * WAVEFORM_PEAKS}" '
        f'height="100" preserveAspectRatio="none"><path fill="{_GREY}" d="M{"L".join([*upper, *reversed(lower)])}Z"/>'
        "</svg>"
    )
