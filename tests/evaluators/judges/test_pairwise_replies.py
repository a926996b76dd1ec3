"""Which replies on two answers are a choice, and which are none."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.evaluators.judges.replies import ChoiceShape, Unusable, read_reply


def read(text: str) -> str:
    """Return the choice of a reply, or the code of why it is none."""
    found = read_reply(text, "stop", ChoiceShape())
    return found.code if isinstance(found, Unusable) else found[0].details["better"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"reason": "r", "better": "A"}', "A"),
        ('{"reason": "r", "better": " b "}', "B"),
        ('{"reason": "r", "better": "TIE"}', "tie"),
        ('```json\n{"better": "B", "reason": "r"}\n```', "B"),
        ('<think>{"better": "A", "reason": "r"} no</think>{"better": "B", "reason": "r"}', "B"),
        ('{"better": "A", "reason": "r"} as I said: {"better": "A", "reason": "again"}', "A"),
        ('{"better": "A", "reason": "r"} {"better": "tie", "reason": "r"}', "two_answers"),
        ('{"better": "neither", "reason": "r"}', "wrong_shape"),
        ('{"better": null, "reason": "r"}', "wrong_shape"),
        ('{"better": true, "reason": "r"}', "wrong_shape"),
        ('{"better": ["A"], "reason": "r"}', "wrong_shape"),
        ('{"better": "A", "reason": 3}', "wrong_shape"),
        ('{"reason": "A is better"}', "wrong_shape"),
        ("Answer A is better.", "not_json"),
        ('{"better": "B", "reason": "No image was provided for answer A"}', "judge_cannot_see"),
        ("I'm sorry, but I can't compare these.", "refused"),
        ("", "empty"),
    ],
)
def test_a_reply_is_a_choice_or_a_reason_why_not(text: str, found: str) -> None:
    assert read(text) == found


@given(st.text(max_size=40) | st.integers() | st.none() | st.booleans())
def test_nothing_but_the_three_words_is_a_choice(value: object) -> None:
    word = value.strip().lower() if isinstance(value, str) else None
    found = read(json.dumps({"reason": "r", "better": value}))

    assert (found in ("A", "B", "tie")) == (word in ("a", "b", "tie"))
