"""``exact_match``."""

from __future__ import annotations

import copy
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oloproof.evaluators import Subject, builtin_registry
from oloproof.media import MediaReader
from oloproof.records import Case, Execution

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("a", " a\n"),
        ("cafe\u0301", "café"),
        ("\ufeffA", "A"),
        (1, 1.0),
        ("", " "),
        ({"a": [1, None]}, {"a": [1.0, None]}),
        ("A\u200b", "A"),
        (10**30, 10**30),
    ],
)
def test_values_that_are_the_same_pass(check: Any, output: Any, expected: Any) -> None:
    assert check("exact_match", output, expected).outcome == "pass"


@pytest.mark.parametrize(
    ("output", "expected", "told"),
    [
        ("A.", "A", "output is 'A.', expected 'A'"),
        ("a", "A", "output is 'a', expected 'A'"),
        ("A B", "A  B", "expected 'A  B'"),
        ("1", 1, "output is text, '1'; expected a number, 1"),
        (True, 1, "output is true or false, True; expected a number, 1"),
        (0, False, "expected true or false"),
        (None, "None", "output is null, None; expected text"),
        ([1, 2], [1], "output is a list of 2, expected 1"),
        ({"a": 1, "b": 2}, {"a": 1}, "output has b, which is not expected"),
        ({"a": 1}, {"a": 1, "b": None}, "output has no b"),
        ({"lines": [{"total": 3}]}, {"lines": [{"total": 4}]}, "output.lines.0.total is 3, expected 4"),
        ([True], [1], "output.0 is true or false"),
        (9007199254740993, 9007199254740992.0, "expected 9007199254740992.0"),
    ],
)
def test_values_that_differ_fail_and_the_first_difference_is_told(
    check: Any, output: Any, expected: Any, told: str
) -> None:
    verdict = check("exact_match", output, expected)
    assert verdict.outcome == "fail"
    assert told in verdict.reason


def test_case_and_edges_count_only_where_asked(check: Any) -> None:
    assert check("exact_match", "STRASSE", "straße", casefold=True).outcome == "pass"
    assert check("exact_match", ["Ab"], ["aB"], casefold=True).outcome == "pass"
    assert check("exact_match", " a", "a", strip=False).outcome == "fail"


def test_a_field_that_the_output_lacks_fails_and_one_that_the_case_lacks_is_missing(check: Any) -> None:
    assert check("exact_match", {"caption": "x"}, "x", field="answer").outcome == "fail"
    assert check("exact_match", "x", {"a": "x"}, expected_field="b").outcome == "missing"
    assert check("exact_match", "x", None).outcome == "missing"
    assert check("exact_match", None, {"a": None}, expected_field="a").outcome == "pass"


@settings(deadline=None)  # the machine may be busy
@given(JSON)
def test_every_value_is_itself_and_only_fails_against_another_kind(value: Any) -> None:
    evaluator = _evaluator()
    verdict = evaluator.evaluate(Subject(Case("1", {}, {"v": value}), Execution({"v": copy.deepcopy(value)}), READER))
    assert verdict.outcome == "pass"
    verdict = evaluator.evaluate(Subject(Case("1", {}, {"v": value}), Execution({"v": [value, 0]}), READER))
    assert verdict.outcome == "fail"


READER = MediaReader.__new__(MediaReader)


def _evaluator() -> Any:
    registry = builtin_registry()
    options = registry.options()["exact_match"].model_validate({"type": "exact_match", "criterion": "c"})
    return registry.build(options, None)  # type: ignore[arg-type]


def test_ten_thousand_plain_comparisons_take_no_time_to_speak_of() -> None:
    evaluator = _evaluator()
    subject = Subject(Case("1", {}, "a red bus"), Execution("a red bus"), READER)
    started = time.process_time()
    for _ in range(10_000):
        evaluator.evaluate(subject)
    assert time.process_time() - started < 0.1
