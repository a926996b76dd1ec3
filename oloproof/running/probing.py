"""``oloproof evaluators probe``: does a judge see, and does its verdict follow what it is shown?

The sight test asks for what nobody can guess. Beside it, cases of a run are put to the judge again, as they are, with
the pictures blanked, with another case's media, and with a white border: the first and the last should move no
verdict, the other two should move those that pass.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any

from msgspec import Struct, field, to_builtins

from oloproof.config import Project
from oloproof.errors import CallFailed, MediaMissing, MediaUnreadable
from oloproof.evaluators import Subject
from oloproof.evaluators.judges import RubricJudge, Sight
from oloproof.media.picture_changes import blank_like, padded
from oloproof.providers import ImagePart, Part
from oloproof.records import MediaItem, Verdict
from oloproof.running.events import JudgementsDone, Listener, silent
from oloproof.running.judging import open_judges
from oloproof.running.rejudging import reading, subject_of
from oloproof.storage import History, Store, StoredRun
from oloproof.storage.probes import Probes

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
        sights = tuple(judge.sight_test.again(kind) for kind in kinds)
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
        pictured = [place for place, (_, items) in enumerate(usable) if any(item.kind != "audio" for item in items)]
        swapped = [place for place in range(len(usable)) if _other_media(usable, place)]
        places_of = {**dict.fromkeys(_PICTURES, pictured), "swap": swapped}
        asked = {change: places_of.get(change, range(len(usable))) for change in CHANGES}
        count = _Count(judge.criterion, len(usable) + sum(map(len, asked.values())), listener)
        before = [_said(count.with_one(judge.evaluate(subject).verdicts)) for subject, _ in usable]
        movements = [
            _movement(change, judge, _changed(change, usable, places), [before[place] for place in places], count)
            for change, places in asked.items()
            if places
        ]
    notes += () if pictured else ("it is shown no pictures, so none were blanked or framed",)
    notes += () if swapped else ("no two of the cases recorded other media, so none were shown another's",)
    return tuple(movements), notes


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


def _changed(change: str, usable: Sequence[_Shown], places: Sequence[int]) -> list[_Shown]:
    """Return the subjects at some places with what is shown of them under a change."""
    swap = change == "swap"
    return [(usable[place][0], _other_media(usable, place) if swap else usable[place][1]) for place in places]


class _Count:
    """Tells a listener how many of the questions are answered."""

    def __init__(self, criterion: str, total: int, listener: Listener) -> None:
        self._criterion, self._total, self._listener = criterion, total, listener
        self._done = 0

    def with_one(self, verdicts: Sequence[Verdict]) -> Sequence[Verdict]:
        """Return the verdicts of one more answer."""
        self._done += 1
        self._listener(JudgementsDone(self._criterion, self._done, self._total))
        return verdicts


def _movement(
    change: str, judge: RubricJudge, shown: Sequence[_Shown], before: Sequence[tuple[str, ...]], count: _Count
) -> Movement:
    after = [_said(count.with_one(verdicts)) for verdicts in _asked(change, judge, shown)]
    pairs = [(old, new) for old, new in zip(before, after, strict=True) if _usable(old) and _usable(new)]
    moved = sum(old != new for old, new in pairs)
    return Movement(change, len(pairs), moved, len(after) - len(pairs))


def _asked(change: str, judge: RubricJudge, shown: Sequence[_Shown]) -> Iterator[tuple[Verdict, ...]]:
    for subject, items in shown:
        try:
            yield judge.opinion_on(subject, items, _PICTURES.get(change)).verdicts
        except (MediaUnreadable, CallFailed) as error:
            yield (Verdict.missing(str(error)),)


def _each_picture(make: Callable[[bytes], bytes]) -> Callable[[tuple[Part, ...]], tuple[Part, ...]]:
    def changed(parts: tuple[Part, ...]) -> tuple[Part, ...]:
        return tuple(ImagePart(make(part.data), "image/png") if isinstance(part, ImagePart) else part for part in parts)

    return changed


_PICTURES = {"blank": _each_picture(blank_like), "pad": _each_picture(padded)}


def _said(verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    return tuple(verdict.outcome for verdict in verdicts)


def _usable(said: tuple[str, ...]) -> bool:
    return all(outcome in ("pass", "fail") for outcome in said)
