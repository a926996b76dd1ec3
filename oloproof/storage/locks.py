"""Telling a run that is alive from one that died: a lock that the operating system lets go of at any death."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from pathlib import Path

from oloproof.errors import StorageError

_PATIENCE = 0.5
"""Seconds for which a lock is tried: whoever looks whether a run is alive holds it for an instant."""


class RunLock:
    """An exclusive lock on one run, held while its process lives."""

    def __init__(self, descriptor: int, path: Path) -> None:
        self._descriptor: int | None = descriptor
        self._path = path

    @classmethod
    def take(cls, folder: Path, run: str) -> RunLock:
        """Lock ``run``.

        Raises:
            StorageError: another process holds it, or the file system knows no locks.
        """
        path = _path(folder, run)
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                descriptor = _locked(path)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise StorageError(f"run {run} is being written by another process; wait for it to end") from None
                time.sleep(0.01)
                continue
            except OSError as error:
                raise StorageError(f"{path} cannot be locked: {error.strerror}") from None
            if descriptor is not None:
                return cls(descriptor, path)

    def release(self) -> None:
        """Let go; the file that carried the lock goes too. A second call does nothing."""
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            with contextlib.suppress(OSError):
                self._path.unlink()
            os.close(descriptor)


def _locked(path: Path) -> int | None:
    """Return a locked descriptor of ``path``, None when the file was removed meanwhile by who held it before."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(descriptor), os.stat(path)):
            return descriptor
    except FileNotFoundError:
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def is_alive(folder: Path, run: str) -> bool:
    """Whether a process holds the lock of ``run``."""
    try:
        descriptor = os.open(_path(folder, run), os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _path(folder: Path, run: str) -> Path:
    return folder / "locks" / f"{run}.lock"
