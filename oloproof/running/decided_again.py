"""Whether a run is decided by another policy than the one that it was run with."""

from __future__ import annotations

import time
from collections.abc import Iterator

from oloproof.config import PolicyOptions
from oloproof.digests import digest_of
from oloproof.records import Notice
from oloproof.running.deciding import policy_of
from oloproof.storage import History, StoredRun


def policy_digest(policy: PolicyOptions | None) -> str:
    """Return what tells a policy from another one."""
    return digest_of(None if policy is None else policy.model_dump(mode="json"))


def _own_digest(run: StoredRun) -> str:
    """Return what tells the policy of a run; nothing of one that was kept by an earlier version and is refused now."""
    try:
        return policy_digest(policy_of(run))
    except ValueError:
        return ""


def decided_otherwise(run: StoredRun, policy: PolicyOptions | None) -> Iterator[Notice]:
    """Yield what to say when the project's policy is not, or no longer, the one of the run that it decides."""
    if policy_digest(policy) != _own_digest(run):
        yield Notice(
            "decided_otherwise",
            "this is decided by the policy of the project as it is now, which is another one than it was run with; "
            f"oloproof inspect {run.id} tells what its own policy says",
        )


def decided_again(history: History, run: StoredRun) -> Iterator[Notice]:
    """Yield what to say when a gate decided last, by another policy than the run's own."""
    newest = history.newest_decision(run)
    if newest is None or newest.policy == _own_digest(run):
        return
    when = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(newest.time))
    yield Notice(
        "decided_again",
        f"the newest decision on this run, of {when} with exit {newest.exit}, was taken by another policy than it was "
        "run with; oloproof runs and the workbench show that one, oloproof inspect what its own policy says",
    )
