"""What happens between a question and its answer."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from oloproof.probes import evaluate, probe
from tests.probes.conftest import always, sample


def test_the_same_words_with_the_same_picture_are_asked_once() -> None:
    """The cache of the earlier tool held the id of the sample, and so saved nothing."""
    asked = []

    def target(image: Any, prompt: str) -> str:
        asked.append((image, prompt))
        return "blue"

    samples = [
        sample(id=name, image=image) for name, image in (("a", "x.png"), ("b", "x.png"), ("c", b"1"), ("d", b"1"))
    ]
    report = evaluate(samples, target)

    assert asked == [("x.png", "Which colour?"), (None, "Which colour?"), (b"1", "Which colour?")]
    assert report["visual_adoption_rate"] == 1.0
    evaluate(samples, target, cache=False)
    assert len(asked) == 3 + 8


def test_an_error_is_a_record_without_the_key_that_it_shows() -> None:
    def target(image: Any, prompt: str) -> str:
        raise RuntimeError("401 Authorization: Bearer sk-123abc; api_key=zyx987")

    told = probe(sample(), target)["conditions"]["visual"]

    assert told["error"].startswith("RuntimeError: 401")
    assert not any(secret in told["error"] for secret in ("sk-123abc", "zyx987"))
    with pytest.raises(RuntimeError):
        probe(sample(), target, on_error="raise")


@pytest.mark.parametrize(
    "words",
    [
        "OPENAI_API_KEY=zyx987secret is refused",
        '{"api_key": "zyx987secret", "model": "m"}',
        "bad credentials: ghp_zyx987secret",
        "token='zyx987secret'",
    ],
)
def test_a_key_is_found_in_an_error_however_it_is_written(words: str) -> None:
    def broken(image: Any, prompt: str) -> str:
        raise RuntimeError(words)

    told = probe(sample(), broken)["conditions"]["visual"]
    assert "[hidden]" in told["error"]
    assert "zyx987" not in told["error"]


def test_one_that_leaves_the_program_loses_no_answers() -> None:
    def target(image: Any, prompt: str) -> str:
        if image is None:
            raise SystemExit(3)
        return "blue"

    report = evaluate([sample()], target)

    assert report["visual_adoption_rate"] == 1.0
    assert report["results"][0]["conditions"]["text_only"]["error"] == "SystemExit: 3"
    assert report["errors"] == 1


@pytest.mark.parametrize("value", [None, 5, b"blue", ["blue"]])
def test_what_is_no_text_is_no_answer(value: Any) -> None:
    result = probe(sample(), always(value))

    assert (result["valid"], result["classification"]) == (False, "unclear")
    assert "must return text" in result["conditions"]["visual"]["error"]


def test_a_coroutine_is_awaited() -> None:
    async def target(image: Any, prompt: str) -> str:
        return "blue"

    assert probe(sample(), target)["classification"] == "visual"


def test_a_coroutine_is_awaited_also_where_a_loop_runs_already() -> None:
    """A notebook runs one: every answer was an error there."""

    async def target(image: Any, prompt: str) -> str:
        await asyncio.sleep(0)
        return "blue"

    async def notebook() -> Any:
        return probe(sample(), target)

    told = asyncio.run(notebook())["conditions"]["visual"]
    assert (told["response"], told["error"]) == ("blue", None)


def test_several_questions_may_be_asked_at_once() -> None:
    meeting = threading.Barrier(2, timeout=20)

    def target(image: Any, prompt: str) -> str:
        meeting.wait()
        return "blue"

    assert evaluate([sample()], target, concurrency=2)["valid_samples"] == 1


def test_every_picture_can_be_written_as_json() -> None:
    for image in (b"abc", object(), Path("x.png"), None, 5):
        told = json.loads(json.dumps(evaluate([sample(image=image)], always("blue"))))
        assert told["results"][0]["conditions"]["visual"]["image"] != ""
    assert probe(sample(image=b"abc"), always("blue"))["conditions"]["visual"]["image"]["size"] == 3
