"""How far people agree among themselves: Krippendorff's alpha, and Fleiss' kappa where nobody skipped a case.

Labels on which people do not agree cannot validate anybody: ``judge_rule`` asks here first.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

from msgspec import Struct

from oloproof.statistics.checks import count, finite_numbers, tail_of
from oloproof.statistics.rates import Interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Metric = Literal["nominal", "ordinal", "interval"]

KRIPPENDORFF = "krippendorff_alpha@1"
FLEISS_KAPPA = "fleiss_kappa@1"
_MOST_UNDEFINED = 0.05


class Reliability(Struct, frozen=True):
    """Krippendorff's alpha over the ``cases`` that have two labels or more, with a bootstrap interval over them.

    Both are None where everyone gave one and the same label: then there is nothing to tell apart. The interval is
    also None for fewer than two cases, and where more than one resample in twenty holds a single label.
    """

    alpha: float | None
    interval: Interval | None
    cases: int
    metric: Metric = "nominal"
    level: float = 0.95
    seed: int = 0
    method: str = KRIPPENDORFF


def krippendorff_alpha(
    units: Sequence[Sequence[Any]],
    metric: Metric = "nominal",
    level: float = 0.95,
    *,
    seed: int = 0,
    resamples: int = 2000,
) -> Reliability:
    """Return Krippendorff's alpha of labels given by several people, one row of labels a case; None is no label.

    ``metric`` says how far two labels are apart: ``nominal`` (same or not; any text, truth value or number),
    ``ordinal`` or ``interval`` (numbers). Cases with fewer than two labels say nothing and are left out. Whole cases
    are resampled; the same ``seed`` gives the same interval on the same version of numpy.

    Raises ``ValueError`` for an unknown metric, nan, or a label that the metric cannot use.
    Sources: Krippendorff, Content Analysis (2004), chapter 11; Hayes & Krippendorff, Commun. Methods Meas. 1:77
    (2007) for the bootstrap; the percentiles are Efron's.
    """
    if metric not in get_args(Metric):
        raise ValueError(f"no such metric: {metric!r}; there are {', '.join(get_args(Metric))}")
    tail, seed, resamples = tail_of(level), count("seed", seed), count("resamples", resamples)
    rows = [[label for label in unit if label is not None] for unit in units]
    values = _values(rows, metric)
    pairable = [row for row in rows if len(row) >= 2]
    if not pairable:
        return Reliability(None, None, 0, metric, level, seed)
    import numpy as np

    scale = None if metric == "nominal" else np.asarray(values, dtype=float)
    counts = np.asarray([[row.count(value) for value in values] for row in pairable], dtype=float)
    alpha = next(iter(_alphas(counts, np.ones((1, len(pairable))), metric, scale)), None)
    interval = None
    if alpha is not None and len(pairable) >= 2 and resamples:
        even = [1.0 / len(pairable)] * len(pairable)
        draws = np.random.default_rng(seed).multinomial(len(pairable), even, size=resamples)
        interval = _percentiles(_alphas(counts, draws.astype(float), metric, scale), resamples, tail)
    return Reliability(alpha, interval, len(pairable), metric, level, seed)


def fleiss_kappa(counts: Sequence[Sequence[int]]) -> float | None:
    """Return Fleiss' kappa of a table with a row a case and a column a class, each row of as many labels.

    None of no cases, and where one class alone is used. Raises ``ValueError`` for rows of unequal sums, of fewer
    than two labels, or of unequal length. Source: Fleiss, Psychol. Bull. 76:378 (1971).
    """
    rows = [[count("counts", value) for value in row] for row in counts]
    if not rows:
        return None
    people = sum(rows[0])
    if people < 2 or any(sum(row) != people or len(row) != len(rows[0]) for row in rows):
        raise ValueError("counts must hold the same number of labels for each case, two or more, over the same classes")
    shares = [sum(column) / (people * len(rows)) for column in zip(*rows, strict=True)]
    chance = math.fsum(share * share for share in shares)
    if max(shares) == 1.0:
        return None
    seen = sum(sum(value * (value - 1) for value in row) for row in rows) / (len(rows) * people * (people - 1))
    return (seen - chance) / (1.0 - chance)


def _values(rows: Sequence[Sequence[Any]], metric: Metric) -> list[Any]:
    """Return the distinct labels: numbers in their order, names in the order they come."""
    labels = [label for row in rows for label in row]
    if metric != "nominal":
        return sorted(set(finite_numbers("units", labels)))
    if any(not isinstance(label, Hashable) or label != label for label in labels):
        raise ValueError("units must hold labels only (text, truth values or numbers), and neither nan nor lists")
    return list(dict.fromkeys(labels))


def _alphas(counts: Floats, draws: Floats, metric: Metric, scale: Floats | None) -> list[float]:
    """Return 1 - observed / expected disagreement for each draw in which any could be expected.

    ``counts`` holds a row a case and a column a value; ``draws`` a row a draw and how often it holds each case.
    Distances are summed over all ordered pairs of labels: 1 or 0, or the square of the difference of two places.
    """
    totals = draws @ counts
    labels, everything = counts.sum(axis=1), totals.sum(axis=1)
    weights = draws / (labels - 1.0)
    if scale is None:
        seen = weights @ (labels**2 - (counts**2).sum(axis=1))
        expected = everything**2 - (totals**2).sum(axis=1)
    else:
        places = _places(totals, metric, scale)
        first, second = counts @ places.T, counts @ (places**2).T
        seen = 2.0 * (weights.T * (labels[:, None] * second - first**2)).sum(axis=0)
        expected = 2.0 * (everything * (totals * places**2).sum(axis=1) - (totals * places).sum(axis=1) ** 2)
    defined = (totals > 0.0).sum(axis=1) >= 2
    found: list[float] = (1.0 - seen[defined] * (everything[defined] - 1.0) / expected[defined]).tolist()
    return found


def _places(totals: Floats, metric: Metric, scale: Floats) -> Floats:
    """Return where each value stands, in one row for all draws or in a row a draw: itself, or its middle rank."""
    import numpy as np

    if metric == "interval":
        centred: Floats = scale - totals.sum(axis=0) @ scale / totals.sum()
        return centred[None, :]
    ranks: Floats = np.cumsum(totals, axis=1) - 0.5 * totals
    ranks -= 0.5 * totals.sum(axis=1, keepdims=True)
    return ranks


def _percentiles(found: Sequence[float], resamples: int, tail: float) -> Interval | None:
    import numpy as np

    if len(found) < (1.0 - _MOST_UNDEFINED) * resamples:
        return None
    low, high = np.quantile(found, [tail, 1.0 - tail])
    return float(low), float(high)
