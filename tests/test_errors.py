"""The texts of errors that list every mistake."""

from __future__ import annotations

from oloproof.errors import DatasetError, Problem


def test_every_mistake_has_its_line() -> None:
    rows = [Problem("cases.csv", "no id", line) for line in (2, 3, 4, 5, 6)]
    assert str(DatasetError(rows)).splitlines() == [f"cases.csv:{line}  no id" for line in (2, 3, 4, 5, 6)]


def test_one_that_stands_in_many_lines_is_told_once_in_its_place_and_kept_whole() -> None:
    many = [Problem("cases.csv", "no id", line) for line in range(3, 1_203)]
    error = DatasetError([Problem("cases.csv", "no such file: a.png", 2, path="input.photo"), *many])
    assert str(error).splitlines() == [
        "cases.csv:2  input.photo: no such file: a.png",
        "cases.csv:3  no id (and so in 1,199 lines more)",
    ]
    assert len(error.problems) == 1_201
