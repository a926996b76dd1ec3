"""What rules can decide at a number of cases, and how many more would settle what they leave open."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from msgspec import Struct, to_builtins

from oloproof.config.families import OF_LABELS
from oloproof.config.models import PolicyOptions, RuleOptions
from oloproof.digests import canonical_json
from oloproof.policy import Measure
from oloproof.policy.wording import JUDGE_WHY, slice_words
from oloproof.records import HUMAN_RATE, ORIGINAL, Decision, Metric
from oloproof.running.deciding import conclude, measures_of
from oloproof.statistics import (
    more_cases,
    predictive_probability_of_pass,
    rate_plan_sentence,
    sample_size_paired_binary,
)
from oloproof.storage import History, StoredRun

_ASSUMED_DISCORDANT = 0.2
_BY_SPREAD = "depends on the spread of the values, which a run shows"
_BY_LABELS = "decides on what people would pass, which depends on their labels as much as on the number of cases"


class Prospect(Struct, frozen=True):
    """What a rule can still come to.

    ``more_at_best`` cases settle it if all of them are good, ``more_if_rate_stays`` if they are like those seen (None:
    never); ``probability`` is that of PASS with as many cases again.
    """

    rule: str
    metric: str
    state: str
    n: int
    can_decide: str
    more_at_best: int | None = None
    more_if_rate_stays: int | None = None
    probability: float | None = None
    message: str = ""


def what_rules_can_decide(
    policy: PolicyOptions,
    measures: Mapping[str, Measure],
    n: int,
    sliced: Mapping[str, int],
    *,
    repeats: int = 1,
    validated: Collection[str] = (),
) -> list[Prospect]:
    """Return, before any run, what each rule can decide with ``n`` cases that are executed ``repeats`` times.

    ``sliced`` maps the id of each rule on a slice to how many cases the slice has. ``validated`` are the criteria whose
    judges people's labels have validated.
    """
    found = []
    for rule in policy.rules:
        cases = sliced.get(rule.id, n)
        told = can_decide(rule, measures.get(rule.criterion), cases, policy, repeats=repeats, validated=validated)
        words = told if cases else "nothing"
        lead = "" if rule.slice is None else f"{_cases(cases)} of {n} in its slice{slice_words(rule.slice)}: "
        found.append(Prospect(rule.id, rule.metric, "not run", cases, lead + words))
    return found


def _cases(count: int) -> str:
    return "no case" if not count else "1 case" if count == 1 else f"{count:,} cases"


def can_decide(
    rule: RuleOptions,
    measure: Measure | None,
    n: int,
    policy: PolicyOptions,
    *,
    repeats: int = 1,
    validated: Collection[str] = (),
) -> str:
    """Return in words which numbers of passes decide ``rule`` at ``n`` cases."""
    judged = measure is not None and measure.calls_model and policy.holds_to_labels(rule) and rule.rate is None
    if judged and rule.criterion not in validated:
        return "nothing before people's labels validate the judge"
    if rule.effective_kind == "observed_count":
        plural = "" if rule.max_failures == 1 else "s"
        return f"PASS up to {rule.max_failures} failure{plural}, FAIL above, at any number of cases"
    if rule.compares:
        return _pairs_that_decide(rule, n, measure)
    if rule.decide_on == "estimate":
        return "PASS or FAIL by the estimate alone, at any number of cases"
    if rule.spelled_out.family == "flaky_count":
        return "PASS or FAIL by the count, at any number of cases"
    if rule.spelled_out.family is not None:
        return "depends on how the variants and repeats of each case differ, which a run shows"
    if judged and rule.estimand != "judge_rate":
        return _BY_LABELS
    if repeats > 1 if rule.rate is not None else measure is not None and not measure.binary:
        return _BY_SPREAD
    return rate_plan_sentence(n, minimum=rule.min, maximum=rule.max, level=policy.confidence_level)


def _pairs_that_decide(rule: RuleOptions, n: int, measure: Measure | None) -> str:
    """Return in words how many pairs of cases a comparison takes, which can be told where each passes or fails."""
    if measure is not None and not measure.binary:
        return f"compares two runs; depends on how the values of {n} cases differ, which a comparison shows"
    wanted = rule.margin or 0.05
    changing = max(_ASSUMED_DISCORDANT, wanted)
    pairs = sample_size_paired_binary(wanted, changing)
    return (
        f"compares two runs; to see a difference of {wanted:g} where {changing:.0%} of the cases change, "
        f"about {pairs} cases (there are {n})"
    )


def prospects(history: History, run: StoredRun, policy: PolicyOptions | None) -> list[Prospect]:
    """Return what each rule made of ``run`` and how many more cases would settle what is open."""
    policy = policy or PolicyOptions()
    conclusion, measures = conclude(history, run, policy), measures_of(run.document)
    found = []
    for rule, decision in zip((one.spelled_out for one in policy.rules), conclusion.decisions, strict=True):
        about = [one for one in conclusion.metrics if _is_of(one, rule)]
        asked = policy.holds_to_labels(rule) and rule.estimand != "judge_rate"
        people = [one for one in about if one.estimand == HUMAN_RATE and asked]
        metric = next(iter(people or about), None)
        found.append(_prospect(rule, decision, metric, measures.get(rule.criterion), policy))
    return found


def _is_of(metric: Metric, rule: RuleOptions) -> bool:
    same_slice = canonical_json(metric.slice) == canonical_json(rule.slice)
    if metric.criterion != rule.metric or not same_slice or metric.variant != (rule.variant or ORIGINAL):
        return False
    about = metric.family or {}
    return rule.family in (None, *OF_LABELS) or (about.get("relation"), about.get("cohort")) == (
        rule.relation,
        rule.cohort,
    )


def _prospect(
    rule: RuleOptions, decision: Decision, metric: Metric | None, measure: Measure | None, policy: PolicyOptions
) -> Prospect:
    state, n = decision.state, 0 if metric is None else metric.n
    counted = metric is not None and rule.effective_kind == "interval" and rule.decide_on == "interval"
    counted = counted and rule.relation is None  # the worst of several variants is no rate of one of them
    if metric is None or not counted or metric.kind != "rate" or not metric.method.startswith("clopper"):
        spread = metric is not None and counted and rule.spelled_out.family is None
        if rule.compares:
            sentence = _pairs_that_decide(rule, n, measure)
        else:
            whole = _BY_LABELS if metric is not None and metric.estimand == HUMAN_RATE else _BY_SPREAD
            sentence = whole if spread else can_decide(rule, None, n, policy)
        message = _not_for_cases(decision) or _plain(rule, state, metric)
        return Prospect(rule.id, rule.metric, state, n, sentence, message=message)
    unknown = metric.missing + metric.invalid
    bars: dict[str, Any] = {"minimum": rule.min, "maximum": rule.max, "level": policy.confidence_level}
    more = more_cases(metric.passed, n, missing=unknown, **bars)
    chance = predictive_probability_of_pass(metric.passed, n, 2 * n, missing=unknown, **bars) if n else None
    sentence = rate_plan_sentence(n, missing=unknown, **bars)
    text = _settling(state, more.at_best, more.rate_stays, chance, 2 * n) + ("" if state == "PASS" else _first(metric))
    hindrance = _not_for_cases(decision)
    if hindrance:
        enough = more.at_best == 0 or state != "MANUAL_REVIEW"
        text = hindrance if enough else f"{text}; and then: {hindrance}"
    return Prospect(rule.id, rule.metric, state, n, sentence, more.at_best, more.rate_stays, chance, text)


def _not_for_cases(decision: Decision) -> str:
    """Return what has to be done first, or beside, where no number of further cases lets a rule pass by itself."""
    if decision.reason == "partial_run":
        return "only some of the cases were run; run all of them first"
    if decision.state == "MANUAL_REVIEW":
        return "a person must look, as the rule asks; no number of cases settles that"
    why = JUDGE_WHY.get(decision.reason, "")
    return f"no number of cases settles it yet: {why[0].lower()}{why[1:]}" if why else ""


def _plain(rule: RuleOptions, state: str, metric: Metric | None) -> str:
    if state in ("PASS", "FAIL"):
        return "decided"
    if rule.compares:
        return "compares two runs; use oloproof compare"
    if metric is not None and metric.estimand == HUMAN_RATE:
        return "more labels and more cases both narrow the interval; how many it takes cannot be told" + _first(metric)
    if rule.effective_kind == "observed_count" or rule.spelled_out.family == "flaky_count":
        return "further cases settle nothing" + _first(metric)
    return "further cases narrow the interval; how many it takes cannot be told for this kind of rule" + _first(metric)


def _first(metric: Metric | None) -> str:
    """Return what helps more than any further case: measuring those that stand against the rule unmeasured."""
    unknown = 0 if metric is None else metric.missing + metric.invalid
    if metric is None or not unknown:
        return ""
    verb = "is" if unknown == 1 else "are"
    return (
        f"; {unknown} of {metric.n} {verb} missing or invalid: mend that first (oloproof inspect --failures says why)"
    )


def _settling(state: str, best: int | None, stays: int | None, chance: float | None, total: int) -> str:
    """Return in words what further cases would do."""
    if state == "PASS":
        return "decided: PASS"
    at_best = f"{best} more if every one of them is good" if best is not None else "no number, not even if all are good"
    at_rate = f"{stays} more if the rate stays as it is" if stays is not None else "never if the rate stays as it is"
    odds = "" if not chance or chance < 0.005 else f"; with {total} in all it would PASS with probability {chance:.2f}"
    lead = "decided: FAIL; to PASS after all: " if state == "FAIL" else "to PASS: "
    return f"{lead}{at_best}, {at_rate}{odds}"


def plan_document(run: StoredRun, found: Iterable[Prospect]) -> dict[str, Any]:
    """Return what ``plan --json`` prints."""
    return {"run": run.id, "cases": run.cases, "rules": [to_builtins(one) for one in found]}
