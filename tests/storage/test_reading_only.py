"""Reading runs where nothing may be written, as on a read-only mount."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from oloproof.errors import StorageError
from oloproof.storage import NewRun, Store, schema
from oloproof.storage.database import FOLDER
from tests.storage.conftest import Base, entry

READ = """
    import os, sys
    from pathlib import Path
    from oloproof.errors import OloproofError
    from oloproof.media.digesting import DigestMemo
    from oloproof.storage import History, Store, StoredMeasurements
    give_up_rights()
    try:
        store = Store(Path(sys.argv[1]), create=False)
        history = History(store)
        for run in history.runs():
            print(run.id, run.state, len(list(history.trials(run))), store.read_only)
        kept = StoredMeasurements(store)
        for n in range(500):
            kept.put(f"{n:064x}", "facts@1", [n])
        kept.flush()
        store.load_memo()
        store.save_memo(DigestMemo())
        print(kept.get(f"{499:064x}", "facts@1"))
        store.add_decision(1, "p", "v", 0, {})
    except OloproofError as error:
        print(error)
"""
READS = "run-0001 complete 1 True\n[499]\n"


@pytest.fixture
def sealed(tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """Take the right to write a project away; with ``folder=0o777`` its database alone cannot be written."""
    root = tmp_path / "a project?100%"

    def seal(folder: int = 0o555) -> Path:
        for path in (root / FOLDER).rglob("*"):
            path.chmod(0o555 if path.is_dir() else 0o444)
        (root / FOLDER).chmod(folder)
        root.chmod(0o555)
        return root

    root.mkdir()
    yield seal
    for path in (root, root / FOLDER):
        path.chmod(0o755)


def listing(root: Path) -> list[str]:
    return sorted(str(path) for path in root.rglob("*"))


def made(root: Path) -> Base:
    base = Base(root)
    base.complete(entry(0))
    return base


def test_runs_are_read_from_a_folder_that_may_not_be_written_and_nothing_is_left_there(
    sealed: Callable[..., Path], as_nobody: Callable[..., str], tmp_path: Path
) -> None:
    made(tmp_path / "a project?100%").store.close()
    root = sealed()
    before = listing(root)
    told = as_nobody(READ, str(root))
    assert told.startswith(READS)
    assert "may not be written" in told.removeprefix(READS)
    assert listing(root) == before


def test_runs_are_read_where_the_database_alone_may_not_be_written(
    sealed: Callable[..., Path], as_nobody: Callable[..., str], tmp_path: Path
) -> None:
    made(tmp_path / "a project?100%").store.close()
    assert as_nobody(READ, str(sealed(0o777))).startswith(READS)


def test_what_another_process_wrote_and_did_not_fold_in_yet_is_read_too(
    sealed: Callable[..., Path], as_nobody: Callable[..., str], tmp_path: Path
) -> None:
    base = made(tmp_path / "a project?100%")
    with closing(base.store):
        root = sealed()
        assert base.store.file.with_name(base.store.file.name + "-wal").stat().st_size > 0
        assert as_nobody(READ, str(root)).startswith(READS)


@pytest.mark.parametrize(("version", "told"), [(99, "by a newer Oloproof (schema 99"), (0, "by an older Oloproof (")])
def test_a_database_of_another_version_that_may_only_be_read_is_told(
    version: int, told: str, sealed: Callable[..., Path], as_nobody: Callable[..., str], tmp_path: Path
) -> None:
    base = made(tmp_path / "a project?100%")
    base.store.close()
    with closing(sqlite3.connect(base.store.file)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    printed = as_nobody(READ, str(sealed()))
    assert told in printed
    assert f"{schema.VERSION}" in printed


def test_a_project_without_runs_that_may_not_be_written_is_told_so(
    as_nobody: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir(0o555)
    assert "there are no runs in" in as_nobody(READ, str(tmp_path / "empty"))


def test_where_it_may_be_written_a_store_is_not_only_read(base: Base) -> None:
    assert not base.store.read_only
    assert os.access(base.store.file, os.W_OK)
    with closing(Store(base.root, create=False)) as store:
        assert not store.read_only


def test_a_store_that_is_asked_to_read_only_writes_nothing_where_it_could(base: Base) -> None:
    base.complete(entry(0))
    with closing(Store(base.root, create=False, read_only=True)) as store:
        assert store.read_only
        with pytest.raises(StorageError):
            store.begin(NewRun("r", "p", "s", "1", "c", "d", False, 1, 1, {}))


def test_a_store_that_is_asked_to_read_only_migrates_nothing(base: Base) -> None:
    base.store.close()
    with closing(sqlite3.connect(base.store.file)) as connection:
        connection.execute("PRAGMA user_version = 1")
    with pytest.raises(StorageError, match="by an older Oloproof"):
        Store(base.root, create=False, read_only=True)
    with closing(sqlite3.connect(base.store.file)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
