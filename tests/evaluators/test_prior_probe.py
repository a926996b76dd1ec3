"""``prior_probe``."""

from __future__ import annotations

from typing import Any

import pytest

BANANA = {"visual_value": "blue", "prior_value": "yellow"}


@pytest.mark.parametrize(
    ("output", "outcome", "label"),
    [
        ("It is blue.", "pass", "visual"),
        ("yellow", "fail", "prior"),
        ("blue and yellow", "fail", "mixed"),
        ("red", "fail", "other"),
        ("a fruit", "fail", "unclear"),
        ("I cannot see the image.", "invalid", "refusal"),
    ],
)
def test_only_an_answer_that_follows_the_picture_passes(check: Any, output: str, outcome: str, label: str) -> None:
    verdict = check("prior_probe", output, {**BANANA, "other_values": ["red"]})

    assert (verdict.outcome, verdict.details["label"]) == (outcome, label)


def test_answers_that_cannot_be_read_are_invalid_and_never_a_wrong_answer(check: Any) -> None:
    for output in ("", "  ", 5, None, ["blue"]):
        assert check("prior_probe", output, BANANA).outcome == "invalid"


@pytest.mark.parametrize(
    ("expected", "told"),
    [
        (None, "case has no expected"),
        ({"visual_value": "blue"}, "case has no expected.prior_value"),
        ({**BANANA, "visual_value": 5}, "expected.visual_value is 5"),
        ({**BANANA, "visual_aliases": "azure"}, "where text with a list of texts is needed"),
        ({**BANANA, "other_values": [""]}, "expected.other_values is no list of texts"),
        ({**BANANA, "prior_value": "Blue"}, "stands for both"),
        ({**BANANA, "prior_value": "?"}, "holds no word and no number"),
    ],
)
def test_a_case_without_usable_values_is_missing(check: Any, expected: Any, told: str) -> None:
    verdict = check("prior_probe", "blue", expected)

    assert verdict.outcome == "missing"
    assert told in verdict.reason


def test_aliases_come_from_the_case_and_from_the_project(check: Any) -> None:
    assert check("prior_probe", "navy", {**BANANA, "visual_aliases": ["navy"]}).outcome == "pass"
    assert check("prior_probe", "navy", BANANA, aliases={"blue": ["navy"]}).outcome == "pass"
    assert check("prior_probe", "navy", BANANA).details["label"] == "unclear"


def test_the_answer_may_stand_in_a_field(check: Any) -> None:
    assert check("prior_probe", {"answer": "blue"}, BANANA, field="answer").outcome == "pass"
    assert check("prior_probe", {"text": "blue"}, BANANA, field="answer").outcome == "fail"


def test_in_parity_answers_are_read_as_the_earlier_tool_read_them(check: Any) -> None:
    assert check("prior_probe", "not blue", BANANA).details["label"] == "unclear"
    assert check("prior_probe", "not blue", BANANA, parity=True).details["label"] == "visual"


def test_details_hold_what_was_stated_so_that_answers_can_be_compared(check: Any) -> None:
    verdict = check("prior_probe", "not yellow but Blue!", BANANA)

    assert verdict.details == {"label": "visual", "found": "blue", "stated": ["blue"], "negated": ["yellow"]}
    assert verdict.reason == "follows the picture: 'not yellow but Blue!'"
