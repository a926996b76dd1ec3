"""The judges that a criterion has had, newest first, and in words what made each another than the one before."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import chain
from typing import Any, Literal

from msgspec import Struct

from oloproof.labels import validations_of
from oloproof.reports.contexts import Mark
from oloproof.reports.wording import count_words, one_line, visible
from oloproof.storage import StoredRun
from oloproof.storage.browsing import Browsing
from oloproof.storage.judges import KnownJudge
from oloproof.workbench.pages.addresses import judge_address, run_address, short_hash
from oloproof.workbench.pages.judge_states import JudgeState, state_among
from oloproof.workbench.pages.shell import Link

_PARAMETERS = ("temperature", "seed", "max_tokens")
_WHOLE = {
    "rubric": "rubric",
    "reply": "how a reply is asked for and read",
    "source": "the code of its modules",
    "sees.images": "how pictures are prepared",
    "sees.frames": "which frames of a clip it is shown",
    "sees.sound": "how sound is brought to it",
}
"""Parts that are too long to be set beside each other."""

_CONTEXT_WORDS = 6
_LONGEST = 60
_NOT_KEPT = "what it is made of is not kept: it judged no run, or one of an older Oloproof"


class Piece(Struct, frozen=True):
    """Some words of a rubric: in both versions, only in the newer one, or only in the older one."""

    kind: Literal["same", "added", "removed"]
    text: str


class VersionRow(Struct, frozen=True):
    """One judge of a criterion. ``changes`` say in which parts it differs from the one before it in time."""

    name: str
    address: str
    current: bool
    mark: Mark
    state: str
    labels: str
    look: str
    runs: str
    newest_run: Link | None
    changes: tuple[str, ...]
    rubric: tuple[Piece, ...]


def identity_of(run: StoredRun | None, judge: str) -> Mapping[str, Any] | None:
    """Return what a judge is made of, as a run of it kept it."""
    kept: Mapping[str, Any] | None = None if run is None else run.document.get("judges", {}).get(judge)
    return kept


def version_rows(
    browsing: Browsing, judges: Sequence[KnownJudge], runs: Mapping[int, StoredRun], shown: str
) -> tuple[VersionRow, ...]:
    """Return a row for each of the judges of one criterion, which come newest first; ``shown`` is the page's own."""
    looks = validations_of(browsing.store, judges[0].criterion)
    identities = [identity_of(runs.get(one.newest_run or 0), one.judge) for one in judges]
    older: list[Mapping[str, Any] | None] = [*identities[1:], None]
    return tuple(
        _row(
            one,
            state_among(looks, one.judge),
            runs,
            mine,
            before,
            first=place == len(judges),
            current=one.judge == shown,
        )
        for place, (one, mine, before) in enumerate(zip(judges, identities, older, strict=True), start=1)
    )


def _row(
    one: KnownJudge,
    state: JudgeState,
    runs: Mapping[int, StoredRun],
    mine: Mapping[str, Any] | None,
    before: Mapping[str, Any] | None,
    *,
    first: bool,
    current: bool,
) -> VersionRow:
    run = runs.get(one.newest_run or 0)
    known = mine is not None and before is not None
    told = ("first",) if first else changes(before or {}, mine or {}) if known else (_NOT_KEPT,)
    return VersionRow(
        name=short_hash(one.judge),
        address=judge_address(one.judge, [("criterion", one.criterion)]),
        current=current,
        mark=state.mark,
        state=state.word,
        labels="" if state.validation is None else f"{state.validation.document['decision']['n']:,}",
        look="" if state.validation is None else f"{state.validation.look}",
        runs=count_words(one.runs, "run") if one.runs else "no run",
        newest_run=None if run is None else Link(run.id, run_address(run.id)),
        changes=told,
        rubric=rubric_pieces((before or {}).get("rubric"), (mine or {}).get("rubric")) if known and not first else (),
    )


def changes(older: Mapping[str, Any], newer: Mapping[str, Any]) -> tuple[str, ...]:
    """Return in words each part in which two judges differ; what can be set beside each other is."""
    parts = _parts(older), _parts(newer)
    names = dict.fromkeys(chain(parts[1], parts[0]))
    told = [
        _WHOLE.get(name) or f"{name.removeprefix('sees.')} {_short(parts[0].get(name))} → {_short(parts[1].get(name))}"
        for name in names
        if parts[0].get(name) != parts[1].get(name)
    ]
    return tuple(told) or ("nothing that is kept",)


def _parts(identity: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of an identity by name, those of its inner mappings too."""
    return dict(_flat(identity, ""))


def _flat(values: Mapping[str, Any], before: str) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if name == "parameters" and isinstance(value, Sequence):
            yield from zip(_PARAMETERS, value, strict=False)
        elif isinstance(value, Mapping) and before + name not in _WHOLE:
            yield from _flat(value, "" if name == "options" else f"{before}{name}.")
        else:
            yield before + name, value


def _short(value: Any) -> str:
    if value is None:
        return "none"
    return one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), _LONGEST)


def rubric_pieces(older: Any, newer: Any) -> tuple[Piece, ...]:
    """Return two rubrics as one text of what was added and removed, with a few words around; nothing when equal."""
    if not (isinstance(older, str) and isinstance(newer, str)) or older == newer:
        return ()
    old, new = visible(older).split(), visible(newer).split()
    pieces: list[Piece] = []
    steps = SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes()
    for number, (step, a, b, c, d) in enumerate(steps):
        if step == "equal":
            words = _trimmed(new[c:d], begins=number == 0, ends=number == len(steps) - 1)
            pieces.append(Piece("same", " ".join(words)))
        if a < b and step != "equal":
            pieces.append(Piece("removed", " ".join(old[a:b])))
        if c < d and step != "equal":
            pieces.append(Piece("added", " ".join(new[c:d])))
    return tuple(pieces)


def _trimmed(words: Sequence[str], *, begins: bool, ends: bool) -> list[str]:
    """Return a stretch that did not change, its middle left out when it is long."""
    if len(words) <= 2 * _CONTEXT_WORDS + 2:
        return list(words)
    head = [] if begins else list(words[:_CONTEXT_WORDS])
    return [*head, "…", *([] if ends else words[-_CONTEXT_WORDS:])]
