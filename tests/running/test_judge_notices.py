"""What a run says of its judges beside their verdicts."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from oloproof.media.probes import tone_sound
from oloproof.reports.wording import judge_words, judged_words
from oloproof.running import run
from oloproof.running.events import Event, HeldUp
from oloproof.running.judge_documents import judges_document
from oloproof.storage import History, Store
from tests.evaluators.judges.conftest import Judged, judged, reply
from tests.model_server import chat, in_turn, praise, rate_limited, refuses_parameters, transcript
from tests.seeing_model import SeeingModel, verdict

__all__ = ["judged"]

Make = Callable[[Any], Judged]


def codes(result: Any) -> list[str]:
    return [notice.code for notice in result.run.notices]


def test_a_judge_that_did_not_prove_its_sight_is_said_with_the_run(judged: Make) -> None:
    result = judged(praise).run()

    assert codes(result) == ["sight_not_proven"]
    assert "for 1 of 1 judgements" in result.run.notices[0].message


def test_of_a_judge_that_is_given_sound_alone_its_hearing_is_told(judged: Make) -> None:
    project = judged(praise)
    project.folder.write("said.wav", tone_sound("L"))
    project.cases({"files": ["said.wav"]})
    run = project.run(audio="native").run

    assert "right: the judge did not prove that it hears, for 1 of 1 judgements" in run.notices[0].message
    with closing(Store(project.folder.root)) as store:
        (told,) = judges_document(History(store), run)
    assert judge_words(told).startswith("right: hearing NOT proven; ")
    assert judged_words(project.saw).endswith(", hearing NOT proven")


def test_a_judge_that_proved_it_is_no_matter_for_a_notice(judged: Make) -> None:
    assert codes(judged(SeeingModel(lambda *_: verdict(True))).run()) == []


def test_a_parameter_that_a_model_does_not_take_is_said_unless_it_is_known(judged: Make) -> None:
    """A judge that was set to answer the same each time may not, and nobody would know."""
    project = judged(refuses_parameters("temperature", "seed", then=chat(reply())))
    result = project.run(sight_test="off", seed=7)
    assert codes(result) == ["parameter_not_taken"]
    assert result.run.notices[0].message.startswith("right: its model takes no temperature and seed and is asked with")
    assert codes(project.run(sight_test="off", seed=7)) == ["parameter_not_taken"], "also when it asks nothing"

    assert "takes no temperature and is asked" in project.run(sight_test="off").run.notices[0].message

    file = project.folder.root / "oloproof.yaml"
    file.write_text(file.read_text().replace("sight_test:", "temperature: null\n  sight_test:"))
    assert codes(run(project.folder.root)) == []


@pytest.mark.parametrize("ear", [None, "transcriber"])
def test_what_a_server_makes_a_run_wait_for_is_said_while_it_waits(judged: Make, ear: str | None) -> None:
    """Else a minute of rate limits looks like a run that hangs."""
    limited = rate_limited(milliseconds="700")
    project = judged(in_turn(limited, transcript("hello") if ear else chat(reply()), chat(reply())))
    if ear:
        project.folder.write("said.wav", tone_sound("L"))
        project.cases({"files": ["said.wav"]})
    events: list[Event] = []
    project.listener = events.append
    project.run(sight_test="off", transcriber={"model": "ear", "base_url": project.server.url} if ear else None)

    host = project.server.url.removeprefix("http://").removesuffix("/v1")
    said = [event.words for event in events if isinstance(event, HeldUp)]
    first = events.index(HeldUp(said[0]))
    assert all(isinstance(event, HeldUp) for event in events[first : first + len(said)]), "nothing else hides it"
    assert {words.partition(" for ")[2] for words in said} == {f"{host}: HTTP 429: slow down"}
    assert project.outcomes() == ["pass"]


@pytest.mark.parametrize("names", [("eye-1", "eye-2"), ("eye-1", "eye-1")])
def test_judgements_of_several_models_in_one_run_are_said(judged: Make, names: tuple[str, str]) -> None:
    project = judged(in_turn(*(chat(reply(), model=name) for name in names)))
    project.cases(*({"files": ["red.png"], "answer": str(number)} for number in range(2)))
    result = project.run(sight_test="off")

    assert ("judge_model_changed" in codes(result)) == (len(set(names)) > 1)


def test_why_verdicts_are_missing_is_said_with_the_run(judged: Make) -> None:
    project = judged(in_turn(chat("", finish="length"), chat("no", finish="refusal"), chat("", finish="length")))
    project.cases(*({"files": ["red.png"], "answer": str(number)} for number in range(4)))
    project.project["concurrency"] = 1
    (notice,) = project.run(sight_test="off").run.notices

    assert (notice.code, notice.message) == (
        "judge_verdicts_missing",
        "right: 4 verdicts are missing or invalid, most often (3), first in case 'c0': the reply was cut off at the "
        "limit of tokens (max_tokens:, what it thinks included); oloproof inspect --failures shows each",
    )
