"""What a reader of a comparison should know of its two runs: what was not the same in both beside the system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from oloproof.policy import Comparison
from oloproof.records import Notice
from oloproof.running.judge_documents import models_served
from oloproof.storage import History, StoredRun
from oloproof.storage.pairs import changed_cases

_LISTED = 5


def comparing_notices(
    history: History, candidate: StoredRun, baseline: StoredRun, compared: Sequence[Comparison]
) -> Iterator[Notice]:
    """Yield why a difference may be none of the systems: other cases of one id, other checks of one name."""
    changed = changed_cases(history.store, candidate, baseline)
    yield from _other_cases("input value or file", [case for case, given, _ in changed if given])
    yield from _other_cases("expected value or file", [case for case, _, expected in changed if expected])
    yield from _other_counting(candidate, baseline)
    shared = {one.criterion for one in compared}
    others = sorted(shared & _unequal(candidate, baseline))
    if others:
        verb = "is another check" if len(others) == 1 else "are other checks"
        yield Notice(
            "evaluator_changed",
            f"{', '.join(others)} {verb} in the two runs (its options, its code or its judge changed), so a difference "
            "may be that of the check; run the baseline's system again to compare both by one",
        )
    yield from _other_models(history, candidate, baseline, sorted(shared))
    for run in (candidate, baseline):
        alone = [entry["criterion"] for entry in run.criteria if entry["criterion"] not in shared]
        if alone and shared:
            yield Notice("not_compared", f"only run {run.id} measured {', '.join(alone)} in this way: not compared")


def _other_cases(what: str, cases: Sequence[str]) -> Iterator[Notice]:
    if cases:
        more = f" and {len(cases) - _LISTED:,} more" if len(cases) > _LISTED else ""
        said = "1 case of the same id has" if len(cases) == 1 else f"{len(cases):,} cases of the same id have"
        yield Notice(
            f"{what.partition(' ')[0]}_changed",
            f"{said} another {what} in the two runs ({', '.join(cases[:_LISTED])}{more}), so what differs there may "
            "not come from the system; give a changed case a new id",
        )


def _other_counting(candidate: StoredRun, baseline: StoredRun) -> Iterator[Notice]:
    """Yield that a case of several repeats passes in one run where it counts in part, or not at all, in the other."""
    after, before = candidate.document["repeats"], baseline.document["repeats"]
    if after != before and (after["pass_when"] or before["pass_when"]):
        yield Notice(
            "repeats_changed",
            f"what a case of several repeats counts for is not the same in the two runs ({_counting(after)} in the "
            f"candidate, {_counting(before)} in the baseline), so a difference may come from the counting; run the "
            "baseline's system again with the repeats: of the candidate",
        )


def _counting(repeats: Mapping[str, Any]) -> str:
    if repeats["pass_when"]:
        return f"a pass when {repeats['pass_when']} of {repeats['count']} pass"
    return f"the share of {repeats['count']} that pass" if repeats["count"] > 1 else "one execution"


def _other_models(
    history: History, candidate: StoredRun, baseline: StoredRun, shared: Sequence[str]
) -> Iterator[Notice]:
    """Yield that one judge was answered by other models in the two runs."""
    judges = {entry["criterion"]: entry["digest"] for entry in candidate.criteria if entry["calls_model"]}
    for criterion in (name for name in shared if name in judges):
        after, before = (models_served(history, run, criterion, judges[criterion]) for run in (candidate, baseline))
        if after and before and after != before:
            yield Notice(
                "judge_model_changed",
                f"{criterion}: the judge was answered by {', '.join(sorted(after))} in the candidate and by "
                f"{', '.join(sorted(before))} in the baseline, so a difference may be that of the judge",
            )


def _unequal(candidate: StoredRun, baseline: StoredRun) -> set[str]:
    """Return the criteria that both runs have and that do not rest on the same evaluator."""
    before = {entry["criterion"]: entry["digest"] for entry in baseline.criteria}
    return {
        entry["criterion"]
        for entry in candidate.criteria
        if before.get(entry["criterion"], entry["digest"]) != entry["digest"]
    }
