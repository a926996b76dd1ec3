"""What a rate rule could decide with the cases there are, and how many more would settle it.

A rule with a maximum is a rule with a minimum told about the fails, so the searches below speak of *good*
cases: passes under a minimum, fails under a maximum. Missing cases are never good. ``n`` always counts all
cases, the missing among them.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from msgspec import Struct

from oloproof.statistics.beta import beta_tails
from oloproof.statistics.checks import count, inner_share, share, tail_of
from oloproof.statistics.gates import cases_with_missing, false_pass_probability, gate_counts, one_bar
from oloproof.statistics.rates import CLOPPER_PEARSON, compare_lower, compare_upper
from oloproof.statistics.roots import first_true

MOST_CASES = 1_000_000
"""The searches stop here; an answer beyond it is None, as good as never."""

_MUST_HOLD_FOR = 30


class AllPass(Struct, frozen=True):
    """How many cases decide when every one of them passes; None where no number does."""

    two_sided: int | None
    one_sided: int | None


class MoreCases(Struct, frozen=True):
    """How many further cases would turn a rule to PASS; None for never (or beyond ``MOST_CASES``)."""

    at_best: int | None
    rate_stays: int | None
    method: str = CLOPPER_PEARSON


class SampleSize(Struct, frozen=True):
    """A number of cases, and the power that the rule has with exactly so many."""

    n: int
    power: float


def cases_if_all_pass(threshold: float, level: float = 0.95) -> AllPass:
    """Return the least number of cases that, all passing, show a rate of ``threshold`` or more.

    ``two_sided`` is for the gate, ``one_sided`` for a lower bound alone. The bound of n passes in n cases is
    the n-th root of the error allowed. Raises ``ValueError`` for a threshold outside 0 to 1.
    """
    bar, error = share("threshold", threshold), 1.0 - inner_share("level", level)
    one_sided = first_true(lambda n: bar**n <= error, 1, MOST_CASES)
    return AllPass(smallest_deciding_n(minimum=bar, level=level), one_sided)


def smallest_deciding_n(
    *, minimum: float | None = None, maximum: float | None = None, level: float = 0.95, missing: int = 0
) -> int | None:
    """Return the least n at which any count PASSes the rule: below it, not even a perfect run decides.

    ``missing`` cases are among the n and stand against the rule. None when no n up to ``MOST_CASES`` does.
    """
    rule = _Rule.of(minimum, maximum, level)
    missing = count("missing", missing)
    seen = first_true(lambda good: rule.holds(good, good + missing), 1, MOST_CASES)
    return None if seen is None else seen + missing


def more_cases(
    passes: int,
    n: int,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    level: float = 0.95,
    missing: int = 0,
) -> MoreCases:
    """Return how many further cases would turn the rule to PASS: if all are good, and if the rate stays.

    The exact bound is saw-toothed in n, so the second number is accepted only when the 29 numbers after it
    clear the bar too; good cases are rounded down. The rate that stays is that of all ``n`` cases:
    ``missing`` ones count against the rule and are expected to go on missing. Both are 0 when the rule PASSes
    already. ``rate_stays`` is None when the rate so far does not beat the bar, or there are no cases yet.

    Raises ``ValueError`` for counts that cannot be, and unless exactly one bar from 0 to 1 is given.
    """
    rule = _Rule.of(minimum, maximum, level)
    good, n = rule.good_of(passes, n, missing)
    if n > 0 and rule.holds(good, n):
        return MoreCases(0, 0)
    at_best = first_true(lambda m: rule.holds(good + m, n + m), 1, MOST_CASES)
    return MoreCases(at_best, _more_at_same_rate(rule, good, n))


def predictive_probability_of_pass(
    passes: int,
    n: int,
    planned_total: int,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    level: float = 0.95,
    missing: int = 0,
) -> float:
    """Return the probability that the rule PASSes at ``planned_total`` cases, given the ``n`` seen so far.

    The cases to come are beta-binomial under Jeffreys' prior; missing ones are counted as not good, now and
    later.
    Raises ``ValueError`` for counts that cannot be, or a total below ``n``.
    """
    rule = _Rule.of(minimum, maximum, level)
    good, n = rule.good_of(passes, n, missing)
    total = count("planned_total", planned_total)
    if total < n:
        raise ValueError(f"planned_total cannot be less than the cases there are: {total} of {n}")
    needed = first_true(lambda k: rule.holds(k, total), 0, total) if total else None
    if needed is None:
        return 0.0
    return _beta_binomial_at_least(needed - good, total - n, good + 0.5, n - good + 0.5)


def sample_size_gate(
    true_rate: float,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    power: float = 0.8,
    level: float = 0.95,
) -> SampleSize | None:
    """Return the least n at which a system of ``true_rate`` PASSes with probability ``power`` or more.

    Exact, and like ``more_cases`` it must hold for the 29 numbers after it too. None when ``true_rate`` does
    not beat the bar or more than ``MOST_CASES`` would be needed.
    """
    rule = _Rule.of(minimum, maximum, level)
    rate, power = inner_share("true_rate", true_rate), inner_share("power", power)
    if (rate <= rule.bar) if rule.at_least else (rate >= rule.bar):
        return None

    def reached(n: int) -> float:
        return false_pass_probability(n, rate, minimum=minimum, maximum=maximum, level=level)

    good_rate = rate if rule.at_least else 1.0 - rate
    start = first_true(lambda n: rule.smooth_power(n, good_rate) >= power, 1, MOST_CASES)
    n = None if start is None else _first_that_lasts(lambda n: reached(n) >= power, start)
    return None if n is None else SampleSize(n, reached(n))


def rate_plan_sentence(
    n: int,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    level: float = 0.95,
    missing: int = 0,
) -> str:
    """Return in words what ``n`` cases can decide about a rate rule, before anything is run."""
    counts = gate_counts(n, minimum=minimum, maximum=maximum, level=level, missing=missing)
    if counts.pass_at is not None:
        return counts.sentence
    least = smallest_deciding_n(minimum=minimum, maximum=maximum, level=level, missing=missing)
    longer = "no count ever passes" if least is None else f"PASS takes at least {least} cases"
    return counts.sentence.replace("no count passes", longer, 1)


class _Rule(Struct, frozen=True):
    """One bar, seen from the side of the good cases."""

    bar: float
    at_least: bool
    level: float

    @classmethod
    def of(cls, minimum: float | None, maximum: float | None, level: float) -> _Rule:
        bar, at_least = one_bar(minimum, maximum, of_rate=True)
        return cls(bar, at_least, inner_share("level", level))

    def good_of(self, passes: int, n: int, missing: int) -> tuple[int, int]:
        """Return how many of the cases are good, and how many there are."""
        n, missing = cases_with_missing(n, missing)
        passes = count("passes", passes)
        if passes > n - missing:
            raise ValueError(f"passes cannot be more than the cases with a verdict: {passes} of {n - missing}")
        return (passes if self.at_least else n - missing - passes), n

    def holds(self, good: int, n: int) -> bool:
        """Tell whether the rule PASSes with so many good cases."""
        if self.at_least:
            return compare_lower(good, n, self.bar, self.level) >= 0
        return compare_upper(n - good, n, self.bar, self.level) <= 0

    def odds(self, good: float, n: float) -> float:
        """Return how likely so many good cases are with the true rate at the bar; counts may be real."""
        at_bar, off_bar = (self.bar, 1.0 - self.bar) if self.at_least else (1.0 - self.bar, self.bar)
        return beta_tails(good, n - good + 1.0, at_bar, off_bar)[0] if good > 0.0 else 1.0

    def smooth_power(self, n: int, good_rate: float) -> float:
        """Return an upper bound on the power at n: the count that just PASSes need not be whole."""
        tail, low, high = tail_of(self.level), 0.0, float(n)
        if self.odds(high, n) > tail:
            return 0.0
        while high - low > 0.01:
            middle = 0.5 * (low + high)
            low, high = (low, middle) if self.odds(middle, n) <= tail else (middle, high)
        return beta_tails(low, n - low + 1.0, good_rate, 1.0 - good_rate)[0] if low > 0.0 else 1.0


def _more_at_same_rate(rule: _Rule, good: int, n: int) -> int | None:
    """Return the least m from which the rule holds if the rate of good cases stays, None for never.

    Without rounding down, the bound climbs steadily with m; until it reaches the bar no rounded count can, so
    the search starts there instead of at 1.
    """
    needed = rule.bar if rule.at_least else 1.0 - rule.bar
    if n == 0 or good / n <= needed:
        return None
    tail = tail_of(rule.level) * (1.0 + 1e-9)
    start = first_true(lambda m: rule.odds(good / n * (n + m), n + m) <= tail, 1, MOST_CASES)
    if start is None:
        return None
    return _first_that_lasts(lambda m: rule.holds(good + good * m // n, n + m), start)


def _first_that_lasts(holds: Callable[[int], bool], start: int) -> int | None:
    """Return the least number from ``start`` at which ``holds`` is true and stays so for the 29 after it.

    Each window is tried from its far end: one miss rules out every start at or before it. What lies below
    ``known`` and not below ``candidate`` has been tried already and holds.
    """
    candidate, known = start, start
    while candidate <= MOST_CASES:
        miss = next((m for m in range(candidate + _MUST_HOLD_FOR - 1, known - 1, -1) if not holds(m)), None)
        if miss is None:
            return candidate
        candidate, known = miss + 1, candidate + _MUST_HOLD_FOR
    return None


def _beta_binomial_at_least(k: int, n: int, a: float, b: float) -> float:
    """Return the probability of ``k`` or more in a beta-binomial of size ``n``.

    The weights are built outwards from the likeliest count by their ratios and divided by their sum, so no
    gamma function is needed and nothing cancels.
    """
    if k <= 0:
        return 1.0
    if k > n:
        return 0.0
    start = min(max(round(n * a / (a + b)), 0), n)
    at_least = [1.0] if start >= k else []
    below = [] if start >= k else [1.0]
    weight = 1.0
    for j in range(start, n):
        weight *= (n - j) * (a + j) / ((j + 1) * (b + n - j - 1))
        (at_least if j + 1 >= k else below).append(weight)
    weight = 1.0
    for j in range(start, 0, -1):
        weight *= j * (b + n - j) / ((n - j + 1) * (a + j - 1))
        (at_least if j - 1 >= k else below).append(weight)
    above = math.fsum(at_least)
    return above / (above + math.fsum(below))
