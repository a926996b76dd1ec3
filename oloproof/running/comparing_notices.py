"""What a reader of a comparison should know of its two runs: what was not the same in both beside the system."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from oloproof.policy import Comparison
from oloproof.records import Notice
from oloproof.storage import History, StoredRun
from oloproof.storage.pairs import changed_cases

_LISTED = 5


def comparing_notices(
    history: History, candidate: StoredRun, baseline: StoredRun, compared: Sequence[Comparison]
) -> Iterator[Notice]:
    """Yield why a difference may be none of the systems: other cases of one id, other checks of one name."""
    changed = changed_cases(history.store, candidate, baseline)
    yield from _other_cases("input value or file", [case for case, given, _ in changed if given])
    yield from _other_cases("expected value", [case for case, _, expected in changed if expected])
    shared = {one.criterion for one in compared}
    others = sorted(shared & _unequal(candidate, baseline))
    if others:
        verb = "is another check" if len(others) == 1 else "are other checks"
        yield Notice(
            "evaluator_changed",
            f"{', '.join(others)} {verb} in the two runs (its options, its code or its judge changed), so a difference "
            "may be that of the check; run the baseline's system again to compare both by one",
        )
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


def _unequal(candidate: StoredRun, baseline: StoredRun) -> set[str]:
    """Return the criteria that both runs have and that do not rest on the same evaluator."""
    before = {entry["criterion"]: entry["digest"] for entry in baseline.criteria}
    return {
        entry["criterion"]
        for entry in candidate.criteria
        if before.get(entry["criterion"], entry["digest"]) != entry["digest"]
    }
