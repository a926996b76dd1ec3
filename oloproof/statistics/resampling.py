"""Bootstrap intervals of the rates of labels: all labels at once, and the recipe of an earlier tool to the last digit.

A resample of n labelled samples is told by how often it holds each label, which is one multinomial draw; drawing the
samples themselves gives the same distribution thousands of times slower. A bootstrap interval of a rate of 0 or 1 has
no width: it is for display, the exact interval decides.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from oloproof.statistics.checks import count, tail_of
from oloproof.statistics.rates import Interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LABEL_BOOTSTRAP = "label_bootstrap@1"

Seed = int | float | str | bytes | None
_AT_ONCE = 4_000_000


def bootstrap_label_rates(
    counts: Mapping[str, int], *, resamples: int, seed: Seed = 42, level: float = 0.95
) -> dict[str, Interval] | None:
    """Return the percentile interval of the rate of each label, given how many samples have it.

    No samples give None. Raises ``ValueError`` for counts below 0 and for no resamples.
    """
    import numpy as np

    given = [count(f"count of {label}", value) for label, value in counts.items()]
    n, tail = sum(given), tail_of(level)
    if n == 0:
        return None
    drawn = _generator(seed).multinomial(n, np.asarray(given) / n, size=_some(resamples)) / n
    ends = np.quantile(drawn, (tail, 1.0 - tail), axis=0)
    return {label: (float(ends[0, at]), float(ends[1, at])) for at, label in enumerate(counts)}


def bootstrap_paired_labels(
    pairs: Mapping[tuple[str, str], int],
    labels: Sequence[str],
    *,
    resamples: int,
    seed: Seed = 42,
    level: float = 0.95,
) -> dict[str, Interval] | None:
    """Return the percentile interval of right minus left in the rate of each of ``labels``.

    ``pairs`` counts the samples by their labels (left, right), whole pairs only; they are resampled together. No
    pairs give None.
    """
    import numpy as np

    given = [count(f"count of {pair}", value) for pair, value in pairs.items()]
    n, tail = sum(given), tail_of(level)
    if n == 0:
        return None
    drawn = _generator(seed).multinomial(n, np.asarray(given) / n, size=_some(resamples)) / n
    intervals = {}
    for label in labels:
        weight = np.asarray([(right == label) - (left == label) for left, right in pairs], dtype=float)
        low, high = np.quantile(drawn @ weight, (tail, 1.0 - tail))
        intervals[label] = (float(low), float(high))
    return intervals


def recipe_label_rates(
    labels: Sequence[str], names: Sequence[str], *, resamples: int, seed: Seed = 42
) -> dict[str, Interval] | None:
    """Return what tool 001 returns for these labels, digit for digit: each rate resampled by itself, in this order.

    The level is its only one, 95 %. No samples give None.
    """
    import numpy as np

    n, draws = len(labels), _Draws(seed)
    if n == 0:
        return None
    given = np.asarray(labels)
    return {
        name: _recipe_interval(draws.means((given == name).astype(np.int8), _some(resamples)).tolist())
        for name in names
    }


def recipe_paired_labels(
    left: Sequence[str],
    right: Sequence[str],
    names: Sequence[str],
    *,
    resamples: int,
    seed: Seed = 42,
) -> dict[str, Interval] | None:
    """Return what tool 001 returns for paired labels, digit for digit, at its 95 %; no pairs give None.

    Raises ``ValueError`` when the two are not equally long.
    """
    import numpy as np

    if len(left) != len(right):
        raise ValueError(f"paired labels need the same length, but have {len(left)} and {len(right)}")
    if not left:
        return None
    before, after, draws = np.asarray(left), np.asarray(right), _Draws(seed)
    return {
        name: _recipe_interval(
            draws.means((after == name).astype(np.int8) - (before == name).astype(np.int8), _some(resamples)).tolist()
        )
        for name in names
    }


class _Draws:
    """The whole numbers that ``random.Random(seed).randrange`` gives one by one, many at once.

    Python keeps drawing as many bits as the bound has until they are below it, each from one output of the Mersenne
    twister, whose state numpy can take over.
    """

    def __init__(self, seed: Seed) -> None:
        import numpy as np

        _, state, _ = random.Random(seed).getstate()  # noqa: S311 - a recipe to be reproduced, no secret
        self._source = np.random.MT19937()
        self._source.state = {"bit_generator": "MT19937", "state": {"key": np.asarray(state[:-1]), "pos": state[-1]}}
        self._left: NDArray[np.int64] = np.empty(0, dtype=np.int64)

    def means(self, values: NDArray[np.int8], resamples: int) -> NDArray[np.float64]:
        """Return the means of so many resamples of ``values``, each as large as these."""
        import numpy as np

        n = len(values)
        per_block = max(1, _AT_ONCE // n)
        found = [
            values[self._below(n, n * some)].reshape(some, n).sum(axis=1, dtype=np.int64)
            for some in (min(per_block, resamples - done) for done in range(0, resamples, per_block))
        ]
        return np.concatenate(found) / n

    def _below(self, bound: int, wanted: int) -> NDArray[np.int64]:
        import numpy as np

        parts, have = [self._left], len(self._left)
        shift = 32 - bound.bit_length()
        while have < wanted:
            expected = (wanted - have) * (1 << bound.bit_length()) / bound
            raw = self._source.random_raw(int(expected * 1.01) + 64) >> np.uint64(shift)
            kept = raw[raw < bound].astype(np.int64)
            parts.append(kept)
            have += len(kept)
        drawn = np.concatenate(parts)
        self._left = drawn[wanted:]
        return drawn[:wanted]


def _recipe_interval(means: Sequence[float]) -> Interval:
    ordered = sorted(means)
    return _percentile(ordered, 0.025), _percentile(ordered, 0.975)


def _percentile(ordered: Sequence[float], share: float) -> float:
    """Return the value at a share of the way, on the straight line between its neighbours."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def _generator(seed: Seed) -> np.random.Generator:
    """Return numpy's generator for any seed that Python's own takes."""
    import numpy as np

    return np.random.default_rng(random.Random(seed).getrandbits(128))  # noqa: S311 - a bootstrap, no secret


def _some(resamples: int) -> int:
    if count("resamples", resamples) == 0:
        raise ValueError("resamples must be 1 or more")
    return resamples
