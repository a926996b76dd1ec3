"""The tables under ``.oloproof/``, and the steps that bring an older database up to date."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import (
    BLOB,
    Column,
    Connection,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

from oloproof.errors import StorageError

tables = MetaData()

runs = Table(
    "runs",
    tables,
    Column("number", Integer, primary_key=True),
    Column("id", Text, nullable=False, unique=True),
    Column("state", Text, nullable=False),
    Column("started", Float, nullable=False),
    Column("finished", Float),
    Column("project", Text, nullable=False),
    Column("system_name", Text, nullable=False),
    Column("system_version", Text, nullable=False),
    Column("config_digest", Text, nullable=False),
    Column("dataset_digest", Text, nullable=False),
    Column("partial", Integer, nullable=False),
    Column("cases", Integer, nullable=False),
    Column("trials", Integer, nullable=False),
    Column("document", Text, nullable=False),
    Column("notices", Text, nullable=False, server_default="[]"),
    Column("error", Text),
)
"""One row a run. ``document`` is what was run (project, criteria, versions) as JSON; ``state`` is running, complete,
stopped (by an error or by hand)."""

executions = Table(
    "executions",
    tables,
    Column("id", Integer, primary_key=True),
    Column("key", BLOB, nullable=False),
    Column("input", Text, nullable=False),
    Column("output", Text),
    Column("error", Text),
    Column("detail", Text),
    Column("media", Text),
    Column("seconds", Float, nullable=False),
    Column("created", Float, nullable=False),
    Index("executions_key", "key"),
)
"""What systems gave, shared by the runs that reuse it. The newest row of a key that failed nothing is the cache."""

trials = Table(
    "trials",
    tables,
    Column("id", Integer, primary_key=True),
    Column("run", ForeignKey("runs.number"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("case_id", Text, nullable=False),
    Column("variant", Text, nullable=False),
    Column("repeat", Integer, nullable=False),
    Column("expected", Text),
    Column("slice", Text),
    Column("execution", ForeignKey("executions.id"), nullable=False),
    Column("cached", Integer, nullable=False),
    UniqueConstraint("run", "position", name="trials_position"),
    Index("trials_case", "run", "case_id"),
)

verdicts = Table(
    "verdicts",
    tables,
    Column("trial", ForeignKey("trials.id"), primary_key=True),
    Column("criterion", Integer, primary_key=True),
    Column("outcome", Integer, nullable=False),
    Column("score", Float),
    Column("reason", Text, nullable=False),
    Column("details", Text),
    Column("cached", Integer, nullable=False, server_default="0"),
    sqlite_with_rowid=False,
)
"""``criterion`` counts the criteria of the run's document; ``outcome`` the words of ``records.OUTCOMES``."""

decisions = Table(
    "decisions",
    tables,
    Column("id", Integer, primary_key=True),
    Column("run", ForeignKey("runs.number"), nullable=False),
    Column("policy_digest", Text, nullable=False),
    Column("validation_digest", Text, nullable=False),
    Column("time", Float, nullable=False),
    Column("exit", Integer, nullable=False),
    Column("document", Text, nullable=False),
    Index("decisions_run", "run"),
)
"""Append-only: each time rules were applied to a run, with what they were applied on."""

digests = Table(
    "digests",
    tables,
    Column("device", Integer, primary_key=True),
    Column("inode", Integer, primary_key=True),
    Column("size", Integer, nullable=False),
    Column("mtime_ns", Integer, nullable=False),
    Column("ctime_ns", Integer, nullable=False),
    Column("sha256", BLOB, nullable=False),
    sqlite_with_rowid=False,
)
"""The digest of each file seen, by its identity; one row a file, the newest state."""

measurements = Table(
    "measurements",
    tables,
    Column("sha256", BLOB, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
    sqlite_with_rowid=False,
)
"""What was measured on bytes: facts and perceptual hashes, by SHA-256."""

VERSION = 1
MIGRATIONS: dict[int, Callable[[Connection], None]] = {}
"""The step that brings a database of version n to n + 1; applied in order, in one transaction."""


def is_up_to_date(connection: Connection) -> bool:
    """Whether the database has exactly the tables that this version knows."""
    return _version(connection) == VERSION


def bring_up_to_date(connection: Connection) -> None:
    """Create the tables in an empty database, or migrate an older one, in the connection's transaction.

    Raises:
        StorageError: the database was written by a newer Oloproof.
    """
    found = _version(connection)
    _refuse_newer(found)
    if found == 0:
        tables.create_all(connection)
    else:
        for step in range(found, VERSION):
            MIGRATIONS[step](connection)
    if found != VERSION:
        connection.exec_driver_sql(f"PRAGMA user_version = {VERSION:d}")


def refuse_other_versions(connection: Connection) -> None:
    """Refuse a database that may only be read and so cannot be brought up to date.

    Raises:
        StorageError: the database was written by a newer or an older Oloproof.
    """
    found = _version(connection)
    _refuse_newer(found)
    if found < VERSION:
        raise StorageError(
            f"the database was written by an older Oloproof (schema {found}, this one needs {VERSION}) and may only be "
            "read here; list its runs once where it may be written, which brings it up to date"
        )


def _refuse_newer(found: int) -> None:
    if found > VERSION:
        raise StorageError(
            f"the database was written by a newer Oloproof (schema {found}, this one knows {VERSION}); upgrade Oloproof"
        )


def _version(connection: Connection) -> int:
    return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
