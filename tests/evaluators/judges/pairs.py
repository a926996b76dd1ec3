"""Two runs of one project and a pairwise judge between them, answered by a model on loopback."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import closing
from io import BytesIO
from typing import Any

import numpy as np
import yaml
from PIL import Image

from oloproof.config import load_project
from oloproof.evaluators import builtin_registry
from oloproof.running import RunResult, run
from oloproof.running.pairwise import PairwiseResult, judge_pairs, pairwise_judges
from oloproof.storage import History, Store
from tests.conftest import Folder
from tests.model_server import Answer, ModelServer, Request, chat, media_of

APP = """\
import json, shutil
from pathlib import Path
from oloproof import current_case, media_file

HERE = Path(__file__).parent


def answer(case):
    answers = json.loads((HERE / "answers.json").read_text())
    given = answers[current_case().id]
    if given.get("fails"):
        raise ValueError("no answer")
    items = [media_file(HERE / file, role="input") for file in given.get("inputs", [])]
    for file in given.get("files", []):
        target = current_case().path(f"{answers['tag']}-{file}")
        shutil.copyfile(HERE / file, target)
        items.append(media_file(target))
    if items:
        current_case().media(items)
    return {
        "caption": given.get("caption", "done"),
        "saved": [item.path for item in items if item.role == "output"],
        "log": str(current_case().path("log.txt")),
    }
"""
Chooser = Callable[[Request, list[bytes]], str]


class Compared:
    """``before`` and ``after`` run two versions of a system; ``judge()`` compares them in this process."""

    def __init__(self, folder: Folder, server: ModelServer) -> None:
        self.folder, self.server = folder, server
        self.judge_options: dict[str, Any] = {
            "type": "pairwise_judge",
            "criterion": "nicer",
            "provider": "openai_compatible",
            "base_url": server.url,
            "model": "eye",
            "rubric_text": "The answer whose picture shows more red is better.",
            "media": "output",
            "sight_test": "off",
        }
        self.project: dict[str, Any] = {"evaluators": []}
        folder.write("app.py", APP)

    def configure(self, version: str = "any", **options: Any) -> None:
        judge = {key: value for key, value in {**self.judge_options, **options}.items() if value is not None}
        document = {
            "version": 1,
            "project": "compared",
            "dataset": "cases.jsonl",
            "system": {"name": "captioner", "version": version, "callable": "app:answer", "records": ["media/v1"]},
            "concurrency": 1,
            **self.project,
            "evaluators": [judge, *self.project["evaluators"]],
        }
        self.folder.write("oloproof.yaml", yaml.safe_dump(document, sort_keys=False))

    def run(
        self, version: str, answers: Mapping[str, Mapping[str, Any]], inputs: Mapping[str, Any] | None = None
    ) -> RunResult:
        """Run one version that gives these answers, case by case."""
        self.folder.cases(
            [
                {"id": case, "input": (inputs or {}).get(case, {"ask": case}), "expected": "secret truth"}
                for case in answers
            ]
        )
        self.folder.write("answers.json", json.dumps({**answers, "tag": version}))
        self.configure(version)
        return run(self.folder.root, fresh=frozenset({"system"}))

    def both(self, candidate: Mapping[str, Mapping[str, Any]], baseline: Mapping[str, Mapping[str, Any]]) -> None:
        self.run("zeta9", baseline)
        self.run("omega7", candidate)

    def judge(self, candidate: str = "latest", baseline: str = "latest~1", **options: Any) -> PairwiseResult:
        self.configure(**options)
        registry = builtin_registry()
        judge = pairwise_judges(load_project(self.folder.root, registry.options()), registry)[0]
        with closing(Store(self.folder.root)) as store:
            history = History(store)
            return judge_pairs(store, judge, history.find(candidate), history.find(baseline))

    def outcomes(self, **options: Any) -> dict[str, str]:
        return {pair.case: pair.outcome for pair in self.judge(**options).pairs}


def choice(better: str, reason: str = "seen") -> str:
    return json.dumps({"reason": reason, "better": better})


def always(better: str) -> Answer:
    return chat(choice(better))


def redness(picture: bytes) -> int:
    """Count the pixels that are clearly red."""
    pixels = np.asarray(Image.open(BytesIO(picture)).convert("RGB"), dtype=int).reshape(-1, 3)
    return int(((pixels[:, 0] > 150) & (pixels[:, 1] < 100) & (pixels[:, 2] < 100)).sum())


def redder(_: Request, pictures: list[bytes]) -> str:
    """Choose the redder of two pictures, whichever is shown first."""
    first, second = map(redness, pictures)
    return choice("tie" if first == second else "A" if first > second else "B")


def looking(request: Request) -> Answer:
    """A model that looks and knows no sight test."""
    return chat(redder(request, [data for _, data in media_of(request)]))
