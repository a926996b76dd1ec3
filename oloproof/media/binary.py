"""Bounded random access to the bytes of an open file: what every header reader of this room stands on."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import Any, BinaryIO

HEAD_BYTES = 4096
"""How much is read at once when a file is opened; most headers end before that."""

MAX_READ = 16 * 1024 * 1024
"""The most that one read returns, whatever a header asks for."""


class Source:
    """The bytes of one open file. No read is longer than ``MAX_READ`` or reaches past the end.

    Small reads near each other, as readers of boxes and chunks make them, are served from one larger one; a file of at
    most ``whole`` bytes is read once. ``kept`` holds what a reader found out once, under a name of its own, for others
    that ask of the same open file.
    """

    __slots__ = ("_descriptor", "_window", "_window_start", "file", "head", "kept", "size")

    def __init__(self, file: BinaryIO, *, whole: int = 0) -> None:
        self.file = file
        self._descriptor = _descriptor_of(file)
        self.size = file.seek(0, 2) if self._descriptor is None else os.fstat(self._descriptor).st_size
        self._window, self._window_start = self._read(0, max(HEAD_BYTES, self.size if self.size <= whole else 0)), 0
        self.kept: dict[str, Any] = {}
        self.head = self._window[:HEAD_BYTES]

    def at(self, offset: int, length: int) -> bytes:
        """Return up to ``length`` bytes at ``offset``; fewer, or none, where the file ends."""
        end = offset + length
        if offset >= 0 and end <= len(self.head):
            return self.head[offset:end]
        if offset < 0 or length <= 0 or offset >= self.size:
            return b""
        length = min(length, MAX_READ, self.size - offset)
        start = offset - self._window_start
        if start >= 0 and start + length <= len(self._window):
            return self._window[start : start + length]
        if length >= HEAD_BYTES:
            return self._read(offset, length)
        self._window, self._window_start = self._read(offset, HEAD_BYTES), offset
        return self._window[:length]

    def _read(self, offset: int, length: int) -> bytes:
        """Return ``length`` bytes, fewer only at the end of the file: one system call may give less."""
        if self._descriptor is None:
            self.file.seek(offset)
            return self.file.read(length)
        data = os.pread(self._descriptor, length, offset)
        wanted = min(length, self.size - offset)
        while 0 < len(data) < wanted and (more := os.pread(self._descriptor, wanted - len(data), offset + len(data))):
            data += more
        return data

    def blocks(self, offset: int, end: int | None = None, size: int = 1 << 20) -> Iterator[bytes]:
        """Yield the bytes from ``offset`` to ``end`` (the end of the file) in pieces of ``size``."""
        stop = self.size if end is None else min(end, self.size)
        while offset < stop:
            block = self.at(offset, min(size, stop - offset))
            if not block:
                return
            yield block
            offset += len(block)


def _descriptor_of(file: BinaryIO) -> int | None:
    """Return the descriptor of a real file, None for bytes in memory (such as the TIFF inside of Exif)."""
    try:
        return file.fileno()
    except OSError:
        return None


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
