"""``numeric``."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError


@pytest.mark.parametrize(
    ("output", "expected", "options"),
    [
        (12, 12.0, {}),
        ("12.0", 12, {}),
        ("There are 12 items", "12", {}),
        ("1.234,50", "1,234.50", {}),
        ("12 is right, so 12", 12, {}),
        (0.1, "0.1", {}),
        ("9007199254740993", 9007199254740993, {}),
        ("page 3: 12", 12, {"which": "last"}),
        ("12 of 13", 12, {"which": "first"}),
        ("12.01", 12, {"tolerance": 0.01}),
        ("1.1", 1.0, {"tolerance": 0.1}),
        ("0.3", 0.2, {"tolerance": 0.1}),
        (101, 100, {"relative_tolerance": 0.01}),
        ("1.234", 1234, {"locale": "de"}),
        ("50%", 50, {}),
        ("50%", 0.5, {"percent": "fraction"}),
        (0.5, "50 percent", {"percent": "fraction"}),
        ("50 %", 50, {"unit": "%"}),
        ("50", "50%", {"unit": "%"}),
        ("in 2024 it was 5 kg", 5, {"unit": "kg"}),
        ("€12,50 incl. 2 bags", 12.5, {"unit": "EUR"}),
        ("1.5k", 1.5, {"unit": "k"}),
        ("3 Kilograms", 3, {"unit": "kilogram"}),
        ("(5)", -5, {"accounting": True}),
        ("£2bn", 2_000_000_000, {"magnitudes": True}),
        ("1/3", "1/3", {"fractions": True}),
        ("十二", 12, {"words": "cjk"}),
    ],
)
def test_the_expected_number_passes(check: Any, output: Any, expected: Any, options: dict[str, Any]) -> None:
    verdict = check("numeric", output, expected, **options)
    assert verdict.outcome == "pass", verdict.reason


@pytest.mark.parametrize(
    ("output", "expected", "options", "told"),
    [
        ("13", 12, {}, "13, expected 12; off by 1"),
        ("−12", 12, {}, "-12, expected 12"),
        (0.1 + 0.2, 0.3, {}, "0.30000000000000004, expected 0.3"),
        (9007199254740992.0, 9007199254740993, {}, "off by 1"),
        ("12.010000001", 12, {"tolerance": 0.01}, "expected 12 within 0.01"),
        ("50%", 0.5, {}, "50, expected 0.5"),
        ("5 lb", 5, {"unit": "kg"}, "is in lb, not in kg"),
        ("5 m/s", 5, {"unit": "m"}, "is in m"),
        ("$5", 5, {"unit": "EUR"}, "is in $, not in EUR"),
        ("abc", 12, {}, "no number in 'abc'"),
        ("twelve", 12, {}, "no number in 'twelve'"),
        ("INV-12", 12, {}, "no number"),
        (True, 1, {}, "output is true or false, True, where a finite number is needed"),
        (None, 12, {}, "output is null"),
        ([12], 12, {}, "output is a list"),
        (float("inf"), 12, {"tolerance": 1e300}, "inf, where a finite number is needed"),
        (float("nan"), 12, {}, "nan"),
        (10**400, 12, {}, "where a finite number is needed"),
        ("1,234", 1.234, {"locale": "en"}, "1234, expected 1.234"),
    ],
)
def test_another_number_fails_with_both_in_the_reason(
    check: Any, output: Any, expected: Any, options: dict[str, Any], told: str
) -> None:
    verdict = check("numeric", output, expected, **options)
    assert verdict.outcome == "fail", verdict.reason
    assert told in verdict.reason


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ("Between 3 and 5", "several numbers: 3, 5; say which: first or last"),
        ("3-5", "'3-5' is a range, not one number"),
        ("1/2", "set fractions: true"),
        ("1.5k", "set magnitudes: true, or unit: k"),
        ("minus 5", "set words: en"),
        ("1.2.3", "'1.2.3' is not one number"),
        ("1" * 400, "is out of range"),
    ],
)
def test_an_answer_that_would_have_to_be_guessed_is_invalid(check: Any, output: str, told: str) -> None:
    verdict = check("numeric", output, 5)
    assert verdict.outcome == "invalid"
    assert told in verdict.reason


def test_a_case_without_a_readable_number_is_missing(check: Any) -> None:
    assert check("numeric", "12", "abc").reason == "expected holds no number: 'abc'"
    assert check("numeric", "12", "3 or 4").outcome == "missing"
    assert check("numeric", "12", None).outcome == "missing"
    assert check("numeric", "12", True).outcome == "missing"
    assert check("numeric", "12", {"a": 12}, expected_field="b").outcome == "missing"


def test_details_hold_the_exact_numbers(check: Any) -> None:
    verdict = check("numeric", {"n": "1.5"}, {"n": 1}, field="n", expected_field="n")
    assert verdict.details == {"found": "1.5", "expected": "1", "difference": "0.5"}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"value": "abc"}, "value holds no number"),
        ({"value": True}, "value"),
        ({"value": 1, "expected_field": "a"}, "not both"),
        ({"tolerance": -1.0}, "greater than or equal to 0"),
        ({"tolerance": float("nan")}, "finite"),
        ({"tolerance": "1"}, "valid number"),
        ({"percent": "fraction", "unit": "percent"}, "0.5"),
        ({"words": ["xx"]}, "en"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(check: Any, options: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        check("numeric", "1", 1, **options)


def test_a_tolerance_in_percent_is_led_to_the_key_that_takes_a_share(folder: Any) -> None:
    """A tolerance is in the unit of the numbers: 0.01 in its place would be another rule."""
    folder.write("oloproof.yaml", PERCENT)
    told = folder.run("check").err
    assert "tolerance: expected a number, found the text '1%'; 1 % is relative_tolerance: 0.01" in told


PERCENT = """\
version: 1
project: p
dataset: cases.jsonl
system: {name: s, version: v1, command: [cat]}
evaluators: [{type: numeric, criterion: total, tolerance: 1%}]
"""
