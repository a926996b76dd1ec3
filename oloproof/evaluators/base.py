"""What every evaluator is: options from the project file, one ``evaluate`` of one execution, a verdict back."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Awaitable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar

from msgspec import Struct

from oloproof.config.models import EvaluatorOptions
from oloproof.media.reading import MediaReader
from oloproof.records import ORIGINAL, Case, Execution, Judgement, MediaItem, Verdict

if TYPE_CHECKING:
    from oloproof.evaluators.judges import Keeping

MISSING_FIELD = object()
_POSITION = re.compile(r"-?[0-9]{1,9}")


class Subject(Struct, frozen=True):
    """One execution as an evaluator sees it: the case, what the system gave, and the way to its media."""

    case: Case
    execution: Execution
    reader: MediaReader
    variant: str = ORIGINAL
    repeat: int = 0

    def items(self, role: str = "output", kind: str | None = None) -> list[MediaItem]:
        """Return the recorded media of ``role`` (``input``, ``output``, ``context`` or ``all``), in order."""
        return [
            item for item in self.execution.media if role in ("all", item.role) and kind in (None, "any", item.kind)
        ]


class CriterionShape(Struct, frozen=True):
    """One name under which an evaluator reports; with a ``score_range`` its scores are averaged, else passes count."""

    name: str
    score_range: tuple[float, float] | None = None

    @property
    def metric_kind(self) -> Literal["rate", "score"]:
        """Whether its verdicts are summed up as a rate of passes or as a mean score."""
        return "rate" if self.score_range is None else "score"


OptionsModel = type[EvaluatorOptions]
OptionsT = TypeVar("OptionsT", bound=EvaluatorOptions)


class Evaluator(ABC, Generic[OptionsT]):
    """The base of every built-in check.

    A subclass sets ``Options`` (the model of its keys in the project file), ``version`` (raised when its verdicts may
    change) and ``evaluate``. It is built once a run and called from several threads at once, so it keeps no state
    that a call changes.
    """

    type: ClassVar[str]
    version: ClassVar[str] = "1"
    Options: ClassVar[OptionsModel]
    score_range: ClassVar[tuple[float, float] | None] = None

    def __init__(self, options: OptionsT, root: Path) -> None:
        self.options = options
        self.root = root

    @property
    def criterion(self) -> str:
        """The name under which its verdicts stand."""
        return self.options.criterion

    @property
    def criteria(self) -> tuple[CriterionShape, ...]:
        """Every name under which it reports, in the order of its verdicts."""
        return (CriterionShape(self.criterion, self.score_range),)

    @property
    def calls_model(self) -> bool:
        """Whether it asks a model and so decides nothing before people have agreed with it."""
        return False

    @property
    def reads_media(self) -> bool:
        """Whether its verdict is on recorded files, so that it is missing when one of them is gone."""
        return False

    @property
    def answer(self) -> str:
        """What tells two answers apart: ``output``, a part of it (``output.total``), or the ``outcome`` alone.

        An evaluator that notes in its details what it ``found`` in an answer is asked for that first.
        """
        if self.calls_model or self.reads_media:
            return "outcome"
        field = getattr(self.options, "field", None)
        return f"output.{field}" if field else "output"

    @property
    def hosts(self) -> Mapping[str, str]:
        """Each host that it sends something to, and what it sends."""
        return {}

    @property
    def never_answered(self) -> str:
        """The host that it asked and that never answered once, else empty."""
        return ""

    @property
    def held_up(self) -> str:
        """How long a server makes it wait now, which, and why, in words; else empty."""
        return ""

    @property
    def not_taken(self) -> tuple[str, ...]:
        """The parameters it is given that its model was found not to take, so that it is asked without them."""
        return ()

    @property
    def identity(self) -> Mapping[str, Any]:
        """What makes its verdicts what they are: type, version and every option.

        An option of None asks nothing and is left out, so that a check stays the same when a later version knows more.
        """
        options = self.options.model_dump(mode="json", exclude_none=True)
        return {"type": self.type, "version": self.version, "options": options}

    def prepare(self) -> None:
        """Check before the first trial what can be checked: files named in the options, libraries needed.

        Raises:
            EvaluatorError: it could never work as configured.
        """

    def open(self, keeping: Keeping) -> None:
        """Take what the judges of a run share and keep; called once, before the first evaluation, of judges only."""

    def close(self) -> None:
        """Give back what it holds; called once, when nothing is evaluated any more."""

    @abstractmethod
    def evaluate(self, subject: Subject) -> Verdict | Judgement | Awaitable[Verdict]:
        """Return the verdict on one execution; a judge that keeps what it saw, or reports several, its judgement."""


def field_of(value: Any, path: str | None) -> Any:
    """Return the part of ``value`` at a dotted path (``answer.lines.0``), or ``MISSING_FIELD``.

    A path of None is the whole value.
    """
    if path is None:
        return value
    for part in path.split("."):
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list) and _POSITION.fullmatch(part) and -len(value) <= int(part) < len(value):
            value = value[int(part)]
        else:
            return MISSING_FIELD
    return value


def field_absent(output: Any, path: str) -> Verdict:
    """Return the failing verdict on an output without the field that a check needs: the system left it out."""
    return Verdict.failed(f"output has no field {path}; {_what_there_is('it', output, path)}")


def expected_absent(case: Case, path: str | None) -> Verdict:
    """Return the missing verdict on a case that does not say what a check compares with: the dataset left it out."""
    if path is None or case.expected is None:
        return Verdict.missing("case has no expected" + (f".{path}" if path else ""))
    there = _what_there_is("expected", case.expected, path)
    return Verdict.missing(f"case has no expected.{path}; {there}")


def _what_there_is(name: str, value: Any, path: str) -> str:
    """Say what is found where ``path`` stops leading anywhere."""
    for part in path.split("."):
        inner = field_of(value, part)
        if inner is MISSING_FIELD:
            break
        name, value = part, inner
    if isinstance(value, Mapping):
        return f"{name} has: {', '.join(str(key) for key in list(value)[:12]) or 'nothing'}"
    if isinstance(value, list):
        return f"{name} is a list of {len(value)}"
    return f"{name} is {shorten(value)}"


def kind_of_value(value: Any) -> str:
    """Return what a JSON value is, in words: text, number, list, mapping, true or false, null."""
    if isinstance(value, str):
        return "text"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, list):
        return "a list"
    return "a mapping" if isinstance(value, Mapping) else f"a {type(value).__name__}"


def labels_of(items: Sequence[MediaItem]) -> list[str]:
    """Return the names of items for reasons; names that stand twice get their place in the list."""
    times = Counter(item.name for item in items)
    return [item.name if times[item.name] == 1 else f"{item.name} (#{place})" for place, item in enumerate(items, 1)]


def shorten(value: Any, limit: int = 80) -> str:
    """Return ``value`` as it may stand in a reason: its ``repr``, cut in the middle when long."""
    if isinstance(value, str) and len(value) > 4 * limit:
        value = value[: 2 * limit] + value[-2 * limit :]
    try:
        text = repr(value)
    except ValueError:  # an integer of more digits than Python writes out
        text = f"a {type(value).__name__} too long to write out"
    return text if len(text) <= limit else f"{text[: limit * 2 // 3]}…{text[-limit // 4 :]}"
