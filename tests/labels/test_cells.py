"""Cells that no spreadsheet runs or changes, and that say again what they said."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as some

from oloproof.labels.cells import json_cell, paths_cell, protected, unprotected

PRINTABLE = some.text(some.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp", "Cf")))
JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.text(),
    lambda inner: some.lists(inner) | some.dictionaries(some.text(), inner),
    max_leaves=6,
)


@given(PRINTABLE)
def test_a_protected_text_comes_back_and_begins_no_formula(text: str) -> None:
    cell = protected(text)
    assert unprotected(cell) == text
    assert not cell.lstrip().startswith(("=", "+", "-", "@"))


@given(PRINTABLE)
def test_a_cell_that_nobody_protected_stays_as_it_is_unless_it_looks_protected(cell: str) -> None:
    assert unprotected(cell) in (cell, cell[1:])
    assert unprotected(cell) == cell or protected(unprotected(cell)) == cell


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1+1", "@SUM(A1)", " =1", "\t=1", "＝1", "007", "1e5", "3.10", "2024-01-05", "'x", "1" * 16]
)
def test_what_a_spreadsheet_would_run_or_change_has_a_sign_before_it(text: str) -> None:
    assert protected(text) == "'" + text


@pytest.mark.parametrize("text", ["", "a", "c1", "12", "0", "ünï", "a=b", "row-7"])
def test_what_it_would_leave_alone_is_written_as_it_is(text: str) -> None:
    assert protected(text) == text


def test_what_steers_a_terminal_is_written_out() -> None:
    assert protected("a\x1b[31m\u202eb\0\udcff") == r"a\u001b[31m\u202eb\u0000\udcff"


@given(JSON)
def test_json_comes_back_from_its_cell_and_can_be_written_as_utf_8(value: object) -> None:
    cell = json_cell(value)
    cell.encode()
    assert (json.loads(cell) if cell else None) == value
    assert not cell.startswith(("=", "+", "@", "'"))


def test_json_with_half_characters_and_steering_ones_stays_json() -> None:
    value = {"a": "\ud800 \x9b \u2028 \u202e"}
    cell = json_cell(value)
    assert "\x9b" not in cell
    assert json.loads(cell) == value


def test_paths_are_told_apart_whatever_they_hold() -> None:
    assert paths_cell(["out/a.png", "b;c.png", "d\\e.png"]) == r"out/a.png;b\;c.png;d\\e.png"
    assert paths_cell(["=a.png"]) == "'=a.png"
    assert paths_cell([]) == ""
