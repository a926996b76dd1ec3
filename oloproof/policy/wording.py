"""Numbers as people read them; intervals are rounded outward, so that no rounding makes one look better."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import ceil, floor
from typing import Any

from oloproof.records import Metric


def number_words(value: float | None, kind: str) -> str:
    """Return an estimate in words: a rate in per cent, a score as it is, ``no data`` for None."""
    if value is None:
        return "no data"
    return f"{value * 100:.1f} %" if kind == "rate" else f"{value:.3f}"


def interval_words(metric: Metric) -> str:
    """Return ``[83.1 %, 100.0 %]``, rounded outward."""
    if metric.interval is None:
        return "[no interval]"
    low, high = metric.interval
    scale, digits, unit = (1000, 1, " %") if metric.kind == "rate" else (1000, 3, "")
    divisor = 10 if metric.kind == "rate" else 1000
    below, above = floor(low * scale + 1e-9) / divisor, ceil(high * scale - 1e-9) / divisor
    return f"[{below:.{digits}f}{unit}, {above:.{digits}f}{unit}]"


def slice_words(slice_: Mapping[str, Any] | None) -> str:
    """Return `` (lang="de")`` for a slice, nothing for the whole."""
    if not slice_:
        return ""
    return " (" + ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in slice_.items()) + ")"
