"""What was found out about model servers: which forms they take, and whether they perceive what they are sent."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from oloproof.storage.rows import storable, to_text
from oloproof.storage.store import Store


class StoredProfiles:
    """One small JSON document per server and model."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, server: str, model: str) -> Mapping[str, Any] | None:
        """Return what is known, or None."""
        query = "SELECT document FROM servers WHERE server = ? AND model = ?"
        text = self._store.scalar(query, (storable(server), storable(model)))
        return None if text is None else json.loads(text)

    def put(self, server: str, model: str, document: Mapping[str, Any]) -> None:
        """Keep ``document`` in place of what was known."""
        row = (storable(server), storable(model), to_text(document))
        with self._store.writing() as connection:
            connection.execute("REPLACE INTO servers (server, model, document) VALUES (?, ?, ?)", row)


class StoredSights:
    """The newest sight test of each server, model and kind of media."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, server: str, model: str, kind: str) -> Mapping[str, Any] | None:
        """Return its document, or None."""
        query = "SELECT document FROM sights WHERE server = ? AND model = ? AND kind = ?"
        text = self._store.scalar(query, (storable(server), storable(model), kind))
        return None if text is None else json.loads(text)

    def put(self, server: str, model: str, kind: str, document: Mapping[str, Any]) -> None:
        """Keep ``document`` in place of an older one."""
        row = (storable(server), storable(model), kind, to_text(document), time.time())
        with self._store.writing() as connection:
            connection.execute("REPLACE INTO sights (server, model, kind, document, time) VALUES (?, ?, ?, ?, ?)", row)
