"""The list of what people can label: each criterion with its sample, and who labelled how much of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec import Struct
from starlette.responses import Response

from oloproof.labels.progress import MINIMUM
from oloproof.reports.wording import count_words, visible
from oloproof.storage import StoredRun
from oloproof.storage.labels import Labels, StoredSample
from oloproof.workbench.pages.addresses import review_address
from oloproof.workbench.pages.shell import Shell, Visit, render


class ReviewRow(Struct, frozen=True):
    """A criterion: its sample in words, and everyone who labelled some of it."""

    criterion: str
    address: str
    sample: str
    people: tuple[str, ...]
    action: str


class ReviewListContext(Struct, frozen=True):
    """The page."""

    shell: Shell
    rows: tuple[ReviewRow, ...]
    least: int


def review_list_page(visit: Visit) -> Response:
    """Show what can be labelled."""
    newest = newest_complete(visit)
    page = ReviewListContext(
        shell=visit.shell("Review", None if newest is None else newest.project, section="review"),
        rows=tuple(_rows(visit, newest)),
        least=MINIMUM,
    )
    return render("review_list.html.j2", page)


def newest_complete(visit: Visit, criterion: str | None = None) -> StoredRun | None:
    """Return the newest run that is complete, and has a criterion."""
    for run in visit.browsing.runs():
        names = {entry["criterion"] for entry in run.criteria}
        if run.state == "complete" and (criterion is None or criterion in names):
            return run
    return None


def _rows(visit: Visit, newest: StoredRun | None) -> Iterator[ReviewRow]:
    labels = Labels(visit.browsing.store)
    judged = [] if newest is None else [entry["criterion"] for entry in newest.criteria if entry["calls_model"]]
    for criterion in dict.fromkeys([*judged, *labels.counts()]):
        found = labels.samples(criterion=criterion, purpose="validate")
        yield _row(visit, labels, criterion, found[0] if found else None)


def _row(visit: Visit, labels: Labels, criterion: str, sample: StoredSample | None) -> ReviewRow:
    if sample is None:
        return ReviewRow(visible(criterion), review_address(criterion), "no sample is drawn yet", (), "Draw a sample")
    run = next(one for one in visit.browsing.runs() if one.number == sample.run)
    queued = visit.samples.queued(run, sample)
    shown = set(queued.shown)
    counts = Counter(one.labelled_by for one in labels.labels(criterion=criterion) if one.shown in shown)
    total = len(queued.trials)
    return ReviewRow(
        criterion=visible(criterion),
        address=review_address(criterion),
        sample=f"{count_words(total, 'case')} of run {run.id}, drawn blindly from {sample.frame:,}",
        people=tuple(f"{visible(who)} {count:,} of {total:,}" for who, count in sorted(counts.items())),
        action="Label",
    )
