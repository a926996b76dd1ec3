"""Where words leave the program: results to standard output, everything else to standard error.

The only place where an error becomes text.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, TypeVar

import click

from oloproof.errors import OloproofError, _ProblemsError

Command = TypeVar("Command", bound=Callable[..., Any])


def open_closed_streams() -> None:
    """Open ``/dev/null`` for each standard stream that whoever started us had closed.

    Else the next file that is opened, such as the database, would get its number and what others print.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            os.dup2(nowhere, number)
            os.set_inheritable(number, True)
            if nowhere != number:
                os.close(nowhere)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", errors="replace", closefd=False))


@contextmanager
def own_stdout() -> Iterator[TextIO]:
    """Yield the real standard output; meanwhile descriptor 1 leads to standard error.

    So nothing that a system, an evaluator or a program of theirs prints can stand in our own output.
    """
    sys.stdout.flush()
    real = os.dup(1)
    python_stdout = sys.stdout
    theirs = os.fdopen(1, "w", encoding="utf-8", errors="replace", buffering=1, closefd=False)  # theirs to close
    try:
        os.dup2(2, 1)
        sys.stdout = theirs
        with os.fdopen(os.dup(real), "w", encoding="utf-8", errors="replace") as out:
            yield out
    finally:
        with suppress(ValueError, OSError):
            theirs.flush()
        sys.stdout = python_stdout
        os.dup2(real, 1)
        os.close(real)


def print_document(document: Any, file: TextIO | None = None) -> None:
    """Print one JSON document in UTF-8; bytes of a file name that are none stay readable as escapes."""
    text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
    click.echo(text.encode("utf-8", "backslashreplace").decode("utf-8"), file=file)


def error_document(error: OloproofError) -> dict[str, Any]:
    """Return an error as JSON, for ``--json``."""
    problems = error.problems if isinstance(error, _ProblemsError) else ()
    return {
        "exit": error.exit_code,
        "error": {
            "type": type(error).__name__.rstrip("_"),
            "message": str(error),
            "problems": [
                {
                    "file": problem.file,
                    "line": problem.line,
                    "column": problem.column,
                    "path": problem.path,
                    "message": problem.message,
                }
                for problem in problems
            ],
        },
    }


def reported(command: Command) -> Command:
    """Turn an error of ours into text on standard error, one document under ``--json``, and its exit code."""

    @functools.wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except OloproofError as error:
            print_error(error)
            if kwargs.get("as_json"):
                print_document(error_document(error))
            sys.exit(error.exit_code)
        except BrokenPipeError:  # nobody reads on; click would end with 1, which says that a rule blocks
            silence_stdout()
            sys.exit(OloproofError.exit_code)

    return wrapped  # type: ignore[return-value]


def silence_stdout() -> None:
    """Let what is still to be flushed at the end go nowhere instead of failing once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def terminal_width() -> int:
    """Return how many columns there are to write on, between 60 and 120."""
    return min(max(shutil.get_terminal_size((100, 24)).columns, 60), 120)


def print_error(error: object) -> None:
    """Print an error in words on standard error."""
    flag = click.style("error: ", fg="red", bold=True) if _colored() else "error: "
    click.echo(f"{flag}{error}", err=True)


_COLORS = {"PASS": "green", "pass": "green", "FAIL": "red", "fail": "red"}
_WORRYING = ("INSUFFICIENT_EVIDENCE", "MANUAL_REVIEW", "missing", "invalid", "warning")


def painted(text: str, style: str) -> str:
    """Return ``text`` in the colour of a state or outcome, strong or quiet; plain where colours are not wanted."""
    if not _colored():
        return text
    if style == "quiet":
        return click.style(text, dim=True)
    color = _COLORS.get(style, "yellow" if style in _WORRYING else None)
    return click.style(text, fg=color, bold=style == "strong" or style.isupper())


def _colored() -> bool:
    """Whether colours are wanted at all; click takes them out where the stream is no terminal."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
