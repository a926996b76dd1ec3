"""What was found out about model servers: which forms they take, and whether they perceive what they are sent."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.dialects.sqlite import insert as upsert

from oloproof.storage.rows import storable, to_text
from oloproof.storage.schema import servers, sights
from oloproof.storage.store import Store


class StoredProfiles:
    """One small JSON document per server and model."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, server: str, model: str) -> Mapping[str, Any] | None:
        """Return what is known, or None."""
        c = servers.c
        query = select(c.document).where(c.server == storable(server), c.model == storable(model))
        with self._store.reading() as connection:
            text = connection.scalar(query)
        return None if text is None else json.loads(text)

    def put(self, server: str, model: str, document: Mapping[str, Any]) -> None:
        """Keep ``document`` in place of what was known."""
        row = {"server": storable(server), "model": storable(model), "document": to_text(document)}
        statement = upsert(servers).values(row)
        statement = statement.on_conflict_do_update(
            index_elements=["server", "model"], set_={"document": statement.excluded.document}
        )
        with self._store.writing() as connection:
            connection.execute(statement)


class StoredSights:
    """The newest sight test of each server, model and kind of media."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, server: str, model: str, kind: str) -> Mapping[str, Any] | None:
        """Return its document, or None."""
        c = sights.c
        query = select(c.document).where(c.server == storable(server), c.model == storable(model), c.kind == kind)
        with self._store.reading() as connection:
            text = connection.scalar(query)
        return None if text is None else json.loads(text)

    def put(self, server: str, model: str, kind: str, document: Mapping[str, Any]) -> None:
        """Keep ``document`` in place of an older one."""
        row = {
            "server": storable(server),
            "model": storable(model),
            "kind": kind,
            "document": to_text(document),
            "time": time.time(),
        }
        statement = upsert(sights).values(row)
        replaced = {"document": statement.excluded.document, "time": statement.excluded.time}
        statement = statement.on_conflict_do_update(index_elements=["server", "model", "kind"], set_=replaced)
        with self._store.writing() as connection:
            connection.execute(statement)
