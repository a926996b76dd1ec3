"""``regex``."""

from __future__ import annotations

import time
from typing import Any

import pytest
from pydantic import ValidationError


@pytest.mark.parametrize(
    ("output", "options", "outcome"),
    [
        ("2026-03-14", {"pattern": r"^\d{4}-\d{2}-\d{2}$"}, "pass"),
        ("on 2026-03-14.", {"pattern": r"\d{4}-\d{2}-\d{2}", "full_match": True}, "fail"),
        ("inv", {"pattern": "INV"}, "fail"),
        ("inv", {"pattern": "(?i)INV"}, "pass"),
        ("a\nb", {"pattern": "a.b"}, "fail"),
        ("Ärger", {"pattern": r"^\p{Lu}"}, "pass"),
        ("as an AI", {"pattern": "AI", "pass_if": "no_match"}, "fail"),
        ("a bus", {"pattern": "AI", "pass_if": "no_match"}, "pass"),
        ("", {"pattern": "^$"}, "pass"),
    ],
)
def test_a_pattern_is_found_or_not(check: Any, output: str, options: dict[str, Any], outcome: str) -> None:
    assert check("regex", output, **options).outcome == outcome


def test_the_reason_names_what_was_found_and_where(check: Any) -> None:
    assert check("regex", "a red bus", pattern="b.s").reason == "found 'bus' at character 6"


def test_a_pattern_that_is_found_and_does_not_cover_the_whole_is_said_to_do_just_that(check: Any) -> None:
    found = check("regex", "on 2026-03-14.", pattern=r"\d{4}-\d{2}-\d{2}", full_match=True)
    assert found.reason == r"'\d{4}-\d{2}-\d{2}' does not cover the whole of 'on 2026-03-14.'"


@pytest.mark.parametrize("pass_if", ["match", "no_match"])
def test_an_output_that_is_no_text_fails_either_way(check: Any, pass_if: str) -> None:
    assert check("regex", None, pattern="x", pass_if=pass_if).outcome == "fail"
    assert check("regex", {"a": "y"}, pattern="x", field="b", pass_if=pass_if).outcome == "fail"


def test_a_pattern_that_does_not_compile_is_refused_with_its_position(check: Any) -> None:
    with pytest.raises(ValidationError, match=r"'a\(b' is no pattern at position 3: missing \)"):
        check("regex", "x", pattern="a(b")


def test_a_search_without_end_is_stopped_and_measured_nothing(check: Any) -> None:
    started = time.monotonic()
    verdict = check("regex", "a" * 5000 + "!", pattern=r"^(a|a|aa)+$", timeout=0.2)
    assert verdict.outcome == "missing"
    assert verdict.details == {"code": "timeout"}
    assert "did not end within 0.2 s" in verdict.reason
    assert time.monotonic() - started < 5
