"""How far a run under way is, as pages show it and as the stream of events tells it later on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from oloproof.records import Outcome
from oloproof.reports.contexts import Mark
from oloproof.storage import StoredRun
from oloproof.storage.progress import RunProgress
from oloproof.workbench.pages.shell import Visit

_SHOWN: tuple[Outcome, ...] = ("pass", "fail", "missing", "invalid")


class Tally(Struct, frozen=True):
    """How many trials have an outcome, by the worst that is said of each."""

    mark: Mark
    count: str


class Progress(Struct, frozen=True):
    """How far a run is that is not complete."""

    run: str
    done: int
    total: int
    words: str
    tally: tuple[Tally, ...]


def progress_of(visit: Visit, run: StoredRun) -> Progress:
    """Return how far a run is."""
    return progress_from(visit.desk.progress.of(run.number, run.id, run.system_version, run.trials))


def progress_from(found: RunProgress) -> Progress:
    """Return what is shown of what was counted."""
    return Progress(
        run=found.run,
        done=found.done,
        total=found.total,
        words=f"{found.done:,} of {found.total:,} trials",
        tally=tuple(Tally(outcome, f"{found.outcomes[outcome]:,}") for outcome in _SHOWN),
    )


def event_of(found: RunProgress) -> Mapping[str, Any]:
    """Return the same as an event: the words of the page, by the parts that they replace."""
    told = progress_from(found)
    return {
        "run": told.run,
        "version": found.version,
        "done": told.done,
        "total": told.total,
        "words": told.words,
        "tally": {one.mark: one.count for one in told.tally},
    }
