"""Reading a project's database page by page, and the observations that the metrics of a run are made of."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from sqlite3 import Row
from typing import Any, NamedTuple

from oloproof.records import OUTCOMES, Outcome
from oloproof.storage.rows import storable
from oloproof.storage.sql import marks
from oloproof.storage.store import Store
from oloproof.storage.stored import StoredRun

_PAGE = 1_000

_OBSERVED = """
    trials.position, trials.case_id, trials.variant, trials.repeat, trials.slice, verdicts.outcome, verdicts.score,
    executions.error IS NOT NULL
"""
_SAID = """
    trials JOIN executions ON executions.id = trials.execution JOIN verdicts ON verdicts.trial = trials.id
    WHERE trials.run = ? AND verdicts.criterion = ?
"""


class Observation(NamedTuple):
    """What one trial contributes to the metrics of one criterion; ``error`` says that the execution failed.

    For metrics over families also the ``output`` as JSON, and what the evaluator noted of the answer: what it
    ``found`` in it and the ``label`` it gave, as JSON too.
    """

    case_id: str
    variant: str
    repeat: int
    slice: str | None
    outcome: Outcome
    score: float | None
    error: bool
    output: str | None = None
    found: str | None = None
    label: str | None = None


_NEITHER = [number for number, outcome in enumerate(OUTCOMES) if outcome not in ("pass", "fail")]


class Unmeasured(NamedTuple):
    """Verdicts that are missing or invalid: the reason of most of them, of how many, and the first of those."""

    verdicts: int
    reason: str
    times: int
    case_id: str
    variant: str


class Reading:
    """Reads from one project's database, which stays open for others. Safe to share between threads."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def _stream(self, query: str, values: Sequence[Any]) -> Iterator[Row]:
        for page in self._pages(query, values):
            yield from page

    def _pages(
        self, query: str, values: Sequence[Any], size: int = _PAGE, *, by_place: bool = True
    ) -> Iterator[list[Row]]:
        """Yield pages by place in the run. The query gives it as ``position`` and ends in the conditions on its rows.

        Memory stays bounded, no lock is held while a page is worked on, and the order is that of the dataset. Without
        ``by_place`` the rows are few and found otherwise: SQLite would walk through the whole run for their order.
        """
        place = "trials.position" if by_place else "trials.position + 0"
        query, last = f"{query} AND {place} > ? ORDER BY {place} LIMIT ?", -1
        while page := self.store.rows(query, (*values, last, size)):
            yield page
            last = page[-1]["position"]
            if len(page) < size:
                return


class Observations(Reading):
    """What the trials of a run say of its criteria."""

    def observations(self, run: StoredRun, criterion: int, *, variant: str | None = None) -> Iterator[Observation]:
        """Yield what each trial says of one criterion, in the order of the run, so that repeats stand together.

        With ``variant`` only the trials of that one.
        """
        query, values = _of_variant(f"SELECT {_OBSERVED} FROM {_SAID}", (run.number, criterion), variant)
        for row in self._stream(query, values):
            yield Observation(*_values(row))

    def answers(self, run: StoredRun, criterion: int, *, cases: Collection[str] | None = None) -> Iterator[Observation]:
        """Yield what :meth:`observations` does, with what was answered beside it; of a few ``cases``, or of all."""
        query = f"""
            SELECT {_OBSERVED}, executions.output,
                json_extract(verdicts.details, '$.found'), json_extract(verdicts.details, '$.label')
            FROM {_SAID}
        """
        values: list[Any] = [run.number, criterion]
        if cases is not None:
            query += f"AND trials.case_id IN {marks(cases)}"
            values += map(storable, cases)
        for page in self._pages(query, values, by_place=cases is None):
            yield from map(_answer, page)

    def coded(self, run: StoredRun, criterion: int, code: str) -> int:
        """Return how many verdicts of a criterion carry a code in their details, such as ``sight_not_proven``."""
        query = """
            SELECT count(*) FROM trials JOIN verdicts ON verdicts.trial = trials.id
            WHERE trials.run = ? AND verdicts.criterion = ? AND json_extract(verdicts.details, '$.code') = ?
        """
        return int(self.store.scalar(query, (run.number, criterion, code)))

    def unmeasured(self, run: StoredRun, criterion: int) -> Unmeasured | None:
        """Return how many verdicts say neither pass nor fail though there was an execution; None if all do."""
        query = f"""
            SELECT verdicts.reason, count(*) AS found, trials.case_id, trials.variant, min(trials.position) AS first
            FROM {_SAID}
            AND verdicts.outcome IN {marks(_NEITHER)} AND executions.error IS NULL
            GROUP BY verdicts.reason ORDER BY found DESC, first
        """
        rows = self.store.rows(query, (run.number, criterion, *_NEITHER))
        return Unmeasured(sum(row["found"] for row in rows), *rows[0][:4]) if rows else None

    def executed(self, run: StoredRun, *, variant: str | None = None) -> Iterator[Observation]:
        """Yield, for each trial, whether its execution failed: what the error rate is made of.

        One that failed counts as a hit, a ``pass``, as in every rate of errors, invalid or missing answers.
        """
        query = """
            SELECT trials.position, trials.case_id, trials.variant, trials.repeat, trials.slice,
                executions.error IS NOT NULL
            FROM trials JOIN executions ON executions.id = trials.execution
            WHERE trials.run = ?
        """
        for row in self._stream(*_of_variant(query, (run.number,), variant)):
            yield Observation(row[1], row[2], row[3], row[4], "pass" if row[5] else "fail", None, bool(row[5]))


def _values(row: Row) -> tuple[Any, ...]:
    """Return the fields of an observation from the first columns of a row."""
    return (*row[1:5], OUTCOMES[row[5]], row[6], bool(row[7]))


def _answer(row: Row) -> Observation:
    return Observation(*_values(row), *(None if value is None else str(value) for value in row[8:11]))


def _of_variant(query: str, values: tuple[Any, ...], variant: str | None) -> tuple[str, tuple[Any, ...]]:
    """Return a query with its values that finds only what is of a variant; of any without one."""
    return (query, values) if variant is None else (f"{query} AND trials.variant = ?", (*values, storable(variant)))
