"""What the engine says while it works; the command line, reports and pages listen and decide nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from msgspec import Struct, field

from oloproof.records import Notice


class RunStarted(Struct, frozen=True):
    """A run begins or is gone on with: ``done`` of ``trials`` are stored already.

    ``hosts`` maps each host that something will be sent to, to what is sent and by which evaluator.
    """

    run: str
    system: str
    version: str
    cases: int
    trials: int
    done: int
    criteria: tuple[str, ...]
    hosts: Mapping[str, str] = field(default_factory=dict)


class TrialsDone(Struct, frozen=True):
    """Some trials more are done. ``outcomes`` maps a criterion to the outcomes counted so far; provisional.

    ``means`` has the mean so far of each criterion whose scores are averaged.
    """

    done: int
    cached: int
    failed: int
    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    means: dict[str, float] = field(default_factory=dict)


class HeldUp(Struct, frozen=True):
    """No answer came for a moment, as a server makes it wait: ``words`` say how long, which, and why."""

    words: str


class JudgementsDone(Struct, frozen=True):
    """Outside of a run a judge was asked about something: ``done`` of ``total`` for one criterion."""

    criterion: str
    done: int
    total: int


class Noticed(Struct, frozen=True):
    """Something the reader should know, said once."""

    notice: Notice


class Verifying(Struct, frozen=True):
    """Every trial is done; the recorded files are looked at once more before anything is decided."""


Event = RunStarted | TrialsDone | HeldUp | JudgementsDone | Noticed | Verifying
Listener = Callable[[Event], None]


def silent(event: Event) -> None:
    """Listen to nothing."""
