"""Speech to text: what a server is shown, what it says, and what counts as nothing said."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from oloproof.errors import CallFailed, MediaUnreadable, ProviderRefused
from oloproof.providers import Budget, Endpoint, MemoryProfiles, Phrase, Transcriber
from oloproof.providers.transcription import BASE_URL, spoken
from tests.model_server import (
    Answer,
    ModelServer,
    Request,
    answering,
    in_turn,
    insufficient_quota,
    media_of,
    rate_limited,
    refuses_formats,
    refusing,
    transcript,
)
from tests.providers.conftest import png, wav

CASES = Path(__file__).parents[1] / "data" / "media-cases"

Hears = Callable[..., Transcriber]


@pytest.fixture
def hears(server: ModelServer) -> Iterator[Hears]:
    server.answer = transcript("hello there")
    made: list[Transcriber] = []

    def make(*, language: str | None = None, budget: Any = None, profiles: Any = None, **limits: Any) -> Transcriber:
        settings = {"base_url": server.url, "retry_cap": 0.02, **limits}
        endpoint = Endpoint("openai_compatible", "whisper-1", **settings)
        made.append(Transcriber(endpoint, language=language, budget=budget, profiles=profiles))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_a_transcription_holds_what_the_server_told(server: ModelServer, hears: Hears) -> None:
    found = hears(language="en").transcribe(wav(), "audio/wav", "a.wav")
    assert (found.text, found.language, found.duration, found.no_speech_probability) == (
        "hello there",
        "english",
        1.5,
        0.1,
    )
    request = server.requests[0]
    assert request.path == "/v1/audio/transcriptions"
    fields = {part.name: part.data.decode() for part in request.form.values() if not part.file_name}
    granularities = {"timestamp_granularities[]": "segment"}  # the last of two
    assert fields == {"model": "whisper-1", "response_format": "verbose_json", "language": "en", **granularities}
    assert [part in request.body for part in (b'[]"\r\n\r\nword\r\n', b'[]"\r\n\r\nsegment\r\n')] == [True, True]


def segments(*told: tuple[object, object, str]) -> list[dict[str, object]]:
    return [{"start": start, "end": end, "text": text} for start, end, text in told]


def test_the_parts_of_a_text_come_with_their_times(server: ModelServer, hears: Hears) -> None:
    parts = segments((0.0, 1.2, " Good morning."), (1.2, "2.5", " It is nine."), (2.5, 2.5, " "))
    server.answer = transcript("Good morning. It is nine.", segments=parts)
    found = hears().transcribe(wav(), "audio/wav", "a.wav")
    assert found.phrases == (Phrase(0.0, 1.2, "Good morning."), Phrase(1.2, 2.5, "It is nine."))


@pytest.mark.parametrize(
    "parts",
    [
        segments((0.0, 1.2, "Good morning.")),
        segments((0.0, 1.2, "Good morning."), (1.2, 2.5, "It is ten.")),
        segments((1.2, 2.5, "Good morning."), (0.0, 1.2, "It is nine.")),
        segments((0.0, 1.2, "Good morning."), (2.5, 1.2, "It is nine.")),
        segments((-1, 1.2, "Good morning."), (1.2, 2.5, "It is nine.")),
        segments(("nan", 1.2, "Good morning."), (1.2, 2.5, "It is nine.")),
        segments((None, True, "Good morning."), (1.2, 2.5, "It is nine.")),
        [{"text": "Good morning. It is nine."}],
        ["Good morning.", 7],
        {"start": 0},
        None,
    ],
)
def test_parts_that_are_not_the_text_or_have_no_times_are_none(
    server: ModelServer, hears: Hears, parts: object
) -> None:
    server.answer = transcript("Good morning. It is nine.", segments=parts)
    found = hears().transcribe(wav(), "audio/wav", "a.wav")
    assert (found.text, found.phrases) == ("Good morning. It is nine.", ())


def test_the_sound_arrives_byte_for_byte(server: ModelServer, hears: Hears) -> None:
    sound = wav() + b"\r\n--oloproof-\r\n\0\xff"
    hears().transcribe(sound, "audio/wav", "a.wav")
    assert media_of(server.requests[0]) == [("audio/wav", sound)]


@pytest.mark.parametrize(
    ("name", "media_type", "sent_name", "sent_type"),
    [
        ("MR-42.wav", "audio/wav", "MR-42.m4a", "audio/mp4"),
        ("MR-42.wav", "audio/x-m4a", "MR-42.m4a", "audio/mp4"),
        ("MR-20.mp3", "application/octet-stream", "MR-20.mp3", "audio/mpeg"),
        ("MR-36-a.wav", "audio/x-wav", "MR-36-a.wav", "audio/wav"),
        ("MR-25.webm", "video/webm", "MR-25.webm", "video/webm"),
    ],
)
def test_the_servers_file_name_and_type_are_those_of_the_bytes(
    server: ModelServer, hears: Hears, name: str, media_type: str, sent_name: str, sent_type: str
) -> None:
    hears().transcribe((CASES / name).read_bytes(), media_type, name)
    sent = server.requests[0].form["file"]
    assert (sent.file_name, sent.media_type) == (sent_name, sent_type)


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("", "audio.wav"),
        ("nameless", "nameless.wav"),
        ("/home/me/private/take 1.ogg", "take_1.wav"),
        ('a"b\r\nx: y.mp3', "a_b_x_y.wav"),
        ("голос.mp3", "audio.wav"),
        ("x" * 500 + ".wav", "x" * 60 + ".wav"),
    ],
)
def test_a_file_name_tells_nothing_more_and_breaks_nothing(
    server: ModelServer, hears: Hears, name: str, sent: str
) -> None:
    hears().transcribe(wav(), "audio/wav", name)
    assert server.requests[0].form["file"].file_name == sent


def words(*told: tuple[float, str]) -> list[dict[str, object]]:
    return [{"word": word, "start": start, "end": start + 0.1} for start, word in told]


def test_words_come_with_their_times_also_where_a_server_cuts_and_strips_them(
    server: ModelServer, hears: Hears
) -> None:
    parts = segments((0.0, 1.2, " Good morning!"), (1.2, 2.5, " It's – twenty-five."))
    told = words((0.1, "good"), (0.6, "Morning"), (1.3, "It's"), (1.9, "twenty"), (2.2, "-five"))
    server.answer = transcript("Good morning! It's – twenty-five.", segments=parts, words=told)
    found = hears().transcribe(wav(), "audio/wav", "a.wav").phrases
    assert [phrase.words for phrase in found] == [(0.1, 0.6), (1.3, 1.3, 1.9)]

    within = [{**part, "words": told[:2] if part["start"] == 0 else told[2:]} for part in parts]
    server.answer = transcript("Good morning! It's – twenty-five.", segments=within)
    assert hears().transcribe(wav(), "audio/wav", "a.wav").phrases == found


@pytest.mark.parametrize(
    "told",
    [
        words((0.1, "good")),
        words((0.1, "good"), (0.6, "evening")),
        words((0.6, "good"), (0.1, "morning")),
        words((0.1, "good"), (0.6, "morning"), (0.9, "sir")),
        [{"word": "good"}, {"word": "morning"}],
        ["good", None],
        "good morning",
    ],
)
def test_words_that_are_not_those_of_the_text_are_left_out(told: object, server: ModelServer, hears: Hears) -> None:
    server.answer = transcript("Good morning", segments=segments((0.0, 1.2, "Good morning")), words=told)
    found = hears().transcribe(wav(), "audio/wav", "a.wav")
    assert found.phrases == (Phrase(0.0, 1.2, "Good morning"),)


def test_a_server_that_tells_no_words_is_asked_without_them_and_remembered(server: ModelServer, hears: Hears) -> None:
    def script(request: Request) -> Answer:
        if b"granularities" in request.body:
            return refusing("unknown parameter timestamp_granularities[]", param="timestamp_granularities[]")
        return transcript("hello")

    server.answer = script
    profiles = MemoryProfiles()
    assert hears(profiles=profiles).transcribe(wav(), "audio/wav", "a.wav").duration == 1.5
    hears(profiles=profiles).transcribe(wav(), "audio/wav", "a.wav")
    assert server.count == 3


def test_what_is_no_sound_is_not_sent(server: ModelServer, hears: Hears) -> None:
    for data in (png(), b"hello", b""):
        with pytest.raises(MediaUnreadable, match="no sound to transcribe"):
            hears().transcribe(data, "audio/wav", "a.wav")
    assert server.count == 0


def test_a_server_without_verbose_json_is_asked_for_json_and_remembered(server: ModelServer, hears: Hears) -> None:
    server.answer = refuses_formats("verbose_json", then=transcript("hello", verbose=False))
    profiles = MemoryProfiles()
    found = hears(profiles=profiles).transcribe(wav(), "audio/wav", "a.wav")
    assert (found.text, found.language, found.duration, found.no_speech_probability) == ("hello", None, None, None)
    hears(profiles=profiles).transcribe(wav(), "audio/wav", "a.wav")
    assert server.count == 3


def test_transcriptions_are_tried_again_and_counted(server: ModelServer, hears: Hears) -> None:
    server.answer = in_turn(rate_limited(milliseconds="1"), transcript("hello"))
    budget = Budget(requests=2)
    assert hears(budget=budget).transcribe(wav(), "audio/wav", "a.wav").text == "hello"
    assert budget.requests == 2


def test_a_quota_stops_the_run_here_too(server: ModelServer, hears: Hears) -> None:
    server.answer = insufficient_quota()
    with pytest.raises(ProviderRefused, match="exceeded your current quota"):
        hears().transcribe(wav(), "audio/wav", "a.wav")
    assert server.count == 1


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (answering({"words": "?"}), "malformed_reply"),
        (Answer(body=b"hello there"), "malformed_reply"),
        (refusing("Maximum content size limit exceeded", 413), "too_large"),
        (refusing("the audio could not be decoded"), "bad_request"),
    ],
)
def test_a_call_without_a_transcript_says_why(server: ModelServer, hears: Hears, answer: Answer, code: str) -> None:
    server.answer = answer
    with pytest.raises(CallFailed) as caught:
        hears().transcribe(wav(), "audio/wav", "a.wav")
    assert (caught.value.code, server.count) == (code, 1)


def test_odd_facts_are_unknown_ones(server: ModelServer, hears: Hears) -> None:
    odd = {"duration": "2.5", "language": 7, "segments": [{"no_speech_prob": "x"}, 3, {"no_speech_prob": 7}]}
    server.answer = transcript("hello", **odd)
    found = hears().transcribe(wav(), "audio/wav", "a.wav")
    assert (found.duration, found.language, found.no_speech_probability) == (2.5, None, None)
    server.answer = transcript("hello", duration=-1, segments="none")
    assert hears().transcribe(wav(), "audio/wav", "a.wav").duration is None


@pytest.mark.parametrize(
    "text",
    ["", "  ", "[BLANK_AUDIO]", "(silence)", "[Music]", "♪", "♪♪ [music playing] ♪", "*laughs*", ". . .",
     " (wind) [NOISE]", "(speaking in foreign language)", "[ Silence ]"],
)  # fmt: skip
def test_markers_alone_are_no_words(text: str) -> None:
    assert spoken(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "Hello.",
        "[Music] Hello.",
        "(I said no)",
        "♪ la la ♪",
        "[door] open the door",
        "Silence!",
        "music",
        "*not*",
        "13",
    ],
)
def test_words_are_kept_as_they_are(text: str) -> None:
    assert spoken(f" {text}\n") == text


def test_a_marker_that_a_server_sends_is_no_text(server: ModelServer, hears: Hears) -> None:
    server.answer = transcript(" [BLANK_AUDIO]", no_speech=0.9)
    found = hears().transcribe(wav(), "audio/wav", "a.wav")
    assert (found.text, found.no_speech_probability) == ("", 0.9)


def test_anthropic_is_no_transcriber() -> None:
    with pytest.raises(ValueError, match="no transcriptions"):
        Transcriber(Endpoint("anthropic", "m"))
    assert Endpoint("openai", "whisper-1").server == BASE_URL
