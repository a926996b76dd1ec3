"""Two runs over the same cases, side by side: what each gave, what of it differs, one page of pairs at a time.

Which cases pair and which of them got better or worse is said by the comparison (``oloproof.policy``); this room knows
what was stored of them. What orders ask about is read once for a pair of runs and kept, for finished runs never change.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from oloproof.records import ORIGINAL, OUTCOMES, MediaItem, Outcome
from oloproof.storage.history import History
from oloproof.storage.rows import files_from_row, item_path, storable
from oloproof.storage.sql import marks
from oloproof.storage.store import Store
from oloproof.storage.stored import StoredRun

LONGEST_OUTPUT = 64 * 1024
"""Characters of JSON up to which an output is read whole; of a longer one its beginning."""
CUT_OUTPUT = 4_000


class Side(Struct, frozen=True):
    """One trial of a case as it is compared, with what one criterion says of it (``missing`` without a verdict).

    ``output`` is JSON, or the beginning of it where it is too long; ``length`` is that of the whole.
    """

    case_id: str
    repeat: int
    slice: str | None
    outcome: Outcome
    score: float | None
    reason: str
    output: str | None
    length: int
    error: str | None
    media: tuple[MediaItem, ...]

    @property
    def is_cut(self) -> bool:
        """Whether the output is not all there."""
        return self.length > LONGEST_OUTPUT


class Differences(Struct, frozen=True):
    """The ids of cases that both runs have, by what differs in any of their trials; ``outputs`` in order of the run."""

    inputs: frozenset[str]
    outputs: tuple[str, ...]


class PairedRuns:
    """What is stored of two runs, over the trials of their cases as they are (``original``). Safe between threads."""

    def __init__(self, history: History, candidate: StoredRun, baseline: StoredRun) -> None:
        self.candidate = candidate
        self.baseline = baseline
        self._store = history.store
        self._lock = threading.RLock()
        self._differences: Differences | None = None
        self._scores: dict[tuple[int, int], dict[str, float]] = {}
        self._only: tuple[int, int] | None = None
        self._both: int | None = None

    def only_in_one(self) -> tuple[int, int]:
        """Return how many cases only the candidate has, and how many only the baseline."""
        with self._lock:
            if self._only is None:
                both = (self.candidate.number, self.baseline.number)
                self._only = (self._only_in(*both), self._only_in(*reversed(both)))
            return self._only

    def in_both(self) -> int:
        """Return how many cases both runs have, measured or not."""
        with self._lock:
            if self._both is None:
                query = "SELECT count(DISTINCT case_id) FROM trials WHERE run = ? AND variant = ?"
                total = int(self._store.scalar(query, (self.candidate.number, ORIGINAL)))
                self._both = total - self.only_in_one()[0]
            return self._both

    def _only_in(self, run: int, other: int) -> int:
        query = """
            SELECT count(DISTINCT case_id) FROM trials WHERE run = :run AND variant = :variant AND NOT EXISTS (
                SELECT 1 FROM trials AS there
                WHERE there.run = :other AND there.case_id = trials.case_id AND there.variant = :variant
            )
        """
        return int(self._store.scalar(query, {"run": run, "other": other, "variant": ORIGINAL}))

    def differences(self) -> Differences:
        """Return which cases were given another input, and which were answered otherwise, in words or in bytes."""
        with self._lock:
            if self._differences is None:
                self._differences = self._read_differences()
            return self._differences

    def _read_differences(self) -> Differences:
        # what was reused is the same in all, so only other executions are looked at
        query = f"""
            SELECT new.case_id,
                {_OTHER_INPUT} AS input,
                ours.output IS NOT theirs.output OR ({_made("ours")}) IS NOT ({_made("theirs")}) AS output
            FROM trials AS new
            JOIN trials AS old ON old.case_id = new.case_id AND old.variant = new.variant AND old.repeat = new.repeat
            JOIN executions AS ours ON ours.id = new.execution
            JOIN executions AS theirs ON theirs.id = old.execution
            WHERE new.run = ? AND old.run = ? AND new.variant = ? AND new.execution != old.execution
            ORDER BY new.position
        """
        found = self._store.rows(query, (self.candidate.number, self.baseline.number, ORIGINAL))
        return Differences(
            frozenset(row["case_id"] for row in found if row["input"]),
            tuple(dict.fromkeys(row["case_id"] for row in found if row["output"])),
        )

    def scores(self, run: StoredRun, criterion: int) -> Mapping[str, float]:
        """Return the mean score of each case that has one; ``criterion`` is its number in that run."""
        with self._lock:
            key = (run.number, criterion)
            if key not in self._scores:
                query = """
                    SELECT trials.case_id, avg(verdicts.score)
                    FROM trials JOIN verdicts ON verdicts.trial = trials.id
                    WHERE trials.run = ? AND trials.variant = ? AND verdicts.criterion = ?
                        AND verdicts.score IS NOT NULL
                    GROUP BY trials.case_id
                """
                self._scores[key] = {
                    row[0]: row[1] for row in self._store.rows(query, (run.number, ORIGINAL, criterion))
                }
            return self._scores[key]

    def sides(self, run: StoredRun, criterion: int | None, cases: Sequence[str]) -> dict[str, list[Side]]:
        """Return the trials of these cases in a run, by case, repeat by repeat; nothing for a case that it has not."""
        query = f"""
            SELECT trials.id, trials.case_id, trials.repeat, trials.slice, trials.execution, trials.delivered,
                verdicts.outcome, verdicts.score, verdicts.reason, executions.error, executions.media,
                length(executions.output) AS length,
                CASE WHEN length(executions.output) > ? THEN substr(executions.output, 1, ?) ELSE executions.output END
                    AS output
            FROM trials
            JOIN executions ON executions.id = trials.execution
            LEFT JOIN verdicts ON verdicts.trial = trials.id AND verdicts.criterion = ?
            WHERE trials.run = ? AND trials.variant = ? AND trials.case_id IN {marks(cases)}
            ORDER BY trials.case_id, trials.repeat
        """
        values = (LONGEST_OUTPUT, CUT_OUTPUT, criterion, run.number, ORIGINAL, *map(storable, cases))
        found: dict[str, list[Side]] = {}
        for row in self._store.rows(query, values):
            found.setdefault(row["case_id"], []).append(_side(row))
        return found


def changed_cases(store: Store, candidate: StoredRun, baseline: StoredRun) -> list[tuple[str, bool, bool]]:
    """Return the cases of one id that are not the same in both runs: the id, and whether input or expected differs."""
    query = f"""
        SELECT new.case_id, {_OTHER_INPUT} AS other_input,
            new.expected IS NOT old.expected OR {_OTHER_REFERENCE} AS other_truth
        FROM trials AS new
        JOIN trials AS old ON old.case_id = new.case_id AND old.variant = new.variant AND old.repeat = new.repeat
        JOIN executions AS ours ON ours.id = new.execution
        JOIN executions AS theirs ON theirs.id = old.execution
        WHERE new.run = ? AND old.run = ? AND new.variant = ? AND new.repeat = 0 AND (other_input OR other_truth)
        ORDER BY new.position
    """
    found = store.rows(query, (candidate.number, baseline.number, ORIGINAL))
    return [(row["case_id"], bool(row["other_input"]), bool(row["other_truth"])) for row in found]


def people_said(store: Store) -> tuple[object, ...]:
    """Return what is another when a label was given or changed, or a judge was held to them, since."""
    query = "SELECT (SELECT max(created) FROM labels), (SELECT max(id) FROM validations)"
    return tuple(store.rows(query)[0])


def _given(execution: str, trial: str) -> str:
    """Return the query for path and digest of the files that a trial was given, recorded by its system or not."""
    path, sha256 = item_path("path"), item_path("sha256")
    return f"""
        SELECT json_extract(item.value, '{path}') AS path, json_extract(item.value, '{sha256}') AS sha256
        FROM json_each({execution}.media) AS item
        WHERE json_extract(item.value, '{item_path("role")}') = 'input'
        UNION ALL
        SELECT json_extract(item.value, '$.item{path[1:]}'), json_extract(item.value, '$.item{sha256[1:]}')
        FROM json_each({trial}.delivered) AS item
    """


_OTHER_INPUT = f"""(
    ours.input != theirs.input OR (
        ours.id != theirs.id AND EXISTS (
            SELECT 1 FROM ({_given("ours", "new")}) AS here JOIN ({_given("theirs", "old")}) AS there
            ON here.path = there.path WHERE here.sha256 != there.sha256
        )
    )
)"""
"""Whether two trials were given something else: another value, or other bytes in a file of the same path."""


_OTHER_REFERENCE = """EXISTS (
    SELECT 1 FROM verdicts AS here JOIN verdicts AS there ON there.trial = old.id
        AND json_extract(here.details, '$.reference.path') = json_extract(there.details, '$.reference.path')
    WHERE here.trial = new.id
        AND json_extract(here.details, '$.reference.sha256') != json_extract(there.details, '$.reference.sha256')
)"""
"""Whether a file that two trials were held against, under one path, held other bytes."""


def _made(execution: str) -> str:
    """Return the query for the digests of the files that an execution recorded as its output, in order."""
    return f"""
        SELECT group_concat(json_extract(item.value, '{item_path("sha256")}'))
        FROM json_each({execution}.media) AS item
        WHERE json_extract(item.value, '{item_path("role")}') = 'output'
    """


def _side(row: Any) -> Side:
    return Side(
        case_id=row["case_id"],
        repeat=row["repeat"],
        slice=row["slice"],
        outcome="missing" if row["outcome"] is None else OUTCOMES[row["outcome"]],
        score=row["score"],
        reason=row["reason"] or "",
        output=row["output"],
        length=row["length"] or 0,
        error=row["error"],
        media=files_from_row(row),
    )
