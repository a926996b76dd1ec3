"""From what a run stored to its metrics and decisions; ``run`` and ``gate`` take this one path."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from oloproof.config.families import OWN_GATES
from oloproof.config.models import PolicyOptions, RuleOptions
from oloproof.config.problems import nearest, suggestion
from oloproof.digests import canonical_json
from oloproof.errors import ConfigError
from oloproof.policy import (
    Measure,
    Standing,
    decide_comparison,
    decide_rule,
    rate_of,
    reduce_cases,
    summarize,
)
from oloproof.records import ORIGINAL, Decision, Metric, Relation
from oloproof.running.families import FamilyBook, family_problems
from oloproof.running.standing import JudgeStanding, human_metric, standing_of, validation_state
from oloproof.storage import History, Observation, StoredRun

if TYPE_CHECKING:
    from oloproof.storage.labels import StoredValidation

EXECUTIONS = "error_rate"
"""The metric that is about executions and not about any criterion."""

_NO_VARIANTS: Mapping[str, Relation] = {}


class Conclusion(Struct, frozen=True):
    """What a policy makes of a run."""

    metrics: tuple[Metric, ...]
    decisions: tuple[Decision, ...]
    validations: Mapping[str, Any] = field(default_factory=dict)
    """The judge and the labels behind the validation of each judge's criterion: what was decided on."""

    @property
    def exit_code(self) -> int:
        """0 when every rule is satisfied or there is none, 1 when one blocks."""
        return int(any(decision.blocking for decision in self.decisions))


def measures_of(document: Mapping[str, Any]) -> dict[str, Measure]:
    """Return how each criterion is summed up, from the document that is stored with a run."""
    repeats = document["repeats"]
    return {
        entry["criterion"]: Measure(
            criterion=entry["criterion"],
            kind=entry["metric"],
            score_range=tuple(entry["score_range"] or (0.0, 1.0)),
            repeats=repeats["count"],
            pass_when=repeats["pass_when"],
            calls_model=entry["calls_model"],
            type=entry["type"],
            answer=entry.get("answer", "outcome" if entry["calls_model"] else "output"),
        )
        for entry in document["evaluators"]
    }


def relations_of(document: Mapping[str, Any]) -> dict[str, Relation]:
    """Return what each variant of a run claims to be to the original, from the document stored with the run."""
    return dict(document.get("relations") or {})


def policy_of(run: StoredRun) -> PolicyOptions | None:
    """Return the policy that the project had when the run began."""
    stored = run.document["project"]["policy"]
    return None if stored is None else PolicyOptions.model_validate(stored)


def conclude(history: History, run: StoredRun, policy: PolicyOptions | None) -> Conclusion:
    """Return the metrics of every criterion, those that rules ask for beside, and what each rule decides.

    A run that is not complete holds only some of the cases, so no rule decides on it.

    Raises:
        ConfigError: a rule names a metric, a variant or a slice field that the run does not have.
    """
    policy = policy or PolicyOptions()
    measures, variants = measures_of(run.document), relations_of(run.document)
    refuse_unknown_metrics(policy, measures, variants, slice_fields_of(history, run, policy))
    book = _Book(history, run, measures, policy.confidence_level)
    for criterion in measures:
        for variant in (ORIGINAL, *variants):
            book.metric(criterion, None, variant, None)
    rules = [rule.spelled_out for rule in policy.rules]
    families = FamilyBook(history, run, measures, variants, rules, policy.confidence_level)
    judges = standing_of(history, run, measures, policy)
    partial = run.partial or run.state != "complete"
    decisions = tuple(_decide(rule, book, families, judges, policy, partial=partial) for rule in rules)
    return Conclusion((*book.metrics.values(), *families.metrics), decisions, validation_state(judges))


def _decide(
    rule: RuleOptions,
    book: _Book,
    families: FamilyBook,
    judges: Mapping[str, JudgeStanding],
    policy: PolicyOptions,
    *,
    partial: bool,
) -> Decision:
    judges = judges if policy.holds_to_labels(rule) else {}
    standing = Standing(partial, unfit(judges))
    if rule.compares:
        return decide_comparison(rule, None, standing.judges, policy.block_on)
    if rule.family is not None:
        return decide_rule(rule, families.metric(rule), standing, policy.block_on)
    metric = book.metric(rule.criterion, rule.rate, rule.variant or ORIGINAL, rule.slice)
    judge = judges.get(rule.criterion)
    if judge is not None and judge.validation is not None and _asks_for_people(rule, judge):
        metric = book.human(metric, judge.validation)
    return decide_rule(rule, metric, standing, policy.block_on)


def _asks_for_people(rule: RuleOptions, judge: JudgeStanding) -> bool:
    """Whether a rule over a validated judge is about what people would say, which it is unless it says otherwise."""
    bounded = rule.effective_kind == "interval" and rule.rate is None and rule.family is None
    return bounded and not judge.reason and rule.estimand != "judge_rate"


def unfit(judges: Mapping[str, JudgeStanding]) -> dict[str, str]:
    """Return the reason code of every judge that may not decide."""
    return {name: one.reason for name, one in judges.items() if one.reason}


def slice_fields_of(history: History, run: StoredRun, policy: PolicyOptions) -> list[str] | None:
    """Return the slice fields of a run that rules are to be held against; None where not all of its cases are there."""
    if run.partial or run.state != "complete" or not any(rule.slice for rule in policy.rules):
        return None
    return history.slice_fields(run)


def refuse_unknown_metrics(
    policy: PolicyOptions,
    measures: Mapping[str, Measure],
    variants: Mapping[str, Relation] = _NO_VARIANTS,
    slices: Sequence[str] | None = None,
) -> None:
    """Refuse rules that can never decide anything of a run that measured ``measures`` on ``variants``.

    Raises:
        ConfigError: naming each such rule.
    """
    problems = [
        f"rule {policy.rules[number].id!r}: {key}: {message}"
        for number, key, message in rule_problems(policy, measures, slices=slices, variants=variants)
    ]
    if problems:
        raise ConfigError("\n".join(problems))


def rule_problems(
    policy: PolicyOptions,
    measures: Mapping[str, Measure],
    *,
    unsure: Collection[str] = (),
    slices: Sequence[str] | None = None,
    variants: Mapping[str, Relation] | None = _NO_VARIANTS,
) -> Iterator[tuple[int, str, str]]:
    """Yield what is wrong with rules, given what is measured: the rule's place in the list, its key, the message.

    That is a criterion which is not measured, a threshold its values cannot reach, a count of failures of a score,
    a variant that is not made, and a slice by a field that no case has.

    Args:
        policy: the rules.
        measures: how each criterion is summed up.
        unsure: criteria that exist and of which no more is known.
        slices: the slice fields that the cases have, None where they are not known.
        variants: the variants that cases have beside ``original`` with what each claims to be to it, None where they
            are not known.
    """
    for number, rule in enumerate(policy.rules):
        for key, message in _problems_of(rule, measures, unsure, slices, variants):
            yield number, key, message


def _problems_of(
    rule: RuleOptions,
    measures: Mapping[str, Measure],
    unsure: Collection[str],
    slices: Sequence[str] | None,
    variants: Mapping[str, Relation] | None,
) -> Iterator[tuple[str, str]]:
    measure = measures.get(rule.criterion)
    if measure is None and rule.metric != EXECUTIONS and rule.criterion not in unsure:
        known = ", ".join(sorted(measures)) or "none"
        yield "metric", f"the run has no criterion {rule.criterion!r}; it has {known}"
    elif measure is not None or rule.rate is not None:
        yield from _unreachable(rule, measure)
    yield from _without_effect(rule, measure)
    if rule.variant not in (None, ORIGINAL) and variants is not None and rule.variant not in variants:
        yield "variant", _no_such_variant(str(rule.variant), variants)
    yield from family_problems(rule.spelled_out, measure, variants)
    for name in rule.slice or ():
        if slices is not None and name not in slices:
            told = f"the slice fields are {', '.join(slices)}" if slices else "no case has a slice"
            near = nearest(name, slices)
            yield "slice", f"no case has the slice field {name!r}; {f'did you mean {near}?' if near else told}"


def _no_such_variant(name: str, variants: Collection[str]) -> str:
    if not variants:
        return f"there is no variant {name!r}: every case is run as it is; leave variant: out, or declare variants:"
    return f"there is no variant {name!r}; {suggestion(name, [ORIGINAL, *variants], 'variants')}"


def _without_effect(rule: RuleOptions, measure: Measure | None) -> Iterator[tuple[str, str]]:
    """Yield what a rule asks for in words and would not get."""
    own = next((key for key in ("max_failures", *OWN_GATES) if getattr(rule, key) is not None), None)
    if rule.decide_on == "estimate" and rule.effective_kind != "interval":
        kind = f"{own}:" if own else f"kind: {rule.effective_kind}"
        yield "decide_on", f"estimate goes with min: and max:, and {kind} does not decide on it; leave decide_on: out"
    if rule.estimand != "human_rate":
        return
    if own or rule.rate or rule.family:
        about = f"{own}: counts" if own else f"{rule.metric} is about"
        yield "estimand", f"labels tell at which rate people would pass a run, and {about} what the judge says"
    elif measure is not None and not measure.calls_model:
        yield "estimand", f"{rule.criterion} asks no model, so it has no rate but its own; leave estimand: out"


def _unreachable(rule: RuleOptions, measure: Measure | None) -> Iterator[tuple[str, str]]:
    if rule.family is not None:
        return
    score = measure is not None and measure.kind == "score" and rule.rate is None
    low, high = measure.score_range if measure is not None and score else (0.0, 1.0)
    for key in ("min", "max"):
        bound = getattr(rule, key)
        if bound is not None and not low <= bound <= high:
            hint = "a score" if score else "a rate (80 % is written 0.80)"
            yield key, f"{bound:g} is outside {low:g} to {high:g}, where {hint} lies"
    if rule.margin is not None and rule.margin >= high - low:
        values = "scores" if score else "rates (5 points are written 0.05)"
        yield "margin", f"{rule.margin:g} lets every difference pass: {high - low:g} is the most between two {values}"
    if score and rule.max_failures is not None:
        yield (
            "max_failures",
            f"criterion {rule.criterion} is a score, which nothing fails: use min: or max:, or give it a pass_at",
        )


class _Book:
    """The metrics asked for so far, each computed once, in the order of asking."""

    def __init__(self, history: History, run: StoredRun, measures: Mapping[str, Measure], level: float) -> None:
        self._history = history
        self._run = run
        self._measures = measures
        self._numbers = {name: number for number, name in enumerate(measures)}
        self._level = level
        self.metrics: dict[tuple[str, ...], Metric] = {}

    def metric(self, criterion: str, rate: str | None, variant: str, slice_: Mapping[str, Any] | None) -> Metric:
        """Return one metric of the run."""
        name = criterion if rate is None or criterion == rate else f"{criterion}.{rate}"
        key = (name, variant, canonical_json(slice_))
        if key not in self.metrics:
            self.metrics[key] = self._summarized(name, criterion, rate, variant, slice_)
        return self.metrics[key]

    def _summarized(
        self, name: str, criterion: str, rate: str | None, variant: str, slice_: Mapping[str, Any] | None
    ) -> Metric:
        measure = self._measures.get(criterion)
        if rate is not None:
            measure = Measure(name, repeats=self._run.document["repeats"]["count"])
        if measure is None:
            raise ConfigError(f"the run has no criterion {criterion!r}")
        seen = self._observations(criterion, rate, variant)
        values = reduce_cases(seen, measure, variant=variant, slice_=slice_)
        metric = summarize(values, measure, self._level, name=name, variant=variant, slice_=slice_)
        return metric if rate is None else replace(metric, estimand=rate)

    def human(self, judged: Metric, validation: StoredValidation) -> Metric:
        """Return the rate at which people would pass what the judge judged, in place of the judge's own."""
        key = (judged.criterion, judged.variant, canonical_json(judged.slice), "human")
        if key not in self.metrics:
            measure = self._measures[judged.criterion]
            values = reduce_cases(
                self._observations(judged.criterion, None, judged.variant),
                measure,
                variant=judged.variant,
                slice_=judged.slice,
            )
            self.metrics[key] = human_metric(self._history, self._run, judged, measure, values, validation)
        return self.metrics[key]

    def _observations(self, criterion: str, rate: str | None, variant: str) -> Iterator[Observation]:
        if criterion == EXECUTIONS and criterion not in self._numbers:
            return rate_of(self._history.executed(self._run, variant=variant), EXECUTIONS)
        seen = self._history.observations(self._run, self._numbers[criterion], variant=variant)
        return seen if rate is None else rate_of(seen, rate)
