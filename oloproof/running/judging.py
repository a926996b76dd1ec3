"""One execution before all evaluators: who may judge it, and what an evaluator's own failure means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from oloproof.errors import MediaDrift, MediaMissing, ToolMissing
from oloproof.evaluators import Evaluator, Subject
from oloproof.records import Verdict
from oloproof.systems.loops import SharedLoop


class Bench:
    """The evaluators of a run in their order. Async ones run on one loop of their own; called from any thread."""

    def __init__(self, evaluators: Sequence[Evaluator[Any]]) -> None:
        self.evaluators = tuple(evaluators)
        self._after_error = [evaluator.options.on_execution_error for evaluator in evaluators]
        self._loop = SharedLoop()

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
                verdict = self._loop.result(verdict)
        except MediaDrift as error:
            raise error.of_case(subject.case.id) from None
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

    def close(self) -> None:
        """Stop the loop, if one was needed."""
        self._loop.close()
