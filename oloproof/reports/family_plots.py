"""The axis that the differences of all variants share, about 0, and where their marks stand on it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct

from oloproof.reports.contexts import DeltaPlot, Tick
from oloproof.reports.plots import Side, interval_plot, per_cent_text

_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0)
_MOST_STEPS = 6
_NEAR_EDGE = 8.0
"""Per cent of the axis within which the words of a tick are set inward."""


class DeltaAxis(Struct, frozen=True):
    """An axis from ``low`` below 0 to ``high`` above it, in steps; both ends are steps. ``scale`` makes its numbers."""

    low: float
    high: float
    step: float
    scale: float

    def place(self, value: float) -> float:
        """Return where a value stands, in per cent; what lies outside stands at the edge."""
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0) * 100

    def ticks(self) -> tuple[Tick, ...]:
        """Return the numbers along the axis."""
        count = round((self.high - self.low) / self.step)
        found = []
        for number in range(count + 1):
            value = self.low + number * self.step
            place = self.place(value)
            words = f"{value * self.scale + 0.0:+.4g}".replace("-", "−") if abs(value) > self.step / 2 else "0"
            anchor: Literal["start", "middle", "end"] = (
                "start" if place < _NEAR_EDGE else "end" if place > 100 - _NEAR_EDGE else "middle"
            )
            found.append(Tick(per_cent_text(place), words, anchor))
        return tuple(found)


def axis_about_zero(ends: Iterable[float], scale: float = 100.0) -> DeltaAxis:
    """Return the axis on which all of ``ends`` lie, with at least one step to either side of 0."""
    found = [0.0, *ends]
    low, high = min(found), max(found)
    widest = max(high - low, 1e-9)
    step = next((one for one in _STEPS if math.ceil(widest / one) < _MOST_STEPS), 0.0)
    if not step:  # scores have any range
        step = 10.0 ** math.ceil(math.log10(widest / _MOST_STEPS))
    return DeltaAxis(min(_floor(low / step), -1) * step, max(-_floor(-high / step), 1) * step, step, scale)


def _floor(value: float) -> int:
    return math.floor(value + 1e-9)


def delta_plot(
    estimate: float | None,
    interval: tuple[float, float],
    axis: DeltaAxis,
    *,
    label: str,
    bar: float | None = None,
    allowed: Side | None = None,
) -> DeltaPlot:
    """Return the drawing of a difference, with the bar of a rule and the side of it that is ``allowed``."""
    drawn = interval_plot(estimate, interval, (axis.low, axis.high), label=label, bar=bar, allowed=allowed)
    beyond = None if estimate is None else _past(estimate, axis)
    ends: Sequence[Side | None] = [_past(end, axis) for end in interval]
    return DeltaPlot(
        label=label,
        x=drawn.x,
        width=drawn.width,
        estimate=drawn.estimate if beyond is None else None,
        bar=drawn.bar,
        allowed=drawn.allowed,
        shade_x=drawn.shade_x,
        shade_width=drawn.shade_width,
        reaches=tuple(side for side in dict.fromkeys(ends) if side is not None),
        beyond=beyond,
    )


def _past(value: float, axis: DeltaAxis) -> Side | None:
    if axis.low - 1e-9 <= value <= axis.high + 1e-9:
        return None
    return "left" if value < axis.low else "right"
