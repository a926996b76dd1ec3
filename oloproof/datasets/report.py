"""Collects what is wrong with a dataset, so that every bad row is told at once."""

from __future__ import annotations

from msgspec import Struct, field

from oloproof.errors import DatasetError, Problem

MAX_LISTED = 20


class _Tally(Struct):
    count: int = 0
    listed: list[Problem] = field(default_factory=list)


class Report:
    """The problems of one pass over a dataset. With ``strict`` the first one is raised where it is met."""

    def __init__(self, file: str, *, strict: bool = False) -> None:
        self.file = file
        self._strict = strict
        self._tally = _Tally()

    def of(self, file: str) -> Report:
        """Return a report on another file of the same dataset, counted together with this one."""
        other = Report(file, strict=self._strict)
        other._tally = self._tally
        return other

    @property
    def count(self) -> int:
        """How many problems there are."""
        return self._tally.count

    def add(
        self,
        message: str,
        line: int | None = None,
        column: int | None = None,
        *,
        path: str = "",
    ) -> None:
        """Keep one problem; of a great many only the first are listed, the rest are counted."""
        problem = Problem(self.file, message, line, column, path)
        if self._strict:
            raise DatasetError([problem])
        self._tally.count += 1
        if len(self._tally.listed) < MAX_LISTED:
            self._tally.listed.append(problem)

    def finish(self) -> None:
        """Raise :class:`DatasetError` with what was found, if anything was."""
        if self._tally.listed:
            rest = self.count - len(self._tally.listed)
            more = [Problem(self.file, f"and {rest:,} more")] if rest else []
            raise DatasetError([*self._tally.listed, *more])
