"""What the reader of a run should know of executions that failed: how many, and the error that most of them had."""

from __future__ import annotations

from collections.abc import Iterator

from oloproof.storage import History, StoredRun

_LONGEST = 200
"""Characters of an error that are told."""


def failure_notices(history: History, run: StoredRun) -> Iterator[tuple[str, str]]:
    """Yield code and message where executions failed, since the verdicts of those are only told to be missing."""
    found = history.commonest_error(run)
    if found is None:
        return
    counts = history.counts(run)
    line = " ".join(found.error.split())
    error = line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
    most = f"most often ({found.count:,}), " if 1 < found.count < counts["failed"] else ""
    yield (
        "executions_failed",
        f"{counts['failed']:,} of {counts['trials']:,} executions failed, {most}first in case {found.case_id!r}: "
        f"{error}; oloproof inspect --failures shows each",
    )
