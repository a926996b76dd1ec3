"""The figures of variants as rows of a table of words, for a terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from oloproof.policy.wording import number_words, sides_of
from oloproof.records import ORIGINAL, Metric, Relation
from oloproof.reports.family_figures import VariantFigures, change_words, figures_of, is_told_by_variant

_BEFORE, _BEHIND = ("change", "interval"), ("of", "answer changed", "flip")
"""What stands behind a variant: its change from the original with its interval, in how many cases it was for the better
and for the worse, how often the answer changed and in how many cases, and how many cases flip between repeats."""


def family_tables(
    metrics: Sequence[Metric], relations: Mapping[str, Relation]
) -> Iterator[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]:
    """Yield each criterion that has figures by variant, the heads of the columns behind the variant, and the rows."""
    told = [one for one in metrics if is_told_by_variant(one, relations)]
    for criterion in dict.fromkeys(one.criterion.rpartition(".")[0] for one in told):
        figures = [one for one in figures_of(criterion, relations, metrics) if _is_told(one)]
        if figures:
            kind = next((one.delta.kind for one in figures if one.delta is not None), "rate")
            yield criterion, (*_BEFORE, *sides_of(kind), *_BEHIND), [_row(one) for one in figures]


def _is_told(figures: VariantFigures) -> bool:
    return any(one is not None for one in (figures.delta, figures.changed, figures.flaky))


def _row(figures: VariantFigures) -> tuple[str, ...]:
    name = ORIGINAL if figures.relation is None else f"{figures.variant} ({figures.relation.replace('_', ' ')})"
    change = interval = better = worse = of = "–"
    if figures.delta is not None:
        change, interval = change_words(figures.delta)
        counts = figures.delta.family or {}
        better, worse = f"{counts['better']:,}", f"{counts['worse']:,}"
        of = _of(figures.delta)
    elif figures.changed is not None:
        of = _of(figures.changed)
    return name, change, interval, better, worse, of, _changed(figures.changed), _count(figures.flaky)


def _changed(metric: Metric | None) -> str:
    """Return how often the answer changed, and in how many cases it ever did."""
    if metric is None:
        return "–"
    rate = number_words(metric.estimate, "rate")
    return rate if metric.estimate is None else f"{rate} in {(metric.family or {}).get('hits', 0):,}"


def _count(metric: Metric | None) -> str:
    return "–" if metric is None or not metric.observed else f"{metric.estimate:,.0f}"


def _of(metric: Metric) -> str:
    """Return how many cases are known, of how many where that is not all."""
    return f"{metric.n:,}" if metric.observed == metric.n else f"{metric.observed:,} of {metric.n:,}"
