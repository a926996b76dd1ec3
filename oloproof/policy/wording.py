"""Words for decisions: numbers as people read them, and why a judge may not decide.

Intervals are rounded outward, so that no rounding makes one look better.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
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


def number_words(value: float | None, kind: str) -> str:
    """Return an estimate in words: a rate in per cent, a score as it is, ``no data`` for None.

    A rate that is not quite 0 or 1 is never written as if it were.
    """
    if value is None:
        return "no data"
    if kind == "difference":
        return f"{value * 100 + 0.0:+.1f} points"
    if kind == "count":
        return f"{value:g}"
    if kind != "rate":
        return f"{value:.3f}"
    if 0.9995 <= value < 1.0:
        return ">99.9 %"
    return "<0.1 %" if 0.0 < value < 0.0005 else f"{value * 100:.1f} %"


def interval_words(metric: Metric) -> str:
    """Return ``[83.1 %, 100.0 %]``, rounded outward."""
    if metric.interval is None:
        return "[no interval]"
    low, high = metric.interval
    if metric.kind == "rate":
        return f"[{rounded_down(low * 100, 1):.1f} %, {rounded_up(high * 100, 1):.1f} %]"
    if metric.kind == "difference":
        return f"[{rounded_down(low * 100, 1):+.1f}, {rounded_up(high * 100, 1):+.1f}]"
    if metric.kind == "count":
        return f"[{low:g}, {high:g}]"
    return f"[{rounded_down(low, 3):.3f}, {rounded_up(high, 3):.3f}]"


def estimate_words(metric: Metric) -> str:
    """Return the estimate with its interval, or ``no data``."""
    if metric.estimate is None or metric.interval is None:
        return "no data"
    return f"{number_words(metric.estimate, metric.kind)} {interval_words(metric)}"


def difference_words(difference: float, interval: tuple[float, float], kind: str) -> str:
    """Return ``+3.3 points [-2.1, +8.9]`` for rates, ``+0.120 [-0.010, +0.250]`` for scores, rounded outward."""
    scale, digits, unit = (100.0, 1, " points") if kind == "rate" else (1.0, 3, "")
    low, high = rounded_down(interval[0] * scale, digits), rounded_up(interval[1] * scale, digits)
    return f"{difference * scale + 0.0:+.{digits}f}{unit} [{low:+.{digits}f}, {high:+.{digits}f}]"


def bar_words(bar: float | None, kind: str) -> str:
    """Return what a rule asks for as it is compared with: ``80 %`` of a rate, ``3.5`` of a score."""
    if bar is None:
        return "nothing"
    if kind == "difference":
        return f"{bar * 100:+.10g} points" if bar else "0 points"
    return f"{bar * 100:.10g} %" if kind == "rate" else f"{bar:.10g}"


def family_words(metric: Metric) -> list[str]:
    """Return what stands beside the estimate of a metric over families: its counts, and what it is about."""
    told, family = [], metric.family or {}
    if "better" in family:
        told.append(f"{family['better']} better, {family['worse']} worse of {metric.observed}")
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
