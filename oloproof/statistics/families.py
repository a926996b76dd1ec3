"""Over many families: a mean with its interval and every denominator, and the worst of several members.

Where each member comes down to one pass or fail (``binary``), zeros and ones take the exact interval of a rate and
paired changes of -1, 0 and 1 take Tango's score interval; means over repeats take the betting interval. What is not
known in full stands against the lower end with its lowest value and against the upper end with its highest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

from oloproof.statistics.betting import BETTING, bounded_mean_interval
from oloproof.statistics.checks import tail_of
from oloproof.statistics.family_values import Span
from oloproof.statistics.paired import TANGO, tango_interval
from oloproof.statistics.rates import CLOPPER_PEARSON, Interval, missing_bounded_interval

COUNT = "count@1"


class FamilyMean(Struct, frozen=True):
    """A mean over cases. ``observed`` of ``n`` cases are known in full, and the estimate is the mean over these.

    Of them ``above`` are above zero and ``below`` are below it. No data is None.
    """

    estimate: float | None
    interval: Interval | None
    n: int
    observed: int
    above: int
    below: int
    method: str


class WorstMember(Struct, frozen=True):
    """The worst of several members: its name, and an interval for the worst value whichever member has it."""

    member: str | None
    mean: FamilyMean | None
    estimate: float | None
    interval: Interval | None


def share_of_cases(spans: Sequence[Span], level: float = 0.95, *, binary: bool = False) -> FamilyMean:
    """Return the mean of values from 0 to 1, such as how often an answer changed.

    Raises ``ValueError`` for a value outside of that, and for a level that is not between 0 and 1.
    """
    return _mean(spans, 0.0, 1.0, level, binary)


def mean_change(spans: Sequence[Span], level: float = 0.95, *, binary: bool = False) -> FamilyMean:
    """Return the mean of paired differences from -1 to 1, such as a member's accuracy minus the original's.

    Raises ``ValueError`` for a value outside of that, and for a level that is not between 0 and 1.
    """
    return _mean(spans, -1.0, 1.0, level, binary)


def number_of_cases(spans: Sequence[Span]) -> FamilyMean:
    """Return how many cases have the value 1. The interval counts those that may have it; there is no other doubt."""
    known = [low for low, high in spans if low == high]
    hits, possible = math.fsum(low for low, _ in spans), math.fsum(high for _, high in spans)
    if not spans:
        return FamilyMean(None, None, 0, 0, 0, 0, COUNT)
    above = sum(value > 0.0 for value in known)
    return FamilyMean(hits, (hits, possible), len(spans), len(known), above, 0, COUNT)


def worst_member(
    members: Mapping[str, Sequence[Span]],
    level: float = 0.95,
    *,
    changes: bool = False,
    largest: bool = False,
    binary: bool = False,
) -> WorstMember:
    """Return the member with the lowest mean, or with ``largest`` the highest; ``changes`` run from -1 to 1.

    That every member clears a bar needs no correction (Berger, Technometrics 24:295, 1982), so the end on that side
    is the worst of theirs. That some member misses it is one claim among as many as there are members: the other
    end is taken at the level that Holm's first step asks for. Without data of every member there is no estimate.
    """
    low, high = (-1.0, 1.0) if changes else (0.0, 1.0)
    found = {name: _mean(spans, low, high, level, binary) for name, spans in members.items()}
    values = {name: one.estimate for name, one in found.items() if one.estimate is not None}
    if not found:
        return WorstMember(None, None, None, None)
    if not values:
        return WorstMember(None, None, None, None if not any(one.n for one in found.values()) else (low, high))
    name = max(values, key=lambda key: values[key]) if largest else min(values, key=lambda key: values[key])
    strict = 1.0 - (1.0 - level) / len(found)
    plain = [one.interval or (low, high) for one in found.values()]
    corrected = [_mean(spans, low, high, strict, binary).interval or (low, high) for spans in members.values()]
    if largest:
        interval = max(one[0] for one in corrected), max(one[1] for one in plain)
    else:
        interval = min(one[0] for one in plain), min(one[1] for one in corrected)
    estimate = values[name] if len(values) == len(found) else None
    return WorstMember(name, found[name], estimate, interval)


def _mean(spans: Sequence[Span], low: float, high: float, level: float, binary: bool) -> FamilyMean:
    tail_of(level)
    outside = next((span for span in spans if not low <= span[0] <= span[1] <= high), None)
    if outside is not None:
        raise ValueError(f"a case's value must lie between {low:g} and {high:g}, but is {outside}")
    known = [one for one, other in spans if one == other]
    estimate = min(max(math.fsum(known) / len(known), low), high) if known else None
    method = _method_of(spans, low) if binary else BETTING
    interval = _interval(spans, low, high, level, method) if spans else None
    if interval is not None and estimate is not None:
        # cases that are not whole may be unable to be like those that are: the original failed, so nothing gets worse
        interval = min(interval[0], estimate), max(interval[1], estimate)
    return FamilyMean(
        estimate=estimate,
        interval=interval,
        n=len(spans),
        observed=len(known),
        above=sum(value > 0.0 for value in known),
        below=sum(value < 0.0 for value in known),
        method=method,
    )


def _method_of(spans: Sequence[Span], low: float) -> str:
    whole = (-1.0, 0.0, 1.0)
    if all(one in whole and other in whole for one, other in spans):
        return CLOPPER_PEARSON if low == 0.0 else TANGO
    return BETTING


def _interval(spans: Sequence[Span], low: float, high: float, level: float, method: str) -> Interval | None:
    n = len(spans)
    lows, highs = sorted(one for one, _ in spans), sorted(other for _, other in spans)
    if method == CLOPPER_PEARSON:
        certain = sum(value == 1.0 for value in lows)
        return missing_bounded_interval(
            certain, n - sum(one != other for one, other in spans), sum(one != other for one, other in spans), level
        )
    ends = [
        tango_interval(sum(value == 1.0 for value in side), sum(value == -1.0 for value in side), n, level)
        if method == TANGO
        else bounded_mean_interval(side, low, high, level)
        for side in ((lows, highs) if lows != highs else (lows,))
    ]
    lowest, highest = ends[0], ends[-1]
    return None if lowest is None or highest is None else (lowest[0], highest[1])
