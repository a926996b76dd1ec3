"""What was decided of a run, read back from where it was kept, so that nothing is counted again for a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oloproof.config.models import RuleOptions
from oloproof.records import Decision
from oloproof.reports.wording import metric_from
from oloproof.running.deciding import Conclusion, policy_of
from oloproof.storage import StoredRun


def conclusion_from(document: Mapping[str, Any] | None) -> Conclusion:
    """Return the metrics and decisions that were kept; none of either where nothing was."""
    if document is None:
        return Conclusion((), ())
    return Conclusion(
        tuple(metric_from(one) for one in document["metrics"]),
        tuple(_decision(one) for one in document["decisions"]),
    )


def _decision(document: Mapping[str, Any]) -> Decision:
    interval = document["interval"]
    return Decision(**{**document, "interval": None if interval is None else tuple(interval)})


def rules_of(run: StoredRun) -> dict[str, RuleOptions]:
    """Return the rules that the project had when the run began, by their ids."""
    if run.document.get("project", {}).get("policy") is None:
        return {}
    policy = policy_of(run)
    return {} if policy is None else {rule.id: rule.spelled_out for rule in policy.rules}
