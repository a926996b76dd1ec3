"""The end of a review queue: who labelled how much, how far people agree, and what comes next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from oloproof.labels.gathering import gather
from oloproof.labels.queue import Queue
from oloproof.reports.wording import count_words, visible
from oloproof.statistics import krippendorff_alpha
from oloproof.storage import StoredRun
from oloproof.storage.labels import Labels
from oloproof.workbench.pages.addresses import REVIEWS
from oloproof.workbench.pages.review_parts import queue_address
from oloproof.workbench.pages.shell import Link, Shell, Visit

_LISTED = 50


class DoneContext(Struct, frozen=True):
    """The page when every case is labelled: who labelled how much, how far they agree, and what comes next.

    ``left_out`` are the cases that cannot be labelled, since their files are not as they were recorded.
    """

    shell: Shell
    criterion: str
    title: str
    sentence: str
    left_out: tuple[Link, ...]
    people: tuple[str, ...]
    agreement: str
    split: tuple[Link, ...]
    command: str
    look: Link


def done_of(visit: Visit, run: StoredRun, queue: Queue) -> DoneContext:
    """Return the page for a person who has labelled the whole of a queue."""
    criterion = queue.queued.sample.criterion
    found = gather(visit.browsing, run, criterion, guide=queue.guide)
    shown = set(queue.queued.shown)
    labels = Labels(visit.browsing.store).labels(criterion=criterion, purpose="validate")
    counts = Counter(one.labelled_by for one in labels if one.shown in shown and one.guide == queue.guide)
    still_open = queue.open_after(-1)
    places = {trial.case_id: number for number, trial in enumerate(queue.queued.trials, start=1)}
    return DoneContext(
        shell=visit.shell(
            f"Labelled {criterion}", run.project, (Link("Review", REVIEWS),), visible(criterion), section="review"
        ),
        criterion=visible(criterion),
        title=f"Every case {'that can be shown' if still_open else 'of this sample'} is labelled",
        sentence=_sentence(queue, len(still_open)),
        left_out=tuple(
            Link(visible(queue.queued.trials[place].case_id), queue_address(run, queue, ("at", str(place + 1))))
            for place in still_open[:_LISTED]
        ),
        people=tuple(f"{visible(who)} {count:,} of {len(queue):,}" for who, count in sorted(counts.items())),
        agreement=_agreement(found.units, len(counts)),
        split=tuple(
            Link(visible(case), queue_address(run, queue, ("at", str(places[case]))))
            for case in found.unsettled[:_LISTED]
            if case in places
        ),
        command=f"oloproof evaluators validate --criterion {criterion}",
        look=Link("Look at the labels again, from the first", queue_address(run, queue, ("at", "1"))),
    )


def _sentence(queue: Queue, left_out: int) -> str:
    who, count = visible(queue.reviewer), count_words(len(queue), "case")
    if not left_out:
        return f"{who} has labelled all {count} of this sample."
    return (
        f"{who} has labelled {queue.done:,} of the {count} of this sample. {count_words(left_out, 'case')} cannot be "
        f"shown as recorded, so nobody can label {'it' if left_out == 1 else 'them'}; a judge is held to the labels "
        "that there are."
    )


def _agreement(units: Sequence[tuple[bool, ...]], people: int) -> str:
    """Return how far people agree, for reading only."""
    if not units:
        return "One person labelled, so nothing can be said of agreement." if people < 2 else "No case has two labels."
    same = sum(len(set(unit)) == 1 for unit in units)
    found = krippendorff_alpha(units)
    words = f"Of {count_words(len(units), 'case')} with two labels or more, people agree on {same:,}"
    if found.alpha is None:
        return f"{words}; all labels are the same, so Krippendorff’s alpha says nothing."
    interval = "" if found.interval is None else f" ({found.interval[0]:.2f} to {found.interval[1]:.2f})"
    return f"{words}; Krippendorff’s alpha {found.alpha:.2f}{interval}, for reading only.".replace("-", "−")
