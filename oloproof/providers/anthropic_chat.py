"""Anthropic's Messages API: writing questions and reading replies.

Wire form: platform.claude.com, API reference «Messages» and guides «Structured outputs» (``output_config.format``),
«Vision», «Tool use». A model that knows no ``output_config`` is given one tool that it must call; its input is the
answer then.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oloproof.digests import canonical_json
from oloproof.providers.bodies import Pieces, array_pieces, base64_bytes, json_bytes, object_pieces
from oloproof.providers.data_uris import agreed_type
from oloproof.providers.forms import Form
from oloproof.providers.messages import AudioPart, ChatRequest, Finish, Part, TextPart, Usage
from oloproof.providers.replies import NotAReply, count_of, object_of, objects_of, text_of
from oloproof.providers.wires import Reading

PATH = "/messages"

_FINISHES: dict[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}


def write(request: ChatRequest, form: Form, model: str) -> bytes:
    """Return the body of ``request`` in ``form``. The API takes no seed.

    Raises:
        ValueError: a part is a sound, which the API takes none of, or its bytes are not what its media type says.
    """
    fields = [("model", [json_bytes(model)]), ("max_tokens", [json_bytes(request.max_tokens)])]
    if request.system:
        fields.append(("system", [json_bytes(request.system)]))
    if request.temperature is not None and "temperature" not in form.dropped:
        fields.append(("temperature", [json_bytes(request.temperature)]))
    fields += [(name, [json_bytes(value)]) for name, value in _structure(request, form).items()]
    fields.append(("messages", _messages(request)))
    return b"".join(object_pieces(fields))


def _structure(request: ChatRequest, form: Form) -> dict[str, Any]:
    if request.schema is None or form.reply_format == "text":
        return {}
    if form.reply_format == "json_schema":
        return {"output_config": {"format": {"type": "json_schema", "schema": request.schema}}}
    tool = {"name": request.schema_name, "description": "Give the answer.", "input_schema": request.schema}
    return {"tools": [tool], "tool_choice": {"type": "tool", "name": request.schema_name}}


def _messages(request: ChatRequest) -> Pieces:
    turns = [("user", array_pieces(_part(part) for part in request.parts))]
    turns += [(role, [json_bytes(text)]) for role, text in request.follow_up]
    return array_pieces(object_pieces([("role", [json_bytes(role)]), ("content", content)]) for role, content in turns)


def _part(part: Part) -> Pieces:
    if isinstance(part, TextPart):
        return [b'{"type":"text","text":', json_bytes(part.text), b"}"]
    if isinstance(part, AudioPart):
        raise ValueError("Anthropic's models take no sound; name a transcriber")
    start = b'{"type":"image","source":{"type":"base64","media_type":%s,"data":"'
    return [start % json_bytes(agreed_type(part.media_type, part.data)), base64_bytes(part.data), b'"}}']


def read(document: Mapping[str, Any]) -> Reading:
    """Return what a reply says. The input of a called tool, as canonical JSON, goes before any text beside it.

    Raises:
        NotAReply: it holds no list of blocks.
    """
    if not isinstance(document.get("content"), list):
        raise NotAReply("the reply holds no content blocks")
    blocks = objects_of(document["content"])
    texts = [text_of(block.get("text")) for block in blocks if block.get("type") == "text"]
    inputs = [canonical_json(block.get("input")) for block in blocks if block.get("type") == "tool_use"]
    thoughts = [text_of(block.get("thinking")) for block in blocks if block.get("type") == "thinking"]
    said = inputs or texts
    finish = _FINISHES.get(text_of(document.get("stop_reason")), "other")
    return Reading("".join(said) if said else None, finish, "\n".join(thoughts), text_of(document.get("model")))


def usage_of(document: Mapping[str, Any]) -> Usage:
    """Return the tokens that a reply counts; what was read from or written to a cache is input too."""
    usage = object_of(document.get("usage"))
    fresh = count_of(usage.get("input_tokens"))
    cached = [count_of(usage.get(f"cache_{what}_input_tokens")) or 0 for what in ("creation", "read")]
    return Usage(None if fresh is None else fresh + sum(cached), count_of(usage.get("output_tokens")))
