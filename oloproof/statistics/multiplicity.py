"""Many p-values at once: Holm for a family of rules, Benjamini-Hochberg and -Yekutieli for exploring.

Rules that must all pass need no correction on the PASS side (Berger, Technometrics 24:295, 1982).
"""

from __future__ import annotations

from collections.abc import Sequence

from oloproof.statistics.checks import numbers_within

HOLM = "holm@1"
BENJAMINI_HOCHBERG = "benjamini_hochberg@1"
BENJAMINI_YEKUTIELI = "benjamini_yekutieli@1"


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values adjusted so that the chance of any false rejection is kept, in the order given.

    Raises ``ValueError`` for nan and for anything outside 0 to 1: leave out what was not tested.
    Source: Holm, Scand. J. Stat. 6:65 (1979).
    """
    checked = numbers_within("p_values", p_values, 0.0, 1.0)
    adjusted, highest, m = [0.0] * len(checked), 0.0, len(checked)
    for place, index in enumerate(_ascending(checked)):
        highest = max(highest, min(1.0, (m - place) * checked[index]))
        adjusted[index] = highest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Return the p-values adjusted for the share of false discoveries, for slices that do not overlap.

    Source: Benjamini & Hochberg, JRSSB 57:289 (1995).
    """
    return _step_up(p_values, 1.0)


def benjamini_yekutieli(p_values: Sequence[float]) -> list[float]:
    """Return the p-values adjusted for the share of false discoveries, for slices that overlap in any way.

    Source: Benjamini & Yekutieli, Ann. Stat. 29:1165 (2001).
    """
    return _step_up(p_values, sum(1.0 / i for i in range(1, len(p_values) + 1)))


def rejected(adjusted: Sequence[float], alpha: float = 0.05) -> list[bool]:
    """Return which of the adjusted p-values are at or below ``alpha``."""
    return [p <= alpha for p in adjusted]


def _step_up(p_values: Sequence[float], factor: float) -> list[float]:
    checked = numbers_within("p_values", p_values, 0.0, 1.0)
    adjusted, lowest, m = [0.0] * len(checked), 1.0, len(checked)
    for rank, index in zip(range(m, 0, -1), reversed(_ascending(checked)), strict=True):
        lowest = min(lowest, checked[index] * m / rank * factor)
        adjusted[index] = lowest
    return adjusted


def _ascending(values: list[float]) -> list[int]:
    return sorted(range(len(values)), key=values.__getitem__)
