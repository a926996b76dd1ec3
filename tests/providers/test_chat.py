"""What is sent to a chat model, what is read from it, and how a client learns the form that its server takes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from oloproof.errors import CallFailed, ProviderRefused
from oloproof.providers import AudioPart, ImagePart, MemoryProfiles, TextPart, Usage
from oloproof.providers import replies as replies_module
from tests.model_server import (
    Answer,
    ModelServer,
    answering,
    chat,
    fenced,
    in_turn,
    media_of,
    messages,
    prose,
    refuses_formats,
    refuses_parameters,
    refusing,
    schema_ignored,
    thinking,
)
from tests.providers.conftest import SCHEMA, Opened, png, question, wav


def test_every_medium_arrives_byte_for_byte_and_in_order(server: ModelServer, opened: Opened) -> None:
    first, sound, second = png(1, 64), wav(), png(2, 3)
    parts = (ImagePart(first, "image/png"), TextPart('and «ünï» "q" \\'), AudioPart(sound, "audio/x-wav"))
    opened().ask(question(*parts, ImagePart(second, "IMAGE/PNG")))
    assert media_of(server.requests[0]) == [("image/png", first), ("audio/wav", sound), ("image/png", second)]
    assert 'and «ünï» "q" \\' in server.requests[0].text


def test_media_are_sent_as_bytes_and_never_as_links(server: ModelServer, opened: Opened) -> None:
    opened().ask(question(ImagePart(png(), "image/png"), AudioPart(wav(), "audio/wav")))
    picture, sound = server.requests[0].json["messages"][1]["content"]
    assert picture["image_url"]["url"].startswith("data:image/png;base64,")
    assert not sound["input_audio"]["data"].startswith("data:")


def test_the_question_is_written_as_openai_documents_it(server: ModelServer, opened: Opened) -> None:
    turns = (("assistant", "well…"), ("user", "Answer in JSON."))
    opened().ask(question(TextPart("a"), TextPart("b"), seed=7, max_tokens=99, follow_up=turns))
    sent = server.requests[0].json
    assert server.requests[0].path == "/v1/chat/completions"
    assert [(turn["role"], turn["content"]) for turn in sent.pop("messages")] == [
        ("system", "You judge."),
        ("user", "a\n\nb"),
        *turns,
    ]
    wanted = {"type": "json_schema", "json_schema": {"name": "verdict", "strict": True, "schema": SCHEMA}}
    assert sent == {
        "model": "judge-1",
        "max_tokens": 99,
        "temperature": 0.0,
        "seed": 7,
        "response_format": wanted,
    }


def test_the_question_is_written_as_anthropic_documents_it(server: ModelServer, opened: Opened, key: str) -> None:
    server.answer = messages('{"pass": false}')
    reply = opened("anthropic").ask(question(follow_up=(("assistant", "x"), ("user", "y"))))
    request = server.requests[0]
    assert request.path == "/v1/messages"
    assert (request.headers["x-api-key"], request.headers["anthropic-version"]) == (key, "2023-06-01")
    assert "authorization" not in request.headers
    assert media_of(request) == [("image/png", png())]
    assert request.json["system"] == "You judge."
    assert [turn["role"] for turn in request.json["messages"]] == ["user", "assistant", "user"]
    assert request.json["output_config"] == {"format": {"type": "json_schema", "schema": SCHEMA}}
    assert (reply.text, reply.finish, reply.usage) == ('{"pass": false}', "stop", Usage(100, 20))


def test_a_claude_that_knows_no_output_config_is_given_a_tool_to_call(
    server: ModelServer, opened: Opened, key: str
) -> None:
    verdict = {"reason": "é", "pass": True}
    called = messages("Let me say.", {"type": "tool_use", "name": "verdict", "input": verdict}, stop_reason="tool_use")
    server.answer = in_turn(refusing("output_config: Extra inputs are not permitted"), called)
    reply = opened("anthropic").ask(question())
    assert server.requests[1].json["tool_choice"] == {"type": "tool", "name": "verdict"}
    assert server.requests[1].json["tools"][0]["input_schema"] == SCHEMA
    assert (reply.text, reply.finish, reply.reply_format) == ('{"pass":true,"reason":"é"}', "stop", "json_object")


def test_anthropic_takes_no_sound_and_is_not_asked(server: ModelServer, opened: Opened, key: str) -> None:
    with pytest.raises(ValueError, match="take no sound; name a transcriber"):
        opened("anthropic").ask(question(AudioPart(wav(), "audio/wav")))
    assert server.count == 0


@pytest.mark.parametrize(
    "part", [ImagePart(wav(), "image/png"), ImagePart(png(), "image/image/png"), AudioPart(png(), "audio/wav")]
)
def test_a_part_that_is_not_what_it_says_is_not_sent(server: ModelServer, opened: Opened, part: Any) -> None:
    with pytest.raises(ValueError, match=r"the bytes are|is no media type"):
        opened().ask(question(part))
    assert server.count == 0


def test_a_reply_tells_what_the_server_told(server: ModelServer, opened: Opened) -> None:
    reply = opened().ask(question())
    assert (reply.model_served, reply.usage, reply.attempts) == ("served-1", Usage(100, 20), 1)
    assert (reply.reply_format, reply.finish, reply.thinking) == ("json_schema", "stop", "")
    assert 0 < reply.seconds < 5


@pytest.mark.parametrize(
    ("answer", "finish"),
    [
        (chat("cut", "length"), "length"),
        (chat("", "content_filter"), "filtered"),
        (chat(None, None), "other"),
        (chat(None, refusal="I cannot help with that."), "refusal"),
        (refusing("The response was filtered", code="content_filter"), "filtered"),
    ],
)
def test_how_a_reply_ended_is_kept(server: ModelServer, opened: Opened, answer: Answer, finish: str) -> None:
    server.answer = answer
    reply = opened().ask(question())
    assert reply.finish == finish
    if finish == "refusal":
        assert reply.text == "I cannot help with that."


@pytest.mark.parametrize(
    ("reason", "finish"),
    [("end_turn", "stop"), ("max_tokens", "length"), ("refusal", "refusal"), ("pause_turn", "other")],
)
def test_how_an_anthropic_reply_ended_is_kept(
    server: ModelServer, opened: Opened, key: str, reason: str, finish: str
) -> None:
    server.answer = messages("words", stop_reason=reason)
    assert opened("anthropic").ask(question()).finish == finish


PARTS = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "yes"}]


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (chat("yes", reasoning_content="hm"), "yes"),
        (chat("yes", reasoning="hm"), "yes"),
        (chat(None, reasoning_content="hm"), None),
        (chat(PARTS), "yes"),
        (chat([{"type": "text", "text": "y"}, {"type": "text", "text": "es"}], reasoning="hm"), "yes"),
    ],
)
def test_thinking_is_kept_apart_from_the_answer(
    server: ModelServer, opened: Opened, answer: Answer, text: str | None
) -> None:
    server.answer = answer
    reply = opened().ask(question())
    assert (reply.text, reply.thinking) == (text, "hm")


def test_thinking_blocks_of_anthropic_are_kept_apart(server: ModelServer, opened: Opened, key: str) -> None:
    server.answer = messages({"type": "thinking", "thinking": "hm"}, {"type": "redacted_thinking", "data": "x"}, "yes")
    reply = opened("anthropic").ask(question())
    assert (reply.text, reply.thinking) == ("yes", "hm")


@pytest.mark.parametrize("answer", [prose(), fenced(), thinking(), schema_ignored()])
def test_what_a_model_says_is_handed_on_as_it_is(server: ModelServer, opened: Opened, answer: Answer) -> None:
    server.answer = answer
    assert opened().ask(question()).text == json.loads(answer.body)["choices"][0]["message"]["content"]


NOT_FINITE = b'{"choices": [{"message": {"content": "x"}}], "usage": {"cost": %s}}'


@pytest.mark.parametrize(
    "answer",
    [
        Answer(body=b"<html>it works</html>"),
        Answer(body=b""),
        Answer(body=b"[1]"),
        Answer(body=b"[" * 100_000),
        answering({"choices": []}),
        answering({"choices": [{"message": "x"}]}),
        answering({"choices": [{"message": {"content": 5}}]}),
        *(Answer(body=NOT_FINITE % number) for number in (b"NaN", b"Infinity", b"1e999", b"9" * 5_000)),
    ],
)
def test_a_reply_of_another_shape_is_no_reply_and_not_asked_for_again(
    server: ModelServer, opened: Opened, answer: Answer
) -> None:
    server.answer = answer
    with pytest.raises(CallFailed) as caught:
        opened().ask(question())
    assert (caught.value.code, caught.value.attempts, server.count) == ("malformed_reply", 1, 1)


def test_a_reply_that_is_too_big_is_not_read_on(
    server: ModelServer, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replies_module, "LARGEST_REPLY", 100_000)
    server.answer = chat("x" * 2_000_000)
    with pytest.raises(CallFailed, match="larger than 100000 bytes") as caught:
        opened().ask(question())
    assert caught.value.code == "malformed_reply"


@pytest.mark.parametrize("status", [400, 404, 422])
@pytest.mark.parametrize(
    ("refused", "left"),
    [(("json_schema",), "json_object"), (("json_schema", "json_object"), "text")],
)
def test_a_reply_format_that_is_refused_gives_way_to_the_next(
    server: ModelServer, opened: Opened, status: int, refused: tuple[str, ...], left: str
) -> None:
    server.answer = refuses_formats(*refused, then=chat("{}"), status=status)
    client = opened()
    assert client.reply_format == "json_schema"
    reply = client.ask(question())
    assert (reply.reply_format, client.reply_format) == (left, left)
    assert reply.attempts == server.count == len(refused) + 1
    assert ("response_format" in server.requests[-1].json) == (left != "text")


def test_what_a_server_takes_is_remembered_beyond_the_client(server: ModelServer, opened: Opened) -> None:
    server.answer = refuses_formats("json_schema", then=chat("{}"))
    profiles = MemoryProfiles()
    first = opened(profiles=profiles)
    first.ask(question())
    first.ask(question())
    assert server.count == 3
    later = opened(profiles=profiles)
    assert later.reply_format == "json_object"
    later.ask(question())
    assert server.count == 4
    assert profiles.get(first.endpoint.server, "judge-1") == {
        "reply_format": "json_object",
        "tokens_name": "max_tokens",
        "dropped": [],
    }
    assert profiles.get(first.endpoint.server, "judge-2") is None


def test_a_question_without_a_schema_teaches_nothing_about_formats(server: ModelServer, opened: Opened) -> None:
    profiles = MemoryProfiles()
    client = opened(profiles=profiles)
    assert "response_format" not in client.ask(question(schema=None)).text
    assert "response_format" not in server.requests[0].json
    assert client.reply_format == "json_schema"
    assert "reply_format" not in (profiles.get(client.endpoint.server, "judge-1") or {})


@pytest.mark.parametrize("known", [{"reply_format": 3}, {"dropped": "temperature"}, {"tokens_name": "model"}])
def test_a_profile_that_makes_no_sense_is_found_out_anew(server: ModelServer, opened: Opened, known: Any) -> None:
    profiles = MemoryProfiles()
    profiles.put(server.url, "judge-1", known)
    opened(profiles=profiles).ask(question())
    assert {"max_tokens", "temperature", "response_format"} <= set(server.requests[0].json)


def test_parameters_that_are_refused_are_renamed_or_left_out_and_remembered(
    server: ModelServer, opened: Opened
) -> None:
    server.answer = refuses_parameters("max_tokens", "temperature", "seed", then=chat("{}"))
    client = opened()
    assert client.ask(question(seed=1, max_tokens=77)).attempts == 4
    sent = server.requests[-1].json
    assert sent["max_completion_tokens"] == 77
    assert not {"max_tokens", "temperature", "seed"} & set(sent)
    assert client.ask(question(seed=1)).attempts == 1
    assert client.reply_format == "json_schema"


def test_openai_is_asked_with_the_name_it_wants_first(server: ModelServer, opened: Opened, key: str) -> None:
    opened("openai").ask(question())
    assert "max_completion_tokens" in server.requests[0].json
    assert server.requests[0].headers["authorization"] == f"Bearer {key}"


@pytest.mark.parametrize(
    "words",
    [
        "`temperature` is deprecated for this model.",
        "temperature: Extra inputs are not permitted",
        "temperature is not supported for claude-fable-5 when set to non-default values",
        "'temperature' does not support 0 with this model.",
    ],
)
def test_a_parameter_is_known_by_the_words_too(server: ModelServer, opened: Opened, words: str, key: str) -> None:
    server.answer = in_turn(refusing(words), messages("{}"))
    opened("anthropic").ask(question())
    assert "temperature" not in server.requests[1].json


def test_another_mistake_is_not_tried_in_other_forms(server: ModelServer, opened: Opened) -> None:
    server.answer = refusing("max_tokens is 9 too many: this model supports at most 4096", param="max_tokens")
    with pytest.raises(CallFailed, match="supports at most 4096") as caught:
        opened().ask(question())
    assert (caught.value.code, server.count) == ("bad_request", 1)


def test_a_server_that_needs_no_key_is_sent_none(server: ModelServer, opened: Opened, key: str) -> None:
    opened().ask(question())
    assert "authorization" not in server.requests[0].headers


def test_the_key_is_read_when_a_call_is_made(
    server: ModelServer, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    client = opened(api_key_env="MY_KEY")
    with pytest.raises(ProviderRefused, match="MY_KEY is not set; set it before the run"):
        client.ask(question())
    assert server.count == 0
    monkeypatch.setenv("MY_KEY", " later-key\n")
    client.ask(question())
    assert server.requests[0].headers["authorization"] == "Bearer later-key"


def test_a_key_that_a_model_repeats_does_not_come_back(server: ModelServer, opened: Opened, key: str) -> None:
    server.answer = chat(f"the key is {key}", reasoning=f"{key}?", model=f"m-{key}")
    reply = opened("openai").ask(question())
    assert key not in repr(reply)
    assert reply.text == "the key is ***"
    spelled = "".join(f"\\u{ord(character):04X}" for character in key)
    server.answer = chat(f'{{"reason": "the key is {spelled}"}}')
    assert json.loads(opened("openai").ask(question()).text or "") == {"reason": "the key is ***"}
