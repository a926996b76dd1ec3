"""Words for decisions: numbers as people read them, and why a judge may not decide.

Intervals are rounded outward, so that no rounding makes one look better.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from math import ceil, floor
from typing import Any

from oloproof.records import Metric

_NOISE = 1e-9
"""What floating point may add to a number that is round; less than this is not rounded outward."""

JUDGE_WHY = {
    "judge_not_validated": "A model judges this, and people's labels do not show that it agrees with them; "
    "oloproof evaluators validate says what is missing.",
    "judge_changed": "The judge is another than the one that was validated; validate this one.",
    "sight_not_proven": "The judge was to prove that it sees before it judges, and did not.",
}
"""What each code says of a judge that may not decide, in a sentence."""


_SCALES = {"rate": (100.0, 1), "difference": (100.0, 1)}
"""By what a value of a kind is multiplied to be shown, and with how many digits."""

_AS_IT_IS = (1.0, 3)
_MOST_DIGITS = 9


def telling_digits(
    kind: str, estimate: float | None, interval: tuple[float, float] | None, bars: Collection[float]
) -> int:
    """Return how many digits show the estimate and each end on that side of every bar on which it lies.

    So no rounding contradicts a decision: 79.96 % is not written as 80.0 % where at least 80 % was wanted.
    """
    scale, least = _SCALES.get(kind, _AS_IT_IS)
    for digits in range(least, _MOST_DIGITS):
        pairs = list(_as_shown(kind, estimate, interval, digits))
        if all(_side(value, bar * scale) == _side(shown, bar * scale) for value, shown in pairs for bar in bars):
            return digits
    return _MOST_DIGITS


def _as_shown(
    kind: str, estimate: float | None, interval: tuple[float, float] | None, digits: int
) -> Iterator[tuple[float, float]]:
    """Yield each number that is shown with what it is rounded to."""
    scale, _ = _SCALES.get(kind, _AS_IT_IS)
    if estimate is not None:
        nearest, step = round(estimate * scale, digits), 10.0**-digits
        yield estimate * scale, nearest
        if kind == "rate" and 0.0 < estimate < 1.0:  # shown as above or below the last number before 0 or 1
            yield estimate * scale, min(max(nearest, step), scale - step)
    if interval is not None:
        yield interval[0] * scale, rounded_down(interval[0] * scale, digits)
        yield interval[1] * scale, rounded_up(interval[1] * scale, digits)


def _side(value: float, bar: float) -> int:
    return 0 if abs(value - bar) < _NOISE else 1 if value > bar else -1


def number_words(value: float | None, kind: str, digits: int | None = None) -> str:
    """Return an estimate in words: a rate in per cent, a score as it is, ``no data`` for None.

    A rate that is not quite 0 or 1 is never written as if it were.
    """
    if value is None:
        return "no data"
    if kind == "count":
        return f"{value:g}"
    scale, least = _SCALES.get(kind, _AS_IT_IS)
    digits = least if digits is None else digits
    if kind == "difference":
        return f"{value * scale + 0.0:+.{digits}f} points"
    if kind != "rate":
        return f"{value:.{digits}f}"
    step = 10.0**-digits
    if 1.0 - step / (2 * scale) <= value < 1.0:
        return f">{scale - step:.{digits}f} %"
    return f"<{step:.{digits}f} %" if 0.0 < value < step / (2 * scale) else f"{value * scale:.{digits}f} %"


def interval_words(metric: Metric, digits: int | None = None) -> str:
    """Return ``[83.1 %, 100.0 %]``, rounded outward."""
    if metric.interval is None:
        return "[no interval]"
    if metric.kind == "count":
        return f"[{metric.interval[0]:g}, {metric.interval[1]:g}]"
    scale, least = _SCALES.get(metric.kind, _AS_IT_IS)
    digits = least if digits is None else digits
    low, high = rounded_down(metric.interval[0] * scale, digits), rounded_up(metric.interval[1] * scale, digits)
    if metric.kind == "rate":
        return f"[{low:.{digits}f} %, {high:.{digits}f} %]"
    sign = "+" if metric.kind == "difference" else ""
    return f"[{low:{sign}.{digits}f}, {high:{sign}.{digits}f}]"


def estimate_words(metric: Metric, digits: int | None = None) -> str:
    """Return the estimate with its interval, or ``no data``."""
    if metric.estimate is None or metric.interval is None:
        return "no data"
    return f"{number_words(metric.estimate, metric.kind, digits)} {interval_words(metric, digits)}"


def difference_words(difference: float, interval: tuple[float, float], kind: str, bars: Collection[float] = ()) -> str:
    """Return ``+3.3 points [-2.1, +8.9]`` for rates, ``+0.120 [-0.010, +0.250]`` for scores, rounded outward.

    With ``bars`` there are as many digits as show each number on its side of them.
    """
    shown_as, unit = ("difference", " points") if kind == "rate" else (kind, "")
    digits = telling_digits(shown_as, difference, interval, bars)
    scale, _ = _SCALES.get(shown_as, _AS_IT_IS)
    low, high = rounded_down(interval[0] * scale, digits), rounded_up(interval[1] * scale, digits)
    return f"{difference * scale + 0.0:+.{digits}f}{unit} [{low:+.{digits}f}, {high:+.{digits}f}]"


def bar_words(bar: float | None, kind: str) -> str:
    """Return what a rule asks for as it is compared with: ``80 %`` of a rate, ``3.5`` of a score."""
    if bar is None:
        return "nothing"
    if kind == "difference":
        return f"{bar * 100:+.10g} points" if bar else "0 points"
    return f"{bar * 100:.10g} %" if kind == "rate" else f"{bar:.10g}"


def sides_of(kind: str) -> tuple[str, str]:
    """Return what cases above and below others are called: of scores, which may be errors, neither is the better."""
    return ("higher", "lower") if kind == "score" else ("better", "worse")


def family_words(metric: Metric) -> list[str]:
    """Return what stands beside the estimate of a metric over families: its counts, and what it is about."""
    told, family = [], metric.family or {}
    if "better" in family:
        up, down = sides_of(metric.kind)
        told.append(f"{family['better']} {up}, {family['worse']} {down} of {metric.observed}")
    elif "above" in family:
        told.append(f"{family['above']} above zero, {family['below']} below of {metric.observed}")
    elif metric.kind == "rate":
        told.append(_hits_words(metric, family))
    if family.get("worst_variant"):
        told.append(f"worst of {len(family['variants'])}: {family['worst_variant']}")
    if family.get("could_be") and metric.estimate is not None:
        low, high = (number_words(end, metric.kind) for end in family["could_be"])
        told.append(f"{low} to {high} with what is missing of any")
    if metric.excluded:
        told.append(f"{metric.excluded} flaky left out")
    return told


def _hits_words(metric: Metric, family: Mapping[str, Any]) -> str:
    """Return ``10 of 48 cases``; of a mean over repeats, which is another share than that, in how many it ever was."""
    if "numerator" in family or metric.estimate is None:
        return f"{family.get('numerator', family.get('hits'))} of {metric.observed} cases"
    hits = family["hits"]
    is_share = abs(metric.estimate * metric.observed - hits) < _NOISE
    return f"{hits} of {metric.observed} cases" if is_share else f"at least once in {hits} of {metric.observed} cases"


def rounded_down(value: float, digits: int) -> float:
    """Return ``value`` rounded to the next lower number of so many digits."""
    scale = 10.0**digits
    return floor(value * scale + _NOISE) / scale


def rounded_up(value: float, digits: int) -> float:
    """Return ``value`` rounded to the next higher number of so many digits."""
    scale = 10.0**digits
    return ceil(value * scale - _NOISE) / scale + 0.0


def slice_words(slice_: Mapping[str, Any] | None) -> str:
    """Return `` (lang="de")`` for a slice, nothing for the whole."""
    if not slice_:
        return ""
    return " (" + ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in slice_.items()) + ")"
