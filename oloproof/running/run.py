"""The story of a run: plan, execute, look again, sum up, decide."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from oloproof.config import PolicyOptions, Project, load_project
from oloproof.digests import digest_of
from oloproof.errors import ConfigError, ProviderUnreachable, RunInterrupted, RunNotFound, SystemError_
from oloproof.evaluators import Registry, builtin_registry
from oloproof.media import MediaReader
from oloproof.records import Notice, Trial
from oloproof.running.decided_again import policy_digest
from oloproof.running.deciding import Conclusion, conclude
from oloproof.running.delivery_notices import delivery_notices
from oloproof.running.documents import conclusion_document
from oloproof.running.events import Listener, Noticed, RunStarted, Verifying, silent
from oloproof.running.execute import execute_trials
from oloproof.running.failure_notices import failure_notices
from oloproof.running.judge_notices import judge_notices, parameter_notices
from oloproof.running.judging import Bench, open_judges
from oloproof.running.plan import Plan, Selection, make_plan, open_system
from oloproof.running.resuming import changed_since, forgotten
from oloproof.running.verify import verify_recorded
from oloproof.running.workshop import Workshop
from oloproof.storage import History, NewRun, OpenRun, Store, StoredMeasurements, StoredRun
from oloproof.systems import Surroundings, trial_folder

if TYPE_CHECKING:
    from oloproof.variants import VariantWorkshop


class RunResult(Struct, frozen=True):
    """A run that was completed, and what its policy makes of it. ``seconds`` is the time of this call."""

    run: StoredRun
    conclusion: Conclusion
    executions: dict[str, int]
    oldest_reused: float | None
    seconds: float

    @property
    def exit_code(self) -> int:
        """0 or 1, as in the list of exit codes; whatever ends in 2 raised an error instead."""
        return self.conclusion.exit_code


def run(
    project: Project | str | Path = ".",
    *,
    registry: Registry | None = None,
    selection: Selection | None = None,
    fresh: frozenset[str] = frozenset(),
    resume: bool = False,
    listener: Listener = silent,
) -> RunResult:
    """Run a project's system over its cases, evaluate, and decide by its policy.

    Args:
        project: a loaded project, the folder of one, or its ``oloproof.yaml``.
        registry: the evaluators that the project may name; the built-in ones by default.
        selection: only these cases, or only so many; the run is partial then and its rules decide nothing.
        fresh: ``{"system"}`` asks the system again for what was answered before, ``{"judge"}`` the judges.
        resume: go on with the newest run, as fresh as it began, instead of beginning one; if that is complete, tell
            its result again.
        listener: told what happens.

    Raises:
        OloproofError: the run could not be started or completed; what was done is stored.
    """
    started = time.monotonic()
    registry = registry or builtin_registry()
    if not isinstance(project, Project):
        project = load_project(Path(project), registry.options())
    plan = make_plan(project, registry, selection or Selection())
    with closing(Store(project.root)) as store:
        complete = _complete_already(store, plan) if resume else None
        if complete is not None:
            return _told_again(store, plan, complete, listener, started)
        return _carried_out(store, plan, listener, started, fresh=fresh, resume=resume)


def _carried_out(
    store: Store, plan: Plan, listener: Listener, started: float, *, fresh: frozenset[str], resume: bool
) -> RunResult:
    policy = plan.project.policy
    with _workshop(store, plan, listener, fresh=fresh, resume=resume) as shop:
        history = History(shop.store)
        fresh |= frozenset(history.find(shop.run.id).document.get("fresh", ()))  # as it began, where it goes on
        done = shop.store.done_positions(shop.run)
        listener(_started(shop, done))
        for code, message in plan.system.notices:
            shop.notice(code, message)
        resumed = history.find(shop.run.id) if done else None
        open_judges(plan.evaluators, store, reuse="judge" not in fresh, resumed=resumed)
        execute_trials(shop, done, reuse="system" not in fresh)
        _refuse_silence(shop)
        listener(Verifying())
        verify_recorded(shop, history.find(shop.run.id))
        _tell(shop, history)
        whole = replace(history.find(shop.run.id), state="complete")  # but for the decision, which is stored first
        conclusion = conclude(history, whole, policy)
        record_decision(shop.store, whole, policy, conclusion)
        shop.store.finish(shop.run, "complete")
        return _result(history, history.find(shop.run.id), conclusion, started)


def _tell(shop: Workshop, history: History) -> None:
    """Say what a reader of the run should know beside its numbers."""
    run = history.find(shop.run.id)
    for notice in (
        *failure_notices(history, run),
        *delivery_notices(history, run),
        *judge_notices(history, run),
        *parameter_notices(shop.plan.evaluators),
    ):
        shop.notice(notice.code, notice.message)


@contextmanager
def _workshop(
    store: Store, plan: Plan, listener: Listener, *, fresh: frozenset[str], resume: bool
) -> Iterator[Workshop]:
    """Open everything that a run needs and close it again; an error leaves the run as stopped."""
    root = plan.project.root
    opened = _resumed(store, plan, listener, fresh) if resume else _begun(store, plan, listener, fresh)
    measurements = StoredMeasurements(store)
    reader = MediaReader(root, memo=store.load_memo(), measurements=measurements)
    bench = Bench(plan.evaluators)
    variants = _variants(plan, reader) if plan.families else None
    shop = Workshop(plan, store, opened, reader, measurements, plan.system, bench, listener, variants)
    try:
        open_system(plan, _surroundings(plan, opened, reader), plan.project.options.concurrency)
        try:
            yield shop
        finally:
            plan.system.close()
            bench.close()
    except BaseException as error:
        by_hand = isinstance(error, KeyboardInterrupt)
        told = RunInterrupted("stopped by hand; oloproof run --resume goes on") if by_hand else error
        store.finish(opened, "stopped", str(told) or type(told).__name__)
        if told is not error:
            raise told from None
        raise


def _variants(plan: Plan, reader: MediaReader) -> VariantWorkshop:
    from oloproof.storage.variant_files import VariantFiles
    from oloproof.variants import VariantWorkshop

    return VariantWorkshop(plan.families, VariantFiles(plan.project.root), reader)


def _begun(store: Store, plan: Plan, listener: Listener, fresh: frozenset[str]) -> OpenRun:
    unfinished = History(store).unfinished()
    new = NewRun(
        id=new_run_id(),
        project=plan.project.name,
        system_name=plan.system.name,
        system_version=plan.system.version,
        config_digest=plan.config_digest,
        dataset_digest=plan.dataset_digest,
        partial=plan.selection.partial,
        cases=plan.cases,
        trials=plan.trials,
        document={**plan.document, "fresh": sorted(fresh)},
    )
    opened = store.begin(new)
    if unfinished is not None and unfinished.state == "interrupted":
        listener(
            Noticed(
                Notice(
                    "unfinished_run",
                    f"run {unfinished.id} was not finished; this is a new one (--resume would have gone on with it)",
                )
            )
        )
    return opened


def _resumed(store: Store, plan: Plan, listener: Listener, fresh: frozenset[str]) -> OpenRun:
    """Open the newest run again if the project still means the same; begin one when there is none.

    Raises:
        ConfigError: what it was made of has changed, or another process is at it.
    """
    newest = _newest(store)
    if newest is None:
        opened = _begun(store, plan, listener, fresh)
        notice = Notice("nothing_to_resume", "there was no run to go on with; this is a new one")
        opened.notices.append(notice)
        listener(Noticed(notice))
        return opened
    if newest.state == "running":
        raise ConfigError(f"--resume: run {newest.id} is still going on in another process")
    changed = changed_since(newest, store, plan)
    if changed:
        raise ConfigError(
            f"--resume: {changed} changed since run {newest.id} began; leave --resume out "
            "(answers that still hold come from the cache)"
        )
    opened = store.reopen(newest.number, newest.id, newest.notices)
    for notice in forgotten(store, opened, newest):
        listener(Noticed(notice))
    return opened


def _newest(store: Store) -> StoredRun | None:
    try:
        return History(store).find()
    except RunNotFound:
        return None


def _complete_already(store: Store, plan: Plan) -> StoredRun | None:
    """Return the newest run when it is complete and this plan's, so that nothing is left to do.

    Raises:
        ConfigError: it is complete and of a project that was another then.
    """
    newest = _newest(store)
    if newest is None or newest.state != "complete":
        return None
    changed = changed_since(newest, store, plan)
    if changed:
        raise ConfigError(
            f"--resume: the newest run is complete, so there is nothing to go on with, and {changed} changed since "
            f"run {newest.id} began; leave --resume out"
        )
    return newest


def _told_again(store: Store, plan: Plan, run: StoredRun, listener: Listener, started: float) -> RunResult:
    """Return the result of a run that is complete, by the project's policy as it is now."""
    notice = Notice("already_complete", f"run {run.id} is complete already; nothing was executed")
    listener(Noticed(notice))
    history = History(store)
    conclusion = conclude(history, run, plan.project.policy)
    record_decision(store, run, plan.project.policy, conclusion)
    return _result(history, replace(run, notices=(*run.notices, notice)), conclusion, started)


def new_run_id() -> str:
    """Return the id of a run that starts now: its time in UTC, and four digits against a second one."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


def _surroundings(plan: Plan, opened: OpenRun, reader: MediaReader) -> Surroundings:
    outputs, system = plan.project.outputs, plan.system

    def folder_of(trial: Trial) -> Path:
        return trial_folder(outputs, system.name, system.version, opened.id, trial)

    return Surroundings(plan.project.root, plan.project.media_roots, reader, folder_of)


def _started(shop: Workshop, done: set[int]) -> RunStarted:
    plan = shop.plan
    return RunStarted(
        run=shop.run.id,
        system=plan.system.name,
        version=plan.system.version,
        cases=plan.cases,
        trials=plan.trials,
        done=len(done),
        criteria=shop.bench.criteria,
        hosts=plan.document["hosts"],
    )


def _refuse_silence(shop: Workshop) -> None:
    """Stop when the service was never reached: nothing was learned about it."""
    silent_host = next((host for one in shop.bench.evaluators if (host := one.never_answered)), "")
    if silent_host:
        raise ProviderUnreachable(
            f"{silent_host} never answered once; start it, or check its address, and run again "
            "(oloproof inspect --failures shows what each case met)"
        )
    if shop.system.never_answered:
        raise SystemError_(
            f"{shop.system.name} never answered once; start it, or give it more time (timeout:), and run again "
            "(oloproof inspect --failures shows what each case met)"
        )


def _result(history: History, run: StoredRun, conclusion: Conclusion, started: float) -> RunResult:
    seconds = time.monotonic() - started
    return RunResult(run, conclusion, history.counts(run), history.oldest_reused(run), seconds)


def record_decision(store: Store, stored: StoredRun, policy: PolicyOptions | None, conclusion: Conclusion) -> None:
    """Append what was decided to the run, with the digest of the policy it was decided on."""
    store.add_decision(
        stored.number,
        policy_digest(policy),
        digest_of(conclusion.validations),
        conclusion.exit_code,
        conclusion_document(conclusion),
    )
