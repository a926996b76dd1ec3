"""Rows of a JSONL or JSON file, each with its line, and what is wrong with them, all of it at once."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from oloproof.errors import DatasetError, Problem

_MOST_TOLD = 20


class Rows(Struct):
    """The rows of a file, and the problems met; ``line`` is None in a JSON list, where the row's number stands."""

    file: Path
    problems: list[Problem] = field(default_factory=list)
    _number: int | None = None

    def wrong(self, line: int | None, message: str) -> None:
        """Keep what is wrong with the row that was read last, or after the last of them with the file."""
        where = "" if self._number is None else f"row {self._number}: "
        self.problems.append(Problem(str(self.file), where + message, line))

    def refuse(self) -> None:
        """Raise what was kept.

        Raises:
            DatasetError: something was.
        """
        if self.problems:
            told = self.problems[:_MOST_TOLD]
            if len(self.problems) > len(told):
                told = [*told, Problem(str(self.file), f"{len(self.problems) - len(told)} more mistakes like these")]
            raise DatasetError(told)

    def __iter__(self) -> Iterator[tuple[int | None, dict[str, Any]]]:
        """Yield line and row of each that is an object; blank lines are skipped.

        Raises:
            DatasetError: the file cannot be read, or holds no rows.
        """
        text = _text_of(self.file)
        found = 0
        for line, value in self._lines(text) if self.file.suffix == ".jsonl" else self._list(text):
            found += 1
            if isinstance(value, dict):
                yield line, value
            else:
                self.wrong(line, f"expected an object {{...}}, found {type(value).__name__}")
        if not found and not self.problems:
            raise DatasetError([Problem(str(self.file), "there are no rows")])

    def _lines(self, text: str) -> Iterator[tuple[int, Any]]:
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                try:
                    yield number, _parsed(line)
                except ValueError as error:
                    self.wrong(number, f"this is not JSON: {error}")

    def _list(self, text: str) -> Iterator[tuple[None, Any]]:
        try:
            value = _parsed(text)
        except ValueError as error:
            raise DatasetError([Problem(str(self.file), f"this is not JSON: {error}")]) from None
        if not isinstance(value, list):
            raise DatasetError([Problem(str(self.file), "expected a list of objects; JSON lines are named .jsonl")])
        for self._number, one in enumerate(value, 1):
            yield None, one
        self._number = None


def relative_to(path: str, source: Path, folder: Path) -> str:
    """Return how ``folder`` names a file that is named beside ``source``; an absolute path stays."""
    if os.path.isabs(path):
        return path
    return Path(os.path.relpath(source.parent / path, folder)).as_posix()


def _text_of(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DatasetError(
            [Problem(str(file), f"the byte at {error.start} is not UTF-8; save the file as UTF-8")]
        ) from None
    except OSError as error:
        raise DatasetError([Problem(str(file), f"cannot be read: {error.strerror}")]) from None


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("nested too deep") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} stands twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")
