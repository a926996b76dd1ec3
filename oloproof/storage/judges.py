"""Which judges a project has had, as its runs and its validations tell."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from oloproof.storage.rows import storable
from oloproof.storage.store import Store

_ENTRIES = "runs, json_each(runs.document, '$.evaluators') AS entry"
"""The evaluators that runs name, an entry a criterion."""
_NAME, _DIGEST = "json_extract(entry.value, '$.criterion')", "json_extract(entry.value, '$.digest')"


class KnownJudge(Struct, frozen=True):
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
        query = f"""
            SELECT DISTINCT runs.number FROM {_ENTRIES} WHERE {_NAME} = ? AND {_DIGEST} = ? ORDER BY runs.number DESC
        """
        return [row[0] for row in self._store.rows(query, (storable(criterion), judge))]

    def sight(self, run: int, evaluator: int) -> dict[str, int]:
        """Return how many judgements of an evaluator of a run (its number) were given in each state of its sight."""
        query = """
            SELECT coalesce(judged.sight, 'not_tested') AS sight, count(*)
            FROM trials JOIN judged ON judged.trial = trials.id
            WHERE trials.run = ? AND judged.evaluator = ?
            GROUP BY 1
        """
        return {row[0]: row[1] for row in self._store.rows(query, (run, evaluator))}

    def _in_runs(self) -> list[KnownJudge]:
        query = f"""
            SELECT {_NAME}, {_DIGEST}, min(runs.started), max(runs.started), count(DISTINCT runs.number),
                max(runs.number)
            FROM {_ENTRIES} WHERE json_extract(entry.value, '$.calls_model') = 1 GROUP BY 1, 2
        """
        return [KnownJudge(*row) for row in self._store.rows(query)]

    def _in_validations(self) -> list[KnownJudge]:
        query = "SELECT criterion, judge, min(time), max(time), count(*) FROM validations GROUP BY criterion, judge"
        rows = self._store.rows(query)
        return [KnownJudge(name, judge.hex(), first, last, looks=count) for name, judge, first, last, count in rows]


def _together(one: KnownJudge, other: KnownJudge) -> KnownJudge:
    """Return what runs and what validations tell of the same judge."""
    return replace(
        one,
        first_seen=min(one.first_seen, other.first_seen),
        last_seen=max(one.last_seen, other.last_seen),
        looks=other.looks,
    )
