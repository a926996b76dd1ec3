"""``custom``: a function of your own as an evaluator, made one by ``@evaluator``."""

from __future__ import annotations

import inspect
import math
import numbers
import traceback
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

from msgspec.structs import replace
from pydantic import StringConstraints

from oloproof.config.base import InWords
from oloproof.config.importing import load_object
from oloproof.config.models import EvaluatorOptions
from oloproof.config.sources import digest_of_files, load_with_sources
from oloproof.digests import canonical_json
from oloproof.errors import EvaluatorError, MediaDrift, MediaMissing, MediaUnreadable, ToolMissing
from oloproof.evaluators.base import Evaluator, Subject, shorten
from oloproof.evaluators.decorator import Definition, definition_of
from oloproof.media.recording import using_reader
from oloproof.records import OUTCOMES, Case, Verdict, copy_of

GIVEN = ("case", "output", "media")
_TRACEBACK = 4000


class CustomOptions(EvaluatorOptions):
    """The keys of ``custom``."""

    type: Literal["custom"]
    callable: Annotated[
        str, StringConstraints(pattern=r"^[\w.]+:[\w.]+$"), InWords("module:function, such as checks:is_sharp")
    ]
    params: dict[str, Any] = {}  # noqa: RUF012 - pydantic copies it
    pass_at: float | None = None


class Custom(Evaluator[CustomOptions]):
    """Passes when a function of your own says so. Unit and range are the function's; it may give a score.

    The function stands in a Python file beside the project file and is marked with ``@evaluator``. It is called once
    for each execution with what it names of ``case``, ``output`` and ``media``; ``read_media(item)`` gives it the
    verified bytes of a file.

    Keys:
        callable: ``module:function``; the module beside the project file is found before an installed one. Required.
        params: further arguments by name. Unknown ones and missing ones are refused before the first trial.
        pass_at: a returned number passes from here on; wins over that of the decorator. Default: the decorator's.

    ``True`` and ``False`` pass and fail. A number is a score, which passes from ``pass_at`` on; where only a
    ``score_range`` is declared, scores are averaged and each one decides nothing. A ``Verdict`` is taken as it is.
    Anything else (None, text, NaN, a number outside ``score_range``, one of which nobody said what it means) is
    invalid. A function that raises measured nothing: missing, with the error as its reason. Changed media stop the
    run.

    Passes:
        options: {callable: "checks:short_enough", params: {limit: 20}}
        files:
          checks.py: |
            from oloproof import evaluator

            @evaluator
            def short_enough(output, *, limit):
                return len(output["caption"]) <= limit
        output: {caption: a red bus}

    Fails:
        options: {callable: "checks:seen", pass_at: 0.5}
        files:
          checks.py: |
            from oloproof import evaluator

            @evaluator(version="2")
            async def seen(case, output):
                return sum(word in output for word in case.expected) / len(case.expected)
        output: a red bus
        expected: [red, bus, street, tree, shop]
    """

    type: ClassVar[str] = "custom"
    Options = CustomOptions

    @cached_property
    def _function(self) -> Callable[..., Any]:
        function = load_object(self.root, self.options.callable, EvaluatorError)
        if definition_of(function) is None or not callable(function):
            raise EvaluatorError(f"{self.options.callable} is not an evaluator; put @evaluator above it")
        return function  # type: ignore[no-any-return]

    @cached_property
    def definition(self) -> Definition:
        """What the decorator says; loads the function."""
        return definition_of(self._function) or Definition()

    @property
    def identity(self) -> Mapping[str, Any]:
        """What makes its verdicts what they are: also the declared version and the source of its modules."""
        _, sources = load_with_sources(self.root, self.options.callable, EvaluatorError)
        source = digest_of_files(self.root, sources, EvaluatorError)
        return {**super().identity, "version": self.definition.version, "source": source}

    @property
    def score_range(self) -> tuple[float, float] | None:  # type: ignore[override]
        """The range of the scores that are averaged; None where passes are counted."""
        return self.definition.score_range if self.pass_at is None else None

    @property
    def reads_media(self) -> bool:
        """Whether the function asks for the media."""
        return "media" in self._given

    @property
    def calls_model(self) -> bool:
        """Whether it is declared to ask a model."""
        return self.definition.calls_model

    @property
    def hosts(self) -> Mapping[str, str]:
        """A host that is not known, where the function asks a model by itself."""
        return {f"a host that {self.options.callable} chooses": "what it likes"} if self.calls_model else {}

    @cached_property
    def pass_at(self) -> float | None:
        """The number from which a score passes, None where a score decides nothing."""
        return self.definition.pass_at if self.options.pass_at is None else self.options.pass_at

    @cached_property
    def _given(self) -> tuple[str, ...]:
        return tuple(name for name in GIVEN if name in inspect.signature(self._function).parameters)

    def prepare(self) -> None:
        """Load the function and check that its parameters can be given."""
        problem = next(self._problems(), None)
        if problem:
            raise EvaluatorError(f"{self.criterion}: {self.options.callable} {problem}")

    def _problems(self) -> Iterator[str]:
        declared, params = self.definition.criterion, self.options.params
        if declared is not None and declared != self.criterion:
            yield f"is declared for the criterion {declared}, not {self.criterion}"
        if self.pass_at is not None and (outside := self._outside(self.pass_at)):
            yield f"cannot pass at {outside}"
        reserved = [name for name in params if name in GIVEN]
        if reserved:
            yield f"is given {reserved[0]} by itself; take it out of params"
        taken = inspect.signature(self._function).parameters
        for name, parameter in taken.items():
            if parameter.kind is parameter.POSITIONAL_ONLY:
                yield f"takes {name} only by position; its parameters are given by name"
            elif parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) or name in GIVEN:
                continue
            elif name not in params and parameter.default is parameter.empty:
                yield f"needs params: {name}"
        if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken.values()):
            known = [name for name in taken if name not in GIVEN]
            for name in params:
                if name not in taken:
                    yield f"takes no {name}; its params are {', '.join(known) or 'none'}"

    def evaluate(self, subject: Subject) -> Verdict | Awaitable[Verdict]:
        """Call the function and make its answer a verdict."""
        arguments = {name: _GIVES[name](subject) for name in self._given}
        try:
            with using_reader(subject.reader):
                answer = self._function(**arguments, **copy_of(self.options.params))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a function that raises measured nothing
            return _not_measured(error)
        if inspect.isawaitable(answer):
            return self._awaited(answer, subject)
        return self._judged(answer)

    async def _awaited(self, answer: Awaitable[Any], subject: Subject) -> Verdict:
        try:
            with using_reader(subject.reader):
                given = await answer
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a function that raises measured nothing
            return _not_measured(error)
        return self._judged(given)

    def _judged(self, answer: Any) -> Verdict:
        name = self.options.callable.rpartition(":")[2]
        if isinstance(answer, Verdict):
            return self._checked(answer, name)
        plain = _plain(answer)
        if isinstance(plain, bool):
            score = None if self.score_range is None else float(plain)
            return self._checked(Verdict("pass" if plain else "fail", f"{name} returned {plain}", score), name)
        if not isinstance(plain, float):
            return Verdict.invalid(f"{name} returned {shorten(answer)}; return True or False, a number or a Verdict")
        problem = self._outside(plain)
        if problem:
            return Verdict.invalid(f"{name} returned {problem}")
        if self.pass_at is None and self.score_range is None:
            told = "give @evaluator a pass_at, or a score_range to average it"
            return Verdict.invalid(f"{name} returned {plain:g}, and nobody said what a number means; {told}")
        if self.pass_at is None:
            return Verdict("pass", f"{name} scored {plain:g}", plain)
        if plain >= self.pass_at:
            return Verdict("pass", f"{name} scored {plain:g}, at least {self.pass_at:g}", plain)
        return Verdict("fail", f"{name} scored {plain:g}, below {self.pass_at:g}", plain)

    def _checked(self, verdict: Verdict, name: str) -> Verdict:
        """Return ``verdict`` when it can be kept: known outcome, a reason, a score in range, details in JSON."""
        if verdict.outcome not in OUTCOMES:
            return Verdict.invalid(
                f"{name} returned the outcome {verdict.outcome!r}; it is one of {', '.join(OUTCOMES)}"
            )
        score = None if verdict.score is None else _plain(verdict.score)
        if score is not None and (not isinstance(score, float) or self._outside(score)):
            told = self._outside(score) if isinstance(score, float) else shorten(verdict.score)
            return Verdict.invalid(f"{name} returned a verdict with the score {told}")
        if score is None and self.score_range is not None and verdict.outcome in ("pass", "fail"):
            return Verdict.invalid(f"{name} returned a verdict without a score, and its scores are averaged")
        try:
            canonical_json(dict(verdict.details))
        except (TypeError, ValueError) as error:
            return Verdict.invalid(f"{name} returned a verdict whose details are no JSON: {error}")
        reason = str(verdict.reason) if verdict.reason else f"{name} gave no reason"
        return Verdict(verdict.outcome, reason, score if isinstance(score, float) else None, verdict.details)

    def _outside(self, score: float) -> str:
        if not math.isfinite(score):
            return f"{score}, which is no finite number"
        if self.definition.score_range is None:
            return ""
        low, high = self.definition.score_range
        return "" if low <= score <= high else f"{score:g}, outside its score_range of {low:g} to {high:g}"


def _own_case(subject: Subject) -> Case:
    case = subject.case
    return replace(case, input=copy_of(case.input), expected=copy_of(case.expected), slice=copy_of(case.slice))


_GIVES: Mapping[str, Callable[[Subject], Any]] = {
    "case": _own_case,
    "output": lambda subject: copy_of(subject.execution.output),
    "media": lambda subject: subject.execution.media,
}
"""What a function is given by each name: its own copies, so that it changes nothing that is stored or judged after."""


def _plain(value: Any) -> Any:
    """Return a number as ``float`` and a truth as ``bool``, also those of numpy; anything else as it is."""
    if not isinstance(value, (bool, int, float, str)) and callable(getattr(value, "item", None)):
        try:
            value = value.item()
        except (TypeError, ValueError, RuntimeError):
            return value
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return value
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _not_measured(error: BaseException) -> Verdict:
    """Return what an error in the function means; changed media and a missing tool stop the run instead.

    Raises:
        MediaDrift, ToolMissing: it is one of them, or was caused by one.
    """
    for cause in _causes(error):
        if isinstance(cause, (MediaDrift, ToolMissing)):
            raise cause
    if isinstance(error, MediaUnreadable):
        return Verdict.failed(str(error), code=error.code)
    if isinstance(error, MediaMissing):
        return Verdict.missing(str(error), code=error.code)
    told = "".join(traceback.format_exception(error))
    return Verdict.missing(f"{type(error).__name__}: {shorten_text(str(error))}", traceback=told[-_TRACEBACK:])


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield ``error``, what it was raised from, and what it groups."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        cause = waiting.pop()
        if cause is None or id(cause) in seen:
            continue
        seen.add(id(cause))
        yield cause
        waiting += [cause.__cause__, cause.__context__]
        if isinstance(cause, BaseExceptionGroup):
            waiting += cause.exceptions


def shorten_text(text: str, limit: int = 300) -> str:
    """Return the message of an error on one line and not too long."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[:limit]}…"
