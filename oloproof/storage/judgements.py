"""What judges said: written with the trials they belong to, and found again by the verdict key."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from sqlite3 import Connection
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from oloproof.records import OUTCOMES, Judgement, Verdict
from oloproof.storage.rows import Row, storable, to_text, verdict_row
from oloproof.storage.sql import insert_into, marks, scalar

if TYPE_CHECKING:
    from oloproof.storage.store import Store

_ADD_VERDICT = insert_into("verdicts", "trial", "criterion", "outcome", "score", "reason", "details", "cached")
_ADD_JUDGEMENT = insert_into("judgements", "id", "key", "judge", "verdicts", "saw", "kept", "created")
_ADD_JUDGED = insert_into("judged", "trial", "evaluator", "judgement", "sight")
_FIND = "SELECT * FROM judgements WHERE key = ? AND kept = 1 AND id <= ? ORDER BY id DESC LIMIT 1"
_SITTINGS = """
    SELECT judged.evaluator, judged.sight,
        json_extract(judgements.saw, '$.model_served') AS model_served,
        json_extract(judgements.saw, '$.ffmpeg') AS ffmpeg,
        count(*),
        count(*) FILTER (WHERE judgements.created >= runs.started),
        sum(json_extract(judgements.saw, '$.requests')) FILTER (WHERE judgements.created >= runs.started),
        sum(json_extract(judgements.saw, '$.usage.input_tokens')) FILTER (WHERE judgements.created >= runs.started),
        sum(json_extract(judgements.saw, '$.usage.output_tokens')) FILTER (WHERE judgements.created >= runs.started),
        max(instr(judgements.saw, '"kind":"image"') + instr(judgements.saw, '"kind":"frame"')) > 0,
        max(instr(judgements.saw, '"kind":"audio"') + instr(judgements.saw, '"kind":"transcript"')) > 0
    FROM trials
    JOIN judged ON judged.trial = trials.id
    JOIN judgements ON judgements.id = judged.judgement
    JOIN runs ON runs.number = trials.run
    WHERE trials.run = ?
    GROUP BY judged.evaluator, judged.sight, model_served, ffmpeg
    ORDER BY judged.evaluator, count(*) DESC
"""


class Sitting(Struct, frozen=True):
    """How often one judge of a run judged with one model served, one ffmpeg and one state of its sight.

    ``asked`` of them were asked in this run and not found again; ``requests``, ``input_tokens`` and ``output_tokens``
    are what those took together, None where nothing says. ``pictures`` and ``sound`` tell whether any was shown.
    """

    evaluator: int
    sight: str | None
    model_served: str | None
    ffmpeg: str | None
    count: int
    asked: int
    requests: int | None
    input_tokens: int | None
    output_tokens: int | None
    pictures: bool
    sound: bool


class JudgementWriter:
    """Collects the judgements of a batch of trials and writes them with their verdicts, in the batch's transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._next: int | None = None
        self._verdicts: list[Row] = []
        self._judgements: list[Row] = []
        self._judged: list[Row] = []

    def add(self, trial: int, found: Sequence[Judgement], now: float) -> None:
        """Take the judgements on one trial, in the order of the run's evaluators."""
        criterion = 0
        for evaluator, judgement in enumerate(found):
            cached = judgement.stored is not None
            for verdict in judgement.verdicts:
                self._verdicts.append(verdict_row(trial, criterion, verdict, cached=cached))
                criterion += 1
            if judgement.key is not None:
                sight = judgement.saw.get("sight")
                self._judged.append((trial, evaluator, judgement.stored or self._new(judgement, now), sight))

    def add_alone(self, judgement: Judgement, now: float) -> None:
        """Take a judgement that belongs to no trial of a run under way: it answers the same question later."""
        self._new(judgement, now)

    def _new(self, judgement: Judgement, now: float) -> int:
        if self._next is None:
            self._next = int(scalar(self._connection, "SELECT max(id) FROM judgements") or 0) + 1
        number = self._next
        self._next += 1
        self._judgements.append(
            (
                number,
                judgement.key,
                bytes.fromhex(judgement.judge),
                to_text([_as_list(verdict) for verdict in judgement.verdicts]),
                to_text(judgement.saw),
                int(judgement.kept),
                now,
            )
        )
        return number

    def write(self) -> None:
        """Write what was taken."""
        self._connection.executemany(_ADD_VERDICT, self._verdicts)
        self._connection.executemany(_ADD_JUDGEMENT, self._judgements)
        self._connection.executemany(_ADD_JUDGED, self._judged)


class StoredJudgements:
    """What judges of one project had said when this was made, by verdict key. Safe to ask from several threads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._up_to = int(store.scalar("SELECT max(id) FROM judgements") or 0)

    def find(self, key: bytes) -> Judgement | None:
        """Return the newest judgement under ``key`` that may answer again, or None."""
        if not self._up_to:
            return None
        rows = self._store.rows(_FIND, (key, self._up_to))
        return judgement_from_row(rows[0]) if rows else None

    def sittings(self, run: int) -> list[Sitting]:
        """Return by which models, with which ffmpeg and with what sight the judges of a run (its number) judged, and
        what it took.
        """
        return [Sitting(*row) for row in self._store.rows(_SITTINGS, (run,))]

    def keep(self, found: Sequence[Judgement]) -> None:
        """Keep judgements that were asked for outside of a run, all or none of them."""
        with self._store.writing() as connection:
            writer = JudgementWriter(connection)
            for judgement in found:
                writer.add_alone(judgement, time.time())
            writer.write()

    def of_trials(self, trials: Sequence[int]) -> Iterator[tuple[int, int, Judgement]]:
        """Yield (trial, evaluator, judgement) for the judgements of trials given by their rows."""
        query = f"""
            SELECT judged.trial, judged.evaluator, judged.sight, judgements.* FROM judged
            JOIN judgements ON judgements.id = judged.judgement WHERE judged.trial IN {marks(trials)}
        """
        for row in self._store.rows(query, trials):
            found = judgement_from_row(row)
            yield row["trial"], row["evaluator"], replace(found, saw={**found.saw, "sight": row["sight"]})


def judgement_from_row(row: Any) -> Judgement:
    """Return the judgement that a row holds."""
    return Judgement(
        verdicts=tuple(_from_list(entry) for entry in json.loads(row["verdicts"])),
        key=row["key"],
        judge=row["judge"].hex(),
        saw=json.loads(row["saw"]),
        kept=bool(row["kept"]),
        stored=row["id"],
        created=row["created"],
    )


def _as_list(verdict: Verdict) -> list[Any]:
    return [OUTCOMES.index(verdict.outcome), verdict.score, storable(verdict.reason), dict(verdict.details)]


def _from_list(entry: list[Any]) -> Verdict:
    outcome, score, reason, details = entry
    return Verdict(OUTCOMES[outcome], reason, score, details)
