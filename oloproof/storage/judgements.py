"""What judges said: written with the trials they belong to, and found again by the verdict key."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, bindparam, case, func, literal_column, select
from sqlalchemy.dialects import sqlite

from oloproof.records import OUTCOMES, Judgement, Verdict
from oloproof.storage.rows import Row, insert_many, storable, to_text, verdict_row
from oloproof.storage.schema import judged, judgements, runs, trials, verdicts

if TYPE_CHECKING:
    from oloproof.storage.store import Store


_FIND = str(
    select(judgements)
    .where(judgements.c.key == bindparam("key"), judgements.c.kept == literal_column("1"))
    .where(judgements.c.id <= bindparam("up_to"))
    .order_by(judgements.c.id.desc())
    .compile(dialect=sqlite.dialect())
)
"""Asked for every execution of a judge, so compiled once."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """How often one judge of a run judged with one model served, one ffmpeg and one state of its sight.

    ``asked`` of them were asked in this run and not found again; ``requests``, ``input_tokens`` and ``output_tokens``
    are what those took together, None where nothing says.
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
            self._next = int(self._connection.scalar(select(func.max(judgements.c.id))) or 0) + 1
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
        insert_many(self._connection, verdicts, self._verdicts)
        insert_many(self._connection, judgements, self._judgements)
        insert_many(self._connection, judged, self._judged)


class StoredJudgements:
    """What judges of one project had said when this was made, by verdict key. Safe to ask from several threads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        with store.reading() as connection:
            self._up_to = int(connection.scalar(select(func.max(judgements.c.id))) or 0)

    def find(self, key: bytes) -> Judgement | None:
        """Return the newest judgement under ``key`` that may answer again, or None."""
        if not self._up_to:
            return None
        with self._store.reading() as connection:
            row = connection.exec_driver_sql(_FIND, (key, self._up_to)).first()
        return None if row is None else judgement_from_row(row)

    def sittings(self, run: int) -> list[Sitting]:
        """Return by which models, with which ffmpeg and with what sight the judges of a run (its number) judged, and
        what it took.
        """
        served = func.json_extract(judgements.c.saw, "$.model_served")
        tool = func.json_extract(judgements.c.saw, "$.ffmpeg")
        columns = (judged.c.evaluator, judged.c.sight, served, tool)
        is_new = judgements.c.created >= runs.c.started
        took = [
            func.sum(case((is_new, func.json_extract(judgements.c.saw, path))))
            for path in ("$.requests", "$.usage.input_tokens", "$.usage.output_tokens")
        ]
        query = (
            select(*columns, func.count(), func.sum(case((is_new, 1), else_=0)), *took)
            .select_from(trials.join(judged).join(judgements).join(runs, runs.c.number == trials.c.run))
            .where(trials.c.run == run)
            .group_by(*columns)
            .order_by(judged.c.evaluator, func.count().desc())
        )
        with self._store.reading() as connection:
            return [Sitting(*row) for row in connection.execute(query).all()]

    def keep(self, found: Sequence[Judgement]) -> None:
        """Keep judgements that were asked for outside of a run, all or none of them."""
        with self._store.writing() as connection:
            writer = JudgementWriter(connection)
            for judgement in found:
                writer.add_alone(judgement, time.time())
            writer.write()

    def of_trials(self, trials: Sequence[int]) -> Iterator[tuple[int, int, Judgement]]:
        """Yield (trial, evaluator, judgement) for the judgements of trials given by their rows."""
        query = (
            select(judged.c.trial, judged.c.evaluator, judged.c.sight, judgements)
            .select_from(judged.join(judgements))
            .where(judged.c.trial.in_(trials))
        )
        with self._store.reading() as connection:
            rows = connection.execute(query).all()
        for row in rows:
            found = judgement_from_row(row)
            yield row.trial, row.evaluator, replace(found, saw={**found.saw, "sight": row.sight})


def judgement_from_row(row: Any) -> Judgement:
    """Return the judgement that a row holds."""
    return Judgement(
        verdicts=tuple(_from_list(entry) for entry in json.loads(row.verdicts)),
        key=row.key,
        judge=row.judge.hex(),
        saw=json.loads(row.saw),
        kept=bool(row.kept),
        stored=row.id,
        created=row.created,
    )


def _as_list(verdict: Verdict) -> list[Any]:
    return [OUTCOMES.index(verdict.outcome), verdict.score, storable(verdict.reason), dict(verdict.details)]


def _from_list(entry: list[Any]) -> Verdict:
    outcome, score, reason, details = entry
    return Verdict(OUTCOMES[outcome], reason, score, details)
