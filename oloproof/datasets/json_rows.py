"""Rows from JSON lines and from a JSON list, one at a time however long the file is.

Stricter than Python's reader: a key given twice, NaN, infinities and halves of a surrogate pair are refused, since
what a run stores could not say them again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from oloproof.datasets.lines import ByteSource, describe_bad_byte
from oloproof.datasets.report import Report
from oloproof.strict_json import NotStrict, finite, no_constant, unique_keys

RawRow = tuple[int, str, Any]
"""Line, path for messages (``[3]`` in a list, else empty), and the value that stands there."""

MAX_DEPTH = 200
_TAIL = 16
_BLANK = re.compile(r"[ \t\r\n]*")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_LIST_HINT = "a file that is one JSON list is named .json"


_Scan = Callable[[str, int], tuple[Any, int]]
_strict: _Scan = json.JSONDecoder(
    object_pairs_hook=unique_keys, parse_constant=no_constant, parse_float=finite
).scan_once  # type: ignore[attr-defined]
_lenient: _Scan = json.JSONDecoder(parse_int=float).scan_once  # type: ignore[attr-defined]

_IN_PLAIN_WORDS = {
    "Expecting property name": "a key in double quotes is expected here",
    "Expecting value": "a value is expected here",
    "Expecting ':'": "':' is expected after a key",
    "Expecting ','": "',' is expected between two entries",
    "Unterminated string": "a text that begins here is never closed",
    "Invalid control character": "a line break or control character inside a text; write \\n, \\t or \\u0000",
    "Invalid \\escape": "an unknown escape; a backslash itself is written \\\\",
    "Invalid \\\\escape": "an unknown escape; a backslash itself is written \\\\",
    "Invalid \\uXXXX": "\\u is followed by four hexadecimal digits",
    "Illegal trailing comma": "a comma after the last entry",
}


def _in_words(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return f"nested more than {MAX_DEPTH} levels deep"
    if isinstance(error, json.JSONDecodeError):
        words = next((text for start, text in _IN_PLAIN_WORDS.items() if error.msg.startswith(start)), error.msg)
        at = error.doc[error.pos : error.pos + 2]
        if at.startswith(("#", "//")):
            words = "comments are not part of JSON"
        return f"this is not JSON: {words}"
    return str(error) if isinstance(error, NotStrict) else f"a number is too long to read ({error})"


def _refuse_unstorable(text: str, value: Any) -> None:
    """Refuse what was read but could not be written again."""
    if text.count("[") + text.count("{") > MAX_DEPTH and _too_deep(value):
        raise NotStrict(f"nested more than {MAX_DEPTH} levels deep")
    if "\\u" in text and _SURROGATE.search(text):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            half = ord(error.object[error.start])
            raise NotStrict(f"\\u{half:04x} is half of a surrogate pair and no character") from error


def _too_deep(value: Any) -> bool:
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        level = [
            item
            for entry in level
            for item in (entry.values() if isinstance(entry, dict) else entry)
            if isinstance(item, dict | list)
        ]
        if not level:
            return False
    return True


def read_jsonl(source: ByteSource, report: Report) -> Iterator[RawRow]:
    """Yield the rows of a file with one JSON object a line; blank lines are skipped."""
    for number, raw in enumerate(source.lines(), 1):
        stripped = raw.strip(b" \t\r")
        if not stripped:
            continue
        try:
            text = stripped.decode()
            row, end = _strict(text, 0)
            if end != len(text):
                rest = _BLANK.match(text, end)
                raise json.JSONDecodeError(
                    "more text after the row; a line holds one object", text, rest.end() if rest else end
                )
            if type(row) is not dict:
                hint = f"; {_LIST_HINT}" if isinstance(row, list) else ""
                raise NotStrict(f"expected an object {{...}}, found {_kind(row)}{hint}")
            _refuse_unstorable(text, row)
        except UnicodeDecodeError as error:
            column, message = describe_bad_byte(error)
            report.add(message, number, column + raw.index(stripped))
        except StopIteration as error:
            value = error.value or 0
            wrong = json.JSONDecodeError("Expecting value", text, value)
            report.add(_line_words(wrong), number, value + 1 + raw.index(stripped))
        except (ValueError, RecursionError) as error:
            position = error.pos + 1 + raw.index(stripped) if isinstance(error, json.JSONDecodeError) else None
            report.add(_line_words(error), number, position)
        else:
            yield number, "", row


def _line_words(error: Exception) -> str:
    words = _in_words(error)
    if isinstance(error, json.JSONDecodeError) and error.pos >= len(error.doc) and error.doc.startswith("["):
        words += f"; {_LIST_HINT}"
    return words


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    kinds = {int: "a number", float: "a number", str: "a text", list: "a list", dict: "an object"}
    return kinds[type(value)]


class _Window:
    """A stretch of a long text, moved along as it is read; ``line`` is where ``at`` stands."""

    def __init__(self, pieces: Iterator[str]) -> None:
        self.text = ""
        self.at = 0
        self.line = 1
        self.ended = False
        self._pieces = pieces
        self._column_of_start = 0

    def more(self) -> None:
        """Drop what was read and add at least as much as is left, so that long rows cost no more than their length."""
        self._column_of_start = self.place(self.at)[1] - 1
        left = self.text[self.at :]
        pieces, wanted = [left], max(1, len(left))
        while wanted > 0 and not self.ended:
            piece = next(self._pieces, None)
            self.ended = piece is None
            pieces.append(piece or "")
            wanted -= len(piece or "")
        self.text, self.at = "".join(pieces), 0

    def place(self, position: int) -> tuple[int, int]:
        """Return line and column of ``position``, which is not before ``at``."""
        start = self.text.rfind("\n", 0, position) + 1
        column = position - start + 1 + (self._column_of_start if start == 0 else 0)
        return self.line + self.text.count("\n", self.at, position), column

    def advance(self, to: int) -> None:
        """Move on to the position ``to``."""
        self.line += self.text.count("\n", self.at, to)
        self.at = to

    def peek(self) -> str:
        """Move on to the next character that is not blank and return it; nothing at the end."""
        while True:
            blank = _BLANK.match(self.text, self.at)
            self.advance(blank.end() if blank else self.at)
            if self.at < len(self.text):
                return self.text[self.at]
            if self.ended:
                return ""
            self.more()

    def value(self, scan: _Scan) -> tuple[Any, int]:
        """Return the value that begins here and where it ends, reading on while it is cut off."""
        while True:
            try:
                value, end = scan(self.text, self.at)
            except StopIteration as error:
                wrong = json.JSONDecodeError("Expecting value", self.text, error.value)
                if not self._cut_off(wrong):
                    raise wrong from None
            except json.JSONDecodeError as error:
                if not self._cut_off(error):
                    raise
            else:
                if end < len(self.text) or self.ended:
                    return value, end
            self.more()

    def _cut_off(self, error: json.JSONDecodeError) -> bool:
        """Whether ``error`` may come from the end of the window, and not from the end of the file."""
        return not self.ended and (error.msg.startswith("Unterminated") or error.pos >= len(self.text) - _TAIL)


def read_json(source: ByteSource, report: Report) -> Iterator[RawRow]:
    """Yield the rows of a file that is one JSON list."""
    window = _Window(source.text())
    try:
        yield from _list_rows(window, report)
    except UnicodeDecodeError:
        line, column, message = source.not_utf8()
        report.add(message, line, column)
    except json.JSONDecodeError as error:
        report.add(_in_words(error), *window.place(error.pos))
    except RecursionError as error:
        report.add(_in_words(error), window.line)


def _list_rows(window: _Window, report: Report) -> Iterator[RawRow]:
    first = window.peek()
    if first == "":
        return
    if first != "[":
        hint = "; for one object a line, name the file .jsonl" if first == "{" else ""
        report.add(f"expected a list of rows [{{...}}, ...]{hint}", *window.place(window.at))
        return
    window.advance(window.at + 1)
    if window.peek() == "]":
        window.advance(window.at + 1)
    else:
        yield from _entries(window, report)
    if window.peek():
        raise json.JSONDecodeError("more text after the list", window.text, window.at)


def _entries(window: _Window, report: Report) -> Iterator[RawRow]:
    number = 0
    while True:
        window.peek()
        line, path = window.line, f"[{number}]"
        row = _entry(window, report, line, path)
        if row is not None:
            yield line, path, row
        number += 1
        separator = window.peek()
        if separator not in (",", "]"):
            raise json.JSONDecodeError("Expecting ','", window.text, window.at)
        window.advance(window.at + 1)
        if separator == "]":
            return


def _entry(window: _Window, report: Report, line: int, path: str) -> dict[str, Any] | None:
    """Return the row that begins here, None when it is refused; the window stands behind it afterwards."""
    try:
        row, end = window.value(_strict)
        if type(row) is not dict:
            raise NotStrict(f"expected an object {{...}}, found {_kind(row)}")
        _refuse_unstorable(window.text[window.at : end], row)
        kept: dict[str, Any] | None = row
    except json.JSONDecodeError:
        raise
    except ValueError as error:
        report.add(_in_words(error), line, path=path)
        _, end = window.value(_lenient)
        kept = None
    window.advance(end)
    return kept
