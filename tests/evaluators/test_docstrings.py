"""Every built-in evaluator shows what it passes and what it fails, and what it shows is true."""

from __future__ import annotations

import inspect
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest
import yaml

from oloproof.evaluators import builtin_registry
from oloproof.evaluators.judges.model_judge import ModelJudge

EXAMPLE = re.compile(r"^(Passes|Fails):\n((?:[ ].*\n|\n)+)", re.MULTILINE)


def examples(evaluator: type[Any]) -> list[tuple[str, dict[str, Any]]]:
    doc = inspect.cleandoc(evaluator.__doc__ or "") + "\n"
    return [(word, yaml.safe_load(textwrap.dedent(block))) for word, block in EXAMPLE.findall(doc)]


EVALUATORS = list(builtin_registry())
JUDGES = [evaluator for evaluator in EVALUATORS if issubclass(evaluator, ModelJudge)]
MEASURING = [evaluator for evaluator in EVALUATORS if evaluator not in JUDGES]
SHOWN = [
    pytest.param(evaluator, word, example, id=f"{evaluator.type}-{number}-{word.lower()}")
    for evaluator in EVALUATORS
    for number, (word, example) in enumerate(examples(evaluator), 1)
]


@pytest.mark.parametrize(("evaluator", "word", "example"), SHOWN)
def test_an_example_does_what_its_heading_says(
    bench: Any, evaluator: type[Any], word: str, example: dict[str, Any]
) -> None:
    for name, content in example.get("files", {}).items():
        if Path(name).suffix == ".py":
            (bench.root / name).write_text(content)
        else:
            bench.file(name, content)
    assert set(example) <= {"options", "output", "expected", "media", "files"}
    media = bench.media(*example.get("media", ()))
    subject = bench.evaluator(evaluator.type, **example["options"])
    verdict = bench.judge(subject, example.get("output"), example.get("expected"), media)
    assert verdict.outcome == {"Passes": "pass", "Fails": "fail"}[word], verdict.reason


@pytest.mark.parametrize("evaluator", MEASURING, ids=lambda evaluator: evaluator.type)
def test_a_docstring_shows_both(evaluator: type[Any]) -> None:
    assert {word for word, _ in examples(evaluator)} == {"Passes", "Fails"}


@pytest.mark.parametrize("evaluator", JUDGES, ids=lambda evaluator: evaluator.type)
def test_a_docstring_of_a_judge_says_how_far_it_is_trusted_and_when_it_says_nothing(evaluator: type[Any]) -> None:
    """What a model answers cannot be shown as an example that is true everywhere."""
    said = " ".join(inspect.cleandoc(evaluator.__doc__ or "").split())
    assert not examples(evaluator)
    assert re.search(r"(It decides nothing|No rule decides)", said)
    assert re.search(r"A refusal, [^.]* are invalid\.", said)
    assert re.search(r"A reply that was cut off, [^.]* are missing\.", said)


@pytest.mark.parametrize("evaluator", EVALUATORS, ids=lambda evaluator: evaluator.type)
def test_a_docstring_names_every_key(evaluator: type[Any]) -> None:
    keys = inspect.cleandoc(evaluator.__doc__ or "").partition("Keys:\n")[2].partition("\n\n")[0]
    told = {
        name.strip()
        for line in keys.splitlines()
        if (head := re.match(r" {4}([a-z_, ]+):", line))
        for name in head[1].split(",")
    }
    fields = {field.alias or name for name, field in evaluator.Options.model_fields.items()}
    assert told == fields - {"type", "criterion", "on_execution_error"}
