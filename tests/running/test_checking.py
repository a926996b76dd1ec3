"""check is never ready where run ends with 2: what lies where runs are stored, and tools that later cases need."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

CASES = Path(__file__).parent.parent / "data" / "media-cases"


def _newer(root: Path) -> None:
    (root / ".oloproof").mkdir()
    with closing(sqlite3.connect(root / ".oloproof" / "oloproof.db")) as connection:
        connection.execute("pragma user_version=99")


def _garbage(root: Path) -> None:
    (root / ".oloproof").mkdir()
    (root / ".oloproof" / "oloproof.db").write_text("garbage, and enough of it to be no header of a database" * 9)


@pytest.mark.parametrize(
    "spoil",
    [
        _garbage,
        _newer,
        lambda root: (root / ".oloproof").write_text("a file"),
        lambda root: (root / ".oloproof").symlink_to("nowhere"),
        lambda root: (root / ".oloproof" / "oloproof.db").mkdir(parents=True),
    ],
    ids=["damaged", "newer", "a file", "a dangling link", "a folder"],
)
def test_a_store_that_run_refuses_is_refused_by_check(echo: Callable[..., Any], spoil: Callable[[Path], None]) -> None:
    folder = echo(2)
    spoil(folder.root)
    checked, ran = folder.run("check"), folder.run("run")
    assert (checked.exit, ran.exit) == (2, 2)
    assert "ready: " not in checked.out
    assert any(word in checked.err for word in (".oloproof", "schema 99"))
    assert "Traceback" not in checked.err


def test_a_store_of_earlier_runs_is_no_obstacle(echo: Callable[..., Any]) -> None:
    folder = echo(2)
    assert folder.run("run").exit == 0
    assert folder.run("check").exit == 0
    assert len(folder.run("runs", "--json").document["runs"]) == 1


MEDIA_PROJECT = """\
version: 1
project: media
dataset: {path: cases.jsonl, media: [file]}
system: {name: same, version: v1, callable: "app:same", records: [media/v1]}
evaluators:
  - {type: media_check, criterion: fine, %s}
"""
MEDIA_APP = """\
from oloproof import current_case, media_file


def same(case):
    current_case().media([media_file(case["file"], role="input")])
    return "done"
"""


def _pictures_then_a_clip(folder: Any, condition: str) -> None:
    folder.write("oloproof.yaml", MEDIA_PROJECT % condition)
    folder.write("app.py", MEDIA_APP)
    for name in ("MR-12.png", "MR-21.mp4"):
        shutil.copy(CASES / name, folder.root / name)
    folder.cases([{"id": name[:5], "input": {"file": name}} for name in ("MR-12.png", "MR-21.mp4")])


@pytest.mark.parametrize(
    "condition", ["role: all, intact: true", "role: all, max_frame_rate: 60", "role: all, blank: false"]
)
def test_without_ffprobe_a_later_case_whose_file_needs_it_is_not_ready(folder: Any, condition: str) -> None:
    _pictures_then_a_clip(folder, condition)
    (folder.root / "bin").mkdir()
    without = {"PATH": str(folder.root / "bin")}
    checked, ran = folder.run("check", env=without), folder.run("run", env=without)
    assert (checked.exit, ran.exit) == (2, 2)
    assert "case 'MR-21': fine needs ffprobe" in checked.out
    assert "not ready" in checked.out
    assert folder.run("check", "--json", env=without).document["warnings"][-1]["code"] == "ffmpeg_missing"


@pytest.mark.parametrize("condition", ["role: input, max_bytes: 10000000", "role: input, max_width: 4000"])
def test_without_ffprobe_conditions_that_headers_tell_stay_ready_with_a_warning(folder: Any, condition: str) -> None:
    _pictures_then_a_clip(folder, condition)
    (folder.root / "bin").mkdir()
    without = {"PATH": str(folder.root / "bin")}
    checked, ran = folder.run("check", "--json", env=without), folder.run("run", env=without)
    assert (checked.exit, ran.exit) == (0, 0), ran.err
    assert "ffmpeg_missing" in [warning["code"] for warning in checked.document["warnings"]]
    assert "a case that records audio or video would stop the run" in checked.out


def test_with_ffprobe_nothing_is_said_of_it(folder: Any) -> None:
    _pictures_then_a_clip(folder, "role: all, intact: true")
    assert "ffprobe" not in folder.run("check").out


@pytest.mark.parametrize(
    ("evaluators", "told"),
    [
        ("{type: image_matches_reference, criterion: same, reference_file: page.png}", True),
        (
            "{type: image_matches_reference, criterion: same, reference_file: page.png}, "
            "{type: media_check, criterion: sound, kind: image}",
            True,
        ),
        (
            "{type: image_matches_reference, criterion: same, reference_file: page.png, max_local_difference: 15}",
            False,
        ),
        (
            "{type: image_matches_reference, criterion: same, reference_file: page.png}, "
            "{type: contains, criterion: said, text: done}",
            False,
        ),
    ],
    ids=["alone", "with facts", "place by place", "with one that reads"],
)
def test_where_only_a_hash_looks_at_pictures_its_blindness_is_told(folder: Any, evaluators: str, told: bool) -> None:
    _pictures_then_a_clip(folder, "role: all, kind: image")
    shutil.copy(CASES / "MR-19-a.png", folder.root / "page.png")
    project = (folder.root / "oloproof.yaml").read_text()
    folder.write("oloproof.yaml", project[: project.index("evaluators:")] + f"evaluators: [{evaluators}]\n")
    checked = folder.run("check")
    assert checked.exit == 0, checked.err
    assert ("same: a perceptual hash cannot read" in checked.out) is told


def test_a_system_that_fails_is_told_once_with_the_line_that_raised(echo: Callable[..., Any]) -> None:
    folder = echo(2)
    folder.write("app.py", "def answer(case):\n    return case['nothing']\n")
    ended = folder.run("check")
    assert ended.exit == 1
    assert 'app.py", line 2, in answer' in ended.out
    assert "missing right" not in ended.out
    assert ended.out.count("the system failed") == 1


JUDGE = """\
version: 1
project: judged
dataset: cases.jsonl
system: {name: s, version: v1, callable: "app:answer"}
evaluators:
  - {type: rubric_judge, criterion: true_to_it, provider: openai_compatible, base_url: "http://localhost:9/v1",
     model: m, rubric_text: Pass if it is red., media: input}
"""


def test_a_judge_that_would_be_shown_nothing_is_told_before_the_run(echo: Callable[..., Any]) -> None:
    """The picture stands in the dataset, so that one expects the judge to be shown it."""
    folder = echo(1)
    folder.write("oloproof.yaml", JUDGE)
    shutil.copy(CASES / "MR-12.png", folder.root / "a.png")
    folder.write("app.py", "def answer(case):\n    return 1\n")
    told = " ".join(folder.run("check").out.split())
    assert "true_to_it would be missing: nothing is recorded with the role input" in told
    assert 'media_file(path, role="input")' in told
    recording = MEDIA_APP.replace("def same", "def answer").replace('case["file"]', '"a.png"')
    folder.write("app.py", recording)
    assert "would be missing" not in folder.run("check").out


@pytest.mark.parametrize(("block_on", "told"), [("[FAIL, INSUFFICIENT_EVIDENCE]", True), ("[FAIL]", False)])
def test_a_rule_that_would_block_every_run_is_told(echo: Callable[..., Any], block_on: str, told: bool) -> None:
    rules = "[{id: floor, metric: right, min: 0.1}, {id: no-worse, metric: right, kind: non_inferiority, margin: 0.1}]"
    folder = echo(2, more=f"policy: {{block_on: {block_on}, rules: {rules}}}\n")
    warned = [one["message"] for one in folder.run("check", "--json").document["warnings"]]
    assert any(message.startswith("no-worse: a run alone cannot decide") for message in warned) is told


def test_a_service_that_is_not_started_is_told_as_such(echo: Callable[..., Any]) -> None:
    """A refused connection alone does not say that a run would end with 2 for it."""
    folder = echo(1)
    project = (folder.root / "oloproof.yaml").read_text()
    folder.write("oloproof.yaml", project.replace('callable: "app:answer"', 'http: "http://127.0.0.1:9/"'))
    ended = folder.run("check")
    assert ended.exit == 2
    assert "did not answer: start it, or check its address, before a run" in " ".join(ended.out.split())
    assert "echo@v1, 1 case\n" in ended.out


def test_a_rule_says_how_many_cases_its_slice_has(echo: Callable[..., Any]) -> None:
    rules = "[{id: some, metric: right, min: 0.1, slice: {at: b}}, {id: none, metric: right, min: 0.1, slice: {at: x}}]"
    folder = echo(3, more=f"policy: {{rules: {rules}}}\n")
    folder.cases(
        [{"id": f"c{i}", "input": {"n": i}, "expected": {"answer": 0}, "slice": {"at": "abb"[i]}} for i in range(3)]
    )
    told = {one["rule"]: one["can_decide"] for one in folder.run("check", "--json").document["rules"]}
    assert told["some"].startswith('2 cases of 3 in its slice (at="b"): ')
    assert told["none"] == 'no case of 3 in its slice (at="x"): nothing'
