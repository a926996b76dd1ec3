"""One execution before all evaluators."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, Literal

import pytest

from oloproof.config import EvaluatorOptions
from oloproof.errors import MediaDrift, MediaMissing, ToolMissing
from oloproof.evaluators import Evaluator, Subject
from oloproof.media import MediaReader
from oloproof.records import Case, Execution, Verdict
from oloproof.running.judging import Bench


class Options(EvaluatorOptions):
    type: Literal["scripted"] = "scripted"


class Scripted(Evaluator[Options]):
    """Does what the test says."""

    type = "scripted"
    Options = Options

    def __init__(self, act: Any, after: Literal["missing", "fail"] = "missing") -> None:
        super().__init__(Options(criterion="scripted", on_execution_error=after), Path())
        self._act = act

    def evaluate(self, subject: Subject) -> Verdict | Awaitable[Verdict]:
        done: Verdict | Awaitable[Verdict] = self._act()
        return done


def raising(error: BaseException) -> Any:
    def act() -> Verdict:
        raise error

    return act


def verdicts(*evaluators: Scripted, execution: Execution | None = None) -> list[Verdict]:
    bench = Bench(evaluators)
    try:
        return bench.verdicts(Subject(Case("a", 1), execution or Execution(output=1), MediaReader(Path())))
    finally:
        bench.close()


def test_an_evaluator_that_breaks_has_not_measured_and_the_others_go_on() -> None:
    found = verdicts(Scripted(raising(ZeroDivisionError("by zero"))), Scripted(lambda: Verdict.passed("fine")))
    assert [verdict.outcome for verdict in found] == ["missing", "pass"]
    assert "ZeroDivisionError: by zero" in found[0].reason
    assert found[0].details["code"] == "evaluator_error"


def test_a_file_that_is_gone_makes_the_verdict_missing_with_its_code() -> None:
    found = verdicts(Scripted(raising(MediaMissing("a.png is gone", code="media_gone"))))
    assert (found[0].outcome, found[0].details["code"]) == ("missing", "media_gone")


def test_a_changed_file_stops_everything_and_the_case_is_named() -> None:
    with pytest.raises(MediaDrift, match=r"case 'a': a\.png changed"):
        verdicts(Scripted(raising(MediaDrift("a.png changed", recorded="1", found="2"))))


def test_a_missing_tool_stops_everything_and_case_and_criterion_are_named() -> None:
    with pytest.raises(ToolMissing, match="case 'a', scripted: ffprobe"):
        verdicts(Scripted(raising(ToolMissing("ffprobe is not installed"))))


def test_async_evaluators_are_awaited() -> None:
    async def later() -> Verdict:
        await asyncio.sleep(0.01)
        return Verdict.failed("slow and sure", score=0.5)

    assert verdicts(Scripted(later))[0] == Verdict.failed("slow and sure", score=0.5)


@pytest.mark.parametrize("after", ["missing", "fail"])
def test_a_failed_execution_is_missing_or_fails_as_the_evaluator_says(after: Literal["missing", "fail"]) -> None:
    found = verdicts(Scripted(lambda: Verdict.passed(""), after), execution=Execution(error="ValueError: no"))
    assert found[0].outcome == after
    assert "ValueError: no" in found[0].reason
