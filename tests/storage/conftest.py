"""A database in a temporary project, and short ways to make runs, trials and executions."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from oloproof.records import Case, Execution, Judgement, MediaItem, Trial, Verdict
from oloproof.storage import Entry, History, NewRun, OpenRun, Store

CRITERIA = [{"criterion": "checked", "calls_model": False}, {"criterion": "seen", "calls_model": False}]
PASSED = Verdict.passed("ok")


def item(name: str = "a.png", **more: Any) -> MediaItem:
    facts: dict[str, Any] = {"seed": 1, "ü": [None, 0.5]}
    values: dict[str, Any] = {
        "id": "", "role": "output", "kind": "image", "name": name, "path": f"out/{name}", "given": f"/x/{name}",
        "format": "png", "media_type": "image/png", "size": 3,
        "sha256": hashlib.sha256(ascii(name).encode()).hexdigest(),
        "width": 1, "height": 2, "duration": None, "identity": (1, 2**62, 3, 4, 5), "facts": facts, **more,
    }  # fmt: skip
    return MediaItem(**values)


def entry(
    index: int, output: Any = "answer", *, key: bytes | None = None, case: str | None = None, reused: int | None = None,
    verdicts: tuple[Verdict, ...] = (PASSED, PASSED), expected: Any = None, slice_: Any = None, input_: str = '"x"',
    repeat: int = 0, variant: str = "original", **execution: Any,
) -> Entry:  # fmt: skip
    trial = Trial(index, Case(case or f"c{index}", "x", expected, slice_ or {}), variant, repeat)
    made = Execution(output=None if "error" in execution else output, **{"seconds": 0.5, **execution})
    return Entry(trial, key or b"key %d" % index, input_, made, [Judgement((one,)) for one in verdicts], reused)


class Base:
    """A store with its history; ``begin()`` makes runs called run-0001, run-0002, …"""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = Store(root)
        self.history = History(self.store)
        self._numbers = itertools.count(1)

    def begin(self, name: str | None = None, **values: Any) -> OpenRun:
        given: dict[str, Any] = {
            "id": name or f"run-{next(self._numbers):04d}", "project": "p", "system_name": "s", "system_version": "v1",
            "config_digest": "c", "dataset_digest": "d", "partial": False, "cases": 2, "trials": 2,
            "document": {"evaluators": CRITERIA}, **values,
        }  # fmt: skip
        return self.store.begin(NewRun(**given))

    def complete(self, *entries: Entry, name: str | None = None) -> OpenRun:
        run = self.begin(name)
        self.store.append(run, entries)
        self.store.finish(run, "complete")
        return run

    def again(self) -> Base:
        """Open the same database anew."""
        self.store.close()
        return Base(self.root)


@pytest.fixture
def base(tmp_path: Path) -> Iterator[Base]:
    made = Base(tmp_path)
    yield made
    made.store.close()


@pytest.fixture
def reopened(base: Base) -> Iterator[Callable[[], Base]]:
    """Close the database and open it again, as often as a test likes."""
    opened: list[Base] = []

    def again() -> Base:
        base.store.close()
        opened.append(Base(base.root))
        return opened[-1]

    yield again
    for one in opened:
        one.store.close()
