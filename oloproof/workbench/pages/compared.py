"""What is told of two runs, worked out once and kept: the comparison itself, and which pairs stand under which tab."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Literal

from msgspec import Struct, field

from oloproof.config.models import PolicyOptions
from oloproof.errors import ConfigError
from oloproof.policy import Comparison
from oloproof.records import Decision, Notice
from oloproof.running.comparing import compare_runs
from oloproof.running.comparing_notices import comparing_notices
from oloproof.running.deciding import measures_of, policy_of
from oloproof.storage import Store, StoredRun
from oloproof.storage.browsing import Browsing
from oloproof.storage.pairs import PairedRuns, people_said

Tab = Literal["broken", "fixed", "moved", "unpaired"]
TABS: tuple[Tab, ...] = ("broken", "fixed", "moved", "unpaired")
_MOST_KEPT = 4


_TAKES_HIGHER = ("superiority", "non_inferiority")
"""The kinds of rules that take a higher score for the better one."""


class Compared(Struct):
    """Two runs compared. ``refused`` says why no criterion could be; ``left_out`` names rules that do not apply.

    ``notices`` say what else differs between the runs.
    """

    candidate: StoredRun
    baseline: StoredRun
    pairs: PairedRuns
    comparisons: tuple[Comparison, ...] = ()
    decisions: tuple[Decision, ...] = ()
    refused: str = ""
    left_out: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()
    _orders: dict[tuple[str, Tab], list[str]] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def comparison(self, criterion: str) -> Comparison | None:
        """Return what was found of a criterion."""
        return next((one for one in self.comparisons if one.criterion == criterion), None)

    def better_side(self, found: Comparison) -> str:
        """Return which side of a criterion is the better one, ``higher`` or ``lower``; nothing where nobody said so.

        A higher rate of passes is. Of scores, which may be errors, the rules of the candidate tell.
        """
        if found.kind != "score":
            return "higher"
        policy = self.candidate.document.get("project", {}).get("policy") or {}
        rules = [one for one in policy.get("rules", ()) if one.get("metric") == found.criterion]
        sides = {"lower" for one in rules if one.get("max") is not None}
        sides |= {"higher" for one in rules if one.get("min") is not None or one.get("kind") in _TAKES_HIGHER}
        return sides.pop() if len(sides) == 1 else ""

    def number(self, run: StoredRun, criterion: str) -> int | None:
        """Return the number that a criterion has in one of the runs."""
        names = [entry["criterion"] for entry in run.criteria]
        return names.index(criterion) if criterion in names else None

    def order(self, criterion: str, tab: Tab) -> list[str]:
        """Return the cases of a tab: those whose score moved most first, and then in the order of the run."""
        with self._lock:
            key = (criterion, tab)
            if key not in self._orders:
                self._orders[key] = self._sorted(criterion, tab)
            return self._orders[key]

    def _sorted(self, criterion: str, tab: Tab) -> list[str]:
        found = self.comparison(criterion)
        if found is None:
            return list(self.pairs.differences().outputs) if tab == "moved" else []
        if tab == "unpaired":
            return list(found.unpaired)
        new, old = self._scores(criterion)
        moves = {case: abs(score - old[case]) for case, score in new.items() if case in old}
        cases = {"broken": found.broken, "fixed": found.fixed}.get(tab)
        if cases is None:
            elsewhere = {*found.broken, *found.fixed, *found.unpaired}
            moved = {case: None for case, by in moves.items() if by}
            moved |= dict.fromkeys(self.pairs.differences().outputs)
            cases = tuple(case for case in moved if case not in elsewhere)
        return sorted(cases, key=lambda case: -moves.get(case, 0.0))

    def _scores(self, criterion: str) -> tuple[dict[str, float], dict[str, float]]:
        sides = []
        for run in (self.candidate, self.baseline):
            number = self.number(run, criterion)
            sides.append({} if number is None else dict(self.pairs.scores(run, number)))
        return sides[0], sides[1]


class Comparing:
    """The last few comparisons of one app. Whoever asks for one that another thread is making waits for it."""

    def __init__(self) -> None:
        self._store: Store | None = None
        self._kept: OrderedDict[tuple[object, ...], Compared] = OrderedDict()
        self._lock = threading.RLock()

    def of(self, browsing: Browsing, candidate: StoredRun, baseline: StoredRun) -> Compared:
        """Return two finished runs compared; anew when people labelled or a judge was held to labels since."""
        with self._lock:
            if self._store is not browsing.store:
                self._store = browsing.store
                self._kept.clear()
            states = [(run.number, run.finished) for run in (candidate, baseline)]
            key = (*states, people_said(browsing.store))
            if key not in self._kept:
                self._kept[key] = _compared(browsing, candidate, baseline)
            self._kept.move_to_end(key)
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
            return self._kept[key]


def _compared(browsing: Browsing, candidate: StoredRun, baseline: StoredRun) -> Compared:
    pairs = PairedRuns(browsing, candidate, baseline)
    policy, left_out = _applying(candidate, baseline)
    try:
        comparisons, decisions = compare_runs(browsing, candidate, baseline, policy)
    except ConfigError as error:
        return Compared(candidate, baseline, pairs, refused=str(error), left_out=left_out)
    notices = tuple(comparing_notices(browsing, candidate, baseline, comparisons))
    return Compared(
        candidate, baseline, pairs, tuple(comparisons), tuple(decisions), left_out=left_out, notices=notices
    )


def _applying(candidate: StoredRun, baseline: StoredRun) -> tuple[PolicyOptions | None, tuple[str, ...]]:
    """Return the candidate's policy with the rules that both runs can answer, and the ids of others that compare."""
    policy = policy_of(candidate) if candidate.document.get("project", {}).get("policy") is not None else None
    if policy is None:
        return None, ()
    sides = [measures_of(run.document) for run in (candidate, baseline)]
    shared = {name for name, one in sides[0].items() if name in sides[1] and one.is_on_the_scale_of(sides[1][name])}
    comparing = [rule for rule in policy.rules if rule.compares]
    fitting = [rule for rule in comparing if rule.criterion in shared]
    left_out = tuple(rule.id for rule in comparing if rule not in fitting)
    return policy.model_copy(update={"rules": fitting}), left_out
