"""Executing the trials of a plan: concurrency and memory bounded, stored in batches while it goes."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress

from msgspec.structs import replace

from oloproof.digests import digest_of
from oloproof.errors import MediaDrift, OloproofError, RunInterrupted, StorageError
from oloproof.evaluators import Subject
from oloproof.media import MediaReader, using_reader
from oloproof.records import Execution
from oloproof.running.crew import Crew, Done, Job
from oloproof.running.events import HeldUp, TrialsDone
from oloproof.running.given import given_files
from oloproof.running.verify import explained
from oloproof.running.work import BLOCK, FamilyWork, Work, Workload, key_after, trials_in
from oloproof.running.workshop import Workshop
from oloproof.storage import Entry, History

_BATCH = 500
_LONGEST_UNSTORED = 0.2
_HEARTBEAT = 0.2
_GRACE = 5.0
_AHEAD = 2
"""Families that wait to be made while every thread makes one."""


def execute_trials(shop: Workshop, done: set[int], *, reuse: bool) -> None:
    """Execute and evaluate every trial that is not ``done``; each batch is stored as it comes.

    Raises:
        RunInterrupted: by hand (Ctrl-C); what was done is stored.
        OloproofError: something that stops the run, such as a changed file; what was done is stored.
    """
    plan = shop.plan
    workload = Workload(
        plan.enumerate(done),
        root=plan.project.root,
        store=shop.store,
        reader=shop.reader,
        system_digest=digest_of(shop.system.identity),
        by_id=shop.system.answers_by_id,
        reuse=reuse,
        variants=shop.variants,
    )

    def do(job: Job) -> Done:
        return workload.made(job) if isinstance(job, FamilyWork) else _do(shop, job)

    crew = Crew(plan.project.options.concurrency, do, lambda: _surrounding(shop))
    crew.start()
    waiting: list[Entry] = []
    try:
        _feed_and_store(shop, crew, workload, waiting)
    except BaseException as error:
        with suppress(StorageError):  # what ended the run is told, and not that no more could be stored
            _store_the_rest(shop, crew, waiting)
        if isinstance(error, KeyboardInterrupt | MediaDrift):
            raise _told(shop, error) from None
        raise
    finally:
        crew.stop(0.0)
        shop.measurements.flush()
        shop.store.save_memo(shop.reader.memo)
    if workload.stale:
        answers = "1 earlier answer was" if workload.stale == 1 else f"{workload.stale:,} earlier answers were"
        shop.notice(
            "cached_media_changed",
            f"{answers} not reused because recorded files are gone or changed; what they answered was executed again",
        )
    if shop.changed:
        more = f" (and so in {len(shop.changed) - 1:,} more trials)" if len(shop.changed) > 1 else ""
        shop.notice(
            "files_changed_meanwhile",
            f"a file that case {shop.changed[0]!r} names changed while the case was executed{more}; what it answered "
            "may be about either content, and no later run reuses it",
        )


def _surrounding(shop: Workshop) -> AbstractContextManager[None]:
    return using_reader(shop.reader)


def _do(shop: Workshop, work: Work) -> Entry:
    """Execute one trial, or take its earlier answer, and evaluate it; runs in a thread of the crew."""
    trial = work.trial
    key = work.key
    if work.execution is not None:
        execution = work.execution
    elif work.problem is not None:
        execution = Execution(error=work.problem)
    else:
        execution = shop.system.execute(trial)
        key = key_after(work, shop.reader)
    if work.refused:
        judgements = shop.bench.not_asked(str(work.problem), code="variant_refused")
    else:
        judgements = shop.bench.judgements(Subject(trial.case, execution, shop.reader, trial.variant, trial.repeat))
    settled = _settled(execution, shop.reader)
    delivered = work.delivered if shop.variants else given_files(trial.case, work.digests, settled, shop.reader)
    return Entry(trial, key, work.input, settled, judgements, work.reused, delivered)


def _settled(execution: Execution, reader: MediaReader) -> Execution:
    """Return ``execution`` without the identities of files that may change again and keep them."""
    memo = reader.memo
    if not any(item.identity is not None and memo.is_unsettled(item.identity) for item in execution.media):
        return execution
    media = tuple(
        replace(item, identity=None) if item.identity is not None and memo.is_unsettled(item.identity) else item
        for item in execution.media
    )
    return replace(execution, media=media)


class _Feeder:
    """Hands work to the crew. Of the families of which variants must be made only a few wait in its queue, so that the
    trials of the first need not wait until the last are made.
    """

    def __init__(self, crew: Crew, size: int) -> None:
        self._crew = crew
        self._most = size + _AHEAD
        self._unmade: deque[FamilyWork] = deque()
        self._making = 0

    def give(self, jobs: Sequence[Job]) -> None:
        """Queue what is ready, and of the rest as much as may wait."""
        for job in jobs:
            if isinstance(job, FamilyWork):
                self._unmade.append(job)
            else:
                self._crew.give(job)
        self._make()

    def made(self, works: Sequence[Work]) -> None:
        """Queue the trials of a family that was made, before the next family."""
        self._making -= 1
        self.give(works)

    def _make(self) -> None:
        while self._unmade and self._making < self._most:
            self._crew.give(self._unmade.popleft())
            self._making += 1


def _feed_and_store(shop: Workshop, crew: Crew, workload: Workload, waiting: list[Entry]) -> None:
    """Execute everything. ``waiting`` holds what is done and not stored yet, for whoever has to store it when this ends
    in an error.
    """
    size = shop.plan.project.options.concurrency
    window = max(2 * BLOCK, 2 * size)
    feeder = _Feeder(crew, size)
    in_flight = 0
    exhausted = False
    stored_at = time.monotonic()
    while True:
        while not exhausted and in_flight <= window - BLOCK:
            block = workload.next_block()
            exhausted = not block
            in_flight += trials_in(block)
            feeder.give(block)
        if in_flight == 0:
            break
        results = crew.take(_HEARTBEAT)
        done = [result for result in results if isinstance(result, Entry)]
        waiting += done
        in_flight -= len(done)
        for result in results:
            if isinstance(result, BaseException):
                raise result
            if isinstance(result, list):
                feeder.made(result)
        now = time.monotonic()
        if not waiting and (words := shop.bench.held_up):
            shop.listener(HeldUp(words))
        elif len(waiting) >= _BATCH or now - stored_at > _LONGEST_UNSTORED:
            _store(shop, waiting)
            waiting.clear()
            stored_at = now
    _store(shop, waiting)


def _store_the_rest(shop: Workshop, crew: Crew, waiting: Sequence[Entry]) -> None:
    """Store what is done, then what the threads are at, of which the impatient may stop us once more."""
    stored = shop.store.done_positions(shop.run)  # of the batch during which we were stopped all is there or nothing
    _store(shop, [entry for entry in waiting if entry.trial.index not in stored])
    crew.stop(_GRACE)
    _store(shop, [entry for entry in crew.leftovers() if isinstance(entry, Entry)])


def _told(shop: Workshop, error: KeyboardInterrupt | MediaDrift) -> OloproofError:
    """Return what ended the run as it is told: how much is kept, or why a file holds other bytes."""
    history = History(shop.store)
    run = history.find(shop.run.id)
    if isinstance(error, MediaDrift):
        return explained(error, history, run, shop.system.kind)
    kept = history.counts(run)["trials"]  # those of the stretches before a --resume too
    trials = shop.plan.trials
    return RunInterrupted(f"stopped by hand: {kept} of {trials} trials are kept; oloproof run --resume goes on")


def _store(shop: Workshop, entries: Sequence[Entry]) -> None:
    shop.store.append(shop.run, entries)
    shop.store.save_memo(shop.reader.memo)
    for entry in entries:
        shop.done += 1
        shop.cached += entry.reused is not None
        shop.failed += entry.execution.failed
        shop.changed += [] if entry.key else [entry.trial.case.id]
        verdicts = (verdict for judgement in entry.judgements for verdict in judgement.verdicts)
        for criterion, scored, verdict in zip(shop.bench.criteria, shop.bench.scored, verdicts, strict=True):
            shop.outcomes.setdefault(criterion, Counter())[verdict.outcome] += 1
            if scored and verdict.score is not None:
                total = shop.scores.setdefault(criterion, [0.0, 0])
                total[0], total[1] = total[0] + verdict.score, total[1] + 1
    means = {criterion: total / count for criterion, (total, count) in shop.scores.items()}
    shop.listener(TrialsDone(shop.done, shop.cached, shop.failed, shop.outcomes, means))
