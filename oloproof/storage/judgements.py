"""What judges said: found again by the verdict key, counted by run, read with the trials it belongs to."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from oloproof.records import Judgement
from oloproof.storage.judgement_writer import JudgementWriter
from oloproof.storage.rows import verdicts_from_text
from oloproof.storage.sql import marks
from oloproof.storage.store import Store

_FIND = "SELECT * FROM judgements WHERE key = ? AND kept = 1 AND id <= ? ORDER BY id DESC LIMIT 1"
_SITTINGS = """
    WITH first AS (
        SELECT coalesce(json_extract(entry.value, '$.evaluator'), entry.key) AS evaluator, min(entry.key) AS criterion
        FROM runs, json_each(runs.document, '$.evaluators') AS entry WHERE runs.number = :run GROUP BY 1
    )
    SELECT judged.evaluator, judged.sight,
        json_extract(judgements.saw, '$.model_served') AS model_served,
        json_extract(judgements.saw, '$.ffmpeg') AS ffmpeg,
        count(*),
        count(*) FILTER (WHERE verdicts.cached = 0),
        sum(json_extract(judgements.saw, '$.requests')) FILTER (WHERE verdicts.cached = 0),
        sum(json_extract(judgements.saw, '$.usage.input_tokens')) FILTER (WHERE verdicts.cached = 0),
        sum(json_extract(judgements.saw, '$.usage.output_tokens')) FILTER (WHERE verdicts.cached = 0),
        max(instr(judgements.saw, '"kind":"image"') + instr(judgements.saw, '"kind":"frame"')) > 0,
        max(instr(judgements.saw, '"kind":"audio"') + instr(judgements.saw, '"kind":"transcript"')) > 0
    FROM trials
    JOIN judged ON judged.trial = trials.id
    JOIN judgements ON judgements.id = judged.judgement
    JOIN first ON first.evaluator = judged.evaluator
    JOIN verdicts ON verdicts.trial = judged.trial AND verdicts.criterion = first.criterion
    WHERE trials.run = :run
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
        return [Sitting(*row) for row in self._store.rows(_SITTINGS, {"run": run})]

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
        verdicts=verdicts_from_text(row["verdicts"]),
        key=row["key"],
        judge=row["judge"].hex(),
        saw=json.loads(row["saw"]),
        kept=bool(row["kept"]),
        stored=row["id"],
        created=row["created"],
    )
