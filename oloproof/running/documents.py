"""The JSON documents of runs, in the shapes that others rely on."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any

from msgspec import to_builtins

from oloproof.media import MediaReader
from oloproof.policy import Comparison
from oloproof.records import Delivery, MediaItem, Notice
from oloproof.running.deciding import Conclusion
from oloproof.running.judge_documents import judges_document
from oloproof.storage import History, StoredRun, StoredTrial


def conclusion_document(conclusion: Conclusion) -> dict[str, Any]:
    """Return metrics and decisions as JSON."""
    return {
        "exit": conclusion.exit_code,
        "metrics": [to_builtins(metric) for metric in conclusion.metrics],
        "decisions": [to_builtins(decision) for decision in conclusion.decisions],
    }


def result_schema() -> dict[str, Any]:
    """Return the JSON Schema (Draft 2020-12) of what ``run --json`` and ``gate --json`` print."""
    text = files("oloproof.running").joinpath("result.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def run_document(
    history: History, run: StoredRun, conclusion: Conclusion, beside: Iterable[Notice] = ()
) -> dict[str, Any]:
    """Return what ``run --json`` and ``gate --json`` print; ``beside`` is what to say that is not kept with the run."""
    counts = history.counts(run)
    criteria = len(run.criteria)
    reused, oldest_verdict = history.reused_verdicts(run)
    return {
        "run": run.id,
        "project": run.project,
        "system": {"name": run.system_name, "version": run.system_version},
        "replay": run.document.get("system", {}).get("kind") == "replay",
        "state": run.state,
        "exit": conclusion.exit_code,
        "partial": run.partial,
        "cases": run.cases,
        "relations": dict(run.document.get("relations") or {}),
        "executions": {key: counts[key] for key in ("run", "cached", "failed")},
        "verdicts": {"asked": counts["trials"] * criteria - reused, "cached": reused},
        "oldest_reused": _time_text(history.oldest_reused(run)),
        "oldest_verdict_reused": _time_text(oldest_verdict),
        "judges": judges_document(history, run),
        "hosts": [{"host": host, "sent": sent} for host, sent in run.document.get("hosts", {}).items()],
        **{key: value for key, value in conclusion_document(conclusion).items() if key != "exit"},
        "warnings": _warnings([*run.notices, *beside]),
    }


def _time_text(moment: float | None) -> str | None:
    return None if moment is None else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))


def runs_document(history: History, runs: Iterable[StoredRun]) -> dict[str, Any]:
    """Return what ``runs --json`` prints."""
    exits = history.last_exits()
    return {
        "runs": [
            {
                "run": run.id,
                "project": run.project,
                "system": {"name": run.system_name, "version": run.system_version},
                "state": run.state,
                "started": _time_text(run.started),
                "finished": _time_text(run.finished),
                "partial": run.partial,
                "cases": run.cases,
                "exit": exits.get(run.number) if run.state == "complete" else 2 if run.state == "stopped" else None,
                "error": run.error,
            }
            for run in runs
        ]
    }


def case_document(run: StoredRun, trials: Iterable[StoredTrial], reader: MediaReader) -> dict[str, Any]:
    """Return what ``inspect --case ID --json`` prints: everything that is known of one case in a run."""
    found = list(trials)
    return {
        "run": run.id,
        "case": found[0].case_id,
        "input": found[0].input,
        "expected": found[0].expected,
        "slice": dict(found[0].slice),
        "trials": [trial_document(run, trial, reader) for trial in found],
    }


def trial_document(run: StoredRun, trial: StoredTrial, reader: MediaReader) -> dict[str, Any]:
    """Return one trial as JSON, with the state in which its files are now."""
    execution = trial.execution
    return {
        "variant": trial.variant,
        "repeat": trial.repeat,
        "output": execution.output,
        "error": execution.error,
        "error_detail": execution.error_detail,
        "seconds": execution.seconds,
        "cached": trial.cached,
        "input": trial.input,
        "expected": trial.expected,
        "delivered": [delivery_document(one, reader) for one in trial.delivered],
        "media": [item_document(item, reader) for item in execution.media],
        "verdicts": [verdict_document(run, trial, number) for number in range(len(trial.verdicts))],
    }


def delivery_document(delivery: Delivery, reader: MediaReader) -> dict[str, Any]:
    """Return what a trial was given in a field that variants change, as JSON.

    ``relation`` is None of the original; ``same`` is None where nothing was compared with it.
    """
    compared = {"bytes": delivery.same_bytes, "data": delivery.same_data, "view": delivery.same_view}
    finding = delivery.finding
    return {
        "field": delivery.field,
        "relation": delivery.relation,
        "file": None if delivery.item is None else item_document(delivery.item, reader),
        "source": delivery.source,
        "same": None if delivery.same_view is None else compared,
        "difference": delivery.difference,
        "finding": None if finding is None else {"code": finding.code, "message": finding.message},
    }


def item_document(item: MediaItem, reader: MediaReader) -> dict[str, Any]:
    """Return one recorded file as JSON. ``state`` is verified, changed or gone."""
    return {
        "id": item.id,
        "role": item.role,
        "kind": item.kind,
        "name": item.name,
        "path": item.path,
        "format": item.format,
        "media_type": item.media_type,
        "size": item.size,
        "sha256": item.sha256,
        "width": item.width,
        "height": item.height,
        "duration": item.duration,
        "facts": dict(item.facts),
        "state": reader.state(item),
    }


def verdict_document(run: StoredRun, trial: StoredTrial, criterion: int) -> dict[str, Any]:
    """Return one verdict as JSON; ``saw`` is None where no model was shown anything."""
    evaluator = run.criteria[criterion]
    verdict = trial.verdicts[criterion]
    judgement = trial.judgements.get(evaluator.get("evaluator", -1))
    return {
        "criterion": evaluator["criterion"],
        "outcome": verdict.outcome,
        "score": verdict.score,
        "reason": verdict.reason,
        "details": dict(verdict.details),
        "saw": None if judgement is None else dict(judgement.saw),
        "cached": trial.reused[criterion],
        "evaluator": {"type": evaluator["type"], "version": evaluator["version"]},
    }


def failures_document(run: StoredRun, trials: Iterable[StoredTrial]) -> dict[str, Any]:
    """Return what ``inspect --failures --json`` prints: every trial with a verdict that is not a pass."""
    return {
        "run": run.id,
        "cases": [
            {
                "case": trial.case_id,
                "variant": trial.variant,
                "repeat": trial.repeat,
                "error": trial.execution.error,
                "verdicts": [
                    verdict_document(run, trial, number)
                    for number, verdict in enumerate(trial.verdicts)
                    if verdict.outcome != "pass"
                ],
            }
            for trial in trials
            if is_failure(trial)
        ],
    }


def is_failure(trial: StoredTrial) -> bool:
    """Whether something about a trial is not a pass."""
    return trial.execution.failed or any(verdict.outcome != "pass" for verdict in trial.verdicts)


def comparison_document(
    candidate: StoredRun,
    baseline: StoredRun,
    comparisons: Iterable[Comparison],
    conclusion: Conclusion,
    notices: Iterable[Notice] = (),
) -> dict[str, Any]:
    """Return what ``compare --json`` prints."""
    return {
        "candidate": candidate.id,
        "baseline": baseline.id,
        "exit": conclusion.exit_code,
        "comparisons": [_comparison(found) for found in comparisons],
        "decisions": [to_builtins(decision) for decision in conclusion.decisions],
        "warnings": _warnings(notices),
    }


def _warnings(notices: Iterable[Notice]) -> list[dict[str, str]]:
    return [{"code": notice.code, "message": notice.message} for notice in notices]


def _comparison(found: Comparison) -> Mapping[str, Any]:
    return dict(to_builtins(found))
