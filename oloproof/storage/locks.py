"""Telling a run that is alive from one that died: a lock that the operating system lets go of at any death."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from oloproof.errors import StorageError


class RunLock:
    """An exclusive lock on one run, held while its process lives."""

    def __init__(self, descriptor: int, path: Path) -> None:
        self._descriptor = descriptor
        self._path = path

    @classmethod
    def take(cls, folder: Path, run: str) -> RunLock:
        """Lock ``run``.

        Raises:
            StorageError: another process holds it.
        """
        path = _path(folder, run)
        path.parent.mkdir(exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            raise StorageError(f"run {run} is being written by another process; wait for it to end") from None
        return cls(descriptor, path)

    def release(self) -> None:
        """Let go; the file that carried the lock goes too."""
        self._path.unlink(missing_ok=True)
        os.close(self._descriptor)


def is_alive(folder: Path, run: str) -> bool:
    """Whether a process holds the lock of ``run``."""
    try:
        descriptor = os.open(_path(folder, run), os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def _path(folder: Path, run: str) -> Path:
    return folder / "locks" / f"{run}.lock"
