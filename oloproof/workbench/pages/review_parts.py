"""What the pages of a review queue share: the question, and the addresses of the queue."""

from __future__ import annotations

from msgspec import Struct

from oloproof.labels.importing import DEFAULT_GUIDE
from oloproof.labels.problems import criterion_number
from oloproof.labels.queue import Queue
from oloproof.reports.wording import visible
from oloproof.storage import StoredRun
from oloproof.workbench.pages.addresses import review_address

_LONGEST_QUESTION = 140


class Asked(Struct, frozen=True):
    """What is asked of every case. ``rubric`` is empty where the question says all of it."""

    question: str
    rubric: str


def asked_of(run: StoredRun, criterion: str) -> Asked:
    """Return what is asked of the cases of a criterion: what its rubric says, where that is one short sentence."""
    entry = run.criteria[criterion_number(run, criterion)]
    identity = run.document.get("judges", {}).get(entry["digest"], {})
    rubric = visible(str(identity.get("rubric") or "").strip())
    if 0 < len(rubric) <= _LONGEST_QUESTION and "\n" not in rubric:
        return Asked(rubric, "")
    return Asked(f"Does this pass {visible(criterion)}?", rubric)


def queue_address(run: StoredRun, queue: Queue, *query: tuple[str, str]) -> str:
    """Return an address of a person's queue."""
    guide = "" if queue.guide == DEFAULT_GUIDE else queue.guide
    who = [("reviewer", queue.reviewer), ("run", run.id), ("guide", guide)]
    return review_address(queue.queued.sample.criterion, [*who, *query])
