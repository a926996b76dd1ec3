"""Reads a dataset file in blocks, and digests every byte on the way."""

from __future__ import annotations

import codecs
import hashlib
from collections.abc import Iterator
from pathlib import Path

from oloproof.errors import DatasetError, Problem

_BLOCK = 1 << 20
_BOM = codecs.BOM_UTF8


class ByteSource:
    """The bytes of one file, read once from front to end. ``hexdigest`` is of what was read so far."""

    def __init__(self, path: Path, shown: str) -> None:
        self.path = path
        self.shown = shown
        self._hash = hashlib.sha256()

    @property
    def hexdigest(self) -> str:
        """The SHA-256 of the bytes read so far."""
        return self._hash.hexdigest()

    def blocks(self) -> Iterator[bytes]:
        """Yield the file block by block, without a UTF-8 byte order mark."""
        first = True
        try:
            with self.path.open("rb") as stream:
                while block := stream.read(_BLOCK):
                    self._hash.update(block)
                    if first:
                        self._refuse_utf16(block)
                        block = block.removeprefix(_BOM)
                        first = False
                    yield block
        except FileNotFoundError as error:
            raise self._error(f"no such file; looked in {self.path.parent}") from error
        except IsADirectoryError as error:
            raise self._error("this is a folder; name a file, or write folder: for one case a media file") from error
        except OSError as error:
            raise self._error(f"cannot be read: {error.strerror or error}") from error

    def lines(self) -> Iterator[bytes]:
        """Yield the lines without their line feed; a last line without one counts as a line."""
        pieces: list[bytes] = []
        for block in self.blocks():
            head, *rest = block.split(b"\n")
            pieces.append(head)
            if rest:
                yield b"".join(pieces)
                yield from rest[:-1]
                pieces = [rest[-1]]
        if any(pieces):
            yield b"".join(pieces)

    def text(self) -> Iterator[str]:
        """Yield the file as text, piece by piece."""
        decoder = codecs.getincrementaldecoder("utf-8")()
        for block in self.blocks():
            yield decoder.decode(block)
        yield decoder.decode(b"", final=True)

    def not_utf8(self) -> tuple[int, int, str]:
        """Return line, column and words for the first byte that is not UTF-8, reading the file again."""
        with self.path.open("rb") as stream:
            for number, raw in enumerate(stream, 1):
                try:
                    raw.decode("utf-8")
                except UnicodeDecodeError as error:
                    return (number, *describe_bad_byte(error))
        return 1, 1, "this is not UTF-8; save the file as UTF-8"

    def _refuse_utf16(self, block: bytes) -> None:
        if block.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise self._error("this is UTF-16; save the file as UTF-8", 1)

    def _error(self, message: str, line: int | None = None) -> DatasetError:
        return DatasetError([Problem(self.shown, message, line)])


def describe_bad_byte(error: UnicodeDecodeError) -> tuple[int, str]:
    """Return the column of the byte that is not UTF-8 within its line, and words for it."""
    before = error.object[: error.start].removeprefix(_BOM)
    column = len(before.decode("utf-8", "replace")) + 1
    return column, f"the byte 0x{error.object[error.start]:02x} is not UTF-8; save the file as UTF-8"
