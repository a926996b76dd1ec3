"""What every kind of system is to the engine: opened once, called from several threads, closed once."""

from __future__ import annotations

import json
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from oloproof.errors import MediaError
from oloproof.media import MediaReader, media_file
from oloproof.records import Execution, MediaItem, Trial

_FIRST_LINE = 500
_DETAIL = 8_000


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a system needs of the run it is part of: where files may lie, and where it may write its own."""

    root: Path
    media_roots: tuple[Path, ...]
    reader: MediaReader
    folder_of: Callable[[Trial], Path]


class System(ABC):
    """A system under evaluation. ``identity`` is everything that makes its answers what they are."""

    name: str
    version: str
    kind: str
    identity: Mapping[str, Any]

    def open(self, surroundings: Surroundings, concurrency: int) -> None:
        """Get ready to be called from ``concurrency`` threads at once.

        Raises:
            SystemError_: it can never answer as configured.
        """
        self.surroundings = surroundings

    @abstractmethod
    def execute(self, trial: Trial) -> Execution:
        """Return what the system gives for ``trial``. Its own failure is an Execution with an error, never raised."""

    @property
    def never_answered(self) -> bool:
        """Whether it was asked and could not be reached even once, so that nothing was learned about it."""
        return False

    def close(self) -> None:  # noqa: B027 - most kinds hold nothing
        """Let go of processes and connections."""


class AnswerError(Exception):
    """An answer that cannot be used; its text becomes the error of that execution."""


def as_json(value: Any) -> Any:
    """Return ``value`` as what it is once stored: tuples as lists, keys as text.

    Raises:
        AnswerError: it is no JSON value; the text names the place.
    """
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise AnswerError(f"the answer is not a JSON value: {_place_of_fault(value) or error}") from None


def _place_of_fault(value: Any, path: str = "$", depth: int = 0) -> str | None:
    """Return where in ``value`` something is that JSON cannot hold."""
    if depth > 50:
        return f"{path} is nested too deep or contains itself"
    if isinstance(value, dict):
        children: Iterable[tuple[str, Any]] = ((f"{path}.{key}", child) for key, child in value.items())
    elif isinstance(value, (list, tuple)):
        children = ((f"{path}[{number}]", child) for number, child in enumerate(value))
    elif value is None or isinstance(value, (str, bool, int)):
        return None
    elif isinstance(value, float):
        return None if value == value and abs(value) != float("inf") else f"{path} is {value}, not a finite number"
    else:
        return f"{path} is a {type(value).__module__}.{type(value).__qualname__}"
    return next((fault for name, child in children if (fault := _place_of_fault(child, name, depth + 1))), None)


def failure(error: BaseException, *, seconds: float = 0.0, detail: str | None = None) -> Execution:
    """Return the execution of a system that raised ``error``: one line for people, the traceback beside."""
    text = str(error) if isinstance(error, (AnswerError, MediaError)) else describe(error)
    return Execution(error=text[:_FIRST_LINE], error_detail=(detail or "")[-_DETAIL:] or None, seconds=seconds)


def describe(error: BaseException) -> str:
    """Return ``ValueError: its first line`` for an exception."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def users_traceback(error: BaseException) -> str:
    """Return the traceback of ``error`` from the first frame that is not of this package."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = str(Path(__file__).parent.parent)
    start = next((number for number, frame in enumerate(frames) if not frame.filename.startswith(ours)), len(frames))
    shown = traceback.format_list(frames[start:])
    return "".join(shown) + "".join(traceback.format_exception_only(error))


def answered(answer: Any, surroundings: Surroundings, seconds: float) -> Execution:
    """Return the execution of a command's or service's ``answer``: an object with output, media and error.

    Raises:
        AnswerError: it has another shape, or names a file outside the project.
        MediaError: a file that it names cannot be recorded.
    """
    if not isinstance(answer, dict):
        raise AnswerError(f'expected a JSON object with "output", found {type(answer).__name__}: {str(answer)[:120]}')
    error = answer.get("error")
    if error is not None:
        return Execution(error=str(error)[:_FIRST_LINE], seconds=seconds)
    if "output" not in answer:
        keys = ", ".join(sorted(map(str, answer))[:10]) or "no keys"
        raise AnswerError(f'the answer has neither "output" nor "error"; it has {keys}')
    media = answer.get("media")
    if media is None:
        media = []
    if not isinstance(media, list):
        raise AnswerError(f'"media" is a list of objects with "path", not {type(media).__name__}')
    return Execution(
        output=answer["output"],
        media=tuple(_item_of(entry, surroundings) for entry in media),
        seconds=seconds,
    )


def _item_of(entry: Any, surroundings: Surroundings) -> MediaItem:
    if isinstance(entry, str):
        entry = {"path": entry}
    if not isinstance(entry, dict) or not isinstance(entry.get("path"), str):
        raise AnswerError(f'each entry of "media" is an object with "path", not {str(entry)[:120]}')
    unknown = sorted(set(entry) - {"path", "role", "name", "kind"})
    if unknown:
        raise AnswerError(f'unknown key {unknown[0]!r} in an entry of "media"; accepted: path, role, name, kind')
    item = media_file(
        confined(entry["path"], surroundings),
        role=entry.get("role", "output"),
        kind=entry.get("kind"),
        name=entry.get("name"),
    )
    return replace(item, given=entry["path"])


def confined(given: str, surroundings: Surroundings) -> Path:
    """Return the real path of a file that came from outside, which must lie under the project or a media root.

    Raises:
        AnswerError: it lies elsewhere, also by way of ``..`` or a symlink.
    """
    if "\0" in given:
        raise AnswerError("a path in the answer holds a NUL character")
    real = (surroundings.root / given).resolve()
    allowed = (surroundings.root, *surroundings.media_roots)
    if not any(real.is_relative_to(folder) for folder in allowed):
        raise AnswerError(
            f"{given} lies outside the project; files named by a command or service must lie under "
            f"{' or '.join(str(folder) for folder in allowed)} (media_roots: adds folders)"
        )
    return real
