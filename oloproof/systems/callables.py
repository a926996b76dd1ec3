"""A Python callable as the system: sync or async, with a time limit, its failures kept to its own case."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Callable, Coroutine
from contextvars import copy_context
from typing import Any

from oloproof.records import Execution, Trial
from oloproof.systems.base import AnswerError, Surroundings, System, as_json, failure, users_traceback
from oloproof.systems.context import CurrentCase, enter, leave
from oloproof.systems.decorator import Named


class CallableSystem(System):
    """Calls ``function(case.input)``. Async functions run on one event loop, all trials of a run on the same."""

    kind = "callable"

    def __init__(
        self, function: Callable[[Any], Any], named: Named, identity: dict[str, Any], timeout: float | None
    ) -> None:
        self.name, self.version = named.name, named.version
        self.function = function
        self.identity = identity
        self.timeout = timeout
        self.is_async = _is_async(function)
        self._loop: asyncio.AbstractEventLoop | None = None

    def open(self, surroundings: Surroundings, concurrency: int) -> None:
        """Start the event loop if the function is async."""
        super().open(surroundings, concurrency)
        if self.is_async:
            loop = self._loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="oloproof-loop", daemon=True).start()

    def execute(self, trial: Trial) -> Execution:
        """Call the function for ``trial``; what it raises fails this execution only."""
        case = CurrentCase(trial, self.surroundings.folder_of)
        started = time.perf_counter()
        try:
            token = enter(case)
            try:
                output = as_json(self._call(trial.case.input))
            finally:
                leave(token)
        except (Exception, SystemExit, asyncio.CancelledError) as error:  # noqa: BLE001 - whatever it raises is its own failure
            detail = None if isinstance(error, AnswerError) else users_traceback(error)
            return failure(error, seconds=time.perf_counter() - started, detail=detail)
        return Execution(output=output, media=tuple(case.recorded), seconds=time.perf_counter() - started)

    def _call(self, value: Any) -> Any:
        if self._loop is not None:
            return self._await(self.function(value), self._loop)
        if self.timeout is not None:
            return _call_within(self.timeout, self.function, value)
        return self.function(value)

    def _await(self, coroutine: Coroutine[Any, Any, Any], loop: asyncio.AbstractEventLoop) -> Any:
        future = asyncio.run_coroutine_threadsafe(coroutine, loop)
        try:
            return future.result(self.timeout)
        except TimeoutError:
            if future.done():  # raised by the function itself
                raise
            future.cancel()
            raise AnswerError(f"no answer within {self.timeout:g} s (timeout:)") from None

    def close(self) -> None:
        """Stop the event loop."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)


def _is_async(function: Any) -> bool:
    method = inspect.getattr_static(type(function), "__call__", None)
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(method)


def _call_within(limit: float, function: Callable[[Any], Any], value: Any) -> Any:
    """Return ``function(value)`` if it answers in time. Python cannot stop a thread: a late one is left behind."""
    answer: list[Any] = []
    error: list[BaseException] = []
    context = copy_context()

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
        raise AnswerError(f"no answer within {limit:g} s (timeout:)")
    return answer[0]
