"""Several opinions of one judge made one: a majority of all that were asked, never of those that happened to answer."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence

from oloproof.evaluators.judges.asking import Opinion
from oloproof.records import Outcome, Verdict


def settled(opinions: Sequence[Opinion]) -> tuple[Verdict, ...]:
    """Return one verdict for each output. With an odd number of votes a majority decides; a score is their median.

    Votes that are invalid or missing count against neither side: without a majority of *all* votes the verdict is
    what most of the others are.
    """
    if len(opinions) == 1:
        return opinions[0].verdicts
    return tuple(_settled([opinion.verdicts[place] for opinion in opinions]) for place in range(_outputs(opinions)))


def _outputs(opinions: Sequence[Opinion]) -> int:
    return len(opinions[0].verdicts)


def _settled(votes: Sequence[Verdict]) -> Verdict:
    counts = Counter(vote.outcome for vote in votes)
    told = {outcome: counts[outcome] for outcome in ("pass", "fail", "invalid", "missing") if counts[outcome]}
    sides: tuple[Outcome, Outcome] = ("pass", "fail")
    for outcome in sides:
        if counts[outcome] * 2 > len(votes):
            chosen = [vote for vote in votes if vote.outcome == outcome]
            scores = [vote.score for vote in votes if vote.outcome in ("pass", "fail") and vote.score is not None]
            score = statistics.median(scores) if scores else None
            return Verdict(
                outcome,
                f"{len(chosen)} of {len(votes)} votes {outcome}; the first of them: {chosen[0].reason}",
                score,
                {"votes": told},
            )
    failed = next(vote for vote in votes if vote.outcome not in ("pass", "fail"))
    return Verdict(
        "missing" if counts["missing"] else "invalid",
        f"no majority of {len(votes)} votes ({', '.join(f'{n} {name}' for name, n in told.items())}); {failed.reason}",
        details={"votes": told, "code": failed.details.get("code", "no_majority")},
    )
