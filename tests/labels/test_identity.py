"""A label belongs to what was shown, the criterion, the guide and the person, and to nothing else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some
from msgspec.structs import replace

from oloproof.labels.identity import label_identity, person, shown_digest
from tests.storage.conftest import item

VALUES = some.recursive(some.none() | some.booleans() | some.integers() | some.text(), some.lists, max_leaves=5)


def test_what_was_shown_is_input_output_and_the_bytes_of_the_media_in_order() -> None:
    a, b = item("a.png"), item("b.png")
    shown = shown_digest({"q": 1}, "answer", [a, b])
    moved = replace(a, id="7.0", path="elsewhere/x.png", given="/y", name="x.png", identity=None)
    assert shown_digest({"q": 1}, "answer", [moved, b]) == shown
    others = [
        shown_digest({"q": 2}, "answer", [a, b]), shown_digest({"q": 1}, "another", [a, b]),
        shown_digest({"q": 1}, "answer", [b, a]), shown_digest({"q": 1}, "answer", [a]),
        shown_digest({"q": 1}, "answer", [replace(a, sha256="0" * 64), b]),
    ]  # fmt: skip
    assert len({shown, *others}) == 6


@given(VALUES, VALUES)
def test_the_order_of_keys_is_no_difference_and_every_other_is(one: object, two: object) -> None:
    assert shown_digest({"a": one, "b": two}, None, []) == shown_digest({"b": two, "a": one}, None, [])
    assert shown_digest(one, [two], []) != shown_digest(one, two, [])


def test_another_criterion_guide_or_person_is_another_label() -> None:
    identity = label_identity("s", "good", "1", "ann")
    others = {label_identity("t", "good", "1", "ann"), label_identity("s", "fits", "1", "ann")}
    others |= {label_identity("s", "good", "2", "ann"), label_identity("s", "good", "1", "bob")}
    assert len(others | {identity}) == 5


def test_a_name_is_the_same_however_it_was_typed() -> None:
    assert person("  Zoe\u0308  Klein\t") == "Zoë Klein"
    assert label_identity("s", "c", "1", " ann ") == label_identity("s", "c", "1", "ann")
