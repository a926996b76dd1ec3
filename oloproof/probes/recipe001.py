"""The report of tool 001, figure for figure, so that published numbers can be made again.

Where there is no data it says 0.0, and it compares models on different samples: see the list of differences in the
documentation. New work uses the report of :func:`oloproof.probes.evaluate` without ``parity``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from oloproof import statistics as st

COMPARED = {"visual_adoption_rate": "visual", "prior_persistence_rate": "prior"}


def report_of_tool_001(results: Sequence[Mapping[str, Any]], *, bootstrap: int, seed: st.Seed) -> dict[str, Any]:
    """Return its report over results that were labelled as it labels."""
    labels = [result["classification"] for result in results if result["valid"]]
    drawn = st.recipe_label_rates(labels, st.PRIOR_LABELS, resamples=bootstrap, seed=seed) if bootstrap else None
    texts = [result["conditions"]["text_only"] for result in results if "text_only" in result["conditions"]]
    aligned = [one["classification"] == "prior" for one in texts if one["valid"]]
    return {
        "samples": len(results),
        "valid_samples": len(labels),
        **_label_rates(labels),
        "text_prior_alignment_rate": _share(aligned),
        "counterfactual_sensitivity_rate": _share(_told(results, "counterfactual_sensitive")),
        "visual_reliance_rate": _share(_told(results, "visually_reliant")),
        "prompt_correction_rate": _share(_told(results, "prompt_corrected")),
        "confidence_level": 0.95,
        "bootstrap_iterations": bootstrap,
        "confidence_intervals": {
            name: None if drawn is None else list(drawn[label]) for name, label in st.LABEL_RATES.items()
        },
        "by_attribute": _groups(results, "attribute"),
        "by_category": _groups([result for result in results if result["category"] is not None], "category"),
        "results": list(results),
    }


def comparison_of_tool_001(
    names: tuple[str, str],
    reports: tuple[Mapping[str, Any], Mapping[str, Any]],
    *,
    bootstrap: int,
    seed: st.Seed,
) -> dict[str, Any]:
    """Return its comparison: deltas over each model's own samples, intervals over those valid in both."""
    left, right = reports
    pairs = [
        (one["classification"], other["classification"])
        for one, other in zip(left["results"], right["results"], strict=True)
        if one["valid"] and other["valid"]
    ]
    drawn = None
    if bootstrap:
        before, after = [one for one, _ in pairs], [other for _, other in pairs]
        drawn = st.recipe_paired_labels(before, after, tuple(COMPARED.values()), resamples=bootstrap, seed=seed)
    return {
        "left": names[0],
        "right": names[1],
        "difference_direction": "right_minus_left",
        "deltas": {key: right[key] - left[key] for key in (*COMPARED, "visual_prior_balance")},
        "paired_confidence_intervals": {
            key: None if drawn is None else list(drawn[label]) for key, label in COMPARED.items()
        },
    }


def _label_rates(labels: Sequence[str]) -> dict[str, float]:
    rates = {name: _share([one == label for one in labels]) for name, label in st.LABEL_RATES.items()}
    return {**rates, "visual_prior_balance": rates["visual_adoption_rate"] - rates["prior_persistence_rate"]}


def _share(hits: Sequence[bool]) -> float:
    return sum(hits) / len(hits) if hits else 0.0


def _told(results: Iterable[Mapping[str, Any]], key: str) -> list[bool]:
    return [result[key] for result in results if result[key] is not None]


def _groups(results: Sequence[Mapping[str, Any]], key: str) -> dict[Any, Any]:
    groups: dict[Any, list[Mapping[str, Any]]] = {}
    for result in results:
        groups.setdefault(result[key], []).append(result)
    found = {}
    for name, group in groups.items():
        labels = [result["classification"] for result in group if result["valid"]]
        found[name] = {"samples": len(group), "valid_samples": len(labels), **_label_rates(labels)}
    return found
