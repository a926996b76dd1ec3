"""The demo project of the repository: it covers every kind of media, decides, and needs no network."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Folder, made_once
from tests.warm import Warm

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
    """A copy of the demo, how its two first runs went without a network, and what the first took of a processor."""

    folder: Path
    first: dict[str, Any]
    second: dict[str, Any]
    seconds: float


@pytest.fixture(scope="session")
def demo(shared: Path) -> Demo:
    folder = made_once(shared / "demo", run_twice)
    told = json.loads((folder / "told.json").read_text(encoding="utf-8"))
    return Demo(folder, **told)


def run_twice(folder: Path) -> None:
    """Copy the demo and run it without a network, the second time after the first."""
    shutil.copy(ROOT / "oloproof.yaml", folder)
    shutil.copytree(ROOT / "demo", folder / "demo", ignore=shutil.ignore_patterns("out", "__pycache__"))
    (folder / "no-network").mkdir()
    (folder / "no-network" / "sitecustomize.py").write_text(NO_NETWORK, encoding="utf-8")
    first, seconds = run_without_network(folder)
    second, _ = run_without_network(folder)
    told = {"first": first, "second": second, "seconds": seconds}
    (folder / "told.json").write_text(json.dumps(told), encoding="utf-8")


def run_without_network(folder: Path) -> tuple[Any, float]:
    """Return what a run said, and the seconds that it and the processes it started kept a processor busy."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run(
        [str(Path(sys.executable).parent / "oloproof"), "run", "--json"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder / "no-network")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(ended.stdout), busy


def test_every_rule_of_the_demo_holds(demo: Demo) -> None:
    """``make demo`` ends with 0 and shows decisions of more than one kind."""
    assert {decision["state"] for decision in demo.first["decisions"]} == {"PASS"}
    assert {"observed_failures_within_limit", "lower_bound_meets_minimum"} == {
        decision["reason"] for decision in demo.first["decisions"]
    }


def test_the_demo_keeps_a_processor_busy_for_less_than_twenty_seconds(demo: Demo) -> None:
    """So nobody waits longer for a first impression, unless the machine has more to do than this."""
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


def test_the_demo_receives_and_makes_images_audio_and_video(demo: Demo, warm: Warm) -> None:
    """One project shows all three kinds, on both sides of the system."""
    seen = set()
    for case in ("cat", "selfish", "rabbit-wakes"):
        shown = Folder(demo.folder, warm).run("inspect", "--case", case, "--json").document
        seen |= {(item["role"], item["kind"]) for item in shown["trials"][0]["media"]}
    kinds = ("image", "audio", "video")
    assert seen == {(role, kind) for role in ("input", "output") for kind in kinds}


def test_the_demo_tells_a_picture_that_is_not_the_right_one(demo: Demo, tmp_path: Path, warm: Warm) -> None:
    """Its checks are not there for show: a thumbnail of another photo fails, and so does a silent sound."""
    shutil.copytree(demo.folder, tmp_path / "broken", ignore=shutil.ignore_patterns(".oloproof", "out"))
    broken = Folder(tmp_path / "broken", warm)
    media = broken.root / "demo" / "media"
    app = broken.root / "demo" / "app.py"
    text = app.read_text(encoding="utf-8")
    text = text.replace("Image.open(source) as photo", f"Image.open({str(media / 'coffee.jpg')!r}) as photo")
    text = text.replace("round(sample * gain)", "round(sample * gain / 5000)")
    app.write_text(text, encoding="utf-8")
    ended = broken.run("run", "--json", "--quiet")
    assert ended.exit == 1, ended.document
    states = {decision["rule"]: decision["state"] for decision in ended.document["decisions"]}
    assert states["same-picture"] == states["nothing-is-blank"] == "FAIL"


def test_the_demo_is_small_and_says_where_its_files_come_from() -> None:
    """Every file of the demo is credited with its licence; all of them together are below one megabyte."""
    media = [path for path in (ROOT / "demo" / "media").iterdir() if path.suffix != ".md"]
    credits_ = (ROOT / "demo" / "media" / "CREDITS.md").read_text(encoding="utf-8")
    assert sum(path.stat().st_size for path in media) < 1_000_000
    assert [path.name for path in media if f"`{path.name}`" not in credits_] == []
