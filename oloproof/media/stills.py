"""Sizes of the less common still image formats, read from their headers."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from oloproof.media import markup
from oloproof.media.binary import Source, u16, u32, unpack


class Still(Struct, frozen=True):
    """Size in pixels, colour model and bits a channel where told, EXIF orientation number, number of pictures.

    ``animated`` is None where the header does not tell; ``cut`` when the file ends before the picture data does.
    """

    width: int
    height: int
    color: str | None = None
    bits: int | None = None
    orientation: int = 1
    pictures: int = 1
    animated: bool | None = False
    cut: bool = False


def read_still(source: Source, format: str) -> Still | None:  # noqa: A002 - the word of the facts
    """Return what the header of a file of ``format`` says, None when it cannot be read."""
    reader = _READERS.get(format)
    found = reader(source) if reader else None
    return found if found is not None and found.width > 0 and found.height > 0 else None


def _bmp(source: Source) -> Still | None:
    head = source.head
    # the oldest header has 16-bit sides; later ones are signed, negative for rows from the top
    fields = unpack("<HHHH" if u32(head, 14, "<") == 12 else "<iiHH", head, 18)
    if fields is None:
        return None
    bits = fields[3]
    color = "palette" if bits <= 8 else "rgb"
    return Still(abs(fields[0]), abs(fields[1]), color, 8 if bits > 8 else bits)


def _ico(source: Source) -> Still | None:
    count = u16(source.head, 4, "<") or 0
    entries = [entry for index in range(min(count, 256)) if len(entry := source.at(6 + 16 * index, 16)) == 16]
    if not entries:
        return None
    width, height = max((_icon_size(source, entry) for entry in entries), key=lambda size: size[0] * size[1])
    cut = any(sum(unpack("<II", entry, 8) or ()) > source.size for entry in entries)
    return Still(width, height, pictures=len(entries), cut=cut)


def _icon_size(source: Source, entry: bytes) -> tuple[int, int]:
    """Return the size of one picture; a PNG inside tells its own (0 in the table means 256)."""
    offset = u32(entry, 12, "<") or 0
    head = source.at(offset, 24)
    if head.startswith(b"\x89PNG"):
        return u32(head, 16) or 0, u32(head, 20) or 0
    return entry[0] or 256, entry[1] or 256


_GAP = rb"(?:\s|#[^\n]*\n)+"  # each character fits one way only, or spaces without end would cost time without end
_PNM = re.compile(rb"P([1-6])" + _GAP + rb"(\d{1,9})" + _GAP + rb"(\d{1,9})(?:" + _GAP + rb"(\d{1,9}))?(?=\s|#|$)")
_PAM = re.compile(rb"^(WIDTH|HEIGHT|DEPTH|MAXVAL)\s+(\d{1,9})", re.MULTILINE)
_PFM = re.compile(rb"P[Ff]\s+(\d{1,9})\s+(\d{1,9})")


def netpbm_digit(head: bytes) -> bytes | None:
    """Return the digit that tells the kind of a netpbm picture, None when ``head`` does not give all its numbers."""
    match = _PNM.match(head)
    return match[1] if match and (match[1] in b"14" or match[4]) else None


def _pnm(source: Source) -> Still | None:
    match = _PNM.match(source.head)
    if match is None:
        return None
    digit = match[1]
    bilevel = digit in b"14"
    most = 1 if bilevel else int(match[4] or 255)
    color = "bilevel" if bilevel else "grey" if digit in b"25" else "rgb"
    return Still(int(match[2]), int(match[3]), color, 1 if bilevel else 16 if most > 255 else 8)


def _pam(source: Source) -> Still | None:
    found = {key: int(value) for key, value in _PAM.findall(source.head)}
    return Still(found.get(b"WIDTH", 0), found.get(b"HEIGHT", 0))


def _pfm(source: Source) -> Still | None:
    match = _PFM.match(source.head)
    return None if match is None else Still(int(match[1]), int(match[2]), bits=32)


_PSD_MODES = {0: "bilevel", 1: "grey", 2: "palette", 3: "rgb", 4: "cmyk", 9: "lab"}


def _psd(source: Source) -> Still | None:
    fields = unpack(">HIIHH", source.head, 12)
    if fields is None:
        return None
    return Still(fields[2], fields[1], _PSD_MODES.get(fields[4]), fields[3])


def _qoi(source: Source) -> Still | None:
    fields = unpack(">IIB", source.head, 4)
    return None if fields is None else Still(fields[0], fields[1], "rgba" if fields[2] == 4 else "rgb", 8)


def _j2k_at(data: bytes) -> Still | None:
    """Read the SIZ segment of a JPEG 2000 codestream (ITU-T T.800 A.5.1)."""
    if data[:4] != b"\xff\x4f\xff\x51":
        return None
    fields = unpack(">IIII", data, 8)
    count, depth = u16(data, 40), data[42:43]
    if fields is None or not count or not depth:
        return None
    colors = {1: "grey", 2: "grey_alpha", 3: "rgb", 4: "rgba"}
    return Still(fields[0] - fields[2], fields[1] - fields[3], colors.get(count), (depth[0] & 0x7F) + 1)


def _j2k(source: Source) -> Still | None:
    """Read a codestream without a container, which ends in a marker of its own."""
    found = _j2k_at(source.head)
    tail = source.at(max(source.size - 65536, 0), 65536)
    return None if found is None else replace(found, cut=b"\xff\xd9" not in tail)


def _boxes(source: Source, at: int, most: int = 1000) -> dict[bytes, tuple[int, int]]:
    """Return where the content of each first box of a kind begins, and its length (ISO/IEC 15444-1 I.4)."""
    found: dict[bytes, tuple[int, int]] = {}
    for _ in range(most):
        head = source.at(at, 16)
        length, skip = u32(head), 8
        if length is None or len(head) < 8:
            break
        if length == 1 and len(head) == 16:
            length, skip = int.from_bytes(head[8:16]), 16
        elif length == 0:
            length = source.size - at
        if length < skip:
            break
        found.setdefault(head[4:8], (at + skip, length - skip))
        at += length
    return found


def _jp2(source: Source) -> Still | None:
    boxes = _boxes(source, 0)
    if b"jp2c" in boxes and (found := _j2k_at(source.at(boxes[b"jp2c"][0], 64))):
        return replace(found, cut=sum(boxes[b"jp2c"]) > source.size)
    header = boxes.get(b"jp2h")
    inner = _boxes(source, header[0], 20) if header else {}
    fields = unpack(">II", source.at(inner[b"ihdr"][0], 8)) if b"ihdr" in inner else None
    return None if fields is None else Still(fields[1], fields[0])


def _jxl(source: Source) -> Still | None:
    """Read size and orientation from a JPEG XL codestream, bare or in its container (ISO/IEC 18181-1)."""
    if source.head[:2] == b"\xff\x0a":
        return _jxl_header(source.head[2:66])
    boxes = _boxes(source, 0)
    place = boxes.get(b"jxlc") or boxes.get(b"jxlp")
    if place is None:
        return None
    at = place[0] + (0 if b"jxlc" in boxes else 4)
    return _jxl_header(source.at(at + 2, 64)) if source.at(at, 2) == b"\xff\x0a" else None


_JXL_RATIOS = ((1, 1), (1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1))


def _jxl_header(data: bytes) -> Still | None:
    if len(data) < 12:
        return None
    bits = _Bits(data)
    width, height = _jxl_size(bits)
    if bits.take(1) or not bits.take(1):  # all is as usual, or there are no extra fields
        return Still(width, height)
    orientation = bits.take(3) + 1
    if bits.take(1):  # the size that it is meant for
        _jxl_size(bits)
    previewed = bits.take(1)  # a preview's size would have to be read first
    return Still(width, height, orientation=orientation, animated=None if previewed else bool(bits.take(1)))


def _jxl_size(bits: _Bits) -> tuple[int, int]:
    small = bits.take(1)
    height = _jxl_side(bits, small)
    ratio = bits.take(3)
    return (height * _JXL_RATIOS[ratio][0] // _JXL_RATIOS[ratio][1] if ratio else _jxl_side(bits, small)), height


def _jxl_side(bits: _Bits, small: int) -> int:
    return (bits.take(5) + 1) * 8 if small else bits.take((9, 13, 18, 30)[bits.take(2)]) + 1


class _Bits:
    """Bits from the least significant one up."""

    def __init__(self, data: bytes) -> None:
        self.value = int.from_bytes(data, "little")

    def take(self, count: int) -> int:
        found = self.value & ((1 << count) - 1)
        self.value >>= count
        return found


_EXR_WINDOW = b"displayWindow\0box2i\0\x10\0\0\0"


def _exr(source: Source) -> Still | None:
    at = source.head.find(_EXR_WINDOW)
    fields = unpack("<iiii", source.head, at + len(_EXR_WINDOW)) if at > 0 else None
    if fields is None:
        return None
    return Still(fields[2] - fields[0] + 1, fields[3] - fields[1] + 1, "rgb", 16)


_HDR_SIZE = re.compile(rb"\n([-+])([XY]) (\d{1,9}) [-+]([XY]) (\d{1,9})\n")


def _hdr(source: Source) -> Still | None:
    match = _HDR_SIZE.search(source.head)
    if match is None:
        return None
    first, second = int(match[3]), int(match[5])
    return Still(second, first, "rgb", 32) if match[2] == b"Y" else Still(first, second, "rgb", 32)


_SVG_TAG = re.compile(rb"<(?:\w+:)?svg\b(?:[^>\"']|\"[^\"]*\"|'[^']*'){0,3000}", re.IGNORECASE)
_SVG_SIDE = re.compile(rb"\s(width|height)\s*=\s*[\"']\s*([^\"']{1,40}?)\s*[\"']")
_SVG_NUMBER = rb"[-+]?(?:\d{1,12}(?:\.\d{0,20})?|\.\d{1,20})(?:[eE][-+]?\d{1,3})?"
_SVG_LENGTH = re.compile(rb"(" + _SVG_NUMBER + rb")\s*([a-zA-Z]*)")
_SVG_BOX = re.compile(rb"\sviewBox\s*=\s*[\"']\s*" + rb"[\s,]+".join([rb"(" + _SVG_NUMBER + rb")"] * 4) + rb"\s*[\"']")
_SVG_UNITS = {
    b"": 1, b"px": 1, b"in": 96, b"cm": 96 / 2.54, b"mm": 96 / 25.4, b"q": 96 / 101.6, b"pt": 96 / 72, b"pc": 16,
}  # fmt: skip
"""Pixels of CSS, 96 to the inch; a share or a font size is no length by itself."""


def _svg(source: Source) -> Still | None:
    """Read the size in CSS pixels from the first tag, else by its view box; nothing is rendered."""
    text = markup.as_bytes_of_ascii(source.at(0, markup.SEEN_BYTES))
    at = markup.root_at(text)
    tag = _SVG_TAG.match(text, at) if at is not None else None
    if tag is None:
        return None
    sides = {key: _svg_length(value) for key, value in _SVG_SIDE.findall(tag[0])}
    width, height = sides.get(b"width"), sides.get(b"height")
    box = _SVG_BOX.search(tag[0])
    across, down = (float(box[3]), float(box[4])) if box else (0.0, 0.0)
    if across > 0 and down > 0:
        if width is None and height is None:
            width, height = across, down
        elif width is None and height is not None:
            width = height * across / down
        elif height is None and width is not None:
            height = width * down / across
    if width is None or height is None or not max(width, height) < 1e9:
        return None
    return Still(int(width + 0.5), int(height + 0.5))


def _svg_length(text: bytes) -> float | None:
    match = _SVG_LENGTH.fullmatch(text)
    unit = _SVG_UNITS.get(match[2].lower()) if match else None
    return None if match is None or unit is None else float(match[1]) * unit


_READERS: dict[str, Callable[[Source], Still | None]] = {
    "bmp": _bmp, "ico": _ico, "cur": _ico, "pbm": _pnm, "pgm": _pnm, "ppm": _pnm, "pam": _pam, "pfm": _pfm,
    "psd": _psd, "qoi": _qoi, "jp2": _jp2, "j2k": _j2k, "jxl": _jxl, "exr": _exr, "hdr": _hdr, "svg": _svg,
}  # fmt: skip
