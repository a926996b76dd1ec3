"""Writing a project: every file whole, nothing that exists overwritten."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from msgspec import Struct

from oloproof.errors import OloproofError


class Imported(Struct, frozen=True):
    """What was written, how many cases it has, and what the reader should know."""

    folder: Path
    written: tuple[Path, ...]
    cases: int
    notes: tuple[str, ...] = ()


def write_project(folder: Path, contents: Mapping[str, str]) -> tuple[Path, ...]:
    """Write the files of a project and return their paths.

    Raises:
        OloproofError: a file is there already, or one cannot be written.
    """
    existing = next((name for name in contents if (folder / name).exists()), None)
    if existing is not None:
        raise OloproofError(f"{folder / existing} exists and is not overwritten; name another folder with --into")
    written = []
    for name, content in contents.items():
        target = folder / name
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("x", encoding="utf-8") as file:
                file.write(content)
        except OSError as error:
            raise OloproofError(f"cannot write {target}: {error.strerror or error}") from None
        written.append(target)
    return tuple(written)


def rows_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as JSON lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def quoted(text: str) -> str:
    """Return a text as YAML takes it whatever it holds: a JSON string."""
    return json.dumps(text, ensure_ascii=False)


def live_system() -> str:
    """Return the module of a system that asks an OpenAI-compatible server."""
    return files("oloproof.importing").joinpath("templates/ask.py.txt").read_text("utf-8")
