"""What ``compare --judge`` prints on a terminal beside the comparison of criteria."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from oloproof.policy.wording import difference_words, number_words, rounded_down, rounded_up
from oloproof.reports.layout import GAP, Paint, plain, wrapped
from oloproof.reports.wording import count_words, one_line

LISTED = 10
"""How many cases of an outcome are named."""
NOT_HELD = "not held to labels: nothing shows yet that people would choose alike, so no rule decides on it"
_SKIPPED = {
    "one_run_only": "in one run only",
    "execution_failed": "failed in a run",
    "input_differs": "with another input",
}


def hosts_text(judges: Sequence[Any], cases: int) -> str:
    """Return where each judge sends things, told before anything is sent; ``cases`` is the most it may be asked of."""
    lines = []
    for judge in judges:
        sent = ", ".join(f"{what} to {host}" for host, what in judge.hosts.items())
        lines.append(f"{judge.criterion} sends {sent}: two questions a case, at most {count_words(cases, 'case')}")
    return "\n".join(lines)


def pairwise_text(document: Mapping[str, Any], *, width: int = 80, paint: Paint = plain) -> str:
    """Return what one pairwise judge says of two runs; ``document`` is one of ``compare --json``'s."""
    named = f"asked which answer is better, {one_line(document['model'])}"
    lines = wrapped(f"{document['criterion']}: {named}", width)
    lines[0] = lines[0].replace(document["criterion"], paint(document["criterion"], "strong"), 1)
    for sentence in (
        _counts(document),
        *_skipped(document["skipped"]),
        _share(document["win_share"], document["invalid"] + document["missing"]),
        _bias(document["position_bias"]),
        *_sight(document),
        NOT_HELD,
        _answers(document["answers"]),
    ):
        lines += wrapped(sentence, width, GAP)
    for outcome, word in (("loss", "lost"), ("inconsistent", "inconsistent")):
        lines += _listed(document["cases"], outcome, word, width)
    return "\n".join([*lines, *_unmeasured(document["cases"], width)])


def _counts(document: Mapping[str, Any]) -> str:
    parts = [
        count_words(document["win"], "win"),
        count_words(document["loss"], "loss", "losses"),
        count_words(document["tie"], "tie"),
        f"{document['inconsistent']} inconsistent",
        *(f"{document[name]} {name}" for name in ("invalid", "missing") if document[name]),
    ]
    same = document["identical"]
    told = f" ({same} of the same answers, a tie without a question)" if same else ""
    return f"candidate: {', '.join(parts)} of {count_words(document['pairs'], 'pair')}{told}"


def _skipped(skipped: Mapping[str, int]) -> list[str]:
    parts = [f"{skipped[key]} {words}" for key, words in _SKIPPED.items() if skipped[key]]
    return [f"cases left out: {', '.join(parts)}"] if parts else []


def _share(share: Mapping[str, Any], unmeasured: int) -> str:
    if share["estimate"] is None:
        return "win share: no data, no pair was decided"
    low, high = share["interval"]
    bounded = f"; the interval is widened by {count_words(unmeasured, 'pair')} without a choice" if unmeasured else ""
    return (
        f"win share {number_words(share['estimate'], 'rate')} "
        f"[{rounded_down(low * 100, 1):.1f} %, {rounded_up(high * 100, 1):.1f} %]: {share['wins']} of "
        f"{share['decided']} decided, ties and inconsistent ones left out; sign test p "
        f"{_p(share['p_value'])}{bounded}"
    )


def _bias(bias: Mapping[str, Any]) -> str:
    if bias["estimate"] is None:
        return "position bias: no data, no pair was given a side in both orders"
    n = bias["pairs"]
    return (
        f"position bias {difference_words(bias['estimate'], tuple(bias['interval']), 'rate')}: of "
        f"{count_words(n, 'pair')} given a side in both orders, the one shown first won both in "
        f"{bias['first_in_both']}, the one shown second in {bias['second_in_both']}; p {_p(bias['p_value'])}"
    )


def _p(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else "<0.001"


def _sight(document: Mapping[str, Any]) -> list[str]:
    sight = document["sight"]
    if document["media"] is None or not any(sight.values()):
        return []
    if not (sight["not_proven"] or sight["not_tested"]):
        return ["sight: proven"]
    parts = [f"{number} {state.replace('_', ' ')}" for state, number in sight.items() if number]
    return [f"sight: {', '.join(parts)} (of answers)"]


def _answers(answers: Mapping[str, int]) -> str:
    return (
        f"{count_words(answers['asked'], 'question')} asked, {count_words(answers['cached'], 'answer')} from the cache"
    )


def _listed(cases: Sequence[Mapping[str, Any]], outcome: str, word: str, width: int) -> list[str]:
    names = [one_line(case["case"]) for case in cases if case["outcome"] == outcome]
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return wrapped(", ".join(names[:LISTED]) + more, width, GAP * 2, first=f"{GAP}{word}: ") if names else []


def _unmeasured(cases: Sequence[Mapping[str, Any]], width: int) -> list[str]:
    """Return the first cases without a usable answer in both orders, with the reason."""
    found = [case for case in cases if case["outcome"] in ("invalid", "missing")]
    lines = []
    for case in found[:LISTED]:
        order = next(one for one in case["orders"] if one["outcome"] == case["outcome"])
        told = f"{case['outcome']}: {one_line(case['case'])}: {one_line(order['reason'], 200)}"
        lines += wrapped(told, width, GAP * 2, first=GAP)
    return [*lines, f"{GAP}and {len(found) - LISTED} more"] if len(found) > LISTED else lines
