"""Taking a filled-in sheet: every row is checked first, then all labels are kept or none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from oloproof.errors import OloproofError, Problem
from oloproof.labels.csv_files import Sheet, SheetRow, read_sheet
from oloproof.labels.identity import person
from oloproof.labels.problems import LabelsError
from oloproof.labels.rows import Claims, Shown, checked_person, passed_of
from oloproof.records import Notice
from oloproof.storage import History
from oloproof.storage.labels import Added, Labels, Purpose, StoredLabel

_T = TypeVar("_T")
DEFAULT_GUIDE = "1"
_MOST_TOLD = 20


class Imported(Struct, frozen=True):
    """What became of a sheet. ``skipped`` rows have no answer yet; ``purposes`` counts the labels that it holds."""

    added: int
    unchanged: int
    replaced: int
    skipped: int
    purposes: Mapping[Purpose, int]
    notices: tuple[Notice, ...] = ()


def import_sheet(
    history: History,
    path: Path,
    *,
    labelled_by: str = "",
    run: str | None = None,
    guide: str = DEFAULT_GUIDE,
    replacing: bool = False,
) -> Imported:
    """Keep the labels of a sheet, all of them or none.

    Args:
        history: the runs of the project; what was shown is told by them and never by the sheet.
        path: the sheet, as :func:`oloproof.labels.csv_files.read_sheet` takes it.
        labelled_by: who filled in the rows that do not say so.
        run: the run of the rows that do not say so.
        guide: the version of the instructions that were followed.
        replacing: let a person's new answer take the place of an earlier one that differs.

    Raises:
        LabelsError: any row cannot be taken; they are listed with their lines, of very many kinds the first.
    """
    sheet = read_sheet(path)
    check = _Check(history, str(path), person(labelled_by), run, guide)
    for row in sheet.rows:
        check.row(row)
    if not replacing:
        check.refuse_other_answers()
    if check.problems:
        raise LabelsError(_first_of(sorted(check.problems, key=lambda problem: problem.line or 0)))
    added = Labels(history.store).add(list(check.labels.values()), replacing=replacing)
    if added.conflicts:
        raise LabelsError(f"{path}: somebody else labelled the same at this moment; import the sheet again")
    return _imported(check, sheet, added)


def _imported(check: _Check, sheet: Sheet, added: Added) -> Imported:
    purposes: dict[Purpose, int] = {"validate": 0, "develop": 0}
    for label in check.labels.values():
        purposes[label.purpose] += 1
    unchanged = added.unchanged + check.repeated
    notices = (*sheet.notices, *check.notices())
    return Imported(added.added, unchanged, added.replaced, check.skipped, purposes, notices)


def _first_of(problems: Sequence[Problem]) -> list[Problem]:
    """Return what is told of a sheet: as many different mistakes as fit a screen, and how many more there are."""
    kinds = list(dict.fromkeys(one.message for one in problems))
    told = set(kinds[:_MOST_TOLD])
    listed = [one for one in problems if one.message in told]
    rest = len(problems) - len(listed)
    return [*listed, Problem(problems[0].file, f"and {rest:,} more")] if rest else listed


@dataclass(slots=True)
class _Check:
    """Goes through the rows of one sheet and collects the labels they make and everything that is wrong."""

    history: History
    file: str
    labelled_by: str
    run: str | None
    guide: str
    labels: dict[str, StoredLabel] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    skipped: int = 0
    repeated: int = 0
    picked: int = 0
    claims: Claims = field(init=False)

    def __post_init__(self) -> None:
        self.claims = Claims(self.history)

    def row(self, row: SheetRow) -> None:
        """Check one row: it is skipped, makes a label, or is wrong in one or more ways."""
        if not row.get("passed"):
            self.skipped += 1
            return
        passed = self._tried(row, lambda: passed_of(row))
        shown = self._tried(row, lambda: self.claims.shown(row, self.run))
        who = self._tried(row, lambda: self._person(row))
        if shown is not None and who is not None and passed is not None:
            self._keep(row, shown, who, passed.value)

    def refuse_other_answers(self) -> None:
        """Report the rows that answer otherwise than the same person did before."""
        known = Labels(self.history.store).find(list(self.labels))
        for identity, old in known.items():
            if old.passed is not self.labels[identity].passed:
                words = f"{old.labelled_by} said {_word(old.passed)} of this before, and says"
                cure = "give --replace if the new answer is right"
                self._report(self.lines[identity], f"{words} {_word(self.labels[identity].passed)} now; {cure}")

    def notices(self) -> Iterator[Notice]:
        """Yield what the person who imports should know."""
        if self.picked:
            words = "1 row stands" if self.picked == 1 else f"{self.picked} rows stand"
            yield Notice(
                "picked_by_hand",
                f"{words} in no sample of the run; what is picked by hand develops a judge and never validates it",
            )

    def _keep(self, row: SheetRow, shown: Shown, who: str, passed: bool | None) -> None:
        label = shown.label(who, self.guide, passed, row.get("note") or None)
        identity = label.identity
        earlier = self.labels.get(identity)
        if earlier is None:
            self.labels[identity], self.lines[identity] = label, row.line
            self.picked += shown.picked
        elif earlier.passed is passed:
            self.repeated += 1
            self.labels[identity] = replace(earlier, note=label.note or earlier.note)
        else:
            words = f"{who} says {_word(earlier.passed)} of the same in line {self.lines[identity]}"
            self._report(row.line, f"{words} and {_word(passed)} here; keep one of the two")

    def _person(self, row: SheetRow) -> str:
        who = person(self.claims.text(row, "labelled_by")) or self.labelled_by
        if not who:
            raise LabelsError("the row does not say who labelled it; fill in labelled_by or give --by NAME")
        return checked_person(who)

    def _tried(self, row: SheetRow, step: Callable[[], _T]) -> _T | None:
        try:
            return step()
        except OloproofError as error:
            self._report(row.line, str(error))
            return None

    def _report(self, line: int, message: str) -> None:
        problem = Problem(self.file, message, line)
        if problem not in self.problems:
            self.problems.append(problem)


def _word(passed: bool | None) -> str:
    return "unsure" if passed is None else "pass" if passed else "fail"
