"""A project with variants and repeats, from its files to the rules over its families."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from PIL import Image

from oloproof.running.documents import result_schema

APP = """\
from PIL import Image

from oloproof import system


@system(name="look", version="1")
def look(case):
    if not case.get("photo"):
        return "nothing"
    return "dark" if Image.open(case["photo"]).convert("L").getextrema()[0] < 20 else "light"
"""

PROJECT = """\
version: 1
project: looks
dataset: {path: cases.jsonl, media: [photo]}
system: {callable: "app:look"}
repeats: 2
variants:
  - delivery: {field: photo, apply: [png-reencode, {blur: 3}]}
  - text_only: photo
evaluators:
  - {type: exact_match, criterion: answer}
policy:
  rules:
"""


@pytest.fixture
def looks(folder: Any) -> Any:
    folder.write("app.py", APP)
    rows = []
    for number in range(4):
        picture = Image.new("RGB", (64, 64), (200, 200, 200))
        side = 1 + number * 15  # the first is a dot, which blurring takes away
        picture.paste((0, 0, 0), (10, 10, 10 + side, 10 + side))
        picture.save(folder.root / f"{number}.png")
        rows.append(
            {"id": f"c{number}", "input": {"photo": f"{number}.png"}, "expected": "dark", "slice": {"side": side}}
        )
    folder.cases(rows)
    return folder


def decided(looks: Any, *rules: str) -> dict[str, Any]:
    looks.write("oloproof.yaml", PROJECT + "".join(f"    - {{id: r{n}, {rule}}}\n" for n, rule in enumerate(rules)))
    ended = looks.run("run", "--json")
    document: dict[str, Any] = ended.document
    assert ended.exit == document["exit"]
    return document


def test_two_rules_on_one_slice_written_in_another_order_are_decided_alike(looks: Any) -> None:
    """A rule looks its metric up by its slice: the order of the keys is no part of that."""
    slice_ = {"a": 1, "b": 2}
    rows = [{"id": f"c{n}", "input": {"photo": f"{n}.png"}, "expected": "dark", "slice": slice_} for n in (0, 1)]
    looks.cases(rows)
    found = decided(
        looks,
        "metric: answer.flip_rate, max: 0.9, slice: {a: 1, b: 2}",
        "metric: answer.flip_rate, max: 0.9, slice: {b: 2, a: 1}",
        "metric: answer.flip_rate, max: 0.9, slice: {a: true, b: 2}",
    )
    assert [found["metrics"][-1]["n"], len(found["decisions"])] == [0, 3]
    one, same, other = found["decisions"]
    assert (one["estimate"], one["interval"]) == (same["estimate"], same["interval"])
    assert (one["estimate"], other["estimate"]) == (0.0, None)


def test_rules_over_families_decide_with_their_counts(looks: Any) -> None:
    found = decided(
        looks,
        "metric: answer, max_identical_delta: 0, decide_on: estimate",
        "metric: answer, min_lossy_accuracy: 0.8, decide_on: estimate",
        "metric: answer, max_flaky: 0",
        "metric: answer.gain, variant: text_only, min: 0.5, decide_on: estimate",
        "metric: answer.change_rate, variant: blur-3, max: 0, decide_on: estimate",
    )
    schema = looks.run("schema", "--result").document
    jsonschema.Draft202012Validator(schema).validate(found)
    states = {one["rule"]: (one["state"], one["estimate"]) for one in found["decisions"]}

    assert found["exit"] == 1
    assert states == {
        "r0": ("PASS", 0.0),
        "r1": ("FAIL", 0.75),
        "r2": ("PASS", 0.0),
        "r3": ("PASS", 1.0),
        "r4": ("FAIL", 0.25),
    }
    told = {(one["criterion"], one["variant"]): one for one in found["metrics"]}
    assert told["answer", "blur-3"]["passed"] == 3
    assert told["answer.effect", "blur-3"]["estimate"] == 0.25
    assert told["answer.noise_floor", "original"]["estimate"] == 0.0
    assert told["answer.delta", "blur-3"]["family"]["worse"] == 1
    assert told["answer.pass^2", "original"]["n"] == 4


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("metric: answer.worst_delta, relation: answer_changes, min: 0", "no variant is answer_changes"),
        ("metric: answer.delta, variant: blur-4, min: 0", "there is no variant 'blur-4'; did you mean blur-3?"),
        ("metric: answer.pass^3, min: 0.5", "needs repeats: 3 or more, and each case is run 2 times"),
        ("metric: answer.visual_adoption_rate, min: 0.5", "told by a prior_probe, and answer is a exact_match"),
        (
            "metric: answer.delta, min: 0",
            "answer.delta holds one variant against the original: name that one with variant:",
        ),
        (
            "metric: answer.delta, variant: original, max: 0",
            "answer.delta holds one variant against the original: name that one with variant:",
        ),
        (
            "metric: answer.noise_floor, variant: blur-3, max: 1",
            "is about several variants at once and takes no variant:",
        ),
        ("metric: answer.mixed_rate, variant: blur-3, max: 1", "the condition in its name and takes no variant:"),
        (
            "metric: answer.mixed_rate, cohort: strict, max: 1",
            "cohort: goes with metrics over families that are not of",
        ),
        ("metric: answer.worst_delta, min: 0", "answer.worst_delta needs relation:, such as degraded"),
        ("metric: answer, min: 0.5, relation: degraded", "relation: goes with the metrics that are called worst"),
        ("metric: answer, min: 0.5, cohort: strict", "cohort: goes with metrics over families"),
        (
            "metric: answer.gain, variant: text_only, min: 2",
            "a difference of rates lies between -1 and 1; 2 % is written 0.02",
        ),
        ("metric: answer.detla, variant: blur-3, min: 0", "did you mean answer.delta?"),
        ("metric: answer, max_flaky: 0, min: 0.5", "exactly one of min: and max: (or max_identical_delta:"),
        ("metric: answer.delta, variant: blur-3, max_flaky: 0", "max_flaky: goes with a criterion alone"),
        ("metric: answer.flip_rate, max_failures: 1", "answer.flip_rate takes min: or max:"),
    ],
)
def test_a_rule_that_could_never_decide_or_about_something_else_is_refused_before_the_run(
    looks: Any, rule: str, told: str
) -> None:
    looks.write("oloproof.yaml", PROJECT + f"    - {{id: r, {rule}}}\n")
    ended = looks.run("check")

    assert ended.exit == 2
    assert told in ended.err + ended.out


def test_a_run_without_data_and_one_that_was_refused_follow_the_schema_too(looks: Any) -> None:
    """An earlier tool broke its own schema when every case was flaky."""
    schema = jsonschema.Draft202012Validator(result_schema())
    looks.write("app.py", APP.replace("light", "light {case}"))  # never right
    schema.validate(decided(looks, "metric: answer.worst_delta, relation: degraded, min: -1, cohort: strict"))
    looks.write("oloproof.yaml", PROJECT + "    - {id: r, metric: nothing, min: 1}\n")
    schema.validate(looks.run("run", "--json").document)


def test_the_tables_of_a_run_have_a_row_a_variant_and_tell_no_figure_twice(looks: Any) -> None:
    decided(looks, "metric: answer, max_flaky: 0")
    shown = looks.run("gate", env={"COLUMNS": "120"}).out.partition("PASS")[0]

    rows = {words[0]: words[2:] for line in shown.splitlines() if (words := line.split()) and "(" in line}
    assert rows["blur-3"][:2] == ["-25.0", "points"]
    assert rows["png-reencode"][-6:] == ["4", "0.0", "%", "in", "0", "0"]
    assert "answer.noise_floor" in shown
    assert "answer.delta" not in shown


def test_check_and_plan_say_what_rules_over_families_can_decide(looks: Any) -> None:
    rules = (
        "metric: answer, max_identical_delta: 0.2",
        "metric: answer, max_flaky: 0",
        "metric: answer.delta, variant: blur-3, min: -0.2",
        "metric: answer.change_rate, variant: blur-3, max: 0.9",
    )
    decided(looks, *rules)
    checked, planned = looks.run("check"), looks.run("plan")

    assert (checked.exit, planned.exit) == (0, 0)
    assert "depends on how the variants and repeats of each case differ" in checked.out
    assert "PASS or FAIL by the count, at any number of cases" in checked.out
    assert "how many it takes cannot be told for this kind of rule" in " ".join(planned.out.split())


def test_a_rule_over_families_may_be_about_a_slice(looks: Any) -> None:
    rule = "metric: answer.delta, variant: blur-3, min: 0, decide_on: estimate, slice: {side: %d}"
    small, large = decided(looks, rule % 1, rule % 46)["decisions"]

    assert (small["state"], small["estimate"]) == ("FAIL", -1.0)
    assert (large["state"], large["estimate"]) == ("PASS", 0.0)
