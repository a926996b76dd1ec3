"""``oloproof compare --judge``: asked only when told to, hosts first, one document under ``--json``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from click.testing import CliRunner, Result

from oloproof.cli.group import root
from tests.conftest import Folder
from tests.evaluators.judges.pairs import Compared, always
from tests.model_server import ModelServer


@pytest.fixture
def compared(folder: Folder) -> Iterator[Compared]:
    """Two runs over one case that differ in their words."""
    with ModelServer(always("A")) as server:
        project = Compared(folder, server)
        project.judge_options["media"] = None
        project.both({"c0": {"caption": "after"}}, {"c0": {"caption": "before"}})
        yield project


def compare(project: Compared, *arguments: str) -> Result:
    return CliRunner().invoke(root, ["compare", "--config", str(project.folder.root), *arguments])


def with_check(project: Compared) -> None:
    check = {"type": "contains", "criterion": "says", "field": "caption", "text": "after"}
    project.project["evaluators"] = [check]
    project.both({"c0": {"caption": "after"}}, {"c0": {"caption": "before"}})


def test_without_judge_nobody_is_asked_and_the_document_has_no_key_for_it(compared: Compared) -> None:
    with_check(compared)

    document = json.loads(compare(compared, "--json").stdout)
    assert "pairwise" not in document
    assert compared.server.count == 0


def test_the_hosts_are_printed_and_what_is_said_stands_under_its_own_key(compared: Compared) -> None:
    with_check(compared)

    ended = compare(compared, "--json", "--judge")
    assert ended.exit_code == 0
    assert "nicer sends text to 127.0.0.1" in ended.stderr
    assert "two questions a case, at most 1 case" in ended.stderr
    document = json.loads(ended.stdout)
    assert [one["criterion"] for one in document["comparisons"]] == ["says"]
    found = document["pairwise"][0]
    assert (found["criterion"], found["held_to_labels"], found["inconsistent"]) == ("nicer", False, 1)
    assert found["hosts"][0]["sent"] == "text"
    orders: list[dict[str, Any]] = found["cases"][0]["orders"]
    assert [(one["first"], one["better"]) for one in orders] == [
        ("candidate", "candidate"),
        ("baseline", "baseline"),
    ]


def test_runs_that_share_no_criterion_can_still_be_judged_and_read(compared: Compared) -> None:
    ended = compare(compared, "--judge=nicer")

    assert ended.exit_code == 0
    assert ended.stdout.startswith("candidate ")
    assert "0 wins, 0 losses, 0 ties, 1 inconsistent of 1 pair" in ended.stdout
    assert "not held to labels" in ended.stdout
    assert "share no criterion, so nothing can be compared; with --judge" in compare(compared).stderr


@pytest.mark.parametrize("named", ["other", "latest"])
def test_a_name_that_is_no_judges_is_refused_before_anything_is_sent(compared: Compared, named: str) -> None:
    ended = compare(compared, "--judge", named)

    assert ended.exit_code == 2
    assert f"no pairwise_judge is called '{named}'; there are: nicer (runs are named before --judge)" in ended.stderr
    assert compared.server.count == 0


def test_a_project_without_one_says_what_to_add(compared: Compared) -> None:
    compared.judge_options = {"type": "exact_match", "criterion": "same"}
    compared.configure()

    ended = compare(compared, "--judge")
    assert ended.exit_code == 2
    assert "declares no pairwise_judge; add one under evaluators:" in ended.stderr
