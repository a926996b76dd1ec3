"""Opening the project's database: where it lies, how it is locked, what each failure of SQLite means."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import StaticPool

from oloproof.errors import StorageError
from oloproof.places import OWN_FOLDER
from oloproof.storage.schema import bring_up_to_date, is_up_to_date, refuse_other_versions

FOLDER = OWN_FOLDER
FILE = "oloproof.db"
_BUSY_SECONDS = 30.0


def open_engine(root: Path, *, create: bool) -> Engine:
    """Return an engine on the database of the project at ``root``, made or migrated where needed.

    Raises:
        StorageError: there is no database and ``create`` is false, or it cannot be used.
    """
    folder = root / FOLDER
    file = folder / FILE
    if not create and not file.exists():
        raise StorageError(f"there are no runs in {root} yet; oloproof run makes the first")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        ignore = folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n")
    except OSError as error:
        raise StorageError(f"{folder} cannot be made or written: {error.strerror}; runs are stored there") from None
    engine = create_engine(
        URL.create("sqlite", database=str(file)),  # a text would take ? and # in the path for something else
        poolclass=StaticPool,
        isolation_level="AUTOCOMMIT",
        connect_args={"check_same_thread": False, "timeout": _BUSY_SECONDS},
    )
    event.listen(engine, "connect", _settings)
    try:
        with reading(engine, file) as connection:
            ready = is_up_to_date(connection)
        if not ready:
            with writing(engine, file) as connection:
                bring_up_to_date(connection)
    except BaseException:
        engine.dispose()
        raise
    return engine


def may_be_written(file: Path) -> bool:
    """Whether a database can be written: SQLite puts files of its own beside it, so the folder counts too."""
    return os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)


def open_read_only(file: Path) -> Engine:
    """Return an engine on a database that may be read and not written, as on a read-only mount.

    Raises:
        StorageError: it is of another version or cannot be used.
    """
    uri = f"{file.absolute().as_uri()}?mode=ro"
    log = file.with_name(file.name + "-wal")
    if not os.access(file.parent, os.W_OK) and not (log.exists() and log.stat().st_size):
        uri += "&immutable=1"  # SQLite could not make the files by which it watches for writers

    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(uri, uri=True, check_same_thread=False, timeout=_BUSY_SECONDS)
        connection.execute("PRAGMA temp_store = MEMORY")
        return connection

    engine = create_engine("sqlite://", creator=connect, poolclass=StaticPool, isolation_level="AUTOCOMMIT")
    try:
        with reading(engine, file) as connection:
            refuse_other_versions(connection)
    except BaseException:
        engine.dispose()
        raise
    return engine


def _settings(connection: sqlite3.Connection, _record: Any) -> None:
    cursor = connection.cursor()
    _use_write_ahead_log(cursor)
    cursor.execute("PRAGMA synchronous = NORMAL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA temp_store = MEMORY")
    cursor.close()


def _use_write_ahead_log(cursor: sqlite3.Cursor) -> None:
    """Turn the write-ahead log on. SQLite does not wait while another process does the same, so this does."""
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


@contextmanager
def reading(engine: Engine, file: Path | None = None) -> Iterator[Connection]:
    """Open a connection for reading.

    Raises:
        StorageError: SQLite refused; the text says what to do.
    """
    try:
        with engine.connect() as connection:
            yield connection
    except DatabaseError as error:
        raise storage_error(error, file) from error


@contextmanager
def writing(engine: Engine, file: Path | None = None) -> Iterator[Connection]:
    """Open one transaction that holds the write lock from its start; it is committed whole or not at all.

    Raises:
        StorageError: SQLite refused; the text says what to do.
    """
    with reading(engine, file) as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        try:
            yield connection
            connection.exec_driver_sql("COMMIT")
        except BaseException:
            # a statement that Ctrl-C broke off took its connection with it, and so its transaction
            if not connection.invalidated:
                with suppress(DatabaseError):  # after some errors SQLite has rolled back by itself
                    connection.exec_driver_sql("ROLLBACK")
            raise


def storage_error(error: DatabaseError, file: Path | None) -> StorageError:
    """Return what an error of SQLite means to a person."""
    where = file or FOLDER
    text = str(error.orig or error)
    if "locked" in text or "busy" in text:
        return StorageError(f"{where} is in use by another Oloproof for more than {_BUSY_SECONDS:.0f} s; try again")
    if "is full" in text:
        return StorageError(f"the disk is full: {where} could not be written; free some space and use --resume")
    if "malformed" in text or "not a database" in text or "no such table" in text:
        return StorageError(f"{where} is damaged ({text}); move the folder {FOLDER} away to start anew")
    if "readonly" in text or "unable to open" in text:
        return StorageError(f"{where} may not be written ({text}); check its permissions")
    return StorageError(f"{where}: {text}")
