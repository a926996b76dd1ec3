"""TIFF and BigTIFF directories (TIFF 6.0), which EXIF uses too."""

from __future__ import annotations

from io import BytesIO

from msgspec import Struct, field

from oloproof.media.binary import Source, unpack

WIDTH, HEIGHT, BITS, PHOTOMETRIC, ORIENTATION, SAMPLES, EXTRA, ICC = 256, 257, 258, 262, 274, 277, 338, 34675
SUBFILE, SUB_DIRECTORIES, DNG_VERSION, CROP = 254, 330, 50706, 50720
_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8}
_CODES = {1: "B", 3: "H", 4: "I", 6: "b", 8: "h", 9: "i", 13: "I", 16: "Q", 18: "Q"}
_MOST_PAGES = 10_000
_MOST_TAGS = 4_096


class Directory(Struct):
    """The first directory: the wanted numbers by tag, the profile, the number of directories, and damage."""

    values: dict[int, tuple[int, ...]] = field(default_factory=dict)
    profile: bytes | None = None
    pages: int = 0
    damaged: bool = False

    def one(self, tag: int, default: int | None = None) -> int | None:
        """Return the first number of ``tag``."""
        found = self.values.get(tag)
        return found[0] if found else default


def read_tiff(source: Source) -> Directory:
    """Read the first directory of a TIFF file and count the others."""
    return _Reader(source, 0).read(count_pages=True)


def read_raw(source: Source, first: Directory) -> Directory | None:
    """Return the directory of the picture that a camera took, None when the file is no raw file.

    The first directory of a DNG, NEF or ARW is a preview and says so; the picture stands in a directory below it.
    """
    reduced = bool((first.one(SUBFILE, 0) or 0) & 1)
    if DNG_VERSION not in first.values and not (reduced and SUB_DIRECTORIES in first.values):
        return None
    below = [_Reader(source, 0).read_at(place) for place in first.values.get(SUB_DIRECTORIES, ())]
    whole = [one for one in (first, *below) if not (one.one(SUBFILE, 0) or 0) & 1]
    return max(whole or [first], key=lambda one: (one.one(WIDTH, 0) or 0) * (one.one(HEIGHT, 0) or 0))


def exif_orientation(data: bytes) -> int:
    """Return the orientation (1 to 8) in an EXIF block that begins with its TIFF header; 1 when unusable."""
    source = Source(BytesIO(data.removeprefix(b"Exif\0\0")))
    value = _Reader(source, 0).read(count_pages=False).one(ORIENTATION, 1)
    return value if value is not None and 1 <= value <= 8 else 1


class _Reader:
    def __init__(self, source: Source, base: int) -> None:
        self.source = source
        head = source.at(base, 16)
        self.order = "<" if head[:2] == b"II" else ">"
        version = unpack(self.order + "H", head, 2)
        self.big = version == (43,)
        self.valid = head[:2] in (b"II", b"MM") and version in ((42,), (43,))
        first = unpack(self.order + ("Q" if self.big else "I"), head, 8 if self.big else 4)
        self.first = first[0] if first else 0

    def read(self, *, count_pages: bool) -> Directory:
        directory = Directory()
        if not self.valid:
            directory.damaged = True
            return directory
        at, seen = self.first, set[int]()
        while at and at not in seen and len(seen) < _MOST_PAGES:
            seen.add(at)
            following = self._directory(at, directory)
            if following is None:
                directory.damaged = True
                break
            directory.pages += 1
            if not count_pages:
                break
            at = following
        return directory

    def read_at(self, at: int) -> Directory:
        """Read the one directory that stands at ``at``; empty when none does."""
        directory = Directory()
        self._directory(at, directory)
        return directory

    def _directory(self, at: int, into: Directory) -> int | None:
        """Read one directory (only the first one's values) and return the place of the next, None if cut."""
        counter, entry, pointer = ("Q", 20, 8) if self.big else ("H", 12, 4)
        number = unpack(self.order + counter, self.source.at(at, 8))
        if number is None or not 0 < number[0] <= _MOST_TAGS:
            return None
        start = at + (8 if self.big else 2)
        block = self.source.at(start, number[0] * entry + pointer)
        if len(block) < number[0] * entry:
            return None
        if not into.pages:
            for index in range(number[0]):
                self._entry(block[index * entry : (index + 1) * entry], into)
        following = unpack(self.order + ("Q" if self.big else "I"), block, number[0] * entry)
        return 0 if following is None else int(following[0])

    def _entry(self, entry: bytes, into: Directory) -> None:
        form = self.order + ("HHQ" if self.big else "HHI")
        fields = unpack(form, entry)
        if fields is None or fields[0] not in _WANTED:
            return
        tag, kind, count = fields
        size = _SIZES.get(kind, 0) * count
        inline = entry[12:20] if self.big else entry[8:12]
        data = inline[:size]
        if size > len(inline):
            place = unpack(self.order + ("Q" if self.big else "I"), inline)
            data = self.source.at(place[0], min(size, 4 * 1024 * 1024)) if place else b""
        if tag == ICC:
            into.profile = data
        elif kind in _CODES and count:
            fitting = min(count, 8)
            into.values[tag] = unpack(f"{self.order}{fitting}{_CODES[kind]}", data) or ()


_WANTED = {
    WIDTH, HEIGHT, BITS, PHOTOMETRIC, ORIENTATION, SAMPLES, EXTRA, ICC, SUBFILE, SUB_DIRECTORIES, DNG_VERSION, CROP,
}  # fmt: skip
