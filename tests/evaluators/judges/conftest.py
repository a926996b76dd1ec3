"""A project whose system hands its picture through, judged by a model on loopback."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from PIL import Image

from oloproof.running import RunResult, run
from oloproof.running.events import Listener, silent
from oloproof.storage import History, Store, StoredTrial
from tests.conftest import Folder
from tests.model_server import ModelServer

APP = """\
from oloproof import current_case, media_file


def hand_through(case):
    for name in case.get("files", []):
        current_case().media([media_file(name)])
    return case.get("answer", "done")
"""


def picture(color: str = "red", size: tuple[int, int] = (64, 48), **options: Any) -> bytes:
    out = BytesIO()
    Image.new("RGB", size, color).save(out, options.pop("form", "PNG"), **options)
    return out.getvalue()


class Judged:
    """A project with one judge; ``run()`` runs it in this process and keeps the result."""

    def __init__(self, folder: Folder, server: ModelServer) -> None:
        self.folder, self.server = folder, server
        self.listener: Listener = silent
        self.options: dict[str, Any] = {
            "type": "rubric_judge",
            "criterion": "right",
            "provider": "openai_compatible",
            "base_url": server.url,
            "model": "eye",
            "rubric_text": "Pass only if the picture is red.",
            "media": "output",
        }
        self.project: dict[str, Any] = {
            "version": 1,
            "project": "judged",
            "dataset": "cases.jsonl",
            "system": {"name": "handler", "version": "1", "callable": "app:hand_through", "records": ["media/v1"]},
        }
        folder.write("app.py", APP)
        self.cases({"answer": "a red square", "files": ["red.png"]})
        folder.write("red.png", picture("red"))

    def cases(self, *inputs: Mapping[str, Any], **more: Any) -> None:
        self.folder.cases([{"id": f"c{number}", "input": given, **more} for number, given in enumerate(inputs)])

    def run(self, *, fresh: frozenset[str] = frozenset(), resume: bool = False, **options: Any) -> RunResult:
        wanted = {key: value for key, value in {**self.options, **options}.items() if value is not None}
        project = {**self.project, "evaluators": [wanted, *self.project.get("evaluators", [])]}
        self.folder.write("oloproof.yaml", yaml.safe_dump(project, sort_keys=False))
        return run(self.folder.root, fresh=fresh, resume=resume, listener=self.listener)

    def trials(self) -> list[StoredTrial]:
        store = Store(self.folder.root)
        try:
            history = History(store)
            return list(history.trials(history.find()))
        finally:
            store.close()

    def outcomes(self) -> list[str]:
        return [verdict.outcome for trial in self.trials() for verdict in trial.verdicts]

    @property
    def saw(self) -> Mapping[str, Any]:
        return self.trials()[0].judgements[0].saw


@pytest.fixture
def judged(folder: Folder) -> Iterator[Callable[[Any], Judged]]:
    """Return a project judged by a server that answers by the given script or answer."""
    servers: list[ModelServer] = []

    def make(answer: Any) -> Judged:
        server = ModelServer(answer)
        server.__enter__()
        servers.append(server)
        return Judged(folder, server)

    yield make
    for server in servers:
        server.__exit__(None, None, None)


def reply(passed: bool = True, reason: str = "seen") -> str:
    return json.dumps({"pass": passed, "reason": reason})


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path
