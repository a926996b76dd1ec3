"""Every error that Oloproof raises on purpose, and the exit code each one ends a command with.

::

    OloproofError                 2  the root: something a person can mend
    ├── ConfigError               2  oloproof.yaml or a policy says something that cannot be meant
    ├── DatasetError              2  a dataset cannot be read
    ├── SystemError_              2  the system under evaluation cannot be loaded or started
    ├── EvaluatorError            2  an evaluator cannot be loaded or its set-up is wrong
    │   └── JudgeUnfit            2  a judge was given a kind of media that it cannot take: stops the run
    ├── StorageError              2  the database under .oloproof/ cannot be used
    ├── RunNotFound               2  no run, or more than one, answers to the name given
    ├── RunInterrupted            2  the run was stopped before it was complete
    ├── ToolMissing               2  ffmpeg or ffprobe is needed and not installed
    ├── ProviderError             2  a model server cannot be used as it was set up
    │   ├── ProviderRefused       2  key, permission, quota or model refused: stops the run
    │   └── ProviderUnreachable   2  a model server that never answered once
    ├── CallFailed                -  one call to a model gave nothing: that verdict is missing
    └── MediaError                2  a media file cannot be recorded or read
        ├── MediaDrift            2  a recorded file holds other bytes now: stops the run
        ├── MediaMissing          -  a recorded file is gone or unreadable: that case is missing
        └── MediaUnreadable       -  the bytes are there but are not what they claim: that check fails

A ``-`` never ends a command: the engine turns it into a verdict.
"""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

NO_ROOM = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
"""The numbers of ``OSError`` where a file cannot grow: the disk is full, or a quota or a limit is reached."""


class OloproofError(Exception):
    """Something a person can mend; its text is one paragraph without a traceback."""

    exit_code = 2


class Problem(Struct, frozen=True):
    """One mistake in a file: where it is, what was found, and what to do."""

    file: str
    message: str
    line: int | None = None
    column: int | None = None
    path: str = ""

    def __str__(self) -> str:
        where = self.file
        if self.line is not None:
            where += f":{self.line}"
            if self.column is not None:
                where += f":{self.column}"
        return f"{where}  {self.path}: {self.message}" if self.path else f"{where}  {self.message}"


class _ProblemsError(OloproofError):
    """An error that lists every mistake found, not the first one only."""

    def __init__(self, problems: Sequence[Problem] | str) -> None:
        self.problems: tuple[Problem, ...] = () if isinstance(problems, str) else tuple(problems)
        super().__init__(problems if isinstance(problems, str) else "\n".join(_told(problems)))


_MOST_ALIKE = 5


def _told(problems: Sequence[Problem]) -> Iterator[str]:
    """Yield a line a mistake; one that stands in many lines is told once, with how many more there are."""
    alike = Counter((one.file, one.path, one.message) for one in problems)
    told: set[tuple[str, str, str]] = set()
    for one in problems:
        count = alike[same := (one.file, one.path, one.message)]
        if count <= _MOST_ALIKE:
            yield str(one)
        elif same not in told:
            told.add(same)
            yield f"{one} (and so in {count - 1:,} lines more)"


class ConfigError(_ProblemsError):
    """The project file or a policy is wrong; ``problems`` holds every mistake with its place."""


class DatasetError(_ProblemsError):
    """The dataset cannot be read; ``problems`` holds every bad row with its line."""


class SystemError_(OloproofError):  # noqa: N801 - SystemError is a builtin of another meaning
    """The system under evaluation cannot be loaded or started."""


class EvaluatorError(OloproofError):
    """An evaluator cannot be loaded, or what it was given can never work."""


class JudgeUnfit(EvaluatorError):
    """A judge was given a kind of media that it has no way to take, such as sound without a transcriber."""


class StorageError(OloproofError):
    """The database under ``.oloproof/`` cannot be opened, read or written."""


class RunNotFound(OloproofError):
    """No run, or more than one, answers to the name that was given."""


class RunInterrupted(OloproofError):
    """The run was stopped before every trial was done; what was done is kept."""


class ToolMissing(OloproofError):
    """ffmpeg or ffprobe is needed for this file and is not installed."""


class ProviderError(OloproofError):
    """A model server cannot be used as it was set up."""


class ProviderRefused(ProviderError):
    """A model server refused the key, permission, quota or model; carries its own words, without the key."""


class ProviderUnreachable(ProviderError):
    """A model server could not be connected to, or took many questions, and never answered once."""


CallFailure = Literal[
    "timeout",
    "network",
    "server_error",
    "rate_limited",
    "bad_request",
    "too_large",
    "budget_exhausted",
    "malformed_reply",
]


class CallFailed(OloproofError):
    """One call to a model gave nothing that can be judged. The verdict that needed it is *missing*.

    ``code`` is a stable reason, ``attempts`` how many requests were sent for the call.
    """

    def __init__(self, message: str, *, code: CallFailure, attempts: int = 0) -> None:
        super().__init__(message)
        self.code: CallFailure = code
        self.attempts = attempts


class MediaError(OloproofError):
    """A media file cannot be recorded or read. ``path`` is the file, ``code`` a stable reason."""

    def __init__(self, message: str, *, path: str | Path = "", code: str = "media_error") -> None:
        super().__init__(message)
        self.path = str(path)
        self.code = code


class MediaDrift(MediaError):
    """A recorded file holds other bytes than were recorded. Stops the run.

    ``recorded`` and ``found`` are both digests where known, ``case`` the id of the case that recorded the file.
    """

    def __init__(
        self, message: str, *, path: str | Path = "", recorded: str = "", found: str = "", case: str = ""
    ) -> None:
        super().__init__(message, path=path, code="media_changed")
        self.recorded = recorded
        self.found = found
        self.case = case

    def of_case(self, case: str) -> MediaDrift:
        """Return this error with the case named that recorded the file."""
        text = f"case {case!r}: {self}"
        return MediaDrift(text, path=self.path, recorded=self.recorded, found=self.found, case=case)


class MediaMissing(MediaError):
    """A recorded file cannot be read any more: gone, a directory, a symlink, no permission.

    ``code`` is ``media_gone``, ``media_is_directory``, ``media_is_symlink``, ``media_not_a_file`` or
    ``media_not_readable``. The verdict that needed the file is *missing*, never a failure.
    """


class MediaUnreadable(MediaError):
    """The bytes are as recorded but cannot be decoded; a check on them fails and says why."""
