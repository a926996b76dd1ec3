"""What every kind of system is to the engine: opened once, called from several threads, closed once."""

from __future__ import annotations

import os
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from msgspec import Struct

from oloproof.errors import MediaError
from oloproof.media import MediaReader
from oloproof.records import Execution, Trial

_LONGEST_LINE = 500
_LONGEST_DETAIL = 8_000
_OURS = str(Path(__file__).parent.parent) + os.sep


class Surroundings(Struct, frozen=True):
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
    answers_by_id: ClassVar[bool] = False
    """Whether the id of a case decides on its answer, so that the answer to another case of one input is none to it."""

    @property
    def notices(self) -> Iterable[tuple[str, str]]:
        """Code and message of what every reader of its runs must know."""
        return ()

    def unanswerable(self, members: Iterable[tuple[str, Sequence[str]]], repeats: int) -> Iterable[str]:
        """Return what it is known not to answer, in words, given each case's id and variants; ``members`` is costly."""
        return ()

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
        """Whether it was asked and did not answer even once, so that nothing was learned about it."""
        return False

    def close(self) -> None:  # noqa: B027 - some kinds hold nothing
        """Let go of processes and connections."""


class AnswerError(Exception):
    """An answer that cannot be used, or none; its text is the error of that execution, ``detail`` stands beside."""

    def __init__(self, message: str, *, detail: str | None = None) -> None:
        super().__init__(message)
        self.detail = detail


def failure(error: BaseException, *, seconds: float = 0.0, detail: str | None = None) -> Execution:
    """Return the execution of a system that raised ``error``: one line for people, ``detail`` beside."""
    told = isinstance(error, (AnswerError, MediaError))
    text = one_line(str(error) if told else describe(error))
    if detail is None and isinstance(error, AnswerError):
        detail = error.detail
    return Execution(error=text, error_detail=(detail or "")[-_LONGEST_DETAIL:] or None, seconds=seconds)


def one_line(text: str, limit: int = _LONGEST_LINE) -> str:
    """Return ``text`` as one line of printable characters, cut at ``limit``."""
    line = " ".join(text[: 4 * limit].split())
    if not line.isprintable():
        line = "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in line)
    return line if len(line) <= limit else line[: limit - 1] + "…"


def describe(error: BaseException) -> str:
    """Return ``ValueError: its first line`` for an exception, also for one that cannot be written out."""
    try:
        lines = str(error).strip().splitlines()
    except BaseException as second:  # noqa: BLE001 - an exception's own __str__ may raise anything
        return f"{type(error).__name__} (whose text cannot be had: {type(second).__name__})"
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def users_traceback(error: BaseException) -> str:
    """Return the traceback of ``error``, and of what it came from, each from the first frame not of this package."""
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    before = "" if cause is None else f"{_own_traceback(cause)}\nwhich led to:\n\n"
    return before + _own_traceback(error)


def _own_traceback(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    start = next((number for number, frame in enumerate(frames) if not frame.filename.startswith(_OURS)), len(frames))
    try:
        last = "".join(traceback.format_exception_only(error))
    except BaseException:  # noqa: BLE001 - as in describe
        last = describe(error)
    return "".join(traceback.format_list(frames[start:])) + last
