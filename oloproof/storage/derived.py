"""Small files made from recorded bytes, such as thumbnails, kept under ``.oloproof/derived/``.

Each is found by what it was made from and how, so that none is ever out of date. All can be lost at any time.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
from pathlib import Path

from oloproof.digests import digest_of
from oloproof.storage.database import FOLDER

MOST_BYTES = 512 * 1024 * 1024
_AFTER_EVICTION = 0.9
"""Share of the limit that is left when old files had to go, so that not every new one makes another go."""


class DerivedFiles:
    """The derived files of one project: at most ``most_bytes`` together, the oldest go first. Safe between threads.

    With ``read_only``, and where the folder cannot be written, nothing is kept, and that is no error.
    """

    def __init__(self, root: Path, *, most_bytes: int = MOST_BYTES, read_only: bool = False) -> None:
        self.folder = root / FOLDER / "derived"
        self.most_bytes = most_bytes
        self.read_only = read_only
        self._lock = threading.Lock()
        self._bytes: int | None = None

    @staticmethod
    def key(sha256: str, recipe: str) -> str:
        """Return the name of what ``recipe`` (with its version) makes of the bytes with this SHA-256."""
        return digest_of([sha256, recipe])

    def get(self, key: str) -> bytes | None:
        """Return the file kept under ``key``, or None. A symlink in its place is never followed."""
        try:
            descriptor = os.open(self._path(key), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
            with os.fdopen(descriptor, "rb") as file:
                return file.read(self.most_bytes) or None
        except OSError:
            return None

    def put(self, key: str, data: bytes) -> None:
        """Keep ``data`` under ``key``: it appears whole or not at all."""
        if self.read_only or len(data) > self.most_bytes:
            return
        path = self._path(key)
        with contextlib.suppress(OSError):  # a full or read-only disk: it is made again when it is asked for again
            path.parent.mkdir(parents=True, exist_ok=True)
            _write_whole(path, data)
            self._count(len(data))

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / key

    def _count(self, size: int) -> None:
        with self._lock:
            if self._bytes is not None:
                self._bytes += size
            if self._bytes is None or self._bytes > self.most_bytes:
                self._bytes = self._evict()

    def _evict(self) -> int:
        """Remove the oldest files while there is too much; returns how many bytes stay."""
        found = sorted(self._files())
        total = sum(size for _, size, _ in found)
        if total <= self.most_bytes:
            return total
        for _, size, path in found:
            if total <= self.most_bytes * _AFTER_EVICTION:
                break
            with contextlib.suppress(OSError):
                os.unlink(path)
                total -= size
        return total

    def _files(self) -> list[tuple[int, int, str]]:
        """Return (time of writing, bytes, path) of everything that lies in the folder."""
        found = []
        for folder, _, names in os.walk(self.folder):
            for name in names:
                path = os.path.join(folder, name)
                with contextlib.suppress(OSError):
                    status = os.lstat(path)
                    found.append((status.st_mtime_ns, status.st_size, path))
        return found


def _write_whole(path: Path, data: bytes) -> None:
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".part-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
