"""What a judge saw, in words for a person who judges the same and may not know what it said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def saw_words(saw: Mapping[str, Any] | None) -> str:
    """Return one line for each medium that a judge was shown: frames with their times, transcripts, what was changed.

    Only parts of media are read, so nothing that the judge answered, and no name of its model, can be among them.
    """
    parts = () if saw is None else saw.get("parts", ())
    return "\n".join(_line(part) for part in parts if part.get("kind") in _MEDIA)


_MEDIA = ("image", "frame", "audio", "transcript")


def _line(part: Mapping[str, Any]) -> str:
    words = " ".join(str(part[key]) for key in ("role", "kind", "name") if part.get(key))
    if part.get("time") is not None:
        words += f" at {part['time']:.3f} s"
    if part.get("width") and part.get("height"):
        words += f", {part['width']}x{part['height']}"
    if part.get("steps"):
        words += f" ({'; '.join(str(step) for step in part['steps'])})"
    return f"{words}: {part['text']}" if part["kind"] == "transcript" and part.get("text") is not None else words
