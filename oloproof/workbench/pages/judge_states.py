"""Whether a judge may decide, as the looks at the labels of its criterion found: one word, one mark, one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from oloproof.labels import validations_of
from oloproof.policy.wording import JUDGE_WHY
from oloproof.reports.contexts import Mark
from oloproof.reports.judges import NEVER_LOOKED_AT
from oloproof.running.standing import standing_among
from oloproof.storage import StoredRun
from oloproof.storage.browsing import Browsing
from oloproof.storage.labels import StoredValidation

STATE_MARKS: dict[str, Mark] = {"VALIDATED": "pass", "NOT_VALIDATED": "fail", "INSUFFICIENT_LABELS": "undecided"}
_EFFECTS = {
    "VALIDATED": "Its verdicts may decide rules",
    "NOT_VALIDATED": "Its verdicts decide no rule",
    "INSUFFICIENT_LABELS": "Its verdicts decide no rule yet",
}


class JudgeState(Struct, frozen=True):
    """The state of a judge. ``word`` is that of its newest validation, or says that nobody looked at it yet.

    ``reason`` is the code of why it may not decide, empty when it may.
    """

    word: str
    mark: Mark
    sentence: str
    reason: str
    validation: StoredValidation | None


def state_of(browsing: Browsing, criterion: str, judge: str, *, blind: bool = False) -> JudgeState:
    """Return the state of a judge for a criterion; ``blind`` as :func:`is_blind` tells."""
    return state_among(validations_of(browsing.store, criterion), judge, blind=blind)


def state_among(looks: Sequence[StoredValidation], judge: str, *, blind: bool = False) -> JudgeState:
    """Return the state of a judge by the looks at the labels of its criterion, newest first."""
    standing, own = standing_among(looks, judge, blind=blind), standing_among(looks, judge).validation
    if own is None:
        return JudgeState(NEVER_LOOKED_AT, "missing", JUDGE_WHY[standing.reason], standing.reason, None)
    found = str(own.document["sentence"]).removeprefix(f"{own.state}: ")
    effect = JUDGE_WHY["sight_not_proven"] if blind else _EFFECTS[own.state]
    mark: Mark = "undecided" if blind else STATE_MARKS[own.state]
    return JudgeState(own.state, mark, f"{effect.rstrip('.')}: {found}.", standing.reason, own)


def is_blind(browsing: Browsing, run: StoredRun | None, criterion: str) -> bool:
    """Whether a judge was to prove that it sees before it judged a run, and did not."""
    if run is None or _options(run, criterion).get("sight_test") != "require":
        return False
    number = next(place for place, entry in enumerate(run.criteria) if entry["criterion"] == criterion)
    return browsing.coded(run, number, "sight_not_proven") > 0


def _options(run: StoredRun, criterion: str) -> Mapping[str, Any]:
    entry = next(entry for entry in run.criteria if entry["criterion"] == criterion)
    written: list[Mapping[str, Any]] = run.document["project"].get("evaluators", [])
    place = entry.get("evaluator", len(written))
    return written[place] if place < len(written) else {}
