"""Where the marks of an interval stand on its axis."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec.structs import replace

from oloproof.config.models import RuleOptions
from oloproof.policy.wording import bar_words, interval_words, number_words
from oloproof.records import Metric
from oloproof.reports.contexts import Plot

RATE_AXIS = (0.0, 1.0)
_REACHES = (0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
Side = Literal["left", "right"]


def plot_of(metric: Metric, axis: tuple[float, float], rule: RuleOptions | None = None) -> Plot | None:
    """Return the drawing of a metric's interval, with the bar of ``rule``; None when there is no interval.

    A rule that counts, or that compares two runs, has no place on the axis of the metric and draws no bar.
    """
    if metric.interval is None:
        return None
    bar = None if rule is None else rule.min if rule.min is not None else rule.max
    allowed: Side | None = None if rule is None or bar is None else "right" if rule.min is not None else "left"
    label = _label(metric, bar, allowed)
    plot = interval_plot(metric.estimate, metric.interval, axis, label=label, bar=bar, allowed=allowed)
    if metric.kind != "difference":
        return plot
    return replace(plot, low_end=f"{axis[0] * 100:g}".replace("-", "−"), high_end=f"{axis[1] * 100:+g} points")


def interval_plot(
    estimate: float | None,
    interval: tuple[float, float],
    axis: tuple[float, float],
    *,
    label: str,
    bar: float | None = None,
    allowed: Side | None = None,
) -> Plot:
    """Return the drawing of an interval, with a bar and the side of it that is ``allowed``.

    ``label`` says the drawing in words.
    """
    low, high = (_per_cent(end, axis) for end in interval)
    place = None if bar is None else _per_cent(bar, axis)
    named = axis != RATE_AXIS
    return Plot(
        label=label,
        x=per_cent_text(low),
        width=per_cent_text(max(high - low, 0.0)),
        estimate=None if estimate is None else per_cent_text(_per_cent(estimate, axis)),
        bar=None if place is None else per_cent_text(place),
        allowed=allowed,
        shade_x=per_cent_text(place) if place is not None and allowed == "right" else "0%",
        shade_width="0%" if place is None else per_cent_text(100 - place if allowed == "right" else place),
        low_end=f"{axis[0]:g}".replace("-", "−") if named else None,
        high_end=f"{axis[1]:g}" if named else None,
    )


def difference_axis(ends: Iterable[float]) -> float:
    """Return how far an axis about 0 reaches to either side, a round number, so that all of ``ends`` lie on it."""
    most = max((abs(end) for end in ends), default=0.0)
    return next((step for step in _REACHES if most <= step), 1.0)


def difference_plot(share: float, interval: tuple[float, float], reach: float, label: str) -> Plot:
    """Return the drawing of a difference on an axis from ``-reach`` to ``reach``; ``label`` says it in words."""
    axis = (-reach, reach)
    low, high = (_per_cent(end, axis) for end in interval)
    return Plot(
        label=label,
        x=per_cent_text(low),
        width=per_cent_text(high - low),
        estimate=per_cent_text(_per_cent(share, axis)),
    )


def _per_cent(value: float, axis: tuple[float, float]) -> float:
    low, high = axis
    return min(max((value - low) / (high - low), 0.0), 1.0) * 100 if high > low else 0.0


def per_cent_text(place: float) -> str:
    """Return a place in per cent as drawings have it."""
    return f"{place:.2f}".rstrip("0").rstrip(".") + "%"


def _label(metric: Metric, bar: float | None, allowed: str | None) -> str:
    words = f"estimate {number_words(metric.estimate, metric.kind)}, interval {interval_words(metric)}"
    if bar is None:
        return words
    side = "at least" if allowed == "right" else "at most"
    return f"{words}, {side} {bar_words(bar, metric.kind)} wanted"
