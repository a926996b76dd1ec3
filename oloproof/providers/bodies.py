"""JSON bodies put together from bytes: media are encoded straight into them, never passed through a JSON writer."""

from __future__ import annotations

import json
from binascii import b2a_base64
from collections.abc import Iterable
from typing import Any

Pieces = list[bytes]
"""JSON in pieces, joined once at the end: to copy a large medium at each level costs more than to encode it."""

_encode = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode


def json_bytes(value: Any) -> bytes:
    """Return ``value`` as JSON in ASCII.

    Raises:
        ValueError: a number is not finite.
    """
    return _encode(value).encode("ascii")


def base64_bytes(data: bytes) -> bytes:
    """Return ``data`` in base64, in one line: safe inside a JSON string as it is."""
    return b2a_base64(data, newline=False)


def object_pieces(fields: Iterable[tuple[str, Pieces]]) -> Pieces:
    """Return a JSON object whose values are JSON already."""
    return _enclosed(b"{", ([b'"%s":' % name.encode("ascii"), *value] for name, value in fields), b"}")


def array_pieces(values: Iterable[Pieces]) -> Pieces:
    """Return a JSON array whose values are JSON already."""
    return _enclosed(b"[", values, b"]")


def _enclosed(start: bytes, members: Iterable[Pieces], end: bytes) -> Pieces:
    pieces = [start]
    for member in members:
        if len(pieces) > 1:
            pieces.append(b",")
        pieces += member
    pieces.append(end)
    return pieces
