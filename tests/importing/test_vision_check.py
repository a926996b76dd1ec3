"""A suite of an earlier tool, imported and replayed, gives the figures that the tool published."""

from __future__ import annotations

import json
from typing import Any

import pytest
from PIL import Image, ImageDraw

VARIANTS = ("original", "png-reencode", "exif-strip", "jpeg-75", "jpeg-40", "resize-50", "grayscale", "webp")
DEMO: list[tuple[str, str, str, list[str], dict[str, list[str]]]] = [
    ("inv-001", "equals", "INV-1001", ["INV-1001"], {}),
    ("inv-002", "numeric", "1,234.50", ["The total is 1.234,50 EUR."], {}),
    ("inv-003", "equals", "INV-1003", ["INV-1003"], {"png-reencode": ["INV-1008", "INV-1088", "unreadable"]}),
    ("inv-004", "regex", r"^\d{4}-\d{2}-\d{2}$", ["2026-03-14"], {}),
    ("inv-005", "contains", "Acme", ["Acme Retail Co."], {"jpeg-40": ["Beta GmbH", "Beta Logistik", "Beta North"]}),
    ("inv-006", "numeric", "12", ["12", "There are 12 items listed.", "12 items"], {}),
]
"""The demo suite of that tool: fixture, kind, expected, answers, and those of variants that differ."""


@pytest.fixture
def demo(folder: Any) -> Any:
    lines, responses = [], {}
    (folder.root / "images").mkdir()
    for number, (name, kind, expected, answers, others) in enumerate(DEMO):
        picture = Image.new("RGB", (64, 40), "white")
        ImageDraw.Draw(picture).rectangle((5, 5, 20 + 5 * number, 30), outline=(200, 40, 90))
        picture.save(folder.root / "images" / f"{name}.png")
        line = {"id": name, "image": f"images/{name}.png", "question": "What is printed here?"}
        lines.append({**line, "assert": {"kind": kind, "expected": expected}})
        responses[name] = {variant: others.get(variant, answers) for variant in VARIANTS}
    folder.cases(lines, "suite.jsonl")
    folder.write("responses.json", json.dumps(responses))
    return folder


def imported(demo: Any, *flags: str) -> dict[str, Any]:
    ended = demo.run("import", "vision-check", "suite.jsonl", "--responses", "responses.json", *flags)
    assert ended.exit == 0, ended.err
    run = demo.run("run", "--config", "suite/oloproof.yaml", "--json")
    assert run.exit == run.document["exit"]
    return run.document


@pytest.mark.parametrize("parity", [[], ["--parity"]])
def test_the_demo_fails_its_strict_gate_with_the_published_figure(demo: Any, parity: list[str]) -> None:
    strict = imported(demo, *parity)
    decided = {one["rule"]: one for one in strict["decisions"]}

    assert strict["exit"] == 1
    assert decided["identical-delta"]["state"] == "FAIL"
    assert decided["identical-delta"]["estimate"] == -0.16666666666666666


def test_the_relaxed_gates_pass_with_the_published_figures(demo: Any) -> None:
    relaxed = imported(demo, "--max-identical-delta", "0.17", "--min-lossy-accuracy", "0.8", "--max-flaky", "0")
    decided = {one["rule"]: (one["state"], one["estimate"]) for one in relaxed["decisions"]}

    assert relaxed["exit"] == 0
    assert decided["identical-delta"] == ("PASS", -0.16666666666666666)
    assert decided["lossy-accuracy"] == ("PASS", 0.8333333333333334)
    assert decided["flaky"] == ("PASS", 0.0)
    assert relaxed["executions"]["run"] == 144
    assert relaxed["warnings"][0]["code"] == "replay"
    changed = {one["variant"]: one for one in relaxed["metrics"] if one["criterion"] == "answer.change_rate"}
    assert changed["jpeg-75"]["estimate"] == 0.0  # 12, «12 items» and «There are 12 items listed.» are one answer


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "suite.jsonl:2  this is not JSON"),
        ("[]", "suite.jsonl:2  expected an object"),
        ('{"id": "a", "id": "b"}', "the key 'id' stands twice"),
        (
            '{"id": 5, "image": "a.png", "question": "q", "assert": {"kind": "equals", "expected": "A"}}',
            "id must be text",
        ),
        ('{"id": "a", "image": "a.png", "question": "q"}', "suite.jsonl:2  assert is required"),
        ('{"id": "a", "image": "a.png", "question": "q", "assert": "A"}', "assert is text"),
        ('{"id": "a", "image": "a.png", "question": "q", "assert": {"kind": "fuzzy", "expected": "A"}}', "'fuzzy'"),
        (
            '{"id": "a", "image": "a.png", "question": "q", "assert": {"kind": "regex", "expected": "("}}',
            "is no pattern",
        ),
        ('{"id": "a", "image": "a.png", "question": "q", "asert": {}}', "unknown key asert"),
        (
            '{"id": "inv-001", "image": "a.png", "question": "q", "assert": {"kind": "equals", "expected": "A"}}',
            "the id 'inv-001' stands 2 times",
        ),
    ],
)
def test_mistakes_are_told_with_their_line_and_nothing_is_written(demo: Any, line: str, told: str) -> None:
    first, _, rest = (demo.root / "suite.jsonl").read_text().partition("\n")
    demo.write("suite.jsonl", f"{first}\n{line}\n{rest}")
    ended = demo.run("import", "vision-check", "suite.jsonl")

    assert ended.exit == 2
    assert told in ended.err
    assert not (demo.root / "suite").exists()


def test_nothing_that_exists_is_overwritten_and_a_live_project_can_be_checked(demo: Any) -> None:
    assert demo.run("import", "vision-check", "suite.jsonl").exit == 0
    again = demo.run("import", "vision-check", "suite.jsonl")

    assert again.exit == 2
    assert "exists and is not overwritten" in again.err
    assert "VISION_API_KEY" in (demo.root / "suite" / "ask.py").read_text()
    checked = demo.run("check", "--config", "suite/oloproof.yaml", env={"VISION_API_KEY": ""})
    assert "vision-model" in checked.out + checked.err
    assert "VISION_API_KEY is not set" in checked.out + checked.err
