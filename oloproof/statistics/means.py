"""The mean of a score, for display: Student's t, Hoeffding's, the BCa bootstrap. ``betting`` gates."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from oloproof.statistics.beta import student_t_quantile
from oloproof.statistics.checks import (
    count,
    finite_numbers,
    inner_share,
    numbers_within,
    tail_of,
    value_range,
)
from oloproof.statistics.rates import Interval

STUDENT_T = "t@1"
HOEFFDING = "hoeffding@1"
BCA_BOOTSTRAP = "bca_bootstrap@1"
_MOST_AT_ONCE = 4_000_000


class Mean(Struct, frozen=True):
    """A mean with its standard error and interval; None where the values do not tell."""

    mean: float | None
    se: float | None
    interval: Interval | None
    n: int
    method: str = STUDENT_T


def mean_of(values: Sequence[float]) -> float | None:
    """Return the mean of finite numbers, None of none."""
    checked = finite_numbers("values", values)
    return math.fsum(checked) / len(checked) if checked else None


def mean_t_interval(values: Sequence[float], level: float = 0.95) -> Mean:
    """Return the mean with Student's t interval: for display, as near the end of a scale it is far too bold.

    Fewer than two values, or values that are all equal, say nothing about spread: no interval, never one of
    no width.
    Raises ``ValueError`` for anything but finite numbers. Source: Student, Biometrika 6:1 (1908).
    """
    checked, tail = finite_numbers("values", values), tail_of(level)
    n = len(checked)
    if n == 0:
        return Mean(None, None, None, 0)
    mean = math.fsum(checked) / n
    if n == 1:
        return Mean(mean, None, None, 1)
    se = math.sqrt(math.fsum((value - mean) ** 2 for value in checked) / (n - 1) / n)
    if min(checked) == max(checked):
        return Mean(checked[0], 0.0, None, n)
    half = student_t_quantile(tail, n - 1) * se
    return Mean(mean, se, (mean - half, mean + half), n)


def hoeffding_interval(values: Sequence[float], low: float, high: float, level: float = 0.95) -> Interval | None:
    """Return Hoeffding's interval of a mean of values from ``low`` to ``high``: valid and wide, a yardstick.

    No values give None. Raises ``ValueError`` for values outside the range.
    Source: Hoeffding, JASA 58:13 (1963).
    """
    low, high = value_range(low, high)
    checked, tail = numbers_within("values", values, low, high), tail_of(level)
    if not checked:
        return None
    mean = math.fsum(checked) / len(checked)
    half = (high - low) * math.sqrt(-math.log(tail) / (2 * len(checked)))
    return max(low, mean - half), min(high, mean + half)


def bootstrap_mean_interval(
    values: Sequence[float], level: float = 0.95, *, seed: int, resamples: int = 9999
) -> Interval | None:
    """Return the bias-corrected and accelerated bootstrap interval of a mean: for display only.

    The same ``seed`` gives the same interval on the same versions of numpy and scipy. Fewer than two values,
    or values that are all equal, give None. Source: Efron, JASA 82:171 (1987).
    """
    return bootstrap_interval(values, level, seed=seed, resamples=resamples, method="BCa")


def bootstrap_interval(
    values: Sequence[float], level: float, *, seed: int, resamples: int, method: str
) -> Interval | None:
    """Return scipy's bootstrap interval of the mean by ``method``, None where nothing is spread."""
    checked, seed, resamples = (
        finite_numbers("values", values),
        count("seed", seed),
        count("resamples", resamples),
    )
    inner_share("level", level)
    if resamples < 1:
        raise ValueError("resamples must be 1 or more")
    if len(checked) < 2 or min(checked) == max(checked):
        return None
    import numpy as np
    from scipy.stats import bootstrap

    found = bootstrap(
        (np.asarray(checked),),
        np.mean,
        n_resamples=resamples,
        batch=max(1, _MOST_AT_ONCE // len(checked)),
        vectorized=True,
        confidence_level=level,
        method=method,
        random_state=np.random.default_rng(seed),
    ).confidence_interval
    low, high = float(found.low), float(found.high)
    return None if math.isnan(low) or math.isnan(high) else (low, high)
