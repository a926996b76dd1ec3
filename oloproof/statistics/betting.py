"""The interval that gates a mean score: by betting against every mean the data make implausible.

A gambler starts with 1 and stakes a fixed fraction on each value being above what a supposed mean m makes
fair. If m is the truth the capital seldom grows (Ville's inequality), so every m at which it has grown
2/alpha-fold is excluded. Sixty-four gamblers stake different fractions and pool their capital, so no fraction
need be chosen after seeing data. The interval holds at any n, for any distribution on the range, and however
often it is looked at.

Sources: Waudby-Smith & Ramdas, JRSSB 86:1 (2024); the mixture of fractions after Orabona & Jun, IEEE Trans.
Inf. Theory 70:432 (2024).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from oloproof.statistics.checks import count, numbers_within, tail_of, value_range
from oloproof.statistics.rates import Interval
from oloproof.statistics.roots import find_root

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

BETTING = "betting_mixture@1"
_BETS = 64
_AT_ONCE = 8
_BLOCK = 40_000
_FEW = 200
_SMALLEST = 1e-300
_HIGHEST = 1e30
_STEEPEST = 700.0
_DEEPEST = 1000.0


def bounded_mean_interval(
    values: Sequence[float], low: float, high: float, level: float = 0.95, *, missing: int = 0
) -> Interval | None:
    """Return the betting interval of the mean of values from ``low`` to ``high``.

    ``missing`` values, and unusable ones the caller counts among them, stand at ``low`` for the low end and
    at ``high`` for the high end. No values at all give None; nothing but missing gives the whole range.

    Raises ``ValueError`` for values outside the range, nan, infinity, or anything that is no number.
    """
    low, high = value_range(low, high)
    checked = numbers_within("values", values, low, high)
    missing, tail = count("missing", missing), tail_of(level)
    if not checked and missing == 0:
        return None
    import numpy as np

    given = np.asarray(checked, dtype=float)
    width = high - low
    above = _lower_share((given - low) / width, missing, tail)
    below = _lower_share((high - given) / width, missing, tail)
    return min(low + width * above, high), max(high - width * below, low)


def _lower_share(shares: Floats, missing: int, tail: float) -> float:
    """Return the low end for values scaled to 0..1; ``missing`` more, and vanishing ones, are taken as 0.

    The capital falls as m rises and is at most 1 at the plain mean, so the root lies below that mean. The search runs
    over log m, because the root may be tiny.
    """
    import numpy as np

    positive = shares[shares > _SMALLEST]
    if positive.size == 0:
        return 0.0
    n = shares.size + missing
    fractions = 0.5 * (1.0 + np.cos((2.0 * np.arange(1, _BETS + 1) - 1.0) * np.pi / (2.0 * _BETS)))
    at_zero = (n - positive.size) * np.log1p(-fractions)
    distinct, counts = np.unique(positive, return_counts=True)
    grouped = _AT_ONCE * distinct.size <= positive.size or distinct.size <= _FEW

    def excess(log_m: float) -> float:
        scale = math.exp(min(-log_m, _STEEPEST))
        if grouped:
            logs = at_zero + np.log1p(np.multiply.outer(fractions, distinct * scale - 1.0)) @ counts
        else:
            logs = at_zero + _growth(fractions, np.minimum(positive * scale, _HIGHEST) - 1.0)
        top = float(logs.max())
        return top + math.log(float(np.exp(logs - top).mean())) + math.log(tail)

    upper, step = math.log(math.fsum(positive) / n), 0.25
    lower = upper - step
    while excess(lower) < 0.0:
        if step > _DEEPEST:
            return 0.0
        upper, step = lower, step * 2.0
        lower -= step
    return math.exp(find_root(excess, lower, upper, tolerance=1e-13))


def _growth(fractions: Floats, gains: Floats) -> Floats:
    """Return the log of the product of 1 + f g over all gains, for each fraction f.

    A logarithm costs far more than a product, so eight factors are multiplied before one is taken; with gains of at
    most ``_HIGHEST``, which excludes a mean beyond all doubt, eight neither overflow nor vanish.
    """
    import numpy as np

    total = np.zeros_like(fractions)
    for start in range(0, gains.size, _BLOCK):
        block = gains[start : start + _BLOCK]
        rows = np.concatenate([block, np.zeros(-block.size % _AT_ONCE)]).reshape(_AT_ONCE, -1)
        product = 1.0 + np.multiply.outer(fractions, rows[0])
        for row in rows[1:]:
            product *= 1.0 + np.multiply.outer(fractions, row)
        total += np.log(product).sum(axis=1)
    return total
