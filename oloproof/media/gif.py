"""GIF (GIF89a): the frame table, read from the blocks without decoding a pixel."""

from __future__ import annotations

from msgspec import Struct, field

from oloproof.media.binary import Source, u16

_MOST_FRAMES = 100_000


class Gif(Struct):
    """What the blocks say. ``delays`` are in seconds, one a frame; ``end`` is where the trailer ends, if any."""

    width: int = 0
    height: int = 0
    transparent: bool = False
    plays: int | None = None
    delays: list[float] = field(default_factory=list)
    cut: bool = False
    damaged: bool = False
    end: int | None = None


def read_size(source: Source) -> tuple[int, int]:
    """Return the size of the screen that the header gives, of the first frame where it gives none, as viewers do."""
    width, height = u16(source.head, 6, "<") or 0, u16(source.head, 8, "<") or 0
    data = None if width and height else first_data(source)
    if data is None:
        return width, height
    return u16(source.at(data[0], 9), 4, "<") or 0, u16(source.at(data[0], 9), 6, "<") or 0


def read_gif(source: Source) -> Gif:
    """Walk all blocks and return the table of the frames that are whole; once for the same open file."""
    if "gif" not in source.kept:
        source.kept["gif"] = _read(source)
    return source.kept["gif"]  # type: ignore[no-any-return]


def _read(source: Source) -> Gif:
    gif = Gif(*read_size(source))
    walk = _Walk(source, 13 + _table(source.at(10, 1)))
    delay = 0.0
    while len(gif.delays) < _MOST_FRAMES:
        kind = walk.byte()
        walk.at += 1
        if kind == 0x3B:
            gif.end = walk.at
            return gif
        if kind == 0x21:
            delay = _extension(walk, gif, delay)
        elif kind == 0x2C:
            head = walk.take(9)
            walk.at += _table(head[8:9]) + 1
            if not walk.skip_blocks():
                gif.cut = True
                return gif
            gif.delays.append(delay)
            delay = 0.0
        else:
            gif.cut, gif.damaged = kind is None, kind is not None
            return gif
        if walk.cut:
            gif.cut = True
            return gif
    return gif


def first_data(source: Source) -> tuple[int, int] | None:
    """Return where the first frame's header and its compressed data begin, None when the file ends before."""
    walk = _Walk(source, 13 + _table(source.at(10, 1)))
    gif = Gif()
    for _ in range(1000):
        kind = walk.byte()
        walk.at += 1
        if kind == 0x21:
            _extension(walk, gif, 0.0)
        elif kind == 0x2C:
            begin = walk.at
            head = walk.take(9)
            return None if walk.cut else (begin, walk.at + _table(head[8:9]) + 1)
        else:
            return None
    return None


def _table(flags: bytes) -> int:
    return 3 << ((flags[0] & 7) + 1) if flags and flags[0] & 0x80 else 0


def _extension(walk: _Walk, gif: Gif, delay: float) -> float:
    label = walk.byte()
    walk.at += 1
    head = walk.source.at(walk.at, 20) if label in (0xF9, 0xFF) else b""
    if label == 0xF9 and len(head) >= 6:
        delay = (u16(head, 2, "<") or 0) / 100
        gif.transparent = gif.transparent or bool(head[1] & 1)
    elif label == 0xFF and head[1:12] == b"NETSCAPE2.0":
        gif.plays = u16(head, 14, "<")
    walk.skip_blocks()
    return delay


class _Walk:
    """A place in the file that moves forward; ``cut`` once the file ended too early."""

    def __init__(self, source: Source, at: int) -> None:
        self.source, self.at, self.cut = source, at, False
        self.window, self.window_at = b"", 0

    def byte(self) -> int | None:
        """Return the byte at the place, read through a window of 64 kB."""
        inside = self.at - self.window_at
        if not 0 <= inside < len(self.window):
            self.window, self.window_at, inside = self.source.at(self.at, 65536), self.at, 0
        return self.window[inside] if inside < len(self.window) else None

    def take(self, count: int) -> bytes:
        data = self.source.at(self.at, count)
        self.at += count
        self.cut = self.cut or len(data) < count
        return data

    def skip_blocks(self) -> bool:
        """Go past a chain of sub-blocks; False when the file ends inside it."""
        while (length := self.byte()) is not None:
            self.at += 1 + length
            if length == 0:
                return True
        self.cut = True
        return False
