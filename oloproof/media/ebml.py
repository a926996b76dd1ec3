"""Matroska and WebM (RFC 8794, RFC 9559): duration and tracks from the elements before the first cluster."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field

from oloproof.media.binary import Source, unpack

_EBML, _SEGMENT, _INFO, _TRACKS, _ENTRY, _CLUSTER = 0x1A45DFA3, 0x18538067, 0x1549A966, 0x1654AE6B, 0xAE, 0x1F43B675
_SCALE, _DURATION, _TYPE, _VIDEO, _CODEC = 0x2AD7B1, 0x4489, 0x83, 0xE0, 0x86
_WIDTH, _HEIGHT, _SHOWN_WIDTH, _SHOWN_HEIGHT, _SHOWN_UNIT = 0xB0, 0xBA, 0x54B0, 0x54BA, 0x54B2
_PROJECTION, _ROLL = 0x7670, 0x7675
_MOST_ELEMENTS = 2_000


class Track(Struct):
    """One track: ``type`` 1 is video, 2 audio. The shown size is 0 where it equals the stored one; it is not turned.

    ``orientation`` is the EXIF number of its roll.
    """

    type: int = 0
    codec: str = ""
    width: int = 0
    height: int = 0
    shown_width: int = 0
    shown_height: int = 0
    orientation: int = 1


class Matroska(Struct):
    """What the header says. ``cut`` when the segment promises more bytes than the file holds."""

    duration: float | None = None
    tracks: list[Track] = field(default_factory=list)
    cut: bool = False

    def first(self, kind: int) -> Track | None:
        """Return the first track of a type."""
        return next((track for track in self.tracks if track.type == kind), None)


def _elements(source: Source, start: int, end: int) -> Iterator[tuple[int, int, int, bool]]:
    """Yield id, begin, end and completeness of the elements between two places; unknown sizes reach to ``end``."""
    at = start
    for _ in range(_MOST_ELEMENTS):
        head = source.at(at, 12)
        if at >= end or len(head) < 2:
            return
        name_length = _leading(head[0])
        if name_length > 4 or name_length >= len(head):
            return
        size_length = _leading(head[name_length])
        stop = name_length + size_length
        if size_length > 8 or stop > len(head):
            return
        name = int.from_bytes(head[:name_length])
        size = int.from_bytes(head[name_length:stop]) & ((1 << 7 * size_length) - 1)
        unknown = size == (1 << 7 * size_length) - 1
        finish = end if unknown else at + stop + size
        yield name, at + stop, min(finish, end), finish <= end
        at = finish


def _leading(byte: int) -> int:
    """Return the length that a first byte announces: 1 to 8, 9 when it is none."""
    return 9 - byte.bit_length()


def read_matroska(source: Source) -> Matroska:
    """Read the header of a Matroska or WebM file."""
    found = Matroska()
    for name, start, end, whole in _elements(source, 0, source.size):
        if name == _SEGMENT:
            found.cut = not whole
            _segment(source, start, end, found)
            break
    return found


def _segment(source: Source, start: int, end: int, into: Matroska) -> None:
    for name, begin, finish, _ in _elements(source, start, end):
        if name == _INFO:
            _info(source, begin, finish, into)
        elif name == _TRACKS:
            for inner, first, last, _ in _elements(source, begin, finish):
                if inner == _ENTRY and len(into.tracks) < 100:
                    into.tracks.append(_track(source, first, last))
        elif name == _CLUSTER and into.tracks:
            return


def _info(source: Source, start: int, end: int, into: Matroska) -> None:
    scale, ticks = 1_000_000, None
    for name, begin, finish, _ in _elements(source, start, end):
        data = source.at(begin, min(finish - begin, 8))
        if name == _SCALE:
            scale = int.from_bytes(data)
        elif name == _DURATION:
            number = _float(data)
            ticks = number if number is not None and number > 0 else None
    if ticks is not None:
        into.duration = ticks * scale / 1e9


def _track(source: Source, start: int, end: int) -> Track:
    track = Track()
    for name, begin, finish, _ in _elements(source, start, end):
        if name == _TYPE:
            track.type = int.from_bytes(source.at(begin, min(finish - begin, 8)))
        elif name == _CODEC:
            track.codec = source.at(begin, min(finish - begin, 40)).decode("latin-1")
        elif name == _VIDEO:
            _video(source, begin, finish, track)
            track.orientation = _roll(source, begin, finish)
    return track


def _roll(source: Source, start: int, end: int) -> int:
    """Return the EXIF number of the roll of a video's projection (degrees anticlockwise), 1 without a quarter turn."""
    for name, begin, finish, _ in _elements(source, start, end):
        if name == _PROJECTION:
            for inner, first, last, _ in _elements(source, begin, finish):
                if inner == _ROLL and (degrees := _float(source.at(first, min(last - first, 8)))) is not None:
                    return {90: 8, 180: 3, 270: 6}.get(round(degrees) % 360, 1)
    return 1


def _float(data: bytes) -> float | None:
    """Return a finite number of 4 or 8 bytes."""
    number = unpack(">f" if len(data) == 4 else ">d", data)
    return number[0] if number is not None and abs(number[0]) < 1e15 else None


def _video(source: Source, start: int, end: int, track: Track) -> None:
    numbers = {
        name: int.from_bytes(source.at(begin, min(finish - begin, 8)))
        for name, begin, finish, _ in _elements(source, start, end)
    }
    track.width, track.height = numbers.get(_WIDTH, 0), numbers.get(_HEIGHT, 0)
    if numbers.get(_SHOWN_UNIT, 0) == 0:
        track.shown_width, track.shown_height = numbers.get(_SHOWN_WIDTH, 0), numbers.get(_SHOWN_HEIGHT, 0)
    elif numbers.get(_SHOWN_UNIT) == 3 and numbers.get(_SHOWN_HEIGHT):
        # unit 3 gives a ratio: keep the height, stretch the width
        track.shown_height = track.height
        track.shown_width = round(track.height * numbers.get(_SHOWN_WIDTH, 0) / numbers[_SHOWN_HEIGHT])
