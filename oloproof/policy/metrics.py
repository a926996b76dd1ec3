"""Verdicts summed up case by case: one estimate, its interval and every denominator.

The unit is the case. Repeats of a case reduce first; what is missing or invalid bounds the interval on both sides. A
case is observed when it is whole: the estimate and its denominators are about the same cases.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from math import fsum
from operator import attrgetter
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from oloproof.config.models import RATES
from oloproof.records import ORIGINAL, Metric
from oloproof.statistics import BETTING, CLOPPER_PEARSON, bounded_mean_interval, missing_bounded_interval
from oloproof.storage import Observation

Kind = Literal["rate", "score"]


class Measure(Struct, frozen=True):
    """What a metric is about: a criterion with the way its verdicts and its repeats are summed up."""

    criterion: str
    kind: Kind = "rate"
    score_range: tuple[float, float] = (0.0, 1.0)
    repeats: int = 1
    pass_when: int | None = None
    calls_model: bool = False
    type: str = ""
    """The type of the evaluator that reports it."""
    answer: str = "output"
    """What tells two answers apart, as the evaluator says."""

    @property
    def binary(self) -> bool:
        """Whether each case comes down to pass or fail."""
        return self.kind == "rate" and (self.repeats == 1 or self.pass_when is not None)

    @property
    def estimand(self) -> str:
        """What is estimated, in words."""
        if self.kind == "score":
            return "mean_score"
        if self.repeats == 1:
            return "pass_rate"
        if self.pass_when is not None:
            return f"rate_of_cases_passing_{self.pass_when}_of_{self.repeats}"
        return "mean_pass_rate_over_repeats"

    def is_on_the_scale_of(self, other: Measure) -> bool:
        """Return whether two runs can be compared by it: both count passes, or both score in the same range."""
        return self.kind == other.kind and (self.kind != "score" or self.score_range == other.score_range)


class CaseValue(NamedTuple):
    """One case reduced to a value between ``low`` and ``high``, equal where every repeat was observed.

    ``observed`` is that value, None where something is missing or invalid that could still change it.
    """

    case_id: str
    low: float
    high: float
    observed: float | None
    unknown: Literal["missing", "invalid"] | None = None
    failed: bool = False
    """Whether a repeat that was observed failed, so that the case fails where all must pass."""

    @property
    def whole(self) -> bool:
        """Whether nothing of the case is missing or invalid."""
        return self.unknown is None


def reduce_cases(
    observations: Iterable[Observation],
    measure: Measure,
    *,
    variant: str = ORIGINAL,
    slice_: Mapping[str, Any] | None = None,
) -> Iterator[CaseValue]:
    """Yield one value a case, of one variant and, with ``slice_``, of the cases whose slice has these values.

    The observations of a case stand together, as runs keep them.
    """
    wanted = SliceFilter(slice_)
    chosen = (seen for seen in observations if seen.variant == variant and wanted(seen.slice))
    for _, repeats in groupby(chosen, key=attrgetter("case_id")):
        yield reduce_repeats(list(repeats), measure)


class SliceFilter:
    """Whether a stored slice has all of the wanted values; each distinct slice is looked into once."""

    def __init__(self, wanted: Mapping[str, Any] | None) -> None:
        self._wanted = wanted
        self._known: dict[str | None, bool] = {}

    def __call__(self, text: str | None) -> bool:
        """Return whether a stored slice, None where a case has none, has all of the wanted values."""
        if self._wanted is None:
            return True
        if text not in self._known:
            found = json.loads(text) if text else {}
            self._known[text] = all(name in found and _same(found[name], value) for name, value in self._wanted.items())
        return self._known[text]


def _same(found: Any, wanted: Any) -> bool:
    """Return whether two JSON values are equal: 1 and 1.0 are, 1 and true are not."""
    if isinstance(found, list) and isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(_same, found, wanted))
    if isinstance(found, dict) and isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(_same(found[key], wanted[key]) for key in found)
    return bool(found == wanted) and isinstance(found, bool) == isinstance(wanted, bool)


def reduce_repeats(repeats: Sequence[Observation], measure: Measure) -> CaseValue:
    """Return the value of one case, given what each of its repeats came to."""
    case_id = repeats[0].case_id
    if len(repeats) == 1 == measure.repeats and (value := _value(repeats[0], measure)) is not None:
        return CaseValue(case_id, value, value, value, failed=repeats[0].outcome == "fail")
    values = [_value(seen, measure) for seen in repeats]
    known = [value for value in values if value is not None]
    count = max(len(repeats), measure.repeats)
    gap = count - len(known)
    unknown: Literal["missing", "invalid"] | None = None
    if gap:
        left = [seen.outcome for seen, value in zip(repeats, values, strict=True) if value is None]
        unknown = "invalid" if left == ["invalid"] * gap else "missing"
    if measure.pass_when is not None and measure.kind == "rate":
        return _k_of_n(case_id, sum(known), gap, measure.pass_when, unknown)
    lowest, highest = measure.score_range if measure.kind == "score" else (0.0, 1.0)
    return CaseValue(
        case_id,
        low=_mean([*known, *[lowest] * gap]),
        high=_mean([*known, *[highest] * gap]),
        observed=None if gap else _mean(known),
        unknown=unknown,
        failed=any(seen.outcome == "fail" for seen in repeats),
    )


def _mean(values: Sequence[float]) -> float:
    """Return the mean, which no rounding brings outside of the values."""
    return min(max(fsum(values) / len(values), min(values)), max(values))


def _k_of_n(
    case_id: str, passes: float, gap: int, needed: int, unknown: Literal["missing", "invalid"] | None
) -> CaseValue:
    """Return whether a case passes ``needed`` of its repeats, where what is missing cannot change it."""
    if passes >= needed:
        return CaseValue(case_id, 1.0, 1.0, 1.0)
    if passes + gap < needed:
        return CaseValue(case_id, 0.0, 0.0, 0.0, failed=True)
    return CaseValue(case_id, 0.0, 1.0, None, unknown)


def _value(seen: Observation, measure: Measure) -> float | None:
    if seen.outcome not in ("pass", "fail"):
        return None
    if measure.kind == "score":
        return seen.score
    return 1.0 if seen.outcome == "pass" else 0.0


def summarize(
    values: Iterable[CaseValue],
    measure: Measure,
    level: float,
    *,
    name: str | None = None,
    variant: str = ORIGINAL,
    slice_: Mapping[str, Any] | None = None,
) -> Metric:
    """Return the metric over the cases' values, with the interval on which rules decide.

    Pass rates take the Clopper-Pearson interval, means the betting interval of Waudby-Smith and Ramdas; both count
    missing and invalid cases as the worst for the lower end and the best for the upper. The estimate is the mean over
    the cases counted as observed, which are whole: of a case with a repeat missing, what it did answer moves only the
    interval, which reaches out to the estimate where it would leave it out. A case counts as passed when none of its
    repeats failed; in a rate of errors, invalid or missing answers, when at least one of them is such.

    Raises:
        ValueError: a score lies outside the range that its criterion declares.
    """
    name = name or measure.criterion
    tally = _Tally(hits=name.rpartition(".")[2] in RATES, keep=not measure.binary)
    for case in values:
        tally.add(case)
    if measure.binary:
        unknown = tally.missing + tally.invalid
        interval = missing_bounded_interval(tally.passed, tally.whole, unknown, level) if tally.n else None
    else:
        interval = tally.mean_interval(measure, level)
    return Metric(
        criterion=name,
        kind=measure.kind,
        variant=variant,
        slice=None if slice_ is None else dict(slice_),
        estimand=measure.estimand,
        estimate=tally.estimate,
        interval=interval,
        level=level,
        method=CLOPPER_PEARSON if measure.binary else BETTING,
        n=tally.n,
        observed=tally.whole,
        passed=tally.passed,
        failed=tally.whole - tally.passed,
        invalid=tally.invalid,
        missing=tally.missing,
        partly_failed=tally.partly_failed,
        could_be=None if measure.binary else tally.could_be,
    )


class _Tally:
    """Counts over the values of cases, one at a time; the values themselves are kept (``keep``) only for means.

    With ``hits`` a case counts as passed when any of its repeats is a hit, otherwise when none of them failed.
    """

    def __init__(self, *, hits: bool, keep: bool) -> None:
        self._hits = hits
        self._keep = keep
        self._lows, self._highs, self._seen = array("d"), array("d"), array("d")
        self._sum = 0.0
        self.n = self.whole = self.passed = self.invalid = self.missing = self.partly_failed = 0

    def add(self, case: CaseValue) -> None:
        """Count one case."""
        self.n += 1
        if case.unknown is None:
            self.whole += 1
            self.passed += case.high > 0.0 if self._hits else not case.failed
        else:
            self.invalid += case.unknown == "invalid"
            self.missing += case.unknown == "missing"
            self.partly_failed += case.low > 0.0 if self._hits else case.failed
        if self._keep:
            self._lows.append(case.low)
            self._highs.append(case.high)
        if case.observed is not None:
            if self._keep:
                self._seen.append(case.observed)
            else:
                self._sum += case.observed  # zeros and ones, whose sum is exact

    @property
    def estimate(self) -> float | None:
        """The mean over the whole cases; their order does not matter."""
        if not self.whole:
            return None
        return (fsum(self._seen) if self._keep else self._sum) / self.whole

    @property
    def could_be(self) -> tuple[float, float] | None:
        """The lowest and the highest mean over all cases; None where nothing is missing."""
        return None if self.whole == self.n else (fsum(self._lows) / self.n, fsum(self._highs) / self.n)

    def mean_interval(self, measure: Measure, level: float) -> tuple[float, float] | None:
        """Return the betting interval: the lower end from the lowest values cases may have, the upper likewise."""
        if not self.n:
            return None
        low, high = measure.score_range if measure.kind == "score" else (0.0, 1.0)
        lowest = bounded_mean_interval(sorted(self._lows), low, high, level)
        if self.whole == self.n:
            return lowest
        highest = bounded_mean_interval(sorted(self._highs), low, high, level)
        if lowest is None or highest is None:
            return None
        known = [] if self.estimate is None else [self.estimate]
        return min([lowest[0], *known]), max([highest[1], *known])


def rate_of(observations: Iterable[Observation], rate: str) -> Iterator[Observation]:
    """Yield the observations of ``error_rate``, ``invalid_rate`` or ``missing_rate``: each trial is one or is not."""
    for seen in observations:
        hit = seen.error if rate == "error_rate" else seen.outcome == rate.removesuffix("_rate")
        yield Observation(
            seen.case_id, seen.variant, seen.repeat, seen.slice, "pass" if hit else "fail", None, seen.error
        )
