"""Decoding a picture or an animation to its end: whether it is whole, how many frames, how long.

PNG is checked by :mod:`oloproof.media.png` without a picture in memory; everything else by Pillow, strictly.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO, RawIOBase
from typing import TYPE_CHECKING, BinaryIO, cast

from oloproof.media import animation_tables, gif, heic, images, jpeg, jpeg_data, png, webp
from oloproof.media.binary import Source
from oloproof.media.drafting import Draft, Limits
from oloproof.records import Decodable

if TYPE_CHECKING:
    from PIL import Image
    from PIL.ImageFile import ImageFile


def decode_image(source: Source, draft: Draft, limits: Limits) -> None:
    """Decode every frame and set ``decodable``, ``frames`` and ``duration``."""
    if draft.decodable in ("too_large", "no_decoder"):
        return
    if draft.pixels() * (draft.frames or 1) > limits.max_animation_pixels:
        draft.decodable = "too_large"
        draft.find("too_large", f"{draft.frames} frames of {draft.stored_width}×{draft.stored_height} pixels")
        return
    if draft.found.format in ("png", "apng"):
        _check_png(source, draft)
    elif not draft.pixels():
        draft.decodable = "none"
        draft.find("damaged", "the header gives no size")
    elif not images.can_decode(draft.found.format):
        draft.decodable = "no_decoder"
        draft.find("no_decoder", images.no_decoder_for(draft.found.format))
    else:
        with images.quiet():
            _check_by_pillow(source, draft, limits)
    if draft.decodable == "none":
        draft.frames = draft.duration = None
    elif draft.decodable == "partial":
        draft.frames = draft.frames or 1
    _find_trailing(source, draft)


def _check_png(source: Source, draft: Draft) -> None:
    found = png.read_png(source)
    wrong = png.bad_checksum(source)
    needs_palette = found.color == 3 and not found.palette
    if not found.valid or needs_palette or found.still is None or wrong == b"IHDR":
        draft.decodable = "none"
        draft.find("damaged", "the PNG holds no picture data that could be decoded")
        return
    if wrong is not None:
        draft.find("damaged", f"the checksum of a {wrong.decode('latin-1')} chunk is wrong")
    animation = bool(found.promised_frames and found.frames)
    pictures = found.frames if animation else [found.still]
    shares = [png.readable_share(found, picture, source) for picture in pictures]
    whole = sum(share >= 1.0 for share in shares)
    if min(shares) < 1.0 and not draft.has("truncated"):
        draft.find("damaged", "the picture data does not decode to the end")
    lost = found.cut or found.promised_frames > whole
    good = min(shares) >= 1.0 and not lost and wrong in (None, *png.HARMLESS)
    draft.decodable = "complete" if good else "partial" if max(shares) > 0 else "none"
    if animation and whole < len(pictures):
        animation_tables.set_frames(
            draft, [picture.delay for picture, share in zip(pictures, shares, strict=True) if share >= 1.0]
        )
    if not animation and shares[0] < 1.0:
        draft.extras["readable"] = round(shares[0], 3)


def _check_by_pillow(source: Source, draft: Draft, limits: Limits) -> None:
    """Load every frame; what was reached when Pillow gives up decides between partial and none."""
    wanted = draft.frames or 1
    done = 0
    opened: ImageFile | None = None
    try:
        opened = images.open_plugin(_to_decode(source, draft), draft.found.format)
        several = draft.found.format in _ANIMATIONS
        wanted = max(wanted, getattr(opened, "n_frames", 1)) if draft.found.format == "avif" else wanted
        for index in range(wanted if several else 1):
            if several and index:
                opened.seek(index)
            opened.load()
            done += 1
    except images.pillow_errors() as error:
        if images.is_bomb(error):
            draft.decodable = "too_large"
            draft.find("too_large", "one of its frames has more pixels than are decoded")
            return
        if images.is_unsupported(error, opened, draft.found.format):
            draft.decodable = "no_decoder"
            draft.find("no_decoder", f"nothing here decodes this kind of {draft.found.format.upper()}; convert it")
            return
        _broken(source, draft, done, str(error) or type(error).__name__)
        return
    if draft.found.format == "gif" and not draft.frames:
        _broken(source, draft, 0, "no frame is whole")
        return
    if draft.found.format == "jpeg":
        _check_jpeg_data(source, draft)
    elif draft.found.format == "heic" and (damage := heic.damage_of(source)) is not None:
        draft.find("damaged", f"the picture data is damaged: {damage}")
    elif draft.found.format in ("tiff", "bigtiff") and not _check_pages(opened, draft, limits):
        return
    both = ("truncated", "damaged")
    harmful = {"tiff": both, "bigtiff": both, "jpeg": both, "gif": both, "heic": both}.get(
        draft.found.format, ("truncated",)
    )
    draft.decodable = "partial" if any(draft.has(code) for code in harmful) else "complete"


def _check_pages(opened: ImageFile, draft: Draft, limits: Limits) -> bool:
    """Load the pages of a TIFF behind the first; False when they are too large. One that Pillow knows no way to
    decode is passed over: the first is what is shown.
    """
    pixels = opened.width * opened.height
    for page in range(1, draft.extras.get("pages", 1)):
        try:
            opened.seek(page)
            pixels += opened.width * opened.height
            if opened.width * opened.height > limits.max_pixels or pixels > limits.max_animation_pixels:
                draft.decodable = "too_large"
                draft.find("too_large", f"its first {page + 1} pages have more pixels than are decoded")
                return False
            opened.load()
        except images.pillow_errors() as error:
            if not images.is_unsupported(error, opened, draft.found.format):
                draft.find("damaged", f"page {page + 1} cannot be decoded to its end: {error}"[:300])
                break
    return True


def _check_jpeg_data(source: Source, draft: Draft) -> None:
    """Find what Pillow overlooks in a JPEG that it loads: a lost end marker, damaged data before the end."""
    if jpeg.picture_end(source, jpeg.read_jpeg(source).scan) is None:
        draft.find("truncated", "the JPEG has no end marker")
    elif (damage := jpeg_data.damage_of(source)) is not None:
        draft.find("damaged", f"the picture data is damaged: {damage}")


def _to_decode(source: Source, draft: Draft) -> BinaryIO:
    """Return the file; of a WebP animation that is cut, its whole frames as a file of their own."""
    if draft.found.format == "webp" and draft.animated and draft.has("truncated") and draft.frames:
        data = bytearray(source.at(0, webp.read_webp(source).frames_end))
        data[4:8] = (len(data) - 8).to_bytes(4, "little")
        return BytesIO(bytes(data))
    return source.file


_ANIMATIONS = ("gif", "webp", "avif")


_ENDED = ("truncat", "EOF", "not enough", "not large enough")
"""Words of Pillow's errors when the data ends too early."""


def _broken(source: Source, draft: Draft, done: int, why: str) -> None:
    """Record damage: whole frames came out, or part of a picture, or nothing."""
    if not draft.has("truncated"):
        code = "truncated" if any(word in why for word in _ENDED) else "damaged"
        draft.find(code, f"cannot be decoded to the end: {why}"[:300])
    if done:
        draft.decodable = "partial"
        if draft.animated and draft.frames and done < draft.frames:
            draft.duration = None if draft.duration is None else draft.duration * done / draft.frames
            draft.frames = done
        return
    share = _partly(source, draft)
    draft.decodable = "partial" if share is None or share > 0 else "none"
    if share:
        draft.extras["readable"] = round(share, 3)


def _partly(source: Source, draft: Draft) -> float | None:
    """Return the share of rows that decode before the damage; None when some do and the share is unknown."""
    name = draft.found.format
    if name == "heic":
        return 0.0  # its decoder gives all of a picture or nothing
    if name == "gif":
        return None if _gif_has_pixels(source) else 0.0
    if name == "webp":
        return None if _webp_has_pixels(source) else 0.0
    share = _rows_before_damage(source, name)
    if name == "jpeg" and not share and draft.extras.get("progressive"):
        # a progressive picture gives no row before its last scan; with an end marker it shows coarsely
        return None if jpeg.read_jpeg(source).scan and _loads(cast("BinaryIO", _Ended(source)), name) else 0.0
    return share


def _gif_has_pixels(source: Source) -> bool:
    """Return whether a first frame's compressed data begins: its first codes already are pixels."""
    found = gif.first_data(source)
    return found is not None and source.size - found[1] > 4


def _webp_has_pixels(source: Source) -> bool:
    """Return whether a viewer that paints while loading would show something: padded with zeros it decodes.

    The padding may itself be refused close to the end, so that most of the data of a cut file being there counts too.
    """
    found = webp.read_webp(source)
    if not found.width or found.animated or not found.cut:
        return False
    return source.size > 0.7 * found.end or _loads(_mended(source, found.end), "webp")


def _mended(source: Source, length: int) -> BinaryIO:
    """Return a cut file padded with zeros to the length it promises, up to a limit."""
    data = source.at(0, source.size)
    return BytesIO(data + bytes(max(min(length, 1 << 26) - len(data), 0)))


def _loads(file: BinaryIO, name: str) -> bool:
    try:
        images.open_plugin(file, name).load()
    except images.pillow_errors():
        return False
    return True


class _Ended(RawIOBase):
    """The bytes of a source with a JPEG end marker behind them, read without a copy."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self.source, self.place = source, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.place

    def seek(self, offset: int, whence: int = 0) -> int:
        base = (0, self.place, self.source.size + 2)[whence]
        self.place = max(base + offset, 0)
        return self.place

    def read(self, size: int = -1) -> bytes:
        wanted = self.source.size + 2 - self.place if size < 0 else size
        data = self.source.at(self.place, wanted)
        if len(data) < wanted:
            data += b"\xff\xd9"[max(self.place + len(data) - self.source.size, 0) :][: wanted - len(data)]
        self.place += len(data)
        return data


_BAND = 256


def _rows_before_damage(source: Source, name: str) -> float:
    """Decode into a picture of one odd value and count the rows that no longer hold it."""
    from PIL import Image

    try:
        opened = images.open_plugin(source.file, name)
        mark: int | tuple[int, ...] | float = 83
        if len(opened.getbands()) > 1:
            mark = (83, 171, 29, 211)[: len(opened.getbands())]
        canvas = Image.new(opened.mode, opened.size, mark)
        clean = Image.new(opened.mode, (1, 1), mark)
        opened.im = canvas.im
    except images.pillow_errors():
        return 0.0
    try:
        opened.load()
    except images.pillow_errors():
        pass
    else:
        return 1.0
    try:
        return sum(_touched_rows(canvas, clean)) / canvas.height
    except images.pillow_errors():
        return 0.0


def _touched_rows(canvas: Image.Image, clean: Image.Image) -> Iterator[int]:
    """Yield for one band after another how many of its rows hold something else than the one pixel ``clean``."""
    import numpy as np

    for top in range(0, canvas.height, _BAND):
        band = canvas.crop((0, top, canvas.width, min(top + _BAND, canvas.height)))
        changed = np.asarray(band) != np.asarray(clean)[0, 0]
        yield int(changed.reshape(band.height, -1).any(axis=1).sum())


def _find_trailing(source: Source, draft: Draft) -> None:
    """Report bytes behind the end of the picture, which are odd but no damage."""
    end = _end(source, draft.found.format)
    if end is not None and source.size - end > (1 if draft.found.format == "webp" else 0):
        draft.find("trailing_data", f"{source.size - end} bytes follow the end of the picture")


def _end(source: Source, name: str) -> int | None:
    if name in ("png", "apng"):
        return png.read_png(source).end
    if name == "jpeg":
        scan = jpeg.read_jpeg(source).scan
        return jpeg.picture_end(source, scan) if scan else None
    if name == "gif":
        return gif.read_gif(source).end
    return webp.read_webp(source).end if name == "webp" else None


def settle_plain_sound(draft: Draft) -> None:
    """Set ``decodable`` of sound whose samples lie in the file as they are: it is whole when all of them are there."""
    state: Decodable = "complete"
    if not draft.duration:
        state = "none"
        draft.find("damaged", "there is not one sample of sound")
    elif draft.has("truncated"):
        state = "partial"
    draft.decodable = state
