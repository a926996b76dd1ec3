"""What ``variants:`` may say, and how mistakes in it are told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from oloproof.config import load_project, project_document, project_schema
from oloproof.config.recipes import FORMS, recipe_named
from oloproof.config.variants import VariantOptions
from oloproof.errors import ConfigError

PROJECT = """\
version: 1
project: p
dataset: cases.jsonl
system: {{name: s, version: v1, callable: "app:answer"}}
variants:
  {entry}
"""


@pytest.fixture
def loaded(tmp_path: Path) -> Callable[[str], Any]:
    """Load a project with one entry of ``variants:``."""

    def load(entry: str) -> Any:
        (tmp_path / "oloproof.yaml").write_text(PROJECT.format(entry=entry), encoding="utf-8")
        (tmp_path / "cases.jsonl").write_text('{"id": "a", "input": {}}\n', encoding="utf-8")
        return load_project(tmp_path, {})

    return load


def test_recipes_are_named_as_they_are_written(loaded: Callable[[str], Any]) -> None:
    recipes = "[original, jpeg-40, webp, {blur: 3}, {rotate: -7.5}, {gain: -6}]"
    project = loaded(f"- delivery: {{field: photo, apply: {recipes}}}")
    assert project_document(project)["variants"][0]["delivery"]["apply"] == [
        "original", "jpeg-40", "webp", "blur-3", "rotate--7.5", "gain--6",
    ]  # fmt: skip
    assert list(project.options.variants[0].relations) == ["jpeg-40", "webp", "blur-3", "rotate--7.5", "gain--6"]


def test_each_variant_claims_what_its_recipe_says_unless_told_otherwise(loaded: Callable[[str], Any]) -> None:
    assert loaded("- delivery: {field: f, apply: [png-reencode, flac, jpeg-40]}").options.variants[0].relations == {
        "png-reencode": "same_view", "flac": "same_view", "jpeg-40": "degraded",
    }  # fmt: skip
    named = loaded("- delivery: {field: f, apply: [jpeg-100], relation: same_view}")
    assert named.options.variants[0].relations == {"jpeg-100": "same_view"}


@pytest.mark.parametrize(
    ("condition", "relation"),
    [
        ("text_only: photo", "control"),
        ("blank: {field: photo, color: black}", "control"),
        ("unrelated: {field: photo, seed: 4}", "control"),
        ("mirror: photo", "answer_unchanged"),
        ("counterfactual: {field: photo, from: expected.other}", "answer_changes"),
        ("original_image: {field: photo, from: input.before}", "answer_changes"),
        ("prompts: {field: question, from: input.wordings}", "answer_unchanged"),
    ],
)
def test_conditions_have_relations_of_their_own(loaded: Callable[[str], Any], condition: str, relation: str) -> None:
    assert loaded(f"- {condition}").options.variants[0].relations == {condition.partition(":")[0]: relation}


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (
            "- delivery: {field: f, apply: [jpg-40]}",
            "oloproof.yaml:6:34  variants[0].delivery.apply[0]: there is no recipe 'jpg-40'; did you mean jpeg-40?",
        ),
        ("- delivery: {field: f, apply: [exif]}", "did you mean exif-strip?"),
        ("- delivery: {field: f, apply: [banana]}", "recipes: png-reencode, exif-strip, jpeg,"),
        ("- delivery: {field: f, apply: [jpeg]}", "jpeg needs a quality; write jpeg-50 or {jpeg: 50}"),
        ("- delivery: {field: f, apply: [jpeg-400]}", "the quality must be between 1 and 100, found 400"),
        ("- delivery: {field: f, apply: [jpeg-40.5]}", "must be a whole number, found 40.5"),
        ("- delivery: {field: f, apply: [grayscale-2]}", "grayscale takes no amount"),
        ("- delivery: {field: f, apply: [{grayscale: 2}]}", "grayscale takes no amount"),
        ("- delivery: {field: f, apply: [{rotate: 0.00001}]}", "must be 0 or at least 0.0001, found 1e-05"),
        (
            "- delivery: {field: f, apply: [{blur: a lot}]}",
            "blur needs a radius in pixels, found the text 'a lot'; write blur-100",
        ),
        (
            "- delivery: {field: f, apply: [{noise_snr: 10dB}]}",
            "found the text '10dB'; write noise_snr-10 or {noise_snr: 10}",
        ),
        ("- delivery: {field: f, apply: [mp3-64k]}", "'64k' is no number; write mp3-64 or {mp3: 64}"),
        ("- delivery: {field: f, apply: [mp3-64000bit]}", "'64000bit' is no number; write a number from 8 to 320"),
        ("- delivery: {field: f, apply: [{blur: 3, noise: 4}]}", "one recipe with its amount: {blur: 3}"),
        ("- delivery: {field: f, apply: [resize-100]}", "resize-100 changes nothing"),
        ("- delivery: {field: f, apply: [jpeg-40, {jpeg: 40}]}", "jpeg-40 stands here twice"),
        ("- delivery: {field: f, apply: []}", "must not be empty"),
        ("- delivery: {apply: [jpeg-40]}", "variants[0].delivery.field: required, and not given"),
        ("- delivery: {field: f, apply: [jpeg-40], relation: control}", "expected same_view or degraded"),
        ("- deliveries: {field: f}", "unknown field; did you mean delivery?"),
        ("- {mirror: f, blank: f}", "exactly one of delivery:"),
        ("- counterfactual: {field: f, from: other}", "begins with input. or expected."),
        ("- counterfactual: {field: f}", "variants[0].counterfactual.from: required"),
        ("- blank: {field: f, color: red}", "white, black or a colour such as #808080"),
    ],
)
def test_mistakes_are_told_with_their_place_and_what_to_write(
    loaded: Callable[[str], Any], entry: str, words: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        loaded(entry)
    assert words in str(caught.value)


def test_a_variant_has_one_maker(loaded: Callable[[str], Any]) -> None:
    with pytest.raises(ConfigError, match=r"variants\[0\] and variants\[1\] both make jpeg-40"):
        loaded("- delivery: {field: a, apply: [jpeg-40]}\n  - delivery: {field: b, apply: [jpeg-40]}")


def test_the_schema_takes_what_is_right_and_refuses_what_is_wrong() -> None:
    schema = project_schema({})
    entries = {"$ref": "#/$defs/VariantOptions", "$defs": schema["$defs"]}
    for right in (
        {"delivery": {"field": "f", "apply": ["original", "jpeg-40", "webp", {"blur": 3}, "gain--6", "rotate-7.5"]}},
        {"text_only": "photo"},
        {"prompts": {"field": "q", "from": "input.wordings"}},
    ):
        jsonschema.validate(right, entries)
        VariantOptions.model_validate(right)
    for wrong in (
        {},
        {"delivery": {"field": "f", "apply": ["jpg-40"]}},
        {"delivery": {"field": "f", "apply": [{"blur": 999}]}},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, entries)


@pytest.mark.parametrize("form", FORMS.values(), ids=lambda form: form.name)
def test_every_recipe_reads_its_own_name(form: Any) -> None:
    written = form.name if form.amount is None else f"{form.name}-{form.amount.low:g}"
    if form.amount is not None and form.amount.whole:
        written = f"{form.name}-{int(form.amount.low)}"
    assert recipe_named(written).name == written
