"""One case asked several times: how often it passes, how often it flips, and what more repeats would tell."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from oloproof.statistics.beta import binomial_at_least
from oloproof.statistics.checks import count, counted, share

COCHRAN_Q = "cochran_q@1"


class VarianceComponents(Struct, frozen=True):
    """Where the variance of equally repeated cases lies: between cases or within them.

    ``icc`` is the share between cases (None where nothing varies), ``se_mean`` the standard error of the mean over
    cases like these, ``flip_rate`` the mean over cases of how often two repeats of one disagree.
    """

    ms_between: float
    ms_within: float
    var_between: float
    var_within: float
    icc: float | None
    mean: float
    se_mean: float
    flip_rate: float
    flaky_cases: int


class CochranQ(Struct, frozen=True):
    """Whether the place of a repeat mattered, as it does when something drifts during a run."""

    statistic: float
    p: float
    method: str = COCHRAN_Q


def pass_at_k(runs: int, passes: int, k: int) -> float | None:
    """Return the chance that at least one of ``k`` repeats passes, unbiased; None with fewer than ``k`` runs.

    It is for products that take the best of ``k``. Raises ``ValueError`` for counts that cannot be, and k below 1.
    Source: Chen et al., arXiv:2107.03374 (2021).
    """
    passes, runs, k = _drawn(runs, passes, k)
    return None if runs < k else 1.0 - math.comb(runs - passes, k) / math.comb(runs, k)


def pass_hat_k(runs: int, passes: int, k: int) -> float | None:
    """Return the chance that all of ``k`` repeats pass, unbiased; None with fewer than ``k`` runs.

    Raises ``ValueError`` for counts that cannot be, and k below 1. Source: Yao et al., arXiv:2406.12045 (2024).
    """
    passes, runs, k = _drawn(runs, passes, k)
    return None if runs < k else math.comb(passes, k) / math.comb(runs, k)


def flip_rate(runs: int, passes: int) -> float | None:
    """Return how often two repeats of one case disagree, 0 to 1, unbiased; None with fewer than two."""
    passes, runs = counted(passes, runs)
    return None if runs < 2 else 2.0 * passes * (runs - passes) / (runs * (runs - 1))


def k_of_n_pass_probability(p: float, k: int, n: int) -> float:
    """Return how likely a case passes ``k`` of ``n`` repeats, each with probability ``p``.

    A case of p = 0.7 passes 2 of 3 in 78 % of runs: the rule shows that it usually passes, and hides that it flips.
    """
    p, k, n = share("p", p), count("k", k), count("n", n)
    return binomial_at_least(k, n, p)


def variance_components(passes: Sequence[Sequence[int]]) -> VarianceComponents:
    """Return where the variance of ``passes`` lies: one row of zeros and ones a case, equally many in each.

    Raises ``ValueError`` with fewer than two cases or repeats, rows of unequal length, and anything but 0 and 1.
    Method: one-way random effects; the flip rate is unbiased.
    """
    rows = _table(passes)
    n, k = len(rows), len(rows[0])
    means = [sum(row) / k for row in rows]
    mean = math.fsum(means) / n
    between = k * math.fsum((one - mean) ** 2 for one in means) / (n - 1)
    within = math.fsum(sum(row) * (1.0 - one) for row, one in zip(rows, means, strict=True)) / (n * (k - 1))
    spread = between + (k - 1) * within
    flips = [2.0 * sum(row) * (k - sum(row)) / (k * (k - 1)) for row in rows]
    return VarianceComponents(
        ms_between=between,
        ms_within=within,
        var_between=max(0.0, (between - within) / k),
        var_within=within,
        icc=(between - within) / spread if spread else None,
        mean=mean,
        se_mean=math.sqrt(between / (n * k)),
        flip_rate=math.fsum(flips) / n,
        flaky_cases=sum(flip > 0.0 for flip in flips),
    )


def cochran_q(passes: Sequence[Sequence[int]]) -> CochranQ | None:
    """Return whether the repeats of ``passes`` (one row a case) differ among each other; None where no case flips.

    Raises ``ValueError`` as :func:`variance_components` does. Source: Cochran, Biometrika 37:256 (1950).
    """
    from scipy.special import gammaincc

    rows = _table(passes)
    k = len(rows[0])
    columns = [sum(column) for column in zip(*rows, strict=True)]
    total = sum(columns)
    disagreement = k * total - sum(sum(row) ** 2 for row in rows)
    if not disagreement:
        return None
    statistic = (k - 1) * (k * sum(column * column for column in columns) - total * total) / disagreement
    return CochranQ(statistic, float(gammaincc((k - 1) / 2.0, statistic / 2.0)))


def _drawn(runs: int, passes: int, k: int) -> tuple[int, int, int]:
    passes, runs = counted(passes, runs)
    k = count("k", k)
    if k < 1:
        raise ValueError(f"k must be 1 or more, but is {k}")
    return passes, runs, k


def _table(passes: Sequence[Sequence[int]]) -> list[list[int]]:
    rows = [[count("a pass", value) for value in row] for row in passes]
    if len(rows) < 2 or len(rows[0]) < 2:
        raise ValueError("at least two cases with two repeats each are needed")
    if any(len(row) != len(rows[0]) for row in rows):
        raise ValueError("every case needs equally many repeats")
    if any(value > 1 for row in rows for value in row):
        raise ValueError("a pass is 1 and a fail is 0, nothing else")
    return rows
