"""What is asked of a model and what it says: the nouns that every provider shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from msgspec import Struct

ReplyFormat = Literal["json_schema", "json_object", "text"]
"""How a server was told to answer. For Anthropic, ``json_object`` is one forced tool whose input is the answer."""

Finish = Literal["stop", "length", "refusal", "filtered", "other"]


class TextPart(Struct, frozen=True):
    """Words."""

    text: str


@dataclass(frozen=True, slots=True)
class ImagePart:
    """The bytes of one picture and their media type. Never a link: many servers fetch none."""

    data: bytes = field(repr=False)
    media_type: str


@dataclass(frozen=True, slots=True)
class AudioPart:
    """The bytes of one sound and their media type."""

    data: bytes = field(repr=False)
    media_type: str


Part = TextPart | ImagePart | AudioPart


class ChatRequest(Struct, frozen=True):
    """One question. ``schema`` is the JSON Schema that the answer should fit, ``max_tokens`` bounds the answer.

    ``follow_up`` are further turns (role, text) after the user's: an earlier reply of the model and our reminder.
    """

    system: str
    parts: tuple[Part, ...]
    schema: Mapping[str, Any] | None
    schema_name: str = "verdict"
    max_tokens: int = 1024
    temperature: float | None = 0.0
    seed: int | None = None
    follow_up: tuple[tuple[str, str], ...] = ()


class Usage(Struct, frozen=True):
    """Tokens as the server counted them; None where it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None

    def __add__(self, other: Usage) -> Usage:
        """Return what both used together: of what one of them does not say, what the other says."""
        return Usage(
            _together(self.input_tokens, other.input_tokens), _together(self.output_tokens, other.output_tokens)
        )


NOTHING_COUNTED = Usage()


def _together(one: int | None, other: int | None) -> int | None:
    return (one or 0) + (other or 0) if one is not None or other is not None else None


class Reply(Struct, frozen=True):
    """What a model answered. ``text`` is None when it gave none; ``thinking`` is kept apart from it.

    ``attempts`` counts all requests sent for it, ``seconds`` runs from the first of them to the whole reply.
    """

    text: str | None
    finish: Finish
    thinking: str
    model_served: str
    usage: Usage
    attempts: int
    reply_format: ReplyFormat
    seconds: float
