"""Laying text out for a terminal: wrapping, indenting, tables whose columns align."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from unicodedata import combining, east_asian_width

from msgspec import Struct

Paint = Callable[[str, str], str]
"""Colours a text in a style: a state, an outcome, ``strong`` or ``quiet``. Reports know no colours themselves."""

GAP = "  "


def plain(text: str, style: str) -> str:
    """Paint nothing."""
    return text


def width_of(text: str) -> int:
    """Return how many columns of a terminal ``text`` takes."""
    return sum(0 if combining(sign) else 2 if east_asian_width(sign) in "WF" else 1 for sign in text)


def wrapped(text: str, width: int, indent: str = "", first: str | None = None) -> list[str]:
    """Return ``text`` in lines of at most ``width``; a word that is longer stays whole."""
    return textwrap.wrap(
        text,
        width,
        initial_indent=indent if first is None else first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [(indent if first is None else first).rstrip()]


def block(text: str, indent: str, limit: int = 20) -> list[str]:
    """Return a text of several lines indented, cut after ``limit`` lines with a word about the rest."""
    lines = text.split("\n")
    shown = [indent + line for line in lines[:limit]]
    rest = len(lines) - limit
    return [*shown, f"{indent}… {rest} lines more"] if rest > 0 else shown


class Cell(Struct, frozen=True):
    """A cell with the style it is painted in."""

    text: str
    style: str = ""


def table(
    head: Sequence[str], rows: Sequence[Sequence[Cell]], *, align: str, width: int = 80, paint: Paint = plain
) -> list[str]:
    """Return the head and the rows of a table as text; ``align`` has ``l`` or ``r`` for each column.

    A first cell that would make its row wider than ``width`` stands on a line of its own above the rest of its row.
    """
    widths = [max(width_of(row[column].text) for row in [_cells(head), *rows]) for column in range(len(head))]
    room = width - sum(widths[1:]) - len(GAP) * (len(widths) - 1)
    widths[0] = max([width_of(head[0]), *(size for row in rows if (size := width_of(row[0].text)) <= room)])
    lines = [_line(_cells(head, "quiet"), widths, align, paint)]
    for row in rows:
        if width_of(row[0].text) > widths[0]:
            rest = _line([Cell(""), *row[1:]], widths, align, paint)
            lines.append(f"{painted(row[0], paint)}\n{rest}")
        else:
            lines.append(_line(row, widths, align, paint))
    return lines


def painted(cell: Cell, paint: Paint) -> str:
    """Return a cell's text in its style."""
    return paint(cell.text, cell.style) if cell.style and cell.text else cell.text


def _cells(texts: Sequence[str], style: str = "") -> list[Cell]:
    return [Cell(text, style) for text in texts]


def _line(row: Sequence[Cell], widths: Sequence[int], align: str, paint: Paint) -> str:
    parts = []
    for cell, width, side in zip(row, widths, align, strict=True):
        space = " " * (width - width_of(cell.text))
        text = painted(cell, paint)
        parts.append(space + text if side == "r" else text + space)
    return GAP.join(parts).rstrip()
