"""JPEG marker segments (ITU-T T.81, JFIF, EXIF, ICC.1 annex B): header facts and where the picture ends."""

from __future__ import annotations

import re

from msgspec import Struct, field

from oloproof.media.binary import Source, u16

_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_MOST_SEGMENTS = 10_000
_MARKER = re.compile(rb"\xff[\x01-\xcf\xd8-\xfe]")
SOI, EOI, SOS, DNL = 0xD8, 0xD9, 0xDA, 0xDC


class Jpeg(Struct):
    """What the segments before the first scan say. ``scan`` is where that scan's data begins, 0 without one."""

    width: int = 0
    height: int = 0
    bits: int = 8
    components: int = 0
    progressive: bool = False
    lossless: bool = False
    exif: bytes | None = None
    scan: int = 0
    profile_parts: dict[int, bytes] = field(default_factory=dict)

    @property
    def profile(self) -> bytes | None:
        """The embedded ICC profile, joined from its parts."""
        return b"".join(self.profile_parts[key] for key in sorted(self.profile_parts)) or None


def read_jpeg(source: Source) -> Jpeg:
    """Read the segments up to the first scan."""
    jpeg = Jpeg()
    at = 2
    for _ in range(_MOST_SEGMENTS):
        head = source.at(at, 4)
        if len(head) < 4 or head[0] != 0xFF:
            break
        marker = head[1]
        if marker in (0xFF, 0x01, SOI) or 0xD0 <= marker <= 0xD7:  # fill bytes and markers without a body
            at += 1 if marker == 0xFF else 2
            continue
        if marker == EOI:
            break
        length = int.from_bytes(head[2:4])
        if marker == SOS:
            jpeg.scan = at + 2 + length if at + 2 + length < source.size else 0
            break
        _segment(jpeg, source, marker, at + 4, length - 2)
        at += 2 + max(length, 2)
    return jpeg


def _segment(jpeg: Jpeg, source: Source, marker: int, at: int, length: int) -> None:
    if marker in _FRAMES and not jpeg.width:
        _frame(jpeg, marker, source.at(at, 6))
    elif marker == 0xE1 and jpeg.exif is None:
        data = source.at(at, length)
        jpeg.exif = data if data.startswith(b"Exif\0") else None
    elif marker == 0xE2 and source.at(at, 12) == b"ICC_PROFILE\0":
        data = source.at(at + 12, length - 12)
        if len(data) > 2:
            jpeg.profile_parts[data[0]] = data[2:]


def _frame(jpeg: Jpeg, marker: int, data: bytes) -> None:
    if len(data) < 6:
        return
    jpeg.bits, jpeg.components = data[0], data[5]
    jpeg.height, jpeg.width = u16(data, 1) or 0, u16(data, 3) or 0
    jpeg.progressive = marker in (0xC2, 0xC6, 0xCA, 0xCE)
    jpeg.lossless = marker in (0xC3, 0xC7, 0xCB, 0xCF)


def picture_end(source: Source, scan: int) -> int | None:
    """Return where the picture's end marker ends, following every scan from ``scan`` on; None without one."""
    at = scan
    for _ in range(_MOST_SEGMENTS):
        found = _next_marker(source, at)
        if found is None:
            return None
        place, marker = found
        if marker == EOI:
            return place + 2
        if marker == SOI:  # another picture begins inside: this one lost its end
            return None
        length = u16(source.at(place + 2, 2))
        if length is None:
            return None
        at = place + 2 + length
    return None


def _next_marker(source: Source, at: int) -> tuple[int, int] | None:
    """Return place and code of the next marker in entropy-coded data (restart markers are part of it)."""
    carry = b""
    for block in source.blocks(at):
        data = carry + block
        match = _MARKER.search(data)
        if match is not None:
            return at - len(carry) + match.start(), data[match.start() + 1]
        at += len(block)
        carry = data[-1:]
    return None
