"""What was answered, as values that compare equal when the answers are the same to people."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from oloproof.digests import canonical_json
from oloproof.evaluators.base import MISSING_FIELD, field_of
from oloproof.storage import Observation

_NUMBER = re.compile(r"[-+]?[0-9]{1,30}(?:\.[0-9]{1,30})?")

AnswerOf = Callable[[Observation], str | None]


def answer_reader(source: str) -> AnswerOf:
    """Return what tells an answer from another, None where there was none.

    What the evaluator ``found`` in the answer comes first: 12 and 12.0 are one number. Otherwise it is the output or
    the part of it that ``source`` names (``output.total``); white space at its ends and its amount between words do
    not count. With ``outcome``, and where there is no output, only pass, fail and invalid are told apart.
    """
    kind, _, path = source.partition(".")

    def answer(seen: Observation) -> str | None:
        if seen.error:
            return None
        if seen.found is not None:
            return _written(seen.found)
        value = None if kind == "outcome" or seen.output is None else _part(seen.output, path)
        if value is not None:
            return _written(value)
        return None if seen.outcome == "missing" else seen.outcome

    return answer


def _written(value: Any) -> str:
    """Return a value as text; a number in one way, whether it stood as a number or as a text."""
    if isinstance(value, str):
        words = " ".join(value.split())
        if not _NUMBER.fullmatch(words):
            return words
        value = words
    elif isinstance(value, bool) or not isinstance(value, int | float):
        return canonical_json(value)
    number = Decimal(str(value))
    text = f"{number:f}" if number else "0"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _part(output: str, path: str) -> Any:
    """Return the value at a path of an output in JSON; plain texts, which most are, need no parser."""
    if not path and output[0] == '"' and "\\" not in output:
        return output[1:-1]
    found = field_of(json.loads(output), path or None)
    return None if found is MISSING_FIELD else found
