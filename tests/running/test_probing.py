"""Probing a judge: what is put to it again, in which other forms."""

from __future__ import annotations

import wave
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from oloproof.config import load_project
from oloproof.evaluators import builtin_registry
from oloproof.evaluators.judges import RubricJudge
from oloproof.running import run
from oloproof.running.events import Event, HeldUp, JudgementsDone, Listener, silent
from oloproof.running.probing import Probed, probe_judge
from oloproof.running.validating import judge_criteria
from oloproof.storage import History, Store
from tests.conftest import Folder
from tests.model_server import Answer, ModelServer, Request, chat, in_turn, rate_limited, transcript
from tests.seeing_model import verdict

HEARD = """\
from oloproof import current_case, media_file


def hear(case):
    current_case().media([media_file(case["sound"], role="input")])
    return "good morning"
"""

PROJECT = """\
version: 1
project: dictation
dataset: {path: cases.jsonl, media: [sound]}
system: {name: ear, version: "1", callable: "app:hear"}
evaluators:
  - type: rubric_judge
    criterion: faithful
    provider: openai_compatible
    base_url: %(url)s
    model: listener
    rubric_text: Pass only if the text is what the voice says.
    media: input
    kinds: [audio]
    sight_test: "off"
    transcriber: {model: whisper, base_url: "%(url)s"}
"""


def hears_everything(request: Request) -> Answer:
    return transcript("good morning") if "transcriptions" in request.path else chat(verdict(True))


def hears_slowly(request: Request) -> Answer:
    return replace(hears_everything(request), delay=0.1)


def dictation(folder: Folder, url: str, *, cases: int = 2) -> Any:
    for number in range(cases):
        path = folder.root / f"{number}.wav"
        with wave.open(str(path), "wb") as sound:
            sound.setnchannels(1)
            sound.setsampwidth(2)
            sound.setframerate(8000)
            sound.writeframes(bytes((place * (7 + number)) % 251 for place in range(16000)))
    folder.write("app.py", HEARD)
    folder.write("cases.jsonl", "".join(f'{{"id": "c{n}", "input": {{"sound": "{n}.wav"}}}}\n' for n in range(cases)))
    folder.write("oloproof.yaml", PROJECT % {"url": url})
    return folder


def probed(folder: Folder, cases: int, listener: Listener = silent) -> Probed:
    """Probe the judge of the project over cases of its newest run."""
    project = load_project(folder.root, builtin_registry().options())
    judge = judge_criteria(project, builtin_registry(), "faithful")[0].evaluator
    assert isinstance(judge, RubricJudge)
    with closing(Store(project.root)) as store:
        return probe_judge(project, store, judge, run=History(store).find(), cases=cases, seed="1", listener=listener)


def test_a_judge_that_is_shown_no_pictures_is_not_asked_with_other_pictures(folder: Folder) -> None:
    with ModelServer(hears_everything) as server:
        run(dictation(folder, server.url).root)
        found = probed(folder, 2)

    assert [(one.change, one.asked) for one in found.movements] == [("again", 2), ("swap", 2)]
    assert found.notes == ("it is shown no pictures, so none were blanked or framed",)


def test_questions_are_asked_side_by_side_and_counted_as_they_are_answered(folder: Folder) -> None:
    with ModelServer(hears_everything) as server:
        run(dictation(folder, server.url, cases=6).root)
    events: list[Event] = []
    with ModelServer(hears_slowly) as server:
        dictation(folder, server.url, cases=6)
        found = probed(folder, 6, events.append)

    assert [(one.change, one.asked) for one in found.movements] == [("again", 6), ("swap", 6)]
    assert server.most_in_flight > 2
    counted = [(event.done, event.total) for event in events if isinstance(event, JudgementsDone)]
    assert counted[-18:] == [(done, 18) for done in range(1, 19)]


def test_what_a_server_makes_a_probe_wait_for_is_said_while_it_waits(folder: Folder) -> None:
    with ModelServer(hears_everything) as server:
        run(dictation(folder, server.url).root)
    events: list[Event] = []
    with ModelServer(in_turn(rate_limited(milliseconds="700"), hears_everything)) as server:
        dictation(folder, server.url)
        found = probed(folder, 2, events.append)

    assert found.movements[0].asked == 2
    assert any(isinstance(event, HeldUp) and "HTTP 429" in event.words for event in events)


def test_a_case_whose_files_are_gone_is_left_out_and_ends_no_probe(folder: Folder) -> None:
    """Where only one case is left there is no other whose media could be shown, so nothing is said of such a change."""
    with ModelServer(hears_everything) as server:
        run(dictation(folder, server.url).root)
        (folder.root / "0.wav").unlink()
        found = probed(folder, 2)

    assert [(one.change, one.asked) for one in found.movements] == [("again", 1)]
    assert found.notes[0] == "1 case is left out, whose recorded files are gone or cannot be read"
    assert found.notes[-1] == "no two of the cases recorded other media, so none were shown another's"


def test_cases_that_share_their_media_are_shown_those_of_another(folder: Folder) -> None:
    """A case that is shown the same bytes under another case's name has not been shown anything else."""
    with ModelServer(hears_everything) as server:
        dictation(folder, server.url)
        rows = [{"id": f"c{n}", "input": {"sound": f"{n // 2}.wav", "n": n}} for n in range(3)]
        folder.cases(rows)
        run(folder.root)
        sounds = shown_in_place(folder)

    assert sounds == {"c0": "1.wav", "c1": "1.wav", "c2": "0.wav"}


def shown_in_place(folder: Folder) -> dict[str, str]:
    """Return, of each case of a probe, which sound was shown in place of its own."""
    shown = {}
    real = RubricJudge.opinion_on

    def opinion_on(self: Any, subject: Any, items: Any, change: Any = None) -> Any:
        if items[0].path != subject.execution.media[0].path:
            shown[subject.case.id] = items[0].path
        return real(self, subject, items, change)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RubricJudge, "opinion_on", opinion_on)
        probed(folder, 3)
    return shown
