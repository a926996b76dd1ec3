"""The same picture in other bytes: a PNG written anew, and a file without its camera data and texts.

Where the container allows it the coded pixels are carried over as they are, so that no depth, palette or profile can
be lost; a picture that a viewer turns is decoded, turned, and stored as PNG.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Any

from oloproof.media import images, png
from oloproof.media.binary import Source
from oloproof.media.jpeg import picture_end
from oloproof.media.pictures import Picture
from oloproof.media.preparing_needs import wide_by_number
from oloproof.media.quick_png import chunk

if TYPE_CHECKING:
    from PIL import Image

LOOKS = frozenset((b"IHDR", b"PLTE", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"cICP", b"sBIT", b"IDAT", b"IEND"))
"""Chunks of a PNG that say how it looks; all others are left out."""

_ENDINGS = {"jpeg": "jpg", "png": "png", "webp": "webp"}
_PNG_MODES = frozenset(("1", "L", "LA", "P", "RGB", "RGBA", "I;16"))
_LEVELS = (1, 9)


def png_anew(picture: Picture) -> bytes:
    """Return the picture as a PNG whose bytes differ from its own: pixels, depth, transparency and profile stay."""
    for level in _LEVELS:
        data = _packed_anew(picture, level) if _is_upright_png(picture) else _as_png(picture, level)
        if data != picture.data:
            break
    return data


def _is_upright_png(picture: Picture) -> bool:
    return picture.format == "png" and not picture.turned


def pixel_rows(source: Source) -> bytes:
    """Return the unpacked rows of a PNG with their filter bytes, unpacked once for the same open file.

    Raises ``zlib.error`` for damaged ones.
    """
    rows: bytes | None = source.kept.get("rows")
    if rows is None:
        packed = b"".join(
            block
            for one in png.chunks(source)
            if one.type == b"IDAT"
            for block in source.blocks(one.offset, one.offset + one.length)
        )
        rows = source.kept["rows"] = zlib.decompress(packed)
    return rows


def looks(source: Source) -> dict[bytes, bytes]:
    """Return the chunks of a PNG that say how its rows look."""
    return {
        one.type: source.at(one.offset, one.length)
        for one in png.chunks(source)
        if one.type in LOOKS and one.type != b"IDAT"
    }


def _packed_anew(picture: Picture, level: int) -> bytes:
    """Pack the rows of a PNG anew: whatever their depth, they are not touched."""
    packer = zlib.compressobj(level, zlib.DEFLATED, 15, 9, zlib.Z_RLE if level == 1 else zlib.Z_DEFAULT_STRATEGY)
    rows = packer.compress(pixel_rows(picture.source)) + packer.flush()
    kept = looks(picture.source)
    end = kept.pop(b"IEND", b"")
    parts = [png.SIGNATURE, *(chunk(name, data) for name, data in kept.items())]
    return b"".join([*parts, chunk(b"IDAT", rows), chunk(b"IEND", end)])


def _as_png(picture: Picture, level: int) -> bytes:
    """Store the decoded pixels, turned upright, with their transparency and profile; or what a viewer shows."""
    stored = picture.stored
    options: dict[str, Any] = {"compress_level": level, "compress_type": 3 if level == 1 else 0}
    if stored.mode not in _PNG_MODES or wide_by_number(picture.draft, picture.look):
        return _saved(picture.view, **options)
    turned = images.upright(stored, picture.draft)
    transparency = stored.info.get("transparency")
    if transparency is not None:
        options["transparency"] = transparency
    return _saved(turned, **options, icc_profile=picture.look.profile)


def _saved(picture: Image.Image, **options: Any) -> bytes:
    out = BytesIO()
    clean = picture.copy()
    clean.info = {}  # what a plugin left there would be written out again
    with images.quiet():
        clean.save(out, "PNG", **options)
    return out.getvalue()


def without_metadata(picture: Picture) -> tuple[bytes, str]:
    """Return the picture upright and without camera data and texts, and the ending of its name."""
    strip = {"jpeg": _jpeg_parts, "png": _png_parts, "webp": _webp_parts}.get(picture.format)
    if strip is None or picture.turned:
        return _as_png(picture, _LEVELS[0]), "png"
    return b"".join(strip(picture.source)), _ENDINGS[picture.format]


def _png_parts(source: Source) -> Iterator[bytes]:
    yield png.SIGNATURE
    for one in png.chunks(source):
        if one.type in LOOKS:
            yield b"".join(source.blocks(one.offset - 8, one.offset + one.length + 4))


_KEPT_APPLICATION = {0xE0: b"JFIF\0", 0xE2: b"ICC_PROFILE\0", 0xEE: b"Adobe"}


def _jpeg_parts(source: Source) -> Iterator[bytes]:
    """Yield the segments that decode or colour the picture, up to its first scan, then all of its data."""
    yield b"\xff\xd8"
    at = 2
    while len(head := source.at(at, 4)) == 4 and head[0] == 0xFF:
        marker = head[1]
        if marker == 0xFF or marker == 0x01 or 0xD0 <= marker <= 0xD8:
            at += 1 if marker == 0xFF else 2
            continue
        length = max(int.from_bytes(head[2:4]), 2)
        if marker == 0xDA:
            yield from source.blocks(at, _jpeg_end(source, at))
            return
        wanted = _KEPT_APPLICATION.get(marker)
        application = 0xE0 <= marker <= 0xEF or marker == 0xFE
        if not application or (wanted is not None and source.at(at + 4, len(wanted)) == wanted):
            yield source.at(at, 2 + length)
        at += 2 + length


def _jpeg_end(source: Source, scan: int) -> int:
    length = int.from_bytes(source.at(scan + 2, 2))
    return picture_end(source, scan + 2 + length) or source.size


_WEBP_KEPT = frozenset((b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ICCP"))
_EXIF_AND_XMP = 0x0C


def _webp_parts(source: Source) -> Iterator[bytes]:
    body = b"".join(_webp_chunks(source))
    yield b"RIFF" + (4 + len(body)).to_bytes(4, "little") + b"WEBP" + body


def _webp_chunks(source: Source) -> Iterator[bytes]:
    at = 12
    while len(head := source.at(at, 8)) == 8:
        length = int.from_bytes(head[4:], "little")
        data = b"".join(source.blocks(at + 8, at + 8 + length + (length & 1)))
        if head[:4] == b"VP8X" and data:
            yield head + bytes([data[0] & ~_EXIF_AND_XMP]) + data[1:]
        elif head[:4] in _WEBP_KEPT:
            yield head + data
        at += 8 + length + (length & 1)
