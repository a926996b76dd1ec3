"""Whether a stored run can be gone on with: what it was made of must be what the project is made of now."""

from __future__ import annotations

from msgspec.structs import replace

from oloproof.digests import digest_of
from oloproof.media import MediaReader
from oloproof.running.plan import Plan, Selection
from oloproof.running.work import keyed
from oloproof.storage import History, Store, StoredRun

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
