"""The word that heads a run: what was decided of it, or why nothing was; the list of runs is narrowed by it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args

from oloproof.records import DecisionState
from oloproof.reports.wording import headline
from oloproof.storage.browsing import Browsing
from oloproof.workbench.pages.decided import conclusion_from

Headline = Literal[DecisionState, "RUNNING", "NOT_COMPLETED", "NOTHING_DECIDED"]
HEADLINES: tuple[Headline, ...] = (*get_args(DecisionState), "RUNNING", "NOT_COMPLETED", "NOTHING_DECIDED")
_AT_ONCE = 200


def headline_of(state: str, decided: DecisionState | None) -> Headline:
    """Return the word for a run that is in ``state`` and of which ``decided`` is the worst decision."""
    if state == "running":
        return "RUNNING"
    if state != "complete":
        return "NOT_COMPLETED"
    return decided or "NOTHING_DECIDED"


class Headlines:
    """The words of all runs of a project. Decisions are append-only, so each is read once."""

    def __init__(self) -> None:
        self._decided: dict[int | None, DecisionState | None] = {}

    def numbers(self, browsing: Browsing, wanted: Headline) -> Iterator[int]:
        """Yield the numbers of the runs that have this word."""
        lines = browsing.lines()
        new = [line for line in lines if line.decision is not None and line.decision not in self._decided]
        for start in range(0, len(new), _AT_ONCE):
            part = new[start : start + _AT_ONCE]
            documents = browsing.last_decisions([line.number for line in part])
            for line in part:
                self._decided[line.decision], _ = headline(conclusion_from(documents.get(line.number)).decisions)
        for line in lines:
            if headline_of(line.state, self._decided.get(line.decision)) == wanted:
                yield line.number
