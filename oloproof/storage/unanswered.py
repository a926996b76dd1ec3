"""The trials of an unfinished run that nobody answered: taken out of it, so that they are asked again when it goes on.

Of a run in which a service, or the server of a judge, said nothing at all, what it did not say is no result.
"""

from __future__ import annotations

from sqlite3 import Connection

from oloproof.records import OUTCOMES
from oloproof.storage.sql import Values, scalar
from oloproof.storage.store import OpenRun, Store

_EXECUTED = """
    FROM trials JOIN executions ON executions.id = trials.execution WHERE trials.run = ? AND trials.cached = 0
"""
"""The trials of a run that were not taken from an earlier answer."""

_JUDGED = """
    FROM trials JOIN executions ON executions.id = trials.execution JOIN verdicts ON verdicts.trial = trials.id
    WHERE trials.run = ? AND verdicts.criterion = ? AND verdicts.cached = 0 AND executions.error IS NULL
"""
"""What was said anew of the answers in a run by one criterion."""

_SAID = f"verdicts.outcome IN ({', '.join(str(at) for at, outcome in enumerate(OUTCOMES) if outcome != 'missing')})"
_SILENT = "json_extract(verdicts.details, '$.code') IN ('timeout', 'network')"


def forget_unanswered(store: Store, run: OpenRun) -> int:
    """Take out the trials whose executions failed, where not one of them was answered; returns how many.

    Where anything was answered, its failures stand.
    """
    with store.writing() as connection:
        if scalar(connection, f"SELECT count(*) {_EXECUTED} AND executions.error IS NULL", (run.number,)):
            return 0
        return _take_out(connection, f"SELECT trials.id {_EXECUTED}", (run.number,))


def forget_unjudged(store: Store, run: OpenRun, criterion: int) -> int:
    """Take out the trials that a judge's server left without a word, where it never said any; returns how many.

    What they were answered is kept, and taken from there when they are judged again.
    """
    with store.writing() as connection:
        values = (run.number, criterion)
        if scalar(connection, f"SELECT count(*) {_JUDGED} AND {_SAID}", values):
            return 0
        return _take_out(connection, f"SELECT trials.id {_JUDGED} AND {_SILENT}", values)


def _take_out(connection: Connection, query: str, values: Values) -> int:
    """Remove the trials that a query finds, with what was said of them."""
    trials = [tuple(row) for row in connection.execute(query, values).fetchall()]
    for table, column in (("verdicts", "trial"), ("judged", "trial"), ("trials", "id")):
        connection.executemany(f"DELETE FROM {table} WHERE {column} = ?", trials)
    return len(trials)
