"""The metrics over families of a run, brought together by variant, and the words for their counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from oloproof.policy.wording import interval_words, number_words, sides_of
from oloproof.records import ORIGINAL, Metric, Relation
from oloproof.reports.wording import count_words

_OF_A_VARIANT = ("delta", "gain", "change_rate", "effect", "flaky_count")


class VariantFigures(Struct, frozen=True):
    """What was measured of one variant; ``original`` has no relation. What was not asked of it is None.

    ``delta`` is the variant minus the original, also where the run tells the gain of the original over it.
    """

    variant: str
    relation: Relation | None
    accuracy: Metric | None
    delta: Metric | None
    changed: Metric | None
    effect: Metric | None
    flaky: Metric | None


def is_told_by_variant(metric: Metric, relations: Mapping[str, Relation]) -> bool:
    """Return whether a metric stands among the figures of a variant, so that no other table has to tell it."""
    return (
        metric.family is not None
        and metric.estimand in _OF_A_VARIANT
        and metric.slice is None
        and metric.family.get("cohort", "all") == "all"
        and bool(relations)
        and metric.variant in (ORIGINAL, *relations)
    )


def is_in_families(metric: Metric, relations: Mapping[str, Relation]) -> bool:
    """Return whether the families of a page tell a metric: it stands by its variant, or is what the variant passes."""
    own = metric.family is None and metric.slice is None and metric.variant in relations
    return own or is_told_by_variant(metric, relations)


def figures_of(
    criterion: str, relations: Mapping[str, Relation], metrics: Sequence[Metric]
) -> tuple[VariantFigures, ...]:
    """Return the figures of a criterion for each member of the families, ``original`` first."""
    found = {
        (one.variant, one.criterion): one
        for one in metrics
        if one.slice is None
        and (one.family or {}).get("cohort", "all") == "all"
        and not (one.family or {}).get("relation")
    }
    names: dict[str, Relation | None] = {ORIGINAL: None, **relations}

    def of(variant: str, name: str) -> Metric | None:
        return found.get((variant, f"{criterion}.{name}"))

    return tuple(
        VariantFigures(
            variant=variant,
            relation=relation,
            accuracy=found.get((variant, criterion)),
            delta=of(variant, "delta") or _turned(of(variant, "gain")),
            changed=of(variant, "change_rate"),
            effect=of(variant, "effect"),
            flaky=of(variant, "flaky_count"),
        )
        for variant, relation in names.items()
    )


def noise_floor(criterion: str, metrics: Sequence[Metric]) -> Metric | None:
    """Return how often an answer changed where nobody could see a difference, where that was measured."""
    return next((one for one in metrics if one.criterion == f"{criterion}.noise_floor" and one.slice is None), None)


def _turned(gain: Metric | None) -> Metric | None:
    """Return the gain of the original over a variant as the change from the original to it."""
    if gain is None:
        return None
    told = {**(gain.family or {}), "better": gain.failed, "worse": gain.passed}
    return replace(
        gain,
        estimate=None if gain.estimate is None else -gain.estimate,
        interval=None if gain.interval is None else (-gain.interval[1], -gain.interval[0]),
        passed=gain.failed,
        failed=gain.passed,
        family=told,
    )


def change_words(delta: Metric) -> tuple[str, str]:
    """Return a change with its sign and its interval, rounded outward: of rates in points, of scores as they are."""
    if delta.kind == "difference":
        return number_words(delta.estimate, delta.kind), interval_words(delta)
    estimate = "no data" if delta.estimate is None else f"{delta.estimate + 0.0:+.3f}"
    return estimate, interval_words(delta)


def denominator_words(metric: Metric) -> str:
    """Return ``48 cases``, or ``47 cases, 1 missing`` where some are not known."""
    unknown = [f"{count:,} {word}" for word in ("missing", "invalid") if (count := getattr(metric, word))]
    return ", ".join([count_words(metric.observed, "case"), *unknown])


def told_words(figures: VariantFigures) -> tuple[str, ...]:
    """Return the counts behind the figures of a variant, each with its denominator."""
    told = []
    if figures.delta is not None:
        counts = figures.delta.family or {}
        up, down = sides_of(figures.delta.kind)
        told.append(f"{counts['better']:,} {up}, {counts['worse']:,} {down} of {denominator_words(figures.delta)}")
    if figures.changed is not None:
        told.append(changed_words(figures.changed))
    if figures.flaky is not None and figures.flaky.observed:
        told.append(f"{figures.flaky.estimate:,.0f} of {figures.flaky.observed:,} flip between repeats")
    return tuple(told)


def changed_words(changed: Metric) -> str:
    """Return how often the answer changed, and in how many of the cases it ever did."""
    if changed.estimate is None:
        return "whether the answer changed is not known"
    hits = (changed.family or {}).get("hits", 0)
    return f"answer changed {number_words(changed.estimate, 'rate')}, in {hits:,} of {changed.observed:,}"
