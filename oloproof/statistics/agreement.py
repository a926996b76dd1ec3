"""How far a judge and people agree on pass and fail: every measure of the one table, for reading.

TPR and TNR decide (``judge_rule``); agreement, kappa and AC1 are shown beside them, because a judge that always says
PASS looks good on agreement and AC1 wherever most cases pass, and a good judge looks bad on kappa there
(Feinstein & Cicchetti, J. Clin. Epidemiol. 43:543, 1990).
"""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist

from msgspec import Struct

from oloproof.statistics.checks import tail_of
from oloproof.statistics.judge_table import JudgeTable, Unclear, tnr_of, tpr_of
from oloproof.statistics.paired import tango_interval
from oloproof.statistics.rates import Interval, clopper_pearson

COHEN_KAPPA = "cohen_kappa@1"
GWET_AC1 = "gwet_ac1@1"


class Kappa(Struct, frozen=True):
    """Cohen's kappa, its standard error and interval; None where the labels do not tell."""

    kappa: float | None
    se: float | None
    interval: Interval | None
    method: str = COHEN_KAPPA


class Agreement(Struct, frozen=True):
    """All measures of one table of ``n`` cases, each None where it is not defined.

    ``youden`` is TPR + TNR - 1 (0 for a coin), ``phi`` the correlation of labels and verdicts, ``bias`` the judge's
    pass rate minus that of people.
    """

    n: int
    agreement: float | None
    agreement_interval: Interval | None
    tpr: float | None
    tpr_interval: Interval | None
    tnr: float | None
    tnr_interval: Interval | None
    bias: float | None
    bias_interval: Interval | None
    youden: float | None
    phi: float | None
    kappa: Kappa
    ac1: float | None


def agreement_measures(table: JudgeTable, level: float = 0.95) -> Agreement:
    """Return every measure of ``table``: exact intervals of TPR, TNR and agreement, Tango's of the bias.

    Raises ``ValueError`` for a ``level`` outside 0 to 1. Sources: Clopper & Pearson 1934; Tango 1998; for kappa and
    AC1 see ``cohen_kappa`` and ``gwet_ac1``; phi is Matthews', BBA 405:442 (1975).
    """
    tail, n = tail_of(level), table.n
    tpr, tnr = tpr_of(table, Unclear(), tail), tnr_of(table, Unclear(), tail)
    return Agreement(
        n=n,
        agreement=(table.tp + table.tn) / n if n else None,
        agreement_interval=clopper_pearson(table.tp + table.tn, n, level),
        tpr=tpr.estimate,
        tpr_interval=tpr.interval,
        tnr=tnr.estimate,
        tnr_interval=tnr.interval,
        bias=(table.fp - table.fn) / n if n else None,
        bias_interval=tango_interval(table.fp, table.fn, n, level),
        youden=None if tpr.estimate is None or tnr.estimate is None else tpr.estimate + tnr.estimate - 1.0,
        phi=phi_of(table),
        kappa=cohen_kappa(table, level),
        ac1=gwet_ac1(table),
    )


def cohen_kappa(table: JudgeTable, level: float = 0.95) -> Kappa:
    """Return Cohen's kappa with the standard error of Fleiss, Cohen & Everitt, and a normal interval.

    Nothing is defined when judge and people use one class, the same, only. A judge that always says one thing has a
    kappa of 0 and no standard error: its verdicts hold no information whose spread could be told.

    Computed in exact fractions, because in floats a variance of nothing may come out below 0.
    Sources: Cohen, Educ. Psychol. Meas. 20:37 (1960); Fleiss, Cohen & Everitt, Psychol. Bull. 72:323 (1969).
    """
    z, n = -NormalDist().inv_cdf(tail_of(level)), table.n
    if n == 0:
        return Kappa(None, None, None)
    cells = ((Fraction(table.tp, n), Fraction(table.fn, n)), (Fraction(table.fp, n), Fraction(table.tn, n)))
    human = [sum(row) for row in cells]
    judge = [cells[0][j] + cells[1][j] for j in (0, 1)]
    expected = human[0] * judge[0] + human[1] * judge[1]
    if expected == 1:
        return Kappa(None, None, None)
    kappa = (cells[0][0] + cells[1][1] - expected) / (1 - expected)
    if 1 in judge:
        return Kappa(float(kappa), None, None)
    same = sum(cells[i][i] * (1 - (human[i] + judge[i]) * (1 - kappa)) ** 2 for i in (0, 1))
    other = sum(cells[i][1 - i] * (judge[i] + human[1 - i]) ** 2 for i in (0, 1)) * (1 - kappa) ** 2
    spread = same + other - (kappa - expected * (1 - kappa)) ** 2
    se = math.sqrt(spread / n) / float(1 - expected)
    return Kappa(float(kappa), se, (float(kappa) - z * se, float(kappa) + z * se))


def gwet_ac1(table: JudgeTable) -> float | None:
    """Return Gwet's AC1; None of no cases. Source: Gwet, Br. J. Math. Stat. Psychol. 61:29 (2008)."""
    if table.n == 0:
        return None
    share = (table.human_pass + table.tp + table.fp) / (2 * table.n)
    chance = 2.0 * share * (1.0 - share)
    return ((table.tp + table.tn) / table.n - chance) / (1.0 - chance)


def phi_of(table: JudgeTable) -> float | None:
    """Return the correlation of labels and verdicts: 0 for a constant judge, None unless people use both classes."""
    if table.human_pass == 0 or table.human_fail == 0:
        return None
    margins = table.human_pass * table.human_fail * (table.tp + table.fp) * (table.fn + table.tn)
    return (table.tp * table.tn - table.fp * table.fn) / math.sqrt(margins) if margins else 0.0
