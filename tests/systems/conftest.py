"""A project folder, systems opened in it, and one short way to ask them for a trial."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from oloproof.config.models import CommandOptions, HttpOptions
from oloproof.media import MediaReader, using_reader
from oloproof.records import Case, Execution, Trial
from oloproof.systems import Surroundings, System, trial_folder
from oloproof.systems.callables import CallableSystem
from oloproof.systems.commands import CommandSystem
from oloproof.systems.decorator import Named
from oloproof.systems.http import HttpSystem

NAMED = Named("tested", "v1", ())
PNG = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"
    b"\x00\x00\x00\rIDATx\x9cc\xf8\xff\xff?\x00\x05\xfe\x02\xfe\xa75\x81\x84\x00\x00\x00\x00IEND\xaeB`\x82"
)


def make_trial(
    given: Any = "x", *, case: str = "c1", index: int = 0, variant: str = "original", repeat: int = 0
) -> Trial:
    return Trial(index, Case(case, given), variant, repeat)


class Opened:
    """A system in a project folder: ``ask(input)`` is one trial."""

    def __init__(self, system: System, root: Path, media_roots: tuple[Path, ...], concurrency: int) -> None:
        self.system, self.root = system, root
        self.reader = MediaReader(root)
        system.open(Surroundings(root, media_roots, self.reader, self.folder_of), concurrency)

    def folder_of(self, trial: Trial) -> Path:
        return trial_folder(self.root / "out", self.system.name, self.system.version, "run1", trial)

    def ask(self, given: Any = "x", **trial: Any) -> Execution:
        with using_reader(self.reader):
            return self.system.execute(make_trial(given, **trial))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def opened(root: Path) -> Iterator[Callable[..., Opened]]:
    """Open a function, a list of arguments or an address as a system; all are closed at the end."""
    systems: list[System] = []

    def make(
        what: Any,
        *,
        timeout: float | None = None,
        keep: bool = False,
        headers: dict[str, str] | None = None,
        media_roots: tuple[Path, ...] = (),
        concurrency: int = 4,
    ) -> Opened:
        system: System
        if isinstance(what, str):
            system = HttpSystem(HttpOptions(url=what, headers_env=headers or {}), NAMED, {}, timeout)
        elif isinstance(what, list):
            system = CommandSystem(CommandOptions(run=what, keep=keep), NAMED, {}, timeout)
        else:
            system = CallableSystem(what, NAMED, {}, timeout)
        systems.append(system)
        return Opened(system, root, media_roots, concurrency)

    yield make
    for system in systems:
        system.close()


@pytest.fixture
def program(root: Path) -> Callable[[str], list[str]]:
    """Write a Python program into the project; it finds ``json``, ``sys``, ``os`` and ``time`` imported."""

    def write(body: str, name: str = "program.py") -> list[str]:
        (root / name).write_text(f"import json, os, sys, time\n{body}\n")
        return [sys.executable, "-S", name]

    return write
