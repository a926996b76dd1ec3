"""A Python callable as the system: sync or async, with a time limit, its failures kept to its own case."""

from __future__ import annotations

import inspect
import threading
import time
from collections.abc import Awaitable, Callable
from contextvars import Context, copy_context
from typing import Any

from oloproof.config.importing import remember_loaded
from oloproof.errors import MediaDrift, ToolMissing
from oloproof.records import Execution, Trial
from oloproof.systems.answers import as_json
from oloproof.systems.base import AnswerError, System, failure, users_traceback
from oloproof.systems.context import CurrentCase, enter
from oloproof.systems.decorator import Named
from oloproof.systems.loops import SharedLoop, TimeLimit


class CallableSystem(System):
    """Calls ``function(case.input)``. What is awaitable runs on one event loop, all trials of a run on the same."""

    kind = "callable"

    def __init__(
        self, function: Callable[[Any], Any], named: Named, identity: dict[str, Any], timeout: float | None
    ) -> None:
        self.name, self.version = named.name, named.version
        self.function = function
        self.identity = identity
        self.timeout = timeout
        self.is_async = _is_async(function)
        self._loop = SharedLoop()

    def execute(self, trial: Trial) -> Execution:
        """Call the function for ``trial``; what it raises, of whatever kind, fails this execution only.

        Raises:
            MediaDrift: the function read a recorded file whose bytes changed; stops the run.
            ToolMissing: it needs ffmpeg, which is not installed; stops the run.
            KeyboardInterrupt: as for every code that runs.
        """
        case = CurrentCase(trial, self.surroundings.folder_of)
        started = time.perf_counter()
        try:
            output = as_json(self._answer(case))
            return Execution(output=output, media=tuple(case.recorded), seconds=time.perf_counter() - started)
        except MediaDrift as error:
            raise MediaDrift(
                f"case {case.id!r}: {error}", path=error.path, recorded=error.recorded, found=error.found
            ) from None
        except (ToolMissing, KeyboardInterrupt):
            raise
        except BaseException as error:  # noqa: BLE001 - also SystemExit, CancelledError and what libraries derive
            detail = None if isinstance(error, AnswerError) else users_traceback(error)
            return failure(error, seconds=time.perf_counter() - started, detail=detail)

    def _answer(self, case: CurrentCase) -> Any:
        """Return what the function gives, called in a context of its own in which ``case`` is the current one."""
        deadline = None if self.timeout is None else time.monotonic() + self.timeout
        context = copy_context()
        context.run(enter, case)
        if self.timeout is None or self.is_async:
            answer = context.run(self.function, case.input)
        else:
            answer = _call_within(self.timeout, context, self.function, case.input)
        return self._awaited(answer, context, deadline) if inspect.isawaitable(answer) else answer

    def _awaited(self, answer: Awaitable[Any], context: Context, deadline: float | None) -> Any:
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        try:
            return self._loop.result(answer, context=context, timeout=left)
        except TimeLimit:
            raise _too_late(self.timeout) from None

    def close(self) -> None:
        """Stop the event loop, cancelling what still runs on it."""
        self._loop.close()
        surroundings = getattr(self, "surroundings", None)  # a plan that was refused is closed without being opened
        if surroundings is not None:
            remember_loaded(surroundings.root)


def _is_async(function: Any) -> bool:
    method = inspect.getattr_static(type(function), "__call__", None)
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(method)


def _call_within(limit: float, context: Context, function: Callable[[Any], Any], value: Any) -> Any:
    """Return ``function(value)`` if it answers in time. Python cannot stop a thread: a late one is left behind."""
    answer: list[Any] = []
    error: list[BaseException] = []

    def work() -> None:
        try:
            answer.append(context.run(function, value))
        except BaseException as raised:  # noqa: BLE001 - handed over to the caller's thread
            error.append(raised)

    thread = threading.Thread(target=work, name="oloproof-call", daemon=True)
    thread.start()
    thread.join(limit)
    if error:
        raise error[0]
    if not answer:
        raise _too_late(limit)
    return answer[0]


def _too_late(limit: float | None) -> AnswerError:
    return AnswerError(f"no answer within {limit:g} s (timeout:)")
