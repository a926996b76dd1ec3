"""Frames of an animated picture (GIF, APNG, WebP, AVIF), which is judged like a video without sound.

Pillow composes the frames; their times come from the file's own frame table, counted as a viewer shows them: a delay
of 10 ms or less lasts 100 ms, and the cover of an APNG is no frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO

from oloproof.errors import MediaUnreadable
from oloproof.media import gif, images, png, webp
from oloproof.media.animation_tables import shown_delay
from oloproof.media.binary import Source
from oloproof.media.drafting import DEFAULT, Draft, Limits
from oloproof.media.formats import describe
from oloproof.media.frame_rules import FrameRule, Scenes, Wanted, exact, moments_of
from oloproof.media.frame_scenes import CUT_SCORE, clearest
from oloproof.media.frames import Frame, Frames, same_frames
from oloproof.media.headers import read_header
from oloproof.media.sniffing import identify

if TYPE_CHECKING:
    from PIL import Image
    from PIL.ImageFile import ImageFile

_ORIENTATION = 0x0112
_HALF_MICROSECOND = Fraction(1, 2_000_000)


def animation_frames(
    file: BinaryIO,
    rule: FrameRule,
    *,
    background: str = "white",
    limits: Limits = DEFAULT,
    max_frames: int = 20,
    max_side: int | None = None,
) -> Frames:
    """Return the frames of an open animation that ``rule`` asks for, upright, in 8-bit sRGB, on ``background``.

    A still picture is an animation of one frame. No side is longer than ``max_side`` pixels, where given.

    Raises:
        MediaUnreadable: with code ``not_an_image``, ``too_large``, ``no_decoder`` or ``damaged``.
        ToolMissing: Pillow is not installed.
    """
    source = Source(file)
    draft = _draft(source, limits)
    with images.quiet():
        try:
            return _Animation(source, draft, background, limits, max_side).take(rule, max_frames)
        except images.pillow_errors() as error:
            code = "too_large" if images.is_bomb(error) else "damaged"
            what = describe(draft.found.format)
            raise MediaUnreadable(f"{what} that cannot be decoded: {error}", code=code) from error


def _draft(source: Source, limits: Limits) -> Draft:
    draft = Draft(identify(source))
    name = draft.found.format
    if name not in _TABLES:
        raise MediaUnreadable(f"this is {describe(name)}, not an animated picture", code="not_an_image")
    read_header(source, draft, limits)
    if draft.decodable in ("too_large", "no_decoder"):
        raise MediaUnreadable(draft.findings[draft.decodable].message, code=draft.decodable)
    if not images.can_decode(draft.found.format):
        raise MediaUnreadable(images.no_decoder_for(name), code="no_decoder")
    if name in ("png", "apng") and png.bad_checksum(source) not in (None, *png.HARMLESS):
        raise MediaUnreadable("an APNG with a wrong checksum in its picture data", code="damaged")
    return draft


class _Animation:
    """An open animation: when each of its whole frames begins, and their pictures."""

    def __init__(self, source: Source, draft: Draft, background: str, limits: Limits, max_side: int | None) -> None:
        self.draft, self.background, self.limits, self.max_side = draft, background, limits, max_side
        delays, opened, self.cut = _TABLES[draft.found.format](source, limits)
        self.opened = opened
        self.begins: list[Fraction] = []
        self.length = Fraction(0)
        for delay in delays:
            self.begins.append(self.length)
            self.length += exact(shown_delay(delay))
        if not delays:
            raise MediaUnreadable("not one frame of the animation is whole", code="damaged")
        if draft.pixels() * len(delays) > limits.max_animation_pixels:
            size = f"{draft.stored_width}×{draft.stored_height}"
            raise MediaUnreadable(f"{len(delays)} frames of {size} pixels are more than are decoded", code="too_large")

    def take(self, rule: FrameRule, most: int) -> Frames:
        wanted = self._scenes(rule.n, most) if isinstance(rule, Scenes) else moments_of(rule, self.length, most)
        numbers = sorted({self._shown_at(moment) for moment in wanted.moments})
        frames = tuple(self._frame(number) for number in numbers)
        notes = [*wanted.notes, *same_frames(len(wanted.moments), len(frames))]
        if self.cut:
            notes.append(f"the file ends before its last frame does: {len(self.begins)} frames are there")
        return Frames(frames, wanted.asked, tuple(notes))

    def _shown_at(self, moment: Fraction) -> int:
        return max(
            number for number, begin in enumerate(self.begins) if not number or begin <= moment + _HALF_MICROSECOND
        )

    def _picture(self, number: int) -> Image.Image:
        cover = bool(getattr(self.opened, "default_image", False))
        self.opened.seek(number + cover)
        self.opened.load()
        # through a PNG of its own, so that colours, transparency and turning are those of every other picture
        out = BytesIO()
        plain = self.opened if self.opened.mode in ("L", "RGB", "RGBA", "LA") else self.opened.convert("RGBA")
        exif = plain.getexif()
        exif.clear()
        exif[_ORIENTATION] = self.draft.exif_orientation
        plain.save(out, "PNG", compress_level=0, icc_profile=self.opened.info.get("icc_profile"), exif=exif)
        return images.open_upright_srgb(out, background=self.background, limits=self.limits)

    def _frame(self, number: int) -> Frame:
        picture = self._picture(number)
        if self.max_side is not None:
            picture.thumbnail((self.max_side, self.max_side))
        out = BytesIO()
        picture.save(out, "PNG", compress_level=1)
        return Frame(round(float(self.begins[number]), 6), out.getvalue(), *picture.size)

    def _scenes(self, n: int, most: int) -> Wanted:
        cuts = {number: score for number, score in self._scores() if score >= CUT_SCORE}
        numbers, note = clearest(cuts, 0, min(n, most))
        return Wanted(tuple(self.begins[number] for number in numbers), n, (note,))

    def _scores(self) -> Iterator[tuple[int, float]]:
        """Yield for each frame but the first what ffmpeg's ``scdet`` would give it."""
        from PIL import ImageChops, ImageStat

        before, change = None, 0.0
        for number in range(len(self.begins)):
            picture = self._picture(number)
            picture.thumbnail((160, 160))
            if before is not None:
                mean = sum(ImageStat.Stat(ImageChops.difference(before, picture)).mean) / 3 * 100 / 256
                yield number, min(mean, abs(mean - change))
                change = mean
            before = picture


_Table = tuple[list[float], "ImageFile", bool]


def _gif(source: Source, limits: Limits) -> _Table:
    found = gif.read_gif(source)
    return found.delays, images.open_plugin(source.file, "gif"), found.cut


def _png(source: Source, limits: Limits) -> _Table:
    found = png.read_png(source)
    opened = images.open_plugin(source.file, "png")
    if not found.promised_frames:
        return [0.0], opened, found.cut
    whole = [frame.delay for frame in found.frames if frame.data and png.readable_share(found, frame, source) >= 1.0]
    return whole, opened, found.cut or len(whole) < found.promised_frames


def _webp(source: Source, limits: Limits) -> _Table:
    found = webp.read_webp(source)
    if not found.animated:
        return [0.0], images.open_plugin(source.file, "webp"), found.cut
    if not found.cut or not found.delays:
        return found.delays, images.open_plugin(source.file, "webp"), found.cut
    data = bytearray(b"".join(source.blocks(0, found.frames_end)))  # its whole frames as a file of their own
    data[4:8] = (len(data) - 8).to_bytes(4, "little")
    return found.delays, images.open_plugin(BytesIO(data), "webp"), True


def _avif(source: Source, limits: Limits) -> _Table:
    opened = images.open_plugin(source.file, "avif")
    delays = []
    for number in range(min(getattr(opened, "n_frames", 1), limits.max_animation_pixels // max(_area(opened), 1))):
        opened.seek(number)
        opened.load()
        delays.append(opened.info.get("duration", 0) / 1000)
    return delays, opened, False


def _area(opened: ImageFile) -> int:
    return opened.size[0] * opened.size[1]


_TABLES: dict[str, Callable[[Source, Limits], _Table]] = {
    "gif": _gif, "png": _png, "apng": _png, "webp": _webp, "avif": _avif,
}  # fmt: skip
