"""The tables under ``.oloproof/``, and the steps that bring an older database up to date."""

from __future__ import annotations

from collections.abc import Callable
from sqlite3 import Connection

from oloproof.errors import StorageError

# One row a run. ``document`` is what was run (project, criteria, versions) as JSON; ``state`` is running, complete or
# stopped (by an error or by hand).
_RUNS = """
CREATE TABLE IF NOT EXISTS runs (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL,
    started REAL NOT NULL,
    finished REAL,
    project TEXT NOT NULL,
    system_name TEXT NOT NULL,
    system_version TEXT NOT NULL,
    config_digest TEXT NOT NULL,
    dataset_digest TEXT NOT NULL,
    partial INTEGER NOT NULL,
    cases INTEGER NOT NULL,
    trials INTEGER NOT NULL,
    document TEXT NOT NULL,
    notices TEXT NOT NULL DEFAULT '[]',
    error TEXT
);
"""

# What systems gave, shared by the runs that reuse it. The newest row of a key that failed nothing is the cache.
_EXECUTIONS = """
CREATE TABLE IF NOT EXISTS executions (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL,
    input TEXT NOT NULL,
    output TEXT,
    error TEXT,
    detail TEXT,
    media TEXT,
    seconds REAL NOT NULL,
    created REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS executions_key ON executions (key);
"""

# ``delivered`` is a JSON list of what stood in the fields that variants change, or of media that the system was given
# and did not record; null where nothing is to tell. It stands last, where databases that were brought up to date have
# it.
_TRIALS = """
CREATE TABLE IF NOT EXISTS trials (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (number),
    position INTEGER NOT NULL,
    case_id TEXT NOT NULL,
    variant TEXT NOT NULL,
    repeat INTEGER NOT NULL,
    expected TEXT,
    slice TEXT,
    execution INTEGER NOT NULL REFERENCES executions (id),
    cached INTEGER NOT NULL,
    delivered TEXT,
    CONSTRAINT trials_position UNIQUE (run, position)
);
CREATE INDEX IF NOT EXISTS trials_case ON trials (run, case_id);
"""

# ``criterion`` counts the criteria of the run's document; ``outcome`` the words of ``records.OUTCOMES``.
_VERDICTS = """
CREATE TABLE IF NOT EXISTS verdicts (
    trial INTEGER NOT NULL REFERENCES trials (id),
    criterion INTEGER NOT NULL,
    outcome INTEGER NOT NULL,
    score REAL,
    reason TEXT NOT NULL,
    details TEXT,
    cached INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (trial, criterion)
) WITHOUT ROWID;
"""

# Append-only: each time rules were applied to a run, with what they were applied on.
_DECISIONS = """
CREATE TABLE IF NOT EXISTS decisions (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (number),
    policy_digest TEXT NOT NULL,
    validation_digest TEXT NOT NULL,
    time REAL NOT NULL,
    exit INTEGER NOT NULL,
    document TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS decisions_run ON decisions (run);
"""

# The digest of each file seen, by its identity; one row a file, the newest state.
_DIGESTS = """
CREATE TABLE IF NOT EXISTS digests (
    device INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    ctime_ns INTEGER NOT NULL,
    sha256 BLOB NOT NULL,
    PRIMARY KEY (device, inode)
) WITHOUT ROWID;
"""

# What was measured on bytes: facts and perceptual hashes, by SHA-256.
_MEASUREMENTS = """
CREATE TABLE IF NOT EXISTS measurements (
    sha256 BLOB NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (sha256, name)
) WITHOUT ROWID;
"""

# What judges said, shared by the runs that reuse it. ``key`` is the verdict key, ``judge`` the judge hash, ``saw`` a
# JSON object of what was shown. Rows that are ``kept`` are the cache; the others are unfinished answers, evidence.
_JUDGEMENTS = """
CREATE TABLE IF NOT EXISTS judgements (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL,
    judge BLOB NOT NULL,
    verdicts TEXT NOT NULL,
    saw TEXT NOT NULL,
    kept INTEGER NOT NULL,
    created REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS judgements_key ON judgements (key);
"""

# Which judgement an execution's verdicts of one evaluator (counted in the run's document) come from. ``sight`` is what
# was known of the judge's sight in that run: it may be proven only after the judgement was given.
_JUDGED = """
CREATE TABLE IF NOT EXISTS judged (
    trial INTEGER NOT NULL REFERENCES trials (id),
    evaluator INTEGER NOT NULL,
    judgement INTEGER NOT NULL REFERENCES judgements (id),
    sight TEXT,
    PRIMARY KEY (trial, evaluator)
) WITHOUT ROWID;
"""

# The newest sight test of each server, model and kind of media.
_SIGHTS = """
CREATE TABLE IF NOT EXISTS sights (
    server TEXT NOT NULL,
    model TEXT NOT NULL,
    kind TEXT NOT NULL,
    document TEXT NOT NULL,
    time REAL NOT NULL,
    PRIMARY KEY (server, model, kind)
) WITHOUT ROWID;
"""

# What a server and model were found to take, such as the form of a structured reply.
_SERVERS = """
CREATE TABLE IF NOT EXISTS servers (
    server TEXT NOT NULL,
    model TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (server, model)
) WITHOUT ROWID;
"""

# Blind samples drawn for labelling: the order is told by the seed, so a longer one extends a shorter one.
_SAMPLES = """
CREATE TABLE IF NOT EXISTS samples (
    id TEXT PRIMARY KEY NOT NULL,
    run INTEGER NOT NULL REFERENCES runs (number),
    criterion TEXT NOT NULL,
    judge BLOB NOT NULL,
    purpose TEXT NOT NULL,
    seed TEXT NOT NULL,
    size INTEGER NOT NULL,
    frame INTEGER NOT NULL,
    created REAL NOT NULL
);
"""

# What people say of what was shown. ``identity`` is what was shown, criterion, guide version and person: one label a
# person. ``passed`` is 1, 0, or null for unsure.
_LABELS = """
CREATE TABLE IF NOT EXISTS labels (
    id INTEGER PRIMARY KEY,
    identity BLOB NOT NULL UNIQUE,
    shown BLOB NOT NULL,
    criterion TEXT NOT NULL,
    guide TEXT NOT NULL,
    labelled_by TEXT NOT NULL,
    purpose TEXT NOT NULL,
    passed INTEGER,
    note TEXT,
    run INTEGER NOT NULL REFERENCES runs (number),
    execution INTEGER NOT NULL REFERENCES executions (id),
    case_id TEXT NOT NULL,
    variant TEXT NOT NULL,
    repeat INTEGER NOT NULL,
    created REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS labels_shown ON labels (criterion, shown);
"""

# Append-only: each look at the labels of a criterion, over all judges tried on them.
_VALIDATIONS = """
CREATE TABLE IF NOT EXISTS validations (
    id INTEGER PRIMARY KEY,
    criterion TEXT NOT NULL,
    judge BLOB NOT NULL,
    label_set BLOB NOT NULL,
    look INTEGER NOT NULL,
    state TEXT NOT NULL,
    reason TEXT NOT NULL,
    document TEXT NOT NULL,
    time REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS validations_criterion ON validations (criterion);
"""

# Append-only: what each probe of a judge found.
_PROBES = """
CREATE TABLE IF NOT EXISTS probes (
    id INTEGER PRIMARY KEY,
    criterion TEXT NOT NULL,
    judge BLOB NOT NULL,
    document TEXT NOT NULL,
    time REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS probes_judge ON probes (judge);
"""

_FIRST = (_RUNS, _EXECUTIONS, _TRIALS, _VERDICTS, _DECISIONS, _DIGESTS, _MEASUREMENTS)
_OF_JUDGES = (_JUDGEMENTS, _JUDGED, _SIGHTS, _SERVERS, _SAMPLES, _LABELS, _VALIDATIONS)


def _judges_and_labels(connection: Connection) -> None:
    """Add the tables of judges and labels."""
    _make(connection, *_OF_JUDGES)


def _probes(connection: Connection) -> None:
    """Add the table of what probes of judges found."""
    _make(connection, _PROBES)


def _deliveries(connection: Connection) -> None:
    """Add what trials were given."""
    connection.execute("ALTER TABLE trials ADD COLUMN delivered TEXT")


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
        _make(connection, *_FIRST, *_OF_JUDGES, _PROBES)
    else:
        for step in range(found, VERSION):
            MIGRATIONS[step](connection)
    if found != VERSION:
        connection.execute(f"PRAGMA user_version = {VERSION:d}")


def _make(connection: Connection, *tables: str) -> None:
    """Make tables with their indexes. A script would be committed at once, so each statement goes by itself."""
    for table in tables:
        for statement in table.split(";"):
            connection.execute(statement)


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
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
