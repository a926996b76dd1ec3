"""What every part of a run under way shares."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct, field

from oloproof.media import MediaReader
from oloproof.records import Notice
from oloproof.running.events import Listener, Noticed
from oloproof.running.judging import Bench
from oloproof.running.plan import Plan
from oloproof.storage import OpenRun, Store, StoredMeasurements
from oloproof.systems import System

if TYPE_CHECKING:
    from oloproof.variants import VariantWorkshop


class Workshop(Struct):
    """The plan, the database, the system and the evaluators of a run, and what was done so far."""

    plan: Plan
    store: Store
    run: OpenRun
    reader: MediaReader
    measurements: StoredMeasurements
    system: System
    bench: Bench
    listener: Listener
    variants: VariantWorkshop | None = None
    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    scores: dict[str, list[float]] = field(default_factory=dict)
    """Of each criterion whose scores are averaged their sum and number."""
    done: int = 0
    cached: int = 0
    failed: int = 0
    changed: list[str] = field(default_factory=list)
    """The case of each trial whose files were not what they had been when it was executed."""

    def notice(self, code: str, message: str) -> None:
        """Keep a notice with the run and say it; one that was kept before the run was stopped is not kept again."""
        notice = Notice(code, message)
        if notice not in self.run.notices:
            self.run.notices.append(notice)
        self.listener(Noticed(notice))
