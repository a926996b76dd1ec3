"""What the reader of a run should know of what it did not measure: executions that failed, verdicts that are none."""

from __future__ import annotations

from collections.abc import Iterator

from oloproof.records import ORIGINAL, Notice
from oloproof.storage import History, StoredRun

_LONGEST = 200
"""Characters of an error or reason that are told."""


def failure_notices(history: History, run: StoredRun) -> Iterator[Notice]:
    """Say with what error executions failed, then why each evaluator gave no verdict on answers that there are."""
    found = history.commonest_error(run)
    if found is not None:
        counts = history.counts(run)
        yield Notice(
            "executions_failed",
            f"{counts['failed']:,} of {counts['trials']:,} executions failed, {_most(found.count, counts['failed'])}"
            f"{_first(found.case_id, found.variant, found.error)}",
        )
    told = set()
    for number, entry in enumerate(run.criteria):
        if entry["evaluator"] not in told:  # one criterion stands for all that one evaluator gives
            told.add(entry["evaluator"])
            yield from _unmeasured(history, run, number)


def _unmeasured(history: History, run: StoredRun, number: int) -> Iterator[Notice]:
    found = history.unmeasured(run, number)
    if found is None:
        return
    entry = run.criteria[number]
    counts = history.counts(run)
    if not entry["calls_model"] and found.verdicts < counts["trials"] - counts["failed"]:
        return  # a check may have nothing to say of some cases; the summary counts them
    verdicts = "1 verdict is" if found.verdicts == 1 else f"{found.verdicts:,} verdicts are"
    yield Notice(
        "judge_verdicts_missing" if entry["calls_model"] else "verdicts_missing",
        f"{entry['criterion']}: {verdicts} missing or invalid, {_most(found.times, found.verdicts)}"
        f"{_first(found.case_id, found.variant, found.reason)}",
    )


def _first(case_id: str, variant: str, text: str) -> str:
    """Return where it was met first, and where the rest stands."""
    where = f"case {case_id!r}" if variant == ORIGINAL else f"case {case_id!r}, variant {variant}"
    return f"first in {where}: {_line(text)}; oloproof inspect --failures shows each"


def _most(times: int, total: int) -> str:
    """Return how often the commonest of several reasons was met, nothing where all are alike or each is another."""
    return f"most often ({times:,}), " if 1 < times < total else ""


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
