"""What a judge's reply says: taken whole when it can be, and never guessed.

Thinking is set aside, fences and chatter are looked through, and the last complete JSON object that fits the wanted
shape is the answer. Two objects that fit and disagree are no answer, nor is a number in prose.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct, field

from oloproof.evaluators.judges.blindness import refuses, says_it_is_blind
from oloproof.records import Outcome, Verdict
from oloproof.strict_json import no_constant

PARSER_VERSION = 2
LONGEST_REASON = 2_000
_BEYOND = 1e300
"""No number of a scale is as large. JSON holds whole numbers that no float can, and Python reads 1e999 as infinite."""

_THOUGHT = re.compile(r"<(think|thinking|thought|reasoning|reflection)>.*?</\1>", re.IGNORECASE | re.DOTALL)
_CLOSING = re.compile(r"</(?:think|thinking|thought|reasoning|reflection)>", re.IGNORECASE)
_OPENING = re.compile(r"<(?:think|thinking|thought|reasoning|reflection)>", re.IGNORECASE)
_WORDS = {
    "true": True, "pass": True, "passed": True, "yes": True,
    "false": False, "fail": False, "failed": False, "no": False,
}  # fmt: skip


class Unusable(Struct, frozen=True):
    """A reply that is no answer. ``finished`` says that the model said all it had to say: asking again gives the same.

    ``code`` is ``empty``, ``cut_off``, ``refused``, ``judge_cannot_see``, ``not_json``, ``wrong_shape`` or
    ``two_answers``.
    """

    code: str
    reason: str
    finished: bool = True
    worth_reminding: bool = False

    @property
    def outcome(self) -> Outcome:
        """``invalid`` for a finished reply, ``missing`` for one that was cut off or never came."""
        return "invalid" if self.finished else "missing"


class Misfit(ValueError):
    """An object does not have the wanted shape; the text says how."""


class Twice(Struct, frozen=True):
    """The value of a key that one object gives twice and differently; readers of JSON take the last one."""

    first: Any
    last: Any

    def __str__(self) -> str:
        """Return both values."""
        return f"{_shown(self.first)} and then {_shown(self.last)}"


class Grade(Struct, frozen=True):
    """How one output of a judge is given: a gate (pass or fail) or a number between ``low`` and ``high``."""

    kind: Literal["gate", "graded"] = "gate"
    low: float = 0.0
    high: float = 5.0
    pass_at: float | None = None

    def read(self, entry: Mapping[str, Any]) -> tuple[Outcome, float | None]:
        """Return outcome and score of ``{"value", "reason"}``; raises :class:`Misfit`."""
        if "value" not in entry:
            raise Misfit("value is missing")
        if self.kind == "gate":
            passed = read_choice(entry["value"], "value")
            return ("pass" if passed else "fail"), None
        score = read_number(entry["value"], self.low, self.high)
        passed = self.pass_at is None or score >= self.pass_at
        if self.pass_at is not None and "pass" in entry and read_choice(entry["pass"], "pass") is not passed:
            raise Misfit(f"pass and the value {score:g} contradict each other (it passes at {self.pass_at:g})")
        return ("pass" if passed else "fail"), score


class Shape(Struct, frozen=True):
    """What a reply must look like: ``{"pass", "reason"}``, or ``{"scores": {NAME: {"value", "reason"}}}``."""

    grades: Mapping[str, Grade] = field(default_factory=dict)

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema that is sent to a server that takes one."""
        if not self.grades:
            return _object({"reason": {"type": "string"}, "pass": {"type": "boolean"}})
        scores = {name: _object({"reason": {"type": "string"}, "value": _value(g)}) for name, g in self.grades.items()}
        return _object({"scores": _object(scores)})

    @property
    def example(self) -> str:
        """The wanted reply in words for a prompt: every server is told, also one that takes a schema."""
        if not self.grades:
            return '{"reason": "one or two sentences", "pass": true or false}'
        parts = ", ".join(
            f'{json.dumps(name)}: {{"reason": "one or two sentences", "value": {_in_words(grade)}}}'
            for name, grade in self.grades.items()
        )
        return f'{{"scores": {{{parts}}}}}'

    def claims(self, found: Mapping[str, Any]) -> bool:
        """Whether ``found`` looks like an answer at all, right or wrong."""
        return ("scores" if self.grades else "pass") in found

    def read(self, found: Mapping[str, Any]) -> list[Verdict]:
        """Return the verdicts of one object, in the order of the grades; raises :class:`Misfit`."""
        if not self.grades:
            if "pass" not in found:
                raise Misfit("it has no pass")
            reason = read_reason(found)
            return [Verdict("pass" if read_choice(found["pass"], "pass") else "fail", reason)]
        scores = found.get("scores")
        if isinstance(scores, Twice):
            raise Misfit("scores is given twice and differently")
        if not isinstance(scores, Mapping):
            raise Misfit("it has no scores")
        return [self._verdict(name, grade, scores) for name, grade in self.grades.items()]

    @staticmethod
    def _verdict(name: str, grade: Grade, scores: Mapping[str, Any]) -> Verdict:
        entry = scores.get(name)
        if not isinstance(entry, Mapping):
            raise Misfit(f"scores has no {name}" if entry is None else f"scores.{name} is no object")
        try:
            outcome, score = grade.read(entry)
        except Misfit as error:
            raise Misfit(f"scores.{name}: {error}") from None
        return Verdict(outcome, read_reason(entry), score)


class ChoiceShape(Shape, frozen=True):
    """What a reply on two answers must look like: ``{"reason", "better"}``, where better is A, B or tie.

    A usable choice is a verdict that passes; its details say which answer was chosen.
    """

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema that is sent to a server that takes one."""
        return _object({"reason": {"type": "string"}, "better": {"type": "string", "enum": list(_SIDES.values())}})

    @property
    def example(self) -> str:
        """The wanted reply in words for a prompt."""
        return '{"reason": "one or two sentences", "better": "A" or "B" or "tie"}'

    def claims(self, found: Mapping[str, Any]) -> bool:
        """Whether ``found`` looks like an answer at all, right or wrong."""
        return "better" in found

    def read(self, found: Mapping[str, Any]) -> list[Verdict]:
        """Return the choice of one object; raises :class:`Misfit`."""
        return [Verdict.passed(read_reason(found), better=read_side(found.get("better")))]


_SIDES = {"a": "A", "b": "B", "tie": "tie"}


def read_side(value: Any) -> str:
    """Return ``A``, ``B`` or ``tie``; any case is taken, other words are not."""
    if isinstance(value, str) and value.strip().lower() in _SIDES:
        return _SIDES[value.strip().lower()]
    raise Misfit(f"better is {_shown(value)}, not A, B or tie")


def read_choice(value: Any, key: str) -> bool:
    """Return a pass or fail; the words true, false, pass, fail, yes and no are taken in any case, a number is not."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in _WORDS:
        return _WORDS[value.strip().lower()]
    raise Misfit(f"{key} is {_shown(value)}, not true or false")


def read_number(value: Any, low: float, high: float) -> float:
    """Return a finite number in its range. Nothing is clamped, and text is no number, nor is ``true``."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < _BEYOND:
        raise Misfit(f"value is {_shown(value)}, not a number from {low:g} to {high:g}")
    if not low <= value <= high:
        raise Misfit(f"value is {value:g}, outside {low:g} to {high:g}")
    return float(value)


def read_reason(found: Mapping[str, Any]) -> str:
    """Return the reason given (``rationale`` is read too), on one line and not too long."""
    given = found.get("reason", found.get("rationale"))
    if given is None:
        return "the judge gave no reason"
    if not isinstance(given, str):
        raise Misfit(f"reason is {_shown(given)}, not text")
    line = " ".join(given.split()) or "the judge gave no reason"
    return line if len(line) <= LONGEST_REASON else f"{line[:LONGEST_REASON]}…"


def read_reply(text: str | None, finish: str, shape: Shape) -> list[Verdict] | Unusable:
    """Return what a reply says, or why it says nothing.

    ``finish`` is how the model ended: ``stop``, ``length``, ``refusal``, ``filtered`` or ``other``.
    """
    if finish == "length":
        return Unusable(
            "cut_off",
            "the reply was cut off at the limit of tokens (max_tokens:, what it thinks included)",
            finished=False,
        )
    if finish == "filtered":
        return Unusable("refused", "the service withheld the reply (content filter)")
    plain = (text or "").lstrip("\ufeff").strip()
    if finish == "refusal":
        return Unusable("refused", f"the judge refused: {_shown(plain)}")
    if not plain:
        return Unusable("empty", "the reply is empty", finished=False)
    return _answer(plain, shape)


def _answer(plain: str, shape: Shape) -> list[Verdict] | Unusable:
    whole = _whole(plain)
    if whole is not None:
        return _settled([whole], "", shape)
    said = _without_thinking(plain)
    if said is None:
        return Unusable("cut_off", "the reply ends while the judge was still thinking", finished=False)
    objects = list(_objects(said))
    chatter = said
    for _, start, end in reversed(objects):
        chatter = chatter[:start] + " " + chatter[end:]
    return _settled([found for found, _, _ in objects], chatter, shape)


def _whole(plain: str) -> Any:
    """Return the one JSON value that the text is, None when it is more or less than that."""
    try:
        return _load(plain)
    except ValueError:
        return None


def _without_thinking(plain: str) -> str | None:
    """Return what is said outside of thinking, None where thinking never ends."""
    said = _THOUGHT.sub(" ", plain)
    closing = None
    for closing in _CLOSING.finditer(said):  # noqa: B007 - the last one counts
        pass
    if closing is not None:
        said = said[closing.end() :]
    return None if _OPENING.search(said) else said.strip()


def _objects(said: str) -> Iterator[tuple[Any, int, int]]:
    """Yield the complete JSON objects and lists in a text, outermost only, with their place."""
    at = 0
    decoder = json.JSONDecoder(parse_constant=no_constant, object_pairs_hook=_object_of)
    while (start := _next_bracket(said, at)) is not None:
        try:
            found, at = decoder.raw_decode(said, start)
        except (ValueError, RecursionError):
            end = _balanced_end(said, start)
            if end is None:
                return
            at = end
        else:
            yield found, start, at


def _next_bracket(said: str, at: int) -> int | None:
    places = [place for place in (said.find("{", at), said.find("[", at)) if place >= 0]
    return min(places) if places else None


def _balanced_end(said: str, start: int) -> int | None:
    """Return where a bracket that begins no JSON is closed again: nothing inside of it counts as an answer."""
    depth, quoted, escaped = 0, False, False
    for place in range(start, len(said)):
        character = said[place]
        if quoted:
            quoted = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == '"':
            quoted = True
        elif character in "{[":
            depth += 1
        elif character in "}]":
            depth -= 1
            if depth == 0:
                return place + 1
    return None


def _settled(objects: list[Any], chatter: str, shape: Shape) -> list[Verdict] | Unusable:
    answers: list[list[Verdict]] = []
    problem = ""
    for found in objects:
        if not isinstance(found, Mapping) or not shape.claims(found):
            continue
        try:
            answers.append(shape.read(found))
        except Misfit as error:
            problem = str(error)
    blind = _blind(chatter, answers)
    if blind is not None:
        return blind
    if problem:
        return Unusable("wrong_shape", f"the reply is not what was asked for: {problem}", worth_reminding=True)
    if not answers:
        return _nothing(objects, chatter)
    if any(_said(answer) != _said(answers[-1]) for answer in answers):
        return Unusable("two_answers", "the reply holds two answers that contradict each other")
    return answers[-1]


def _blind(chatter: str, answers: list[list[Verdict]]) -> Unusable | None:
    for text in (chatter, *(verdict.reason for answer in answers for verdict in answer)):
        words = says_it_is_blind(text)
        if words is not None:
            return Unusable("judge_cannot_see", f"the judge says that it was shown nothing: {_shown(words)}")
    return None


def _nothing(objects: list[Any], chatter: str) -> Unusable:
    if objects:
        words = f"the reply holds JSON, but not the wanted keys: {_shown(objects[-1])}"
        return Unusable("wrong_shape", words, worth_reminding=True)
    if refuses(chatter):
        return Unusable("refused", f"the judge refused: {_shown(chatter)}")
    return Unusable("not_json", f"the reply holds no JSON object: {_shown(chatter)}", worth_reminding=True)


def _said(answer: list[Verdict]) -> list[tuple[str, float | None, Mapping[str, Any]]]:
    return [(verdict.outcome, verdict.score, verdict.details) for verdict in answer]


def _load(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=no_constant, object_pairs_hook=_object_of)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        found[name] = value if found.get(name, value) == value else Twice(found[name], value)
    return found


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _value(grade: Grade) -> dict[str, Any]:
    if grade.kind == "gate":
        return {"type": "boolean"}
    return {"type": "number", "description": f"from {grade.low:g} to {grade.high:g}"}


def _in_words(grade: Grade) -> str:
    return "true or false" if grade.kind == "gate" else f"a number from {grade.low:g} to {grade.high:g}"


def _shown(value: Any, limit: int = 160) -> str:
    if isinstance(value, Twice):
        return f"given twice, as {value}"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    line = " ".join(text.split())
    return repr(line if len(line) <= limit else f"{line[:limit]}…")
