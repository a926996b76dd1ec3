"""What a provider's wire form must offer: the questions it writes and the replies it reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from msgspec import Struct

from oloproof.providers.forms import Form
from oloproof.providers.messages import ChatRequest, Finish, Usage


class Reading(Struct, frozen=True):
    """What one reply says: the answer, how it ended, the thinking kept apart, and the model the server says it used."""

    text: str | None
    finish: Finish
    thinking: str
    model_served: str


class Wire(Protocol):
    """One provider's wire form; ``openai_chat`` and ``anthropic_chat`` are its modules."""

    @property
    def PATH(self) -> str:  # noqa: N802 - a constant of the module
        """The path below the base URL."""
        ...

    def write(self, request: ChatRequest, form: Form, model: str) -> bytes:
        """Return the body of ``request`` in ``form``; raises ``ValueError`` for a part it cannot hold."""
        ...

    def read(self, document: Mapping[str, Any]) -> Reading:
        """Return what a reply says; raises ``NotAReply`` for another shape."""
        ...

    def usage_of(self, document: Mapping[str, Any]) -> Usage:
        """Return the tokens that a reply counts."""
        ...
