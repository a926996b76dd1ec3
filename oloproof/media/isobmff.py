"""ISO base media files (ISO/IEC 14496-12), as used by MP4, MOV and 3GP, and by AVIF and HEIF (``heif``).

Of the movie, only ``moov`` is read: tracks with their times, sizes and matrices. Every box is bounded by its parent and
by the file, and nesting and numbers are limited.
"""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Iterator

from msgspec import Struct, field

from oloproof.media.binary import Source, u32, unpack

_MOST_BOXES = 20_000
_MOST_DEPTH = 8
_TOP_LEVEL = frozenset((
    b"ftyp", b"styp", b"moov", b"mdat", b"moof", b"mfra", b"free", b"skip", b"wide", b"meta", b"uuid", b"sidx", b"udta",
    b"pnot", b"PICT", b"emsg", b"prft", b"ssix", b"pdin", b"idat", b"imda",
))  # fmt: skip

_UNTURNED = (1 << 16, 0, 0, 0, 1 << 16, 0, 0, 0, 1 << 30)


class Box(Struct, frozen=True):
    """One box: its type, where its content begins and ends, and whether the file holds all of it."""

    type: bytes
    start: int
    end: int
    whole: bool


class Track(Struct):
    """One track. ``handler`` is ``vide``, ``soun`` …; sizes in stored pixels; ``aperture`` is the size that the track
    header gives; ``aspect`` is what the sample entry gives for width over height of a pixel; ``matrix`` (a b u c d v
    x y w) says how to show it, that of the whole movie applied; ``ticks`` is its length in those of the movie;
    ``scale`` are its own ticks a second, of which ``times`` tells how many each sample lasts; ``reach`` is the last
    place in the file where its data begins.
    """

    handler: bytes = b""
    enabled: bool = True
    codec: bytes = b""
    width: int = 0
    height: int = 0
    aperture: tuple[int, int] = (0, 0)
    aspect: float | None = None
    matrix: tuple[int, ...] = _UNTURNED
    ticks: int | None = None
    scale: int = 0
    duration: float | None = None
    samples: int | None = None
    times: Box | None = None
    reach: int = 0

    @property
    def orientation(self) -> int:
        """The EXIF orientation number that does what the matrix does."""
        return matrix_orientation(self.matrix)

    @property
    def pixel_ratio(self) -> float:
        """Width over height of a pixel: by the sample entry, else as the matrix stretches, else by the aperture."""
        if self.aspect is not None:
            return self.aspect
        a, b, _, c, d, *_ = self.matrix
        across, down = math.hypot(a, c), math.hypot(b, d)
        if min(across, down) > 1 and abs(across / down - 1) > 0.01:
            return across / down
        if all(self.aperture) and self.width and self.height:
            return self.aperture[0] * self.height / (self.aperture[1] * self.width)
        return 1.0


class Movie(Struct):
    """What ``moov`` says, in ``scale`` ticks a second. ``cut`` when a box of the file reaches past its end."""

    found: bool = False
    scale: int = 0
    duration: float | None = None
    fragmented: bool = False
    cut: bool = False
    trailing: int = 0
    tracks: list[Track] = field(default_factory=list)

    @property
    def pictures(self) -> list[Track]:
        """The tracks that are moving pictures; a switched-off one of still pictures is cover or chapter art."""
        stills = (b"jpeg", b"png ", b"MJPG")
        return [
            track for track in self.tracks
            if track.handler == b"vide" and (track.enabled or track.codec not in stills)
        ]  # fmt: skip

    @property
    def sounds(self) -> list[Track]:
        """The tracks that are sound."""
        return [track for track in self.tracks if track.handler == b"soun"]

    @property
    def agreed(self) -> bool:
        """Whether the length of the movie is that of its longest track, as it has to be."""
        lengths = [track.ticks / self.scale for track in self.tracks if track.ticks is not None and self.scale]
        told = self.duration or 0.0
        return not lengths or abs(max(lengths) - told) <= max(0.1, 0.01 * told)

    @property
    def outlasted(self) -> bool:
        """Whether subtitles or other data go on when picture and sound have ended."""
        shown = max((track.duration or 0.0 for track in (*self.pictures, *self.sounds)), default=0.0)
        rest = [track for track in self.tracks if track.handler not in (b"vide", b"soun")]
        return any((track.duration or 0.0) > shown + 0.1 for track in rest)


def boxes(source: Source, start: int, end: int) -> Iterator[Box]:
    """Yield the boxes between two places of the file."""
    at = start
    for _ in range(_MOST_BOXES):
        head = source.at(at, 16)
        if at + 8 > end or len(head) < 8:
            return
        size, skip = int.from_bytes(head[:4]), 8
        if size == 1 and len(head) == 16:
            size, skip = int.from_bytes(head[8:16]), 16
        elif size == 0:
            size = end - at
        if size < skip:
            return
        if head[4:8] == b"uuid":
            skip += 16
        yield Box(head[4:8], at + skip, min(at + size, end), at + size <= end)
        at += size


def read_movie(source: Source) -> Movie:
    """Read the movie header and its tracks."""
    movie = Movie()
    for box in boxes(source, 0, source.size):
        if is_trailing(box):
            movie.trailing = source.size - box.start + 8
            break
        movie.cut = movie.cut or not box.whole
        if box.type == b"moov" and not movie.found:
            movie.found = True
            read_moov(source, box, movie)
        elif box.type == b"moof":
            movie.fragmented = True
    return movie


def is_trailing(box: Box) -> bool:
    """Return whether what looks like a box of the file itself is none: other bytes follow the last one."""
    return not box.whole and box.type not in _TOP_LEVEL


def read_moov(source: Source, moov: Box, movie: Movie) -> None:
    """Read the header and the tracks of a ``moov`` box into ``movie``."""
    whole = _UNTURNED
    for box in boxes(source, moov.start, moov.end):
        if box.type == b"mvhd":
            data = source.at(box.start, 96)
            movie.duration = _header_duration(data)
            movie.scale = u32(data, 20 if data[:1] == b"\x01" else 12) or 0
            whole = unpack(">9i", data, 48 if data[:1] == b"\x01" else 36) or _UNTURNED
        elif box.type == b"mvex":
            movie.fragmented = True
        elif box.type == b"trak" and len(movie.tracks) < 100:
            track = Track()
            _walk_track(source, box, track, 0)
            movie.tracks.append(track)
    for track in movie.tracks:
        track.matrix = _multiplied(track.matrix, whole)


def _multiplied(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    """Return the matrix that does what two do, one after the other; where it moves a picture to is left out."""
    (a, b, _, c, d, *_), (e, f, _, g, h, *_) = first, second
    cells = a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h
    a, b, c, d = (cell >> 16 for cell in cells)
    return a, b, 0, c, d, 0, 0, 0, 1 << 30


def _header_duration(data: bytes) -> float | None:
    """Return seconds from ``mvhd`` or ``mdhd``, which share their first fields; all ones means unknown."""
    long = data[:1] == b"\x01"
    fields = unpack(">IQ" if long else ">II", data, 20 if long else 12)
    unknown = (1 << (64 if long else 32)) - 1
    if fields is None or not fields[0] or fields[1] == unknown:
        return None
    return float(fields[1] / fields[0])


def _walk_track(source: Source, parent: Box, track: Track, depth: int) -> None:
    if depth > _MOST_DEPTH:
        return
    for box in boxes(source, parent.start, parent.end):
        if box.type in (b"mdia", b"minf", b"stbl"):
            _walk_track(source, box, track, depth + 1)
        elif box.type == b"tkhd":
            _tkhd(source.at(box.start, 96), track)
        elif box.type == b"mdhd":
            data = source.at(box.start, 36)
            track.duration = _header_duration(data)
            track.scale = u32(data, 20 if data[:1] == b"\x01" else 12) or 0
        elif box.type == b"hdlr" and not track.handler:
            track.handler = source.at(box.start + 8, 4)
        elif box.type == b"stsd":
            _stsd(source, box, track)
        elif box.type == b"stts":
            track.times = box
        elif box.type in (b"stco", b"co64"):
            track.reach = _last_place(source, box)
        elif box.type == b"stsz":
            track.samples = u32(source.at(box.start, 12), 8)


def _last_place(source: Source, box: Box) -> int:
    """Return the last place of the file that a table of chunks names (``stco``, or ``co64`` with wide numbers)."""
    data = source.at(box.start + 8, min(box.end - box.start - 8, 1 << 20))
    places = array(
        "I" if box.type == b"stco" else "Q", data[: len(data) & ~7 if box.type == b"co64" else len(data) & ~3]
    )
    if sys.byteorder == "little":
        places.byteswap()
    return max(places, default=0)


def _tkhd(data: bytes, track: Track) -> None:
    track.enabled = bool(data[3] & 1) if len(data) > 3 else True
    long = data[:1] == b"\x01"
    length = unpack(">Q" if long else ">I", data, 28 if long else 20)
    if length is not None and length[0] != (1 << (64 if long else 32)) - 1:
        track.ticks = length[0]
    fields = unpack(">9i2I", data, 52 if long else 40)
    if fields is not None:
        track.matrix, track.aperture = fields[:9], (fields[9] >> 16, fields[10] >> 16)


def matrix_orientation(matrix: tuple[int, ...]) -> int:
    """Return the EXIF orientation number that does what a display matrix (a b u c d v x y w) does; 1 for none.

    Cells are not written exactly by all: what is small beside the largest counts as zero.
    """
    cells = matrix[0], matrix[1], matrix[3], matrix[4]
    small = max(map(abs, cells)) / 8
    signs = tuple((value > small) - (value < -small) for value in cells)
    return _MATRICES.get(signs, 1)


_MATRICES: dict[tuple[int, ...], int] = {
    (1, 0, 0, 1): 1, (-1, 0, 0, 1): 2, (-1, 0, 0, -1): 3, (1, 0, 0, -1): 4,
    (0, 1, 1, 0): 5, (0, 1, -1, 0): 6, (0, -1, -1, 0): 7, (0, -1, 1, 0): 8,
}  # fmt: skip


def _stsd(source: Source, stsd: Box, track: Track) -> None:
    for entry in boxes(source, stsd.start + 8, stsd.end):
        track.codec = entry.type
        if track.handler not in (b"vide", b""):
            return
        size = unpack(">HH", source.at(entry.start + 24, 4))
        if size is not None:
            track.width, track.height = size
        for box in boxes(source, entry.start + 78, entry.end):
            ratio = unpack(">II", source.at(box.start, 8)) if box.type == b"pasp" else None
            if ratio is not None and 0 < ratio[0] < 1 << 16 and 0 < ratio[1] < 1 << 16:
                track.aspect = ratio[0] / ratio[1]
        return
