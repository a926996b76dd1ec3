"""The tables under ``.oloproof/``, and the steps that bring an older database up to date."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

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
from sqlalchemy.schema import CreateIndex, CreateTable

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
    Column("delivered", Text),
    UniqueConstraint("run", "position", name="trials_position"),
    Index("trials_case", "run", "case_id"),
)
"""``delivered`` is a JSON list of what stood in the fields that variants change; null where nothing is to tell."""

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

judgements = Table(
    "judgements",
    tables,
    Column("id", Integer, primary_key=True),
    Column("key", BLOB, nullable=False),
    Column("judge", BLOB, nullable=False),
    Column("verdicts", Text, nullable=False),
    Column("saw", Text, nullable=False),
    Column("kept", Integer, nullable=False),
    Column("created", Float, nullable=False),
    Index("judgements_key", "key"),
)
"""What judges said, shared by the runs that reuse it. ``key`` is the verdict key, ``judge`` the judge hash, ``saw`` a
JSON object of what was shown. Rows that are ``kept`` are the cache; the others are unfinished answers, evidence."""

judged = Table(
    "judged",
    tables,
    Column("trial", ForeignKey("trials.id"), primary_key=True),
    Column("evaluator", Integer, primary_key=True),
    Column("judgement", ForeignKey("judgements.id"), nullable=False),
    Column("sight", Text),
    sqlite_with_rowid=False,
)
"""Which judgement an execution's verdicts of one evaluator (counted in the run's document) come from. ``sight`` is what
was known of the judge's sight in that run: it may be proven only after the judgement was given."""

sights = Table(
    "sights",
    tables,
    Column("server", Text, primary_key=True),
    Column("model", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("document", Text, nullable=False),
    Column("time", Float, nullable=False),
    sqlite_with_rowid=False,
)
"""The newest sight test of each server, model and kind of media."""

servers = Table(
    "servers",
    tables,
    Column("server", Text, primary_key=True),
    Column("model", Text, primary_key=True),
    Column("document", Text, nullable=False),
    sqlite_with_rowid=False,
)
"""What a server and model were found to take, such as the form of a structured reply."""

samples = Table(
    "samples",
    tables,
    Column("id", Text, primary_key=True),
    Column("run", ForeignKey("runs.number"), nullable=False),
    Column("criterion", Text, nullable=False),
    Column("judge", BLOB, nullable=False),
    Column("purpose", Text, nullable=False),
    Column("seed", Text, nullable=False),
    Column("size", Integer, nullable=False),
    Column("frame", Integer, nullable=False),
    Column("created", Float, nullable=False),
)
"""Blind samples drawn for labelling: the order is told by the seed, so a longer one extends a shorter one."""

labels = Table(
    "labels",
    tables,
    Column("id", Integer, primary_key=True),
    Column("identity", BLOB, nullable=False, unique=True),
    Column("shown", BLOB, nullable=False),
    Column("criterion", Text, nullable=False),
    Column("guide", Text, nullable=False),
    Column("labelled_by", Text, nullable=False),
    Column("purpose", Text, nullable=False),
    Column("passed", Integer),
    Column("note", Text),
    Column("run", ForeignKey("runs.number"), nullable=False),
    Column("execution", ForeignKey("executions.id"), nullable=False),
    Column("case_id", Text, nullable=False),
    Column("variant", Text, nullable=False),
    Column("repeat", Integer, nullable=False),
    Column("created", Float, nullable=False),
    Index("labels_shown", "criterion", "shown"),
)
"""What people say of what was shown. ``identity`` is what was shown, criterion, guide version and person: one label a
person. ``passed`` is 1, 0, or null for unsure."""

validations = Table(
    "validations",
    tables,
    Column("id", Integer, primary_key=True),
    Column("criterion", Text, nullable=False),
    Column("judge", BLOB, nullable=False),
    Column("label_set", BLOB, nullable=False),
    Column("look", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("document", Text, nullable=False),
    Column("time", Float, nullable=False),
    Index("validations_criterion", "criterion"),
)
"""Append-only: each look at the labels of a criterion, over all judges tried on them."""

probes = Table(
    "probes",
    tables,
    Column("id", Integer, primary_key=True),
    Column("criterion", Text, nullable=False),
    Column("judge", BLOB, nullable=False),
    Column("document", Text, nullable=False),
    Column("time", Float, nullable=False),
    Index("probes_judge", "judge"),
)
"""Append-only: what each probe of a judge found."""


def _judges_and_labels(connection: Connection) -> None:
    """Add the tables of judges and labels."""
    added = (judgements, judged, sights, servers, samples, labels, validations)
    tables.create_all(connection, tables=list(added))


def _probes(connection: Connection) -> None:
    """Add the table of what probes of judges found."""
    tables.create_all(connection, tables=[probes])


def _deliveries(connection: Connection) -> None:
    """Add what trials were given."""
    connection.exec_driver_sql("ALTER TABLE trials ADD COLUMN delivered TEXT")


VERSION = 4
MIGRATIONS: dict[int, Callable[[Connection], None]] = {1: _judges_and_labels, 2: _probes, 3: _deliveries}
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
        for statement in _statements():
            connection.exec_driver_sql(statement)
    else:
        for step in range(found, VERSION):
            MIGRATIONS[step](connection)
    if found != VERSION:
        connection.exec_driver_sql(f"PRAGMA user_version = {VERSION:d}")


@cache
def _statements() -> tuple[str, ...]:
    """Return what makes all tables and indexes, worked out once a process."""
    from sqlalchemy.dialects import sqlite

    made: list[CreateTable | CreateIndex] = []
    for table in tables.sorted_tables:
        made.append(CreateTable(table, if_not_exists=True))
        made += [
            CreateIndex(index, if_not_exists=True) for index in sorted(table.indexes, key=lambda one: str(one.name))
        ]
    return tuple(str(one.compile(dialect=sqlite.dialect())) for one in made)


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
