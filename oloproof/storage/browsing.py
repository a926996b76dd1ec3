"""Looking through runs and cases as pages do: lists of runs, and what is kept in memory of the last ones."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from oloproof.storage.case_index import CaseIndex
from oloproof.storage.families import FamilyIndex
from oloproof.storage.history import History
from oloproof.storage.kept import Kept
from oloproof.storage.sql import like_pattern, marks
from oloproof.storage.store import Store
from oloproof.storage.stored import StoredRun

_MOST_RUNS = 4

_MATCHING = """
    FROM runs
    WHERE (:among IS NULL OR number IN (SELECT value FROM json_each(:among)))
        AND (
            :text IS NULL
            OR id LIKE :text ESCAPE '\\'
            OR system_name LIKE :text ESCAPE '\\'
            OR system_version LIKE :text ESCAPE '\\'
        )
"""
"""The runs that a page is made of; ``among`` is one list, since SQLite takes only so many values."""


class RunsPage(Struct, frozen=True):
    """A page of runs, newest first. ``next`` is what to give as ``before`` for the page behind it."""

    runs: tuple[StoredRun, ...]
    total: int
    next: int | None


class Line(Struct, frozen=True):
    """The least that tells what became of a run. ``decision`` is the id of its newest one, None where it has none."""

    number: int
    state: str
    decision: int | None


class Browsing(History):
    """The runs of one project, to look through. Safe to ask from several threads; make one and keep it."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._indexes: Kept[tuple[int, float], CaseIndex] = Kept(_MOST_RUNS)
        self._families: Kept[CaseIndex, FamilyIndex] = Kept(_MOST_RUNS)

    def runs_page(
        self, size: int, *, before: int | None = None, text: str = "", among: Iterable[int] | None = None
    ) -> RunsPage:
        """Return at most ``size`` runs older than the one numbered ``before``, newest first.

        ``text`` is looked for in the id, the system's name and its version; ``among`` has the numbers of the only runs
        that are shown.
        """
        values = {
            "text": like_pattern(text) if text else None,
            "among": None if among is None else json.dumps(list(among)),
            "before": sys.maxsize if before is None else before,
            "most": size + 1,
        }
        found = self.store.rows(f"SELECT * {_MATCHING} AND number < :before ORDER BY number DESC LIMIT :most", values)
        total = int(self.store.scalar(f"SELECT count(*) {_MATCHING}", values))
        shown = tuple(self._run(row) for row in found[:size])
        return RunsPage(shown, total, shown[-1].number if len(found) > size else None)

    def lines(self) -> list[Line]:
        """Return the state of every run with its newest decision."""
        query = """
            SELECT runs.number, runs.state, max(decisions.id) FROM runs
            LEFT JOIN decisions ON decisions.run = runs.number GROUP BY runs.number
        """
        return [Line(*row) for row in self.store.rows(query)]

    def last_decisions(self, numbers: Sequence[int]) -> dict[int, Mapping[str, Any]]:
        """Return the newest decision of each of these runs that has one."""
        query = f"""
            SELECT run, document FROM decisions
            WHERE id IN (SELECT max(id) FROM decisions WHERE run IN {marks(numbers)} GROUP BY run)
        """
        return {run: json.loads(document) for run, document in self.store.rows(query, numbers)}

    def done(self, numbers: Sequence[int]) -> dict[int, int]:
        """Return how many trials of each of these runs are stored."""
        query = f"SELECT run, count(*) FROM trials WHERE run IN {marks(numbers)} GROUP BY run"
        return dict.fromkeys(numbers, 0) | {row[0]: row[1] for row in self.store.rows(query, numbers)}

    def index(self, run: StoredRun) -> CaseIndex:
        """Return the index of a run's cases, which is kept until the run ends or more of it is stored."""
        state = -float(self.done([run.number])[run.number]) if run.finished is None else run.finished
        return self._indexes.get((run.number, state), lambda: CaseIndex(self.store, run))

    def families(self, run: StoredRun) -> FamilyIndex:
        """Return which families of a run moved most, kept as long as its index is."""
        index = self.index(run)
        return self._families.get(index, lambda: FamilyIndex(self.store, run, index))
