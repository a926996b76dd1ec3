"""What probes of judges found: each is kept, none is changed."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import insert, select

from oloproof.storage.rows import storable, to_text
from oloproof.storage.schema import probes
from oloproof.storage.store import Store


@dataclass(frozen=True, slots=True)
class StoredProbe:
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
            connection.execute(insert(probes).values(values))

    def of(self, judge: str) -> list[StoredProbe]:
        """Return what was found of a judge, newest first."""
        query = select(probes).where(probes.c.judge == bytes.fromhex(judge)).order_by(probes.c.id.desc())
        with self._store.reading() as connection:
            rows = connection.execute(query).all()
        return [StoredProbe(row.criterion, row.judge.hex(), json.loads(row.document), row.time) for row in rows]
