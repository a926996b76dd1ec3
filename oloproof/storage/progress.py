"""How far the runs under way are. What was counted once is kept, so each further look reads only what came since."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from msgspec import Struct, field

from oloproof.records import OUTCOMES, Outcome
from oloproof.storage.locks import is_alive
from oloproof.storage.store import Store

_WORST_FIRST: tuple[Outcome, ...] = ("fail", "invalid", "missing", "pass")
_RANKS = " ".join(f"WHEN {OUTCOMES.index(outcome)} THEN {rank}" for rank, outcome in enumerate(_WORST_FIRST))
_RANK = f"CASE verdicts.outcome {_RANKS} ELSE {_WORST_FIRST.index('missing')} END"
"""How bad a stored verdict is, 0 the worst; a trial that nothing is said of is missing."""
_MOST_KEPT = 64


class RunProgress(Struct, frozen=True):
    """How far one run is: ``done`` of ``total`` trials, each counted in ``outcomes`` by the worst said of it."""

    run: str
    version: str
    done: int
    total: int
    outcomes: Mapping[Outcome, int]


class _Count(Struct):
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
        query = "SELECT number, id, system_version, trials FROM runs WHERE state = 'running' ORDER BY number DESC"
        found = [row for row in self._store.rows(query) if is_alive(self._store.folder, row["id"])]
        with self._lock:
            for number in self._counts.keys() - {row["number"] for row in found}:
                del self._counts[number]  # gone on with, it may begin with fewer trials than it was stopped with
        return tuple(self.of(*row) for row in found)

    def of(self, number: int, run: str, version: str, total: int) -> RunProgress:
        """Return how far the run of that number is."""
        with self._lock:
            count = self._counts.setdefault(number, _Count())
            self._read_on(number, count)
            while len(self._counts) > _MOST_KEPT:
                del self._counts[next(iter(self._counts))]
            return RunProgress(run, version, sum(count.outcomes.values()), total, dict(count.outcomes))

    def _read_on(self, number: int, count: _Count) -> None:
        # new trials stand at the end of the table: with + 0 SQLite begins there and not at the start of the run
        run = "trials.run + 0" if count.last else "trials.run"
        query = f"""
            SELECT rank, count(*), max(id) FROM (
                SELECT trials.id, min({_RANK}) AS rank
                FROM trials LEFT JOIN verdicts ON verdicts.trial = trials.id
                WHERE {run} = ? AND trials.id > ?
                GROUP BY trials.id
            ) GROUP BY rank
        """
        for place, trials_told, last in self._store.rows(query, (number, count.last)):
            count.outcomes[_WORST_FIRST[place]] += trials_told
            count.last = max(count.last, last)
