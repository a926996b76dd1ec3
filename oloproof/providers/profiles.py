"""What a server was found to take: remembered per server and model, so that it is found out once."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, Protocol


class Profiles(Protocol):
    """Keeps one small JSON document per server and model; called from many threads."""

    def get(self, server: str, model: str) -> Mapping[str, Any] | None:
        """Return what is known, or None."""
        ...

    def put(self, server: str, model: str, document: Mapping[str, Any]) -> None:
        """Keep ``document`` in place of what was known."""
        ...


class MemoryProfiles:
    """Profiles that last as long as this object."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], dict[str, Any]] = {}
        self._lock = threading.Lock()

    def get(self, server: str, model: str) -> Mapping[str, Any] | None:
        """Return what is known, or None."""
        with self._lock:
            known = self._known.get((server, model))
            return None if known is None else dict(known)

    def put(self, server: str, model: str, document: Mapping[str, Any]) -> None:
        """Keep ``document`` in place of what was known."""
        with self._lock:
            self._known[server, model] = dict(document)


class Profile:
    """The document of one server and model; parts of it are learned by several threads at once."""

    def __init__(self, profiles: Profiles, server: str, model: str) -> None:
        self._profiles, self._server, self._model = profiles, server, model
        self._lock = threading.Lock()
        self._document = dict(profiles.get(server, model) or {})

    def __getitem__(self, name: str) -> Any:
        return self._document.get(name)

    def learn(self, **facts: Any) -> None:
        """Keep ``facts`` beside what is known; nothing is written when they are known already."""
        with self._lock:
            if all(name in self._document and self._document[name] == value for name, value in facts.items()):
                return
            # what others (a transcriber of the same model) learned meanwhile stays
            self._document = {**(self._profiles.get(self._server, self._model) or {}), **self._document, **facts}
            self._profiles.put(self._server, self._model, self._document)
