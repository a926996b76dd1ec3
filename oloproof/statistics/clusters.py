"""Cases that hang together (one document, one video, one family) count for less than their number."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

from msgspec import Struct

from oloproof.statistics.beta import student_t_quantile
from oloproof.statistics.checks import finite_numbers, tail_of
from oloproof.statistics.gates import State, decide
from oloproof.statistics.rates import Interval, clopper_pearson, real_clopper_pearson

CLUSTER_T = "cluster_t@1"
KORN_GRAUBARD = "korn_graubard@1"
FEWEST_CLUSTERS = 10


class ClusteredMean(Struct, frozen=True):
    """A mean whose error is measured between clusters; ``df`` is their number less one."""

    mean: float | None
    se: float | None
    df: int | None
    interval: Interval | None
    n: int
    clusters: int
    method: str = CLUSTER_T


class ClusteredRate(Struct, frozen=True):
    """A pass rate, the number of independent cases its cases are worth, and its exact interval there."""

    rate: float | None
    effective_n: float | None
    interval: Interval | None
    n: int
    clusters: int
    method: str = KORN_GRAUBARD


def cluster_robust_mean_interval(
    values: Sequence[float], clusters: Sequence[Hashable], level: float = 0.95
) -> ClusteredMean:
    """Return the mean with a cluster-robust t interval: for display, too bold near the end of a scale.

    ``clusters`` names the cluster of each value. Fewer than two clusters, or none that differ, give no
    interval.
    Raises ``ValueError`` for values that are not finite and for lists of different length.
    Source: Liang & Zeger, Biometrika 73:13 (1986), with G-1 degrees of freedom; Miller, arXiv:2411.00640
    (2024).
    """
    checked, groups = _grouped(values, clusters)
    tail, n, g = tail_of(level), len(checked), len(groups)
    if n == 0:
        return ClusteredMean(None, None, None, None, 0, 0)
    mean = math.fsum(checked) / n
    if g < 2:
        return ClusteredMean(mean, None, None, None, n, g)
    se = math.sqrt(_variance(mean, groups, n))
    if se == 0.0:
        return ClusteredMean(mean, 0.0, g - 1, None, n, g)
    half = student_t_quantile(tail, g - 1) * se
    return ClusteredMean(mean, se, g - 1, (mean - half, mean + half), n, g)


def clustered_rate_interval(
    values: Sequence[float], clusters: Sequence[Hashable], level: float = 0.95
) -> ClusteredRate:
    """Return a pass rate of clustered cases with its exact interval at the effective number of cases.

    ``values`` are 1 for a pass and 0 for a fail. The effective number is never above n; where the variance
    says nothing (all pass, all fail, clusters without difference) it is the number of clusters, the cautious
    choice. Fewer than two clusters give no interval. Raises ``ValueError`` for other values and for lists of
    different length.
    Source: Korn & Graubard, Survey Methodology 24:193 (1998).
    """
    checked, groups = _grouped(values, clusters)
    _only_zeros_and_ones(checked)
    tail, n, g = tail_of(level), len(checked), len(groups)
    if n == 0:
        return ClusteredRate(None, None, None, 0, 0)
    rate = math.fsum(checked) / n
    if g < 2:
        return ClusteredRate(rate, None, None, n, g)
    effective = _effective_n(rate, _variance(rate, groups, n), n, g, tail)
    return ClusteredRate(rate, effective, real_clopper_pearson(effective * rate, effective, tail), n, g)


def decide_clustered_rate(
    values: Sequence[float],
    clusters: Sequence[Hashable],
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    level: float = 0.95,
) -> State:
    """Return what clustered cases say about one bar of their pass rate.

    From ten clusters on the Korn-Graubard interval decides. With two to nine, the only decision is PASS, and
    only when whole clusters clear the bar by the exact interval: a cluster counts as passing if all its cases
    do (for a ``maximum``: if any does). With fewer than two there is no decision.
    """
    found = clustered_rate_interval(values, clusters, level)
    if found.interval is None or found.clusters >= FEWEST_CLUSTERS:
        return decide(found.interval, minimum=minimum, maximum=maximum)
    groups = _grouped(values, clusters)[1]
    whole = all if maximum is None else any
    passing = sum(whole(value == 1.0 for value in group) for group in groups)
    state = decide(clopper_pearson(passing, len(groups), level), minimum=minimum, maximum=maximum)
    return "PASS" if state == "PASS" else "INSUFFICIENT_EVIDENCE"


def _effective_n(rate: float, variance: float, n: int, clusters: int, tail: float) -> float:
    """Return how many independent cases have the same variance, shrunk for the few degrees of freedom."""
    if rate in (0.0, 1.0) or variance <= 1e-12 * rate * (1.0 - rate) / n:
        return float(clusters)
    shrink = student_t_quantile(tail, n - 1) / student_t_quantile(tail, clusters - 1)
    return min(float(n), rate * (1.0 - rate) / variance * shrink * shrink)


def _variance(mean: float, groups: list[list[float]], n: int) -> float:
    """Return the cluster-robust variance of a mean."""
    between = math.fsum(math.fsum(value - mean for value in group) ** 2 for group in groups)
    return len(groups) / (len(groups) - 1) * between / (n * n)


def _grouped(values: Sequence[float], clusters: Sequence[Hashable]) -> tuple[list[float], list[list[float]]]:
    """Return the values as finite numbers, and the same by cluster."""
    checked, names = finite_numbers("values", values), list(clusters)
    if len(checked) != len(names):
        raise ValueError(
            f"every value needs one cluster, but there are {len(checked)} values and {len(names)} clusters"
        )
    groups: dict[Hashable, list[float]] = {}
    for value, name in zip(checked, names, strict=True):
        groups.setdefault(name, []).append(value)
    return checked, list(groups.values())


def _only_zeros_and_ones(values: list[float]) -> None:
    other = next((value for value in values if value not in (0.0, 1.0)), None)
    if other is not None:
        raise ValueError(f"values of a rate must be 0 or 1, but one is {other:g}")
