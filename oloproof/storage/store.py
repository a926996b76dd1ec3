"""The one object through which runs are written; only this room writes under ``.oloproof/``."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from oloproof.media.digesting import DigestMemo, Identity
from oloproof.records import Delivery, Execution, Judgement, Notice, Trial, Verdict
from oloproof.storage.database import FILE, FOLDER, may_be_written, open_engine, open_read_only, reading, writing
from oloproof.storage.judgements import JudgementWriter
from oloproof.storage.locks import RunLock
from oloproof.storage.rows import (
    Row,
    deliveries_to_text,
    execution_from_row,
    insert_many,
    media_to_text,
    storable,
    to_text,
    verdict_row,
)
from oloproof.storage.schema import decisions, digests, executions, runs, trials, verdicts

LARGEST_MEMO = 200_000
_LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class NewRun:
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


@dataclass(frozen=True, slots=True)
class Entry:
    """One trial that is done: how it was executed, or which stored execution it reuses, and its verdicts.

    ``input`` is the case's input as canonical JSON, with the project's files relative to it. ``judgements`` follow the
    run's evaluators; all their verdicts together follow the run's criteria. ``delivered`` is what stood in the fields
    that variants change.
    """

    trial: Trial
    key: bytes
    input: str
    execution: Execution
    judgements: Sequence[Judgement]
    reused: int | None = None
    delivered: Sequence[Delivery] = ()


@dataclass(slots=True)
class OpenRun:
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
        self.engine = open_read_only(self.file) if self.read_only else open_engine(root, create=create)
        self.lock = threading.RLock()

    def close(self) -> None:
        """Close the database; what was committed stays."""
        with self.lock:
            self.engine.dispose()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Hold the connection for reading; errors of SQLite become a StorageError."""
        with self.lock, reading(self.engine, self.file) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Hold the connection for one transaction, kept whole or not at all."""
        with self.lock, writing(self.engine, self.file) as connection:
            yield connection

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
                number = connection.execute(insert(runs).values(values)).inserted_primary_key
        except BaseException:
            lock.release()
            raise
        return OpenRun(int(number[0]) if number else 0, new.id, lock)

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
            connection.execute(update(runs).where(runs.c.number == number).values(**values))

    # trials

    def done_positions(self, run: OpenRun) -> set[int]:
        """Return the places of the trials that are stored already."""
        with self.reading() as connection:
            return set(connection.scalars(select(trials.c.position).where(trials.c.run == run.number)))

    def append(self, run: OpenRun, entries: Sequence[Entry]) -> None:
        """Store finished trials with their executions and verdicts, all or none of them."""
        if not entries:
            return
        with self.writing() as connection:
            next_execution = _next_id(connection, executions.c.id)
            next_trial = _next_id(connection, trials.c.id)
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
            insert_many(connection, executions, execution_rows)
            insert_many(connection, trials, trial_rows)
            judging.write()

    def amend_verdicts(self, run: OpenRun, amended: Iterable[tuple[int, int, Verdict]]) -> None:
        """Replace verdicts of a run that is not finished: (trial row, criterion, verdict)."""
        with self.writing() as connection:
            for trial, criterion, verdict in amended:
                row = dict(zip(verdicts.c.keys(), verdict_row(trial, criterion, verdict), strict=True))
                match = (verdicts.c.trial == trial) & (verdicts.c.criterion == criterion)
                connection.execute(update(verdicts).where(match).values(**row))

    # execution cache

    def newest_execution(self) -> int:
        """Return the highest id of an execution stored so far: what a run may reuse is not above it."""
        with self.reading() as connection:
            return int(connection.scalar(select(func.max(executions.c.id))) or 0)

    def cached(self, keys: Sequence[bytes], up_to: int) -> dict[bytes, tuple[int, Execution]]:
        """Return, for each of ``keys`` that was answered before, the newest execution without an error."""
        if not keys or up_to == 0:
            return {}
        c = executions.c
        newest = select(func.max(c.id)).where(c.key.in_(keys), c.id <= up_to, c.error.is_(None)).group_by(c.key)
        query = select(executions).where(c.id.in_(newest))
        with self.reading() as connection:
            rows = connection.execute(query).all()
        return {row.key: (row.id, execution_from_row(row, row.id, cached=True)) for row in rows}

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
            connection.execute(insert(decisions).values(values))

    # digests of files

    def load_memo(self) -> DigestMemo:
        """Return the digests of files seen in earlier runs."""
        with self.reading() as connection:
            rows = connection.execute(select(digests)).all()
        return DigestMemo((tuple(row[:5]), row[5].hex()) for row in rows)

    def save_memo(self, memo: DigestMemo) -> None:
        """Keep the digests taken since the last call; the newest state of each file replaces an older one.

        Where the store may only be read, nothing is kept.
        """
        if self.read_only:
            return
        rows = [_digest_row(identity, digest) for identity, digest in memo.new_entries() if _fits(identity)]
        if not rows:
            return
        statement = upsert(digests)
        replaced = {name: statement.excluded[name] for name in ("size", "mtime_ns", "ctime_ns", "sha256")}
        with self.writing() as connection:
            if int(connection.scalar(select(func.count()).select_from(digests)) or 0) > LARGEST_MEMO:
                connection.execute(delete(digests))
            connection.execute(statement.on_conflict_do_update(index_elements=["device", "inode"], set_=replaced), rows)


def _next_id(connection: Connection, column: Any) -> int:
    return int(connection.scalar(select(func.max(column))) or 0) + 1


def _execution_row(number: int, entry: Entry, now: float) -> Row:
    """Return the values of a row in the order of the table's columns."""
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


def _digest_row(identity: Identity, digest: str) -> dict[str, Any]:
    device, inode, size, mtime_ns, ctime_ns = identity
    return {
        "device": device,
        "inode": inode,
        "size": size,
        "mtime_ns": mtime_ns,
        "ctime_ns": ctime_ns,
        "sha256": bytes.fromhex(digest),
    }


def notices_from_text(text: str) -> Iterator[Notice]:
    """Return the notices kept with a run."""
    for code, message in json.loads(text):
        yield Notice(code, message)
