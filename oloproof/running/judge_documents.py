"""What a run tells of its judges: what answered, whether it proved that it sees, and what the answers took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from oloproof import providers
from oloproof.storage import History, StoredJudgements, StoredRun
from oloproof.storage.judgements import Sitting


def judges_document(history: History, run: StoredRun) -> list[dict[str, Any]]:
    """Return, for each judge of a run, which models answered it, with which ffmpeg, and whether it proved that it sees.

    ``sense`` is ``hearing`` where sound alone was put to it, else ``sight``; ``sight`` counts its judgements by whether
    it proved that sense: ``proven``, ``not_proven`` or ``not_tested``. ``asked`` judgements are new in this run;
    ``requests``, ``tokens`` and ``usd`` are what those took, None where nothing says. Transcripts and tests of sight
    are not among them, and dollars need ``prices:`` in the judge's budget.
    """
    criteria: dict[int, list[str]] = {}
    for entry in run.criteria:
        if entry["calls_model"]:
            criteria.setdefault(entry.get("evaluator", -1), []).append(entry["criterion"])
    sittings = StoredJudgements(history.store).sittings(run.number) if criteria else []
    documents = []
    for evaluator, names in criteria.items():
        own = [one for one in sittings if one.evaluator == evaluator]
        sight: Counter[str] = Counter()
        for one in own:
            sight[one.sight or "not_tested"] += one.count
        documents.append(
            {
                "criteria": names,
                "judgements": sum(one.count for one in own),
                "sense": _sense(own),
                "sight": dict(sight),
                "models_served": sorted({one.model_served for one in own if one.model_served}),
                "ffmpeg": sorted({one.ffmpeg for one in own if one.ffmpeg}),
                **_spent(run, names[0], own),
            }
        )
    return documents


def models_served(history: History, run: StoredRun, criterion: str, judge: str) -> frozenset[str]:
    """Return the models that answered one judge in a run; none where the run has no such judge or none is known."""
    if not any(entry["criterion"] == criterion and entry["digest"] == judge for entry in run.criteria):
        return frozenset()
    told = next(one for one in judges_document(history, run) if criterion in one["criteria"])
    return frozenset(told["models_served"])


def _sense(sittings: Sequence[Sitting]) -> str:
    hears = any(one.sound for one in sittings) and not any(one.pictures for one in sittings)
    return "hearing" if hears else "sight"


def _spent(run: StoredRun, criterion: str, sittings: Sequence[Sitting]) -> dict[str, Any]:
    """Return what the new judgements of one judge took."""
    usage = sum((providers.Usage(one.input_tokens, one.output_tokens) for one in sittings), providers.NOTHING_COUNTED)
    counted = [one.requests for one in sittings if one.requests is not None]
    prices = _prices(run, criterion)
    is_known = usage.input_tokens is not None and usage.output_tokens is not None
    return {
        "asked": sum(one.asked for one in sittings),
        "requests": sum(counted) if counted else None,
        "tokens": {"input": usage.input_tokens, "output": usage.output_tokens},
        "usd": prices.of(usage) if prices is not None and is_known else None,
    }


def _prices(run: StoredRun, criterion: str) -> providers.Prices | None:
    """Return what the project says that tokens of a judge cost; ``criterion`` is one that it reports."""
    for options in run.document.get("project", {}).get("evaluators", ()):
        if criterion == options.get("criterion") or criterion.startswith(f"{options.get('criterion')}."):
            given = (options.get("budget") or {}).get("prices")
            return None if given is None else providers.Prices(given["input"], given["output"])
    return None
