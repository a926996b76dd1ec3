"""HEIC pictures, which phones write: opened by libheif (pi-heif), and looked at for the damage that it conceals.

libde265, the decoder of libheif, paints over what it cannot read. The data of a picture is a row of NAL units with
their lengths in front (ISO/IEC 14496-15, 23008-12). In none of them can three zero bytes follow one another, nor two
with a 1 or 2 behind (ISO/IEC 23008-2, 7.4.2: an encoder breaks them up by a 3), so that a hole or a shifted block gives
itself away. A changed bit that is another valid code does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, BinaryIO

from oloproof.media.binary import Source, u16, u32
from oloproof.media.isobmff import boxes

if TYPE_CHECKING:
    from PIL.ImageFile import ImageFile

_IMPOSSIBLE = re.compile(rb"\0\0[\0\1\2]")
_MOST_ITEMS, _MOST_EXTENTS, _LONGEST_NAMES = 10_000, 1_000, 1 << 22


def is_installed() -> bool:
    """Return whether HEIC pictures can be decoded here."""
    return find_spec("pi_heif") is not None


def open_heic(file: BinaryIO) -> ImageFile:
    """Open a HEIC as Pillow opens a picture; it is turned already when it is loaded.

    Raises ``SyntaxError`` for a file that is none, ``ValueError`` for one whose items have names that are no UTF-8:
    pi-heif 1.4 ends the whole process on such a name of metadata. Nothing is registered with Pillow.
    """
    from pi_heif.as_plugin import HeifImageFile

    _require_readable_names(Source(file))
    file.seek(0)
    opened: ImageFile = HeifImageFile(file)
    return opened


def _require_readable_names(source: Source) -> None:
    """Look at every item entry (``infe``) outside of picture data, wherever a reader of boxes might find it."""
    for box in boxes(source, 0, source.size):
        data = b"" if box.type == b"mdat" else source.at(box.start, min(box.end - box.start, _LONGEST_NAMES))
        for match in re.finditer(rb"infe", data):
            end = match.start() - 4 + (u32(data, match.start() - 4) or 0)
            data[match.end() + (10 if data[match.end() : match.end() + 1] == b"\3" else 8) : end].decode("utf-8")


def damage_of(source: Source) -> str | None:
    """Return in words what cannot stand in the pictures of a HEIC, None when there is no such thing."""
    for meta in boxes(source, 0, source.size):
        if meta.type == b"meta":
            found = {box.type: (box.start, box.end) for box in boxes(source, meta.start + 4, meta.end)}
            coded = _coded_items(source, *found.get(b"iinf", (0, 0)))
            places = _places(source, *found.get(b"iloc", (0, 0)))
            return next((wrong for item, *place in places if item in coded and (wrong := _wrong(source, *place))), None)
    return None


def _wrong(source: Source, start: int, length: int) -> str | None:
    """Walk the units of one extent; an extent that continues a unit of the one before is not looked into."""
    at, end = start, start + length
    while at + 4 <= end:
        unit = u32(source.at(at, 4)) or 0
        if not unit or at + 4 + unit > end:
            return f"at byte {at} no unit of the picture begins" if at > start else None
        for block, place in _overlapping(source, at + 4, at + 4 + unit):
            if match := _IMPOSSIBLE.search(block):
                return f"what stands at byte {place + match.start()} is no picture data"
        at += 4 + unit
    return None


def _overlapping(source: Source, start: int, end: int) -> Iterator[tuple[bytes, int]]:
    """Yield pieces that share two bytes with the one before, each with its place, so that no three are torn apart."""
    step = 1 << 20
    for place in range(start, end, step):
        yield source.at(place, min(step + 2, end - place)), place


def _coded_items(source: Source, start: int, end: int) -> set[int]:
    """Return the items that are pictures in HEVC: the primary one, its tiles, its alpha plane, small ones."""
    items = set()
    wide = source.at(start, 1) != b"\0"
    for box in boxes(source, start + (8 if wide else 6), end):
        data = source.at(box.start, 16)
        number, at = (u32(data, 4), 10) if data[:1] == b"\3" else (u16(data, 4), 8)
        if box.type == b"infe" and data[:1] in (b"\2", b"\3") and data[at : at + 4] == b"hvc1" and number is not None:
            items.add(number)
    return items


def _places(source: Source, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield item, place and length of every extent that ``iloc`` gives in the file itself."""
    data = source.at(start, min(end - start, 1 << 22))
    if len(data) < 8:
        return
    version = data[0]
    sizes = (data[4] >> 4, data[4] & 15, data[5] >> 4, data[5] & 15 if version else 0)
    reader = _Reader(data, 6)
    for _ in range(min(reader.number(4 if version == 2 else 2), _MOST_ITEMS)):
        item = reader.number(4 if version == 2 else 2)
        in_file = not version or reader.number(2) & 15 == 0
        reader.number(2)
        base = reader.number(sizes[2])
        for _ in range(min(reader.number(2), _MOST_EXTENTS)):
            reader.number(sizes[3])
            offset, length = reader.number(sizes[0]), reader.number(sizes[1])
            if in_file and not reader.over:
                yield item, base + offset, length


class _Reader:
    """Numbers one after another; 0 past the end."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    @property
    def over(self) -> bool:
        """Whether more was read than there is."""
        return self.at > len(self.data)

    def number(self, size: int) -> int:
        """Return the next unsigned number of ``size`` bytes."""
        self.at += size
        return int.from_bytes(self.data[self.at - size : self.at])
