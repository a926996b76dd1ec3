"""Two runs before a pairwise judge. Loaded when first used: commands that ask no judge must not wait for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oloproof.lazy import lazy_names

if TYPE_CHECKING:
    from oloproof.running.pairwise.asking import (
        Pairing,
        PairwiseResult,
        judge_pairs,
        pairing_of,
        pairwise_judges,
        shares_criteria,
    )
    from oloproof.running.pairwise.summary import (
        JudgedPair,
        PositionBias,
        WinShare,
        counts_of,
        position_bias,
        win_share,
    )

__all__ = [
    "JudgedPair",
    "Pairing",
    "PairwiseResult",
    "PositionBias",
    "WinShare",
    "counts_of",
    "judge_pairs",
    "pairing_of",
    "pairwise_judges",
    "position_bias",
    "shares_criteria",
    "win_share",
]

_HOMES = {
    "asking": ("Pairing", "PairwiseResult", "judge_pairs", "pairing_of", "pairwise_judges", "shares_criteria"),
    "summary": ("JudgedPair", "PositionBias", "WinShare", "counts_of", "position_bias", "win_share"),
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
