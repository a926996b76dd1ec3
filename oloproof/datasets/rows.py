"""Checks one row and makes its parts ready: hand-written, because a dataset may have very many rows."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from oloproof.config import nearest, suggestion
from oloproof.datasets.report import Report

KEYS = ("id", "input", "expected", "slice", "media")
_ACCEPTED = frozenset([*KEYS, "metadata"])
_NO_SLICE: Mapping[str, Any] = {}
_NO_FILES: Mapping[str, str] = {}

MAX_ID = 200
MAX_PATH_TEXT = 1024
MAX_CANDIDATES = 256


Row = tuple[str, Any, Any, Mapping[str, Any], Mapping[str, str]]
"""Id, input, expected, slice fields and media of a row found right; media fields of the input hold absolute paths.

A plain tuple, since there is one for each row of every pass.
"""


class RowChecker:
    """Checks rows against the rules of a dataset.

    ``folder`` is what media paths are relative to, ``media`` the fields that name files in every row, ``look`` whether
    those files are looked for.
    """

    def __init__(self, folder: Path, media: tuple[str, ...], report: Report, *, look: bool) -> None:
        self._folder = str(folder)
        self._media = media
        self._report = report
        self._look = look

    def check(self, line: int | None, path: str, row: dict[str, Any]) -> Row | None:
        """Return ``row`` ready for use, None after reporting everything that is wrong with it."""
        ident = row.get("id")
        right = type(ident) is str and ident.isprintable() and ident.strip() == ident and 0 < len(ident) <= MAX_ID
        if not (right and "input" in row and _ACCEPTED.issuperset(row)):
            right = self._keys(line, path, row)
        before = self._report.count
        fields = row.get("slice")
        if type(fields) is not dict or "metadata" in row:
            fields = self._slice(line, path, row)
        media = _NO_FILES
        if (self._media or "media" in row) and "input" in row:
            media = self._files(line, path, row)
        if not right or self._report.count != before:
            return None
        return row["id"], row["input"], row.get("expected"), fields, media

    def _keys(self, line: int | None, path: str, row: dict[str, Any]) -> bool:
        """Report what is wrong with the id and the keys of ``row``; return whether nothing is."""
        before = self._report.count
        message = id_problem(row)
        if message:
            self._report.add(message, line, path=_join(path, "id"))
        self._unknown_keys(line, path, row)
        if "input" not in row:
            self._report.add("a row needs input: what is given to the system", line, path=path)
        return self._report.count == before

    def _unknown_keys(self, line: int | None, path: str, row: dict[str, Any]) -> None:
        for key in row:
            if key not in _ACCEPTED:
                near = nearest(key, [*KEYS, "metadata"])
                hint = (
                    f"did you mean {near}?"
                    if near
                    else f"accepted: {', '.join(KEYS)}; what the system gets is in input"
                )
                self._report.add(f"unknown key; {hint}", line, path=_join(path, key))

    def _slice(self, line: int | None, path: str, row: dict[str, Any]) -> Mapping[str, Any]:
        if "slice" not in row and "metadata" not in row:
            return _NO_SLICE
        if "slice" in row and "metadata" in row:
            message = "metadata is another name for slice; give one of them"
            self._report.add(message, line, path=_join(path, "metadata"))
        key = "slice" if "slice" in row else "metadata"
        fields = row[key]
        if not isinstance(fields, dict):
            self._report.add('expected an object of fields, such as {"language": "de"}', line, path=_join(path, key))
            return _NO_SLICE
        return fields

    def _files(self, line: int | None, path: str, row: dict[str, Any]) -> Mapping[str, str]:
        """Return the absolute path of each media field, and put it in the place of what was written."""
        own = row.get("media", [])
        if not isinstance(own, list) or not all(isinstance(field, str) and field for field in own):
            message = 'expected a list of the input fields that name files, such as ["photo"]'
            self._report.add(message, line, path=_join(path, "media"))
            own = []
        found: dict[str, str] = {}
        for field in dict.fromkeys([*self._media, *own]):
            message, target = self._media_file(row["input"], field)
            if message:
                self._report.add(message, line, path=_join(path, f"input.{field}"))
            elif target:
                found[field] = target
        return found

    def _media_file(self, given: Any, field: str) -> tuple[str, str]:
        """Return what is wrong with the media field ``field`` of the input ``given``, or else its absolute path."""
        holder, key = _holder(given, field)
        if holder is None:
            names = [str(name) for name in given] if isinstance(given, dict) else []
            hint = suggestion(field, names, "fields of input")
            return f"this media field is not in the row; {hint}", ""
        value = holder[key]
        if not isinstance(value, str):
            return _not_a_path(field, value), ""
        target = os.path.join(self._folder, value)
        if self._look:
            message = _file_problem(value, target, self._folder)
            if message:
                return message, ""
        holder[key] = target
        return "", target


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def id_problem(row: Mapping[str, Any]) -> str | None:
    """Return what is wrong with the id of ``row``, None when nothing is."""
    if "id" not in row:
        return 'a row needs an id; add "id": a text of its own for each row'
    ident = row["id"]
    if not isinstance(ident, str):
        written = ident if isinstance(ident, int | float) and not isinstance(ident, bool) else None
        return "an id is text" + (f'; write "{written}" in quotes' if written is not None else "")
    if not ident.strip():
        return "the id is empty; give each row a text of its own"
    if ident != ident.strip():
        return f"the id {ident!r} has blanks around it; take them away"
    if len(ident) > MAX_ID:
        return f"the id has {len(ident)} characters; at most {MAX_ID} are taken"
    if any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in ident):
        return f"the id {ident!r} holds a character that cannot be printed; take it away"
    return None


def _holder(given: Any, field: str) -> tuple[Any, Any]:
    """Return the object or list that holds the dotted ``field`` of ``given``, and the key in it; else None."""
    *before, last = field.split(".")
    for part in before:
        given = _inside(given, part)
    if isinstance(given, list) and last.isdecimal() and int(last) < len(given):
        return given, int(last)
    return (given, last) if isinstance(given, dict) and last in given else (None, None)


def _inside(given: Any, part: str) -> Any:
    if isinstance(given, dict):
        return given.get(part)
    if isinstance(given, list) and part.isdecimal() and int(part) < len(given):
        return given[int(part)]
    return None


def _not_a_path(field: str, value: Any) -> str:
    if isinstance(value, list):
        return f"a media field names one file; name the entries of the list: media: [{field}.0, ...]"
    return "a media field names a file, and this is no text"


def _file_problem(written: str, target: str, folder: str) -> str | None:
    if not written:
        return "a media field names a file, and this is empty"
    if "://" in written or written.startswith("data:"):
        return "a media field names a file; save what this address gives beside the dataset and name that"
    try:
        mode = os.stat(target).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return f"no such file: {written}; looked in {folder}"
    except OSError as error:
        return f"the file {written!r} cannot be opened: {error.strerror}"
    except ValueError:  # a NUL, or half of a character, in words that differ between versions of Python
        return f"the file {written!r} cannot be opened: no file can have such a name"
    if stat.S_ISDIR(mode):
        return f"{written} is a folder; name a file"
    return None if stat.S_ISREG(mode) else f"{written} is no regular file"


def with_named_files(given: Any, folder: str, media: Mapping[str, str]) -> Mapping[str, str]:
    """Return ``media`` and every other text in ``given`` that names an existing file, as dotted field → path.

    The field of an input that is a text itself is the empty text. At most :data:`MAX_CANDIDATES` texts are tried.
    """
    candidates = _path_like(given)
    if not candidates:
        return media
    files = dict(media)
    for field, text in candidates[:MAX_CANDIDATES]:
        if field not in media:
            target = os.path.join(folder, text)
            try:
                if stat.S_ISREG(os.stat(target).st_mode):
                    files[field] = target
            except (OSError, ValueError):
                continue
    return files


def _path_like(given: Any) -> list[tuple[str, str]]:
    """Return the texts in ``given`` that could name a file, each with its dotted field."""
    candidates: list[tuple[str, str]] = []
    waiting: list[tuple[str, Any]] = [("", {"": given} if type(given) is str else given)]
    for prefix, value in waiting:
        if type(value) is dict:
            entries: Iterable[tuple[Any, Any]] = value.items()
        else:
            entries = enumerate(value) if type(value) is list else ()
        for key, entry in entries:
            if type(entry) is str:
                if ("." in entry or "/" in entry) and len(entry) <= MAX_PATH_TEXT and _may_name_a_file(entry):
                    candidates.append((f"{prefix}{key}", entry))
            elif type(entry) is dict or type(entry) is list:
                waiting.append((f"{prefix}{key}.", entry))
    return candidates


def _may_name_a_file(text: str) -> bool:
    return "\n" not in text and "://" not in text and "\0" not in text and not text.endswith((".", "/", "?"))
