"""One case of a review queue, as a person sees it who may not know what the judge said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from oloproof.labels.queue import Queue
from oloproof.reports.case_views import worst_word
from oloproof.reports.contexts import Fact, Mark
from oloproof.reports.wording import json_words, one_line, visible
from oloproof.storage import StoredRun
from oloproof.workbench.pages.addresses import media_address
from oloproof.workbench.pages.case import Pane, panes_of, whole_views
from oloproof.workbench.pages.pictures import Medium
from oloproof.workbench.pages.review_parts import Asked, asked_of, queue_address
from oloproof.workbench.pages.shell import Shell, Visit

_PRELOADED = 3
_MOST_TICKS = 200


class Given(Struct, frozen=True):
    """What this person said of the case before; empty where they have not."""

    word: Literal["pass", "fail", "unsure", ""]
    note: str


class Tick(Struct, frozen=True):
    """One case in the line of all: whether it is done, never which way. ``x`` and ``width`` are per cent."""

    x: str
    width: str
    state: Literal["done", "open", "here"]


class ReviewContext(Struct, frozen=True):
    """The page of one case. ``answer`` is what a label of it is sent with; ``onward`` where it leads; ``here`` is the
    address that shows this very case again.

    ``broken`` says why the case cannot be labelled, empty where it can; ``broken_mark`` is that of its file.
    """

    shell: Shell
    criterion: str
    asked: Asked
    media: tuple[Medium, ...]
    zooms: bool
    claim: Pane | None
    nothing: str
    given: tuple[Fact, ...]
    expected: Pane | None
    answer: Mapping[str, str]
    said: Given
    broken: str
    broken_mark: Mark
    number: int
    total: int
    done: int
    ticks: tuple[Tick, ...]
    seed: str
    reviewer: str
    here: str
    onward: str
    back: str | None
    preload: tuple[str, ...]


def case_of(visit: Visit, run: StoredRun, queue: Queue, place: int) -> ReviewContext:
    """Return the page of the case at a place of a queue, from 0."""
    trial = queue.queued.trials[place]
    stored = next(
        one
        for one in visit.browsing.trials(run, case=trial.case_id)
        if (one.variant, one.repeat) == (trial.variant, trial.repeat)
    )
    shown = whole_views(visit).case(run, [stored], worst_word(stored), 0).trials[0]
    panes = {pane.title: pane for pane in panes_of(visit.desk.reader, run, stored, shown)}
    media = tuple(one for pane in panes.values() for one in pane.media)
    criterion, number = queue.queued.sample.criterion, place + 1
    return ReviewContext(
        shell=visit.shell(f"Label {criterion}", run.project, writes=True, section="review"),
        criterion=visible(criterion),
        asked=asked_of(run, criterion),
        media=media,
        zooms=any(one.view.kind == "image" and one.shown for one in media),
        claim=_words_of(panes.get("Output")),
        nothing=panes["Output"].nothing if "Output" in panes else "",
        given=tuple(_given(trial.input, [one.view.place for one in media])),
        expected=_words_of(panes.get("Expected")),
        answer=_answer(run, queue, place),
        said=_said(queue, place),
        broken=_broken(media),
        broken_mark=next((one.view.mark for one in media if one.view.state != "verified"), "changed"),
        number=number,
        total=len(queue),
        done=queue.done,
        ticks=tuple(_ticks(queue, place)),
        seed=visible(queue.queued.sample.seed),
        reviewer=visible(queue.reviewer),
        here=queue_address(run, queue, ("at", str(number))),
        onward=queue_address(run, queue, ("after", str(number))),
        back=queue_address(run, queue, ("at", str(number - 1))) if number > 1 else None,
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


def _preloaded(run: StoredRun, queue: Queue, place: int) -> Iterator[str]:
    ahead = [one for one in range(place + 1, len(queue)) if one not in queue.labels][:_PRELOADED]
    for one in ahead:
        for item in queue.queued.trials[one].media:
            if item.kind == "image":
                yield media_address(run.id, item.id)
