"""What is read back: runs, their trials, and the error that most executions failed with."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct, field

from oloproof.records import Delivery, Execution, Judgement, Notice, Verdict


class StoredRun(Struct, frozen=True):
    """A run as stored. ``state`` is running, complete, stopped or interrupted (it died and can be resumed)."""

    number: int
    id: str
    state: str
    started: float
    finished: float | None
    project: str
    system_name: str
    system_version: str
    config_digest: str
    dataset_digest: str
    partial: bool
    cases: int
    trials: int
    document: Mapping[str, Any]
    notices: tuple[Notice, ...]
    error: str | None

    @property
    def criteria(self) -> list[Mapping[str, Any]]:
        """The evaluators of the run, in the order of the criteria."""
        return list(self.document["evaluators"])

    @property
    def way_on(self) -> str:
        """What makes a run complete that is not."""
        return "wait for its end" if self.state == "running" else "oloproof run --resume goes on with it"

    @property
    def started_text(self) -> str:
        """When it started, in UTC, to the second."""
        return datetime.fromtimestamp(self.started, UTC).strftime("%Y-%m-%d %H:%M:%S")


class ErrorCount(Struct, frozen=True):
    """An error that ``count`` executions of a run failed with, the first of them that of ``variant`` of ``case_id``."""

    error: str
    count: int
    case_id: str
    variant: str


class DecisionTaken(Struct, frozen=True):
    """When a decision on a run was taken, by which policy (its digest), and the exit code."""

    policy: str
    time: float
    exit: int


class StoredTrial(Struct, frozen=True):
    """One trial of a run with everything that belongs to it; ``row`` is its place in the table.

    ``verdicts`` and ``reused`` (whether each came from an earlier answer) follow the run's criteria; ``judgements``
    maps the number of a judge among the run's evaluators to what it said and saw. ``delivered`` is what stood in the
    fields that variants change, or in a run without variants the media that the system was given and did not record.
    """

    row: int
    position: int
    case_id: str
    variant: str
    repeat: int
    input: Any
    expected: Any
    slice: Mapping[str, Any]
    execution: Execution
    execution_id: int
    cached: bool
    verdicts: tuple[Verdict, ...]
    reused: tuple[bool, ...] = ()
    judgements: Mapping[int, Judgement] = field(default_factory=dict)
    delivered: tuple[Delivery, ...] = ()
