"""Opening the project's database: where it lies, how it is locked, what each failure of SQLite means."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import StaticPool

from oloproof.errors import StorageError
from oloproof.storage.schema import bring_up_to_date

FOLDER = ".oloproof"
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
        raise StorageError(f"cannot make {folder}: {error.strerror}") from None
    engine = create_engine(
        f"sqlite:///{file}",
        poolclass=StaticPool,
        isolation_level="AUTOCOMMIT",
        connect_args={"check_same_thread": False, "timeout": _BUSY_SECONDS},
    )
    event.listen(engine, "connect", _settings)
    with writing(engine, file) as connection:
        bring_up_to_date(connection)
    return engine


def _settings(connection: sqlite3.Connection, _record: Any) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = NORMAL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA temp_store = MEMORY")
    cursor.close()


@contextmanager
def writing(engine: Engine, file: Path | None = None) -> Iterator[Connection]:
    """Open one transaction that holds the write lock from its start; it is committed whole or not at all.

    Raises:
        StorageError: SQLite refused; the text says what to do.
    """
    try:
        with engine.connect() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.exec_driver_sql("ROLLBACK")
                raise
            connection.exec_driver_sql("COMMIT")
    except DatabaseError as error:
        raise storage_error(error, file) from error


def storage_error(error: DatabaseError, file: Path | None) -> StorageError:
    """Return what an error of SQLite means to a person."""
    where = file or FOLDER
    text = str(error.orig or error)
    if "locked" in text or "busy" in text:
        return StorageError(f"{where} is in use by another Oloproof for more than {_BUSY_SECONDS:.0f} s; try again")
    if "full" in text:
        return StorageError(f"the disk is full: {where} could not be written; free some space and use --resume")
    if "malformed" in text or "not a database" in text:
        return StorageError(f"{where} is damaged ({text}); move the folder {FOLDER} away to start anew")
    if "readonly" in text:
        return StorageError(f"{where} may not be written; check its permissions")
    return StorageError(f"{where}: {text}")
