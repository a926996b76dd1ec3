"""What one case of a family contributes: the lowest and highest value it may have, equal where all is known.

A family is a case with everything derived from it. Its members are asked one or more times each; an answer that is
missing or invalid leaves the value of its case open between two ends and is never dropped.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from itertools import combinations

from oloproof.statistics.checks import count
from oloproof.statistics.repeats import flip_rate, pass_at_k, pass_hat_k

Span = tuple[float, float]
"""The lowest and the highest value of one case."""

Passes = Sequence[bool | None]
"""Whether each repeat passed; None where it is missing or invalid."""

Answers = Sequence[Hashable]
"""What each repeat answered, as values that compare equal when the answers do; None where there is none."""


def accuracy_span(passes: Passes, expected: int = 0) -> Span:
    """Return the share of repeats that passed. Of ``expected`` repeats those that are not there count as unknown."""
    known = sum(one is True for one in passes)
    unknown = _unknown(passes, expected)
    total = max(len(passes), expected)
    return (known / total, (known + unknown) / total) if total else (0.0, 1.0)


def difference_span(after: Span, before: Span) -> Span:
    """Return ``after`` minus ``before`` of one case."""
    return after[0] - before[1], after[1] - before[0]


def changed_span(after: Answers, before: Answers) -> Span:
    """Return how often an answer of one member differs from one of the other, over every pair of their repeats.

    A change counts whichever way it goes, from wrong to wrong too.
    """
    pairs = len(after) * len(before)
    if not pairs:
        return 0.0, 1.0
    known = sum(one is not None for one in after) * sum(one is not None for one in before)
    changed = sum(one != other for one in after for other in before if one is not None and other is not None)
    return changed / pairs, (changed + pairs - known) / pairs


def unrest_span(answers: Answers) -> Span | None:
    """Return how often two repeats of one member answer differently; None with fewer than two repeats."""
    pairs = list(combinations(answers, 2))
    if not pairs:
        return None
    changed = sum(one != other for one, other in pairs if one is not None and other is not None)
    unknown = sum(one is None or other is None for one, other in pairs)
    return changed / len(pairs), (changed + unknown) / len(pairs)


def mean_span(spans: Sequence[Span]) -> Span:
    """Return the mean of several values of one case, as over its members that should all look alike."""
    return math.fsum(low for low, _ in spans) / len(spans), math.fsum(high for _, high in spans) / len(spans)


def flip_span(passes: Passes, expected: int = 0) -> Span | None:
    """Return how often two repeats disagree about passing; None with fewer than two repeats."""
    runs, known, unknown = _counted(passes, expected)
    if runs < 2:
        return None
    rates = [flip_rate(runs, each) or 0.0 for each in range(known, known + unknown + 1)]
    return min(rates), max(rates)


def flaky_span(passes: Passes, expected: int = 0) -> Span | None:
    """Return 1 for a case whose repeats both pass and fail, 0 for one whose repeats agree; None of a single repeat."""
    runs, known, unknown = _counted(passes, expected)
    if runs < 2:
        return None
    flaky = [0 < each < runs for each in range(known, known + unknown + 1)]
    return float(all(flaky)), float(any(flaky))


def pass_hat_span(passes: Passes, k: int, expected: int = 0) -> Span | None:
    """Return the chance that all of ``k`` repeats of the case pass; None with fewer than ``k`` repeats."""
    runs, known, unknown = _counted(passes, expected)
    low, high = pass_hat_k(runs, known, k), pass_hat_k(runs, known + unknown, k)
    return None if low is None or high is None else (low, high)


def pass_at_span(passes: Passes, k: int, expected: int = 0) -> Span | None:
    """Return the chance that one of ``k`` repeats of the case passes; None with fewer than ``k`` repeats."""
    runs, known, unknown = _counted(passes, expected)
    low, high = pass_at_k(runs, known, k), pass_at_k(runs, known + unknown, k)
    return None if low is None or high is None else (low, high)


def is_flaky(passes: Passes) -> bool:
    """Return whether the repeats that are known both pass and fail."""
    return True in passes and False in passes


def _counted(passes: Passes, expected: int) -> tuple[int, int, int]:
    return max(len(passes), expected), sum(one is True for one in passes), _unknown(passes, expected)


def _unknown(passes: Passes, expected: int) -> int:
    return sum(one is None for one in passes) + max(count("expected", expected) - len(passes), 0)
