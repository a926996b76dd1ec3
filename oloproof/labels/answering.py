"""Taking one answer of one person, as a page sends it: by the same rules as a row of a sheet."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from oloproof.labels.cells import protected
from oloproof.labels.csv_files import SheetRow
from oloproof.labels.importing import DEFAULT_GUIDE
from oloproof.labels.problems import LabelsError
from oloproof.labels.rows import Claims, checked_person, passed_of
from oloproof.storage.labels import Labels, StoredLabel

MAX_NOTE = 2_000


class Answered(Struct, frozen=True):
    """What a person says of one execution, in the words of a sheet's columns.

    ``variant``, ``repeat`` and ``execution`` may be empty where the case has one execution. ``shown`` is the digest of
    what was before the person's eyes, in hexadecimal; empty when it is not known. ``note`` is None where an earlier
    one stays as it is.
    """

    run: str
    case_id: str
    criterion: str
    passed: str
    labelled_by: str
    variant: str = ""
    repeat: str = ""
    execution: str = ""
    note: str | None = None
    guide: str = DEFAULT_GUIDE
    shown: str = ""


class Kept(Struct, frozen=True):
    """The label that an answer became."""

    label: StoredLabel
    became: Literal["added", "unchanged", "replaced"]


class ShownOtherwise(LabelsError):
    """What was before the person's eyes is not what the run shows for this execution."""


def keep_answer(claims: Claims, answer: Answered) -> Kept:
    """Keep an answer; a person's new answer takes the place of their earlier one of the same.

    Raises:
        LabelsError: it cannot be told what it is about, it may not be labelled, or the answer is none.
        ShownOtherwise: it was given to something else than the run shows.
        RunNotFound: there is no such run.
    """
    row = _row(answer)
    passed, who = passed_of(row).value, checked_person(answer.labelled_by)
    note = None if answer.note is None else answer.note.strip()
    if note is not None and len(note) > MAX_NOTE:
        raise LabelsError(f"a note is at most {MAX_NOTE:,} characters, found {len(note):,}")
    shown = claims.shown(row, answer.run)
    if answer.shown and answer.shown != shown.digest:
        raise ShownOtherwise(f"run {answer.run} shows something else for {answer.case_id!r} by now; reload the page")
    label = shown.label(who, answer.guide, passed, note)
    added = Labels(claims.history.store).add([label], replacing=True)
    return Kept(label, "added" if added.added else "replaced" if added.replaced else "unchanged")


def _row(answer: Answered) -> SheetRow:
    """Return an answer as a row of a sheet; texts are guarded as a sheet has them, so that none is read otherwise."""
    cells = {
        "case_id": protected(answer.case_id),
        "criterion": protected(answer.criterion),
        "passed": answer.passed,
        "variant": protected(answer.variant) if answer.variant else "",
        "repeat": answer.repeat,
        "execution": answer.execution,
    }
    return SheetRow(0, cells)
