"""Exports, one trial after the other: CSV for spreadsheets, JSON Lines and JSON for programs.

Nothing is held: a run of any size is written as it is read. ``withhold={"paths"}`` leaves out where files lie, for
records that leave the machine: what a file is (digest, size, kind) stays.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TextIO

from oloproof.media import MediaReader
from oloproof.records import Notice
from oloproof.reports.withholding import Withholding
from oloproof.reports.wording import visible
from oloproof.running.deciding import Conclusion
from oloproof.running.documents import run_document, trial_document
from oloproof.storage import History, StoredRun, StoredTrial

_FORMULA = re.compile(r"[\t\r\n]|[\s\x00-\x1f\ufeff]*[=+\-@＝＋－＠]")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")


def write_csv(stream: TextIO, history: History, run: StoredRun, *, withhold: frozenset[str] = frozenset()) -> None:
    """Write one row a trial, into a stream opened with ``newline=""``: the case, then what each criterion says of it.

    A text that a spreadsheet would run as a formula (it begins with ``=``, ``+``, ``-``, ``@``, a tab or a line end,
    and is no plain number) is written with a ``'`` before it, which spreadsheets show as text; whoever reads the file
    with a program takes that sign off again. Numbers and plain-number ids are written as they are.
    """
    hide = Withholding(withhold, history.store.root)
    criteria = [entry["criterion"] for entry in run.criteria]
    writer = csv.writer(stream, lineterminator="\n")
    head = ["case_id", "variant", "repeat", "error", "seconds"]
    writer.writerow(head + [_cell(column) for name in criteria for column in (name, f"{name}.score", f"{name}.reason")])
    for trial in history.trials(run):
        writer.writerow(_row(trial, len(criteria), hide))


def _row(trial: StoredTrial, criteria: int, hide: Withholding) -> list[object]:
    execution = trial.execution
    row: list[object] = [
        _cell(hide.text(trial.case_id)),
        _cell(trial.variant),
        trial.repeat,
        _cell(hide.text(execution.error or "")),
        execution.seconds,
    ]
    for verdict in trial.verdicts[:criteria]:
        row += [verdict.outcome, verdict.score, _cell(hide.text(verdict.reason))]
    return row + ["missing", None, "no verdict"] * (criteria - len(trial.verdicts))


def _cell(text: str) -> str:
    """Return ``text`` so that no spreadsheet runs it; steering characters are written out."""
    if _FORMULA.match(text) and not _NUMBER.fullmatch(text):
        text = "'" + text
    return visible(text)


def write_jsonl(
    stream: TextIO,
    history: History,
    run: StoredRun,
    reader: MediaReader,
    *,
    withhold: frozenset[str] = frozenset(),
) -> None:
    """Write one JSON document a line and trial: the run, the case, then the trial as ``inspect --json`` shows it."""
    for document in trial_documents(history, run, reader, withhold=withhold):
        stream.write(_json({"run": run.id, **document}) + "\n")


def write_json(
    stream: TextIO,
    history: History,
    run: StoredRun,
    conclusion: Conclusion,
    reader: MediaReader,
    *,
    withhold: frozenset[str] = frozenset(),
    beside: Sequence[Notice] = (),
) -> None:
    """Write one JSON document: what ``run --json`` prints, and beside it ``trials``.

    ``beside`` is what to warn of that is not kept with the run.
    """
    hide = Withholding(withhold, history.store.root)
    head = _json(hide.value(run_document(history, run, conclusion, beside)))
    stream.write(head.removesuffix("}") + ', "trials": [')
    separator = "\n"
    for document in trial_documents(history, run, reader, withhold=withhold):
        stream.write(separator + _json(document))
        separator = ",\n"
    stream.write("\n]}\n")


def trial_documents(
    history: History, run: StoredRun, reader: MediaReader, *, withhold: frozenset[str] = frozenset()
) -> Iterator[Mapping[str, Any]]:
    """Yield each trial of a run with its case as a JSON document."""
    hide = Withholding(withhold, history.store.root)
    for trial in history.trials(run):
        case = {"case": trial.case_id, "slice": dict(trial.slice), "input": trial.input, "expected": trial.expected}
        yield hide.trial({**case, **trial_document(run, trial, reader)})


def _json(value: Any) -> str:
    """Return a JSON text that UTF-8 can hold whatever the system answered."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, allow_nan=False)
    return text
