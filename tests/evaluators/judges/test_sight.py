"""Whether a model proves that it perceives: asked once, kept, and never guessed from the words around."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from oloproof.evaluators.judges.hearing import Hearing
from oloproof.evaluators.judges.keeping import SightsInMemory
from oloproof.evaluators.judges.options import TranscriberOptions
from oloproof.evaluators.judges.sight import Sight, SightTest, worst
from oloproof.media.speaking import spoken_digits
from oloproof.providers import Endpoint, Transcriber, open_chat
from tests.evaluators.judges.conftest import Judged, reply
from tests.media.conftest import CASES
from tests.model_server import Answer, ModelServer, Request, chat, failing, in_turn, media_of, praise, transcript
from tests.seeing_model import SeeingModel, verdict

Make = Callable[[Any], Judged]
KINDS = ("image", "video", "audio")


def passes(*_: Any) -> str:
    return verdict(True)


def is_probe(request: Request) -> bool:
    return "You are tested" in request.body.decode(errors="replace")


@contextmanager
def opened(server: ModelServer, *, model: str = "eye", sights: Any = None) -> Iterator[SightTest]:
    """Open a test of a model on a running server; the model is sent sound itself."""
    with open_chat(Endpoint("openai_compatible", model, server.url)) as client:
        yield SightTest(client, Hearing(native=True), SightsInMemory() if sights is None else sights)


@contextmanager
def examined(answer: Any) -> Iterator[SightTest]:
    """Open a test of a model that answers so."""
    with ModelServer(answer) as server, opened(server) as test:
        yield test


@contextmanager
def listener(answer: Any, chance: random.Random) -> Iterator[tuple[SightTest, ModelServer]]:
    """Open a test of a judge that hears by a transcriber."""
    with ModelServer(answer) as server:
        options = TranscriberOptions(model="ear", base_url=server.url)
        with (
            Transcriber(options.endpoint(1)) as ear,
            open_chat(Endpoint("openai_compatible", "eye", server.url)) as client,
        ):
            yield SightTest(client, Hearing(options=options, transcriber=ear), SightsInMemory(), chance), server


# --- what is proven ------------------------------------------------------------------------------------------------


def test_a_model_that_perceives_proves_it_for_every_kind() -> None:
    with examined(SeeingModel(passes)) as test:
        found = test.of(KINDS)

    assert [(one.kind, one.state, one.model_served) for one in found] == [
        (kind, "proven", "served-1") for kind in KINDS
    ]


@pytest.mark.parametrize(
    "blind",
    [SeeingModel(passes, blind=True), praise, chat('{"answer": "A2C4E"}'), chat("red, green, blue, yellow, LHLHLHLH")],
    ids=["says so", "praises", "guesses", "guesses in prose"],
)
def test_a_model_that_does_not_perceive_proves_nothing_of_any_kind(blind: Any) -> None:
    with examined(blind) as test:
        found = test.of(KINDS)

    assert [one.state for one in found] == ["not_proven"] * 3
    assert "it did not tell what was in a picture" in found[0].reason


@pytest.fixture(scope="module")
def drawn() -> dict[bytes, str]:
    """The voice of the digits that a test draws first and second with ``random.Random(7)``, and what they are."""
    chance = random.Random(7)
    digits = ["".join(chance.choice("0123456789") for _ in range(5)) for _ in range(2)]
    voices = {voice: one for one in digits if (voice := spoken_digits(one)) is not None}
    if not voices:
        pytest.skip("this ffmpeg has no voice (flite)")
    return voices


WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@pytest.mark.parametrize(
    "write",
    [
        lambda digits: f"{'. '.join(digits)}.",
        lambda digits: f"{digits[:3]}-{digits[3:]}",
        lambda digits: ", ".join(WORDS[int(one)] for one in digits).capitalize(),
    ],
    ids=["apart", "together", "words"],
)
def test_a_transcriber_that_hears_proves_it_however_it_writes_digits(
    write: Callable[[str], str], drawn: dict[bytes, str]
) -> None:
    def hears(request: Request) -> Answer:
        return transcript(write(drawn[media_of(request)[0][1]]), model="whisper-real")

    with listener(hears, random.Random(7)) as (test, server):
        found = test.of(["audio"])[0]

    assert (found.state, found.model_served) == ("proven", "whisper-real")
    assert [request.path for request in server.requests] == ["/v1/audio/transcriptions"]


@pytest.mark.usefixtures("drawn")
def test_a_transcriber_that_invents_words_proves_nothing() -> None:
    with listener(transcript("Thanks for watching 1 2 3"), random.Random(7)) as (test, server):
        found = test.of(["audio"])[0]

    assert found.state == "not_proven"
    assert "it wrote 'Thanks for watching 1 2 3'" in found.reason
    assert server.count == 2


def test_without_a_voice_hearing_is_not_tested_and_the_reason_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with listener(transcript(""), random.Random(7)) as (test, server):
        found = test.of(["audio", "audio"])

    assert {one.state for one in found} == {"not_tested"}
    assert "cannot speak" in found[0].reason
    assert (server.count, test.known("audio")) == (0, None)


@pytest.mark.parametrize(
    "write",
    [
        lambda said: f'Perhaps {{"answer": "XXXXX"}}? I look again.\n```json\n{said}\n```',
        lambda said: f"<think>Perhaps {{XXXXX}}? I look again.</think>{json.loads(said)['answer']}",
        lambda said: f'It begins in the middle of a thought: {{"answer": "XXXXX"}}</thinking>\n{said}',
    ],
    ids=["draft before", "thinking and prose", "lone closing tag"],
)
def test_what_a_model_thinks_aloud_before_its_answer_does_not_count(write: Callable[[str], str]) -> None:
    def thinker(request: Request) -> Answer:
        said = json.loads(seeing(request).body)["choices"][0]["message"]["content"]
        return chat(write(said))

    seeing = SeeingModel(passes)
    with examined(thinker) as test:
        assert [one.state for one in test.of(["image", "audio"])] == ["proven"] * 2


def test_the_worst_of_several_kinds_is_the_word_for_all() -> None:
    def sights(*states: Any) -> list[Sight]:
        return [Sight("image", state, "") for state in states]

    assert worst(sights("proven", "proven")) == "proven"
    assert worst(sights("proven", "not_tested")) == "not_tested"
    assert worst(sights("not_tested", "not_proven", "proven")) == "not_proven"
    assert worst([]) == "not_tested"


# --- what is kept --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "silence",
    [failing(400), chat('{"answer": "A2', finish="length"), chat(""), chat(None, reasoning_content="so much")],
    ids=["fault", "cut off", "empty", "thinking only"],
)
def test_a_test_that_gets_no_answer_is_not_kept_and_tried_again_next_time(silence: Answer) -> None:
    seeing = SeeingModel(passes)
    with examined(in_turn(silence, seeing)) as test:
        first, known, second = test.of(["image"])[0], test.known("image"), test.of(["image"])[0]

    assert (first.state, known, second.state) == ("not_tested", None, "proven")
    assert first.reason.startswith("the sight test was not answered: ")


def test_a_result_is_kept_by_server_model_and_kind() -> None:
    sights = SightsInMemory()
    model = SeeingModel(passes)
    with ModelServer(model) as here, ModelServer(model) as there:
        for server, name, kind, asked in (
            (here, "eye", "image", 1),
            (here, "eye", "image", 1),
            (here, "eye", "video", 2),
            (here, "other", "image", 3),
            (there, "eye", "image", 4),
            (here, "eye", "video", 4),
        ):
            with opened(server, model=name, sights=sights) as test:
                assert test.of([kind])[0].state == "proven"
            assert model.probes == asked


def test_a_result_of_another_version_of_the_test_is_none() -> None:
    sights = SightsInMemory()
    model = SeeingModel(passes)
    with ModelServer(model) as server, opened(server, sights=sights) as test:
        kept = test.of(["image"])[0].as_json()
        sights.put(test.client.endpoint.server, "eye", "image", {**kept, "version": 0})
        test.of(["image"])

    assert model.probes == 2


def test_a_result_is_kept_for_the_runs_that_follow(judged: Make) -> None:
    model = SeeingModel(passes)
    project = judged(model)
    project.run()
    project.run(rubric_text="Another.", fresh=frozenset({"judge", "system"}))
    assert model.probes == 1

    project.run(model="other")
    assert model.probes == 2


def test_judges_of_one_model_test_it_once_however_many_threads_ask() -> None:
    model, sights, together = SeeingModel(passes), SightsInMemory(), threading.Barrier(8)

    def ask(test: SightTest) -> str:
        together.wait()
        return test.of(["image"])[0].state

    with (
        ModelServer(model) as server,
        opened(server, sights=sights) as one,
        opened(server, sights=sights) as other,
        ThreadPoolExecutor(8) as pool,
    ):
        found = list(pool.map(ask, [one, other] * 4))

    assert (found, model.probes) == (["proven"] * 8, 1)


# --- what it does to verdicts --------------------------------------------------------------------------------------


def test_each_kind_that_a_judge_is_shown_is_tested_and_the_worst_is_said_with_the_verdict(judged: Make) -> None:
    def deaf(request: Request) -> Answer:
        return seeing(request) if "tones" not in request.text else chat('{"answer": ""}')

    seeing = SeeingModel(passes)
    project = judged(deaf)
    clip = (CASES / "MR-22.mp4").read_bytes()
    project.folder.write("clip.mp4", clip)
    project.folder.write("tone.wav", (CASES / "MR-40.wav").read_bytes())
    project.cases({"files": ["red.png", "clip.mp4"]}, {"files": ["red.png", "tone.wav"]})
    project.run(audio="native", video_frames=1)

    assert [trial.judgements[0].saw["sight"] for trial in project.trials()] == ["proven", "not_proven"]
    assert sum(map(is_probe, project.server.requests)) == 4  # picture and clip once, digits and tones once each


def test_off_asks_for_no_proof_and_says_that_nothing_was_tested(judged: Make) -> None:
    project = judged(SeeingModel(passes))
    project.run(sight_test="off")

    assert not any(map(is_probe, project.server.requests))
    assert project.saw["sight"] == "not_tested"


def test_required_proof_holds_for_verdicts_from_the_cache_too(judged: Make) -> None:
    model = SeeingModel(passes, blind=True)
    project = judged(model)
    project.run()
    assert (project.outcomes(), project.saw["sight"]) == (["pass"], "not_proven")
    asked = project.server.count

    project.run(sight_test="require")
    assert project.outcomes() == ["missing"]
    assert project.trials()[0].verdicts[0].details["code"] == "sight_not_proven"
    assert project.server.count == asked


def test_proven_sight_is_required_and_found_without_a_question_on_a_rerun(judged: Make) -> None:
    project = judged(SeeingModel(passes))
    project.run(sight_test="require")
    asked = project.server.count
    project.run(sight_test="require")

    assert (project.outcomes(), project.saw["sight"], project.server.count) == (["pass"], "proven", asked)


@pytest.mark.parametrize(("wanted", "tests"), [("report", 3), ("require", 6)])
def test_a_proof_that_is_never_answered_is_asked_for_a_few_times_unless_it_is_required(
    judged: Make, wanted: str, tests: int
) -> None:
    def endless(request: Request) -> Answer:
        return chat("hm", finish="length") if is_probe(request) else chat(reply())

    project = judged(endless)
    project.cases(*({"files": ["red.png"], "answer": str(number)} for number in range(6)))
    project.run(sight_test=wanted)

    assert sum(map(is_probe, project.server.requests)) == tests
    assert project.outcomes() == ["pass" if wanted == "report" else "missing"] * 6


def test_threads_that_ask_at_once_share_one_test(judged: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """What came to nothing is counted in it, so a second one would ask as often again."""
    slow = threading.Event()
    made: list[SightTest] = []

    def slowly(*given: Any, **more: Any) -> SightTest:
        slow.wait(0.05)
        made.append(SightTest(*given, **more))
        return made[-1]

    monkeypatch.setattr("oloproof.evaluators.judges.model_judge.SightTest", slowly)
    project = judged(SeeingModel(passes))
    project.cases(*({"files": ["red.png"], "answer": str(number)} for number in range(6)))
    project.run()

    assert len(made) == 1


def test_a_required_proof_that_was_not_answered_is_asked_for_again(judged: Make) -> None:
    seeing = SeeingModel(passes)
    project = judged(failing(400))
    project.run(sight_test="require")
    assert project.outcomes() == ["missing"]
    assert "the sight test was not answered" in project.trials()[0].verdicts[0].reason

    project.server.answer = seeing
    project.run(sight_test="require")
    assert project.outcomes() == ["pass"]


def test_the_words_of_a_test_are_the_same_whatever_it_shows() -> None:
    asked = []
    for _ in range(2):
        with ModelServer(chat(reply())) as server, opened(server) as test:
            test.of(KINDS)
            asked.append([request.text for request in server.requests])

    assert asked[0] == asked[1]


def test_required_proof_is_asked_for_where_a_verdict_from_the_cache_was_never_tested(judged: Make) -> None:
    model = SeeingModel(passes)
    project = judged(model)
    project.run(sight_test="off")
    project.run(sight_test="require")

    assert project.outcomes() == ["pass"]
    assert (model.probes, project.server.count) == (1, 2)
