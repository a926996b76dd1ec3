"""Two runs over the same cases, side by side: what each gave, what of it differs, one page of pairs at a time.

Which cases pair and which of them got better or worse is said by the comparison (``oloproof.policy``); this room knows
what was stored of them. What orders ask about is read once for a pair of runs and kept, for finished runs never change.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, func, or_, select
from sqlalchemy import case as sql_case

from oloproof.records import ORIGINAL, OUTCOMES, MediaItem, Outcome
from oloproof.storage.history import History, StoredRun
from oloproof.storage.rows import item_path, media_from_text, storable
from oloproof.storage.schema import executions, labels, trials, validations, verdicts
from oloproof.storage.store import Store

LONGEST_OUTPUT = 64 * 1024
"""Characters of JSON up to which an output is read whole; of a longer one its beginning."""
CUT_OUTPUT = 4_000


@dataclass(frozen=True, slots=True)
class Side:
    """One trial of a case as it is compared, with what one criterion says of it (``missing`` without a verdict).

    ``output`` is JSON, or the beginning of it where it is too long; ``length`` is that of the whole.
    """

    case_id: str
    repeat: int
    slice: str | None
    outcome: Outcome
    score: float | None
    reason: str
    output: str | None
    length: int
    error: str | None
    media: tuple[MediaItem, ...]

    @property
    def is_cut(self) -> bool:
        """Whether the output is not all there."""
        return self.length > LONGEST_OUTPUT


@dataclass(frozen=True, slots=True)
class Differences:
    """The ids of cases that both runs have, by what differs in any of their trials; ``outputs`` in order of the run."""

    inputs: frozenset[str]
    outputs: tuple[str, ...]


class PairedRuns:
    """What is stored of two runs, over the trials of their cases as they are (``original``). Safe between threads."""

    def __init__(self, history: History, candidate: StoredRun, baseline: StoredRun) -> None:
        self.candidate = candidate
        self.baseline = baseline
        self._store = history.store
        self._lock = threading.RLock()
        self._differences: Differences | None = None
        self._scores: dict[tuple[int, int], dict[str, float]] = {}
        self._only: tuple[int, int] | None = None
        self._both: int | None = None

    def only_in_one(self) -> tuple[int, int]:
        """Return how many cases only the candidate has, and how many only the baseline."""
        with self._lock:
            if self._only is None:
                both = (self.candidate.number, self.baseline.number)
                self._only = (self._only_in(*both), self._only_in(*reversed(both)))
            return self._only

    def in_both(self) -> int:
        """Return how many cases both runs have, measured or not."""
        with self._lock:
            if self._both is None:
                t = trials.c
                query = select(func.count(t.case_id.distinct())).where(
                    t.run == self.candidate.number, t.variant == ORIGINAL
                )
                self._both = int(self._rows(query)[0][0]) - self.only_in_one()[0]
            return self._both

    def _only_in(self, run: int, other: int) -> int:
        t, there = trials.c, trials.alias()
        has = select(there.c.id).where(there.c.run == other, there.c.case_id == t.case_id, there.c.variant == ORIGINAL)
        query = select(func.count(t.case_id.distinct())).where(t.run == run, t.variant == ORIGINAL, ~has.exists())
        return int(self._rows(query)[0][0])

    def differences(self) -> Differences:
        """Return which cases were given another input, and which were answered otherwise, in words or in bytes."""
        with self._lock:
            if self._differences is None:
                self._differences = self._read_differences()
            return self._differences

    def _read_differences(self) -> Differences:
        new, old, ours, theirs = trials.alias(), trials.alias(), executions.alias(), executions.alias()
        other_input = ours.c.input != theirs.c.input
        other_output = or_(ours.c.output.is_distinct_from(theirs.c.output), _made(ours).is_distinct_from(_made(theirs)))
        same = and_(old.c.case_id == new.c.case_id, old.c.variant == new.c.variant, old.c.repeat == new.c.repeat)
        query = (
            select(new.c.case_id, other_input.label("input"), other_output.label("output"))
            .select_from(
                new.join(old, same)
                .join(ours, ours.c.id == new.c.execution)
                .join(theirs, theirs.c.id == old.c.execution)
            )
            .where(
                new.c.run == self.candidate.number,
                old.c.run == self.baseline.number,
                new.c.variant == ORIGINAL,
                new.c.execution != old.c.execution,  # one that was reused is the same in all
            )
            .order_by(new.c.position)
        )
        found = self._rows(query)
        return Differences(
            frozenset(row.case_id for row in found if row.input),
            tuple(dict.fromkeys(row.case_id for row in found if row.output)),
        )

    def scores(self, run: StoredRun, criterion: int) -> Mapping[str, float]:
        """Return the mean score of each case that has one; ``criterion`` is its number in that run."""
        with self._lock:
            key = (run.number, criterion)
            if key not in self._scores:
                t, v = trials.c, verdicts.c
                query = (
                    select(t.case_id, func.avg(v.score))
                    .select_from(trials.join(verdicts))
                    .where(t.run == run.number, t.variant == ORIGINAL, v.criterion == criterion, v.score.is_not(None))
                    .group_by(t.case_id)
                )
                self._scores[key] = {row[0]: row[1] for row in self._rows(query)}
            return self._scores[key]

    def sides(self, run: StoredRun, criterion: int | None, cases: Sequence[str]) -> dict[str, list[Side]]:
        """Return the trials of these cases in a run, by case, repeat by repeat; nothing for a case that it has not."""
        t, e, v = trials.c, executions.c, verdicts.c
        length = func.length(e.output)
        told = and_(v.trial == t.id, v.criterion == criterion)
        query = (
            select(
                t.case_id, t.repeat, t.slice, v.outcome, v.score, v.reason, e.error, e.media, t.execution,
                length.label("length"),
                sql_case((length > LONGEST_OUTPUT, func.substr(e.output, 1, CUT_OUTPUT)), else_=e.output)
                .label("output"),
            )
            .select_from(trials.join(executions).outerjoin(verdicts, told))
            .where(t.run == run.number, t.variant == ORIGINAL, t.case_id.in_([storable(case) for case in cases]))
            .order_by(t.case_id, t.repeat)
        )  # fmt: skip
        found: dict[str, list[Side]] = {}
        for row in self._rows(query):
            found.setdefault(row.case_id, []).append(_side(row))
        return found

    def _rows(self, query: Any) -> list[Any]:
        with self._store.reading() as connection:
            return list(connection.execute(query).all())


def people_said(store: Store) -> tuple[object, ...]:
    """Return what is another when a label was given or changed, or a judge was held to them, since."""
    newest = [select(func.max(column)).scalar_subquery() for column in (labels.c.created, validations.c.id)]
    with store.reading() as connection:
        return tuple(connection.execute(select(*newest)).one())


def _made(execution: Any) -> Any:
    """Return the digests of the files that an execution recorded as its output, in order."""
    item = func.json_each(execution.c.media).table_valued("value", name=f"{execution.name}_items")
    made = func.json_extract(item.c.value, item_path("role")) == "output"
    digests = func.group_concat(func.json_extract(item.c.value, item_path("sha256")))
    return select(digests).select_from(item).where(made).scalar_subquery()


def _side(row: Any) -> Side:
    return Side(
        case_id=row.case_id,
        repeat=row.repeat,
        slice=row.slice,
        outcome="missing" if row.outcome is None else OUTCOMES[row.outcome],
        score=row.score,
        reason=row.reason or "",
        output=row.output,
        length=row.length or 0,
        error=row.error,
        media=media_from_text(row.media, row.execution),
    )
