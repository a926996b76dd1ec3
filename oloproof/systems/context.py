"""``current_case()``: what a system may know of the trial it is answering, and how it records media."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from msgspec.structs import replace

from oloproof.digests import digest_of_text
from oloproof.errors import MediaError, OloproofError
from oloproof.records import MediaItem, Trial, copy_of
from oloproof.systems.answers import as_json
from oloproof.systems.base import AnswerError

_current: ContextVar[CurrentCase | None] = ContextVar("oloproof_current_case", default=None)
_LONGEST_NAME = 120


class CurrentCase:
    """The trial under way, for the system that answers it. Every trial has its own, also under concurrency."""

    def __init__(self, trial: Trial, folder_of: Callable[[Trial], Path]) -> None:
        self._trial = trial
        self._folder_of = folder_of
        self._input = copy_of(trial.case.input)
        self._fresh: set[Path] = set()
        self.recorded: list[MediaItem] = []

    @property
    def id(self) -> str:
        """The id of the case."""
        return self._trial.case.id

    @property
    def input(self) -> Any:
        """The input of the case, with the files it names as absolute paths; this trial's own copy of it."""
        return self._input

    @property
    def variant(self) -> str:
        """The variant of the case; ``original`` is the case itself."""
        return self._trial.variant

    @property
    def repeat(self) -> int:
        """Which repeat this is, from 0."""
        return self._trial.repeat

    def path(self, name: str | os.PathLike[str]) -> Path:
        """Return a fresh path of this trial's own for a file called ``name``; its folder is made.

        It lies under ``outputs:`` and is unique to run, system version, case, variant and repeat, so that no version
        overwrites another's evidence. ``name`` may hold folders (``frames/1.png``) but not leave its place. Asked for
        again within the trial, the same name is the same file, and what was written to it stays.
        """
        name = os.fspath(name)
        relative = PurePosixPath(name)
        if not relative.parts or relative.is_absolute() or ".." in relative.parts or "\0" in name:
            raise OloproofError(f"current_case().path() takes a name such as 'thumb.png', not {name!r}")
        path = self._folder_of(self._trial) / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        if path not in self._fresh:
            path.unlink(missing_ok=True)
            self._fresh.add(path)
        return path

    def media(self, items: Iterable[MediaItem]) -> None:
        """Record one artifact: the files that this case received or made, each from :func:`media_file`.

        An empty list records nothing, so that a check on the media of this case finds none.
        """
        if isinstance(items, MediaItem):
            items = [items]
        if isinstance(items, (str, bytes, os.PathLike)) or not isinstance(items, Iterable):
            raise MediaError("current_case().media() takes a list: media([media_file(path)])", code="bad_media")
        self.recorded.extend([_kept(item) for item in items])


def _kept(item: MediaItem) -> MediaItem:
    """Return ``item`` as it can be stored.

    Raises:
        MediaError: it is no item, or its name or facts are nothing that JSON can hold.
    """
    if not isinstance(item, MediaItem):
        raise MediaError(
            f"current_case().media() takes what media_file() returns, not {type(item).__name__}: "
            "media([media_file(path)])",
            code="bad_media",
        )
    if not isinstance(item.name, str):
        raise MediaError(f"media_file({item.given!r}): name is text, not {item.name!r}", code="bad_media")
    try:
        return replace(item, facts=as_json(dict(item.facts))) if item.facts else item
    except AnswerError as error:
        fault = str(error).removeprefix("the answer is not a JSON value: ")
        raise MediaError(f"media_file({item.given!r}): its facts are not JSON: {fault}", code="bad_facts") from None


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


def enter(case: CurrentCase) -> None:
    """Make ``case`` the current one in this context, which is the trial's own."""
    _current.set(case)


def trial_folder(outputs: Path, system: str, version: str, run: str, trial: Trial) -> Path:
    """Return the folder that belongs to one trial alone; it is not made."""
    parts = (f"{system}@{version}", run, trial.case.id, trial.variant, str(trial.repeat))
    return outputs.joinpath(*(safe_name(part) for part in parts))


def safe_name(text: str) -> str:
    """Return ``text`` as one file name that no other text has: readable for short ones, with a digest for long."""
    name = quote(text, safe=" @+=,()", errors="surrogatepass").replace("~", "%7E")
    if name.strip(".") == "" or name.startswith(" ") or name.endswith(" "):
        name = name.replace(".", "%2E").replace(" ", "%20")
    if len(name) > _LONGEST_NAME:
        return f"{name[:80]}~{digest_of_text(text)[:24]}"
    return name or "~"
