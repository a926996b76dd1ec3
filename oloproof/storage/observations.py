"""Reading a project's database page by page, and the observations that the metrics of a run are made of."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from oloproof.records import OUTCOMES, Outcome
from oloproof.storage.rows import storable
from oloproof.storage.schema import executions, trials, verdicts
from oloproof.storage.store import Store

if TYPE_CHECKING:
    from oloproof.storage.history import StoredRun

_PAGE = 1_000

_OBSERVED = (
    trials.c.position,
    trials.c.case_id,
    trials.c.variant,
    trials.c.repeat,
    trials.c.slice,
    verdicts.c.outcome,
    verdicts.c.score,
    executions.c.error.is_not(None),
)


@dataclass(frozen=True, slots=True)
class Observation:
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


class Reading:
    """Reads from one project's database, which stays open for others. Safe to share between threads."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def _rows(self, query: Any) -> list[Any]:
        with self.store.reading() as connection:
            return list(connection.execute(query).all())

    def _scalar(self, query: Any) -> Any:
        with self.store.reading() as connection:
            return connection.scalar(query)

    def _stream(self, query: Any, *, by_place: bool = True) -> Iterator[Any]:
        for page in self._pages(query, by_place=by_place):
            yield from page

    def _pages(self, query: Any, size: int | None = None, *, by_place: bool = True) -> Iterator[list[Any]]:
        """Yield pages by place in the run, which the query gives as ``position``.

        Memory stays bounded, no lock is held while a page is worked on, and the order is that of the dataset. Without
        ``by_place`` the rows are few and found otherwise: SQLite would walk through the whole run for their order.
        """
        place = trials.c.position if by_place else trials.c.position + 0
        last, size = -1, size or _PAGE
        while page := self._rows(query.where(place > last).order_by(place).limit(size)):
            yield page
            last = page[-1].position
            if len(page) < size:
                return


class Observations(Reading):
    """What the trials of a run say of its criteria."""

    def observations(self, run: StoredRun, criterion: int, *, variant: str | None = None) -> Iterator[Observation]:
        """Yield what each trial says of one criterion, in the order of the run, so that repeats stand together.

        With ``variant`` only the trials of that one.
        """
        t, v = trials.c, verdicts.c
        query = (
            select(*_OBSERVED)
            .select_from(trials.join(executions).join(verdicts))
            .where(t.run == run.number, v.criterion == criterion, *_of_variant(variant))
        )
        for row in self._stream(query):
            yield Observation(*_values(row))

    def answers(self, run: StoredRun, criterion: int, *, cases: Collection[str] | None = None) -> Iterator[Observation]:
        """Yield what :meth:`observations` does, with what was answered beside it; of a few ``cases``, or of all."""
        t, v = trials.c, verdicts.c
        query = (
            select(
                *_OBSERVED,
                executions.c.output,
                func.json_extract(v.details, "$.found"),
                func.json_extract(v.details, "$.label"),
            )
            .select_from(trials.join(executions).join(verdicts))
            .where(t.run == run.number, v.criterion == criterion)
        )
        if cases is not None:
            query = query.where(t.case_id.in_([storable(case) for case in cases]))
        for row in self._stream(query, by_place=cases is None):
            told = [None if value is None else str(value) for value in row[8:11]]
            yield Observation(*_values(row), *told)

    def coded(self, run: StoredRun, criterion: int, code: str) -> int:
        """Return how many verdicts of a criterion carry a code in their details, such as ``sight_not_proven``."""
        t, v = trials.c, verdicts.c
        query = (
            select(func.count())
            .select_from(trials.join(verdicts))
            .where(t.run == run.number, v.criterion == criterion, func.json_extract(v.details, "$.code") == code)
        )
        return int(self._scalar(query))

    def executed(self, run: StoredRun, *, variant: str | None = None) -> Iterator[Observation]:
        """Yield, for each trial, whether its execution failed: what the error rate is made of.

        One that failed counts as a hit, a ``pass``, as in every rate of errors, invalid or missing answers.
        """
        t = trials.c
        query = (
            select(t.position, t.case_id, t.variant, t.repeat, t.slice, executions.c.error.is_not(None))
            .select_from(trials.join(executions))
            .where(t.run == run.number, *_of_variant(variant))
        )
        for row in self._stream(query):
            yield Observation(row[1], row[2], row[3], row[4], "pass" if row[5] else "fail", None, bool(row[5]))


def _values(row: Any) -> tuple[Any, ...]:
    """Return the fields of an observation from the first columns of a row."""
    return (*row[1:5], OUTCOMES[row[5]], row[6], bool(row[7]))


def _of_variant(variant: str | None) -> list[Any]:
    """Return the condition on trials that they are of a variant; none for all of them."""
    return [] if variant is None else [trials.c.variant == storable(variant)]
