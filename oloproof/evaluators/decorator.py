"""``@evaluator``: what makes a function of yours an evaluator that a project file may name."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from typing import Any, TypeVar, overload

from msgspec import Struct

from oloproof.errors import EvaluatorError

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])

_MARK = "__oloproof_evaluator__"


class Definition(Struct, frozen=True):
    """What ``@evaluator`` says of a function."""

    criterion: str | None = None
    version: str = "1"
    calls_model: bool = False
    score_range: tuple[float, float] | None = None
    pass_at: float | None = None


@overload
def evaluator(function: FunctionT, /) -> FunctionT: ...


@overload
def evaluator(
    *,
    criterion: str | None = None,
    version: str = "1",
    calls_model: bool = False,
    score_range: tuple[float, float] | None = None,
    pass_at: float | None = None,
) -> Callable[[FunctionT], FunctionT]: ...


def evaluator(
    function: FunctionT | None = None,
    /,
    *,
    criterion: str | None = None,
    version: str = "1",
    calls_model: bool = False,
    score_range: tuple[float, float] | None = None,
    pass_at: float | None = None,
) -> FunctionT | Callable[[FunctionT], FunctionT]:
    """Make a function an evaluator that a project file may name; the function itself is returned unchanged.

    The function takes what it needs of ``case``, ``output`` and ``media`` (a tuple of every recorded item) by these
    names, and its ``params`` from the project file. It may be async. It returns ``True`` or ``False``, a number, or a
    :class:`~oloproof.records.Verdict`::

        @evaluator(pass_at=80, score_range=(0, 1000))
        def not_blurred(media, *, minimum=0):
            return min(sharpness(read_media(item)) for item in media)

    Args:
        function: the function, when the decorator stands without brackets.
        criterion: the name under which it must stand in the project file, if you want to insist.
        version: raise it when its verdicts may change for a reason that is not in its own code.
        calls_model: it asks a model: it is a judge, and decides nothing before people have agreed with it.
        score_range: lowest and highest number that it may return, both included; None for any.
        pass_at: a number passes from here on. The criterion is then summed up as the rate of passes. With a
            ``score_range`` and no ``pass_at`` it is summed up as the mean score, and the outcome ``pass`` says only
            that a score was given. A number with neither is invalid: nobody said what it means.

    Raises:
        EvaluatorError: it stands above what cannot be called, or ``pass_at`` or ``calls_model`` is of another type.
        ValueError: ``score_range`` is no range, or ``pass_at`` lies outside of it.
    """
    if not isinstance(calls_model, bool):
        raise EvaluatorError(f"@evaluator: calls_model is True or False, not {calls_model!r}")
    if pass_at is not None and not _is_number(pass_at):
        raise EvaluatorError(f"@evaluator: pass_at is a number, not {pass_at!r}")
    if score_range is not None:
        low, high = score_range = (float(score_range[0]), float(score_range[1]))
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise ValueError(f"score_range {score_range} is no range from a lower to a higher number")
        if pass_at is not None and not low <= pass_at <= high:
            raise ValueError(f"pass_at {pass_at} is outside score_range {score_range}")
    definition = Definition(criterion, version, calls_model, score_range, pass_at)

    def mark(target: FunctionT) -> FunctionT:
        if not callable(target):
            raise EvaluatorError(
                f"@evaluator stands above a function, not {target!r}; what it takes is given by name: "
                "@evaluator(pass_at=0.5)"
            )
        try:
            setattr(target, _MARK, definition)
        except (AttributeError, TypeError):
            raise EvaluatorError(f"@evaluator cannot mark {target!r}; call it in a function of your own") from None
        return target

    return mark if function is None else mark(function)


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and not math.isnan(value)


def definition_of(function: object) -> Definition | None:
    """Return what ``@evaluator`` said of ``function``, None when it never stood above it."""
    found = getattr(function, _MARK, None)
    return found if isinstance(found, Definition) else None
