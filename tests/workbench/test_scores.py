"""Scores that are averaged stand for themselves: nothing that is shown of them says pass, in no page and no text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.conftest import Folder
from tests.workbench.conftest import png

APP = """\
from oloproof import evaluator

SHIFT = 0


def answer(case):
    return {"text": case["said"]}


@evaluator(version="1", score_range=(0.0, 2.0))
def errors(case, output):
    return (len(output["text"]) + SHIFT) % 3 / 2


@evaluator(version="1")
def spoken(case, output):
    return True
"""
PROJECT = """\
version: 1
project: dictation
dataset: cases.jsonl
system: {name: ear, version: VERSION, callable: "app:answer"}
repeats: {count: 2}
evaluators:
  - {type: custom, criterion: errors, callable: "app:errors"}
"""
BESIDE = '  - {type: custom, criterion: spoken, callable: "app:spoken"}\n'
PASSES = re.compile(r"\bpass(es|ed)?\b")


@pytest.fixture
def dictation(folder: Folder) -> Callable[..., Folder]:
    """Return a function that runs two versions of a system that is told by scores, and by more beside."""

    def ran(more: str = "") -> Folder:
        folder.cases([{"id": name, "input": {"said": name}} for name in ("a", "bb", "ccc")])
        for version in ("v1", "v2"):
            folder.write("app.py", APP.replace("SHIFT = 0", f"SHIFT = {version[1]}"))
            folder.write("oloproof.yaml", PROJECT.replace("VERSION", version) + more)
            assert folder.run("run", "--quiet").exit == 0
        return folder

    return ran


def shown(html: str) -> str:
    """Return the words of the main part of a page."""
    main = html[html.index("<main") : html.index("</main>")]
    return " ".join(re.sub(r"<[^>]+>", " ", main).split())


def pages(folder: Folder, opened: Callable[[Path], TestClient], query: Mapping[str, Any]) -> dict[str, str]:
    """Return the words of the pages of the newer run, of one case, and of both runs compared."""
    new, old = [one["run"] for one in folder.run("runs", "--json").document["runs"]]
    client = opened(folder.root)
    addresses = {
        "gallery": (f"/runs/{new}", {}),
        "table": (f"/runs/{new}", {"view": "table"}),
        "case": (f"/runs/{new}/cases/bb", {}),
        "compare": ("/compare", {"candidate": new, "baseline": old}),
    }
    return {
        name: shown(client.get(address, params={**more, **query}).text) for name, (address, more) in addresses.items()
    }


def test_no_page_calls_a_score_a_pass(dictation: Callable[..., Folder], opened: Callable[[Path], TestClient]) -> None:
    told = pages(dictation(), opened, {})
    for name, words in told.items():
        assert "scored" in words, name
    assert not PASSES.search(told["case"])
    assert "2 of 2 scored" in told["case"]
    assert "1 scored" in told["case"]
    assert "scored 3" in told["gallery"]


def test_beside_a_verdict_that_passes_only_the_scores_are_called_so(
    dictation: Callable[..., Folder], opened: Callable[[Path], TestClient]
) -> None:
    folder = dictation(BESIDE)
    told = pages(folder, opened, {})
    assert "bb pass" in told["case"]
    assert "1 pass, 1 scored" in told["case"]
    assert "scored 3" not in told["gallery"]
    narrowed = pages(folder, opened, {"criterion": "errors"})
    assert "scored 3" in narrowed["gallery"]


def test_a_report_and_the_texts_call_a_score_so(dictation: Callable[..., Folder]) -> None:
    folder = dictation(BESIDE)
    folder.run("report", "--html", "r.html")
    cases = (folder.root / "r.html").read_text()
    cases = shown(cases[cases.index("<main") :])
    assert "errors scored" in cases
    assert "spoken pass" in cases
    inspected = folder.run("inspect", "--case", "bb").out
    assert "  scored  errors  score 0.5  errors scored 0.5" in inspected
    assert "  pass  spoken" in inspected
    assert "scored errors: errors scored" in folder.run("check").out
    verdicts = folder.run("inspect", "--case", "bb", "--json").document["trials"][0]["verdicts"]
    assert [one["outcome"] for one in verdicts] == ["pass", "pass"]  # as others read it


def falling(folder: Folder, opened: Callable[[Path], TestClient], rules: str = "") -> str:
    """Return the comparison of a run whose 60 scores are all lower with the one before."""
    folder.cases([{"id": f"c{number}", "input": {"said": "a" * (1 + number % 2)}} for number in range(60)])
    for version in ("v1", "v0"):  # with 1 more letters, and without
        folder.write("app.py", APP.replace("+ SHIFT) % 3 / 2", f"+ {version[1]}) / 2.5"))
        project = PROJECT.replace("VERSION", version).replace("repeats: {count: 2}\n", "")
        folder.write("oloproof.yaml", f"{project}{rules}")
        folder.run("run", "--quiet")
    new, old = [one["run"] for one in folder.run("runs", "--json").document["runs"]]
    return str(opened(folder.root).get("/compare", params={"candidate": new, "baseline": old}).text)


def test_scores_that_fall_are_lower_and_no_worse_where_nobody_said_which_are_good(
    folder: Folder, opened: Callable[[Path], TestClient]
) -> None:
    page = falling(folder, opened)
    assert "Lower v0 lowers 60 of 60 cases in errors" in shown(page)
    assert "lower , 0 higher, 60 lower" in shown(page)
    assert "orse" not in shown(page)
    main = page[page.index("<main") :]
    assert 'class="lowered"' in main
    assert not re.search(r'class="[^"]*\b(pass|fail|gained|lost)\b', main)


@pytest.mark.parametrize(("rule", "word", "kind"), [("max: 1.5", "Better", "gained"), ("min: 0.1", "Worse", "lost")])
def test_a_rule_says_which_scores_are_the_better_ones(
    folder: Folder, opened: Callable[[Path], TestClient], rule: str, word: str, kind: str
) -> None:
    rules = f"policy: {{rules: [{{id: bar, metric: errors, {rule}}}]}}\n"
    page = falling(folder, opened, rules)
    assert f"{word} v0 lowers 60 of 60 cases in errors" in shown(page)
    assert f'<li class="{kind}">' in page


FAMILIES = """\
version: 1
project: sizes
dataset: {path: cases.jsonl, media: [photo]}
system: {name: s, version: v1, callable: "app:answer"}
variants:
  - delivery: {field: photo, apply: [original, jpeg-40]}
evaluators:
  - {type: custom, criterion: errors, callable: "app:errors"}
policy:
  rules:
    - {id: small, metric: errors.delta, variant: jpeg-40, max: 0.1}
"""
SIZED = """\
import os

from oloproof import evaluator


def answer(case):
    return {"suffix": os.path.splitext(case["photo"])[1]}


@evaluator(version="1", score_range=(0.0, 2.0))
def errors(case, output):
    return 1.5 if output["suffix"] == ".png" else 0.5
"""


def test_the_changes_of_scores_in_families_lie_about_zero_and_are_higher_or_lower(
    folder: Folder, opened: Callable[[Path], TestClient]
) -> None:
    """A change of scores from 0 to 2 runs from -2 to 2: on the axis of the scores every fall would stand at its end."""
    for number in range(8):
        folder.write(f"{number}.png", png((24, 24 + number)))
    folder.cases([{"id": f"c{number}", "input": {"photo": f"{number}.png"}} for number in range(8)])
    folder.write("app.py", SIZED)
    folder.write("oloproof.yaml", FAMILIES)
    said = " ".join(folder.run("run").out.split())
    assert "errors by variant change interval higher lower of" in said
    assert "(0 higher, 8 lower of 8)" in said
    run = folder.run("runs", "--json").document["runs"][0]["run"]
    page = opened(folder.root).get(f"/runs/{run}").text
    rules = page[page.index('id="rules"') if 'id="rules"' in page else page.index("What must hold") :]
    assert 'cx="25%"' in rules[: rules.index("</section>")]  # -1 of -2 to 2
    assert "−2 2 " in shown(page)
    assert "0 higher, 8 lower of 8 cases" in shown(page)
