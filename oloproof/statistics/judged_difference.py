"""Two systems compared through one judge: what its errors do to a difference, and when they forbid the comparison.

If the judge errs alike on both systems, the difference it sees is that of people times J = TPR + TNR - 1. So the sign
stays, but a margin shrinks. If it errs differently (it prefers its own style, say), the difference says nothing.
"""

from __future__ import annotations

import math
from typing import Literal

from msgspec import Struct

from oloproof.statistics.checks import counted, finite, share, tail_of
from oloproof.statistics.gates import Goal, OpenInterval, State, decide_difference
from oloproof.statistics.judge_table import JudgeTable, Unclear, tnr_of, tpr_of
from oloproof.statistics.rates import Interval, wilson_of_rate

NEWCOMBE_INDEPENDENT = "newcombe_independent@1"


class DifferentialError(Struct, frozen=True):
    """Candidate minus baseline of the judge's TPR and TNR; None where a system has no label of that class.

    ``differs`` tells whether an interval excludes 0; None when that cannot be told.
    """

    tpr_difference: float | None
    tpr_interval: Interval | None
    tnr_difference: float | None
    tnr_interval: Interval | None
    differs: bool | None
    method: str = NEWCOMBE_INDEPENDENT


class JudgedDifference(Struct, frozen=True):
    """What a judge's verdicts on two systems decide, with the margin on the judge's own scale."""

    state: State
    reason: Literal["decided", "differential_error", "error_rates_unknown", "judge_uninformative", "not_decided"]
    margin: float | None
    error: DifferentialError


def judge_scale_margin(margin: float, tpr: float, tnr: float) -> float | None:
    """Return a margin of people's pass rate on the judge's scale; None for a judge no better than a coin.

    For a gate give the low ends of TPR and TNR, not their estimates. Raises ``ValueError`` for a negative margin and
    for rates outside 0 to 1. Source: the attenuation in Rogan & Gladen, Am. J. Epidemiol. 107:71 (1978).
    """
    margin, youden = finite("margin", margin), share("tpr", tpr) + share("tnr", tnr) - 1.0
    if margin < 0.0:
        raise ValueError(f"margin must be 0 or more, but is {margin}")
    return margin * youden if youden > 0.0 else None


def newcombe_independent_interval(
    passes: int, n: int, other_passes: int, other_n: int, level: float = 0.95
) -> Interval | None:
    """Return the interval of a rate minus the rate of other cases, from Wilson limits; None without cases.

    Raises ``ValueError`` for counts that cannot be. Source: Newcombe, Stat. Med. 17:873 (1998), method 10.
    """
    passes, n = counted(passes, n)
    other_passes, other_n = counted(other_passes, other_n)
    tail = tail_of(level)
    if n == 0 or other_n == 0:
        return None
    p, q = passes / n, other_passes / other_n
    (p_low, p_high), (q_low, q_high) = wilson_of_rate(p, n, tail), wilson_of_rate(q, other_n, tail)
    return p - q - math.hypot(p - p_low, q_high - q), p - q + math.hypot(p_high - p, q - q_low)


def differential_error(candidate: JudgeTable, baseline: JudgeTable, level: float = 0.95) -> DifferentialError:
    """Return how the judge's error rates differ between two systems, from labels of some cases of each."""
    tpr = newcombe_independent_interval(candidate.tp, candidate.human_pass, baseline.tp, baseline.human_pass, level)
    tnr = newcombe_independent_interval(candidate.tn, candidate.human_fail, baseline.tn, baseline.human_fail, level)
    excluded = [not interval[0] <= 0.0 <= interval[1] for interval in (tpr, tnr) if interval is not None]
    return DifferentialError(
        _difference(candidate.tp, candidate.human_pass, baseline.tp, baseline.human_pass),
        tpr,
        _difference(candidate.tn, candidate.human_fail, baseline.tn, baseline.human_fail),
        tnr,
        True if any(excluded) else False if len(excluded) == 2 else None,
    )


def decide_judged_difference(
    interval: OpenInterval | None,
    *,
    goal: Goal,
    candidate: JudgeTable,
    baseline: JudgeTable,
    margin: float = 0.0,
    matched: int,
    unmatched: int = 0,
    level: float = 0.95,
) -> JudgedDifference:
    """Return what the interval of a judge's difference (candidate minus baseline) says about people's.

    ``margin`` is on people's scale. It is shrunk by J, which lies between what the ends of TPR and TNR (both systems'
    labels together) give: its low end is used where PASS would follow, its high end where FAIL would, so that neither
    leans on an optimistic J. INSUFFICIENT_EVIDENCE when the errors differ between the systems, when labels of a class
    are missing for one of them, and when the judge has not been shown better than a coin.

    Raises ``ValueError`` as ``decide_difference`` does.
    """
    error, tail = differential_error(candidate, baseline, level), tail_of(level)
    decide_difference(interval, goal=goal, margin=margin, matched=matched, unmatched=unmatched)  # refuses bad input
    if error.differs is not False:
        reason: Literal["differential_error", "error_rates_unknown"]
        reason = "differential_error" if error.differs else "error_rates_unknown"
        return JudgedDifference("INSUFFICIENT_EVIDENCE", reason, None, error)
    together = candidate + baseline
    tpr = tpr_of(together, Unclear(), tail).interval or (0.0, 1.0)
    tnr = tnr_of(together, Unclear(), tail).interval or (0.0, 1.0)
    least, most = judge_scale_margin(margin, tpr[0], tnr[0]), judge_scale_margin(margin, tpr[1], tnr[1])
    if least is None or most is None:
        return JudgedDifference("INSUFFICIENT_EVIDENCE", "judge_uninformative", None, error)
    strict = decide_difference(interval, goal=goal, margin=least, matched=matched, unmatched=unmatched)
    mild = decide_difference(interval, goal=goal, margin=most, matched=matched, unmatched=unmatched)
    state: State = "PASS" if strict == "PASS" else "FAIL" if mild == "FAIL" else "INSUFFICIENT_EVIDENCE"
    return JudgedDifference(state, "not_decided" if state == "INSUFFICIENT_EVIDENCE" else "decided", least, error)


def _difference(passes: int, n: int, other_passes: int, other_n: int) -> float | None:
    return passes / n - other_passes / other_n if n and other_n else None
