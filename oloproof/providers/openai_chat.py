"""OpenAI's chat completions, as OpenAI and the many compatible servers speak them: writing questions, reading replies.

Wire form: platform.openai.com, API reference «Chat» and guides «Structured outputs», «Images and vision», «Audio».
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oloproof.providers.bodies import Pieces, array_pieces, base64_bytes, json_bytes, object_pieces
from oloproof.providers.data_uris import agreed_type, data_uri_pieces
from oloproof.providers.forms import Form
from oloproof.providers.messages import AudioPart, ChatRequest, Finish, ImagePart, Part, TextPart, Usage
from oloproof.providers.replies import NotAReply, count_of, object_of, objects_of, text_of
from oloproof.providers.wires import Reading

PATH = "/chat/completions"

_SOUND_FORMATS = {"audio/wav": b"wav", "audio/mpeg": b"mp3"}

_FINISHES: dict[str, Finish] = {
    "stop": "stop",
    "eos": "stop",
    "eos_token": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "length": "length",
    "max_tokens": "length",
    "content_filter": "filtered",
    "refusal": "refusal",
}


def write(request: ChatRequest, form: Form, model: str) -> bytes:
    """Return the body of ``request`` in ``form``.

    Raises:
        ValueError: a part's bytes are not what its media type says, or its sound is neither WAV nor MP3.
    """
    fields = [("model", [json_bytes(model)]), ("messages", _messages(request))]
    fields.append((form.tokens_name, [json_bytes(request.max_tokens)]))
    for name, value in (("temperature", request.temperature), ("seed", request.seed)):
        if value is not None and name not in form.dropped:
            fields.append((name, [json_bytes(value)]))
    if (wanted := _response_format(request, form)) is not None:
        fields.append(("response_format", [json_bytes(wanted)]))
    return b"".join(object_pieces(fields))


def _response_format(request: ChatRequest, form: Form) -> dict[str, Any] | None:
    if request.schema is None or form.reply_format == "text":
        return None
    if form.reply_format == "json_object":
        return {"type": "json_object"}
    schema = {"name": request.schema_name, "strict": True, "schema": request.schema}
    return {"type": "json_schema", "json_schema": schema}


def _messages(request: ChatRequest) -> Pieces:
    turns = [("system", [json_bytes(request.system)])] if request.system else []
    turns.append(("user", _content(request.parts)))
    turns += [(role, [json_bytes(text)]) for role, text in request.follow_up]
    return array_pieces(object_pieces([("role", [json_bytes(role)]), ("content", content)]) for role, content in turns)


def _content(parts: tuple[Part, ...]) -> Pieces:
    texts = [part.text for part in parts if isinstance(part, TextPart)]
    if len(texts) == len(parts):  # servers without eyes or ears often know no list of parts
        return [json_bytes("\n\n".join(texts))]
    return array_pieces(_part(part) for part in parts)


def _part(part: Part) -> Pieces:
    if isinstance(part, TextPart):
        return [b'{"type":"text","text":', json_bytes(part.text), b"}"]
    if isinstance(part, ImagePart):
        return [b'{"type":"image_url","image_url":{"url":"', *data_uri_pieces(part.data, part.media_type), b'"}}']
    return _sound(part)


def _sound(part: AudioPart) -> Pieces:
    media_type = agreed_type(part.media_type, part.data)
    if media_type not in _SOUND_FORMATS:
        raise ValueError(f"{media_type} cannot be sent to a chat model; send WAV or MP3")
    end = b'","format":"%s"}}' % _SOUND_FORMATS[media_type]
    return [b'{"type":"input_audio","input_audio":{"data":"', base64_bytes(part.data), end]


def read(document: Mapping[str, Any]) -> Reading:
    """Return what a reply says.

    Raises:
        NotAReply: it holds no choice with a message.
    """
    choices = objects_of(document.get("choices"))
    if not choices or not isinstance(choices[0].get("message"), dict):
        raise NotAReply("the reply holds no message (choices[0].message)")
    message = choices[0]["message"]
    text, thinking = _texts(message.get("content"))
    reason = text_of(choices[0].get("finish_reason"))
    finish = _FINISHES.get(reason, "other")
    if refusal := text_of(message.get("refusal")):
        text, finish = refusal, "refusal"
    aside = text_of(message.get("reasoning_content")) or text_of(message.get("reasoning"))
    return Reading(text, finish, "\n".join(filter(None, (aside, thinking))), text_of(document.get("model")))


def _texts(content: Any) -> tuple[str | None, str]:
    """Return the answer and the thinking in a message's content: null, text, or a list of parts.

    Raises:
        NotAReply: it is none of these.
    """
    if content is None or isinstance(content, str):
        return content, ""
    if not isinstance(content, list):
        raise NotAReply("the reply's content is neither text nor a list of parts")
    parts = objects_of(content)
    texts = [text_of(part.get("text")) for part in parts if part.get("type") in ("text", "output_text")]
    thoughts = [_thought(part) for part in parts if part.get("type") in ("thinking", "reasoning")]
    return "".join(texts) if texts else None, "\n".join(thoughts)


def _thought(part: dict[str, Any]) -> str:
    inner = part.get("thinking") or part.get("reasoning") or part.get("text")
    return text_of(inner) or "".join(text_of(one.get("text")) for one in objects_of(inner))


def usage_of(document: Mapping[str, Any]) -> Usage:
    """Return the tokens that a reply counts."""
    usage = object_of(document.get("usage"))
    return Usage(count_of(usage.get("prompt_tokens")), count_of(usage.get("completion_tokens")))
