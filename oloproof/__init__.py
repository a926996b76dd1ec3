"""Oloproof: decide whether a system that receives or makes images, audio or video may ship.

The names here are the whole public surface; each is loaded when it is first used, so that importing the package
costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oloproof.lazy import lazy_names

if TYPE_CHECKING:
    from oloproof.errors import MediaDrift, MediaError, MediaMissing, OloproofError
    from oloproof.evaluators import evaluator
    from oloproof.media import media_file, read_media
    from oloproof.records import Case, MediaItem, Verdict
    from oloproof.running.run import run
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
    "errors": ("MediaDrift", "MediaError", "MediaMissing", "OloproofError"),
    "evaluators": ("evaluator",),
    "media": ("media_file", "read_media"),
    "records": ("Case", "MediaItem", "Verdict"),
    "running": ("run",),
    "systems": ("current_case", "system"),
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
