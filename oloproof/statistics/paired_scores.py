"""Two systems on the same cases, scored: everything is computed on each case's own difference."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from oloproof.statistics.beta import student_t_two_sided
from oloproof.statistics.betting import BETTING, bounded_mean_interval
from oloproof.statistics.checks import finite_numbers, numbers_within, value_range
from oloproof.statistics.means import bootstrap_interval, mean_t_interval
from oloproof.statistics.rates import Interval

PAIRED_T = "paired_t@1"
PAIRED_BETTING = f"paired_{BETTING}"
PERCENTILE_BOOTSTRAP = "percentile_bootstrap@1"


class PairedMeans(Struct, frozen=True):
    """The mean difference of paired scores, its t interval and p-value; None where the pairs do not tell."""

    difference: float | None
    interval: Interval | None
    p: float | None
    n: int
    method: str = PAIRED_T


def differences(candidate: Sequence[float], baseline: Sequence[float]) -> list[float]:
    """Return candidate minus baseline, case by case; raise ``ValueError`` when the lists are not paired."""
    ours, theirs = finite_numbers("candidate", candidate), finite_numbers("baseline", baseline)
    if len(ours) != len(theirs):
        raise ValueError(f"paired lists need the same length, but have {len(ours)} and {len(theirs)} values")
    return [one - other for one, other in zip(ours, theirs, strict=True)]


def paired_mean_difference(candidate: Sequence[float], baseline: Sequence[float], level: float = 0.95) -> PairedMeans:
    """Return the mean difference with the paired t interval and its two-sided p-value: for display.

    Fewer than two pairs, or differences that are all equal, give neither interval nor p-value.
    """
    found = mean_t_interval(differences(candidate, baseline), level)
    if found.mean is None or not found.se or found.interval is None:
        return PairedMeans(found.mean, None, None, found.n)
    p = student_t_two_sided(found.mean / found.se, found.n - 1)
    return PairedMeans(found.mean, found.interval, p, found.n)


def paired_bootstrap(
    candidate: Sequence[float],
    baseline: Sequence[float],
    level: float = 0.95,
    *,
    seed: int,
    resamples: int = 9999,
) -> Interval | None:
    """Return the percentile bootstrap interval of the mean difference: for display only.

    Cases are resampled whole. Fewer than two pairs, or differences that are all equal, give None.
    """
    return bootstrap_interval(
        differences(candidate, baseline), level, seed=seed, resamples=resamples, method="percentile"
    )


def paired_betting_interval(
    candidate: Sequence[float], baseline: Sequence[float], low: float, high: float, level: float = 0.95
) -> Interval | None:
    """Return the betting interval of the mean difference, the one that gates; scores run ``low`` to ``high``.

    No pairs give None. Raises ``ValueError`` for scores outside the range and for lists that are not paired.
    """
    low, high = value_range(low, high)
    deltas = differences(
        numbers_within("candidate", candidate, low, high), numbers_within("baseline", baseline, low, high)
    )
    return bounded_mean_interval(deltas, low - high, high - low, level)
