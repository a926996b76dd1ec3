"""A model server's reply as bounded, finite JSON: hostile until checked."""

from __future__ import annotations

import json
from typing import Any

from oloproof.strict_json import finite, no_constant

LARGEST_REPLY = 10_000_000
"""Bytes of a reply's body, after decompression; more is refused unread."""


class NotAReply(Exception):
    """The reply is not what the provider's documents say; its text says how."""


def parse_object(body: bytes) -> dict[str, Any]:
    """Return the JSON object that ``body`` is.

    Raises:
        NotAReply: it is no JSON, no object, or holds a number that is not finite.
    """
    try:
        value = json.loads(body, parse_constant=no_constant, parse_float=finite, parse_int=_whole)
    except (ValueError, RecursionError):
        raise NotAReply(f"expected a JSON object, found {_shown(body)}") from None
    if not isinstance(value, dict):
        raise NotAReply(f"expected a JSON object, found {_shown(body)}")
    return value


def _whole(text: str) -> int:
    if len(text) > 300:
        raise ValueError("a number of more than 300 digits")
    return int(text)


def _shown(body: bytes) -> str:
    text = " ".join(body[:200].decode("utf-8", "replace").split())
    return repr(text[:120]) if text else "nothing"


def text_of(value: Any) -> str:
    """Return ``value`` if it is text, else an empty one."""
    return value if isinstance(value, str) else ""


def count_of(value: Any) -> int | None:
    """Return ``value`` if it is a count, else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def object_of(value: Any) -> dict[str, Any]:
    """Return ``value`` if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def objects_of(value: Any) -> list[dict[str, Any]]:
    """Return the JSON objects in ``value`` if it is a list, else none."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
