"""Only the media room touches recorded files and starts ffmpeg: proven by Python's own audit events."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Folder
from tests.running.conftest import picture
from tests.warm import Warm

PROJECT = """\
version: 1
project: audited
dataset: {path: cases.jsonl, media: [photo]}
system: {name: recorder, version: v1, callable: "app:record", records: [media/v1]}
evaluators:
  - {type: media_check, criterion: whole, role: all, intact: true, min_bytes: 1}
  - {type: media_check, criterion: still, role: input, kind: image, max_width: 400, animated: false}
  - {type: image_matches_reference, criterion: alike, role: input, reference_field: photo}
  - {type: custom, criterion: read, callable: "checks:not_empty"}
policy: {rules: [{id: whole, metric: whole, max_failures: 0}]}
"""

APP = """\
from oloproof import current_case, media_file


def record(case):
    current_case().media([media_file(case["photo"], role="input"), media_file(case["other"])])
    return {}
"""

CHECKS = """\
from oloproof import evaluator, read_media


@evaluator()
def not_empty(media):
    return all(len(read_media(item)) > 0 for item in media)
"""


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory, warm: Warm) -> dict[str, Any]:
    folder = Folder(tmp_path_factory.mktemp("audited"), warm)
    for number in range(2):
        folder.write(f"photo{number}.png", picture(number))
    folder.write("oloproof.yaml", PROJECT)
    folder.write("app.py", APP)
    folder.write("checks.py", CHECKS)
    make = ["ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i"]
    subprocess.run([*make, "testsrc2=d=0.4:s=64x48:r=10", str(folder.root / "clip.mp4")], check=True)
    subprocess.run([*make, "sine=d=0.3", str(folder.root / "tone.wav")], check=True)
    rows = [
        {
            "id": name,
            "input": {"photo": f"photo{number}.png", "other": str(folder.root / name)},
            "expected": {"photo": f"photo{number}.png"},
        }
        for number, name in enumerate(("clip.mp4", "tone.wav"))
    ]
    folder.cases(rows)
    script = Path(__file__).with_name("audited.py")
    done = subprocess.run([sys.executable, str(script), str(folder.root)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_no_room_but_media_opens_a_recorded_file(audited: dict[str, Any]) -> None:
    opened = [event for event in audited["events"] if event["event"] == "open"]
    assert {Path(event["what"]).suffix for event in opened} == {".png", ".mp4", ".wav"}
    assert {event["by"].split("/")[0] for event in opened} == {"media"}


def test_no_room_but_media_starts_a_process_for_a_callable_system(audited: dict[str, Any]) -> None:
    started = [event for event in audited["events"] if event["event"] != "open"]
    assert any("mp4" in event["what"] for event in started), "the clip is measured by a process"
    assert {event["by"].split("/")[0] for event in started} == {"media"}


def test_the_audited_run_decides(audited: dict[str, Any]) -> None:
    assert audited["exit"] == 0
    assert audited["executions"]["run"] == 2
