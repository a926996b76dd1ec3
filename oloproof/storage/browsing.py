"""Looking through runs and cases as pages do: lists of runs, and what the tiles of a gallery show."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import func, or_, select

from oloproof.records import OUTCOMES
from oloproof.storage.case_index import RANKS, CaseIndex, Tile, like_pattern
from oloproof.storage.history import History, StoredRun
from oloproof.storage.kept import Kept
from oloproof.storage.rows import deliveries_from_text, media_from_text
from oloproof.storage.schema import decisions, executions, runs, trials, verdicts
from oloproof.storage.store import Store

_MOST_RUNS = 4


@dataclass(frozen=True, slots=True)
class RunsPage:
    """A page of runs, newest first. ``next`` is what to give as ``before`` for the page behind it."""

    runs: tuple[StoredRun, ...]
    total: int
    next: int | None


@dataclass(frozen=True, slots=True)
class Line:
    """The least that tells what became of a run. ``decision`` is the id of its newest one, None where it has none."""

    number: int
    state: str
    decision: int | None


class Browsing(History):
    """The runs of one project, to look through. Safe to ask from several threads; make one and keep it."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._indexes: Kept[tuple[int, float], CaseIndex] = Kept(_MOST_RUNS)

    def runs_page(
        self, size: int, *, before: int | None = None, text: str = "", among: Iterable[int] | None = None
    ) -> RunsPage:
        """Return at most ``size`` runs older than the one numbered ``before``, newest first.

        ``text`` is looked for in the id, the system's name and its version; ``among`` has the numbers of the only runs
        that are shown.
        """
        c = runs.c
        match = [c.number > 0]
        if text:
            pattern = like_pattern(text)
            named = (c.id, c.system_name, c.system_version)
            match = [or_(*(column.like(pattern, escape="\\") for column in named))]
        if among is not None:
            # One parameter, since SQLite takes only so many.
            wanted = func.json_each(json.dumps(list(among))).table_valued("value")
            match.append(c.number.in_(select(wanted.c.value)))
        older = [] if before is None else [c.number < before]
        found = self._rows(select(runs).where(*match, *older).order_by(c.number.desc()).limit(size + 1))
        total = int(self._scalar(select(func.count()).select_from(runs).where(*match)))
        shown = tuple(self._run(row) for row in found[:size])
        return RunsPage(shown, total, shown[-1].number if len(found) > size else None)

    def lines(self) -> list[Line]:
        """Return the state of every run with its newest decision."""
        newest = func.max(decisions.c.id)
        query = select(runs.c.number, runs.c.state, newest).outerjoin(decisions, decisions.c.run == runs.c.number)
        return [Line(*row) for row in self._rows(query.group_by(runs.c.number))]

    def last_decisions(self, numbers: Sequence[int]) -> dict[int, Mapping[str, Any]]:
        """Return the newest decision of each of these runs that has one."""
        newest = select(func.max(decisions.c.id)).where(decisions.c.run.in_(numbers)).group_by(decisions.c.run)
        return {
            row.run: json.loads(row.document) for row in self._rows(select(decisions).where(decisions.c.id.in_(newest)))
        }

    def done(self, numbers: Sequence[int]) -> dict[int, int]:
        """Return how many trials of each of these runs are stored."""
        t = trials.c
        return dict.fromkeys(numbers, 0) | {
            row[0]: row[1] for row in self._rows(select(t.run, func.count()).where(t.run.in_(numbers)).group_by(t.run))
        }

    def index(self, run: StoredRun) -> CaseIndex:
        """Return the index of a run's cases, which is kept until the run ends or more of it is stored."""
        state = -float(self.done([run.number])[run.number]) if run.finished is None else run.finished
        return self._indexes.get((run.number, state), lambda: CaseIndex(self, run))

    def tiles(self, rows: Sequence[int], criterion: int | None) -> dict[int, Tile]:
        """Return the tiles of trials given by their rows."""
        t, e = trials.c, executions.c
        columns = (
            t.id,
            t.case_id,
            t.variant,
            t.repeat,
            e.error,
            e.seconds,
            e.media,
            e.id.label("execution_id"),
            t.delivered,
        )
        query = select(*columns).select_from(trials.join(executions)).where(t.id.in_(rows))
        told = self._told(rows, criterion)
        return {row.id: _tile(row, told.get(row.id)) for row in self._rows(query)}

    def _told(self, rows: Sequence[int], criterion: int | None) -> dict[int, Any]:
        """Return the verdict by which each trial is told: that of the criterion, or the worst."""
        v = verdicts.c
        query = select(v.trial, v.criterion, v.outcome, v.score, v.reason).where(v.trial.in_(rows))
        if criterion is not None:
            query = query.where(v.criterion == criterion)
        found = self._rows(query.order_by(v.trial, v.criterion))
        worst = {}
        for trial, group in groupby(found, key=itemgetter(0)):
            worst[trial] = min(group, key=lambda row: RANKS[str(row.outcome)])
        return worst

    def rows_of(self, query: Any) -> list[Any]:
        """Return the rows of a query of this room."""
        return self._rows(query)


def _tile(row: Any, told: Any) -> Tile:
    given = (one.item for one in deliveries_from_text(row.delivered, row.id) if one.item is not None)
    return Tile(
        case_id=row.case_id,
        variant=row.variant,
        repeat=row.repeat,
        told=None if told is None else told.criterion,
        outcome="missing" if told is None else OUTCOMES[told.outcome],
        score=None if told is None else told.score,
        reason="" if told is None else told.reason,
        error=row.error,
        seconds=row.seconds,
        media=(*media_from_text(row.media, row.execution_id), *given),
    )
