"""What a judge is handed to keep things in: earlier judgements, sight tests, and what servers were found to take."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct, field

from oloproof import providers
from oloproof.evaluators.judges.seeing import FrameShelf
from oloproof.providers import NOTHING_COUNTED, Endpoint, MemoryProfiles, Profiles, Usage
from oloproof.records import Judgement

if TYPE_CHECKING:
    from oloproof.providers import ChatClient


class Judgements(Protocol):
    """Finds what a judge said before."""

    def find(self, key: bytes) -> Judgement | None:
        """Return the newest kept judgement under a verdict key, or None."""
        ...


class Sights(Protocol):
    """Keeps the newest sight test of each server, model and kind of media."""

    def get(self, server: str, model: str, kind: str) -> Mapping[str, Any] | None:
        """Return its document, or None."""
        ...

    def put(self, server: str, model: str, kind: str, document: Mapping[str, Any]) -> None:
        """Keep ``document`` in place of an older one."""
        ...


class NothingJudged:
    """Judgements of a run that takes none from earlier ones."""

    def find(self, key: bytes) -> Judgement | None:
        """Return None."""
        return None


class SightsInMemory:
    """Sight tests that last as long as this object."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, str], Mapping[str, Any]] = {}
        self._lock = threading.Lock()

    def get(self, server: str, model: str, kind: str) -> Mapping[str, Any] | None:
        """Return the document, or None."""
        with self._lock:
            return self._known.get((server, model, kind))

    def put(self, server: str, model: str, kind: str, document: Mapping[str, Any]) -> None:
        """Keep ``document``."""
        with self._lock:
            self._known[server, model, kind] = document


class Clients:
    """One client for each endpoint, so that judges of the same model share its connections and its limit."""

    def __init__(self) -> None:
        self._open: dict[Endpoint, ChatClient] = {}
        self._lock = threading.Lock()

    def client(self, endpoint: Endpoint, profiles: Profiles) -> ChatClient:
        """Return the client of ``endpoint``, opened by the first who asks."""
        with self._lock:
            if endpoint not in self._open:
                self._open[endpoint] = providers.open_chat(endpoint, profiles=profiles)
            return self._open[endpoint]


class Keeping(Struct, frozen=True):
    """Everything that judges of one run share and keep.

    ``used`` is what one of them has asked for in this run already, where it goes on: attempts, and their tokens.
    """

    judgements: Judgements = field(default_factory=NothingJudged)
    sights: Sights = field(default_factory=SightsInMemory)
    profiles: Profiles = field(default_factory=MemoryProfiles)
    clients: Clients = field(default_factory=Clients)
    shelf: FrameShelf = field(default_factory=FrameShelf)
    used: tuple[int, Usage] = (0, NOTHING_COUNTED)
