"""What people say of what was shown: blind samples, import and export, and the labels that judges are held to.

A run that asks no judge never loads it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oloproof.lazy import lazy_names

if TYPE_CHECKING:
    from oloproof.labels.gathering import LabelledCase, LabelSet, gather
    from oloproof.labels.validating import Bars, JudgedCase, Validation, validate, validations_of

__all__ = [
    "Bars",
    "JudgedCase",
    "LabelSet",
    "LabelledCase",
    "Validation",
    "gather",
    "validate",
    "validations_of",
]

_HOMES = {
    "gathering": ("LabelSet", "LabelledCase", "gather"),
    "validating": ("Bars", "JudgedCase", "Validation", "validate", "validations_of"),
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
