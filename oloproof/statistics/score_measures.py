"""How far a judge and people agree on a score, such as 0 to 5: for reading, beside the decision that is gated."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from oloproof.statistics.betting import BETTING
from oloproof.statistics.checks import numbers_within, value_range
from oloproof.statistics.means import mean_of
from oloproof.statistics.paired_scores import differences, paired_betting_interval
from oloproof.statistics.rates import Interval
from oloproof.statistics.reliability import Reliability, krippendorff_alpha

WEIGHTED_KAPPA = "weighted_kappa@1"
SPEARMAN = "spearman@1"


class ScoreAgreement(Struct, frozen=True):
    """What is said of ``n`` cases scored by people and by a judge; None where the scores do not tell.

    ``bias`` is the mean of judge minus people, with a betting interval that may gate.
    """

    n: int
    quadratic_kappa: float | None
    ordinal_alpha: Reliability
    spearman: float | None
    bias: float | None
    bias_interval: Interval | None
    bias_method: str = BETTING


def score_agreement(
    human: Sequence[float], judge: Sequence[float], low: float = 0.0, high: float = 5.0, level: float = 0.95
) -> ScoreAgreement:
    """Return how scores of people and of a judge on the same cases, from ``low`` to ``high``, agree.

    Raises ``ValueError`` for scores outside the range and for lists that are not paired.
    """
    low, high = value_range(low, high)
    ours, theirs = numbers_within("human", human, low, high), numbers_within("judge", judge, low, high)
    return ScoreAgreement(
        n=len(ours),
        quadratic_kappa=weighted_kappa(ours, theirs),
        ordinal_alpha=krippendorff_alpha(list(zip(ours, theirs, strict=True)), "ordinal", level),
        spearman=spearman(ours, theirs),
        bias=mean_of(differences(theirs, ours)),
        bias_interval=paired_betting_interval(theirs, ours, low, high, level),
    )


def weighted_kappa(
    human: Sequence[float], judge: Sequence[float], weights: Literal["quadratic", "linear"] = "quadratic"
) -> float | None:
    """Return Cohen's kappa that forgives near misses: distances between scores, or their squares.

    Distances are those of the scores themselves, so a score that nobody gave changes nothing. None of no cases, and
    where all scores on both sides are the same. Raises ``ValueError`` for lists that are not paired.
    Source: Cohen, Psychol. Bull. 70:213 (1968).
    """
    if weights not in ("quadratic", "linear"):
        raise ValueError(f"no such weights: {weights!r}; there are quadratic, linear")
    apart = [abs(delta) for delta in differences(human, judge)]
    power = 2 if weights == "quadratic" else 1
    seen = math.fsum(delta**power for delta in apart)
    ours, theirs = Counter(map(float, human)), Counter(map(float, judge))
    chance = math.fsum(abs(h - j) ** power * ours[h] * theirs[j] for h in ours for j in theirs)
    return 1.0 - seen * len(apart) / chance if chance else None


def spearman(human: Sequence[float], judge: Sequence[float]) -> float | None:
    """Return the correlation of ranks, ties at their middle; None where one side gives a single score only.

    Raises ``ValueError`` for lists that are not paired. Source: Spearman, Am. J. Psychol. 15:72 (1904).
    """
    differences(human, judge)
    ours, theirs = _centred_ranks(human), _centred_ranks(judge)
    spread = math.sqrt(math.fsum(x * x for x in ours) * math.fsum(y * y for y in theirs))
    return math.fsum(x * y for x, y in zip(ours, theirs, strict=True)) / spread if spread else None


def middle_ranks(values: Sequence[float]) -> list[float]:
    """Return each value's rank from 1, equal values sharing the middle of theirs."""
    counts = Counter(values)
    ranks, below = {}, 0
    for value in sorted(counts):
        ranks[value] = below + (counts[value] + 1) / 2
        below += counts[value]
    return [ranks[value] for value in values]


def _centred_ranks(values: Sequence[float]) -> list[float]:
    middle = (len(values) + 1) / 2
    return [rank - middle for rank in middle_ranks(values)]
