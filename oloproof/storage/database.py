"""Opening the project's database: where it lies, how it is locked, what each failure of SQLite means."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from oloproof.errors import StorageError
from oloproof.places import OWN_FOLDER
from oloproof.storage.schema import bring_up_to_date, is_up_to_date, refuse_other_versions

FOLDER = OWN_FOLDER
FILE = "oloproof.db"
_BUSY_SECONDS = 30.0


def open_database(root: Path, *, create: bool) -> sqlite3.Connection:
    """Return a connection to the database of the project at ``root``, made or migrated where needed.

    It may be used by several threads, one at a time; nothing is written outside of :func:`transaction`.

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
    with _opened(str(file), file) as connection:
        _use_write_ahead_log(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        if not is_up_to_date(connection):
            with transaction(connection, file):
                bring_up_to_date(connection)
    return connection


def may_be_written(file: Path) -> bool:
    """Whether a database can be written: SQLite puts files of its own beside it, so the folder counts too."""
    return os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)


def open_read_only(file: Path) -> sqlite3.Connection:
    """Return a connection to a database that may be read and not written, as on a read-only mount.

    Raises:
        StorageError: it is of another version or cannot be used.
    """
    uri = f"{file.absolute().as_uri()}?mode=ro"
    log = file.with_name(file.name + "-wal")
    if not os.access(file.parent, os.W_OK) and not (log.exists() and log.stat().st_size):
        uri += "&immutable=1"  # SQLite could not make the files by which it watches for writers
    with _opened(uri, file, uri=True) as connection:
        refuse_other_versions(connection)
    return connection


@contextmanager
def _opened(database: str, file: Path, *, uri: bool = False) -> Iterator[sqlite3.Connection]:
    """Open a connection that stays open unless something within fails."""
    with failures_in_words(file):
        connection = sqlite3.connect(
            database, uri=uri, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA temp_store = MEMORY")
            yield connection
        except BaseException:
            connection.close()
            raise


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Turn the write-ahead log on. SQLite does not wait while another process does the same, so this does."""
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


@contextmanager
def failures_in_words(file: Path) -> Iterator[None]:
    """Say what SQLite refuses within as a person understands it.

    Raises:
        StorageError: SQLite refused; the text says what to do.
    """
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise storage_error(error, file) from error


@contextmanager
def transaction(connection: sqlite3.Connection, file: Path) -> Iterator[None]:
    """Hold the write lock from the start; what is written within is committed whole or not at all.

    Raises:
        StorageError: SQLite refused; the text says what to do.
    """
    with failures_in_words(file):
        try:
            connection.execute("BEGIN IMMEDIATE")
            yield
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.DatabaseError):  # where nothing was begun, or SQLite has rolled back by itself
                connection.execute("ROLLBACK")
            raise


def disk_full(file: Path | str) -> StorageError:
    """Return that there is no room for a file, with the cure."""
    return StorageError(f"the disk is full: {file} could not be written; free some space and use --resume")


def storage_error(error: sqlite3.DatabaseError, file: Path) -> StorageError:
    """Return what an error of SQLite means to a person."""
    text = str(error)
    if "locked" in text or "busy" in text:
        return StorageError(f"{file} is in use by another Oloproof for more than {_BUSY_SECONDS:.0f} s; try again")
    if "is full" in text:
        return disk_full(file)
    if "malformed" in text or "not a database" in text or "no such table" in text:
        return StorageError(f"{file} is damaged ({text}); move the folder {FOLDER} away to start anew")
    if "readonly" in text or "unable to open" in text:
        return StorageError(f"{file} may not be written ({text}); check its permissions")
    return StorageError(f"{file}: {text}")
