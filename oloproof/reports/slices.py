"""From a stored run to the tables that say how a criterion fares in each slice."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from oloproof.reports.contexts import SliceRow, Slices, SliceTable
from oloproof.reports.metric_rows import metric_row
from oloproof.reports.wording import count_words, one_line, visible
from oloproof.running.deciding import Conclusion
from oloproof.running.slices import slice_metrics
from oloproof.storage import History, StoredRun

_LEVEL = 0.95


def slices_of(
    history: History,
    run: StoredRun,
    conclusion: Conclusion,
    criterion: str = "",
    *,
    address: Callable[[str, str], str] | None = None,
) -> Slices | None:
    """Return how a criterion fares in the slices of a run; None where the run has none that tell anything.

    Without ``criterion`` it is that of the first rule that blocks, or the first of the run. ``address`` makes the
    address of the cases of a slice from its key and its value as text.
    """
    criterion = criterion or _first(run, conclusion)
    if not criterion or run.state != "complete":
        return None
    level = conclusion.metrics[0].level if conclusion.metrics else _LEVEL
    tables = []
    for by in slice_metrics(history, run, criterion, level):
        rows = []
        for metric in by.metrics:
            value = value_text((metric.slice or {})[by.key])
            where = None if address is None else address(by.key, value)
            rows.append(SliceRow(one_line(value, 80), where, metric_row(metric, run)))
        more = f"{count_words(by.more, 'value')} with fewer cases not shown" if by.more else ""
        tables.append(SliceTable(visible(by.key), tuple(rows), more))
    return Slices(visible(criterion), tuple(tables)) if tables else None


def value_text(value: Any) -> str:
    """Return the value of a slice key as filters have it."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _first(run: StoredRun, conclusion: Conclusion) -> str:
    names = [entry["criterion"] for entry in run.criteria]
    ruled = [one.metric for one in sorted(conclusion.decisions, key=lambda one: not one.blocking)]
    return next((name for name in [*ruled, *names] if name in names), "")
