"""What people would say of a run without labels, from a judge whose errors were measured on another run.

This assumes that the judge errs here as often as it did there, which nothing in the data can show: label some of
each system where that is possible, and use ``human_rate``.
"""

from __future__ import annotations

import math
from itertools import product
from statistics import NormalDist
from typing import Literal

from msgspec import Struct

from oloproof.statistics.checks import count, counted, finite, tail_of
from oloproof.statistics.judge_table import JudgeTable, Unclear, tnr_of, tpr_of
from oloproof.statistics.rates import Interval, real_clopper_pearson

ROGAN_GLADEN = "rogan_gladen_lang_reiczigel@1"
Refusal = Literal["too_few_cases", "class_missing", "judge_uninformative", "judge_rate_impossible"]


class TransportedRate(Struct, frozen=True):
    """A corrected rate. UNIDENTIFIED, with a ``reason`` and no estimate, where the judge's errors do not allow one.

    ``unclipped`` is the interval before it was cut to 0 and 1, for reading.
    """

    state: Literal["IDENTIFIED", "UNIDENTIFIED"]
    reason: Refusal | None
    estimate: float | None
    interval: Interval | None
    unclipped: Interval | None
    method: str = ROGAN_GLADEN


def rogan_gladen(
    judge_pass: int, n: int, *, tp: float, human_pass: float, tn: float, human_fail: float, level: float = 0.95
) -> TransportedRate:
    """Return the rate of PASSes by people from ``judge_pass`` of ``n``, given right verdicts out of each class.

    The class counts may be real numbers, as weighted labels give. UNIDENTIFIED when there are fewer than two cases or
    a class has no label; when the judge has not been shown better than a coin (the low ends of TPR and TNR sum to 1
    or less); and when it passes more than its TPR or less than 1 - TNR, where cutting to 0 or 1 would clear any bar.

    Raises ``ValueError`` for counts that cannot be. Sources: Rogan & Gladen, Am. J. Epidemiol. 107:71 (1978); the
    interval is that of Lang & Reiczigel, Prev. Vet. Med. 113:13 (2014).
    """
    judge_pass, n = counted(judge_pass, n)
    tail = tail_of(level)
    tp, human_pass = _real_counts("tp", tp, "human_pass", human_pass)
    tn, human_fail = _real_counts("tn", tn, "human_fail", human_fail)
    if n < 2:
        return _unidentified("too_few_cases")
    if human_pass == 0.0 or human_fail == 0.0:
        return _unidentified("class_missing")
    lows = real_clopper_pearson(tp, human_pass, tail)[0] + real_clopper_pearson(tn, human_fail, tail)[0]
    unclipped = _lang_reiczigel(judge_pass, n, tp, human_pass, tn, human_fail, tail)
    if lows <= 1.0 or unclipped is None:
        return _unidentified("judge_uninformative", unclipped)
    rate, tpr, tnr = judge_pass / n, tp / human_pass, tn / human_fail
    if judge_pass * human_pass > tp * n or judge_pass * human_fail < (human_fail - tn) * n:
        return _unidentified("judge_rate_impossible", unclipped)
    estimate = min(max((rate + tnr - 1.0) / (tpr + tnr - 1.0), 0.0), 1.0)
    low, high = (min(max(end, 0.0), 1.0) for end in unclipped)
    return TransportedRate("IDENTIFIED", None, estimate, (low, high), unclipped)


def transported_rate(
    judge_pass: int,
    n: int,
    table: JudgeTable,
    *,
    missing: int = 0,
    unclear: Unclear | None = None,
    level: float = 0.95,
) -> TransportedRate:
    """Return the corrected rate with everything that is missing at its worst.

    ``n`` counts the cases of this run with a verdict, ``missing`` those without; ``table`` and ``unclear`` are the
    labelled sample of the other run. The interval reaches as far as any way of settling them; one way that leaves the
    rate UNIDENTIFIED does so for all. The estimate is that of what is known. Raises ``ValueError`` as above.
    """
    judge_pass, n = counted(judge_pass, n)
    missing, unclear, tail = count("missing", missing), unclear or Unclear(), tail_of(level)
    found = _of_table(judge_pass, n, table, level)
    tpr, tnr = tpr_of(table, unclear, tail).interval, tnr_of(table, unclear, tail).interval
    if found.state == "UNIDENTIFIED" or tpr is None or tnr is None:
        return found
    if tpr[0] + tnr[0] <= 1.0:
        return _unidentified("judge_uninformative", found.unclipped)
    passes = {judge_pass, judge_pass + missing}
    ways = [_of_table(k, n + missing, one, level) for k, one in product(passes, _settled(table, unclear))]
    refused = next((way for way in ways if way.state == "UNIDENTIFIED"), None)
    if refused is not None:
        return refused
    intervals = [way.interval for way in (found, *ways) if way.interval is not None]
    interval = min(low for low, _ in intervals), max(high for _, high in intervals)
    return TransportedRate("IDENTIFIED", None, found.estimate, interval, found.unclipped)


def _of_table(judge_pass: int, n: int, table: JudgeTable, level: float) -> TransportedRate:
    return rogan_gladen(
        judge_pass,
        n,
        tp=table.tp,
        human_pass=table.human_pass,
        tn=table.tn,
        human_fail=table.human_fail,
        level=level,
    )


def _settled(table: JudgeTable, unclear: Unclear) -> list[JudgeTable]:
    """Return the table as it is, and with each kind of unclear case wholly in each cell it may belong to."""
    places = (
        (unclear.judge_pass, (JudgeTable(1, 0, 0, 0), JudgeTable(0, 0, 1, 0))),
        (unclear.judge_fail, (JudgeTable(0, 1, 0, 0), JudgeTable(0, 0, 0, 1))),
        (unclear.human_pass, (JudgeTable(1, 0, 0, 0), JudgeTable(0, 1, 0, 0))),
        (unclear.human_fail, (JudgeTable(0, 0, 1, 0), JudgeTable(0, 0, 0, 1))),
        (unclear.neither, tuple(JudgeTable(*(int(i == j) for j in range(4))) for i in range(4))),
    )
    tables = [table]
    for cases, cells in places:
        if cases:
            tables = [one + _times(cell, cases) for one in tables for cell in cells]
    return [table, *tables]


def _times(cell: JudgeTable, cases: int) -> JudgeTable:
    return JudgeTable(cell.tp * cases, cell.fn * cases, cell.fp * cases, cell.tn * cases)


def _lang_reiczigel(
    judge_pass: int, n: int, tp: float, human_pass: float, tn: float, human_fail: float, tail: float
) -> Interval | None:
    """Return the interval before cutting; None where the smoothed judge is no better than a coin."""
    z = -NormalDist().inv_cdf(tail)
    cases = n + z * z
    rate = (judge_pass + 0.5 * z * z) / cases
    tpr, tnr = (tp + 1.0) / (human_pass + 2.0), (tn + 1.0) / (human_fail + 2.0)
    youden = tpr + tnr - 1.0
    if youden <= 0.0:
        return None
    theta = (rate + tnr - 1.0) / youden
    tpr_part, tnr_part = tpr * (1.0 - tpr) / (human_pass + 2.0), tnr * (1.0 - tnr) / (human_fail + 2.0)
    shift = 2.0 * z * z * (theta * tpr_part - (1.0 - theta) * tnr_part)
    variance = rate * (1.0 - rate) / cases + theta * theta * tpr_part + (1.0 - theta) ** 2 * tnr_part
    half = z * math.sqrt(variance) / youden
    return theta + shift - half, theta + shift + half


def _real_counts(name: str, part: float, whole_name: str, whole: float) -> tuple[float, float]:
    part, whole = finite(name, part), finite(whole_name, whole)
    if not 0.0 <= part <= whole:
        raise ValueError(f"{name} must be 0 or more and no more than {whole_name}: {part:g} of {whole:g}")
    return part, whole


def _unidentified(reason: Refusal, unclipped: Interval | None = None) -> TransportedRate:
    return TransportedRate("UNIDENTIFIED", reason, None, None, unclipped)
