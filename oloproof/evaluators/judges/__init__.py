"""Judges: evaluators that ask a model, show it exactly what is recorded, and keep what it saw."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oloproof.lazy import lazy_names

if TYPE_CHECKING:
    from oloproof.evaluators.judges.keeping import Keeping, NothingJudged
    from oloproof.evaluators.judges.rubric import RubricJudge
    from oloproof.evaluators.judges.sight import Sight, SightTest

__all__ = ["Keeping", "NothingJudged", "RubricJudge", "Sight", "SightTest"]

_HOMES = {
    "keeping": ("Keeping", "NothingJudged"),
    "rubric": ("RubricJudge",),
    "sight": ("Sight", "SightTest"),
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
