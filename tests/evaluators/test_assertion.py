"""``assertion``, in our way and to the letter of an earlier tool."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from oloproof.evaluators.assertions000 import first_number

DATA = Path(__file__).parents[1] / "data"
ASSERTIONS: list[dict[str, Any]] = [
    entry for entry in json.loads((DATA / "vic_assertions.json").read_text(encoding="utf-8")) if "note" not in entry
]
NUMBERS: list[dict[str, Any]] = [
    entry for entry in json.loads((DATA / "vic_numbers.json").read_text(encoding="utf-8")) if "input" in entry
]
RIGHT: list[dict[str, Any]] = json.loads((DATA / "numbers_recommended.json").read_text(encoding="utf-8"))


def test_in_parity_every_answer_is_compared_as_the_earlier_tool_compared_it(check: Any) -> None:
    compared = 0
    for entry in ASSERTIONS:
        tolerance = float(entry["tolerance"])
        if not 0 <= tolerance < float("inf"):
            continue  # it took these in silence; here the case is missing
        asserted = {"kind": entry["kind"], "expected": entry["expected"], "tolerance": tolerance}
        verdict = check("assertion", entry["answer"], asserted, parity=True)
        assert (verdict.outcome == "pass") == entry["passes"], entry
        compared += 1
    assert compared > 70


def test_in_parity_the_first_number_of_a_text_is_the_one_it_read() -> None:
    assert len(NUMBERS) > 190
    for entry in NUMBERS:
        parsed = entry["parsed"]
        assert first_number(entry["input"]) == (float(parsed) if isinstance(parsed, str) else parsed), entry


def test_in_our_way_numbers_are_what_they_should_be(check: Any) -> None:
    """Where the earlier tool misread a number, the right value passes and its own value does not."""
    tried = 0
    for entry in RIGHT:
        right, theirs = entry["recommended"], entry["peer"]
        if not isinstance(right, int | float) or right == theirs or "opt-in" in entry["reason"]:
            continue
        if "option" in entry["reason"] or "word" in entry["reason"] or "unit" in entry["reason"]:
            continue
        verdict = check("assertion", entry["input"], {"kind": "numeric", "expected": theirs if theirs else 0})
        assert verdict.outcome != "pass", entry
        tried += 1
    assert tried > 20


@pytest.mark.parametrize(
    ("answer", "kind", "expected", "outcome"),
    [
        ("page 3: 12", "numeric", "12", "invalid"),
        ("12 of 3", "numeric", "12", "invalid"),
        ("The total is 1.234,50 EUR.", "numeric", "1,234.50", "pass"),
        ("anything", "contains", "", "missing"),
        ("Cafe\u0301", "equals", "Café", "pass"),
        ("x", "regex", "(", "missing"),
        ("x", "regex", "", "missing"),
        ("x", "regex", 5, "missing"),
        ("x", "fuzzy", "x", "missing"),
        (5, "equals", 5, "pass"),
    ],
)
def test_in_our_way_each_kind_does_what_its_evaluator_does(
    check: Any, answer: Any, kind: str, expected: Any, outcome: str
) -> None:
    assert check("assertion", answer, {"kind": kind, "expected": expected}).outcome == outcome


@pytest.mark.parametrize(
    ("asserted", "told"),
    [
        (None, "case has no expected"),
        ("equals", "where kind and expected are needed"),
        ({"kind": "equals"}, "has no expected"),
        ({"kind": "equals", "expected": "a", "expectd": "b"}, "unknown key expectd"),
        ({"type": "equals", "value": "a"}, "accepted: kind (equals, contains, regex, numeric), expected and tolerance"),
        ({"kind": "numeric", "expected": "1", "tolerance": -1}, "where a number of 0 or more is needed"),
        ({"kind": "numeric", "expected": "1", "tolerance": True}, "where a number of 0 or more is needed"),
    ],
)
def test_an_assertion_that_cannot_be_used_makes_the_case_missing(check: Any, asserted: Any, told: str) -> None:
    verdict = check("assertion", "a", asserted)

    assert verdict.outcome == "missing"
    assert told in verdict.reason


def test_tolerances_and_fields_are_those_of_the_case(check: Any) -> None:
    asserted = {"kind": "numeric", "expected": "12", "tolerance": 0.5}

    assert check("assertion", {"answer": "12.5"}, asserted, field="answer").outcome == "pass"
    assert check("assertion", "12.51", asserted).outcome == "fail"


def test_in_parity_a_search_without_end_is_no_answer_and_what_is_no_text_is_invalid(check: Any) -> None:
    slow = {"kind": "regex", "expected": "^(a+)+$"}

    assert check("assertion", "a" * 40 + "b", slow, parity=True).outcome in ("missing", "fail")
    assert check("assertion", 5, {"kind": "equals", "expected": "5"}, parity=True).outcome == "invalid"
