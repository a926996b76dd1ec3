"""Two stored runs, criterion by criterion: how each pairs, and what the rules that compare decide."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from oloproof.config.models import PolicyOptions, RuleOptions
from oloproof.errors import ConfigError
from oloproof.policy import Comparison, Measure, compare_cases, decide_comparison, partial_decision, reduce_cases
from oloproof.records import ORIGINAL, Decision
from oloproof.running.deciding import measures_of, refuse_unknown_metrics, relations_of, slice_fields_of, unfit
from oloproof.running.standing import judge_table, standing_of
from oloproof.storage import History, StoredRun


def compare_runs(
    history: History, candidate: StoredRun, baseline: StoredRun, policy: PolicyOptions | None
) -> tuple[list[Comparison], list[Decision]]:
    """Return every criterion that both runs have, paired case by case, and what the comparing rules decide.

    What is returned of a criterion is about the cases as they are; a rule reads the variant and slice that it names.

    Raises:
        ConfigError: the runs share no criterion, or a rule names one that they do not share.
    """
    policy = policy or PolicyOptions()
    after, before = measures_of(candidate.document), measures_of(baseline.document)
    shared = [name for name in after if name in before and after[name].is_on_the_scale_of(before[name])]
    if not shared:
        types = [one.get("type") for one in candidate.document["project"].get("evaluators", ())]
        hint = "; with --judge the pairwise_judge is asked" if "pairwise_judge" in types else ""
        if scored := [name for name in after if name in before and after[name].kind == before[name].kind]:
            hint = f"; {', '.join(scored)}: the scales of the scores differ, and no two scales can be compared{hint}"
        raise ConfigError(f"runs {candidate.id} and {baseline.id} share no criterion, so nothing can be compared{hint}")
    comparing = [rule for rule in policy.rules if rule.compares]
    unknown = [rule for rule in comparing if rule.criterion not in shared]
    if unknown:
        raise ConfigError(
            f"rule {unknown[0].id!r}: {unknown[0].metric!r} is not a criterion of both runs; "
            f"they share {', '.join(shared)}"
        )
    held = policy.model_copy(update={"rules": comparing})
    slices = slice_fields_of(history, candidate, held)
    refuse_unknown_metrics(held, after, relations_of(candidate.document), slices)
    compare = _comparer(history, candidate, baseline, policy.confidence_level)
    found = [compare(after[name], None, ORIGINAL) for name in shared]
    standings = [
        standing_of(history, baseline, before, policy),
        standing_of(history, candidate, after, policy),
    ]
    judges = {name: reason for standing in standings for name, reason in unfit(standing).items()}
    decisions = []
    for rule in comparing:
        matching = next(one for one in found if one.criterion == rule.criterion)
        variant = rule.variant or ORIGINAL
        if rule.slice is not None or variant != ORIGINAL:
            matching = compare(after[rule.criterion], rule.slice, variant)
        unfit_judges = judges if policy.holds_to_labels(rule) else {}
        tables = None
        if _asks_for_people(rule, standings[1], judges, policy):
            tables = (judge_table(history, candidate, rule.criterion), judge_table(history, baseline, rule.criterion))
        decision = decide_comparison(rule, matching, unfit_judges, policy.block_on, tables)
        decisions.append(partial_decision(decision) if candidate.partial or baseline.partial else decision)
    return found, decisions


def _asks_for_people(rule: RuleOptions, judged: Collection[str], unfit: Collection[str], policy: PolicyOptions) -> bool:
    """Whether a rule is about what people would say, and the judge of its criterion may tell."""
    told = rule.criterion in judged and rule.criterion not in unfit
    return told and policy.holds_to_labels(rule) and rule.estimand != "judge_rate"


def _comparer(
    history: History, candidate: StoredRun, baseline: StoredRun, level: float
) -> Callable[[Measure, Mapping[str, Any] | None, str], Comparison]:
    def compare(measure: Measure, slice_: Mapping[str, Any] | None, variant: str) -> Comparison:
        sides = [
            reduce_cases(
                history.observations(run, list(measures_of(run.document)).index(measure.criterion), variant=variant),
                measures_of(run.document)[measure.criterion],
                variant=variant,
                slice_=slice_,
            )
            for run in (candidate, baseline)
        ]
        return compare_cases(sides[0], sides[1], measure, level)

    return compare
