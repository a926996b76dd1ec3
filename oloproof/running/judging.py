"""One execution before all evaluators: who may judge it, and what an evaluator's own failure means."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Sequence
from typing import Any

from oloproof.errors import MediaDrift, MediaMissing, ToolMissing
from oloproof.evaluators import Evaluator, Subject
from oloproof.records import Verdict


class Bench:
    """The evaluators of a run in their order. Async ones run on one loop of their own; called from any thread."""

    def __init__(self, evaluators: Sequence[Evaluator[Any]]) -> None:
        self.evaluators = tuple(evaluators)
        self._after_error = [evaluator.options.on_execution_error for evaluator in evaluators]
        self._loop: asyncio.AbstractEventLoop | None = None
        self._starting = threading.Lock()

    def verdicts(self, subject: Subject) -> list[Verdict]:
        """Return the verdict of every evaluator on one execution.

        Raises:
            MediaDrift: a recorded file changed; stops the run.
            ToolMissing: ffmpeg is needed and not installed; stops the run.
        """
        if subject.execution.failed:
            return [self._not_executed(after, subject.execution.error) for after in self._after_error]
        return [self._verdict(evaluator, subject) for evaluator in self.evaluators]

    @staticmethod
    def _not_executed(after: str, error: str | None) -> Verdict:
        reason = f"the system failed: {error}"
        return Verdict("fail" if after == "fail" else "missing", reason, details={"code": "execution_error"})

    def _verdict(self, evaluator: Evaluator[Any], subject: Subject) -> Verdict:
        try:
            verdict = evaluator.evaluate(subject)
            if not isinstance(verdict, Verdict):
                verdict = self._await(verdict)
        except MediaDrift as error:
            raise MediaDrift(
                f"case {subject.case.id!r}: {error}", path=error.path, recorded=error.recorded, found=error.found
            ) from None
        except ToolMissing as error:
            raise ToolMissing(f"case {subject.case.id!r}, {evaluator.criterion}: {error}") from None
        except MediaMissing as error:
            return Verdict.missing(str(error), code=error.code)
        except Exception as error:  # noqa: BLE001 - an evaluator that breaks has not measured, and the rest go on
            return Verdict.missing(
                f"{evaluator.criterion} could not evaluate this case: {type(error).__name__}: {error}",
                code="evaluator_error",
            )
        return verdict

    def _await(self, awaitable: Awaitable[Verdict]) -> Verdict:
        async def wait() -> Verdict:
            return await awaitable

        return asyncio.run_coroutine_threadsafe(wait(), self._running_loop()).result()

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="oloproof-evaluators", daemon=True).start()
            return self._loop

    def close(self) -> None:
        """Stop the loop, if one was needed."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
