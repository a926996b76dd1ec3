"""The few pieces of SQL that depend on what is asked. Values are always parameters; only names are put into a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from sqlite3 import Connection
from typing import Any

from oloproof.storage.rows import storable

Values = Sequence[Any] | Mapping[str, Any]
"""The parameters of a query, by their places or by their names."""


def marks(values: Sized) -> str:
    """Return what stands behind ``IN`` for so many values: ``(?, ?, ?)``."""
    return f"({', '.join('?' * len(values))})"


def insert_into(table: str, *columns: str) -> str:
    """Return the statement that inserts a row given as values in the order of ``columns``."""
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES {marks(columns)}"


def insert(connection: Connection, table: str, values: Mapping[str, Any]) -> int:
    """Insert a row, given by the names of its columns, into a table that numbers its rows; returns its number."""
    return connection.execute(insert_into(table, *values), tuple(values.values())).lastrowid or 0


def scalar(connection: Connection, query: str, values: Values = ()) -> Any:
    """Return the first value of the first row that a query finds, None when it finds none."""
    row = connection.execute(query, values).fetchone()
    return None if row is None else row[0]


def like_pattern(text: str) -> str:
    """Return the pattern of ``LIKE``, escaped by a backslash, for whatever holds a text."""
    escaped = storable(text).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"
