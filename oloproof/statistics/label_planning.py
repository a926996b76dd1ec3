"""How many labels a judge needs: before people label, what a sample can show; after an open look, how many more.

Looks cost: the error allowed is spent over all looks at one judge's labels, so that labelling until it passes does
not help a bad judge.
"""

from __future__ import annotations

import math

from msgspec import Struct

from oloproof.statistics.beta import binomial_at_least
from oloproof.statistics.checks import count, finite, inner_share, tail_of
from oloproof.statistics.judge_table import JudgeTable, Unclear
from oloproof.statistics.paired import tango_interval
from oloproof.statistics.planning import MOST_CASES, MoreCases, more_cases
from oloproof.statistics.rates import compare_lower
from oloproof.statistics.roots import first_true

SMALLEST_CLASS = 20
FEWEST_LABELS = 50
JUDGE_BAR = 0.70
DEFAULT_DRAW = 100
_LIKELY = 0.9


class FurtherLabels(Struct, frozen=True):
    """How many more labels would let the next look VALIDATE a judge; None for never (or beyond ``MOST_CASES``).

    ``human_pass`` and ``human_fail`` say it for each class; ``draw`` is how many cases to label so that, with a
    probability of 0.9 each, both classes get theirs if the judge stays as good and people PASS as many as so far;
    ``draw_at_best`` the same with a judge that makes no further mistake.
    """

    human_pass: MoreCases
    human_fail: MoreCases
    draw_at_best: int | None
    draw: int | None
    look: int


def alpha_of_look(look: int, level: float = 0.95) -> float:
    """Return the error allowed on each side at the ``look``-th look, from 1: all looks together stay within one tail.

    The shares 6 / (pi look)^2 sum to 1 over all looks, so no number of them need be fixed beforehand.
    Raises ``ValueError`` for a look below 1. Source: a union bound over Euler's series of 1 / look^2.
    """
    return tail_of(level) * 6.0 / (math.pi * _at_least_one("look", look)) ** 2


def smallest_perfect_class(bar: float = JUDGE_BAR, *, look: int = 1, level: float = 0.95) -> int | None:
    """Return how many labels of one class show the ``bar`` when the judge gets every one right.

    Raises ``ValueError`` for a bar that is not strictly between 0 and 1.
    """
    bar, error = inner_share("bar", bar), alpha_of_look(look, level)
    return first_true(lambda n: bar**n <= error, 1, MOST_CASES)


def most_class_errors(
    class_labels: int, bar: float = JUDGE_BAR, *, look: int | None = 1, level: float = 0.95
) -> int | None:
    """Return how many of ``class_labels`` the judge may get wrong and still show the ``bar``; None if none will do.

    A ``look`` of None spends the whole tail at once, as a sample that is looked at only once ever may.
    """
    n, spent = count("class_labels", class_labels), _spent_level(look, level)
    least = first_true(lambda k: compare_lower(k, n, inner_share("bar", bar), spent) >= 0, 0, n) if n else None
    return None if least is None else n - least


def class_clears_probability(
    class_labels: int, true_rate: float, bar: float = JUDGE_BAR, *, look: int | None = 1, level: float = 0.95
) -> float:
    """Return the exact probability that a judge right in ``true_rate`` of one class shows the ``bar`` there."""
    errors, rate = most_class_errors(class_labels, bar, look=look, level=level), inner_share("true_rate", true_rate)
    return 0.0 if errors is None else binomial_at_least(class_labels - errors, class_labels, rate)


def labels_for_class(class_share: float, wanted: int = SMALLEST_CLASS, *, probability: float = _LIKELY) -> int | None:
    """Return the least number of labels that hold ``wanted`` cases of a class with at least this ``probability``.

    ``class_share`` is the share of the class among all cases, from 0 to 1. None beyond ``MOST_CASES``.
    """
    share, wanted = finite("class_share", class_share), count("wanted", wanted)
    probability = inner_share("probability", probability)
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"class_share must lie between 0 and 1, but is {share}")
    if share == 0.0:
        return 0 if wanted == 0 else None
    return first_true(lambda n: binomial_at_least(wanted, n, share) >= probability, wanted, MOST_CASES)


def further_labels(
    table: JudgeTable,
    *,
    unclear: Unclear | None = None,
    look: int = 1,
    bar: float = JUDGE_BAR,
    minimum: int = FEWEST_LABELS,
    class_minimum: int = SMALLEST_CLASS,
    max_bias: float | None = None,
    level: float = 0.95,
) -> FurtherLabels:
    """Return how many more labels would settle, at the look after ``look``, what is open now.

    Unclear cases are taken to stay as frequent among further ones and count against the judge. The parameters are
    those of ``judge_rule``; raises ``ValueError`` as it does.
    """
    unclear, next_level = unclear or Unclear(), _spent_level(look + 1, level)
    passes = _class_needs(table.tp, table.human_pass, unclear.may_be_fn, bar, class_minimum, next_level)
    fails = _class_needs(table.tn, table.human_fail, unclear.may_be_fp, bar, class_minimum, next_level)
    floor = max(minimum - table.n, 0)
    for_bias = 0 if max_bias is None else _more_for_bias(table, max_bias, next_level)
    return FurtherLabels(
        passes,
        fails,
        _draw(table, passes.at_best, fails.at_best, floor),
        None if for_bias is None else _draw(table, passes.rate_stays, fails.rate_stays, max(floor, for_bias)),
        look + 1,
    )


def _class_needs(correct: int, n: int, unclear: int, bar: float, class_minimum: int, level: float) -> MoreCases:
    found = more_cases(correct, n + unclear, minimum=bar, level=level, missing=unclear)
    short = max(class_minimum - n, 0)
    at_best, stays = (None if m is None else max(m, short) for m in (found.at_best, found.rate_stays))
    return MoreCases(at_best, stays)


def _draw(table: JudgeTable, passes: int | None, fails: int | None, floor: int) -> int | None:
    """Return how many cases to label for so many of each class, at the shares seen so far."""
    if passes is None or fails is None:
        return None
    if table.n == 0:
        return None if passes or fails else floor
    for_passes = labels_for_class(table.human_pass / table.n, passes)
    for_fails = labels_for_class(table.human_fail / table.n, fails)
    return None if for_passes is None or for_fails is None else max(for_passes, for_fails, floor)


def _more_for_bias(table: JudgeTable, max_bias: float, level: float) -> int | None:
    """Return how many more cases would put the interval of the bias within its limits if all shares stay."""

    def holds(more: int) -> bool:
        n = table.n + more
        fp, fn = math.ceil(table.fp * n / table.n), math.ceil(table.fn * n / table.n)
        low, high = tango_interval(fp, fn, max(n, fp + fn), level) or (-1.0, 1.0)
        return -max_bias <= low and high <= max_bias

    if table.n == 0 or abs(table.fp - table.fn) >= max_bias * table.n:
        return None
    return first_true(holds, 0, MOST_CASES)


def _spent_level(look: int | None, level: float) -> float:
    return inner_share("level", level) if look is None else 1.0 - 2.0 * alpha_of_look(look, level)


def _at_least_one(name: str, value: int) -> int:
    if count(name, value) < 1:
        raise ValueError(f"{name} must be 1 or more, but is {value}")
    return value
