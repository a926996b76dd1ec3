"""Names and reach of embedded colour profiles (ICC.1), read without a colour engine."""

from __future__ import annotations

import struct

from msgspec import Struct

from oloproof.media.binary import u32, unpack

MAX_PROFILE = 4 * 1024 * 1024
"""Profiles larger than this are not read."""


class Profile(Struct, frozen=True):
    """An embedded profile: its name, its colour space (``RGB``, ``GRAY``, ``CMYK``), whether it exceeds sRGB."""

    name: str
    space: str
    wide: bool


def read_profile(data: bytes) -> Profile | None:
    """Return what the ICC profile ``data`` says of itself, None when it is no profile."""
    if len(data) < 132 or data[36:40] != b"acsp":
        return None
    tags = _tags(data)
    space = data[16:20].decode("latin-1").strip()
    name = _text(tags.get(b"desc", b"")) or "unnamed"
    return Profile(name, space, space == "RGB" and _is_wide(tags))


def _tags(data: bytes) -> dict[bytes, bytes]:
    tags = {}
    for index in range(min(u32(data, 128) or 0, 100)):
        entry = unpack(">4sII", data, 132 + 12 * index)
        if entry is None:
            break
        signature, offset, size = entry
        tags[signature] = data[offset : offset + size]
    return tags


def _text(tag: bytes) -> str:
    """Return the text of a ``desc`` (version 2) or ``mluc`` (version 4) tag."""
    if tag[:4] == b"desc":
        length = u32(tag, 8) or 0
        return tag[12 : 12 + min(length, 200)].split(b"\0")[0].decode("latin-1").strip()
    if tag[:4] == b"mluc":
        length, offset = u32(tag, 20) or 0, u32(tag, 24) or 0
        text = tag[offset : offset + min(length, 400)].decode("utf-16-be", "replace")
        return text.strip("\0 ")
    return ""


def _is_wide(tags: dict[bytes, bytes]) -> bool:
    """Return whether the triangle of the primaries is clearly larger than that of sRGB."""
    points = [_chromaticity(tags.get(key, b"")) for key in (b"rXYZ", b"gXYZ", b"bXYZ")]
    red, green, blue = points
    if red is None or green is None or blue is None:
        return False
    area = abs((green[0] - red[0]) * (blue[1] - red[1]) - (blue[0] - red[0]) * (green[1] - red[1])) / 2
    return area > 1.08 * _SRGB_AREA


_SRGB_AREA = 0.1145
"""Area of the sRGB primaries adapted to D50, in the plane of x and y."""


def _chromaticity(tag: bytes) -> tuple[float, float] | None:
    if len(tag) < 20 or tag[:4] != b"XYZ ":
        return None
    values = [number / 65536 for number in struct.unpack_from(">iii", tag, 8)]
    total = sum(values)
    return None if total <= 0 else (values[0] / total, values[1] / total)
