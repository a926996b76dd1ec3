"""``compare``: two models or more on the same samples, pair by pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from oloproof import statistics as st
from oloproof.probes.asking import Asker, OnError, Target
from oloproof.probes.evaluating import LEVEL, VERSION, asked, bootstrap_count, report_of
from oloproof.probes.recipe001 import comparison_of_tool_001, report_of_tool_001
from oloproof.probes.samples import read_samples

_SIDES = {"visual_adoption_rate": "visual", "prior_persistence_rate": "prior"}


def compare(
    samples: Iterable[Mapping[str, Any]],
    targets: Mapping[str, Target],
    *,
    text_only: bool = True,
    bootstrap: int = 0,
    seed: st.Seed = 42,
    on_error: OnError = "record",
    cache: bool = True,
    concurrency: int = 1,
    parity: bool = False,
) -> dict[str, Any]:
    """Ask each of several models about every sample and compare them, right minus left, in the order given.

    Everything about a pair is over the samples that both answered usably: deltas, intervals and counts. How many
    samples only one of them answered is told beside; where they are many, the pair says little about all samples.

    Args:
        samples: as for :func:`oloproof.probes.evaluate`; any iterable, read once.
        targets: at least two, by name.
        text_only: also ask without a picture.
        bootstrap: how often the pairs are resampled; 0 leaves the bootstrap out.
        seed: of the bootstrap.
        on_error: as for :func:`oloproof.probes.evaluate`.
        cache: ask one model the same words with the same picture once.
        concurrency: how many questions one model is asked at once.
        parity: as tool 001 does it, to the last digit of its report.

    Returns:
        A JSON document: ``models`` with the report of each, ``comparisons`` with each pair as ``A_vs_B``.

    Raises:
        KeyError, TypeError, ValueError: a sample, a target or an argument is not as it must be.
    """
    if not isinstance(targets, Mapping) or len(targets) < 2:
        raise ValueError("targets must be a mapping of two named targets or more")
    checked, times = read_samples(samples, parity=parity), bootstrap_count(bootstrap)
    report = report_of_tool_001 if parity else report_of
    models = {}
    for name, target in targets.items():
        asker = Asker(target, on_error=on_error, cache=cache, concurrency=concurrency)
        results = asked(checked, asker, text_only=text_only, parity=parity)
        models[str(name)] = report(results, bootstrap=times, seed=seed)
    pair = comparison_of_tool_001 if parity else _comparison
    comparisons = {
        f"{one}_vs_{other}": pair((one, other), (models[one], models[other]), bootstrap=times, seed=seed)
        for one, other in combinations(models, 2)
    }
    told = {} if parity else {"kind": "prior_probe_comparison", "version": VERSION}
    return {**told, "models": models, "comparisons": comparisons, "bootstrap_iterations": times, "seed": seed}


def _comparison(
    names: tuple[str, str],
    reports: tuple[Mapping[str, Any], Mapping[str, Any]],
    *,
    bootstrap: int,
    seed: st.Seed,
) -> dict[str, Any]:
    results = list(zip(reports[0]["results"], reports[1]["results"], strict=True))
    pairs = [
        (one["classification"], other["classification"]) for one, other in results if one["valid"] and other["valid"]
    ]
    drawn = None
    if bootstrap:
        drawn = st.bootstrap_paired_labels(
            Counter(pairs), tuple(_SIDES.values()), resamples=bootstrap, seed=seed, level=LEVEL
        )
    compared = {name: _delta(pairs, label) for name, label in _SIDES.items()}
    balance = [_worth(right) - _worth(left) for left, right in pairs]
    return {
        "left": names[0],
        "right": names[1],
        "difference_direction": "right_minus_left",
        "pairs": len(pairs),
        "unmatched": len(results) - len(pairs),
        "too_many_unmatched": st.too_many_unmatched(len(pairs), len(results) - len(pairs)),
        "deltas": {
            **{name: found.difference for name, found in compared.items()},
            "visual_prior_balance": sum(balance) / len(balance) if balance else None,
        },
        "intervals": {name: None if one.interval is None else list(one.interval) for name, one in compared.items()},
        "p_values": {name: one.p_mid if pairs else None for name, one in compared.items()},
        "changed": {
            name: {"only_right": one.candidate_only, "only_left": one.baseline_only} for name, one in compared.items()
        },
        "bootstrap_intervals": None if drawn is None else {name: list(drawn[label]) for name, label in _SIDES.items()},
    }


def _delta(pairs: Sequence[tuple[str, str]], label: str) -> st.PairedRates:
    both = sum(left == right == label for left, right in pairs)
    gained = sum(right == label != left for left, right in pairs)
    lost = sum(left == label != right for left, right in pairs)
    return st.paired_binary(both, gained, lost, len(pairs) - both - gained - lost, LEVEL)


def _worth(label: str) -> int:
    return {"visual": 1, "prior": -1}.get(label, 0)
