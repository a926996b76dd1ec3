"""The lock of a run: held by one, let go of at any death."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from oloproof.errors import StorageError
from oloproof.storage import locks
from oloproof.storage.locks import RunLock, is_alive


def test_a_lock_is_held_by_one_and_leaves_nothing_behind(tmp_path: Path) -> None:
    assert not is_alive(tmp_path, "r")
    lock = RunLock.take(tmp_path, "r")
    assert is_alive(tmp_path, "r")
    assert not is_alive(tmp_path, "other")
    with pytest.raises(StorageError, match="run r is being written by another process; wait for it to end"):
        RunLock.take(tmp_path, "r")
    lock.release()
    assert not is_alive(tmp_path, "r")
    assert list((tmp_path / "locks").iterdir()) == []
    RunLock.take(tmp_path, "r").release()


def test_a_second_release_takes_no_lock_from_another(tmp_path: Path) -> None:
    lock = RunLock.take(tmp_path, "r")
    lock.release()
    other = RunLock.take(tmp_path, "r")
    lock.release()
    assert is_alive(tmp_path, "r")
    other.release()


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_death_of_any_kind_lets_go(tmp_path: Path, end: signal.Signals) -> None:
    script = (
        "import sys, time; from pathlib import Path; from oloproof.storage.locks import RunLock\n"
        "lock = RunLock.take(Path(sys.argv[1]), 'r'); print('held', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert is_alive(tmp_path, "r")
        os.kill(process.pid, end)
    assert not is_alive(tmp_path, "r")
    assert (tmp_path / "locks" / "r.lock").exists()
    RunLock.take(tmp_path, "r").release()


def test_who_only_looks_is_in_nobodys_way(tmp_path: Path) -> None:
    (tmp_path / "locks").mkdir()
    (tmp_path / "locks" / "r.lock").touch()
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            is_alive(tmp_path, "r")

    lookers = [threading.Thread(target=look) for _ in range(3)]
    for looker in lookers:
        looker.start()
    try:
        for _ in range(50):
            RunLock.take(tmp_path, "r").release()
            (tmp_path / "locks" / "r.lock").touch()
    finally:
        stop.set()
        for looker in lookers:
            looker.join()


def test_two_never_hold_it_at_once_while_it_changes_hands(tmp_path: Path) -> None:
    holding, most, done = 0, 0, []

    def work() -> None:
        nonlocal holding, most
        deadline = time.monotonic() + 1.0
        while time.monotonic() < deadline:
            try:
                lock = RunLock.take(tmp_path, "r")
            except StorageError:
                continue
            holding += 1
            most = max(most, holding)
            holding -= 1
            done.append(1)
            lock.release()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1
    assert len(done) > 10


def test_where_locks_cannot_be_made_that_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(locks.fcntl, "flock", refuse)
    with pytest.raises(StorageError, match=r"r\.lock cannot be locked: No locks available"):
        RunLock.take(tmp_path, "r")
    assert len(os.listdir("/dev/fd")) < 100
