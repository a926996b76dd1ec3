from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from oloproof.config import load_project
from oloproof.datasets import Dataset, open_dataset
from oloproof.errors import ConfigError, DatasetError
from oloproof.records import Case


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path.resolve()


@pytest.fixture
def open_(folder: Path) -> Callable[..., Dataset]:
    """Open a dataset: ``options`` as in a project file, ``files`` are written first."""

    def open_(options: Any, **files: str | bytes) -> Dataset:
        for name, content in files.items():
            path = folder / name.replace("__", "/").replace("_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        document = {"version": 1, "project": "x", "dataset": options, "system": {"callable": "app:f"}}
        (folder / "oloproof.yaml").write_text(json.dumps(document))
        return open_dataset(load_project(folder, {}))

    return open_


@pytest.fixture
def cases(open_: Callable[..., Dataset]) -> Callable[..., list[Case]]:
    def cases(options: Any, **files: str | bytes) -> list[Case]:
        return list(open_(options, **files))

    return cases


@pytest.fixture
def refused(open_: Callable[..., Dataset], folder: Path) -> Callable[..., list[str]]:
    """What is said of a dataset that is wrong, a line each, with the folder's name taken out."""

    def refused(options: Any, **files: str | bytes) -> list[str]:
        with pytest.raises((DatasetError, ConfigError)) as caught:
            open_(options, **files).check()
        return str(caught.value).replace(str(folder), "HERE").splitlines()

    return refused
