"""Whether a stored run can be gone on with: what it was made of must be what the project is made of now."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from oloproof.digests import digest_of
from oloproof.media import MediaReader
from oloproof.records import Notice
from oloproof.running.plan import Plan, Selection
from oloproof.running.work import keyed
from oloproof.storage import History, OpenRun, Store, StoredRun
from oloproof.storage.unanswered import forget_unanswered, forget_unjudged

_LISTED = 5


def changed_since(run: StoredRun, store: Store, plan: Plan) -> str:
    """Return in words what is not as it was when ``run`` began; files are looked at where all else is the same."""
    stored = run.document["selection"]
    taken = Selection(tuple(stored["cases"]), stored["limit"])
    differs = (
        ("the project, the system or its code", run.config_digest != plan.config_digest_with(taken)),
        ("the selection of cases (--case, --limit)", taken != plan.selection),
        ("the dataset", run.dataset_digest != plan.dataset_digest),
    )
    return " and ".join(what for what, another in differs if another) or _changed_files(run, store, plan)


def _changed_files(run: StoredRun, store: Store, plan: Plan) -> str:
    """Return in words which cases were executed on other bytes than their files hold now."""
    before = History(store).original_keys(run)
    system, root, by_id = digest_of(plan.system.identity), plan.project.root, plan.system.answers_by_id
    reader = MediaReader(root, memo=store.load_memo())
    changed = []
    for trial in plan.enumerate(set()) if before else ():
        if trial.index not in before:
            continue
        given = replace(trial, case=plan.families.original(trial.case))
        if given.case.files and keyed(given, root, reader, system, by_id=by_id).key != before[trial.index]:
            changed.append(given.case.id)
    store.save_memo(reader.memo)
    if not changed:
        return ""
    more = f" and {len(changed) - _LISTED:,} more" if len(changed) > _LISTED else ""
    cases = "1 case" if len(changed) == 1 else f"{len(changed):,} cases"
    return f"the files of {cases} ({', '.join(changed[:_LISTED])}{more})"


def forgotten(store: Store, opened: OpenRun, run: StoredRun) -> Iterator[Notice]:
    """Forget the trials of a run that a service or a judge's server never answered; yield what is asked again.

    Such a run ends with the advice to start the service: what it could not tell before it was is no result.
    """
    count = forget_unanswered(store, opened)
    if count:
        failed = "1 trial that failed is" if count == 1 else f"{count:,} trials that failed are"
        yield Notice("asked_again", f"{failed} executed again, since nothing was answered in this run")
    for number, entry in enumerate(run.criteria):
        count = forget_unjudged(store, opened, number) if entry["calls_model"] else 0
        if count:
            judged = "1 trial is" if count == 1 else f"{count:,} trials are"
            told = f"{entry['criterion']}: {judged} judged again, since the judge's server said nothing in this run"
            yield Notice("asked_again", told)
