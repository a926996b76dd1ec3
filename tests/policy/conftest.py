"""Observations written as one letter a trial, and short ways to sum them up and decide on them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from oloproof.config.models import RuleOptions
from oloproof.policy import CaseValue, Measure, Standing, decide_rule, reduce_cases, summarize
from oloproof.records import Decision, Metric, Outcome
from oloproof.storage import Observation

OUTCOMES: dict[str, Outcome] = {"p": "pass", "f": "fail", "m": "missing", "i": "invalid", "e": "missing"}
ALL = ("FAIL", "INSUFFICIENT_EVIDENCE", "MANUAL_REVIEW")


def seen(case: str, letter: str, *, repeat: int = 0, score: float | None = None, **more: Any) -> Observation:
    """Return an observation: p(ass), f(ail), m(issing), i(nvalid) or e(rror)."""
    slice_ = more.get("slice")
    text = None if slice_ is None else json.dumps(slice_)
    return Observation(case, more.get("variant", "original"), repeat, text, OUTCOMES[letter], score, letter == "e")


def trials(letters: str) -> list[Observation]:
    """Return one case a letter, or with ``pf m`` one case a word and a repeat a letter."""
    words = letters.split() if " " in letters else list(letters)
    return [seen(f"c{n}", letter, repeat=r) for n, word in enumerate(words) for r, letter in enumerate(word)]


def scores(*values: float | str) -> list[Observation]:
    """Return one case a score; a letter stands for an outcome without one."""
    return [
        seen(f"c{n}", value) if isinstance(value, str) else seen(f"c{n}", "p", score=value)
        for n, value in enumerate(values)
    ]


def measure(**values: Any) -> Measure:
    return Measure("checked", **values)


def reduced(observations: Iterable[Observation], of: Measure | None = None, **more: Any) -> list[CaseValue]:
    return list(reduce_cases(observations, of or measure(), **more))


def metric_of(observations: Iterable[Observation], of: Measure | None = None, level: float = 0.95) -> Metric:
    of = of or measure()
    return summarize(reduce_cases(observations, of), of, level)


def rule(**keys: Any) -> RuleOptions:
    return RuleOptions(**{"id": "r", "metric": "checked", **keys})


def decided(
    observations: Iterable[Observation] | str, keys: dict[str, Any], of: Measure | None = None, **standing: Any
) -> Decision:
    observations = trials(observations) if isinstance(observations, str) else observations
    block_on = standing.pop("block_on", ALL)
    return decide_rule(rule(**keys), metric_of(observations, of), Standing(**standing), block_on)
