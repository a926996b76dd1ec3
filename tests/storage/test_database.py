"""Opening the database, and what each failure of SQLite means to a person."""

from __future__ import annotations

import gc
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from oloproof.errors import StorageError
from oloproof.storage import History, Store, database
from oloproof.storage.database import FILE, FOLDER
from tests.storage.conftest import Base, entry
from tests.warm import Warm


def test_the_folder_is_kept_out_of_version_control(base: Base) -> None:
    assert (base.root / FOLDER / ".gitignore").read_text() == "*\n"


def test_a_project_without_runs_is_told_so_and_nothing_is_made(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"there are no runs in .* yet; oloproof run makes the first"):
        Store(tmp_path, create=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["with space", "a?mode=ro", "a#b", "100%41", "user:pw@host", "é", "file:x"])
def test_the_project_may_lie_in_a_folder_of_any_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    base = Base(tmp_path / name)
    base.complete(entry(0))
    base.store.close()
    assert (tmp_path / name / FOLDER / FILE).stat().st_size > 0
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / FOLDER).write_text("a file in the way")
    with pytest.raises(StorageError, match=r"\.oloproof cannot be made or written: .*; runs are stored there"):
        Store(tmp_path)


def test_a_folder_that_may_not_be_written_is_told(tmp_path: Path, as_nobody: Callable[..., str]) -> None:
    tmp_path.chmod(0o755)
    script = """
        import os, sys
        from pathlib import Path
        from oloproof.errors import StorageError
        from oloproof.storage import Store
        os.chmod(sys.argv[1], 0o555)
        give_up_rights()
        try:
            Store(Path(sys.argv[1]))
        except StorageError as error:
            print(error)
        """
    told = as_nobody(script, str(tmp_path))
    tmp_path.chmod(0o755)
    assert "cannot be made or written: Permission denied" in told


def test_a_database_that_may_only_be_read_can_be_read_and_says_so_when_written(base: Base) -> None:
    base.complete(entry(0))
    with base.store.reading() as connection:
        connection.execute("PRAGMA query_only = ON")
    assert base.history.find().state == "complete"
    with pytest.raises(StorageError, match=r"may not be written .*readonly.*; check its permissions"):
        base.begin()


@pytest.mark.parametrize("damage", [b"not a database, but long enough to be read as a header " * 90, b"\0" * 5000])
def test_a_damaged_file_is_told_with_the_way_out(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / FILE).write_bytes(damage)
    with pytest.raises(
        StorageError, match=r"oloproof\.db is damaged .*; move the folder \.oloproof away to start anew"
    ):
        Store(tmp_path)


def test_damage_within_the_file_is_told_also_while_reading(base: Base) -> None:
    base.complete(*[entry(n, "x" * 3000) for n in range(50)])
    base.store.close()
    data = bytearray(base.store.file.read_bytes())
    data[4096 * 3 :] = b"\xa5" * (len(data) - 4096 * 3)
    base.store.file.write_bytes(data)

    def read() -> None:
        with closing(Store(base.root)) as store:
            history = History(store)
            list(history.trials(history.find()))

    with pytest.raises(StorageError, match="is damaged"):
        read()


def test_a_full_disk_loses_the_batch_and_keeps_what_was_stored(base: Base) -> None:
    run = base.begin()
    base.store.append(run, [entry(0)])
    with base.store.reading() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 3}")
    with pytest.raises(
        StorageError, match=r"the disk is full: .* could not be written; free some space and use --resume"
    ):
        base.store.append(run, [entry(n, "x" * 5000) for n in range(1, 20)])
    assert base.store.done_positions(run) == {0}
    with base.store.reading() as connection:
        connection.execute(f"PRAGMA max_page_count = {pages + 1000}")
    base.store.append(run, [entry(1)])
    assert base.store.done_positions(run) == {0, 1}


def hold(base: Base) -> sqlite3.Connection:
    """Take the write lock by a connection of its own."""
    other = sqlite3.connect(base.store.file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    return other


def test_a_lock_that_is_held_too_long_is_told_and_reading_goes_on(base: Base) -> None:
    base.complete(entry(0))
    with base.store.reading() as connection:
        connection.execute("PRAGMA busy_timeout = 50")
    other = hold(base)
    try:
        with pytest.raises(StorageError, match=r"is in use by another Oloproof for more than 30 s; try again"):
            base.begin()
        assert base.history.find().state == "complete"
        started = time.monotonic()
        Store(base.root, create=False).close()
        assert time.monotonic() - started < 5
    finally:
        other.close()
    base.complete(entry(0))


def test_many_processes_may_make_the_database_at_once(tmp_path: Path, warm: Warm) -> None:
    script = (
        "import sys; from pathlib import Path; from oloproof.storage import Store; Store(Path(sys.argv[1])).close()"
    )
    processes = [subprocess.Popen(warm.python(script, str(tmp_path))) for _ in range(4)]
    assert [process.wait(60) for process in processes] == [0] * 4


def test_an_error_in_a_transaction_leaves_the_connection_usable(base: Base) -> None:
    with pytest.raises(RuntimeError, match="mine"), base.store.writing():
        raise RuntimeError("mine")
    with pytest.raises(StorageError, match="syntax error"), base.store.writing() as connection:
        connection.execute("NO SQL")
    base.complete(entry(0))


def test_each_failure_has_words(tmp_path: Path) -> None:
    told = {
        "database is locked": "in use by another",
        "database or disk is full": "disk is full",
        "file is not a database": "damaged",
        "no such table: runs": "damaged",
        "attempt to write a readonly database": "may not be written",
        "unable to open database file": "may not be written",
        "something new": "something new",
    }
    for text, words in told.items():
        error = database.storage_error(sqlite3.OperationalError(text), tmp_path)
        assert words in str(error)


@pytest.mark.parametrize("after", [0.001, 0.01, 0.05, 0.1, 0.2])
def test_ctrl_c_while_a_batch_is_written_stops_the_command_and_keeps_all_of_it_or_nothing(
    base: Base, after: float
) -> None:
    run = base.begin()
    base.store.append(run, [entry(0)])
    batch = [entry(n) for n in range(1, 5_000)]

    def append() -> None:
        base.store.append(run, batch)
        time.sleep(10)  # on a machine that was done before

    gc.disable()  # what is raised while garbage is collected, where hypothesis listens, is lost
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, after)
    try:
        with pytest.raises(KeyboardInterrupt):
            append()
    finally:
        signal.signal(signal.SIGALRM, before)
        gc.enable()
    assert len(base.store.done_positions(run)) in (1, 5_000)
    base.store.append(run, [entry(5_000)])
    base.store.finish(run, "stopped", "stopped by hand")
    stored = base.history.find(run.id)
    assert (stored.state, stored.error) == ("stopped", "stopped by hand")
    assert base.history.case_ids(stored)[-1] == "c5000"
