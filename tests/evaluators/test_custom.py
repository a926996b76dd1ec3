"""``custom`` and ``@evaluator``."""

from __future__ import annotations

import asyncio
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oloproof.errors import EvaluatorError, MediaDrift, MediaMissing, ToolMissing
from oloproof.evaluators import Subject, evaluator
from oloproof.records import Case, Execution, MediaItem, Verdict

HEAD = "from oloproof import Verdict, evaluator, read_media\n"


@pytest.fixture
def returning(bench: Any) -> Any:
    """Judge with a function that returns, or raises, a value made in this process."""

    def judge(value: Any, decorator: str = "@evaluator", **options: Any) -> Verdict:
        body = "    if isinstance(output, BaseException):\n        raise output\n    return output\n"
        (bench.root / "checks.py").write_text(f"{HEAD}{decorator}\ndef given(output):\n{body}")
        return bench.judge(bench.evaluator("custom", callable="checks:given", **options), value)  # type: ignore[no-any-return]

    return judge


@pytest.mark.parametrize(
    ("value", "decorator", "outcome", "score"),
    [
        (True, "@evaluator", "pass", None),
        (np.False_, "@evaluator", "fail", None),
        (0.8, "@evaluator(pass_at=0.8)", "pass", 0.8),
        (np.float32(0.5), "@evaluator(pass_at=0.8)", "fail", 0.5),
        (Fraction(1, 2), "@evaluator(pass_at=0.1)", "pass", 0.5),
        (3, "@evaluator(pass_at=2, score_range=(0, 5))", "pass", 3.0),
        (2.5, "@evaluator(score_range=(0, 5))", "pass", 2.5),
        (False, "@evaluator(score_range=(0, 1))", "fail", 0.0),
        (Verdict("fail", "3 of 4", score=0.25, details={"n": 4}), "@evaluator", "fail", 0.25),
        (Verdict.missing("not today"), "@evaluator", "missing", None),
    ],
)
def test_what_a_function_returns_becomes_a_verdict(
    returning: Any, value: Any, decorator: str, outcome: str, score: float | None
) -> None:
    verdict = returning(value, decorator)
    assert (verdict.outcome, verdict.score) == (outcome, score)


@pytest.mark.parametrize(
    ("value", "decorator", "told"),
    [
        (None, "@evaluator", "given returned None; return True or False, a number or a Verdict"),
        ("yes", "@evaluator", "given returned 'yes'"),
        ([True], "@evaluator", "given returned"),
        (np.array([1, 2]), "@evaluator(pass_at=1)", "given returned"),
        (0.4, "@evaluator", "nobody said what a number means"),
        (math.nan, "@evaluator(pass_at=1)", "nan, which is no finite number"),
        (10**400, "@evaluator(pass_at=1)", "inf, which is no finite number"),
        (1.5, "@evaluator(score_range=(0, 1))", "1.5, outside its score_range of 0 to 1"),
        (Verdict("good", "x"), "@evaluator", "the outcome 'good'"),  # type: ignore[arg-type]
        (Verdict("pass", "x", score=math.inf), "@evaluator", "score inf"),
        (Verdict("pass", "x", score="1"), "@evaluator", "score '1'"),  # type: ignore[arg-type]
        (Verdict("pass", "x", details={"a": object()}), "@evaluator", "details are no JSON"),
        (Verdict("pass", "x"), "@evaluator(score_range=(0, 1))", "without a score"),
    ],
)
def test_what_cannot_be_used_is_invalid_and_named(returning: Any, value: Any, decorator: str, told: str) -> None:
    verdict = returning(value, decorator)
    assert verdict.outcome == "invalid"
    assert told in verdict.reason


def test_a_function_that_raises_measured_nothing(returning: Any) -> None:
    verdict = returning(TypeError("no\nway"))
    assert (verdict.outcome, verdict.reason) == ("missing", "TypeError: no way")
    assert "checks.py" in verdict.details["traceback"]
    assert len(returning(ValueError("x" * 10**6)).details["traceback"]) <= 4000
    assert returning(SystemExit(2)).outcome == "missing"
    assert returning(MediaMissing("it is gone", code="media_gone")).details == {"code": "media_gone"}


@pytest.mark.parametrize("error", [MediaDrift("changed"), ToolMissing("no ffprobe")])
def test_what_must_stop_the_run_does_also_when_it_was_wrapped(returning: Any, error: Exception) -> None:
    with pytest.raises(type(error)):
        returning(error)
    wrapped = RuntimeError("while checking")
    wrapped.__cause__ = error
    with pytest.raises(type(error)):
        returning(wrapped)
    with pytest.raises(type(error)):
        returning(ExceptionGroup("several", [ValueError(), error]))


def test_an_interrupt_is_never_swallowed(returning: Any) -> None:
    with pytest.raises(KeyboardInterrupt):
        returning(KeyboardInterrupt())


def test_a_function_gets_what_it_names_and_may_read_the_media(bench: Any) -> None:
    (bench.root / "checks.py").write_text(
        HEAD + "@evaluator\ndef big(media, *, minimum):\n"
        "    return all(len(read_media(item)) >= minimum for item in media)\n"
        "@evaluator(pass_at=1)\nasync def roles(case, media, output, **more):\n"
        "    return len({item.role for item in media}) * len(read_media(media[0])) * more['factor']\n"
    )
    media = bench.media("input a.png png 64x64", "b.png png 64x64")
    assert (
        bench.judge(bench.evaluator("custom", callable="checks:big", params={"minimum": 10}), media=media).outcome
        == "pass"
    )
    subject = bench.evaluator("custom", callable="checks:roles", params={"factor": 1})
    assert bench.judge(subject, media=media).score == 2 * media[0].size
    assert subject.reads_media


def test_a_file_that_changed_stops_the_run_and_one_that_is_gone_is_missing(bench: Any) -> None:
    (bench.root / "checks.py").write_text(
        HEAD + "@evaluator\nasync def seen(media):\n    return bool(read_media(media[0]))\n"
        "@evaluator\ndef seen_now(media):\n    return bool(read_media(media[0]))\n"
    )
    media = bench.media("a.png png 64x64")
    (bench.root / "a.png").write_bytes(b"something else")
    for name in ("seen", "seen_now"):
        with pytest.raises(MediaDrift):
            bench.judge(bench.evaluator("custom", callable=f"checks:{name}"), media=media)
    (bench.root / "a.png").unlink()
    for name in ("seen", "seen_now"):
        assert (
            bench.judge(bench.evaluator("custom", callable=f"checks:{name}"), media=media).details["code"]
            == "media_gone"
        )


@pytest.mark.parametrize(
    ("source", "options", "told"),
    [
        ("@evaluator\ndef f(output, *, limit): ...", {}, "needs params: limit"),
        ("@evaluator\ndef f(output, *, limit=1): ...", {"params": {"limt": 2}}, "takes no limt; its params are limit"),
        ("@evaluator\ndef f(output): ...", {"params": {"output": 2}}, "is given output by itself"),
        ("@evaluator\ndef f(output, /): ...", {}, "only by position"),
        ("def f(output): ...", {}, "is not an evaluator; put @evaluator above it"),
        ("@evaluator(criterion='other')\ndef f(output): ...", {}, "declared for the criterion other, not checked"),
        ("@evaluator(score_range=(0, 1))\ndef f(output): ...", {"pass_at": 2.0}, "cannot pass at 2, outside"),
        ("@evaluator\ndef g(output): ...", {}, "checks has no f; there is .*\\bg\\b"),
        ("@evaluator(pass_at=3, score_range=(0, 1))\ndef f(output): ...", {}, "pass_at 3 is outside score_range"),
    ],
)
def test_what_cannot_work_is_found_before_the_run(bench: Any, source: str, options: dict[str, Any], told: str) -> None:
    (bench.root / "checks.py").write_text(HEAD + source)
    with pytest.raises(EvaluatorError, match=told):
        bench.evaluator("custom", callable="checks:f", **options)


def test_checking_a_project_file_imports_nothing(bench: Any) -> None:
    bench.evaluator("custom", prepare=False, callable="not_there:f")


def test_the_decorator_leaves_the_function_as_it_is_and_its_words_reach_the_run(bench: Any) -> None:
    @evaluator(version="3", calls_model=True, score_range=(0, 10))
    def graded(output: str) -> float:
        return len(output)

    assert graded("abc") == 3
    (bench.root / "checks.py").write_text(
        HEAD
        + "@evaluator(version='3', calls_model=True, score_range=(0, 10))\ndef graded(output): return len(output)\n"
        "@evaluator\ndef yes(output): return True\n"
    )
    judge = bench.evaluator("custom", callable="checks:graded")
    assert (judge.calls_model, judge.identity["version"]) == (True, "3")
    [shape] = judge.criteria
    assert (shape.name, shape.metric_kind, shape.score_range) == ("checked", "score", (0, 10))
    for settings in ({"callable": "checks:graded", "pass_at": 5.0}, {"callable": "checks:yes"}):
        assert [shape.metric_kind for shape in bench.evaluator("custom", **settings).criteria] == ["rate"]


def test_the_pass_mark_of_the_project_file_wins(returning: Any) -> None:
    assert returning(0.6, "@evaluator(pass_at=0.8)", pass_at=0.5).outcome == "pass"


def test_async_functions_run_side_by_side(bench: Any) -> None:
    (bench.root / "checks.py").write_text(
        HEAD + "import asyncio\n@evaluator\nasync def slow(output):\n    await asyncio.sleep(0.1)\n    return True\n"
    )
    subject = bench.evaluator("custom", callable="checks:slow")

    async def twenty() -> list[Verdict]:
        given = Subject(Case("1", {}), Execution(1), bench.reader)
        return await asyncio.wait_for(asyncio.gather(*(subject.evaluate(given) for _ in range(20))), 1.5)

    assert {verdict.outcome for verdict in asyncio.run(twenty())} == {"pass"}


def test_items_are_media_items(bench: Any, tmp_path: Path) -> None:
    assert all(isinstance(item, MediaItem) for item in bench.media("a.png png 8x8"))


@pytest.mark.parametrize(
    ("decorate", "told"),
    [
        (lambda: evaluator("blurred"), "@evaluator stands above a function, not 'blurred'"),  # type: ignore[type-var]
        (lambda: evaluator(pass_at=1)(3), "@evaluator stands above a function, not 3"),  # type: ignore[type-var]
        (lambda: evaluator(len), "@evaluator cannot mark <built-in function len>"),
        (lambda: evaluator(pass_at=[0.5]), r"pass_at is a number, not \[0.5\]"),  # type: ignore[call-overload]
        (lambda: evaluator(pass_at=True), "pass_at is a number, not True"),
        (lambda: evaluator(pass_at=math.nan), "pass_at is a number, not nan"),
        (lambda: evaluator(calls_model="no"), "calls_model is True or False, not 'no'"),  # type: ignore[call-overload]
    ],
)
def test_a_decorator_that_cannot_be_meant_is_refused_where_it_stands(decorate: Any, told: str) -> None:
    with pytest.raises(EvaluatorError, match=told):
        decorate()


def test_what_a_function_changes_of_what_it_is_given_stays_with_it(bench: Any) -> None:
    body = (
        "    case.input['q'] = case.expected['a'] = case.slice['s'] = 'changed'\n"
        "    output['a'] += '!'\n    words.append('more')\n"
        "    return output['a'] == 'Yes!' and words == ['one', 'more']\n"
    )
    (bench.root / "checks.py").write_text(f"{HEAD}@evaluator\ndef rude(case, output, words):\n{body}")
    custom = bench.evaluator("custom", callable="checks:rude", params={"words": ["one"]})
    case = Case("a", {"q": "?"}, {"a": "Yes"}, {"s": "de"})
    subject = Subject(case, Execution(output={"a": "Yes"}), bench.reader)
    assert [custom.evaluate(subject).outcome for _ in range(2)] == ["pass", "pass"]
    assert (case, subject.execution.output) == (Case("a", {"q": "?"}, {"a": "Yes"}, {"s": "de"}), {"a": "Yes"})
