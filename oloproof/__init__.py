"""Oloproof: decide whether a system that receives or makes images, audio or video may ship.

The names here are the whole public surface; each is loaded when it is first used, so that importing the package
costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oloproof.errors import MediaDrift, MediaError, MediaMissing, OloproofError
    from oloproof.evaluators import evaluator
    from oloproof.media import media_file, read_media
    from oloproof.records import Case, MediaItem, Verdict
    from oloproof.running import run
    from oloproof.systems import current_case, system

__version__ = "0.1.0"

__all__ = [
    "Case",
    "MediaDrift",
    "MediaError",
    "MediaItem",
    "MediaMissing",
    "OloproofError",
    "Verdict",
    "__version__",
    "current_case",
    "evaluator",
    "media_file",
    "read_media",
    "run",
    "system",
]

_HOMES = {
    "Case": "oloproof.records",
    "MediaDrift": "oloproof.errors",
    "MediaError": "oloproof.errors",
    "MediaItem": "oloproof.records",
    "MediaMissing": "oloproof.errors",
    "OloproofError": "oloproof.errors",
    "Verdict": "oloproof.records",
    "current_case": "oloproof.systems",
    "evaluator": "oloproof.evaluators",
    "media_file": "oloproof.media",
    "read_media": "oloproof.media",
    "run": "oloproof.running",
    "system": "oloproof.systems",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'oloproof' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
