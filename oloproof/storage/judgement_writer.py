"""Writing what judges said, with the trials that it belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from sqlite3 import Connection

from oloproof.records import Judgement
from oloproof.storage.rows import Row, to_text, verdict_row, verdicts_to_text
from oloproof.storage.sql import insert_into, scalar

_ADD_VERDICT = insert_into("verdicts", "trial", "criterion", "outcome", "score", "reason", "details", "cached")
_ADD_JUDGEMENT = insert_into("judgements", "id", "key", "judge", "verdicts", "saw", "kept", "created")
_ADD_JUDGED = insert_into("judged", "trial", "evaluator", "judgement", "sight")


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
                verdicts_to_text(judgement.verdicts),
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
