"""What became of one case as a variant delivers it."""

from __future__ import annotations

from typing import Any

import pytest

from oloproof.policy import FamilyReader, Measure, Move, answer_reader, families, move_of
from oloproof.records import Outcome
from oloproof.storage import Observation

WORDS: dict[str, Outcome] = {"p": "pass", "f": "fail", "g": "fail", "m": "missing", "i": "invalid"}
"""A letter a repeat; ``f`` and ``g`` are wrong answers that differ."""


def move(original: str, blurred: str, variant: str = "blur-3", **measure: Any) -> Move:
    seen = [
        Observation("c", name, repeat, None, WORDS[letter], None, letter == "m", f'"{letter}"')
        for name, letters in (("original", original), ("blur-3", blurred))
        for repeat, letter in enumerate(letters)
    ]
    of = Measure("checked", repeats=len(original), **measure)
    (family,) = families(seen)
    return move_of(FamilyReader(of, answer_reader("output"), {"blur-3": "degraded"}), family, variant)


@pytest.mark.parametrize(
    ("original", "blurred", "found"),
    [
        ("p", "p", "passes"),
        ("f", "f", "fails"),
        ("f", "g", "other_answer"),
        ("p", "f", "broke"),
        ("f", "p", "fixed"),
        ("p", "m", "missing"),
        ("i", "p", "invalid"),
        ("pp", "pf", "broke"),
        ("pf", "pp", "fixed"),
        ("pf", "fp", "mixed"),
        ("pp", "fm", "broke"),
        ("pp", "pm", "missing"),
        ("ff", "fg", "other_answer"),
    ],
)
def test_a_variant_is_held_against_the_original_repeat_by_repeat(original: str, blurred: str, found: Move) -> None:
    """A missing repeat leaves open only what it could change."""
    assert move(original, blurred) == found


def test_repeats_that_come_down_to_one_verdict_move_only_when_that_does() -> None:
    assert move("ppf", "pff", pass_when=1) == "passes"
    assert move("ppf", "pff", pass_when=2) == "broke"


@pytest.mark.parametrize(
    ("original", "found"), [("p", "passes"), ("f", "fails"), ("pf", "mixed"), ("m", "missing"), ("i", "invalid")]
)
def test_of_the_original_itself_it_says_how_it_did(original: str, found: Move) -> None:
    assert move(original, original, "original") == found


def test_a_case_without_the_variant_has_no_move_in_it() -> None:
    assert move("p", "p", "resize-25") == "absent"


def test_scores_rise_fall_or_stay() -> None:
    def scored(before: float, after: float) -> Move:
        seen = [
            Observation("c", name, 0, None, "pass", score, False)
            for name, score in (("original", before), ("blur-3", after))
        ]
        (family,) = families(seen)
        of = Measure("checked", kind="score", score_range=(0.0, 5.0))
        return move_of(FamilyReader(of, answer_reader("outcome"), {"blur-3": "degraded"}), family, "blur-3")

    assert [scored(3.0, 2.0), scored(2.0, 3.0), scored(3.0, 3.0)] == ["broke", "fixed", "same"]
