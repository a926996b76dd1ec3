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


def told(folder: Any) -> list[str]:
    return [notice.message for notice in run(folder.root).run.notices if notice.code == "executions_failed"]


def test_the_error_that_most_of_them_had_is_told_with_its_first_case(echo: Callable[..., Any]) -> None:
    assert told(echo(5, app=FALLIBLE)) == [
        "3 of 5 executions failed, most often (2), first in case 'c3': ValueError: the model said no; "
        "oloproof inspect --failures shows each"
    ]


def test_one_error_of_all_is_told_without_how_often(echo: Callable[..., Any]) -> None:
    assert told(echo(2, app=FALLIBLE)) == [
        "1 of 2 executions failed, first in case 'c1': KeyError: 'prompt'; oloproof inspect --failures shows each"
    ]


def test_nothing_is_told_where_none_failed(echo: Callable[..., Any]) -> None:
    assert told(echo(1, app=FALLIBLE)) == []
