from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import Field

from oloproof.config import EvaluatorOptions, Options, Project, load_project
from oloproof.errors import ConfigError


class MediaCheckOptions(EvaluatorOptions):
    """Measures a picture."""

    max_width: Annotated[int, Field(ge=1)] | None = None
    max_height: Annotated[int, Field(ge=1)] | None = None
    has_audio: bool | None = None
    format: str | None = None
    aspect_ratio: str | None = None
    frames: Annotated[int, Field(ge=1)] | list[float] = 4


class Transcriber(Options):
    """A speech model."""

    model: str


class JudgeOptions(EvaluatorOptions):
    """Asks a model."""

    model: str
    media: Literal["input", "output", "all"] = "output"
    transcriber: Transcriber | Literal["native"] | None = None


KNOWN = {"media_check": MediaCheckOptions, "rubric_judge": JudgeOptions}

GOOD = """\
version: 1
project: thumbnails
dataset: cases.jsonl
system:
  callable: app:describe
evaluators:
  - type: media_check
    criterion: fits
    max_width: 256
  - {type: rubric_judge, criterion: caption, model: m, transcriber: native}
policy:
  rules:
    - {id: fits, metric: fits, kind: observed_count, max_failures: 0}
"""


@pytest.fixture
def known() -> dict[str, type[EvaluatorOptions]]:
    return dict(KNOWN)


@pytest.fixture
def good() -> str:
    return GOOD


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a dataset in it."""
    (tmp_path / "cases.jsonl").write_text('{"id": "a", "input": 1}\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def load(folder: Path) -> Callable[..., Project]:
    def load(text: str, policy: str | None = None) -> Project:
        (folder / "oloproof.yaml").write_text(text, encoding="utf-8")
        if policy is not None:
            (folder / "release.yaml").write_text(policy, encoding="utf-8")
        return load_project(folder, KNOWN)

    return load


@pytest.fixture
def refused(load: Callable[..., Project], folder: Path) -> Callable[..., list[str]]:
    """What is said of a project file that is wrong, a line each, with the folder's name taken out."""

    def refused(text: str, policy: str | None = None) -> list[str]:
        with pytest.raises(ConfigError) as caught:
            load(text, policy)
        return str(caught.value).replace(str(folder), "HERE").splitlines()

    return refused
