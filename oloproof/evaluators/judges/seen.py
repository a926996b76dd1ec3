"""What is sent of the media in one judgement, and the record of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from oloproof.providers import Part, Usage
from oloproof.records import MediaItem


class Seen(Struct, frozen=True):
    """What is sent of the media, and the record of it: one entry a part, in order. ``ffmpeg`` is its version if any."""

    parts: tuple[Part, ...] = ()
    saw: tuple[Mapping[str, Any], ...] = ()
    ffmpeg: str | None = None


def usage_record(usage: Usage) -> dict[str, int | None]:
    """Return what is kept of the tokens that an answer took, as the server counted them; None where it did not."""
    return {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}


def record_of(kind: str, item: MediaItem, **known: Any) -> dict[str, Any]:
    """Return what is kept of one part of ``item``; keys that are not ``known`` are None, and ``steps`` is empty."""
    return {
        "kind": kind,
        "name": item.name,
        "role": item.role,
        "time": None,
        "sha256_recorded": item.sha256,
        "sha256_sent": None,
        "media_type": None,
        "width": None,
        "height": None,
        "steps": [],
        "text": None,
        **known,
    }
