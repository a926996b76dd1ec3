"""Model servers over HTTP: one writer of media parts a provider, retries, limits, a budget, transcription.

Speaks OpenAI's chat completions and transcriptions, and Anthropic's messages. Media are sent as bytes, never as
links; keys are read from the environment when a call is made. httpx is loaded when the first connection is opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oloproof.lazy import lazy_names

if TYPE_CHECKING:
    from oloproof.providers.budget import Budget, Prices
    from oloproof.providers.chat import ChatClient, open_chat
    from oloproof.providers.data_uris import DataUri, InvalidDataUri, parse_data_uri, write_data_uri
    from oloproof.providers.endpoints import Endpoint
    from oloproof.providers.messages import (
        NOTHING_COUNTED,
        AudioPart,
        ChatRequest,
        ImagePart,
        Part,
        Reply,
        ReplyFormat,
        TextPart,
        Usage,
    )
    from oloproof.providers.profiles import MemoryProfiles, Profiles
    from oloproof.providers.transcription import Phrase, Transcriber, Transcription

__all__ = [
    "NOTHING_COUNTED",
    "AudioPart",
    "Budget",
    "ChatClient",
    "ChatRequest",
    "DataUri",
    "Endpoint",
    "ImagePart",
    "InvalidDataUri",
    "MemoryProfiles",
    "Part",
    "Phrase",
    "Prices",
    "Profiles",
    "Reply",
    "ReplyFormat",
    "TextPart",
    "Transcriber",
    "Transcription",
    "Usage",
    "open_chat",
    "parse_data_uri",
    "write_data_uri",
]

_HOMES = {
    "budget": ("Budget", "Prices"),
    "chat": ("ChatClient", "open_chat"),
    "data_uris": ("DataUri", "InvalidDataUri", "parse_data_uri", "write_data_uri"),
    "endpoints": ("Endpoint",),
    "messages": (
        "AudioPart",
        "ChatRequest",
        "ImagePart",
        "Part",
        "Reply",
        "ReplyFormat",
        "TextPart",
        "Usage",
        "NOTHING_COUNTED",
    ),
    "profiles": ("MemoryProfiles", "Profiles"),
    "transcription": ("Phrase", "Transcriber", "Transcription"),
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
