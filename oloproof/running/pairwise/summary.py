"""What the choices of a pairwise judge add up to: wins and losses, the share won, and how much order decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from oloproof.evaluators.judges.pairwise import IDENTICAL
from oloproof.records import Judgement
from oloproof.statistics import CLOPPER_PEARSON, TANGO, Interval, mcnemar_exact, missing_bounded_interval, paired_binary

PairOutcome = Literal["win", "loss", "tie", "inconsistent", "invalid", "missing"]
PAIR_OUTCOMES: tuple[PairOutcome, ...] = ("win", "loss", "tie", "inconsistent", "invalid", "missing")


class JudgedPair(Struct, frozen=True):
    """What was said of one case: with the candidate's answer shown first, then with the baseline's first."""

    case: str
    candidate_first: Judgement
    baseline_first: Judgement

    @property
    def choices(self) -> tuple[str | None, str | None]:
        """A (the one shown first), B or tie in each order; None where there is no usable choice."""
        return _choice(self.candidate_first), _choice(self.baseline_first)

    @property
    def outcome(self) -> PairOutcome:
        """What the candidate has of it; a side wins only if it is chosen in both orders."""
        if None in self.choices:
            outcomes = {one.verdicts[0].outcome for one in (self.candidate_first, self.baseline_first)}
            return "missing" if "missing" in outcomes else "invalid"
        return _SETTLED.get(self.choices, "inconsistent")

    @property
    def identical(self) -> bool:
        """Whether nobody was asked because the answers are the same."""
        return self.candidate_first.verdicts[0].details.get("code") == IDENTICAL


_SETTLED: dict[tuple[str | None, str | None], PairOutcome] = {
    ("A", "B"): "win",
    ("B", "A"): "loss",
    ("tie", "tie"): "tie",
}


def _choice(judgement: Judgement) -> str | None:
    verdict = judgement.verdicts[0]
    return str(verdict.details["better"]) if verdict.outcome == "pass" else None


class WinShare(Struct, frozen=True):
    """How much of the ``decided`` pairs the candidate won. Ties and inconsistent pairs are left out.

    ``interval`` is exact, and counts pairs without a usable answer as lost for its low end, as won for the high one.
    ``p_value`` is that of the sign test.
    """

    estimate: float | None
    interval: Interval | None
    p_value: float | None
    wins: int
    decided: int
    level: float
    method: str = CLOPPER_PEARSON


class PositionBias(Struct, frozen=True):
    """How often the answer shown first won in both orders, minus how often the one shown second did.

    Both over ``pairs``, those in which both orders gave a choice of A or B: 1 is a judge that always takes the first,
    -1 one that always takes the second, 0 one that order does not draw to either side.
    """

    estimate: float | None
    interval: Interval | None
    p_value: float | None
    first_in_both: int
    second_in_both: int
    pairs: int
    level: float
    method: str = TANGO


def counts_of(pairs: Sequence[JudgedPair]) -> dict[str, int]:
    """Return how many pairs have each outcome, those with none too."""
    counts = Counter(pair.outcome for pair in pairs)
    return {outcome: counts[outcome] for outcome in PAIR_OUTCOMES}


def win_share(pairs: Sequence[JudgedPair], level: float) -> WinShare:
    """Return the share of decided pairs that the candidate won, with an exact interval.

    Ties are left out, as the sign test does. Source: Dixon & Mood, JASA 41:557 (1946); the interval is Clopper &
    Pearson's, widened by what is missing.
    """
    counts = counts_of(pairs)
    wins, decided = counts["win"], counts["win"] + counts["loss"]
    unmeasured = counts["invalid"] + counts["missing"]
    return WinShare(
        estimate=wins / decided if decided else None,
        interval=missing_bounded_interval(wins, decided, unmeasured, level) if decided else None,
        p_value=mcnemar_exact(wins, decided - wins) if decided else None,
        wins=wins,
        decided=decided,
        level=level,
    )


def position_bias(pairs: Sequence[JudgedPair], level: float) -> PositionBias:
    """Return how much the order of the answers decided. Its interval is Tango's, its p-value McNemar's mid-p."""
    chosen = Counter(pair.choices for pair in pairs if set(pair.choices) <= {"A", "B"})
    first, second, n = chosen["A", "A"], chosen["B", "B"], chosen.total()
    rates = paired_binary(n - first - second, first, second, 0, level)
    return PositionBias(rates.difference, rates.interval, rates.p_mid, first, second, n, level)
