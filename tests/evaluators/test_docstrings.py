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

EXAMPLE = re.compile(r"^(Passes|Fails):\n((?:[ ].*\n|\n)+)", re.MULTILINE)


def examples(evaluator: type[Any]) -> list[tuple[str, dict[str, Any]]]:
    doc = inspect.cleandoc(evaluator.__doc__ or "") + "\n"
    return [(word, yaml.safe_load(textwrap.dedent(block))) for word, block in EXAMPLE.findall(doc)]


SHOWN = [
    pytest.param(evaluator, word, example, id=f"{evaluator.type}-{number}-{word.lower()}")
    for evaluator in builtin_registry()
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


@pytest.mark.parametrize("evaluator", list(builtin_registry()), ids=lambda evaluator: evaluator.type)
def test_a_docstring_shows_both_and_names_every_key(evaluator: type[Any]) -> None:
    words = {word for word, _ in examples(evaluator)}
    assert words == {"Passes", "Fails"}
    keys = inspect.cleandoc(evaluator.__doc__ or "").partition("Keys:\n")[2].partition("\n\n")[0]
    told = {
        name.strip()
        for line in keys.splitlines()
        if (head := re.match(r" {4}([a-z_, ]+):", line))
        for name in head[1].split(",")
    }
    fields = {field.alias or name for name, field in evaluator.Options.model_fields.items()}
    assert told == fields - {"type", "criterion", "on_execution_error"}
