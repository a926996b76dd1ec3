"""The metrics over families of a run: those that its rules ask for, and those that are told of every family."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from oloproof.config.families import OF_LABELS, POWER
from oloproof.config.models import RuleOptions
from oloproof.digests import canonical_json
from oloproof.policy import FamilyAsk, FamilyReader, Measure, answer_reader, families, family_metrics, rates_by_group
from oloproof.records import ORIGINAL, Metric, Relation
from oloproof.storage import History, StoredRun

PRIOR_PROBE = "prior_probe"
"""The type of evaluator that labels answers."""


def told_of_every_family(measure: Measure, relations: Mapping[str, Relation]) -> Iterator[FamilyAsk]:
    """Yield the metrics that a run tells of a criterion though no rule asks: what its variants and repeats allow."""
    for variant, relation in relations.items():
        if relation == "control":
            yield FamilyAsk("gain", variant)
        elif relation != "answer_changes":
            yield FamilyAsk("delta", variant)
        yield FamilyAsk("change_rate", variant)
        if relation == "degraded":
            yield FamilyAsk("effect", variant)
    for relation in ("same_view", "degraded"):
        if list(relations.values()).count(relation) > 1:
            yield FamilyAsk("worst_delta", relation=relation)
    if "same_view" in relations.values() or (relations and measure.repeats > 1):
        yield FamilyAsk("noise_floor")
    if measure.repeats > 1 and measure.kind == "rate":
        for variant in (ORIGINAL, *relations):
            yield FamilyAsk("flaky_count", None if variant == ORIGINAL else variant)
        for name in ("flip_rate", f"pass^{measure.repeats}"):
            yield FamilyAsk(name)
    if measure.type == PRIOR_PROBE:
        yield from (FamilyAsk(name) for name in OF_LABELS)


class FamilyBook:
    """Every metric over families of one run, each family read once for a criterion and a slice."""

    def __init__(
        self,
        history: History,
        run: StoredRun,
        measures: Mapping[str, Measure],
        relations: Mapping[str, Relation],
        rules: Sequence[RuleOptions],
        level: float,
    ) -> None:
        self._found: dict[tuple[str, str], dict[FamilyAsk, Metric]] = {}
        self._groups: list[Metric] = []
        for number, (criterion, measure) in enumerate(measures.items()):
            asked = [rule for rule in rules if rule.criterion == criterion and rule.family is not None]
            reader = FamilyReader(measure, answer_reader(measure.answer), relations)
            for slice_ in _slices(asked):
                asks = [_ask(rule) for rule in asked if canonical_json(rule.slice) == canonical_json(slice_)]
                if slice_ is None:
                    asks += told_of_every_family(measure, relations)
                asks = list(dict.fromkeys(asks))
                if asks:
                    seen = families(history.answers(run, number), slice_)
                    metrics = family_metrics(seen, asks, reader, level, slice_)
                    self._found[criterion, canonical_json(slice_)] = dict(zip(asks, metrics, strict=True))
            if measure.type == PRIOR_PROBE:
                self._groups += rates_by_group(families(history.answers(run, number)), reader, level)

    @property
    def metrics(self) -> list[Metric]:
        """Every metric, by criterion, in the order of asking; then the rates of labels by attribute and category."""
        return [*(metric for found in self._found.values() for metric in found.values()), *self._groups]

    def metric(self, rule: RuleOptions) -> Metric:
        """Return the metric that a rule is about."""
        return self._found[rule.criterion, canonical_json(rule.slice)][_ask(rule)]


def family_problems(
    rule: RuleOptions, measure: Measure | None, relations: Mapping[str, Relation] | None
) -> Iterator[tuple[str, str]]:
    """Yield why a rule over families can never decide anything: the key that is wrong, and the message.

    ``relations`` is None where the variants are not known.
    """
    if rule.relation is not None and relations is not None and rule.relation not in relations.values():
        made = ", ".join(f"{name} ({relation})" for name, relation in relations.items()) or "none"
        yield "relation", f"no variant is {rule.relation}; variants: {made}"
    if measure is None or rule.family is None:
        return
    if rule.family in OF_LABELS and measure.type != PRIOR_PROBE:
        yield "metric", f"{rule.metric} is told by a {PRIOR_PROBE}, and {measure.criterion} is a {measure.type}"
    power = POWER.fullmatch(rule.family)
    needed = int(power[2]) if power else 2 if rule.family in ("flip_rate", "flaky_count") else 1
    if measure.repeats < needed:
        yield "metric", f"{rule.metric} needs repeats: {needed} or more, and each case is run {_times(measure.repeats)}"
    if measure.kind == "score" and (power or rule.family in ("flip_rate", "flaky_count")):
        yield "metric", f"{measure.criterion} is a score, which neither passes nor fails, so {rule.family} is not known"


def _times(repeats: int) -> str:
    return "once" if repeats == 1 else f"{repeats} times"


def _ask(rule: RuleOptions) -> FamilyAsk:
    variant = None if rule.variant == ORIGINAL else rule.variant
    return FamilyAsk(rule.family or "", variant, rule.relation, rule.cohort)


def _slices(rules: Iterable[RuleOptions]) -> list[Mapping[str, Any] | None]:
    """Return the slices that rules are about, the whole first and always; 1 and true are two of them."""
    found = {canonical_json(slice_): slice_ for slice_ in (None, *(rule.slice for rule in rules))}
    return list(found.values())
