"""How far the runs under way are. What was counted once is kept, so each further look reads only what came since."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import case, func, select

from oloproof.records import OUTCOMES, Outcome
from oloproof.storage.locks import is_alive
from oloproof.storage.schema import runs, trials, verdicts
from oloproof.storage.store import Store

_WORST_FIRST: tuple[Outcome, ...] = ("fail", "invalid", "missing", "pass")
_MOST_KEPT = 64


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far one run is: ``done`` of ``total`` trials, each counted in ``outcomes`` by the worst said of it."""

    run: str
    version: str
    done: int
    total: int
    outcomes: Mapping[Outcome, int]


@dataclass(slots=True)
class _Count:
    """What was counted of a run, up to the trial in row ``last``."""

    last: int = 0
    outcomes: dict[Outcome, int] = field(default_factory=lambda: dict.fromkeys(_WORST_FIRST, 0))


class ProgressReader:
    """Counts the trials of runs as they are stored. Safe to ask from several threads; make one and keep it.

    A verdict that is replaced after its trial was counted, as happens when a run ends and a file has changed, shows
    only in what is decided.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._counts: dict[int, _Count] = {}
        self._lock = threading.Lock()

    def under_way(self) -> tuple[RunProgress, ...]:
        """Return the runs that a living process writes, newest first.

        Raises:
            StorageError: the database cannot be read.
        """
        c = runs.c
        query = select(c.number, c.id, c.system_version, c.trials).where(c.state == "running").order_by(c.number.desc())
        with self._store.reading() as connection:
            found = connection.execute(query).all()
        return tuple(
            self.of(row.number, row.id, row.system_version, row.trials)
            for row in found
            if is_alive(self._store.folder, row.id)
        )

    def of(self, number: int, run: str, version: str, total: int) -> RunProgress:
        """Return how far the run of that number is."""
        with self._lock:
            count = self._counts.setdefault(number, _Count())
            self._read_on(number, count)
            while len(self._counts) > _MOST_KEPT:
                del self._counts[next(iter(self._counts))]
            return RunProgress(run, version, sum(count.outcomes.values()), total, dict(count.outcomes))

    def _read_on(self, number: int, count: _Count) -> None:
        t, v = trials.c, verdicts.c
        rank = func.min(
            case(
                *((v.outcome == OUTCOMES.index(outcome), place) for place, outcome in enumerate(_WORST_FIRST)),
                else_=_WORST_FIRST.index("missing"),
            )
        )
        # new trials stand at the end of the table: with + 0 SQLite begins there and not at the start of the run
        run = t.run + 0 if count.last else t.run
        told = select(t.id, rank.label("rank")).select_from(trials.outerjoin(verdicts))
        told = told.where(run == number, t.id > count.last).group_by(t.id)
        one = told.subquery().c
        query = select(one.rank, func.count(), func.max(one.id)).group_by(one.rank)
        with self._store.reading() as connection:
            for place, trials_told, last in connection.execute(query).all():
                count.outcomes[_WORST_FIRST[place]] += trials_told
                count.last = max(count.last, last)
