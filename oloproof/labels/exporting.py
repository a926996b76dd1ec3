"""The sheet that people fill in: what was shown and what the judge saw of it, never what anybody concluded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from oloproof.digests import digest_of_text
from oloproof.labels.cells import json_cell, paths_cell, protected
from oloproof.labels.gathering import shown_of, trials_at
from oloproof.labels.identity import label_identity, person
from oloproof.labels.problems import evaluator_number
from oloproof.labels.sampling import Drawn
from oloproof.labels.saw import saw_words
from oloproof.media import MediaReader
from oloproof.records import Notice
from oloproof.storage import History, StoredRun
from oloproof.storage.labels import Labels, ShownTrial

LISTED = 5


class Filled(Struct, frozen=True):
    """The rows of a sheet in the order they are written, and what there is to say of them."""

    rows: tuple[Mapping[str, object], ...]
    notices: tuple[Notice, ...] = ()


def sheet_of(
    history: History, run: StoredRun, drawn: Drawn, reader: MediaReader, *, labelled_by: str = "", guide: str = "1"
) -> Filled:
    """Return a row for each case of a sample, shuffled by its seed, with ``passed`` empty.

    Nothing in it tells what the judge or another person concluded. A case whose recorded files changed or are gone is
    left out: what was shown cannot be shown any more. With ``labelled_by`` that column is filled in, and what this
    person labelled by this guide already is left out too.
    """
    criterion, seed = drawn.sample.criterion, drawn.sample.seed
    shuffled = sorted(drawn.places, key=lambda place: digest_of_text(f"rows\n{seed}\n{place.case_id}"))
    labels = Labels(history.store)
    trials = trials_at(labels, run, shuffled)
    left = _not_labelled(labels, trials, criterion, guide, labelled_by) if labelled_by else trials
    whole = [trial for trial in left if all(reader.state(item) == "verified" for item in trial.media)]
    saw = labels.saw([trial.row for trial in whole], evaluator_number(run, criterion))
    rows = (_row(run, trial, criterion, saw.get(trial.row), labelled_by) for trial in whole)
    return Filled(tuple(rows), tuple(_notices(trials, left, whole, labelled_by)))


def _not_labelled(
    labels: Labels, trials: Sequence[ShownTrial], criterion: str, guide: str, labelled_by: str
) -> list[ShownTrial]:
    identities = [label_identity(shown_of(trial), criterion, guide, labelled_by) for trial in trials]
    known = labels.find(identities)
    return [trial for trial, identity in zip(trials, identities, strict=True) if identity not in known]


def _row(
    run: StoredRun, trial: ShownTrial, criterion: str, saw: Mapping[str, object] | None, labelled_by: str
) -> Mapping[str, object]:
    return {
        "case_id": protected(trial.case_id),
        "run": run.id,
        "execution": trial.execution,
        "variant": protected(trial.variant),
        "repeat": trial.repeat,
        "criterion": criterion,
        "input": json_cell(trial.input),
        "output": json_cell(trial.output),
        "expected": json_cell(trial.expected),
        "media": paths_cell(item.path for item in trial.media),
        "saw": protected(saw_words(saw)),
        "passed": "",
        "labelled_by": protected(person(labelled_by)),
        "note": "",
    }


def _notices(
    all_: Sequence[ShownTrial], left: Sequence[ShownTrial], whole: Sequence[ShownTrial], labelled_by: str
) -> Iterator[Notice]:
    if len(left) < len(all_):
        done = len(all_) - len(left)
        yield Notice(
            "labelled_already", f"{done} of {len(all_)} cases were labelled by {labelled_by} already; left out"
        )
    kept = {trial.row for trial in whole}
    lost = [trial.case_id for trial in left if trial.row not in kept]
    if lost:
        some = ", ".join(lost[:LISTED]) + (f" and {len(lost) - LISTED} more" if len(lost) > LISTED else "")
        yield Notice(
            "media_not_as_recorded",
            f"left out, because recorded files changed or are gone: {some}; these count as missing",
        )
