r"""What stands in the cells of a sheet of labels, so that spreadsheets neither run nor change it.

A text that a spreadsheet would run as a formula (it begins with ``=``, ``+``, ``-``, ``@``, a tab or a line end) or
might turn into a number or a date (it begins with a digit and is no plain whole number) is written with a ``'`` before
it, and so is one that begins with ``'`` itself: reading the cell takes exactly one off again. Characters that steer a
terminal are written out as ``\u001b``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from oloproof.storage.rows import storable

_FORMULA = re.compile(r"[\t\r\n]|[\s\ufeff]*[=+\-@＝＋－＠]")
_CHANGED = re.compile(r"\d")
_PLAIN_NUMBER = re.compile(r"(?:0|[1-9]\d{0,14})", re.ASCII)
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff]")


def protected(text: str) -> str:
    """Return ``text`` as it may stand in a cell."""
    text = _written_out(text)
    at_risk = _FORMULA.match(text) or (_CHANGED.match(text) and not _PLAIN_NUMBER.fullmatch(text))
    return f"'{text}" if at_risk or text.startswith("'") else text


def unprotected(cell: str) -> str:
    """Return the text of a cell that :func:`protected` may have written; any other cell as it is."""
    text = cell.removeprefix("'")
    return text if text != cell and protected(text) == cell else cell


def json_cell(value: Any) -> str:
    """Return a JSON value as the JSON text in a cell, a plain text in quotes too; nothing for None.

    JSON begins with no sign that a spreadsheet runs, but for a negative number, which is none to be run.
    """
    return "" if value is None else _written_out(json.dumps(value, ensure_ascii=False, allow_nan=False))


def paths_cell(paths: Iterable[str]) -> str:
    r"""Return paths in one cell, ``;`` between them; a ``;`` or ``\`` in a path has a ``\`` before it."""
    return protected(";".join(path.replace("\\", "\\\\").replace(";", "\\;") for path in paths))


def _written_out(text: str) -> str:
    return _STEERING.sub(lambda found: f"\\u{ord(found.group()):04x}", storable(text))
