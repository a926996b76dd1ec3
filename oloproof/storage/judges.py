"""Which judges a project has had, as its runs and its validations tell."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlalchemy import ColumnElement, TableValuedAlias, func, select, true

from oloproof.storage.rows import storable
from oloproof.storage.schema import judged, runs, trials, validations
from oloproof.storage.store import Store


@dataclass(frozen=True, slots=True)
class KnownJudge:
    """One judge of one criterion. ``judge`` is its hash, hexadecimal; times are in seconds since the epoch.

    ``newest_run`` is the number of the last of its ``runs``, None where only ``looks`` at labels tell of it.
    """

    criterion: str
    judge: str
    first_seen: float
    last_seen: float
    runs: int = 0
    newest_run: int | None = None
    looks: int = 0


class Judges:
    """The judges of one project, for reading."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def known(self) -> list[KnownJudge]:
        """Return every judge of every criterion, the one seen last first."""
        found = {(one.criterion, one.judge): one for one in self._in_runs()}
        for one in self._in_validations():
            place = one.criterion, one.judge
            found[place] = _together(found[place], one) if place in found else one
        return sorted(found.values(), key=lambda one: (-one.last_seen, one.criterion, one.judge))

    def runs_with(self, criterion: str, judge: str) -> list[int]:
        """Return the numbers of the runs in which this judge judged this criterion, newest first."""
        entry, name, digest = _entries()
        query = select(runs.c.number).select_from(runs.join(entry, true()))
        query = query.where(name == storable(criterion), digest == judge).distinct()
        with self._store.reading() as connection:
            return list(connection.scalars(query.order_by(runs.c.number.desc())))

    def sight(self, run: int, evaluator: int) -> dict[str, int]:
        """Return how many judgements of an evaluator of a run (its number) were given in each state of its sight."""
        query = (
            select(func.coalesce(judged.c.sight, "not_tested"), func.count())
            .select_from(trials.join(judged))
            .where(trials.c.run == run, judged.c.evaluator == evaluator)
            .group_by(func.coalesce(judged.c.sight, "not_tested"))
        )
        with self._store.reading() as connection:
            return {row[0]: row[1] for row in connection.execute(query)}

    def _in_runs(self) -> list[KnownJudge]:
        entry, name, digest = _entries()
        times = func.min(runs.c.started), func.max(runs.c.started)
        columns = (name, digest, *times, func.count(runs.c.number.distinct()), func.max(runs.c.number))
        query = (
            select(*columns)
            .select_from(runs.join(entry, true()))
            .where(func.json_extract(entry.c.value, "$.calls_model") == 1)
            .group_by(name, digest)
        )
        with self._store.reading() as connection:
            return [KnownJudge(*row) for row in connection.execute(query)]

    def _in_validations(self) -> list[KnownJudge]:
        c = validations.c
        columns = (c.criterion, c.judge, func.min(c.time), func.max(c.time), func.count())
        query = select(*columns).group_by(c.criterion, c.judge)
        with self._store.reading() as connection:
            rows = connection.execute(query).all()
        return [KnownJudge(name, judge.hex(), first, last, looks=count) for name, judge, first, last, count in rows]


def _entries() -> tuple[TableValuedAlias, ColumnElement[str], ColumnElement[str]]:
    """Return the evaluators that runs name, an entry a criterion, with the columns of its name and its digest."""
    entry = func.json_each(runs.c.document, "$.evaluators").table_valued("value")
    return entry, func.json_extract(entry.c.value, "$.criterion"), func.json_extract(entry.c.value, "$.digest")


def _together(one: KnownJudge, other: KnownJudge) -> KnownJudge:
    """Return what runs and what validations tell of the same judge."""
    return replace(
        one,
        first_seen=min(one.first_seen, other.first_seen),
        last_seen=max(one.last_seen, other.last_seen),
        looks=other.looks,
    )
