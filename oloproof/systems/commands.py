"""A program as the system: one process a trial, or workers that stay and answer a line a trial."""

from __future__ import annotations

import json
import queue
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from oloproof.config.models import CommandOptions
from oloproof.errors import MediaError, SystemError_
from oloproof.records import Execution, Trial
from oloproof.systems.base import AnswerError, Surroundings, System, answered, failure
from oloproof.systems.decorator import Named
from oloproof.systems.processes import ProgramError, Worker, run_once


def request_of(trial: Trial, folder: Path) -> dict[str, Any]:
    """Return what a command or service is sent for ``trial``."""
    return {
        "id": trial.case.id,
        "input": trial.case.input,
        "variant": trial.variant,
        "repeat": trial.repeat,
        "out": str(folder),
    }


def parse_answer(text: str) -> Any:
    """Return the JSON document in ``text``: the whole of it, or its last line when a program also printed others.

    Raises:
        AnswerError: neither is JSON.
    """
    for candidate in (text, text.strip().rpartition("\n")[2]):
        try:
            return json.loads(candidate, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            continue
    shown = text.strip()[:200] or "nothing"
    raise AnswerError(f"expected one JSON object on standard output, found {shown!r}")


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


class CommandSystem(System):
    """Runs a list of arguments in the project's folder; ``{"run": [...], "keep": true}`` keeps its workers."""

    kind = "command"

    def __init__(self, options: CommandOptions, named: Named, identity: dict[str, Any], timeout: float | None) -> None:
        self.name, self.version = named.name, named.version
        self.identity = identity
        self.timeout = timeout
        self.keep = options.keep
        self.command = list(options.run)
        self._idle: queue.LifoQueue[Worker | None] = queue.LifoQueue()

    def open(self, surroundings: Surroundings, concurrency: int) -> None:
        """Find the program; places for workers are made, the workers themselves when first needed."""
        super().open(surroundings, concurrency)
        program = self.command[0]
        if program in ("python", "python3") and shutil.which(program) is None:
            found: str | None = sys.executable
        elif "/" in program:
            found = shutil.which(str(surroundings.root / program))
        else:
            found = shutil.which(program)
        if found is None:
            raise SystemError_(
                f"system.command: there is no program {program!r} to run (looked on PATH and in {surroundings.root})"
            )
        self.command[0] = found
        for _ in range(concurrency):
            self._idle.put(None)

    def execute(self, trial: Trial) -> Execution:
        """Ask the program; a bad exit, odd answer or late one fails this execution only."""
        folder = self.surroundings.folder_of(trial)
        started = time.perf_counter()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            line = json.dumps(request_of(trial, folder), ensure_ascii=False)
            text = self._ask_worker(line) if self.keep else self._run(line)
            return answered(parse_answer(text), self.surroundings, time.perf_counter() - started)
        except (ProgramError, AnswerError, MediaError, OSError) as error:
            shown = AnswerError(str(error)) if isinstance(error, ProgramError) else error
            return failure(shown, seconds=time.perf_counter() - started)

    def _run(self, line: str) -> str:
        return run_once(self.command, line, cwd=self.surroundings.root, timeout=self.timeout)

    def _ask_worker(self, line: str) -> str:
        worker = self._idle.get()
        try:
            if worker is None or not worker.alive:
                worker = Worker(self.command, self.surroundings.root)
            return worker.ask(line, self.timeout)
        finally:
            self._idle.put(worker if worker is not None and worker.alive else None)

    def close(self) -> None:
        """End the workers."""
        while not self._idle.empty():
            worker = self._idle.get()
            if worker is not None:
                worker.close()
