"""The review queue: one person labels a blind sample, case by case, and sees nothing of what the judge said.

What the page holds is chosen here, not hidden by its style: no verdict, score, reason or model stands in its source,
and neither does what other people said, before this person has labelled the whole sample.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from starlette.responses import Response

from oloproof.errors import RunNotFound
from oloproof.labels.gathering import gather
from oloproof.labels.importing import DEFAULT_GUIDE
from oloproof.labels.problems import LabelsError, criterion_number
from oloproof.labels.progress import MINIMUM
from oloproof.labels.queue import Queue
from oloproof.labels.rows import checked_person
from oloproof.labels.sampling import DEFAULT_SIZE, frame_of
from oloproof.reports.case_views import CaseViews, worst_word
from oloproof.reports.contexts import Fact
from oloproof.reports.withholding import Withholding
from oloproof.reports.wording import count_words, json_words, one_line, visible
from oloproof.statistics import krippendorff_alpha
from oloproof.storage import StoredRun
from oloproof.storage.labels import Labels, StoredSample
from oloproof.workbench.pages.addresses import REVIEWS, media_address, review_address
from oloproof.workbench.pages.case import Medium, Pane, panes_of
from oloproof.workbench.pages.gone import nothing_page
from oloproof.workbench.pages.review_list import newest_complete
from oloproof.workbench.pages.shell import Link, Shell, Visit, render

_PRELOADED = 3
_LONGEST_QUESTION = 140
_MOST_TICKS = 200
_LISTED = 50


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of every case. ``rubric`` is empty where the question says all of it."""

    question: str
    rubric: str


@dataclass(frozen=True, slots=True)
class StartContext:
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


@dataclass(frozen=True, slots=True)
class Given:
    """What this person said of the case before; empty where they have not."""

    word: Literal["pass", "fail", "unsure", ""]
    note: str


@dataclass(frozen=True, slots=True)
class Tick:
    """One case in the line of all: whether it is done, never which way. ``x`` and ``width`` are per cent."""

    x: str
    width: str
    state: Literal["done", "open", "here"]


@dataclass(frozen=True, slots=True)
class ReviewContext:
    """The page of one case. ``answer`` is what a label of it is sent with; ``onward`` where it leads; ``here`` is the
    address that shows this very case again.

    ``broken`` says why the case cannot be labelled, empty where it can.
    """

    shell: Shell
    criterion: str
    asked: Asked
    media: tuple[Medium, ...]
    claim: Pane | None
    given: tuple[Fact, ...]
    expected: Pane | None
    answer: Mapping[str, str]
    said: Given
    broken: str
    number: int
    total: int
    done: int
    ticks: tuple[Tick, ...]
    seed: str
    reviewer: str
    here: str
    onward: str
    back: str | None
    skip: str | None
    preload: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DoneContext:
    """The page when every case is labelled: who labelled how much, how far they agree, and what comes next."""

    shell: Shell
    criterion: str
    sentence: str
    people: tuple[str, ...]
    agreement: str
    split: tuple[Link, ...]
    command: str
    look: Link


def review_page(visit: Visit) -> Response:
    """Show the next case to label, or the one at the place that the address names."""
    criterion = visit.request.path_params["criterion"]
    try:
        return _page(visit, criterion)
    except (LabelsError, RunNotFound) as error:
        return nothing_page(visit, str(error), Link("All review queues", REVIEWS))


def _page(visit: Visit, criterion: str) -> Response:
    labels = Labels(visit.browsing.store)
    run, sample = _chosen(visit, labels, criterion)
    reviewer, refused = _reviewer(visit.query.get("reviewer", ""))
    if sample is None or not reviewer:
        return render("review_start.html.j2", _start(visit, run, criterion, sample, refused))
    guide = visit.query.get("guide") or _guide(labels, criterion)
    queue = visit.samples.queue(run, sample, reviewer, guide)
    place = _place(visit.query, queue)
    if place is None:
        return render("review_done.html.j2", _done(visit, run, queue))
    return render("review.html.j2", _case(visit, run, queue, place))


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


def _place(query: Mapping[str, str], queue: Queue) -> int | None:
    """Return the place to show, from 0: ``at`` (from 1), or the first open one behind ``after``."""
    at, after = (_number(query.get(key, ""), len(queue)) for key in ("at", "after"))
    if at is not None and at > 0:
        return at - 1
    return queue.open_after(-1 if after is None else after - 1)


def _number(text: str, most: int) -> int | None:
    known = text.isascii() and text.isdecimal() and len(text) <= 9
    return min(int(text), most) if known else None


def _asked(visit: Visit, run: StoredRun, criterion: str) -> Asked:
    entry = run.criteria[criterion_number(run, criterion)]
    declared = run.document.get("project", {}).get("evaluators", [])
    number = entry.get("evaluator", -1)
    options: Mapping[str, Any] = declared[number] if 0 <= number < len(declared) else {}
    rubric = visible(str(options.get("rubric_text") or "").strip())
    if options.get("rubric_file"):
        rubric = f"The rubric stands in {visible(str(options['rubric_file']))} of the project."
    if 0 < len(rubric) <= _LONGEST_QUESTION and "\n" not in rubric and not options.get("rubric_file"):
        return Asked(rubric, "")
    return Asked(f"Does this pass {visible(criterion)}?", rubric)


def _start(visit: Visit, run: StoredRun, criterion: str, sample: StoredSample | None, refused: str) -> StartContext:
    frame = sample.frame if sample else len(frame_of(visit.browsing, run, criterion, ""))
    held = len(visit.samples.queued(run, sample).trials) if sample else 0
    return StartContext(
        shell=visit.shell(f"Label {criterion}", run.project, writes=True, section="v"),
        criterion=visible(criterion),
        address=review_address(criterion),
        asked=_asked(visit, run, criterion),
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


def _case(visit: Visit, run: StoredRun, queue: Queue, place: int) -> ReviewContext:
    trial = queue.queued.trials[place]
    stored = next(
        one
        for one in visit.browsing.trials(run, case=trial.case_id)
        if (one.variant, one.repeat) == (trial.variant, trial.repeat)
    )
    views = CaseViews(visit.desk.reader, Withholding(frozenset(), visit.desk.root))
    shown = views.case(run, [stored], worst_word(stored), 0).trials[0]
    panes = {pane.title: pane for pane in panes_of(visit.desk.reader, run, stored, shown)}
    media = tuple(one for pane in panes.values() for one in pane.media)
    criterion, number = queue.queued.sample.criterion, place + 1
    return ReviewContext(
        shell=visit.shell(f"Label {criterion}", run.project, writes=True, section="v"),
        criterion=visible(criterion),
        asked=_asked(visit, run, criterion),
        media=media,
        claim=_words_of(panes.get("Output")),
        given=tuple(_given(trial.input, [one.view.place for one in media])),
        expected=_words_of(panes.get("Expected")),
        answer=_answer(run, queue, place),
        said=_said(queue, place),
        broken=_broken(media),
        number=number,
        total=len(queue),
        done=queue.done,
        ticks=tuple(_ticks(queue, place)),
        seed=visible(queue.queued.sample.seed),
        reviewer=visible(queue.reviewer),
        here=_address(run, queue, ("at", str(number))),
        onward=_address(run, queue, ("after", str(number))),
        back=_address(run, queue, ("at", str(number - 1))) if number > 1 else None,
        skip=_address(run, queue, ("at", str(number + 1))) if number < len(queue) else None,
        preload=tuple(_preloaded(run, queue, place)),
    )


def _words_of(pane: Pane | None) -> Pane | None:
    return pane if pane is not None and pane.value is not None and pane.value.text else None


def _given(value: Any, places: Sequence[str]) -> Iterator[Fact]:
    """Yield what the case gives the system, but for the paths of files that are shown."""
    values = value if isinstance(value, dict) else {} if value is None else {"input": value}
    for name, one in values.items():
        parts = one if isinstance(one, list) else [one]
        if not all(isinstance(part, str) and _names_one(part, places) for part in parts):
            yield Fact(one_line(str(name), 80), one_line(one if isinstance(one, str) else json_words(one), 400))


def _names_one(text: str, places: Sequence[str]) -> bool:
    return any(text == place or place.endswith(f"/{text}") for place in places)


def _answer(run: StoredRun, queue: Queue, place: int) -> dict[str, str]:
    trial = queue.queued.trials[place]
    return {
        "run": run.id,
        "case_id": trial.case_id,
        "criterion": queue.queued.sample.criterion,
        "variant": trial.variant,
        "repeat": str(trial.repeat),
        "execution": str(trial.execution),
        "shown": queue.queued.shown[place],
        "labelled_by": queue.reviewer,
        "guide": queue.guide,
    }


def _said(queue: Queue, place: int) -> Given:
    label = queue.labels.get(place)
    if label is None:
        return Given("", "")
    return Given("unsure" if label.passed is None else "pass" if label.passed else "fail", label.note or "")


def _broken(media: Sequence[Medium]) -> str:
    lost = [one.view for one in media if one.view.state != "verified"]
    if not lost:
        return ""
    return (
        f"{lost[0].name} is {lost[0].state_words}. What was shown cannot be shown any more, so this case is left out."
    )


def _ticks(queue: Queue, place: int) -> Iterator[Tick]:
    """Yield a tick a case; of a long sample one for several."""
    each = -(-len(queue) // _MOST_TICKS)
    count = -(-len(queue) // each)
    for number in range(count):
        group = range(number * each, min((number + 1) * each, len(queue)))
        done = all(one in queue.labels for one in group)
        state: Literal["done", "open", "here"] = "here" if place in group else "done" if done else "open"
        yield Tick(f"{100 * number / count:.3f}%", f"{100 / count * 0.82:.3f}%", state)


def _address(run: StoredRun, queue: Queue, *query: tuple[str, str]) -> str:
    guide = "" if queue.guide == DEFAULT_GUIDE else queue.guide
    who = [("reviewer", queue.reviewer), ("run", run.id), ("guide", guide)]
    return review_address(queue.queued.sample.criterion, [*who, *query])


def _preloaded(run: StoredRun, queue: Queue, place: int) -> Iterator[str]:
    ahead = [one for one in range(place + 1, len(queue)) if one not in queue.labels][:_PRELOADED]
    for one in ahead:
        for item in queue.queued.trials[one].media:
            if item.kind == "image":
                yield media_address(run.id, item.id)


def _done(visit: Visit, run: StoredRun, queue: Queue) -> DoneContext:
    criterion = queue.queued.sample.criterion
    found = gather(visit.browsing, run, criterion, guide=queue.guide)
    shown = set(queue.queued.shown)
    labels = Labels(visit.browsing.store).labels(criterion=criterion, purpose="validate")
    counts = Counter(one.labelled_by for one in labels if one.shown in shown and one.guide == queue.guide)
    places = {trial.case_id: number for number, trial in enumerate(queue.queued.trials, start=1)}
    return DoneContext(
        shell=visit.shell(
            f"Labelled {criterion}", run.project, (Link("Review", REVIEWS),), visible(criterion), section="v"
        ),
        criterion=visible(criterion),
        sentence=f"{visible(queue.reviewer)} has labelled all {count_words(len(queue), 'case')} of this sample.",
        people=tuple(f"{visible(who)} {count:,} of {len(queue):,}" for who, count in sorted(counts.items())),
        agreement=_agreement(found.units, len(counts)),
        split=tuple(
            Link(visible(case), _address(run, queue, ("at", str(places[case]))))
            for case in found.unsettled[:_LISTED]
            if case in places
        ),
        command=f"oloproof evaluators validate --criterion {criterion}",
        look=Link("Look at the labels again, from the first", _address(run, queue, ("at", "1"))),
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
