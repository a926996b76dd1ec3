"""``oloproof evaluators probe``: does a judge see, and does its verdict follow what it is shown?

The sight test asks for what nobody can guess. Beside it, cases of a run are put to the judge again, as they are, with
the pictures blanked, with another case's media, and with a white border: the first and the last should move no
verdict, the other two should move those that pass.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any, TypeVar

from msgspec import Struct, field, to_builtins

from oloproof.config import Project
from oloproof.errors import CallFailed, MediaMissing, MediaUnreadable
from oloproof.evaluators import Subject
from oloproof.evaluators.judges import RubricJudge, Sight
from oloproof.media.picture_changes import blank_like, padded
from oloproof.providers import ImagePart, Part
from oloproof.records import MediaItem, Verdict
from oloproof.running.events import Listener, silent
from oloproof.running.judging import open_judges
from oloproof.running.questions import answers_to
from oloproof.running.rejudging import reading, subject_of
from oloproof.storage import History, Store, StoredRun
from oloproof.storage.probes import Probes

S = TypeVar("S")
T = TypeVar("T")

CHANGES = ("again", "blank", "swap", "pad")
MEANINGS = {
    "again": "asked again as it was",
    "blank": "pictures blanked",
    "swap": "another case's media",
    "pad": "a white border around the pictures",
}


_Shown = tuple[Subject, list[MediaItem]]
"""An execution, and the media that the judge is shown of it."""


class Movement(Struct, frozen=True):
    """How often a verdict moved under one change, of ``asked`` cases; ``unusable`` answers are in neither count."""

    change: str
    asked: int
    moved: int
    unusable: int


class Probed(Struct, frozen=True):
    """What the probe of one judge found."""

    criterion: str
    judge: str
    server: str
    model: str
    sights: tuple[Sight, ...]
    movements: tuple[Movement, ...] = ()
    run: str | None = None
    notes: tuple[str, ...] = field(default_factory=tuple)

    def as_json(self) -> dict[str, Any]:
        """Return it as ``evaluators probe --json`` prints it."""
        return {
            "criterion": self.criterion,
            "judge": self.judge,
            "server": self.server,
            "model": self.model,
            "sight": [sight.as_json() for sight in self.sights],
            "run": self.run,
            "movements": [to_builtins(one) for one in self.movements],
            "notes": list(self.notes),
        }


def probe_judge(
    project: Project,
    store: Store,
    judge: RubricJudge,
    *,
    run: StoredRun | None,
    cases: int,
    seed: str,
    listener: Listener = silent,
) -> Probed:
    """Test the sight of a judge now, whatever is known of it, and put up to ``cases`` of a run to it in other forms.

    What is found is kept beside what earlier probes found.

    Raises:
        OloproofError: its provider refuses every question, or a recorded file changed.
    """
    judge.prepare()
    open_judges([judge], store, reuse=True)
    with closing(judge):
        endpoint = judge.options.endpoint()
        kinds = _kinds(judge, History(store), run)
        sights = tuple(_asked(kinds, judge.sight_test.again, project, store, judge, listener))
        movements: tuple[Movement, ...] = ()
        notes: tuple[str, ...] = () if kinds else ("it is shown no media, so there is nothing to see",)
        if run is not None and judge.options.media is not None and cases:
            movements, notes = _moved(project, store, judge, run, cases, seed, listener)
        who = judge.criterion, judge.judge_hash, endpoint.server, endpoint.model
        found = Probed(*who, sights, movements, None if run is None else run.id, notes)
    Probes(store).add(judge.criterion, judge.judge_hash, found.as_json())
    return found


def _kinds(judge: RubricJudge, history: History, run: StoredRun | None) -> list[str]:
    if judge.options.media is None:
        return []
    if judge.options.kinds is not None:
        return list(judge.options.kinds)
    role = judge.options.media
    found = {
        item.kind
        for _, _, media in (history.recorded_media(run) if run is not None else ())
        for item in media
        if role in ("all", item.role)
    }
    return sorted(found) or ["image"]


def _moved(
    project: Project, store: Store, judge: RubricJudge, run: StoredRun, cases: int, seed: str, listener: Listener
) -> tuple[tuple[Movement, ...], tuple[str, ...]]:
    history = History(store)
    chance = random.Random(seed)  # noqa: S311 - a draw of cases, no secret
    ids = history.case_ids(run)
    chosen = sorted(chance.sample(ids, min(cases, len(ids))), key=ids.index)
    with reading(store, project.root) as reader:
        subjects = [subject_of(next(history.trials(run, case=case)), reader) for case in chosen]
        usable, notes = _usable_of(judge, [subject for subject in subjects if not subject.execution.failed])
        if not usable:
            return (), (*notes, f"no case of run {run.id} recorded media that this judge is shown")
        looks = list(_looks(usable))
        said = _asked(looks, lambda look: _said(judge, look), project, store, judge, listener)
    changes = {look.change for look in looks}
    movements = [_movement(change, looks, said) for change in CHANGES if change in changes]
    return tuple(movements), (*notes, *(words for change, words in _NOT_ASKED.items() if change not in changes))


_NOT_ASKED = {
    "blank": "it is shown no pictures, so none were blanked or framed",
    "swap": "no two of the cases recorded other media, so none were shown another's",
}


def _usable_of(judge: RubricJudge, subjects: Sequence[Subject]) -> tuple[list[_Shown], tuple[str, ...]]:
    """Return the subjects with the media that the judge is shown of them, and what to say of those that have none."""
    found, gone = [], 0
    for subject in subjects:
        try:
            if items := judge.items_of(subject):
                found.append((subject, items))
        except MediaMissing:
            gone += 1
    cases = "1 case is" if gone == 1 else f"{gone} cases are"
    return found, ((f"{cases} left out, whose recorded files are gone or cannot be read",) if gone else ())


def _other_media(usable: Sequence[_Shown], place: int) -> list[MediaItem]:
    """Return the media of the next case behind a place that has other ones; none where all have the same."""
    own = [item.sha256 for item in usable[place][1]]
    ring = (*usable[place + 1 :], *usable[:place])
    return next((items for _, items in ring if [item.sha256 for item in items] != own), [])


class _Look(Struct, frozen=True):
    """One execution put to the judge: as its run did, or under a change, with the media that are shown then."""

    subject: Subject
    shown: list[MediaItem]
    change: str | None = None


def _looks(usable: Sequence[_Shown]) -> Iterator[_Look]:
    """Yield each execution as it was, then under each change that it can take."""
    for place, (subject, items) in enumerate(usable):
        yield _Look(subject, items)
        yield _Look(subject, items, "again")
        if other := _other_media(usable, place):
            yield _Look(subject, other, "swap")
        if any(item.kind != "audio" for item in items):
            yield from (_Look(subject, items, change) for change in _PICTURES)


def _asked(
    things: Sequence[S],
    ask: Callable[[S], T],
    project: Project,
    store: Store,
    judge: RubricJudge,
    listener: Listener,
) -> list[T]:
    """Return what ``ask`` gives of each, asked side by side and told of; nothing of it is kept as a judgement."""
    return answers_to(
        things,
        lambda thing: (ask(thing), ()),
        criterion=judge.criterion,
        store=store,
        concurrency=project.options.concurrency,
        listener=listener,
        held_up=lambda: judge.held_up,
    )


def _said(judge: RubricJudge, look: _Look) -> tuple[str, ...]:
    """Return the outcomes that the judge gives after a look."""
    if look.change is None:
        verdicts = judge.evaluate(look.subject).verdicts
    else:
        try:
            verdicts = judge.opinion_on(look.subject, look.shown, _PICTURES.get(look.change)).verdicts
        except (MediaUnreadable, CallFailed) as error:
            verdicts = (Verdict.missing(str(error)),)
    return tuple(verdict.outcome for verdict in verdicts)


def _movement(change: str, looks: Sequence[_Look], said: Sequence[tuple[str, ...]]) -> Movement:
    before = {look.subject.case.id: outcomes for look, outcomes in zip(looks, said, strict=True) if look.change is None}
    pairs = [
        (before[look.subject.case.id], outcomes)
        for look, outcomes in zip(looks, said, strict=True)
        if look.change == change
    ]
    usable = [(old, new) for old, new in pairs if _usable(old) and _usable(new)]
    moved = sum(old != new for old, new in usable)
    return Movement(change, len(usable), moved, len(pairs) - len(usable))


def _each_picture(make: Callable[[bytes], bytes]) -> Callable[[tuple[Part, ...]], tuple[Part, ...]]:
    def changed(parts: tuple[Part, ...]) -> tuple[Part, ...]:
        return tuple(ImagePart(make(part.data), "image/png") if isinstance(part, ImagePart) else part for part in parts)

    return changed


_PICTURES = {"blank": _each_picture(blank_like), "pad": _each_picture(padded)}


def _usable(said: tuple[str, ...]) -> bool:
    return all(outcome in ("pass", "fail") for outcome in said)
