"""What a run says of executions that failed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from oloproof.running import run

FALLIBLE = """\
def answer(case):
    if case["n"] == 1:
        raise KeyError("prompt")
    if case["n"] > 2:
        raise ValueError("the model said no")
    return {"answer": case["n"] * 2}
"""


SMALL = """\
from oloproof import evaluator


@evaluator
def small(output):
    return output["size"] < 3
"""


def told(folder: Any, code: str = "executions_failed") -> list[str]:
    return [notice.message for notice in run(folder.root).run.notices if notice.code == code]


def test_the_error_that_most_of_them_had_is_told_with_its_first_case(echo: Callable[..., Any]) -> None:
    assert told(echo(5, app=FALLIBLE)) == [
        "3 of 5 executions failed, most often (2), first in case 'c3': ValueError: the model said no; "
        "oloproof inspect --failures shows each"
    ]


def test_one_error_of_all_is_told_without_how_often(echo: Callable[..., Any]) -> None:
    assert told(echo(2, app=FALLIBLE)) == [
        "1 of 2 executions failed, first in case 'c1': KeyError: 'prompt'; oloproof inspect --failures shows each"
    ]


def test_the_variant_that_failed_is_told_too(echo: Callable[..., Any]) -> None:
    """The original of that case was answered, so its name alone would lead to nothing."""
    app = "def answer(case):\n    return {'answer': case['note'].upper()}\n"
    folder = echo(0, app=app, more="variants: [{text_only: note}]\n")
    folder.write("note.txt", "a file")
    folder.cases([{"id": f"c{n}", "input": {"note": "note.txt"}, "expected": {"answer": 0}} for n in (0, 1)])
    assert told(folder) == [
        "2 of 4 executions failed, first in case 'c0', variant text_only: AttributeError: 'NoneType' object has no "
        "attribute 'upper'; oloproof inspect --failures shows each"
    ]


def test_nothing_is_told_where_none_failed(echo: Callable[..., Any]) -> None:
    assert told(echo(1, app=FALLIBLE)) == []


def test_why_a_check_gave_no_verdict_is_told_with_its_first_case(echo: Callable[..., Any]) -> None:
    folder = echo(3)
    folder.write("checks.py", SMALL)
    project = (folder.root / "oloproof.yaml").read_text()
    entry = "evaluators:\n  - {type: custom, criterion: small, callable: checks:small}\n"
    folder.write("oloproof.yaml", project.replace("evaluators:\n", entry))
    assert told(folder, "verdicts_missing") == [
        "small: 3 verdicts are missing or invalid, first in case 'c0': KeyError: 'size'; "
        "oloproof inspect --failures shows each"
    ]


def test_a_check_that_has_nothing_to_say_of_some_cases_is_no_warning(echo: Callable[..., Any]) -> None:
    folder = echo(3)
    folder.write("checks.py", SMALL.replace('output["size"] < 3', 'output["answer"] < 3 or output["size"]'))
    project = (folder.root / "oloproof.yaml").read_text()
    entry = "evaluators:\n  - {type: custom, criterion: small, callable: checks:small}\n"
    folder.write("oloproof.yaml", project.replace("evaluators:\n", entry))
    assert told(folder, "verdicts_missing") == []
