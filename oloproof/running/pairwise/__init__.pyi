from .asking import (
    Pairing as Pairing,
    PairwiseResult as PairwiseResult,
    judge_pairs as judge_pairs,
    pairing_of as pairing_of,
    pairwise_judges as pairwise_judges,
    shares_criteria as shares_criteria,
)
from .summary import (
    JudgedPair as JudgedPair,
    PositionBias as PositionBias,
    WinShare as WinShare,
    counts_of as counts_of,
    position_bias as position_bias,
    win_share as win_share,
)
