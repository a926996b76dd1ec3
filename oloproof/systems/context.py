"""``current_case()``: what a system may know of the trial it is answering, and how it records media."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextvars import ContextVar, Token
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from oloproof.digests import digest_of_text
from oloproof.errors import MediaError, OloproofError
from oloproof.records import MediaItem, Trial

_current: ContextVar[CurrentCase | None] = ContextVar("oloproof_current_case", default=None)
_LONGEST_NAME = 120


class CurrentCase:
    """The trial under way, for the system that answers it. Every trial has its own, also under concurrency."""

    def __init__(self, trial: Trial, folder_of: Callable[[Trial], Path]) -> None:
        self._trial = trial
        self._folder_of = folder_of
        self.recorded: list[MediaItem] = []

    @property
    def id(self) -> str:
        """The id of the case."""
        return self._trial.case.id

    @property
    def input(self) -> Any:
        """The input of the case, with the files it names as absolute paths."""
        return self._trial.case.input

    @property
    def variant(self) -> str:
        """The variant of the case; ``original`` is the case itself."""
        return self._trial.variant

    @property
    def repeat(self) -> int:
        """Which repeat this is, from 0."""
        return self._trial.repeat

    def path(self, name: str) -> Path:
        """Return a fresh path of this trial's own for a file called ``name``; its folder is made.

        It lies under ``outputs:`` and is unique to run, system version, case, variant and repeat, so that no version
        overwrites another's evidence. ``name`` may hold folders (``frames/1.png``) but not leave its place.
        """
        relative = PurePosixPath(name)
        if not name or relative.is_absolute() or ".." in relative.parts or "\0" in name:
            raise OloproofError(f"current_case().path() takes a name such as 'thumb.png', not {name!r}")
        path = self._folder_of(self._trial) / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        return path

    def media(self, items: Sequence[MediaItem]) -> None:
        """Record one artifact: the files that this case received or made, each from :func:`media_file`."""
        if isinstance(items, MediaItem):
            items = [items]
        if isinstance(items, (str, bytes, os.PathLike)) or not isinstance(items, Sequence):
            raise MediaError("current_case().media() takes a list: media([media_file(path)])", code="bad_media")
        if not items:
            raise MediaError("current_case().media([]) records nothing; leave the call out", code="no_media")
        for item in items:
            if not isinstance(item, MediaItem):
                raise MediaError(
                    f"current_case().media() takes what media_file() returns, not {type(item).__name__}: "
                    "media([media_file(path)])",
                    code="bad_media",
                )
        self.recorded.extend(items)


def current_case() -> CurrentCase:
    """Return the trial that the calling system is answering.

    Raises:
        OloproofError: outside of a run, or in a thread that the system started itself.
    """
    case = _current.get()
    if case is None:
        raise OloproofError(
            "current_case() works while Oloproof calls your system; here nothing is being evaluated "
            "(in a thread of your own, run the work with contextvars.copy_context().run)"
        )
    return case


def enter(case: CurrentCase) -> Token[CurrentCase | None]:
    """Make ``case`` the current one in this context; hand what is returned to :func:`leave`."""
    return _current.set(case)


def leave(token: Token[CurrentCase | None]) -> None:
    """Make the case before it the current one again."""
    _current.reset(token)


def trial_folder(outputs: Path, system: str, version: str, run: str, trial: Trial) -> Path:
    """Return the folder that belongs to one trial alone; it is not made."""
    parts = (f"{system}@{version}", run, trial.case.id, trial.variant, str(trial.repeat))
    return outputs.joinpath(*(safe_name(part) for part in parts))


def safe_name(text: str) -> str:
    """Return ``text`` as one file name: reversible for short names, unlike any other for long ones."""
    name = quote(text, safe=" @+=,()")
    if name.strip(".") == "" or name.startswith(" ") or name.endswith(" "):
        name = name.replace(".", "%2E").replace(" ", "%20")
    return name if len(name) <= _LONGEST_NAME else f"{name[:80]}~{digest_of_text(text)[:24]}"
