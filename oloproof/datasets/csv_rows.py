"""Rows from CSV. Every value is text, also ``12`` and ``true``; an empty cell is an empty text.

Spreadsheets in countries that write 1,5 save semicolons between cells, some with a first line ``sep=;``, and many leave
empty columns and rows at the edges: all of that is read as what it is.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

from oloproof.config import nearest
from oloproof.datasets.json_rows import RawRow
from oloproof.datasets.lines import ByteSource
from oloproof.datasets.report import Report

_PARTS = ("input", "expected", "slice", "metadata")


def read_csv(source: ByteSource, report: Report, keys: tuple[str, ...] = ("id",)) -> Iterator[RawRow]:
    """Yield the rows of a CSV with the columns ``id``, ``input.NAME``, ``expected.NAME`` and ``slice.NAME``.

    Without any such prefix every column but ``keys`` is a field of ``input``. A dot in NAME makes nested objects.
    """
    try:
        separator, lines = _separated(_text_lines(source))
        rows = _numbered(csv.reader(lines, delimiter=separator, strict=True), report)
        top, cells = next(rows, (0, []))
        header = _without_empty_end(cells, 0)
        places = _places(header, report, top, keys) if header else None
        for line, cells in rows if places is not None else ():
            cells = _without_empty_end(cells, len(header))
            if len(cells) != len(header):
                report.add(f"the row has {len(cells)} cells, the header has {len(header)}", line)
            else:
                yield line, "", _row(places or [], cells)
    except UnicodeDecodeError:
        line, column, message = source.not_utf8()
        report.add(message, line, column)


def _text_lines(source: ByteSource) -> Iterator[str]:
    for raw in source.lines():
        yield raw.decode() + "\n"


def _separated(lines: Iterator[str]) -> tuple[str, Iterator[str]]:
    """Return what stands between the cells, and the lines, with a blank one in place of ``sep=;``."""
    before: list[str] = []
    for line in lines:
        said = line.rstrip("\r\n")
        if said[:4].lower() == "sep=" and len(said) == 5:
            return said[4], chain(before, ["\n"], lines)
        before.append(line)
        if said.strip():
            return next((sign for sign in ",;\t" if sign in said), ","), chain(before, lines)
    return ",", iter(before)


def _numbered(reader: Any, report: Report) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that hold anything, each with the line it begins on, until one that is no CSV, which is told."""
    begin = 1
    try:
        for cells in reader:
            if any(cells):
                yield begin, cells
            begin = reader.line_num + 1
    except csv.Error as error:
        unclosed = "unexpected end" in str(error)
        report.add(_in_words(error), begin if unclosed else reader.line_num)


def _without_empty_end(cells: list[str], width: int) -> list[str]:
    """Return ``cells`` without the empty ones that end it beyond ``width``."""
    end = len(cells)
    while end > width and not cells[end - 1].strip():
        end -= 1
    return cells[:end]


def _in_words(error: csv.Error) -> str:
    words = str(error)
    if "field larger" in words:
        return f"a cell is longer than {csv.field_size_limit():,} characters; write the dataset as JSONL"
    if "unexpected end" in words:
        return "a quote that was opened is never closed"
    return f"this is not CSV: {words}"


def _places(header: list[str], report: Report, line: int, keys: tuple[str, ...]) -> list[tuple[str, ...]] | None:
    """Return for each column the path of its value in a row, None after saying what is wrong with the header."""
    before = report.count
    for number, name in enumerate(header, 1):
        if not name.strip():
            report.add(f"column {number} has no name", line)
        elif name != name.strip():
            report.add(f"the column {name!r} has blanks around its name; take them away", line)
        elif "" in name.split("."):
            report.add(f"the column {name!r} has an empty part between its dots", line)
        elif name in header[: number - 1]:
            report.add(f"the column {name!r} is given twice", line)
    prefixed = any(name.partition(".")[0] in _PARTS and "." in name for name in header)
    places = [_place(name, prefixed, report, line, keys) for name in header]
    _refuse_overlap(places, report, line)
    _require_keys(header, report, line, keys)
    return places if report.count == before else None


def _place(name: str, prefixed: bool, report: Report, line: int, keys: tuple[str, ...]) -> tuple[str, ...]:
    if name in keys:
        return (name,)
    parts = tuple(name.split("."))
    if prefixed and not (len(parts) > 1 and parts[0] in _PARTS):
        near = nearest(parts[0], [*_PARTS, *keys])
        meant = ".".join([near, *parts[1:]]) if near else ""
        known = f"columns are {', '.join(keys)}, input.NAME, expected.NAME and slice.NAME"
        hint = f"did you mean {meant}?" if meant and meant != name else known
        if name in _PARTS:
            hint = f"did you mean {name}.NAME?"
        report.add(f"unknown column {name!r}; {hint}", line)
    near = nearest(parts[0], _PARTS) if len(parts) > 1 and not prefixed else None
    if near is not None:
        report.add(f"unknown column {name!r}; did you mean {'.'.join([near, *parts[1:]])}?", line)
    if not prefixed and name == "expected":
        cure = "name it expected.NAME, and the others input.NAME"
        report.add(f"the column 'expected' would be given to the system as input; {cure}", line)
    return parts if prefixed else ("input", *parts)


def _refuse_overlap(places: list[tuple[str, ...]], report: Report, line: int) -> None:
    known = set(places)
    for place in places:
        for length in range(1, len(place)):
            if place[:length] in known:
                report.add(f"{'.'.join(place)} lies inside the value of {'.'.join(place[:length])}", line)


def _require_keys(header: list[str], report: Report, line: int, keys: tuple[str, ...]) -> None:
    key = "id" if keys == ("id",) else "file"
    if key in header:
        return
    if len(header) == 1 and key in re.split(r"\W", header[0]):
        report.add("neither commas nor semicolons nor tabs separate the columns; write the file with commas", line)
        return
    near = nearest(key, header)
    hint = f"; did you mean to name {near!r} so?" if near else f"; columns are {', '.join(header)}"
    report.add(f"there is no column {key!r}{hint}", line)


def _row(places: list[tuple[str, ...]], cells: list[str]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for place, cell in zip(places, cells, strict=True):
        inner = row
        for part in place[:-1]:
            inner = inner.setdefault(part, {})
        inner[place[-1]] = cell
    row.setdefault("input", {})
    return row
