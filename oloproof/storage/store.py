"""The one object through which runs are written; only this room writes under ``.oloproof/``."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from oloproof.media.digesting import DigestMemo, Identity
from oloproof.records import Delivery, Execution, Judgement, Notice, Trial, Verdict
from oloproof.storage.database import (
    FILE,
    FOLDER,
    failures_in_words,
    may_be_written,
    open_database,
    open_read_only,
    transaction,
)
from oloproof.storage.judgement_writer import JudgementWriter
from oloproof.storage.locks import RunLock
from oloproof.storage.rows import (
    Row,
    deliveries_to_text,
    execution_from_row,
    media_to_text,
    storable,
    to_text,
    verdict_row,
)
from oloproof.storage.sql import Values, insert, insert_into, marks, scalar

LARGEST_MEMO = 200_000
_LARGEST = 2**63 - 1

_ADD_EXECUTION = insert_into(
    "executions", "id", "key", "input", "output", "error", "detail", "media", "seconds", "created"
)
_ADD_TRIAL = insert_into(
    "trials", "id", "run", "position", "case_id", "variant", "repeat", "expected", "slice", "execution", "cached",
    "delivered",
)  # fmt: skip
_AMEND_VERDICT = """
    UPDATE verdicts SET outcome = ?, score = ?, reason = ?, details = ?, cached = ? WHERE trial = ? AND criterion = ?
"""
_KEEP_DIGEST = """
    INSERT INTO digests (device, inode, size, mtime_ns, ctime_ns, sha256) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (device, inode) DO UPDATE SET
        size = excluded.size, mtime_ns = excluded.mtime_ns, ctime_ns = excluded.ctime_ns, sha256 = excluded.sha256
"""


class NewRun(Struct, frozen=True):
    """What is known of a run before its first trial."""

    id: str
    project: str
    system_name: str
    system_version: str
    config_digest: str
    dataset_digest: str
    partial: bool
    cases: int
    trials: int
    document: Mapping[str, Any]


class Entry(Struct, frozen=True):
    """One trial that is done: how it was executed, or which stored execution it reuses, and its verdicts.

    ``input`` is the case's input as canonical JSON, with the project's files relative to it. An answer with an empty
    ``key`` answers no later trial. ``judgements`` follow the run's evaluators; all their verdicts together follow the
    run's criteria. ``delivered`` is what stood in the fields that variants change, or without variants the media that
    the system was given and did not record.
    """

    trial: Trial
    key: bytes
    input: str
    execution: Execution
    judgements: Sequence[Judgement]
    reused: int | None = None
    delivered: Sequence[Delivery] = ()


class OpenRun(Struct):
    """A run that is being written, with the lock that tells others it is alive."""

    number: int
    id: str
    lock: RunLock
    notices: list[Notice] = field(default_factory=list)


class Store:
    """The database of one project. Safe to call from several threads; each call is one transaction.

    Without ``create`` it can also be read where it may not be written. ``read_only`` writes nothing where it could: a
    database of an older version is then refused and not brought up to date.
    """

    def __init__(self, root: Path, *, create: bool = True, read_only: bool = False) -> None:
        self.root = root
        self.folder = root / FOLDER
        self.file = self.folder / FILE
        there = self.file.is_file()
        self.read_only = there and (read_only or (not create and not may_be_written(self.file)))
        self._connection = open_read_only(self.file) if self.read_only else open_database(root, create=create)
        self._lock = threading.RLock()

    def close(self) -> None:
        """Close the database; what was committed stays."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Hold the connection for reading; errors of SQLite become a StorageError."""
        with self._lock, failures_in_words(self.file):
            yield self._connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Hold the connection for one transaction, kept whole or not at all."""
        with self._lock, transaction(self._connection, self.file):
            yield self._connection

    def rows(self, query: str, values: Values = ()) -> list[sqlite3.Row]:
        """Return the rows that a query finds."""
        with self.reading() as connection:
            return connection.execute(query, values).fetchall()

    def scalar(self, query: str, values: Values = ()) -> Any:
        """Return the first value of the first row that a query finds, None when it finds none."""
        with self.reading() as connection:
            return scalar(connection, query, values)

    # runs

    def begin(self, new: NewRun) -> OpenRun:
        """Store a run that starts now; its lock is held before anyone can see it."""
        lock = RunLock.take(self.folder, new.id)
        values = {
            "id": new.id,
            "state": "running",
            "started": time.time(),
            "project": storable(new.project),
            "system_name": storable(new.system_name),
            "system_version": storable(new.system_version),
            "config_digest": new.config_digest,
            "dataset_digest": new.dataset_digest,
            "partial": int(new.partial),
            "cases": new.cases,
            "trials": new.trials,
            "document": to_text(new.document),
        }
        try:
            with self.writing() as connection:
                number = insert(connection, "runs", values)
        except BaseException:
            lock.release()
            raise
        return OpenRun(number, new.id, lock)

    def reopen(self, number: int, run_id: str, notices: Iterable[Notice]) -> OpenRun:
        """Open a run that was not finished, to go on with it.

        Raises:
            StorageError: it is still being written by another process.
        """
        opened = OpenRun(number, run_id, RunLock.take(self.folder, run_id), list(notices))
        try:
            self._set(number, state="running", finished=None, error=None)
        except BaseException:
            opened.lock.release()
            raise
        return opened

    def finish(self, run: OpenRun, state: str, error: str | None = None) -> None:
        """Close a run as ``complete`` or ``stopped``; its lock goes whether that could be stored or not."""
        notices = to_text([[notice.code, notice.message] for notice in run.notices])
        told = None if error is None else storable(error)
        try:
            self._set(run.number, state=state, finished=time.time(), error=told, notices=notices)
        finally:
            run.lock.release()

    def _set(self, number: int, **values: Any) -> None:
        with self.writing() as connection:
            changes = ", ".join(f"{name} = ?" for name in values)
            connection.execute(f"UPDATE runs SET {changes} WHERE number = ?", (*values.values(), number))

    # trials

    def done_positions(self, run: OpenRun) -> set[int]:
        """Return the places of the trials that are stored already."""
        return {row[0] for row in self.rows("SELECT position FROM trials WHERE run = ?", (run.number,))}

    def append(self, run: OpenRun, entries: Sequence[Entry]) -> None:
        """Store finished trials with their executions and verdicts, all or none of them."""
        if not entries:
            return
        with self.writing() as connection:
            next_execution = _next_id(connection, "executions")
            next_trial = _next_id(connection, "trials")
            execution_rows: list[Row] = []
            trial_rows: list[Row] = []
            judging = JudgementWriter(connection)
            now = time.time()
            for entry in entries:
                execution_id = entry.reused
                if execution_id is None:
                    execution_id = next_execution
                    next_execution += 1
                    execution_rows.append(_execution_row(execution_id, entry, now))
                trial_rows.append(_trial_row(next_trial, run.number, execution_id, entry))
                judging.add(next_trial, entry.judgements, now)
                next_trial += 1
            connection.executemany(_ADD_EXECUTION, execution_rows)
            connection.executemany(_ADD_TRIAL, trial_rows)
            judging.write()

    def amend_verdicts(self, run: OpenRun, amended: Iterable[tuple[int, int, Verdict]]) -> None:
        """Replace verdicts of a run that is not finished: (trial row, criterion, verdict)."""
        with self.writing() as connection:
            for trial, criterion, verdict in amended:
                _, _, *values = verdict_row(trial, criterion, verdict)
                connection.execute(_AMEND_VERDICT, (*values, trial, criterion))

    # execution cache

    def newest_execution(self) -> int:
        """Return the highest id of an execution stored so far: what a run may reuse is not above it."""
        return int(self.scalar("SELECT max(id) FROM executions") or 0)

    def cached(self, keys: Sequence[bytes], up_to: int) -> dict[bytes, tuple[int, Execution]]:
        """Return, for each of ``keys`` that was answered before, the newest execution without an error."""
        if not keys or up_to == 0:
            return {}
        query = f"""
            SELECT * FROM executions WHERE id IN (
                SELECT max(id) FROM executions WHERE key IN {marks(keys)} AND id <= ? AND error IS NULL GROUP BY key
            )
        """
        rows = self.rows(query, (*keys, up_to))
        return {row["key"]: (row["id"], execution_from_row(row, row["id"], cached=True)) for row in rows}

    # decisions

    def add_decision(
        self,
        number: int,
        policy_digest: str,
        validation_digest: str,
        exit_code: int,
        document: Mapping[str, Any],
    ) -> None:
        """Append what rules concluded of a run; earlier decisions stay."""
        values = {
            "run": number,
            "policy_digest": policy_digest,
            "validation_digest": validation_digest,
            "time": time.time(),
            "exit": exit_code,
            "document": to_text(document),
        }
        with self.writing() as connection:
            insert(connection, "decisions", values)

    # digests of files

    def load_memo(self) -> DigestMemo:
        """Return the digests of files seen in earlier runs."""
        rows = self.rows("SELECT device, inode, size, mtime_ns, ctime_ns, sha256 FROM digests")
        return DigestMemo((row[:5], row[5].hex()) for row in rows)

    def save_memo(self, memo: DigestMemo) -> None:
        """Keep the digests taken since the last call; the newest state of each file replaces an older one.

        Where the store may only be read, nothing is kept.
        """
        if self.read_only:
            return
        rows = [(*identity, bytes.fromhex(digest)) for identity, digest in memo.new_entries() if _fits(identity)]
        if not rows:
            return
        with self.writing() as connection:
            if scalar(connection, "SELECT count(*) FROM digests") > LARGEST_MEMO:
                connection.execute("DELETE FROM digests")
            connection.executemany(_KEEP_DIGEST, rows)


def _next_id(connection: sqlite3.Connection, table: str) -> int:
    return int(scalar(connection, f"SELECT max(id) FROM {table}") or 0) + 1


def _execution_row(number: int, entry: Entry, now: float) -> Row:
    """Return the values of :data:`_ADD_EXECUTION`."""
    execution = entry.execution
    return (
        number,
        entry.key,
        storable(entry.input),
        None if execution.output is None else to_text(execution.output),
        None if execution.error is None else storable(execution.error),
        None if execution.error_detail is None else storable(execution.error_detail),
        media_to_text(execution.media),
        round(execution.seconds, 6),
        now,
    )


def _trial_row(number: int, run: int, execution: int, entry: Entry) -> Row:
    trial = entry.trial
    case = trial.case
    return (
        number,
        run,
        trial.index,
        storable(case.id),
        storable(trial.variant),
        trial.repeat,
        None if case.expected is None else to_text(case.expected),
        to_text(dict(case.slice)) if case.slice else None,
        execution,
        int(entry.reused is not None),
        deliveries_to_text(entry.delivered),
    )


def _fits(identity: Identity) -> bool:
    """Whether SQLite can hold it: inodes of some network file systems are larger."""
    return all(-_LARGEST <= part <= _LARGEST for part in identity)


def notices_from_text(text: str) -> Iterator[Notice]:
    """Return the notices kept with a run."""
    for code, message in json.loads(text):
        yield Notice(code, message)
