"""A project with more cases than a page of the gallery holds."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from oloproof.running import run

CASES = 130
"""Every third fails; every second speaks German, the others French. They have no media, so pages cost little."""

SYSTEM = """\
from oloproof import system

@system(name="counter", version="v1")
def count(case):
    return f"a strip of {case['width']} pixels"
"""

PROJECT = """\
version: 1
project: strips
dataset: cases.jsonl
system: {callable: "crowd_for_browser:count"}
evaluators:
  - {type: contains, criterion: fits, text: " 32 "}
"""


@dataclass(frozen=True)
class Crowd:
    """A project that was run once; ``run`` is the address of the run."""

    root: Path
    run: str


def open_crowd(root: Path) -> Crowd:
    """Make the project and its run in ``root``."""
    (root / "crowd_for_browser.py").write_text(SYSTEM)
    (root / "oloproof.yaml").write_text(PROJECT)
    with open(root / "cases.jsonl", "w") as rows:
        for number in range(CASES):
            given = {"width": 64 if number % 3 == 0 else 32}
            row = {"id": f"strip-{number:03}", "input": given, "slice": {"lang": "de" if number % 2 == 0 else "fr"}}
            rows.write(json.dumps(row) + "\n")
    return Crowd(root, f"/runs/{run(root).run.id}")
