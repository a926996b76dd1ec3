"""Evidence that cannot drift: what happens when a recorded file is no longer what it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from oloproof.errors import MediaDrift
from oloproof.running import RunResult, conclude, run
from oloproof.running.deciding import policy_of
from oloproof.storage import History, Store, StoredTrial
from tests.model_server import ModelServer, chat

PROGRAM = """\
import json
import sys
from pathlib import Path

case = json.load(sys.stdin)
path = Path(case["id"] + ".png")
path.write_bytes(Path(case["input"]["photo"]).read_bytes() + bytes(case["repeat"]))
print(json.dumps({"output": {"width": 64}, "media": [str(path)]}))
"""


def trials_of(root: Path) -> dict[str, StoredTrial]:
    store = Store(root)
    try:
        history = History(store)
        return {trial.case_id: trial for trial in history.trials(history.find())}
    finally:
        store.close()


def outcome(result: RunResult, root: Path, case: str) -> tuple[str, str, Any]:
    verdict = trials_of(root)[case].verdicts[0]
    return verdict.outcome, verdict.reason, verdict.details.get("code")


@pytest.mark.parametrize(("mode", "found"), [("one byte", "sha256"), ("truncated", "50 bytes")])
def test_changed_bytes_stop_the_run_naming_file_and_case(photos: Callable[..., Any], mode: str, found: str) -> None:
    folder = photos("fine", mode)
    with pytest.raises(MediaDrift, match=r"case 'c1': out/thumbnailer@v1/.*thumb\.png changed") as raised:
        run(folder.root)
    assert found in str(raised.value)


def test_a_stopped_run_keeps_what_was_done_and_says_why(photos: Callable[..., Any]) -> None:
    folder = photos("fine", "one byte")
    with pytest.raises(MediaDrift):
        run(folder.root)
    store = Store(folder.root)
    history = History(store)
    found = history.find()
    decisions = conclude(history, found, policy_of(found)).decisions
    store.close()
    assert found.state == "stopped"
    assert [(one.state, one.reason) for one in decisions] == [("INSUFFICIENT_EVIDENCE", "partial_run")]
    assert "changed after it was recorded" in (found.error or "")


def test_drift_is_noticed_when_no_evaluator_reads_the_file(photos: Callable[..., Any]) -> None:
    project = """\
        version: 1
        project: thumbnails
        dataset: {path: cases.jsonl, media: [photo]}
        system: {callable: "app:thumbnail", records: [media/v1]}
        evaluators:
          - {type: exact_match, criterion: wide, field: width, expected_field: width}
        """
    folder = photos("fine", "one byte", project=project)
    with pytest.raises(MediaDrift, match="case 'c1'"):
        run(folder.root)


def test_a_drifted_file_never_poisons_later_runs(photos: Callable[..., Any]) -> None:
    folder = photos("fine", "fine")
    run(folder.root)
    thumb = next(folder.root.glob("out/**/c1/**/thumb.png"))
    thumb.write_bytes(b"another picture")
    again = run(folder.root)
    assert again.executions == {"trials": 2, "run": 1, "cached": 1, "failed": 0}
    assert [notice.code for notice in again.run.notices] == ["cached_media_changed"]
    assert run(folder.root).executions["cached"] == 2


@pytest.mark.parametrize(
    ("mode", "code", "words"),
    [
        ("deleted", "media_gone", "is gone"),
        ("symlink", "media_is_symlink", "symlink"),
        ("directory", "media_is_directory", "is a directory"),
        ("fifo", "media_not_a_file", "not a regular file"),
    ],
)
def test_a_file_that_cannot_be_read_any_more_makes_its_case_missing(
    photos: Callable[..., Any], mode: str, code: str, words: str
) -> None:
    folder = photos("fine", mode, "fine")
    result = run(folder.root)
    kind, reason, found = outcome(result, folder.root, "c1")
    assert (kind, found) == ("missing", code)
    assert words in reason
    fits = next(metric for metric in result.conclusion.metrics if metric.criterion == "fits")
    assert (fits.n, fits.observed, fits.passed, fits.missing) == (3, 2, 2, 1)
    assert trials_of(folder.root)["c1"].verdicts[2].outcome == "pass", "what reads no media is decided all the same"


def test_a_file_deleted_after_its_verdict_is_missing_all_the_same(photos: Callable[..., Any]) -> None:
    app = """
        import time
        from pathlib import Path
        from oloproof import current_case, media_file

        made = []

        def thumbnail(case):
            time.sleep(0.2 * len(made))
            if case["mode"] == "delete the first" and made:
                made[0].unlink()
            path = current_case().path("copy.png")
            path.write_bytes(Path(case["photo"]).read_bytes())
            made.append(path)
            current_case().media([media_file(path)])
            return {"width": 64}
        """
    project = """\
        version: 1
        project: thumbnails
        dataset: {path: cases.jsonl, media: [photo]}
        system: {name: copier, callable: "app:thumbnail", records: [media/v1]}
        concurrency: 1
        evaluators: [{type: media_check, criterion: fits, kind: image}]
        """
    folder = photos("keep", "delete the first", app=app, project=project)
    result = run(folder.root)
    assert outcome(result, folder.root, "c0")[::2] == ("missing", "media_gone")
    assert outcome(result, folder.root, "c1")[0] == "pass"


def test_a_file_that_is_gone_is_missing_where_it_was_checked_also_behind_a_judge_of_two_scores(
    photos: Callable[..., Any],
) -> None:
    """Criteria are counted, not evaluators: else a verdict that reads no file is lost, and the check's own stays."""
    project = """\
        version: 1
        project: thumbnails
        dataset: {path: cases.jsonl, media: [photo]}
        system: {callable: "app:thumbnail", records: [media/v1]}
        evaluators:
          - type: rubric_judge
            criterion: judge
            provider: openai_compatible
            base_url: %s
            model: reader
            rubric_text: Any.
            outputs: {one: gate, two: gate}
          - {type: media_check, criterion: fits, kind: image}
          - {type: custom, criterion: last, callable: "checks:delete"}
        """
    scores = {name: {"reason": "fine", "value": True} for name in ("one", "two")}
    with ModelServer(chat(json.dumps({"scores": scores}))) as server:
        folder = photos("fine", project=dedent(project) % server.url)
        folder.write(
            "checks.py",
            """
            from pathlib import Path
            from oloproof import evaluator

            @evaluator()
            def delete(case):
                next(Path("out").rglob("thumb.png")).unlink()
                return True
            """,
        )
        folder.run("run")
    verdicts = [verdict.outcome for verdict in trials_of(folder.root)["c0"].verdicts]
    assert verdicts == ["pass", "pass", "missing", "pass"]


def test_zero_bytes_are_what_the_system_made_and_a_check_fails_on_them(photos: Callable[..., Any]) -> None:
    folder = photos("empty")
    kind, reason, _ = outcome(run(folder.root), folder.root, "c0")
    assert kind == "fail"
    assert "empty" in reason


def test_an_empty_list_of_media_makes_that_case_missing(photos: Callable[..., Any]) -> None:
    app = """
        from oloproof import current_case, media_file

        def thumbnail(case):
            current_case().media([media_file(case["photo"])] if case["mode"] == "some" else [])
            return {"width": 64}
        """
    project = """\
        version: 1
        project: thumbnails
        dataset: {path: cases.jsonl, media: [photo]}
        system: {name: recorder, callable: "app:thumbnail", records: [media/v1]}
        evaluators: [{type: media_check, criterion: fits, kind: image}]
        """
    folder = photos("some", "none", "some", app=app, project=project)
    result = run(folder.root)
    assert outcome(result, folder.root, "c1")[::2] == ("missing", "no_media")
    assert [trials_of(folder.root)[case].verdicts[0].outcome for case in ("c0", "c2")] == ["pass", "pass"]


def test_a_system_that_raises_fails_that_case_alone(photos: Callable[..., Any]) -> None:
    folder = photos("fine", "raises", "fine")
    result = run(folder.root)
    trials = trials_of(folder.root)
    assert "cannot make a thumbnail" in (trials["c1"].execution.error or "")
    assert {verdict.outcome for verdict in trials["c1"].verdicts} == {"missing"}
    assert result.executions["failed"] == 1
    assert all(verdict.outcome == "pass" for verdict in trials["c2"].verdicts)


def test_two_executions_that_share_a_path_are_told_so_with_the_cure(photos: Callable[..., Any]) -> None:
    app = """
        from pathlib import Path
        from oloproof import current_case, media_file

        def thumbnail(case):
            path = Path(__file__).parent / "shared.png"
            path.write_bytes(Path(case["photo"]).read_bytes())
            current_case().media([media_file(path)])
            return {"width": 64}
        """
    project = """\
        version: 1
        project: thumbnails
        dataset: {path: cases.jsonl, media: [photo]}
        system: {name: copier, callable: "app:thumbnail", records: [media/v1]}
        concurrency: 1
        evaluators: [{type: exact_match, criterion: wide, field: width, expected_field: width}]
        """
    folder = photos("fine", "fine", app=app, project=project)
    with pytest.raises(MediaDrift, match=r"Case 'c1' recorded the same path.*current_case\(\)\.path\(name\)"):
        run(folder.root)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("repeats: 2", r"\(variant original, repeat 1\)"),
        ("variants: [{delivery: {field: photo, apply: [grayscale]}}]", r"\(variant grayscale, repeat 0\)"),
    ],
)
def test_trials_of_one_case_that_share_a_path_are_told_so_with_the_cure_of_a_program(
    photos: Callable[..., Any], more: str, told: str
) -> None:
    """A file named by the case alone is overwritten by its repeats and variants."""
    project = f"""\
        version: 1
        project: thumbnails
        dataset: {{path: cases.jsonl, media: [photo]}}
        system: {{name: copier, version: v1, command: [python, program.py], records: [media/v1]}}
        concurrency: 1
        {more}
        evaluators: [{{type: exact_match, criterion: wide, field: width, expected_field: width}}]
        """
    folder = photos("fine", project=project)
    folder.write("program.py", PROGRAM)
    with pytest.raises(MediaDrift, match=f'Another trial of that case {told} recorded .* it is sent as "out"'):
        run(folder.root)


def test_the_cure_is_told_too_when_the_overwriting_is_noticed_while_evaluating(photos: Callable[..., Any]) -> None:
    app = """
        import time
        from pathlib import Path
        from oloproof import current_case, media_file

        def thumbnail(case):
            path = Path(__file__).parent / "shared.png"
            time.sleep(0.4 * (case["mode"] == "overwrites"))
            path.write_bytes(Path(case["photo"]).read_bytes())
            current_case().media([media_file(path)])
            time.sleep(1.5 * (case["mode"] == "is overwritten"))
            return {"width": 64}
        """
    project = """\
        version: 1
        project: thumbnails
        dataset: {path: cases.jsonl, media: [photo]}
        system: {name: copier, callable: "app:thumbnail", records: [media/v1]}
        concurrency: 2
        evaluators: [{type: media_check, criterion: whole, intact: true}]
        """
    folder = photos("is overwritten", "overwrites", app=app, project=project)
    with pytest.raises(MediaDrift, match=r"recorded the same path.*current_case\(\)\.path\(name\)"):
        run(folder.root)


def test_a_moved_project_is_the_same_project(photos: Callable[..., Any], tmp_path: Path) -> None:
    folder = photos("fine", "fine")
    run(folder.root)
    moved = tmp_path.parent / f"{tmp_path.name}-moved"
    folder.root.rename(moved)
    try:
        again = run(moved)
    finally:
        moved.rename(folder.root)
    assert again.executions["cached"] == 2
    assert again.exit_code == 0
