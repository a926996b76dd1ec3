"""What people say of what was shown: blind samples, import and export, and the labels that judges are held to.

A run that asks no judge never loads it; one that does loads what it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oloproof.lazy import lazy_names

if TYPE_CHECKING:
    from oloproof.labels.gathering import LabelledCase, LabelSet, gather
    from oloproof.labels.looks import validations_of
    from oloproof.labels.validating import Bars, JudgedCase, Validation, validate

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
    "looks": ("validations_of",),
    "validating": ("Bars", "JudgedCase", "Validation", "validate"),
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
