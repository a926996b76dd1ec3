"""Two stored runs: what of them a rule that compares is about."""

from __future__ import annotations

from contextlib import closing
from typing import Any

from oloproof.config import PolicyOptions
from oloproof.records import Decision
from oloproof.running import compare_runs, run
from oloproof.storage import History, Store
from tests.conftest import Folder

PROJECT = """\
    version: 1
    project: captions
    dataset: {path: cases.jsonl, media: [photo]}
    system: {name: s, callable: "app:answer", version: v1}
    variants: [%s]
    evaluators:
      - {type: contains, criterion: right, text: good}
    """

APP = """\
    from oloproof import current_case

    def answer(case):
        return "good" if current_case().variant == "original" or %s else "bad"
    """


def both_runs(folder: Folder, *, baseline_varied: bool = True) -> None:
    """Two runs of 40 cases; the newer one fails without its photo, and only then."""
    folder.write("photo.txt", "a photo")
    folder.cases([{"id": f"c{number}", "input": {"photo": "photo.txt", "n": number}} for number in range(40)])
    for holds, varied in ((True, baseline_varied), (False, True)):
        folder.write("app.py", APP % holds)
        folder.write("oloproof.yaml", PROJECT % ("{text_only: photo}" if varied else ""))
        run(folder.root)


def decided(folder: Folder, **rule: Any) -> Decision:
    told = {"id": "r", "metric": "right", "kind": "non_inferiority", "margin": 0.2, **rule}
    policy = PolicyOptions.model_validate({"rules": [told]})
    with closing(Store(folder.root)) as store:
        history = History(store)
        found, decisions = compare_runs(history, history.find(), history.find("latest~1"), policy)
    assert [(one.criterion, one.difference, one.matched) for one in found] == [("right", 0.0, 40)]
    return decisions[0]


def test_a_rule_that_compares_two_runs_reads_the_variant_that_it_names(folder: Folder) -> None:
    """Else a version that broke on the variant alone would pass the very rule that was to guard it."""
    both_runs(folder)
    named, plain = decided(folder, variant="text_only"), decided(folder)
    assert (named.state, named.reason, named.estimate) == ("FAIL", "difference_outside_margin", -1.0)
    assert named.message.startswith("right on text_only: 0.0 % after 100.0 %")
    assert (plain.state, plain.estimate) == ("PASS", 0.0)
    assert plain.message.startswith("right: 100.0 % after 100.0 %")
    assert decided(folder, variant="original") == plain


def test_a_variant_that_only_one_of_the_runs_has_decides_nothing(folder: Folder) -> None:
    both_runs(folder, baseline_varied=False)
    found = decided(folder, variant="text_only")
    assert (found.state, found.reason) == ("INSUFFICIENT_EVIDENCE", "no_observations")
