"""What becomes of one case as a variant delivers it, in a word: the cell of a map of variants and cases."""

from __future__ import annotations

from typing import Literal

from oloproof.policy.members import Family, Reader, unknown_of
from oloproof.records import ORIGINAL
from oloproof.statistics import Span

Move = Literal["passes", "fails", "other_answer", "broke", "fixed", "mixed", "same", "invalid", "missing", "absent"]
MOVES: dict[Move, str] = {
    "passes": "passes, as the original does",
    "fails": "fails, as the original does",
    "other_answer": "fails as the original does, with another answer",
    "broke": "the original passes, this fails",
    "fixed": "the original fails, this passes",
    "mixed": "passes in some repeats, as the original does",
    "same": "scores as the original does",
    "invalid": "invalid",
    "missing": "missing",
    "absent": "the case has no such variant",
}
"""Every word with what it says. ``broke`` and ``fixed`` hold too where only some repeats did, and of a score that fell
or rose; of the original itself ``passes``, ``fails``, ``mixed`` and ``same`` say how it did."""


def move_of(reader: Reader, family: Family, variant: str) -> Move:
    """Return what became of a case; the difference is the one that ``delta`` is the mean of."""
    if variant not in family.members:
        return "absent"
    if ORIGINAL not in family.members:
        return "missing"
    low, high = reader.delta(family, variant) if variant != ORIGINAL else _own(reader.accuracy(family, ORIGINAL))
    if high < 0.0:
        return "broke"
    if low > 0.0:
        return "fixed"
    if low != high:
        return unknown_of(family, [ORIGINAL, variant])
    return _level(reader, family, variant)


def _own(span: Span) -> Span:
    """Return how far the original can be from itself: not at all where it is known."""
    return 0.0 if span[0] == span[1] else -1.0, 0.0


def _level(reader: Reader, family: Family, variant: str) -> Move:
    """Return what a case does that its original does as well."""
    if reader.measure.kind == "score":
        return "same"
    share = reader.accuracy(family, variant)[0]
    if 0.0 < share < 1.0:
        return "mixed"
    if share:
        return "passes"
    changed = variant != ORIGINAL and reader.change_rate(family, variant)[0] > 0.0
    return "other_answer" if changed else "fails"
