"""A model server on loopback, and the media and questions that are sent to it."""

from __future__ import annotations

import io
import wave
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PIL import Image

from oloproof.providers import ChatClient, ChatRequest, Endpoint, ImagePart, TextPart, open_chat
from tests.model_server import ModelServer, chat

KEY = "sk-secret-0123456789abcdef"

SCHEMA = {
    "type": "object",
    "properties": {"pass": {"type": "boolean"}, "reason": {"type": "string"}},
    "required": ["pass", "reason"],
    "additionalProperties": False,
}

Opened = Callable[..., ChatClient]


def png(shade: int = 128, size: int = 8) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (size, size), (shade, 20, 200)).save(stream, "PNG")
    return stream.getvalue()


def wav(seconds: float = 0.05) -> bytes:
    stream = io.BytesIO()
    with wave.open(stream, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"\x01\x02" * int(8000 * seconds))
    return stream.getvalue()


def question(*parts: Any, **fields: Any) -> ChatRequest:
    given = parts or (TextPart("Does it fit?"), ImagePart(png(), "image/png"))
    return ChatRequest(**{"system": "You judge.", "parts": given, "schema": SCHEMA, **fields})


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(chat('{"pass": true, "reason": "seen"}')) as running:
        yield running


@pytest.fixture
def opened(server: ModelServer) -> Iterator[Opened]:
    """Opens clients of the server; waits between attempts are kept short by the cap."""
    clients: list[ChatClient] = []

    def open_one(
        provider: Any = "openai_compatible", *, budget: Any = None, profiles: Any = None, **limits: Any
    ) -> Any:
        settings = {"base_url": server.url, "retry_cap": 0.02, "timeout": 5.0, **limits}
        clients.append(open_chat(Endpoint(provider, "judge-1", **settings), budget=budget, profiles=profiles))
        return clients[-1]

    yield open_one
    for client in clients:
        client.close()


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "MY_KEY"):
        monkeypatch.setenv(variable, KEY)
    return KEY
