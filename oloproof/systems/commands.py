"""A program as the system: one process a trial, or workers that stay and answer a line a trial."""

from __future__ import annotations

import json
import os
import queue
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from oloproof.config.models import CommandOptions
from oloproof.errors import MediaError, SystemError_
from oloproof.records import Execution, Trial
from oloproof.systems.answers import answered, fault_words, medium_words, parse_json, shown
from oloproof.systems.base import AnswerError, Surroundings, System, failure
from oloproof.systems.decorator import Named
from oloproof.systems.processes import ProgramError, Programs, Worker

_GOODBYE = 1.0


def request_of(trial: Trial, folder: Path) -> bytes:
    """Return what a command or service is sent for ``trial``: one line of JSON in UTF-8."""
    request = {
        "id": trial.case.id,
        "input": trial.case.input,
        "variant": trial.variant,
        "repeat": trial.repeat,
        "out": str(folder),
    }
    return json.dumps(request, ensure_ascii=False).encode("utf-8", "backslashreplace")  # half characters as escapes


def parse_answer(data: bytes) -> Any:
    """Return the JSON document in ``data``: the whole of it, or its last line when a program also printed others.

    Raises:
        AnswerError: neither is JSON.
    """
    for candidate in (data, data.strip().rpartition(b"\n")[2]):
        try:
            return parse_json(candidate)
        except ValueError as error:
            why = fault_words(error)
    instead = medium_words(data) or shown(data) + why
    raise AnswerError(f"expected one JSON object on standard output, found {instead}") from None


class CommandSystem(System):
    """Runs a list of arguments in the project's folder; ``{"run": [...], "keep": true}`` keeps its workers."""

    kind = "command"

    def __init__(self, options: CommandOptions, named: Named, identity: dict[str, Any], timeout: float | None) -> None:
        self.name, self.version = named.name, named.version
        self.identity = identity
        self.timeout = timeout
        self.keep = options.keep
        self.command = list(options.run)
        self._programs: Programs | None = None
        self._idle: queue.LifoQueue[Worker | None] = queue.LifoQueue()

    def open(self, surroundings: Surroundings, concurrency: int) -> None:
        """Find the program; places for workers are made, the workers themselves when first needed.

        Raises:
            SystemError_: there is no such program.
        """
        super().open(surroundings, concurrency)
        command = [_found(self.command[0], surroundings.root), *self.command[1:]]
        # a Python worker that forgets to flush would keep its answer, and both sides would wait for ever
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"} if self.keep else None
        self._programs = Programs(command, surroundings.root, environment)
        self._idle = queue.LifoQueue()
        for _ in range(concurrency):
            self._idle.put(None)

    def execute(self, trial: Trial) -> Execution:
        """Ask the program; a bad exit, odd answer or late one fails this execution only."""
        started = time.perf_counter()
        try:
            folder = self.surroundings.folder_of(trial)
            folder.mkdir(parents=True, exist_ok=True)
            answer = self._answer(request_of(trial, folder))
            return answered(answer, self.surroundings, time.perf_counter() - started)
        except (AnswerError, MediaError, OSError) as error:
            return failure(error, seconds=time.perf_counter() - started)

    def _answer(self, request: bytes) -> Any:
        if self._programs is None:
            raise ProgramError("not started: the system is not open")
        if self.keep:
            return self._ask_worker(request, self._programs)
        return parse_answer(self._programs.run_once(request, self.timeout))

    def _ask_worker(self, request: bytes, programs: Programs) -> Any:
        """Ask a worker. One that failed in any way is ended: its next line might answer the trial before."""
        worker = self._idle.get()
        try:
            if worker is not None and not worker.ready:
                worker.close()
                worker = None
            if worker is None:
                worker = Worker(programs)
            return _object_in(worker.ask(request, self.timeout))
        except BaseException:
            if worker is not None:
                worker.close()
            worker = None
            raise
        finally:
            self._idle.put(worker)

    def close(self) -> None:
        """End the workers: told first, given a moment together, then killed with all else that still runs."""
        workers = []
        while not self._idle.empty():
            if (worker := self._idle.get()) is not None:
                worker.hang_up()
                workers.append(worker)
        deadline = time.monotonic() + _GOODBYE
        for worker in workers:
            worker.close(max(0.0, deadline - time.monotonic()))
        if self._programs is not None:
            self._programs.close()


def _object_in(line: bytes) -> dict[str, Any]:
    """Return the JSON object that a worker's line holds.

    Raises:
        AnswerError: it holds something else, so what the worker says next cannot be trusted to fit its trial.
    """
    why = ""
    try:
        answer = parse_json(line)
    except ValueError as error:
        answer, why = None, fault_words(error)
    if not isinstance(answer, dict):
        raise AnswerError(
            f"the worker wrote {shown(line)}{why} where a line with one JSON object was expected; "
            "let it print everything else to standard error"
        )
    return answer


def _found(program: str, root: Path) -> str:
    """Return the path of ``program``: looked up on PATH, or under the project when it is given as a path.

    Raises:
        SystemError_: there is none, or it is not executable.
    """
    if "/" not in program:
        found = shutil.which(program)
        if found is None and program in ("python", "python3"):
            found = sys.executable
        if found is None:
            near = root / program
            hint = f"; write ./{program} for the one in the project" if near.is_file() else ""
            raise SystemError_(f"system.command: there is no program {program!r} on PATH{hint}")
        return found
    path = root / program
    if not path.is_file():
        raise SystemError_(f"system.command: there is no program {path}")
    if not os.access(path, os.X_OK):
        raise SystemError_(f"system.command: {path} is not executable; chmod +x it, or run it by its interpreter")
    return str(path)
