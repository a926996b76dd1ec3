"""Sheets of labels as CSV: UTF-8 with a byte order mark, by which spreadsheets know it, and commas between cells.

Spreadsheets in countries that write 1,5 save a sheet with semicolons, so one is read with what its header has.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from msgspec import Struct

from oloproof.config import nearest
from oloproof.errors import Problem
from oloproof.labels.problems import LabelsError
from oloproof.records import Notice

COLUMNS = (
    "case_id",
    "run",
    "execution",
    "variant",
    "repeat",
    "criterion",
    "input",
    "output",
    "expected",
    "media",
    "saw",
    "passed",
    "labelled_by",
    "note",
)
NEEDED = ("case_id", "criterion", "passed")
ALSO_CALLED = {"scenario_id": "case_id"}
BYTE_ORDER_MARK = "\ufeff"
MAX_BYTES = 500_000_000


class SheetRow(Struct, frozen=True):
    """One row of a sheet: the line it begins on, and its cells by column, without blanks around them."""

    line: int
    cells: Mapping[str, str]

    def get(self, column: str) -> str:
        """Return a cell, empty where the sheet has no such column."""
        return self.cells.get(column, "")


class Sheet(Struct, frozen=True):
    """The rows of a sheet that hold anything, and what there is to say of its columns."""

    rows: tuple[SheetRow, ...]
    notices: tuple[Notice, ...] = ()


def write_sheet(stream: TextIO, rows: Iterable[Mapping[str, object]]) -> None:
    """Write rows under the columns of a sheet, into a stream opened with ``newline=""``."""
    stream.write(BYTE_ORDER_MARK)
    writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def read_sheet(path: Path) -> Sheet:
    """Return the rows of a sheet. Columns may stand in any order; ``scenario_id`` is read as ``case_id``.

    Columns without a meaning here are passed over with a notice, unless their name is nearly one of ours.

    Raises:
        LabelsError: it cannot be read, is no UTF-8 or no CSV, or lacks a column; every mistake is listed.
    """
    shown = str(path)
    text = _text(path, shown)
    with _long_cells(len(text)):
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
        try:
            header = next((cells for cells in reader if any(cells)), None)
            if header is None:
                raise LabelsError([Problem(shown, "the file is empty; oloproof labels export writes one")])
            names = _names([cell.strip() for cell in header], shown, reader.line_num)
            return Sheet(tuple(_rows(reader, names, shown)), tuple(_passed_over(names)))
        except csv.Error as error:
            raise LabelsError([Problem(shown, _in_words(error), reader.line_num)]) from None


def _text(path: Path, shown: str) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise LabelsError(
                [Problem(shown, f"the file is larger than {MAX_BYTES:,} bytes; this is no sheet of labels")]
            )
        data = path.read_bytes()
    except OSError as error:
        raise LabelsError([Problem(shown, f"cannot be read: {error.strerror or error}")]) from None
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise LabelsError([Problem(shown, "this is UTF-16; save the file as CSV UTF-8", 1)])
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"the byte 0x{data[error.start]:02x} is not UTF-8; save the file as CSV UTF-8"
        raise LabelsError([Problem(shown, message, line)]) from None


@contextmanager
def _long_cells(limit: int) -> Iterator[None]:
    """Let cells be as long as the file meanwhile: an output may be longer than Python's reader takes by default."""
    before = csv.field_size_limit(max(limit, csv.field_size_limit()))
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _delimiter(text: str) -> str:
    """Return what stands between the cells: what the header has of a comma, a semicolon and a tab, in this order."""
    header = next((line for line in text.splitlines() if line.strip()), "")
    return next((sign for sign in ",;\t" if sign in header), ",")


def _names(header: Sequence[str], shown: str, line: int) -> list[str]:
    """Return the columns by the names they have here; every mistake in the header is told at once."""
    names = [ALSO_CALLED.get(name, name) for name in header]
    messages = [
        f"the column {name!r} is given twice" for name in dict.fromkeys(names) if name and names.count(name) > 1
    ]
    for name in names:
        near = nearest(name, COLUMNS) if name not in COLUMNS else None
        if near is not None and near not in names:
            messages.append(f"unknown column {name!r}; did you mean {near}?")
    messages += [f"there is no column {name!r}; columns are {', '.join(names)}" for name in NEEDED if name not in names]
    if messages:
        raise LabelsError([Problem(shown, message, line) for message in messages])
    return names


def _passed_over(names: Sequence[str]) -> Iterator[Notice]:
    unknown = [name for name in names if name and name not in COLUMNS]
    if unknown:
        yield Notice("columns_ignored", f"columns without a meaning here are passed over: {', '.join(unknown)}")


def _rows(reader: Iterable[list[str]], names: Sequence[str], shown: str) -> Iterator[SheetRow]:
    problems = []
    begin = reader.line_num + 1  # type: ignore[attr-defined]
    for cells in reader:
        if any(cell.strip() for cell in cells):
            if len(cells) != len(names):
                message = f"the row has {len(cells)} cells, the header has {len(names)}"
                problems.append(Problem(shown, message, begin))
            yield SheetRow(begin, {name: cell.strip() for name, cell in zip(names, cells, strict=False) if name})
        begin = reader.line_num + 1  # type: ignore[attr-defined]
    if problems:
        raise LabelsError(problems)


def _in_words(error: csv.Error) -> str:
    words = str(error)
    if "unexpected end" in words:
        return "a quote that was opened is never closed"
    return f"this is not CSV: {words}"
