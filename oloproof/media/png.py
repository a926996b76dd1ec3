"""PNG and APNG (W3C PNG, third edition): header facts, the frame table, and a full check without Pillow.

The check needs no picture in memory: every chunk's CRC is compared, the data is inflated piece by piece, and its
length and filter bytes are compared with what the header promises.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from oloproof.media.binary import Source, u16, u32, unpack
from oloproof.media.profiles import MAX_PROFILE

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
_MOST_CHUNKS = 1_000_000
_QUICK = 24
_PIECE = 16384


class Chunk(Struct):
    """One chunk: its type, where its data begins, how long it says it is, whether all of it is there."""

    type: bytes
    offset: int
    length: int
    whole: bool


class Frame(Struct):
    """One picture of the file: its size, its data chunks (offset and length), its delay in seconds, and whether the
    file ends inside of one of them.
    """

    width: int
    height: int
    delay: float = 0.0
    data: list[tuple[int, int]] = field(default_factory=list)
    cut: bool = False


class Png(Struct):
    """What the chunks of one file say. ``end`` is where IEND ends, None when it is missing; ``apple`` marks the form
    that is made for iOS, whose data is no zlib stream.
    """

    width: int = 0
    height: int = 0
    depth: int = 0
    color: int = -1
    interlaced: bool = False
    exif: bytes | None = None
    profile: bytes | None = None
    primaries: int | None = None
    transparent: bool = False
    palette: bool = False
    text: bool = False
    apple: bool = False
    plays: int | None = None
    promised_frames: int = 0
    still: Frame | None = None
    frames: list[Frame] = field(default_factory=list)
    still_is_frame: bool = False
    cut: bool = False
    end: int | None = None

    @property
    def valid(self) -> bool:
        """Whether the header names a size, colour type and depth that exist."""
        return bool(self.width and self.height) and self.depth in _DEPTHS.get(self.color, ())

    @property
    def animated(self) -> bool:
        """Whether a viewer shows more than one frame; before the table is read, whether it is promised."""
        return len(self.frames) > 1 if self.frames else self.promised_frames > 1


def chunks(source: Source) -> Iterator[Chunk]:
    """Yield the chunks in order; stops at the end, at a chunk that is cut off, or at nonsense."""
    at = len(SIGNATURE)
    for _ in range(_MOST_CHUNKS):
        head = source.at(at, 8)
        if len(head) < 8:
            return
        length = int.from_bytes(head[:4])
        if length > 0x7FFFFFFF:
            yield Chunk(b"", at, 0, False)
            return
        whole = at + 12 + length <= source.size
        yield Chunk(head[4:8], at + 8, length, whole)
        if not whole or head[4:8] == b"IEND":
            return
        at += 12 + length


def read_png(source: Source, *, quick: bool = False) -> Png:
    """Read every chunk's head, and the content of the small ones that matter; once for the same open file.

    ``quick`` stops after a number of data chunks when the file ends in IEND and nothing else of use can follow.
    """
    known: Png | None = source.kept.get("png") or (source.kept.get("png, quick") if quick else None)
    if known is None:
        known = source.kept["png, quick" if quick else "png"] = _read(source, quick=quick)
    return known


def _read(source: Source, *, quick: bool) -> Png:
    png = Png()
    for chunk in chunks(source):
        if quick and chunk.type == b"IDAT" and png.still and len(png.still.data) == _QUICK and _ends_well(source):
            png.end = source.size
            break
        reader = _READERS.get(chunk.type)
        if reader is not None:
            reader(png, source, chunk)
        if not chunk.whole:
            png.cut = True
        elif chunk.type == b"IEND":
            png.end = chunk.offset + 4
    if png.end is None:
        png.cut = True
    return png


def has_text(source: Source) -> bool:
    """Return whether the file carries words in a chunk of text, anywhere; Pillow would decode the picture to say so."""
    return read_png(source).text


def _ends_well(source: Source) -> bool:
    """Return whether the file ends in IEND with no EXIF block, which may stand behind the data, right before it."""
    tail = source.at(max(source.size - 65536, 0), 65536)
    return tail.endswith(b"\0\0\0\0IEND\xaeB`\x82") and b"eXIf" not in tail


def _ihdr(png: Png, source: Source, chunk: Chunk) -> None:
    fields = unpack(">IIBBBBB", source.at(chunk.offset, 13))
    if fields is not None and not png.width and max(fields[:2]) <= 0x7FFFFFFF:
        png.width, png.height, png.depth, png.color = fields[:4]
        png.interlaced = fields[6] == 1
        png.transparent = png.color in (4, 6)


def _iccp(png: Png, source: Source, chunk: Chunk) -> None:
    data = source.at(chunk.offset, min(chunk.length, MAX_PROFILE))
    packed = data[data.find(b"\0") + 2 :]
    try:
        png.profile = zlib.decompressobj().decompress(packed, MAX_PROFILE)
    except zlib.error:
        png.profile = None


def _exif(png: Png, source: Source, chunk: Chunk) -> None:
    png.exif = png.exif or source.at(chunk.offset, min(chunk.length, 1 << 20))


def _cicp(png: Png, source: Source, chunk: Chunk) -> None:
    png.primaries = (source.at(chunk.offset, 1) or b"\x01")[0]


def _trns(png: Png, source: Source, chunk: Chunk) -> None:
    png.transparent = True


def _plte(png: Png, source: Source, chunk: Chunk) -> None:
    png.palette = True


def _text(png: Png, source: Source, chunk: Chunk) -> None:
    png.text = True


def _cgbi(png: Png, source: Source, chunk: Chunk) -> None:
    png.apple = png.still is None


def _actl(png: Png, source: Source, chunk: Chunk) -> None:
    if png.still is None:  # after the first IDAT it has no meaning
        data = source.at(chunk.offset, 8)
        png.promised_frames, png.plays = u32(data) or 0, u32(data, 4)


def _fctl(png: Png, source: Source, chunk: Chunk) -> None:
    if not png.promised_frames:
        return
    data = source.at(chunk.offset, 26)
    width, height = u32(data, 4), u32(data, 8)
    numerator, denominator = u16(data, 20), u16(data, 22)
    if width and height and numerator is not None and len(data) >= 26:
        png.still_is_frame = png.still_is_frame or png.still is None
        png.frames.append(Frame(width, height, numerator / (denominator or 100)))


def _idat(png: Png, source: Source, chunk: Chunk) -> None:
    if png.still is None:
        png.still = Frame(png.width, png.height)
        if png.still_is_frame and png.frames:
            png.still = png.frames[0]
    png.still.data.append((chunk.offset, min(chunk.length, source.size - chunk.offset)))
    png.still.cut = not chunk.whole


def _fdat(png: Png, source: Source, chunk: Chunk) -> None:
    if png.frames and chunk.length > 4:
        length = min(chunk.length, source.size - chunk.offset) - 4
        png.frames[-1].data.append((chunk.offset + 4, max(length, 0)))
        png.frames[-1].cut = not chunk.whole


_READERS = {
    b"IHDR": _ihdr, b"iCCP": _iccp, b"CgBI": _cgbi, b"eXIf": _exif, b"cICP": _cicp, b"tRNS": _trns, b"PLTE": _plte,
    b"tEXt": _text, b"zTXt": _text, b"iTXt": _text, b"acTL": _actl, b"fcTL": _fctl, b"IDAT": _idat, b"fdAT": _fdat,
}  # fmt: skip


def bad_checksum(source: Source) -> bytes | None:
    """Return the type of the first chunk whose CRC is wrong, None when all that are whole agree; summed up once."""
    if "png, checksum" not in source.kept:
        source.kept["png, checksum"] = _bad_checksum(source)
    return source.kept["png, checksum"]  # type: ignore[no-any-return]


def _bad_checksum(source: Source) -> bytes | None:
    for chunk in chunks(source):
        if not chunk.whole:
            return None
        crc = zlib.crc32(chunk.type)
        for block in source.blocks(chunk.offset, chunk.offset + chunk.length):
            crc = zlib.crc32(block, crc)
        if u32(source.at(chunk.offset + chunk.length, 4)) != crc:
            return chunk.type
    return None


HARMLESS = (b"tEXt", b"zTXt", b"iTXt", b"tIME", b"pHYs", b"eXIf", b"bKGD", b"hIST", b"sPLT")
"""Chunks whose damage no viewer minds."""


def is_sound(source: Source) -> bool:
    """Return whether the file reaches its end marker and every chunk that matters has the right checksum."""
    return not read_png(source, quick=True).cut and bad_checksum(source) in (None, *HARMLESS)


def readable_share(png: Png, frame: Frame, source: Source) -> float:
    """Return how much of a picture inflates to valid rows: 1.0 is all of it, 0.0 nothing."""
    rows = _Rows(png, frame)
    unpacker = zlib.decompressobj()
    for packed in _data(source, frame.data):
        saved, whole, rows.before_piece = unpacker.copy(), packed, rows.done
        try:
            while packed and not unpacker.eof:
                if not rows.feed(unpacker.decompress(packed, 1 << 20)):
                    return rows.share()
                packed = unpacker.unconsumed_tail
        except zlib.error:
            return min(_to_the_byte(rows, saved, whole), 0.999)
    return rows.share()


def _to_the_byte(rows: _Rows, unpacker: zlib._Decompress, packed: bytes) -> float:
    """Take a damaged piece byte by byte, so that every row before the damage counts."""
    rows.done = rows.before_piece
    try:
        for index in range(len(packed)):
            if not rows.feed(unpacker.decompress(packed[index : index + 1])):
                break
    except zlib.error:
        pass
    return rows.share()


def _data(source: Source, pieces: Iterable[tuple[int, int]]) -> Iterator[bytes]:
    for offset, length in pieces:
        yield from source.blocks(offset, offset + length, _PIECE)


class _Rows:
    """Counts rows as they come out of the inflater and looks at each one's filter byte (0 to 4)."""

    def __init__(self, png: Png, frame: Frame) -> None:
        bits = png.depth * _CHANNELS.get(png.color, 1)
        self.parts: list[tuple[int, int, int]] = []  # begin, end, bytes a row
        at = 0
        passes = _ADAM7 if png.interlaced else ((0, 0, 1, 1),)
        for x, y, step_x, step_y in passes:
            width, height = -(-(frame.width - x) // step_x), -(-(frame.height - y) // step_y)
            if width > 0 and height > 0:
                stride = 1 + (width * bits + 7) // 8
                self.parts.append((at, at + stride * height, stride))
                at += stride * height
        self.total, self.done, self.before_piece = at, 0, 0

    def feed(self, data: bytes) -> bool:
        """Take the next bytes; False when a filter byte is none."""
        begin, end = self.done, self.done + len(data)
        for first, last, stride in self.parts:
            low, high = max(begin, first), min(end, last)
            if low < high:
                row = first + -(-(low - first) // stride) * stride
                filters = data[row - begin : high - begin : stride]
                if filters and max(filters) > 4:
                    bad = next(index for index, value in enumerate(filters) if value > 4)
                    self.done = row + bad * stride
                    return False
        self.done = end
        return True

    def share(self) -> float:
        """Return the share of the promised bytes seen so far."""
        return min(self.done / self.total, 1.0) if self.total else 0.0
