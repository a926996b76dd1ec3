"""The review queue: one person labels a blind sample, case by case, and sees nothing of what the judge said.

What the page holds is chosen here, not hidden by its style: no verdict, score, reason or model stands in its source,
and neither does what other people said, before this person has labelled the whole sample.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from starlette.responses import Response

from oloproof.errors import RunNotFound
from oloproof.labels.importing import DEFAULT_GUIDE
from oloproof.labels.problems import LabelsError, criterion_number
from oloproof.labels.progress import MINIMUM
from oloproof.labels.queue import Queue
from oloproof.labels.rows import checked_person
from oloproof.labels.sampling import DEFAULT_SIZE, frame_of
from oloproof.reports.wording import count_words, one_line, visible
from oloproof.storage import StoredRun
from oloproof.storage.labels import Labels, StoredSample
from oloproof.workbench.pages.addresses import REVIEWS, review_address
from oloproof.workbench.pages.gone import gone_page
from oloproof.workbench.pages.review_case import case_of
from oloproof.workbench.pages.review_done import done_of
from oloproof.workbench.pages.review_list import newest_complete
from oloproof.workbench.pages.review_parts import Asked, asked_of
from oloproof.workbench.pages.shell import Link, Shell, Visit, render


class StartContext(Struct, frozen=True):
    """The page before the first label: who labels, and how many cases where no sample is drawn yet."""

    shell: Shell
    criterion: str
    address: str
    asked: Asked
    run: str
    frame: int
    size: int
    drawn: str
    advice: tuple[str, ...]
    sample_address: str
    refused: str


def review_page(visit: Visit) -> Response:
    """Show the next case to label, or the one at the place that the address names."""
    criterion = visit.request.path_params["criterion"]
    try:
        return _page(visit, criterion)
    except (LabelsError, RunNotFound) as error:
        back = Link("All review queues", REVIEWS)
        return gone_page(visit, "There is nothing to label here", visible(str(error)), back, "review")


def _page(visit: Visit, criterion: str) -> Response:
    labels = Labels(visit.browsing.store)
    run, sample = _chosen(visit, labels, criterion)
    reviewer, refused = _reviewer(visit.query.get("reviewer", ""))
    if sample is None or not reviewer:
        return render("review_start.html.j2", _start(visit, run, criterion, sample, refused))
    guide = visit.query.get("guide") or _guide(labels, criterion)
    queue = visit.samples.queue(run, sample, reviewer, guide)
    place = _place(visit, queue)
    if place is None:
        return render("review_done.html.j2", done_of(visit, run, queue))
    return render("review.html.j2", case_of(visit, run, queue, place))


def _chosen(visit: Visit, labels: Labels, criterion: str) -> tuple[StoredRun, StoredSample | None]:
    """Return the run and its sample: those that the address names, or the newest sample, or the newest run."""
    named = visit.query.get("run", "")
    found = labels.samples(criterion=criterion, purpose="validate")
    if named:
        run = visit.browsing.find(named)
        criterion_number(run, criterion)
        return run, next((one for one in found if one.run == run.number), None)
    if found:
        return next(run for run in visit.browsing.runs() if run.number == found[0].run), found[0]
    newest = newest_complete(visit, criterion)
    if newest is None:
        raise LabelsError(f"no complete run has a criterion {one_line(criterion, 80)!r}, so there is nothing to label")
    return newest, None


def _reviewer(name: str) -> tuple[str, str]:
    """Return a name as it is kept, empty when none is given, and why it is refused."""
    if not name.strip():
        return "", ""
    try:
        return checked_person(name), ""
    except LabelsError as error:
        return "", str(error)


def _guide(labels: Labels, criterion: str) -> str:
    found = labels.labels(criterion=criterion, purpose="validate")
    return found[-1].guide if found else DEFAULT_GUIDE


def _place(visit: Visit, queue: Queue) -> int | None:
    """Return the place to show, from 0: ``at`` (from 1), or an open one behind ``after``.

    A case whose files are not as they were is come by once, so that it is known of, and does not keep anybody from the
    end: None when no other is open.
    """
    at, after = (_number(visit.query.get(key, ""), len(queue)) for key in ("at", "after"))
    if at is not None and at > 0:
        return at - 1
    behind = -1 if after is None else after - 1
    still_open = queue.open_after(behind)
    if not any(_can_be_shown(visit, queue, place) for place in still_open):
        return None
    return next(place for place in still_open if place > behind or _can_be_shown(visit, queue, place))


def _can_be_shown(visit: Visit, queue: Queue, place: int) -> bool:
    return all(visit.desk.reader.state(item) == "verified" for item in queue.queued.trials[place].media)


def _number(text: str, most: int) -> int | None:
    known = text.isascii() and text.isdecimal() and len(text) <= 9
    return min(int(text), most) if known else None


def _start(visit: Visit, run: StoredRun, criterion: str, sample: StoredSample | None, refused: str) -> StartContext:
    frame = sample.frame if sample else len(frame_of(visit.browsing, run, criterion, ""))
    held = len(visit.samples.queued(run, sample).trials) if sample else 0
    return StartContext(
        shell=visit.shell(f"Label {criterion}", run.project, writes=True, section="review"),
        criterion=visible(criterion),
        address=review_address(criterion),
        asked=asked_of(run, criterion),
        run=run.id,
        frame=frame,
        size=min(DEFAULT_SIZE, frame),
        drawn=f"{count_words(held, 'case')} of {frame:,}, drawn blindly" if sample else "",
        advice=tuple(_advice(frame, held)),
        sample_address=f"{review_address(criterion)}/sample",
        refused=refused,
    )


def _advice(frame: int, held: int) -> Iterator[str]:
    if frame < MINIMUM:
        yield f"A judge cannot be validated on {count_words(frame, 'case')}: at least {MINIMUM} labels are needed."
    elif held and held < MINIMUM:
        yield f"This sample cannot validate a judge: at least {MINIMUM} labels are needed; draw a longer one."
