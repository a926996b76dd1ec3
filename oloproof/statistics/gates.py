"""The house rule: an interval decides, a bare number never does; and what each count would decide."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from msgspec import Struct

from oloproof.statistics.beta import binomial_at_least, binomial_at_most
from oloproof.statistics.checks import count, finite, inner_share, share
from oloproof.statistics.rates import CLOPPER_PEARSON, WILSON, compare_lower, compare_upper, wilson
from oloproof.statistics.roots import first_true

State = Literal["PASS", "FAIL", "INSUFFICIENT_EVIDENCE"]
Goal = Literal["non_inferior", "superior", "equivalent"]
OpenInterval = tuple[float | None, float | None]

POINT_ESTIMATE = "point_estimate@1"
SMALLEST_SLICE = 10
MOST_UNMATCHED = 0.05


def decide(interval: OpenInterval | None, *, minimum: float | None = None, maximum: float | None = None) -> State:
    """Return what a two-sided interval says about one bar.

    With ``minimum``: PASS when the low end reaches it, FAIL when the high end stays under it. With
    ``maximum``: PASS when the high end does not exceed it, FAIL when the low end does. Everything else, and
    no interval at all, is INSUFFICIENT_EVIDENCE. An end may be None (no such bound) or infinite.

    Raises ``ValueError`` unless exactly one finite bar is given, and for an interval that holds nan or is
    reversed.
    """
    bar, at_least = one_bar(minimum, maximum)
    low, high = _ends(interval)
    if at_least:
        passed, failed = low is not None and low >= bar, high is not None and high < bar
    else:
        passed, failed = high is not None and high <= bar, low is not None and low > bar
    return "PASS" if passed else "FAIL" if failed else "INSUFFICIENT_EVIDENCE"


def decide_difference(
    interval: OpenInterval | None, *, goal: Goal, margin: float = 0.0, matched: int, unmatched: int = 0
) -> State:
    """Return what the interval of candidate minus baseline says about a goal.

    ``non_inferior``: the low end is no lower than -``margin``. ``superior``: the low end is above 0.
    ``equivalent``: the whole interval lies within ±``margin``. FAIL when the interval excludes the goal. When
    more than one pair in twenty has no partner, the pairs left may be another population:
    INSUFFICIENT_EVIDENCE.

    Raises ``ValueError`` for an unknown goal, a negative margin, or a margin where ``superior`` has none.
    """
    if goal not in ("non_inferior", "superior", "equivalent"):
        raise ValueError(f"no such goal: {goal!r}; there are non_inferior, superior, equivalent")
    margin = finite("margin", margin)
    if margin < 0.0 or (goal == "superior" and margin != 0.0):
        raise ValueError(f"margin must be 0 or more, and 0 for superior, but is {margin}")
    low, high = _ends(interval)
    if too_many_unmatched(matched, unmatched) or low is None or high is None:
        return "INSUFFICIENT_EVIDENCE"
    if goal == "superior":
        return "PASS" if low > 0.0 else "FAIL" if high <= 0.0 else "INSUFFICIENT_EVIDENCE"
    if goal == "non_inferior":
        return decide((low, high), minimum=-margin)
    if -margin <= low and high <= margin:
        return "PASS"
    return "FAIL" if high < -margin or low > margin else "INSUFFICIENT_EVIDENCE"


def too_many_unmatched(matched: int, unmatched: int) -> bool:
    """Tell whether cases without a partner are more than one in twenty of all cases of both sides."""
    matched, unmatched = count("matched", matched), count("unmatched", unmatched)
    return unmatched > MOST_UNMATCHED * (matched + unmatched)


def worst(states: Iterable[State]) -> State:
    """Return the worst decision: FAIL, then INSUFFICIENT_EVIDENCE, then PASS; of none, no evidence."""
    found = set(states)
    if "FAIL" in found:
        return "FAIL"
    return "PASS" if found == {"PASS"} else "INSUFFICIENT_EVIDENCE"


class GateCounts(Struct, frozen=True):
    """Which numbers of passes decide a rate rule at ``n`` cases, ``missing`` of them without a verdict.

    With ``at_least`` the rule is a minimum: PASS from ``pass_at`` passes on, FAIL up to ``fail_at``.
    Otherwise it is a maximum: PASS up to ``pass_at``, FAIL from ``fail_at`` on. None: no count does.
    """

    n: int
    missing: int
    threshold: float
    at_least: bool
    level: float
    pass_at: int | None
    fail_at: int | None
    method: str = CLOPPER_PEARSON

    @property
    def sentence(self) -> str:
        """Return the counts as words: ``PASS from 29, FAIL up to 18, nothing else decides``."""
        on_pass, on_fail = ("from", "up to") if self.at_least else ("up to", "from")
        passing = "no count passes" if self.pass_at is None else f"PASS {on_pass} {self.pass_at}"
        failing = "no count fails" if self.fail_at is None else f"FAIL {on_fail} {self.fail_at}"
        return f"{passing}, {failing}, nothing else decides"


def gate_counts(
    n: int,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    level: float = 0.95,
    missing: int = 0,
) -> GateCounts:
    """Return the numbers of passes that decide a rate rule at ``n`` cases by the Clopper-Pearson interval.

    ``n`` counts all cases, ``missing`` of which have no verdict and stand against the rule on the PASS side
    and for it on the FAIL side. Raises ``ValueError`` unless exactly one bar from 0 to 1 is given and
    ``missing`` fits in ``n``.
    """
    n, missing = cases_with_missing(n, missing)
    bar, at_least = one_bar(minimum, maximum, of_rate=True)
    inner_share("level", level)
    seen = n - missing
    reaching: int | None = None
    staying: int | None = None
    if n > 0 and at_least:
        reaching = first_true(lambda k: compare_lower(k, n, bar, level) >= 0, 0, seen)
        staying = _last_true(lambda k: compare_upper(k + missing, n, bar, level) < 0, seen)
    elif n > 0:
        reaching = first_true(lambda k: compare_lower(k, n, bar, level) > 0, 0, seen)
        staying = _last_true(lambda k: compare_upper(k + missing, n, bar, level) <= 0, seen)
    pass_at, fail_at = (reaching, staying) if at_least else (staying, reaching)
    return GateCounts(n, missing, bar, at_least, level, pass_at, fail_at)


def false_pass_probability(
    n: int,
    true_rate: float,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    method: str = CLOPPER_PEARSON,
    level: float = 0.95,
) -> float:
    """Return the exact probability that ``n`` cases of ``true_rate`` PASS the rule, decided by ``method``.

    ``method`` is clopper_pearson@1, wilson@1 or point_estimate@1 (a bare rate against the bar). It is an
    error only when ``true_rate`` does not meet the bar; otherwise it is the power of the rule.
    """
    bar, at_least = one_bar(minimum, maximum, of_rate=True)
    pass_at = _counts_by(method, count("n", n), bar, at_least, level)[0]
    return _probability(pass_at, n, share("true_rate", true_rate), at_least)


def false_fail_probability(
    n: int,
    true_rate: float,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    method: str = CLOPPER_PEARSON,
    level: float = 0.95,
) -> float:
    """Return the exact probability that ``n`` cases of ``true_rate`` FAIL the rule, decided by ``method``."""
    bar, at_least = one_bar(minimum, maximum, of_rate=True)
    fail_at = _counts_by(method, count("n", n), bar, at_least, level)[1]
    return _probability(fail_at, n, share("true_rate", true_rate), not at_least)


def one_bar(minimum: float | None, maximum: float | None, *, of_rate: bool = False) -> tuple[float, bool]:
    """Return the bar that is given, and whether it is a minimum; raise ``ValueError`` for none or both."""
    if (minimum is None) == (maximum is None):
        raise ValueError("give either minimum or maximum, and not both")
    name, bar = ("minimum", minimum) if maximum is None else ("maximum", maximum)
    return (share(name, bar) if of_rate else finite(name, bar)), maximum is None


def cases_with_missing(n: int, missing: int) -> tuple[int, int]:
    """Return a number of cases and how many of them are missing; raise ``ValueError`` when they cannot be."""
    n, missing = count("n", n), count("missing", missing)
    if missing > n:
        raise ValueError(f"missing cannot be more than the cases: {missing} of {n}")
    return n, missing


def _ends(interval: OpenInterval | None) -> OpenInterval:
    low, high = (None, None) if interval is None else interval
    if any(end is not None and end != end for end in (low, high)):
        raise ValueError(f"an interval cannot hold nan: {interval}")
    if low is not None and high is not None and low > high:
        raise ValueError(f"an interval cannot end below its start: {interval}")
    return low, high


def _last_true(holds: Callable[[int], bool], high: int) -> int | None:
    """Return the greatest number from 0 to ``high`` for which ``holds``; it is true first, false later."""
    first_false = first_true(lambda k: not holds(k), 0, high)
    last = high if first_false is None else first_false - 1
    return last if last >= 0 else None


def _counts_by(method: str, n: int, bar: float, at_least: bool, level: float) -> tuple[int | None, int | None]:
    """Return the pass count and the fail count of a rule decided by ``method``."""
    bars = {"minimum": bar} if at_least else {"maximum": bar}
    if method == CLOPPER_PEARSON or n == 0:
        counts = gate_counts(n, level=level, **bars)  # type: ignore[arg-type]
        return counts.pass_at, counts.fail_at
    if method not in (WILSON, POINT_ESTIMATE):
        raise ValueError(f"no such method: {method!r}; there are {CLOPPER_PEARSON}, {WILSON}, {POINT_ESTIMATE}")

    def state(k: int) -> State:
        return decide(wilson(k, n, level) if method == WILSON else (k / n, k / n), **bars)

    high_state: State = "PASS" if at_least else "FAIL"
    low_state: State = "FAIL" if at_least else "PASS"
    reaching = first_true(lambda k: state(k) == high_state, 0, n)
    staying = _last_true(lambda k: state(k) == low_state, n)
    return (reaching, staying) if at_least else (staying, reaching)


def _probability(at: int | None, n: int, rate: float, upwards: bool) -> float:
    if at is None:
        return 0.0
    return binomial_at_least(at, n, rate) if upwards else binomial_at_most(at, n, rate)
