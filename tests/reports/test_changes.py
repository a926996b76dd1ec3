"""Which words of two texts differ."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.reports.changes import MOST_WORDS, Piece, changed_words

WORDS = st.text(st.sampled_from("ab .,\n"), max_size=60)


def marked(before: str, after: str) -> tuple[str, str]:
    told = changed_words(before, after)
    first, second = ("".join(f"[{one.text}]" if one.changed else one.text for one in pieces) for pieces in told)
    return first, second


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("a red mug", "a blue mug", ("a [red] mug", "a [blue] mug")),
        ("a red mug", "a red mug", ("a red mug", "a red mug")),
        ("", "a mug", ("", "[a mug]")),
        ("", "", ("", "")),
        ("seen from the front.", "seen, whole.", ("seen [from the front].", "seen[, whole].")),
        ("it is 3 cm", "it is 4 cm", ("it is [3] cm", "it is [4] cm")),
        ("eine Tüte", "eine Tute", ("eine [Tüte]", "eine [Tute]")),
        ("a mug", "a  mug", ("a[ ]mug", "a[  ]mug")),
    ],
)
def test_the_words_that_differ_are_marked(before: str, after: str, found: tuple[str, str]) -> None:
    assert marked(before, after) == found


@given(WORDS, WORDS)
def test_nothing_is_lost_and_something_is_marked_just_when_words_differ(before: str, after: str) -> None:
    pieces = changed_words(before, after)
    assert ["".join(one.text for one in side) for side in pieces] == [before, after]
    if before == after:
        assert not any(one.changed for side in pieces for one in side)
    elif before.split() != after.split():
        assert any(one.changed for side in pieces for one in side)


def test_a_few_changed_words_are_found_in_long_texts() -> None:
    head, tail = "so it goes on. " * 5000, " and so it ends" * 5000
    assert changed_words(f"{head}red{tail}", f"{head}blue{tail}")[1] == (
        Piece(head, False),
        Piece("blue", True),
        Piece(tail, False),
    )


def test_texts_made_to_take_long_do_not() -> None:
    """Everything between the first and the last difference counts as changed then."""
    before = time.process_time()
    pieces = changed_words("x " + "a b " * 20_000 + "y", "z " + "b a " * 20_000 + "w")
    assert [len(side) for side in pieces] == [1, 1]
    changed_words("a " * (MOST_WORDS // 2), "b a " * (MOST_WORDS // 4))
    assert time.process_time() - before < 2
