"""Which families of a run moved most, so that a map of many cases shows the few that are to be looked at.

This is only the choice of cases, told by outcomes. What is said of each of them is read by ``oloproof.policy``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from oloproof.records import ORIGINAL, OUTCOMES, Outcome
from oloproof.storage.case_index import CaseIndex
from oloproof.storage.kept import Kept
from oloproof.storage.store import Store
from oloproof.storage.stored import StoredRun

_MOST_ORDERS = 16
_EXPECTED_TO_MOVE = ("control", "answer_changes")
"""Relations in which another outcome is no news."""

_Rank = tuple[int, int, int]
_Said = tuple[tuple[str, Outcome], ...]


class FamilyIndex:
    """The families of one run, the most moved first. Safe between threads."""

    def __init__(self, store: Store, run: StoredRun, index: CaseIndex) -> None:
        self._store, self._run, self._index = store, run, index
        relations = run.document.get("relations") or {}
        self._watched = [name for name, relation in relations.items() if relation not in _EXPECTED_TO_MOVE]
        self._worst: Kept[tuple[int, int], tuple[str, ...]] = Kept(_MOST_ORDERS)

    def most_moved(self, criterion: int, limit: int) -> tuple[str, ...]:
        """Return the ids of at most ``limit`` cases.

        First come those of which most variants pass in another share of repeats than the original does, then those
        with several wrong answers, those that are not known, and those that fail; equals in the order of the run.
        Controls, and variants that ask for another answer, count for nothing.
        """
        return self._worst.get((criterion, limit), lambda: self._chosen(criterion, limit))

    def _chosen(self, criterion: int, limit: int) -> tuple[str, ...]:
        cases, known = self._index.cases, dict[_Said, _Rank]()
        ranks = []
        for case in range(len(cases)):
            said = tuple(self._index.said(case, criterion))
            if said not in known:
                known[said] = _rank(said, self._watched)
            ranks.append(known[said])
        several: set[str] = set()
        if len(cases) > limit > sum(moved < 0 for moved, _, _ in ranks):
            several = self._several_wrong_answers(criterion)
        order = sorted(range(len(cases)), key=lambda case: (ranks[case][0], cases[case] not in several, ranks[case]))
        return tuple(cases[case] for case in order[:limit])

    def _several_wrong_answers(self, criterion: int) -> set[str]:
        """Return the cases whose trials fail with more than one answer."""
        query = """
            SELECT trials.case_id
            FROM trials
            JOIN executions ON executions.id = trials.execution
            JOIN verdicts ON verdicts.trial = trials.id
            WHERE trials.run = ? AND verdicts.criterion = ? AND verdicts.outcome = ?
            GROUP BY trials.case_id
            HAVING count(DISTINCT coalesce(json_extract(verdicts.details, '$.found'), executions.output)) > 1
        """
        values = (self._run.number, criterion, OUTCOMES.index("fail"))
        return {row[0] for row in self._store.rows(query, values)}


def _rank(said: Iterable[tuple[str, Outcome]], watched: list[str]) -> _Rank:
    """Return minus how many variants moved, minus how many trials are not known, and minus how many fail."""
    found: dict[str, list[Outcome]] = {}
    for variant, outcome in said:
        found.setdefault(variant, []).append(outcome)
    original = _share(found.get(ORIGINAL, []))
    shares = [_share(found[name]) for name in watched if name in found]
    moved = sum(original is not None and share is not None and share != original for share in shares)
    counted: Mapping[str, Any] = {name: found[name] for name in (ORIGINAL, *watched) if name in found}
    everything = [outcome for own in counted.values() for outcome in own]
    unknown = sum(outcome not in ("pass", "fail") for outcome in everything)
    return -moved, -unknown, -everything.count("fail")


def _share(outcomes: list[Outcome]) -> float | None:
    known = [outcome for outcome in outcomes if outcome in ("pass", "fail")]
    return known.count("pass") / len(known) if known else None
