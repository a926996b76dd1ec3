"""Bounded random access to the bytes of an open file: what every header reader of this room stands on."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, BinaryIO

HEAD_BYTES = 4096
"""How much is read at once when a file is opened; most headers end before that."""

MAX_READ = 16 * 1024 * 1024
"""The most that one read returns, whatever a header asks for."""


class Source:
    """The bytes of one open file. No read is longer than ``MAX_READ`` or reaches past the end."""

    __slots__ = ("file", "head", "size")

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.size = file.seek(0, 2)
        file.seek(0)
        self.head = file.read(HEAD_BYTES)

    def at(self, offset: int, length: int) -> bytes:
        """Return up to ``length`` bytes at ``offset``; fewer, or none, where the file ends."""
        end = offset + length
        if offset >= 0 and end <= len(self.head):
            return self.head[offset:end]
        if offset < 0 or length <= 0 or offset >= self.size:
            return b""
        self.file.seek(offset)
        return self.file.read(min(length, MAX_READ, self.size - offset))

    def blocks(self, offset: int, end: int | None = None, size: int = 1 << 20) -> Iterator[bytes]:
        """Yield the bytes from ``offset`` to ``end`` (the end of the file) in pieces of ``size``."""
        stop = self.size if end is None else min(end, self.size)
        while offset < stop:
            block = self.at(offset, min(size, stop - offset))
            if not block:
                return
            yield block
            offset += len(block)


def unpack(form: str, data: bytes, offset: int = 0) -> tuple[Any, ...] | None:
    """Return what ``struct`` reads at ``offset``, or None where the bytes do not suffice."""
    try:
        return struct.unpack_from(form, data, offset)
    except struct.error:
        return None


def u16(data: bytes, offset: int = 0, order: str = ">") -> int | None:
    """Return an unsigned 16-bit number, or None past the end."""
    found = unpack(order + "H", data, offset)
    return None if found is None else int(found[0])


def u32(data: bytes, offset: int = 0, order: str = ">") -> int | None:
    """Return an unsigned 32-bit number, or None past the end."""
    found = unpack(order + "I", data, offset)
    return None if found is None else int(found[0])
