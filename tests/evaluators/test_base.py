"""Reading fields of outputs and telling what is there instead."""

from __future__ import annotations

from typing import Any

import pytest

from oloproof.evaluators.base import MISSING_FIELD, expected_absent, field_absent, field_of, shorten
from oloproof.records import Case


@pytest.mark.parametrize(
    ("path", "found"),
    [(None, {"a": [1, {"b": 2}]}), ("a.1.b", 2), ("a.-2", 1), ("a.2", MISSING_FIELD), ("a.--1", MISSING_FIELD),
     ("a.²", MISSING_FIELD), ("b", MISSING_FIELD), ("a.0.c", MISSING_FIELD)],
)  # fmt: skip
def test_a_dotted_path_leads_into_mappings_and_lists(path: str | None, found: object) -> None:
    assert field_of({"a": [1, {"b": 2}]}, path) == found


def test_an_absent_field_is_told_with_what_there_is() -> None:
    assert (
        field_absent({"caption": "x", "score": 1}, "answer").reason
        == "output has no field answer; it has: caption, score"
    )
    assert field_absent({"a": {"x": 1}}, "a.b").reason == "output has no field a.b; a has: x"
    assert field_absent("hello", "answer").reason == "output has no field answer; it is 'hello'"
    assert field_absent({"a": [1]}, "a.3").outcome == "fail"


def test_an_absent_expectation_is_missing_and_not_the_systems_fault() -> None:
    verdict = expected_absent(Case("1", {}, {"total": 3}), "answer")
    assert (verdict.outcome, verdict.reason) == ("missing", "case has no expected.answer; expected has: total")
    assert expected_absent(Case("1", {}), "answer").reason == "case has no expected.answer"


def test_shortening_keeps_both_ends_and_survives_numbers_too_long_to_write() -> None:
    text = shorten("a" * 5000 + "end")
    assert len(text) <= 80
    assert text.endswith("end'")
    assert "too long" in shorten(10**5000)


def test_what_asks_nothing_is_no_part_of_what_a_check_is(bench: Any) -> None:
    """So a comparison with an older run does not call it another check when a later version knows more keys."""
    plain, said = bench.evaluator("media_check", max_width=9), bench.evaluator("media_check", max_width=9, blank=None)
    assert plain.identity == said.identity
    assert None not in plain.identity["options"].values()
    assert plain.identity != bench.evaluator("media_check", max_width=9, blank=False).identity
