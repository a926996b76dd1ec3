"""What is wrong between the rules and the evaluators of a project as written: names used twice, metrics of nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from oloproof.config.families import FAMILY_METRICS, limits_of
from oloproof.config.models import RATES, EvaluatorOptions, RuleOptions
from oloproof.config.problems import nearest, percent_hint, suggestion
from oloproof.config.sites import value_at
from oloproof.config.yaml12 import Document, dotted
from oloproof.config.yaml12 import Path as Keys
from oloproof.errors import Problem


def repeated(document: Document, base: Keys, entries: Any, key: str, why: str) -> list[Problem]:
    """Return a problem for each entry whose ``key`` an earlier one has, naming both places."""
    problems: list[Problem] = []
    first: dict[str, Keys] = {}
    for number, entry in enumerate(entries if isinstance(entries, list) else []):
        value = entry.get(key) if isinstance(entry, dict) else None
        if isinstance(value, str):
            path: Keys = (*base, number, key)
            if value in first:
                line, column = document.place(first[value]) or (0, 0)
                earlier = f"the first is at {document.file}:{line}:{column}"
                problems.append(document.problem(path, f"{value!r} is used twice; {earlier}; {why}"))
            first.setdefault(value, path)
    return problems


def known_criteria(document: Document, evaluators: Sequence[EvaluatorOptions]) -> list[str]:
    """Return the criteria that evaluators report, as written also those of evaluators that are wrong elsewhere."""
    written = document.data.get("evaluators")
    entries = [entry for entry in written if isinstance(entry, dict)] if isinstance(written, list) else []
    right = {options.criterion: options.criteria for options in evaluators}
    names = [entry["criterion"] for entry in entries if isinstance(entry.get("criterion"), str)]
    return [criterion for name in names for criterion in right.get(name, (name,))]


def rule_problems(
    document: Document, base: Keys, criteria: Sequence[str] | None, problems: list[Problem]
) -> list[Problem]:
    """Return what is wrong between the rules as written: ids used twice, and metrics that nothing reports.

    Rules that are right in themselves are looked at also when others are not.
    """
    base = (*base, "rules")
    written = value_at(document.data, base)
    between = repeated(document, base, written, "id", "ids are unique")
    said = {dotted(base)} if between else set()
    problems[:] = [one for one in problems if one.file != document.file or one.path not in said]
    for number, entry in enumerate(written if criteria is not None and isinstance(written, list) else []):
        try:
            rule = RuleOptions.model_validate(entry)
        except ValidationError:
            continue
        between += _metric_problems(rule, criteria or (), document, (*base, number))
    return between


def _metric_problems(rule: RuleOptions, criteria: Sequence[str], document: Document, path: Keys) -> list[Problem]:
    if rule.metric != "error_rate" and rule.criterion not in criteria:
        return [document.problem((*path, "metric"), _no_such_metric(rule, criteria))]
    low, high = limits_of(rule.family) if rule.family else (0.0, 1.0)
    return [
        document.problem((*path, key), _no_such_value(value, low, high))
        for key, value in (("min", rule.min), ("max", rule.max))
        if (rule.rate or rule.family) and value is not None and not low <= value <= high
    ]


def _no_such_metric(rule: RuleOptions, criteria: Sequence[str]) -> str:
    base, dot, _ = rule.metric.rpartition(".")
    if dot and base in criteria:
        names = [f"{base}.{name}" for name in (*RATES, *FAMILY_METRICS, "pass^2", "pass@2")]
        return f"{rule.metric} is no metric; {suggestion(rule.metric, names, 'metrics of ' + base)}"
    near = nearest(rule.criterion, criteria)
    if near:
        return f"no evaluator reports {rule.criterion}; did you mean {near}{rule.metric[len(rule.criterion) :]}?"
    return f"no evaluator reports {rule.criterion}; criteria: {', '.join(criteria) or 'none'}"


def _no_such_value(value: float, low: float, high: float) -> str:
    what = "a difference of rates" if low < 0 else "a number of cases" if high > 1 else "a rate"
    hint = percent_hint(value, 1) or "; 80 % is written 0.80" if high == 1 else ""
    within = f"lies between {low:g} and {high:g}" if high <= 1 else "is 0 or more"
    return f"{what} {within}{hint} (found {value:g})"
