"""Probing a judge: what is put to it again, in which other forms."""

from __future__ import annotations

import wave
from contextlib import closing
from typing import Any

from oloproof.config import load_project
from oloproof.evaluators import builtin_registry
from oloproof.running import run
from oloproof.running.probing import probe_judge
from oloproof.running.validating import judge_criteria
from oloproof.storage import History, Store
from tests.conftest import Folder
from tests.model_server import Answer, ModelServer, Request, chat, transcript
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


def dictation(folder: Folder, url: str) -> Any:
    for number in range(2):
        path = folder.root / f"{number}.wav"
        with wave.open(str(path), "wb") as sound:
            sound.setnchannels(1)
            sound.setsampwidth(2)
            sound.setframerate(8000)
            sound.writeframes(bytes((place * (7 + number)) % 251 for place in range(16000)))
    folder.write("app.py", HEARD)
    folder.write("cases.jsonl", "".join(f'{{"id": "c{n}", "input": {{"sound": "{n}.wav"}}}}\n' for n in range(2)))
    folder.write("oloproof.yaml", PROJECT % {"url": url})
    return folder


def test_a_judge_that_is_shown_no_pictures_is_not_asked_with_other_pictures(folder: Folder) -> None:
    with ModelServer(hears_everything) as server:
        project = load_project(dictation(folder, server.url).root, builtin_registry().options())
        run(project.root)
        judge = judge_criteria(project, builtin_registry(), "faithful")[0].evaluator
        with closing(Store(project.root)) as store:
            found = probe_judge(project, store, judge, run=History(store).find(), cases=2, seed="1")  # type: ignore[arg-type]

    assert [(one.change, one.asked) for one in found.movements] == [("again", 2), ("swap", 2)]
    assert found.notes == ("it is shown no pictures, so none were blanked or framed",)
