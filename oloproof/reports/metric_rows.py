"""A metric as the row of a table, with its interval drawn."""

from __future__ import annotations

from oloproof.config.families import DIFFERENCES
from oloproof.policy.wording import interval_words, number_words
from oloproof.records import Metric
from oloproof.reports.contexts import MetricRow
from oloproof.reports.plots import RATE_AXIS, plot_of
from oloproof.reports.wording import counted, metric_name, visible, with_minus_signs
from oloproof.running.deciding import measures_of
from oloproof.storage import StoredRun


def axis_of(metric: Metric, run: StoredRun) -> tuple[float, float]:
    """Return the ends of the axis that a metric lies on."""
    if metric.kind in ("difference", "count"):
        return (-1.0, 1.0) if metric.kind == "difference" else (0.0, float(max(metric.n, 1)))
    measures = measures_of(run.document)
    base, _, name = metric.criterion.rpartition(".")
    measure = measures.get(metric.criterion) or measures.get(base)
    if measure is None or metric.kind == "rate":
        return RATE_AXIS
    low, high = measure.score_range
    return (low - high, high - low) if metric.family is not None and name in DIFFERENCES else (low, high)


def metric_row(one: Metric, run: StoredRun) -> MetricRow:
    """Return the row of a metric."""
    passed, failed = counted(one)
    return MetricRow(
        criterion=visible(metric_name(one)),
        about=f"{one.estimand.replace('_', ' ')}, {one.method}",
        plot=plot_of(one, axis_of(one, run)),
        estimate=with_minus_signs(number_words(one.estimate, one.kind)),
        interval=with_minus_signs(interval_words(one)),
        n=f"{one.n:,}",
        passed=passed,
        failed=failed,
        missing=f"{one.missing:,}",
        invalid=f"{one.invalid:,}",
        excluded=f"{one.excluded:,}" if one.excluded else "",
    )
