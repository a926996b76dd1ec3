"""What the tiles of a gallery show: trials, each told by one verdict and by its media."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from sqlite3 import Row

from msgspec import Struct

from oloproof.records import OUTCOMES, MediaItem, Outcome
from oloproof.storage.rows import files_from_row
from oloproof.storage.sql import marks
from oloproof.storage.store import Store

WORST_FIRST: tuple[Outcome, ...] = ("fail", "invalid", "missing", "pass")
RANKS = {str(OUTCOMES.index(outcome)): rank for rank, outcome in enumerate(WORST_FIRST)}
"""The rank of each outcome, as it is stored; the lowest is the worst."""


class Tile(Struct, frozen=True):
    """One case in a gallery, told by the worst of its trials (of the filter's criterion if it has one).

    ``told`` is the number of the criterion whose verdict ``outcome``, ``score`` and ``reason`` are; None without any.
    ``media`` is what it recorded, and behind that what it was given where variants are made of it.
    """

    case_id: str
    variant: str
    repeat: int
    told: int | None
    outcome: Outcome
    score: float | None
    reason: str
    error: str | None
    seconds: float
    media: tuple[MediaItem, ...]


def read_tiles(store: Store, rows: Sequence[int], criterion: int | None) -> dict[int, Tile]:
    """Return the tiles of trials given by their rows, told by a criterion or by the worst that is said of each."""
    query = f"""
        SELECT trials.id, trials.case_id, trials.variant, trials.repeat, trials.delivered, trials.execution,
            executions.error, executions.seconds, executions.media
        FROM trials JOIN executions ON executions.id = trials.execution
        WHERE trials.id IN {marks(rows)}
    """
    told = _told(store, rows, criterion)
    return {row["id"]: _tile(row, told.get(row["id"])) for row in store.rows(query, rows)}


def _told(store: Store, rows: Sequence[int], criterion: int | None) -> dict[int, Row]:
    """Return the verdict by which each trial is told: that of the criterion, or the worst."""
    of_one = "" if criterion is None else "AND criterion = ?"
    query = f"""
        SELECT trial, criterion, outcome, score, reason FROM verdicts WHERE trial IN {marks(rows)} {of_one}
        ORDER BY trial, criterion
    """
    found = store.rows(query, rows if criterion is None else (*rows, criterion))
    worst = {}
    for trial, group in groupby(found, key=itemgetter(0)):
        worst[trial] = min(group, key=lambda row: RANKS[str(row["outcome"])])
    return worst


def _tile(row: Row, told: Row | None) -> Tile:
    return Tile(
        case_id=row["case_id"],
        variant=row["variant"],
        repeat=row["repeat"],
        told=None if told is None else told["criterion"],
        outcome="missing" if told is None else OUTCOMES[told["outcome"]],
        score=None if told is None else told["score"],
        reason="" if told is None else told["reason"],
        error=row["error"],
        seconds=row["seconds"],
        media=files_from_row(row),
    )
