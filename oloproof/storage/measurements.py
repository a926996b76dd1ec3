"""What was measured on bytes, kept by SHA-256 so that no file is probed twice: memory first, then the database."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from oloproof.storage.rows import to_text
from oloproof.storage.sql import marks
from oloproof.storage.store import Store

_IN_MEMORY = 2_000
_BATCH = 200
_EXPECTED = 100


class StoredMeasurements:
    """Keeps measurements in the project's database; what was not flushed yet is lost by a kill and measured again."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._recent: OrderedDict[tuple[str, str], Any] = OrderedDict()
        self._pending: dict[tuple[str, str], str] = {}
        self._whole: OrderedDict[str, None] = OrderedDict()
        """Bytes of which everything that is kept is in memory: what is not there is nowhere."""

    def get(self, sha256: str, name: str) -> Any | None:
        """Return what is kept under ``name`` for these bytes, or None."""
        key = (sha256, name)
        with self._lock:
            if key in self._recent:
                self._recent.move_to_end(key)
                return self._recent[key]
            if key in self._pending:
                return json.loads(self._pending[key])
            if sha256 in self._whole:
                return None
        found = self._read(sha256, name)
        if found is not None:
            self._remember(key, found)
        return found

    def put(self, sha256: str, name: str, value: Any) -> None:
        """Keep ``value``; it reaches the database with the next batch."""
        key, text = (sha256, name), to_text(value)
        self._remember(key, json.loads(text))
        with self._lock:
            self._pending[key] = text
            full = len(self._pending) >= _BATCH
        if full:
            self.flush()

    def expect(self, sha256s: Sequence[str]) -> None:
        """Read everything that is kept of these bytes at once: at most :data:`_EXPECTED` of them are."""
        wanted = [bytes.fromhex(sha256) for sha256 in dict.fromkeys(sha256s[:_EXPECTED])]
        query = f"SELECT sha256, name, value FROM measurements WHERE sha256 IN {marks(wanted)}"
        read: dict[str, list[tuple[str, str]]] = {digest.hex(): [] for digest in wanted}
        for digest, name, value in self._store.rows(query, wanted):
            key = digest.hex(), name
            read[key[0]].append(key)
            if key not in self._pending:
                self._remember(key, json.loads(value))
        with self._lock:
            for sha256, keys in read.items():
                if all(key in self._recent or key in self._pending for key in keys):  # none had to make room for others
                    self._whole[sha256] = None
            while len(self._whole) > 2 * _EXPECTED:
                self._whole.popitem(last=False)

    def flush(self) -> None:
        """Write what is pending; where the store may only be read, it is forgotten."""
        with self._lock:
            pending, self._pending = self._pending, {}
        if not pending or self._store.read_only:
            return
        rows = [(bytes.fromhex(sha256), name, value) for (sha256, name), value in pending.items()]
        with self._store.writing() as connection:
            connection.executemany("REPLACE INTO measurements (sha256, name, value) VALUES (?, ?, ?)", rows)

    def _remember(self, key: tuple[str, str], value: Any) -> None:
        with self._lock:
            self._recent[key] = value
            if len(self._recent) > _IN_MEMORY:
                (forgotten, _), _ = self._recent.popitem(last=False)
                self._whole.pop(forgotten, None)

    def _read(self, sha256: str, name: str) -> Any | None:
        query = "SELECT value FROM measurements WHERE sha256 = ? AND name = ?"
        text = self._store.scalar(query, (bytes.fromhex(sha256), name))
        return None if text is None else json.loads(text)
