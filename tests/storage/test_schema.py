"""Databases of other versions: an older one is brought up to date, a newer one is left alone."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from oloproof.errors import StorageError
from oloproof.storage import History, Store, schema
from tests.storage.conftest import Base, entry


def version_of(file: Path, new: int | None = None) -> int:
    connection = sqlite3.connect(file)
    try:
        if new is not None:
            connection.execute(f"PRAGMA user_version = {new}")
        return int(connection.execute("PRAGMA user_version").fetchone()[0])
    finally:
        connection.close()


def add_note(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE decisions ADD COLUMN note TEXT")
    connection.execute("UPDATE runs SET project = project || ' (migrated)'")


def fail_half_way(connection: sqlite3.Connection) -> None:
    add_note(connection)
    raise RuntimeError("power cut")


def test_a_new_database_has_this_version(base: Base) -> None:
    assert version_of(base.store.file) == schema.VERSION


def test_a_database_of_a_newer_version_is_refused_and_left_as_it_is(base: Base) -> None:
    base.complete(entry(0))
    base.store.close()
    version_of(base.store.file, 99)
    before = base.store.file.read_bytes()
    with pytest.raises(StorageError, match=r"written by a newer Oloproof .schema 99, this one knows .*; upgrade"):
        Store(base.root)
    assert base.store.file.read_bytes() == before


def test_an_older_database_is_migrated_in_order_once(base: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    base.complete(entry(0))
    base.store.close()
    taken: list[int] = []
    start = schema.VERSION

    def first(connection: sqlite3.Connection) -> None:
        taken.append(start)
        add_note(connection)

    monkeypatch.setitem(schema.MIGRATIONS, start, first)
    monkeypatch.setitem(schema.MIGRATIONS, start + 1, lambda _: taken.append(start + 1))
    monkeypatch.setattr(schema, "VERSION", start + 2)
    for _ in range(2):
        store = Store(base.root)
        assert History(store).find().project == "p (migrated)"
        store.close()
    assert taken == [start, start + 1]
    assert version_of(base.store.file) == start + 2


def test_a_migration_that_fails_changes_nothing(base: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    base.complete(entry(0))
    base.store.close()
    start = schema.VERSION
    monkeypatch.setitem(schema.MIGRATIONS, start, fail_half_way)
    with monkeypatch.context() as newer:
        newer.setattr(schema, "VERSION", start + 1)
        with pytest.raises(RuntimeError, match="power cut"):
            Store(base.root)
    assert version_of(base.store.file) == start
    store = Store(base.root)
    assert History(store).find().project == "p"
    store.close()
