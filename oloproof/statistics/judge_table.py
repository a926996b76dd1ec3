"""What people and a judge said of the same cases, as one table; the cases that only one of them settled, as another.

Positive is what people PASS: ``tp`` both pass, ``fn`` only people pass, ``fp`` only the judge passes, ``tn`` neither.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import astuple

from oloproof.statistics.checks import count
from oloproof.statistics.rates import Interval, real_clopper_pearson


class JudgeTable(Struct, frozen=True):
    """The cases that have a human label and a verdict. Raises ``ValueError`` for anything but whole counts."""

    tp: int
    fn: int
    fp: int
    tn: int

    def __post_init__(self) -> None:
        for name in ("tp", "fn", "fp", "tn"):
            count(name, getattr(self, name))

    @property
    def n(self) -> int:
        """Return the number of cases."""
        return self.tp + self.fn + self.fp + self.tn

    @property
    def human_pass(self) -> int:
        """Return how many cases people pass."""
        return self.tp + self.fn

    @property
    def human_fail(self) -> int:
        """Return how many cases people fail."""
        return self.fp + self.tn

    def __add__(self, other: JudgeTable) -> JudgeTable:
        """Return both tables as one."""
        return JudgeTable(self.tp + other.tp, self.fn + other.fn, self.fp + other.fp, self.tn + other.tn)


class Unclear(Struct, frozen=True):
    """The cases of a labelled sample that lack a label (unsure, skipped), a usable verdict, or both.

    ``judge_pass`` and ``judge_fail`` have a verdict but no label, ``human_pass`` and ``human_fail`` a label but no
    verdict, ``neither`` has neither. Raises ``ValueError`` for anything but whole counts.
    """

    judge_pass: int = 0
    judge_fail: int = 0
    human_pass: int = 0
    human_fail: int = 0
    neither: int = 0

    def __post_init__(self) -> None:
        for name in ("judge_pass", "judge_fail", "human_pass", "human_fail", "neither"):
            count(name, getattr(self, name))

    @property
    def n(self) -> int:
        """Return the number of cases."""
        return sum(astuple(self))

    def __add__(self, other: Unclear) -> Unclear:
        """Return both as one."""
        return Unclear(*(one + two for one, two in zip(astuple(self), astuple(other), strict=True)))

    @property
    def may_be_fn(self) -> int:
        """Return how many of them may be a PASS that the judge failed."""
        return self.judge_fail + self.human_pass + self.neither

    @property
    def may_be_tp(self) -> int:
        """Return how many of them may be a PASS that the judge passed."""
        return self.judge_pass + self.human_pass + self.neither

    @property
    def may_be_fp(self) -> int:
        """Return how many of them may be a FAIL that the judge passed."""
        return self.judge_pass + self.human_fail + self.neither

    @property
    def may_be_tn(self) -> int:
        """Return how many of them may be a FAIL that the judge failed."""
        return self.judge_fail + self.human_fail + self.neither


class ClassRate(Struct, frozen=True):
    """Of the ``n`` cases that people put in one class, how many the judge put there too.

    The interval is exact and holds whatever the unclear cases are; None where there is no case at all.
    """

    correct: int
    n: int
    estimate: float | None
    interval: Interval | None


def tpr_of(table: JudgeTable, unclear: Unclear, tail: float) -> ClassRate:
    """Return the true positive rate: of what people pass, what the judge passes; ``tail`` is left on each side."""
    return _class_rate(table.tp, table.human_pass, unclear.may_be_fn, unclear.may_be_tp, tail)


def tnr_of(table: JudgeTable, unclear: Unclear, tail: float) -> ClassRate:
    """Return the true negative rate: of what people fail, what the judge fails; ``tail`` is left on each side."""
    return _class_rate(table.tn, table.human_fail, unclear.may_be_fp, unclear.may_be_tn, tail)


def _class_rate(correct: int, n: int, may_be_wrong: int, may_be_right: int, tail: float) -> ClassRate:
    """Return a rate whose low end counts the unclear cases as wrong and whose high end counts them as right."""
    estimate = correct / n if n else None
    if n + may_be_wrong + may_be_right == 0:
        return ClassRate(correct, n, None, None)
    low = real_clopper_pearson(correct, n + may_be_wrong, tail)[0]
    high = real_clopper_pearson(correct + may_be_right, n + may_be_right, tail)[1]
    return ClassRate(correct, n, estimate, (low, high))
