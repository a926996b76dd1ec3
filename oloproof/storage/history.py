"""Reading runs back: which there are, their trials in order, the observations that metrics are made of."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Select, func, select

from oloproof.errors import RunNotFound
from oloproof.records import Delivery, Execution, Judgement, MediaItem, Notice, Verdict
from oloproof.storage.judgements import StoredJudgements
from oloproof.storage.locks import is_alive
from oloproof.storage.observations import Observations
from oloproof.storage.rows import (
    DELIVERED,
    deliveries_from_text,
    execution_from_row,
    media_from_text,
    storable,
    verdict_from_row,
)
from oloproof.storage.schema import decisions, executions, judged, judgements, runs, trials, verdicts
from oloproof.storage.store import notices_from_text

_WHOLE_PAGE = 200
"""Trials with their outputs, which may be large, that are held at once."""


@dataclass(frozen=True, slots=True)
class StoredRun:
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
    def started_text(self) -> str:
        """When it started, in UTC, to the second."""
        return datetime.fromtimestamp(self.started, UTC).strftime("%Y-%m-%d %H:%M:%S")


@dataclass(frozen=True, slots=True)
class StoredTrial:
    """One trial of a run with everything that belongs to it; ``row`` is its place in the table.

    ``verdicts`` and ``reused`` (whether each came from an earlier answer) follow the run's criteria; ``judgements``
    maps the number of a judge among the run's evaluators to what it said and saw. ``delivered`` is what stood in the
    fields that variants change; nothing in a run without variants.
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


class History(Observations):
    """The runs of one project, for reading."""

    def runs(self) -> list[StoredRun]:
        """Return every run, newest first."""
        return [self._run(row) for row in self._rows(select(runs).order_by(runs.c.number.desc()))]

    def find(self, name: str | None = None) -> StoredRun:
        """Return the run called ``name``: an id, a unique part of one, ``latest`` (the default) or ``latest~1``.

        Raises:
            RunNotFound: none or several answer to it, or the name is empty; the text lists the nearest.
        """
        name = "latest" if name is None else name
        if not name:
            raise RunNotFound("the name of a run is empty; give an id, a unique part of one, latest or latest~1")
        if name == "latest" or name.startswith("latest~"):
            return self._nth_latest(name)
        c, name = runs.c, storable(name)
        query = select(runs).where(func.instr(c.id, name) > 0).order_by(c.number.desc())
        found = self._rows(query)
        exact = [row for row in found if row.id == name]
        if len(exact or found) == 1:
            return self._run((exact or found)[0])
        if not found:
            known = ", ".join(row.id for row in self._rows(select(runs).order_by(c.number.desc()).limit(5)))
            raise RunNotFound(f"no run is called {name!r}; the newest are {known or 'none yet'}")
        raise RunNotFound(
            f"{len(found)} runs are called {name!r}: {', '.join(row.id for row in found[:5])}; give more of the id"
        )

    def _nth_latest(self, name: str) -> StoredRun:
        back = name.partition("~")[2] or "0"
        if not _is_number(back):
            raise RunNotFound(f"{name!r} is no run; latest~1 is the one before the latest")
        query = select(runs).order_by(runs.c.number.desc()).offset(int(back)).limit(1)
        rows = self._rows(query)
        if not rows:
            count = self._scalar(select(func.count()).select_from(runs))
            raise RunNotFound(f"there is no run {name}: {count} stored in {self.store.file}; oloproof run makes one")
        return self._run(rows[0])

    def numbered(self, numbers: Collection[int]) -> dict[int, StoredRun]:
        """Return those of the runs with these numbers that there are, by number."""
        rows = self._rows(select(runs).where(runs.c.number.in_(numbers)))
        return {row.number: self._run(row) for row in rows}

    def _run(self, row: Any) -> StoredRun:
        state = row.state
        if state == "running" and not is_alive(self.store.folder, row.id):
            state = "interrupted"
        return StoredRun(
            row.number,
            row.id,
            state,
            row.started,
            row.finished,
            row.project,
            row.system_name,
            row.system_version,
            row.config_digest,
            row.dataset_digest,
            bool(row.partial),
            row.cases,
            row.trials,
            json.loads(row.document),
            tuple(notices_from_text(row.notices)),
            row.error,
        )

    def unfinished(self) -> StoredRun | None:
        """Return the newest run if it was not completed and no process is at it."""
        rows = self._rows(select(runs).order_by(runs.c.number.desc()).limit(1))
        run = self._run(rows[0]) if rows else None
        return run if run is not None and run.state in ("interrupted", "stopped") else None

    # what a run holds

    def counts(self, run: StoredRun) -> dict[str, int]:
        """Return how many executions were run, reused and failed, and how many trials there are."""
        query = (
            select(func.count(), func.sum(trials.c.cached), func.count(executions.c.error))
            .select_from(trials.join(executions))
            .where(trials.c.run == run.number)
        )
        total, cached, failed = self._rows(query)[0]
        return {"trials": total, "run": total - (cached or 0), "cached": cached or 0, "failed": failed}

    def oldest_reused(self, run: StoredRun) -> float | None:
        """Return when the oldest answer that the run reused was first given."""
        query = (
            select(func.min(executions.c.created))
            .select_from(trials.join(executions))
            .where(trials.c.run == run.number, trials.c.cached == 1)
        )
        oldest: float | None = self._scalar(query)
        return oldest

    def trials(self, run: StoredRun, *, case: str | None = None) -> Iterator[StoredTrial]:
        """Yield the trials of a run in order, or those of one case."""
        if case is not None:
            yield from self.trials_of(run, [case])
            return
        for page in self._pages(_whole_trials(run), _WHOLE_PAGE):
            yield from self._whole(run, page)

    def trials_of(self, run: StoredRun, cases: Sequence[str]) -> Iterator[StoredTrial]:
        """Yield the trials of these cases of a run, a batch of cases after the other."""
        for start in range(0, len(cases), _WHOLE_PAGE):
            part = [storable(case) for case in cases[start : start + _WHOLE_PAGE]]
            query = _whole_trials(run).where(trials.c.case_id.in_(part))
            for page in self._pages(query, _WHOLE_PAGE, by_place=False):
                yield from self._whole(run, page)

    def _whole(self, run: StoredRun, page: Sequence[Any]) -> Iterator[StoredTrial]:
        """Yield the trials of a page of rows with what was said of each."""
        rows = [row.id for row in page]
        found = self._verdicts(rows)
        judged = self._judgements(run, rows)
        for row in page:
            told = found.get(row.id, [])
            yield StoredTrial(
                row.id,
                row.position,
                row.case_id,
                row.variant,
                row.repeat,
                json.loads(row.input),
                json.loads(row.expected) if row.expected else None,
                json.loads(row.slice) if row.slice else {},
                execution_from_row(row, row.execution_id, cached=bool(row.cached)),
                row.execution_id,
                bool(row.cached),
                tuple(verdict for verdict, _ in told),
                tuple(reused for _, reused in told),
                judged.get(row.id, {}),
                deliveries_from_text(row.delivered, row.id),
            )

    def case_ids(self, run: StoredRun) -> list[str]:
        """Return the ids of the cases of a run, in order."""
        query = select(trials.c.case_id).where(trials.c.run == run.number).group_by(trials.c.case_id)
        return [row.case_id for row in self._rows(query.order_by(func.min(trials.c.position)))]

    def recorded_media(self, run: StoredRun) -> Iterator[tuple[int, str, tuple[MediaItem, ...]]]:
        """Yield (trial row, case id, media) for the trials of a run that recorded media."""
        t, e = trials.c, executions.c
        query = (
            select(t.id, t.case_id, e.media, e.id.label("execution_id"), t.position)
            .select_from(trials.join(executions))
            .where(t.run == run.number, e.media.is_not(None))
        )
        for row in self._stream(query):
            yield row[0], row[1], media_from_text(row[2], row[3])

    def item(self, run: StoredRun, item: str) -> MediaItem | None:
        """Return one recorded or delivered item of a run by its id."""
        number, _, index = item.partition(".")
        if number.startswith(DELIVERED):
            return self._delivered_item(run, number.removeprefix(DELIVERED), index)
        if not (_is_number(number) and _is_number(index)):
            return None
        query = (
            select(executions.c.media)
            .select_from(trials.join(executions))
            .where(trials.c.run == run.number, executions.c.id == int(number))
        )
        media = media_from_text(self._scalar(query), int(number))
        return media[int(index)] if int(index) < len(media) else None

    def _delivered_item(self, run: StoredRun, row: str, index: str) -> MediaItem | None:
        if not (_is_number(row) and _is_number(index)):
            return None
        t = trials.c
        text = self._scalar(select(t.delivered).where(t.run == run.number, t.id == int(row)))
        found = deliveries_from_text(text, int(row))
        return found[int(index)].item if int(index) < len(found) else None

    def findings(self, run: StoredRun) -> list[tuple[str, str, str, int]]:
        """Return what is odd about delivered files: variant, code, an example in words, and in how many cases."""
        t, entry = trials.c, func.json_each(trials.c.delivered).table_valued("value", joins_implicitly=True)
        code = func.json_extract(entry.c.value, "$.finding[0]")
        query = (
            select(t.variant, code, func.min(func.json_extract(entry.c.value, "$.finding[1]")), func.count())
            .select_from(trials, entry)
            .where(t.run == run.number, t.repeat == 0, t.delivered.is_not(None), code.is_not(None))
            .group_by(t.variant, code)
            .order_by(func.min(t.position))
        )
        return [tuple(row) for row in self._rows(query)]

    def decisions(self, run: StoredRun) -> list[Mapping[str, Any]]:
        """Return every decision taken on a run, oldest first."""
        query = select(decisions).where(decisions.c.run == run.number).order_by(decisions.c.id)
        return [{"time": row.time, "exit": row.exit, **json.loads(row.document)} for row in self._rows(query)]

    def last_exits(self) -> dict[int, int]:
        """Return the exit code of the newest decision of each run."""
        newest = select(func.max(decisions.c.id)).group_by(decisions.c.run)
        return {row.run: row.exit for row in self._rows(select(decisions).where(decisions.c.id.in_(newest)))}

    def reused_verdicts(self, run: StoredRun) -> tuple[int, float | None]:
        """Return how many verdicts of a run come from earlier judgements, and when the oldest of those was given."""
        t, v, j = trials.c, verdicts.c, judgements.c
        if not any(entry["calls_model"] for entry in run.criteria):
            return 0, None
        count = self._scalar(
            select(func.count()).select_from(trials.join(verdicts)).where(t.run == run.number, v.cached == 1)
        )
        oldest = select(func.min(j.created)).select_from(trials.join(judged).join(judgements))
        return count, self._scalar(oldest.where(t.run == run.number)) if count else None

    def _judgements(self, run: StoredRun, rows: list[int]) -> dict[int, dict[int, Judgement]]:
        if not any(entry["calls_model"] for entry in run.criteria):
            return {}
        found: dict[int, dict[int, Judgement]] = {}
        for trial, evaluator, judgement in StoredJudgements(self.store).of_trials(rows):
            found.setdefault(trial, {})[evaluator] = judgement
        return found

    def _verdicts(self, rows: list[int]) -> dict[int, list[tuple[Verdict, bool]]]:
        query = select(verdicts).where(verdicts.c.trial.in_(rows)).order_by(verdicts.c.trial, verdicts.c.criterion)
        found: dict[int, list[tuple[Verdict, bool]]] = {}
        for row in self._rows(query):
            found.setdefault(row.trial, []).append((verdict_from_row(row), bool(row.cached)))
        return found


def _whole_trials(run: StoredRun) -> Select[Any]:
    """Return the query for all that is kept of the trials of a run, but for what was said of them."""
    columns = select(trials, executions, executions.c.id.label("execution_id"))
    return columns.join(executions).where(trials.c.run == run.number)


def _is_number(text: str) -> bool:
    """Whether ``text`` is a number that SQLite can hold."""
    return text.isascii() and text.isdecimal() and len(text) <= 18
