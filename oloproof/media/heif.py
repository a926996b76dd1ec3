"""The picture or the sequence of pictures of an AVIF or HEIF file, as its boxes tell (ISO/IEC 23008-12, MIAF).

Boxes and tracks are read by :mod:`oloproof.media.isobmff`.
"""

from __future__ import annotations

from msgspec import Struct, field

from oloproof.media.binary import Source, u16, u32, unpack
from oloproof.media.isobmff import Box, Movie, Track, boxes, is_trailing, read_moov

_MOST_DELAYS = 100_000
_ALPHA = frozenset((b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", b"urn:mpeg:hevc:2015:auxid:1"))
"""What an auxiliary picture is for when it says where the primary one is transparent (ISO/IEC 23008-12, MIAF)."""


class Picture(Struct):
    """The primary picture of an AVIF or HEIF file; ``delays`` in seconds of each where it is a sequence of them.

    ``cut`` when a box reaches past the end of the file; ``trailing`` bytes behind the boxes are none.
    """

    width: int = 0
    height: int = 0
    orientation: int = 1
    bits: int = 8
    alpha: bool = False
    profile: bytes | None = None
    primaries: int | None = None
    cut: bool = False
    trailing: int = 0
    delays: list[float] = field(default_factory=list)


def read_picture(source: Source) -> Picture:
    """Read size, orientation and colour of the primary picture (ISO/IEC 23008-12, MIAF)."""
    picture = Picture()
    for box in boxes(source, 0, source.size):
        if is_trailing(box):
            picture.trailing = source.size - box.start + 8
            break
        picture.cut = picture.cut or not box.whole
        if box.type == b"meta":
            _meta(source, box, picture)
        elif box.type == b"moov":
            movie = Movie()
            read_moov(source, box, movie)
            _sequence(source, movie, picture)
    return picture


def _sequence(source: Source, movie: Movie, picture: Picture) -> None:
    tracks = [track for track in movie.tracks if track.handler in (b"pict", b"vide")]
    if not tracks or (tracks[0].samples or 0) < 2:
        return
    picture.delays = _delays(source, tracks[0])
    if not picture.width:
        # a sequence without a still: its sample entry gives the size
        picture.width, picture.height = tracks[0].width, tracks[0].height
        picture.orientation = tracks[0].orientation


def _delays(source: Source, track: Track) -> list[float]:
    """Return the seconds of each sample from ``stts``: pairs of a number of samples and their ticks."""
    data = source.at(track.times.start, track.times.end - track.times.start) if track.times and track.scale else b""
    delays: list[float] = []
    for index in range(u32(data, 4) or 0):
        pair = unpack(">II", data, 8 + 8 * index)
        if pair is None or len(delays) >= _MOST_DELAYS:
            break
        delays += [pair[1] / track.scale] * min(pair[0], _MOST_DELAYS - len(delays))
    return delays


def _meta(source: Source, meta: Box, picture: Picture) -> None:
    primary, properties, owned = 0, list[Box](), dict[int, list[int]]()
    for box in boxes(source, meta.start + 4, meta.end):
        if box.type == b"pitm":
            data = source.at(box.start, 8)
            primary = (u16(data, 4) if data[:1] == b"\0" else u32(data, 4)) or 0
        elif box.type == b"iprp":
            for inner in boxes(source, box.start, box.end):
                if inner.type == b"ipco":
                    properties = list(boxes(source, inner.start, inner.end))
                elif inner.type == b"ipma":
                    owned.update(_associations(source.at(inner.start, min(inner.end - inner.start, 1 << 20))))
    mine = [properties[index - 1] for index in owned.get(primary, []) if 0 < index <= len(properties)]
    _apply(source, mine or (properties if len(owned) <= 1 else []), picture)
    for index in (index for indexes in owned.values() for index in indexes if 0 < index <= len(properties)):
        if properties[index - 1].type == b"auxC":
            place = properties[index - 1]
            picture.alpha = picture.alpha or source.at(place.start + 4, 80).partition(b"\0")[0] in _ALPHA


def _associations(data: bytes) -> dict[int, list[int]]:
    """Return which properties (from 1) each item has, in order."""
    version, wide = data[:1] not in (b"\0", b""), bool(data[3:4] and data[3] & 1)
    found: dict[int, list[int]] = {}
    at = 8
    for _ in range(min(u32(data, 4) or 0, 10_000)):
        item = u32(data, at) if version else u16(data, at)
        at += 4 if version else 2
        if item is None or at >= len(data):
            break
        count = data[at]
        at += 1
        step = 2 if wide else 1
        raw = [int.from_bytes(data[at + step * k : at + step * (k + 1)]) for k in range(count)]
        found[item] = [value & (0x7FFF if wide else 0x7F) for value in raw]
        at += step * count
    return found


def _apply(source: Source, properties: list[Box], picture: Picture) -> None:
    """Apply the properties of one item in their order: size, clean aperture, rotation, mirroring, colour."""
    turns, mirror = 0, None
    for box in properties:
        data = source.at(box.start, 40)
        if box.type == b"ispe":
            picture.width, picture.height = u32(data, 4) or 0, u32(data, 8) or 0
        elif box.type == b"clap":
            _crop(data, picture)
        elif box.type == b"irot" and data:
            turns = data[0] & 3
        elif box.type == b"imir" and data:
            mirror = data[0] & 1
        elif box.type == b"pixi" and len(data) > 5:
            picture.bits = data[5]
        elif box.type == b"colr":
            _color(source, box, data, picture)
    picture.orientation = _turned(turns, mirror)


def _crop(data: bytes, picture: Picture) -> None:
    fields = unpack(">IIII", data)
    if fields is not None and fields[1] and fields[3]:
        width, height = fields[0] // fields[1], fields[2] // fields[3]
        if 0 < width <= picture.width and 0 < height <= picture.height:
            picture.width, picture.height = width, height


def _color(source: Source, box: Box, data: bytes, picture: Picture) -> None:
    if data[:4] in (b"prof", b"rICC"):
        picture.profile = source.at(box.start + 4, min(box.end - box.start - 4, 1 << 22))
    elif data[:4] == b"nclx":
        picture.primaries = u16(data, 4)


def _turned(turns: int, mirror: int | None) -> int:
    """Return the EXIF number of ``turns`` quarter turns anticlockwise, then a mirroring (0: top to bottom)."""
    if mirror is None:
        return (1, 8, 3, 6)[turns]
    return ((4, 5, 2, 7) if mirror == 0 else (2, 7, 4, 5))[turns]
