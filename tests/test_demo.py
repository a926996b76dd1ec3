"""The demo project of the repository: it covers every kind of media, decides, and needs no network."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
NO_NETWORK = '''
"""Makes every way out of this machine an error."""
import socket


def refuse(*arguments, **named):
    raise OSError("this test has no network")


socket.socket.connect = socket.socket.connect_ex = socket.socket.sendto = refuse
socket.create_connection = socket.getaddrinfo = refuse
'''


@dataclass(frozen=True)
class Demo:
    """A copy of the demo, and how its two first runs went without a network."""

    folder: Path
    first: dict[str, Any]
    second: dict[str, Any]
    seconds: float

    def oloproof(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        blocked = self.folder / "no-network"
        return subprocess.run(
            [str(Path(sys.executable).parent / "oloproof"), *arguments],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(blocked)},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    folder = tmp_path_factory.mktemp("demo")
    shutil.copy(ROOT / "oloproof.yaml", folder)
    shutil.copytree(ROOT / "demo", folder / "demo", ignore=shutil.ignore_patterns("out", "__pycache__"))
    (folder / "no-network").mkdir()
    (folder / "no-network" / "sitecustomize.py").write_text(NO_NETWORK, encoding="utf-8")
    copy = Demo(folder, {}, {}, 0.0)
    started = time.monotonic()
    first = copy.oloproof("run", "--json")
    seconds = time.monotonic() - started
    assert first.returncode == 0, first.stdout + first.stderr
    second = copy.oloproof("run", "--json")
    assert second.returncode == 0, second.stdout + second.stderr
    return Demo(folder, json.loads(first.stdout), json.loads(second.stdout), seconds)


def test_every_rule_of_the_demo_holds(demo: Demo) -> None:
    """``make demo`` ends with 0 and shows decisions of more than one kind."""
    assert {decision["state"] for decision in demo.first["decisions"]} == {"PASS"}
    assert {"observed_failures_within_limit", "lower_bound_meets_minimum"} == {
        decision["reason"] for decision in demo.first["decisions"]
    }


def test_the_demo_runs_in_less_than_twenty_seconds(demo: Demo) -> None:
    """Nobody waits longer for a first impression."""
    assert demo.seconds < 20


def test_the_demo_needs_no_network(demo: Demo) -> None:
    """The runs of this fixture had none: a connection would have raised."""
    tried = subprocess.run(
        [sys.executable, "-c", "import socket; socket.create_connection(('127.0.0.1', 9))"],
        env={**os.environ, "PYTHONPATH": str(demo.folder / "no-network")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "this test has no network" in tried.stderr
    assert demo.first["executions"] == {"run": 12, "cached": 0, "failed": 0}


def test_a_second_run_of_the_demo_executes_nothing(demo: Demo) -> None:
    """Every answer comes from the cache and the decisions are the same."""
    assert demo.second["executions"] == {"run": 0, "cached": 12, "failed": 0}
    assert [decision["state"] for decision in demo.second["decisions"]] == [
        decision["state"] for decision in demo.first["decisions"]
    ]


def test_the_demo_receives_and_makes_images_audio_and_video(demo: Demo) -> None:
    """One project shows all three kinds, on both sides of the system."""
    seen = set()
    for case in ("cat", "selfish", "rabbit-wakes"):
        shown = json.loads(demo.oloproof("inspect", "--case", case, "--json").stdout)
        seen |= {(item["role"], item["kind"]) for item in shown["trials"][0]["media"]}
    kinds = ("image", "audio", "video")
    assert seen == {(role, kind) for role in ("input", "output") for kind in kinds}


def test_the_demo_tells_a_picture_that_is_not_the_right_one(demo: Demo, tmp_path: Path) -> None:
    """Its checks are not there for show: a thumbnail of another photo fails, and so does a silent sound."""
    shutil.copytree(demo.folder, tmp_path / "broken", ignore=shutil.ignore_patterns(".oloproof", "out"))
    broken = Demo(tmp_path / "broken", {}, {}, 0.0)
    media = broken.folder / "demo" / "media"
    app = broken.folder / "demo" / "app.py"
    text = app.read_text(encoding="utf-8")
    text = text.replace("Image.open(source) as photo", f"Image.open({str(media / 'coffee.jpg')!r}) as photo")
    text = text.replace("round(sample * gain)", "round(sample * gain / 5000)")
    app.write_text(text, encoding="utf-8")
    ended = broken.oloproof("run", "--json", "--quiet")
    states = {decision["rule"]: decision["state"] for decision in json.loads(ended.stdout)["decisions"]}
    assert ended.returncode == 1
    assert states["same-picture"] == states["nothing-is-blank"] == "FAIL"


def test_the_demo_is_small_and_says_where_its_files_come_from() -> None:
    """Every file of the demo is credited with its licence; all of them together are below one megabyte."""
    media = [path for path in (ROOT / "demo" / "media").iterdir() if path.suffix != ".md"]
    credits_ = (ROOT / "demo" / "media" / "CREDITS.md").read_text(encoding="utf-8")
    assert sum(path.stat().st_size for path in media) < 1_000_000
    assert [path.name for path in media if f"`{path.name}`" not in credits_] == []
