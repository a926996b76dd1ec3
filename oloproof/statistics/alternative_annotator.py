"""The alternative annotator test: is a judge as good as one more of these people?

It may add to ``judge_rule`` and never replaces it: it does not see how rare a class is, so a judge that always says
PASS passes it wherever nearly every case does.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

from msgspec import Struct

from oloproof.statistics.beta import student_t_two_sided
from oloproof.statistics.checks import finite, inner_share
from oloproof.statistics.multiplicity import benjamini_yekutieli, rejected
from oloproof.statistics.score_measures import middle_ranks

ALT_TEST = "alt_test@1"
_FEWEST_ANNOTATORS = 3
_FEWEST_FOR_T = 30


class AltTest(Struct, frozen=True):
    """The share of annotators the judge may replace, and how often it is at least as good as one of them.

    ``p_values`` (raw) and ``cases`` stand in the order of the annotators.
    """

    passed: bool
    winning_rate: float
    advantage_probability: float
    p_values: tuple[float, ...]
    cases: tuple[int, ...]
    epsilon: float
    method: str = ALT_TEST


def alternative_annotator_test(
    humans: Sequence[Sequence[Hashable]], judge: Sequence[Hashable], *, epsilon: float = 0.2, q: float = 0.05
) -> AltTest:
    """Return whether the judge may stand in for an annotator, by agreement with the others.

    ``humans`` holds one list of labels a person, ``judge`` the judge's, over the same cases; None is no label.
    ``epsilon`` (0 to below 1) is what a judge is worth more for its price: 0.2 against experts, 0.15 against skilled
    people, 0.1 against a crowd. Each person is set against the judge on the cases that both and somebody else
    labelled: by a one-sided t test from 30 cases on, by the exact signed rank test below; Benjamini-Yekutieli at
    ``q``. The judge passes when it beats half of the people or more.

    Raises ``ValueError`` for fewer than three people, lists of unequal length, and a person who shares no case.
    Source: Calderon, Reichart & Dror, "The Alternative Annotator Test" (ACL 2025).
    """
    epsilon, q = finite("epsilon", epsilon), inner_share("q", q)
    if not 0.0 <= epsilon < 1.0:
        raise ValueError(f"epsilon must be 0 or more and below 1, but is {epsilon}")
    if len(humans) < _FEWEST_ANNOTATORS:
        raise ValueError(f"the test needs three annotators or more, but has {len(humans)}")
    if any(len(labels) != len(judge) for labels in humans):
        raise ValueError("humans and judge must hold a label, or None, for each of the same cases")
    contests = [_contests(humans, judge, person) for person in range(len(humans))]
    p_values = tuple(_p_value([lost - won for won, lost in pairs], epsilon) for pairs in contests)
    won = rejected(benjamini_yekutieli(p_values), q)
    winning_rate = sum(won) / len(won)
    return AltTest(
        passed=winning_rate >= 0.5,
        winning_rate=winning_rate,
        advantage_probability=sum(sum(w for w, _ in pairs) / len(pairs) for pairs in contests) / len(contests),
        p_values=p_values,
        cases=tuple(map(len, contests)),
        epsilon=epsilon,
    )


def _contests(humans: Sequence[Sequence[Hashable]], judge: Sequence[Hashable], person: int) -> list[tuple[bool, bool]]:
    """Return for each shared case whether the judge is at least as good as ``person``, and the other way round."""
    found = []
    for case, verdict in enumerate(judge):
        own = humans[person][case]
        others = [labels[case] for who, labels in enumerate(humans) if who != person and labels[case] is not None]
        if verdict is None or own is None or not others:
            continue
        judge_hits, own_hits = sum(one == verdict for one in others), sum(one == own for one in others)
        found.append((judge_hits >= own_hits, own_hits >= judge_hits))
    if not found:
        raise ValueError(f"annotator {person + 1} shares no case with the judge and another annotator")
    return found


def _p_value(deltas: Sequence[int], epsilon: float) -> float:
    """Return the one-sided p-value against a mean of ``deltas`` of ``epsilon`` or more."""
    n = len(deltas)
    if n < _FEWEST_FOR_T:
        return _signed_rank_p([delta - epsilon for delta in deltas])
    mean = sum(deltas) / n
    if min(deltas) == max(deltas):
        return 0.0 if mean < epsilon else 1.0
    se = math.sqrt(math.fsum((delta - mean) ** 2 for delta in deltas) / (n - 1) / n)
    t = (mean - epsilon) / se
    both = student_t_two_sided(t, n - 1)
    return 0.5 * both if t < 0.0 else 1.0 - 0.5 * both


def _signed_rank_p(deltas: Sequence[float]) -> float:
    """Return the exact probability of so small a sum of positive ranks, were the signs tossed by a coin.

    Ties share the middle of their ranks, zeros are left out. Source: Wilcoxon, Biometrics Bulletin 1:80 (1945).
    """
    moved = [delta for delta in deltas if delta != 0.0]
    doubled = [round(2.0 * rank) for rank in middle_ranks([abs(delta) for delta in moved])]
    ways = [1] + [0] * sum(doubled)
    for rank in doubled:
        for total in range(len(ways) - 1, rank - 1, -1):
            ways[total] += ways[total - rank]
    seen = sum(rank for rank, delta in zip(doubled, moved, strict=True) if delta > 0.0)
    return sum(ways[: seen + 1]) / sum(ways)
