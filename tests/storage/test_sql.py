"""The pieces of SQL that depend on what is asked, tried on SQLite itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.storage.rows import storable
from oloproof.storage.sql import insert, like_pattern, marks, scalar


@pytest.fixture(scope="module")
def connection() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE told (id INTEGER PRIMARY KEY, key TEXT, value BLOB)")
        yield connection


@given(text=st.text(st.characters(codec=None), max_size=20), before=st.text(max_size=5), after=st.text(max_size=5))
def test_a_text_is_found_in_whatever_holds_it_and_nowhere_else(
    connection: sqlite3.Connection, text: str, before: str, after: str
) -> None:
    """The wildcards of LIKE stand for themselves."""
    query = "SELECT ? LIKE ? ESCAPE '\\'"
    whole = storable(before + text + after)
    if "\0" not in whole:  # LIKE ends there, and no text of ours holds it
        assert scalar(connection, query, (whole, like_pattern(text))) == 1
    for other in ("", "x" * 30, "_%\\"):
        held = storable(text).lower() in other.lower()
        if text.isascii() and "\0" not in text:
            assert scalar(connection, query, (other, like_pattern(text))) == int(held)


@pytest.mark.parametrize("count", [0, 1, 3, 500])
def test_there_is_a_mark_for_each_value(connection: sqlite3.Connection, count: int) -> None:
    wanted = list(range(count))
    assert scalar(connection, f"SELECT 2 IN {marks(wanted)}", wanted) == int(2 in wanted)


def test_a_row_is_inserted_by_names_also_of_words_that_sql_uses(connection: sqlite3.Connection) -> None:
    number = insert(connection, "told", {"value": b"\0", "key": "'); DROP TABLE told; --"})
    row = connection.execute("SELECT key, value FROM told WHERE id = ?", (number,)).fetchone()
    assert row == ("'); DROP TABLE told; --", b"\0")


def test_what_is_not_there_is_none(connection: sqlite3.Connection) -> None:
    assert scalar(connection, "SELECT id FROM told WHERE id < 0") is None
    assert scalar(connection, "SELECT max(id) FROM told WHERE id < 0") is None
