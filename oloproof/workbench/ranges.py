"""Which part of a file a request asks for (RFC 9110, section 14): one range, or the whole.

Several ranges, and whatever is no range of bytes, are answered with the whole file, as the standard allows; so a
header with ten thousand of them costs one look at its length.
"""

from __future__ import annotations

import re

from msgspec import Struct

_LONGEST = 64
_ONE = re.compile(r"bytes=\s*([0-9]{0,18})-([0-9]{0,18})\s*", re.ASCII | re.IGNORECASE)


class Span(Struct, frozen=True):
    """Bytes from ``start`` up to, not including, ``end``."""

    start: int
    end: int

    @property
    def length(self) -> int:
        """How many bytes it holds."""
        return self.end - self.start

    def told(self, size: int) -> str:
        """Return it as the ``Content-Range`` of a file of ``size`` bytes."""
        return f"bytes {self.start}-{self.end - 1}/{size}"


class NotSatisfiable(Exception):
    """The range lies behind the end of the file: status 416."""


def asked_span(header: str | None, size: int) -> Span | None:
    """Return the part of ``size`` bytes that a ``Range`` header asks for; None for the whole.

    Raises:
        NotSatisfiable: the range is well formed and holds not one byte of the file.
    """
    found = _ONE.fullmatch(header) if header is not None and len(header) <= _LONGEST else None
    if found is None:
        return None
    first, last = found.groups()
    if not first:
        return _suffix(last, size)
    start = int(first)
    if last and int(last) < start:
        return None  # no range at all, says the standard
    if start >= size:
        raise NotSatisfiable
    return Span(start, min(int(last) + 1, size) if last else size)


def _suffix(length: str, size: int) -> Span | None:
    """Return the last ``length`` bytes."""
    if not length:
        return None
    if int(length) == 0:
        raise NotSatisfiable
    return Span(max(size - int(length), 0), size) if size else None


def same_bytes(if_range: str | None, etag: str) -> bool:
    """Return whether ``If-Range`` allows a part: it is absent, or the strong tag of these very bytes."""
    return if_range is None or if_range.strip() == etag


def is_known(if_none_match: str | None, etag: str) -> bool:
    """Return whether the client has these bytes already (``If-None-Match``)."""
    if if_none_match is None or len(if_none_match) > 4096:
        return False
    tags = [tag.strip().removeprefix("W/") for tag in if_none_match.split(",")]
    return etag in tags or tags == ["*"]
