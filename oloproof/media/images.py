"""Pillow, used strictly: the plugin of the format that *we* sniffed, no global switch, no lenient loading.

Pillow's own pixel limit lies in ``Image.open``, which is not used: the size is compared with our limit before
a plugin ever sees the file. Pinning the plugin also means that no plugin that starts programs can be reached.
"""

from __future__ import annotations

import importlib
import struct
import threading
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO

from oloproof.errors import MediaUnreadable, ToolMissing
from oloproof.media import heic, png
from oloproof.media.binary import Source
from oloproof.media.drafting import DEFAULT, Draft, Limits
from oloproof.media.extras import INSTALL
from oloproof.media.formats import FORMATS, describe
from oloproof.media.headers import read_header
from oloproof.media.sniffing import identify

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image
    from PIL.ImageFile import ImageFile

_PILLOW_ERRORS = (
    OSError, SyntaxError, ValueError, EOFError, TypeError, KeyError, IndexError, AttributeError, AssertionError,
    ArithmeticError, RuntimeError, MemoryError, struct.error, zlib.error, Warning,
)  # fmt: skip


@cache
def pillow_errors() -> tuple[type[BaseException], ...]:
    """Return what Pillow raises on damaged files, its own refusal of huge ones among them."""
    return (*_PILLOW_ERRORS, _pillow("Image").DecompressionBombError)


def is_bomb(error: BaseException) -> bool:
    """Return whether Pillow refused a picture, or one frame of it, for its size."""
    return isinstance(error, _pillow("Image").DecompressionBombError)


_UNSUPPORTED = ("Unsupported", "unknown pixel mode", "unknown data organization", "cannot handle")


def is_unsupported(error: BaseException, opened: ImageFile | None, format: str) -> bool:  # noqa: A002
    """Return whether Pillow knows no way to decode this kind of picture, which says nothing of damage.

    ``opened`` is the picture where its header could be read. A depth of PSD and a compression of TIFF that its plugin
    does not know are missing keys of its tables; libtiff may be built without WebP.
    """
    if isinstance(error.__cause__, KeyError):
        return format in ("psd", "tiff", "bigtiff")
    if opened is not None and format in ("tiff", "bigtiff") and opened.info.get("compression") == "webp":
        return "decoder error" in str(error)
    return str(error).startswith(_UNSUPPORTED)


_PLUGINS = {
    "JPEG": "JpegImagePlugin.JpegImageFile",
    "PNG": "PngImagePlugin.PngImageFile",
    "GIF": "GifImagePlugin.GifImageFile",
    "WEBP": "WebPImagePlugin.WebPImageFile",
    "BMP": "BmpImagePlugin.BmpImageFile",
    "TIFF": "TiffImagePlugin.TiffImageFile",
    "AVIF": "AvifImagePlugin.AvifImageFile",
    "JPEG2000": "Jpeg2KImagePlugin.Jpeg2KImageFile",
    "ICO": "IcoImagePlugin.IcoImageFile",
    "CUR": "CurImagePlugin.CurImageFile",
    "PPM": "PpmImagePlugin.PpmImageFile",
    "PSD": "PsdImagePlugin.PsdImageFile",
    "QOI": "QoiImagePlugin.QoiImageFile",
}
_OPTIONAL = {"AVIF": "avif", "WEBP": "webp", "JPEG2000": "jpg_2000"}
_TURNED_BY_PLUGIN = frozenset(("tiff", "bigtiff", "heic"))


def can_decode(format: str) -> bool:  # noqa: A002 - the word of the facts
    """Return whether Pillow, as installed, decodes ``format``. Raises ``ToolMissing`` when it is not installed."""
    name = FORMATS[format].pillow
    if name is None:
        return False
    features = _pillow("features")
    if name == "HEIF":
        return heic.is_installed()
    return name not in _OPTIONAL or bool(features.check(_OPTIONAL[name]))


def no_decoder_for(format: str) -> str:  # noqa: A002
    """Return in words that a format Pillow could decode is none that it decodes as installed, and what to do."""
    if format == "heic":
        return f"nothing here decodes {format.upper()}; {INSTALL}, or convert it to PNG or JPEG"
    return f"this Pillow has no decoder for {format}"


def _pillow(module: str):  # type: ignore[no-untyped-def]
    try:
        return importlib.import_module(f"PIL.{module}")
    except ImportError as error:
        raise ToolMissing(f"Pillow is needed to decode images; {INSTALL}") from error


def open_plugin(file: BinaryIO, format: str) -> ImageFile:  # noqa: A002
    """Open ``file`` with the plugin of ``format`` only. Raises what Pillow raises (``pillow_errors()``)."""
    if format == "heic":
        return heic.open_heic(file)
    module, _, name = _PLUGINS[FORMATS[format].pillow or ""].partition(".")
    file.seek(0)
    factory = getattr(_pillow(module), name)
    opened: ImageFile = factory(file)
    return opened


def decoded(data: bytes, format: str) -> Image.Image:  # noqa: A002
    """Return the pixels of a picture that was written here a moment ago."""
    opened = open_plugin(BytesIO(data), format)
    opened.load()
    return opened


_quiet_lock = threading.Lock()
_quiet_depth = 0
_quiet_state: warnings.catch_warnings[None] | None = None


@contextmanager
def quiet() -> Iterator[None]:
    """Keep Pillow's warnings from being printed or raised while any thread is inside; what they say is told as facts.

    Counted, because the interpreter's list of filters is one for all threads: the first to enter changes it, the last
    to leave restores it.
    """
    global _quiet_depth, _quiet_state
    with _quiet_lock:
        _quiet_depth += 1
        if _quiet_depth == 1:
            _quiet_state = warnings.catch_warnings()
            _quiet_state.__enter__()
            warnings.simplefilter("ignore")
    try:
        yield
    finally:
        with _quiet_lock:
            _quiet_depth -= 1
            if _quiet_depth == 0 and _quiet_state is not None:
                _quiet_state.__exit__(None, None, None)
                _quiet_state = None


def open_upright_srgb(
    file: BinaryIO, *, background: str = "white", limits: Limits = DEFAULT, at_least: int | None = None
) -> Image.Image:
    """Return the picture as a viewer shows it: upright, on ``background``, in 8-bit sRGB, mode ``RGB``.

    Of an animation the first *shown* frame. With ``at_least`` (pixels) a large picture is decoded to, or reduced to,
    a smaller one whose shorter side is at least that. Raises ``MediaUnreadable`` with code ``not_an_image``,
    ``too_large``, ``no_decoder`` or ``damaged``.
    """
    source = Source(file)
    draft = decodable_draft(source, limits)
    name = draft.found.format
    with quiet():
        try:
            opened = open_plugin(file, name)
            if at_least is not None and name == "jpeg":
                opened.draft(None, (at_least, at_least))
            if name == "apng" and getattr(opened, "default_image", False):
                opened.seek(1)  # picture 0 is a cover that no viewer of animations shows
            opened.load()
            picture: Image.Image = opened
            if at_least is not None:
                picture = _reduced(picture, at_least)
            return _upright(_flattened(picture, opened.info.get("icc_profile"), background), draft)
        except pillow_errors() as error:
            unknown = "no_decoder" if is_unsupported(error, None, name) else "damaged"
            code = "too_large" if is_bomb(error) else unknown
            raise MediaUnreadable(f"{describe(name)} that cannot be decoded: {error}", code=code) from error


def shown_as(picture: Image.Image, draft: Draft, *, background: str = "white") -> Image.Image:
    """Return a decoded picture as a viewer shows it; raises ``MediaUnreadable`` with code ``damaged``."""
    with quiet():
        try:
            return _upright(_flattened(picture, picture.info.get("icc_profile"), background), draft)
        except pillow_errors() as error:
            raise MediaUnreadable(
                f"{describe(draft.found.format)} that cannot be decoded: {error}", code="damaged"
            ) from error


def upright(picture: Image.Image, draft: Draft) -> Image.Image:
    """Return a decoded picture turned and flipped as its orientation says; its pixels stay what they are."""
    return _upright(picture, draft)


def decodable_draft(source: Source, limits: Limits = DEFAULT) -> Draft:
    """Return the header facts of a picture that may be decoded.

    Raises ``MediaUnreadable`` with code ``not_an_image``, ``too_large``, ``no_decoder`` or ``damaged`` for any other
    file, ``ToolMissing`` without Pillow.
    """
    found = identify(source)
    if found.kind != "image":
        raise MediaUnreadable(f"this is {describe(found.format)}, not an image", code="not_an_image")
    draft = Draft(found)
    read_header(source, draft, limits)
    if draft.decodable in ("too_large", "no_decoder"):
        raise MediaUnreadable(draft.findings[draft.decodable].message, code=draft.decodable)
    if not can_decode(draft.found.format):
        raise MediaUnreadable(no_decoder_for(draft.found.format), code="no_decoder")
    if draft.found.format in ("png", "apng") and not png.is_sound(source):
        # Pillow overlooks wrong checksums of picture data and a lost end
        raise MediaUnreadable("a PNG image that cannot be decoded to its end", code="damaged")
    if draft.found.format == "heic" and (damage := heic.damage_of(source)) is not None:
        raise MediaUnreadable(f"a HEIC image whose data is damaged: {damage}", code="damaged")
    return draft


def _reduced(picture: Image.Image, at_least: int) -> Image.Image:
    factor = min(picture.size) // at_least
    return picture.reduce(factor) if factor >= 2 and picture.mode in _REDUCIBLE else picture


_REDUCIBLE = frozenset(("L", "LA", "RGB", "RGBA", "CMYK", "YCbCr"))


def _upright(picture: Image.Image, draft: Draft) -> Image.Image:
    """Turn by the orientation that the header gave, unless the plugin of its format has turned the picture already."""
    image = _pillow("Image")
    number = 1 if draft.found.format in _TURNED_BY_PLUGIN else draft.exif_orientation
    method = {
        2: image.Transpose.FLIP_LEFT_RIGHT, 3: image.Transpose.ROTATE_180, 4: image.Transpose.FLIP_TOP_BOTTOM,
        5: image.Transpose.TRANSPOSE, 6: image.Transpose.ROTATE_270, 7: image.Transpose.TRANSVERSE,
        8: image.Transpose.ROTATE_90,
    }.get(number)  # fmt: skip
    return picture if method is None else picture.transpose(method)


def _flattened(picture: Image.Image, profile: bytes | None, background: str) -> Image.Image:
    """Return ``picture`` in sRGB on the background: colour conversion first, as the profile speaks of its colours."""
    image = _pillow("Image")
    picture = _eight_bit(picture)
    if picture.mode == "P":
        picture = picture.convert("RGBA" if "transparency" in picture.info else "RGB")
    elif "transparency" in picture.info and picture.mode in ("1", "L", "RGB"):
        picture = picture.convert("RGBA")
    alpha = picture.getchannel("A") if picture.mode in ("RGBA", "LA", "PA", "RGBa", "La") else None
    plain = _to_srgb(_without_alpha(picture), profile)
    if alpha is None:
        return plain
    canvas = image.new("RGB", plain.size, background)
    canvas.paste(plain, (0, 0), alpha)
    flat: Image.Image = canvas
    return flat


def _without_alpha(picture: Image.Image) -> Image.Image:
    wanted = {"RGBA": "RGB", "RGBa": "RGB", "LA": "L", "La": "L", "PA": "RGB", "1": "L"}.get(picture.mode)
    return picture.convert(wanted) if wanted else picture


def _eight_bit(picture: Image.Image) -> Image.Image:
    """Scale 16-bit, 32-bit and float grey to 8 bits instead of clipping it."""
    if picture.mode not in ("I", "F") and not picture.mode.startswith("I;16"):
        return picture
    import numpy as np

    values = np.asarray(picture).astype(np.float64)
    top = _full_scale(picture.mode, float(values.max(initial=0.0)))
    scaled = np.clip(values / top * 255.0, 0, 255).round().astype(np.uint8)
    grey: Image.Image = _pillow("Image").fromarray(scaled)
    return grey


def _full_scale(mode: str, brightest: float) -> float:
    """Return the value that means white: floats run to 1 unless they exceed it, integers to 8, 16 or 32 bits."""
    if mode == "F":
        return (
            1.0 if brightest <= 1.0 else 255.0 if brightest <= 255.0 else 65535.0 if brightest <= 65535.0 else brightest
        )
    if mode == "I":
        return 65535.0 if brightest <= 65535.0 else float(2**31 - 1)
    return 65535.0


def _to_srgb(picture: Image.Image, profile: bytes | None) -> Image.Image:
    """Convert by the embedded profile; without one, or with an unusable one, by Pillow's plain rules."""
    if profile:
        cms = _pillow("ImageCms")
        try:
            source = cms.ImageCmsProfile(BytesIO(profile))
            space = source.profile.xcolor_space.strip()
            if {"RGB": "RGB", "GRAY": "L", "CMYK": "CMYK"}.get(space) == picture.mode:
                converted = cms.profileToProfile(picture, source, cms.createProfile("sRGB"), outputMode="RGB")
                if converted is not None:
                    managed: Image.Image = converted
                    return managed
        except (cms.PyCMSError, *pillow_errors()):
            pass
    return picture if picture.mode == "RGB" else picture.convert("RGB")


def thumbnail(file: BinaryIO, max_side: int, *, background: str = "white", limits: Limits = DEFAULT) -> bytes:
    """Return a small JPEG of the picture as shown, no side longer than ``max_side`` pixels.

    Raises ``MediaUnreadable`` as :func:`open_upright_srgb` does.
    """
    picture = open_upright_srgb(file, background=background, limits=limits, at_least=max_side)
    picture.thumbnail((max_side, max_side))
    out = BytesIO()
    picture.save(out, "JPEG", quality=82, optimize=True)
    return out.getvalue()


def as_png(file: BinaryIO, *, background: str = "white", limits: Limits = DEFAULT) -> bytes:
    """Return the picture as shown, of its full size, as a PNG.

    Raises ``MediaUnreadable`` as :func:`open_upright_srgb` does.
    """
    out = BytesIO()
    open_upright_srgb(file, background=background, limits=limits).save(out, "PNG", compress_level=1)
    return out.getvalue()


def picture_of_levels(levels: NDArray[np.uint8], palette: list[int]) -> bytes:
    """Return rows of numbers as a PNG in which each has its colour of ``palette``: red, green, blue for 0, for 1, …

    Raises ``ToolMissing`` without Pillow.
    """
    picture = _pillow("Image").fromarray(levels, "L")
    picture.putpalette(palette)
    out = BytesIO()
    picture.save(out, "PNG", optimize=True)
    return out.getvalue()
