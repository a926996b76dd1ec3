"""``contains``."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError


@pytest.mark.parametrize(
    ("output", "expected", "options"),
    [
        ("Acme Retail Co.", "Acme", {}),
        ("Acme Retail", " Acme ", {}),
        ("cafe\u0301 noir", "café", {}),
        ("ACME", "acme", {"casefold": True}),
        ("Straße", "STRASSE", {"casefold": True}),
        ("concatenate", "cat", {}),
        ("a cat, concatenated", "cat", {"whole_words": True}),
        ("red and blue", ["blue", "red"], {}),
        ("axb a.b", "a.b", {}),
    ],
)
def test_a_text_that_stands_there_passes(check: Any, output: str, expected: Any, options: dict[str, Any]) -> None:
    assert check("contains", output, expected, **options).outcome == "pass"


@pytest.mark.parametrize(
    ("output", "expected", "options"),
    [
        ("ACME", "acme", {}),
        ("axb", "a.b", {}),
        ("concatenate cats cat_1", "cat", {"whole_words": True}),
        ("red and green", ["blue", "red"], {}),
    ],
)
def test_a_text_that_does_not_stand_there_fails(
    check: Any, output: str, expected: Any, options: dict[str, Any]
) -> None:
    verdict = check("contains", output, expected, **options)
    assert verdict.outcome == "fail"
    assert "does not contain" in verdict.reason


def test_of_several_texts_only_the_absent_ones_are_told(check: Any) -> None:
    assert check("contains", "red", text=["red", "blue"]).reason == "output does not contain 'blue': 'red'"


@pytest.mark.parametrize("text", ["", "  ", [], ["a", ""]])
def test_an_empty_text_is_refused_because_it_would_always_pass(check: Any, text: Any) -> None:
    with pytest.raises(ValidationError, match="would always pass"):
        check("contains", "x", text=text)


@pytest.mark.parametrize(
    ("expected", "told"), [("", "empty"), (["a", " "], "empty"), (3, "a number"), (None, "no expected")]
)
def test_a_case_that_expects_nothing_usable_is_missing(check: Any, expected: Any, told: str) -> None:
    verdict = check("contains", "anything", expected)
    assert verdict.outcome == "missing"
    assert told in verdict.reason


def test_an_output_that_is_no_text_fails(check: Any) -> None:
    assert check("contains", 12, "1").reason == "output is a number, 12, where text is needed"
    assert check("contains", {"a": "x"}, "x", field="b").reason.startswith("output has no field b")


def test_text_and_expected_field_exclude_each_other(check: Any) -> None:
    with pytest.raises(ValidationError, match="not both"):
        check("contains", "x", text="x", expected_field="a")


def test_an_empty_list_is_refused_in_words_of_its_own(check: Any) -> None:
    with pytest.raises(ValidationError, match="an empty list asks for nothing"):
        check("contains", "x", text=[])
