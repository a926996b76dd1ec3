"""What every page of the workbench works at: one project, its runs and its recorded files, for one session."""

from __future__ import annotations

import contextlib
import os
import secrets
import threading
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from oloproof.errors import StorageError
from oloproof.media import MediaReader
from oloproof.media.reading import MeasurementsInMemory
from oloproof.storage import History, Store, StoredMeasurements
from oloproof.storage.database import FILE, FOLDER
from oloproof.storage.derived import DerivedFiles
from oloproof.storage.progress import ProgressReader

_Mark = tuple[int, int]
"""(device, inode) of the database: another one when it was removed and made anew."""


class _NotKept(MeasurementsInMemory):
    """Measurements that begin with what is stored and add nothing to it."""

    def __init__(self, stored: StoredMeasurements) -> None:
        super().__init__()
        self._stored = stored

    def get(self, sha256: str, name: str) -> Any | None:
        kept = super().get(sha256, name)
        return self._stored.get(sha256, name) if kept is None else kept


class Desk:
    """One project as the workbench has it open. Safe to share between threads.

    ``token`` is the secret of the session that whoever writes must show; a new random one by default. With
    ``read_only`` nothing is written, neither for a page nor to remember what was measured.
    """

    def __init__(self, root: Path, *, read_only: bool = False, token: str | None = None) -> None:
        self.root = root
        self.read_only = read_only
        self.token = secrets.token_urlsafe(32) if token is None else token
        self.derived = DerivedFiles(root, read_only=read_only)
        self._file = root / FOLDER / FILE
        self._lock = threading.RLock()
        self._store: Store | None = None
        self._mark: _Mark | None = None
        self._elsewhere: TemporaryDirectory[str] | None = None
        self._reader: MediaReader | None = None
        self._measurements: StoredMeasurements | None = None
        self._progress: ProgressReader | None = None

    def __repr__(self) -> str:
        return f"Desk({str(self.root)!r}, read_only={self.read_only})"

    @property
    def store(self) -> Store:
        """The project's database, opened anew when another one lies in its place.

        A project that was never run has an empty one for the time being, which lies elsewhere.

        Raises:
            StorageError: it cannot be used.
        """
        with self._lock:
            mark = self._found()
            if self._store is None or mark != self._mark:
                self._let_go()
                self._store = self._nothing_yet() if mark is None else self._opened()
                self._mark = mark
            return self._store

    def _opened(self) -> Store:
        return Store(self.root, create=False, read_only=self.read_only)

    @property
    def history(self) -> History:
        """The runs, for reading.

        Raises:
            StorageError: as :attr:`store`.
        """
        return History(self.store)

    @property
    def progress(self) -> ProgressReader:
        """How far the runs under way are.

        Raises:
            StorageError: as :attr:`store`.
        """
        with self._lock:
            store = self.store
            if self._progress is None:
                self._progress = ProgressReader(store)
            return self._progress

    @property
    def reader(self) -> MediaReader:
        """The one way to the recorded files, with the digests and measurements that earlier commands kept.

        Raises:
            StorageError: as :attr:`store`.
        """
        with self._lock:
            store = self.store
            if self._reader is None:
                stored = self._measurements = StoredMeasurements(store)
                measurements = _NotKept(stored) if self.read_only else stored
                self._reader = MediaReader(self.root, memo=store.load_memo(), measurements=measurements)
            return self._reader

    def close(self) -> None:
        """Keep what was measured, unless ``read_only``, and close the database."""
        with self._lock:
            is_ours = self._store is not None and self._mark is not None and self._found() == self._mark
            if self._store is not None and is_ours and not self.read_only:
                with contextlib.suppress(StorageError):  # what is lost is measured again
                    self._remember(self._store)
            self._let_go()

    def _remember(self, store: Store) -> None:
        if self._measurements is not None and self._reader is not None:
            self._measurements.flush()
            store.save_memo(self._reader.memo)

    def _let_go(self) -> None:
        if self._store is not None:
            self._store.close()
        if self._elsewhere is not None:
            self._elsewhere.cleanup()
        self._store = self._mark = self._reader = self._measurements = self._elsewhere = self._progress = None

    def _nothing_yet(self) -> Store:
        self._elsewhere = TemporaryDirectory(prefix="oloproof-nothing-yet-")
        return Store(Path(self._elsewhere.name))

    def _found(self) -> _Mark | None:
        try:
            status = os.stat(self._file)
        except OSError:
            return None
        return status.st_dev, status.st_ino
