"""What probes of judges found: each is kept, none is changed."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from oloproof.storage.rows import storable, to_text
from oloproof.storage.sql import insert
from oloproof.storage.store import Store


class StoredProbe(Struct, frozen=True):
    """What one probe of a judge found, as JSON, and when (seconds since the epoch)."""

    criterion: str
    judge: str
    document: Mapping[str, Any]
    time: float


class Probes:
    """The probes of the judges of one project."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(self, criterion: str, judge: str, document: Mapping[str, Any]) -> None:
        """Append what a probe of a judge (its hash, hexadecimal) found."""
        values = {
            "criterion": storable(criterion),
            "judge": bytes.fromhex(judge),
            "document": to_text(document),
            "time": time.time(),
        }
        with self._store.writing() as connection:
            insert(connection, "probes", values)

    def of(self, judge: str) -> list[StoredProbe]:
        """Return what was found of a judge, newest first."""
        query = "SELECT criterion, judge, document, time FROM probes WHERE judge = ? ORDER BY id DESC"
        return [
            StoredProbe(criterion, of.hex(), json.loads(document), when)
            for criterion, of, document, when in self._store.rows(query, (bytes.fromhex(judge),))
        ]
