"""Where a monotone function crosses zero, in pure Python: the deciding path cannot wait for scipy to load."""

from __future__ import annotations

import math
from collections.abc import Callable

_STEPS = 400


def find_root(function: Callable[[float], float], low: float, high: float, *, tolerance: float = 4e-16) -> float:
    """Return an ``x`` between ``low`` and ``high`` at which ``function`` changes its sign.

    The two ends must have values of different sign (zero counts as either); infinite values are fine. Stops
    when the bracket is narrower than ``tolerance``, relative to the size of its ends. Raises ``ValueError``
    without a change of sign.

    Method: the Illinois rule, i.e. false position that halves the weight of an end kept twice (Dowell &
    Jarratt, BIT 11:168, 1971), with a bisection step whenever three steps did not halve the bracket.
    """
    at_low, at_high = function(low), function(high)
    if at_low == 0.0:
        return low
    if at_high == 0.0:
        return high
    if (at_low > 0.0) == (at_high > 0.0):
        raise ValueError(f"no change of sign between {low} and {high}")
    low_is_positive = at_low > 0.0
    kept, width_before = 0, high - low
    for step in range(1, _STEPS):
        width = high - low
        if width <= tolerance * max(abs(low), abs(high)):
            break
        middle = low + width * _share_of_width(at_low, at_high)
        if step % 3 == 0:
            if width > 0.5 * width_before:
                middle = low + 0.5 * width
            width_before = width
        if not low < middle < high:
            middle = low + 0.5 * width
            if not low < middle < high:
                break
        at_middle = function(middle)
        if at_middle == 0.0:
            return middle
        if (at_middle > 0.0) == low_is_positive:
            low, at_low = middle, at_middle
            at_high = at_high * 0.5 if kept == 1 else at_high
            kept = 1
        else:
            high, at_high = middle, at_middle
            at_low = at_low * 0.5 if kept == -1 else at_low
            kept = -1
    return low + 0.5 * (high - low)


def _share_of_width(at_low: float, at_high: float) -> float:
    """Return how far from the low end a straight line crosses zero; the middle where an end is infinite."""
    if math.isinf(at_low) or math.isinf(at_high):
        return 0.5
    return at_low / (at_low - at_high)


def first_true(holds: Callable[[int], bool], low: int, high: int) -> int | None:
    """Return the least whole number from ``low`` to ``high`` for which ``holds``, None if there is none.

    ``holds`` must be monotone: once true it stays true. The search doubles its stride from ``low`` and then
    halves, so a small answer is found quickly even when ``high`` is large.
    """
    if low > high:
        return None
    below, reach = low - 1, 1
    while not holds(probe := min(low + reach - 1, high)):
        if probe == high:
            return None
        below, reach = probe, reach * 2
    above = probe
    while above - below > 1:
        middle = (below + above) // 2
        if holds(middle):
            above = middle
        else:
            below = middle
    return above
