"""Whether a judge perceives what it is sent: what its last probe found, or else what its judgements were given with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct

from oloproof.reports.contexts import Mark
from oloproof.reports.judges import movement_warning
from oloproof.reports.wording import count_words, one_line, sense_of, sight_words
from oloproof.running.probing import MEANINGS
from oloproof.storage import StoredRun
from oloproof.storage.judges import Judges
from oloproof.storage.probes import Probes, StoredProbe

_MARKS: dict[str, Mark] = {"proven": "pass", "not_proven": "fail", "not_tested": "missing"}
_WORST = ("not_proven", "not_tested", "proven")
_ASKED = {"image": "A random code in a picture", "video": "Frames that differ", "audio": "Speech or tones in a sound"}
_SHOULD = {
    "again": "its own noise: it should move in none",
    "blank": "a verdict that follows the picture moves",
    "swap": "a verdict that follows the media moves",
    "pad": "nothing of the picture changed: it should move in none",
}


class ProbeRow(Struct, frozen=True):
    """One thing that was tried: what, what came of it, and what that means."""

    probe: str
    mark: Mark | None
    result: str
    meaning: str


class SightView(Struct, frozen=True):
    """What is known of the senses of a judge: the worst of it in one word, where it is from, and its parts."""

    mark: Mark
    word: str
    source: str
    rows: tuple[ProbeRow, ...]
    notes: tuple[str, ...]


def sight_of(store_judges: Judges, probes: Probes, judge: str, run: StoredRun | None, evaluator: int) -> SightView:
    """Return what is known of a judge's senses; ``evaluator`` is its number in ``run``, its newest."""
    newest = next(iter(probes.of(judge)), None)
    if newest is not None:
        return _probed(newest)
    counts = {} if run is None else store_judges.sight(run.number, evaluator)
    state = next((one for one in _WORST if counts.get(one)), "not_tested")
    rows = tuple(
        ProbeRow(
            f"Sight test before {count_words(counts[one], 'judgement')}",
            _MARKS[one],
            one.replace("_", " "),
            "known when they were given",
        )
        for one in _WORST
        if counts.get(one)
    )
    source = "no probe of this judge is kept" + (f"; of its judgements in run {run.id}" if rows and run else "")
    return SightView(_MARKS[state], sight_words({state: 1}), source, rows, ())


def _probed(probe: StoredProbe) -> SightView:
    document = probe.document
    states = [one["state"] for one in document["sight"]]
    state = next((one for one in _WORST if one in states), "not_tested")
    when = datetime.fromtimestamp(probe.time, UTC).strftime("%Y-%m-%d %H:%M UTC")
    run = "" if document["run"] is None else f", cases of run {document['run']}"
    return SightView(
        mark=_MARKS[state],
        word=sight_words({state: 1}, sense_of(one["kind"] for one in document["sight"])),
        source=one_line(f"probed {when}, {document['model']} at {document['server']}{run}", 200),
        rows=(*_sights(document), *_movements(document)),
        notes=tuple(one_line(note, 300) for note in document["notes"]),
    )


def _sights(document: Mapping[str, Any]) -> Iterator[ProbeRow]:
    for one in document["sight"]:
        state = one["state"]
        name = _ASKED.get(one["kind"], one["kind"])
        yield ProbeRow(name, _MARKS[state], state.replace("_", " "), one_line(one["reason"], 300))


def _movements(document: Mapping[str, Any]) -> Iterator[ProbeRow]:
    for one in document["movements"]:
        unusable = f", {one['unusable']} without a usable answer" if one["unusable"] else ""
        name = MEANINGS[one["change"]]
        yield ProbeRow(
            probe=name[:1].upper() + name[1:],
            mark=None,
            result=f"moved in {one['moved']} of {one['asked']}{unusable}",
            meaning=movement_warning(one) or _SHOULD[one["change"]],
        )
