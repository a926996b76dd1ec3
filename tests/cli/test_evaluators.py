"""``oloproof evaluators`` as people use it, against a model on loopback."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import Ended, Folder, write_echo
from tests.model_server import ModelServer
from tests.running.test_validating import Desk, always, red_passes, truthful
from tests.seeing_model import SeeingModel


@pytest.fixture
def desk(folder: Any) -> Any:
    with ModelServer(SeeingModel(red_passes)) as server:
        project = Desk(folder, server)
        project.run()
        yield project


def evaluators(desk: Desk, *arguments: str) -> Ended:
    return desk.folder.run("evaluators", *arguments)


def test_listing_writes_nothing_where_nothing_was_run(folder: Folder) -> None:
    """A checkout that may only be read can be asked what its criteria are."""
    made = write_echo(folder)
    assert [one["criterion"] for one in made.run("evaluators", "list", "--json").document["evaluators"]] == ["right"]
    assert not (made.root / ".oloproof").exists()


def test_a_judge_is_listed_validated_and_listed_again(desk: Desk) -> None:
    assert "never looked at" in evaluators(desk, "list").out
    missing = evaluators(desk, "validate")
    assert (missing.exit, missing.out) == (2, "")
    assert "oloproof labels export --criterion right --purpose validate draws cases" in missing.err

    desk.label(truthful)
    found = evaluators(desk, "validate")
    assert found.exit == 0
    assert "right  VALIDATED  all_bars_cleared" in found.out
    assert "people PASS          50           0" in found.out
    assert "for reading only: agreement 1.00" in found.out
    (again,) = evaluators(desk, "validate", "--json").document["validations"]
    assert (again["look"], again["again"]) == (1, True)
    assert "VALIDATED" in evaluators(desk, "list").out


def test_check_knows_whether_the_judge_of_a_rule_was_validated(desk: Desk) -> None:
    def told() -> str:
        return str(desk.folder.run("check", "--json").document["rules"][0]["can_decide"])

    before = told()
    desk.label(truthful)
    evaluators(desk, "validate")
    assert before == "nothing before people's labels validate the judge"
    assert told().startswith("decides on what people would pass")
    desk.write(rubric_text="Pass blue ones.")
    assert told() == before


def test_a_judge_that_passes_everything_ends_with_1(desk: Desk) -> None:
    desk.server.answer = SeeingModel(always)
    desk.run(model="lenient")
    desk.label(truthful)
    found = evaluators(desk, "validate")

    assert found.exit == 1
    assert "NOT_VALIDATED" in found.out
    assert "oloproof evaluators try shows where it and people differ" in " ".join(found.out.split())


def test_a_higher_bar_is_another_look(desk: Desk) -> None:
    desk.label(truthful)
    evaluators(desk, "validate")
    (strict,) = evaluators(desk, "validate", "--bar", "0.9", "--json").document["validations"]

    assert (strict["state"], strict["look"]) == ("INSUFFICIENT_LABELS", 2)
    assert evaluators(desk, "validate", "--bar", "0.5").exit == 2


def test_a_draft_is_tried_and_its_disagreements_are_shown(desk: Desk) -> None:
    desk.label(lambda _: "pass", purpose="develop", size=30)
    tried = evaluators(desk, "try")

    assert tried.exit == 0
    assert "tried on 30 develop labels" in tried.out
    assert "people pass, judge fail: seen" in tried.out


def test_a_probe_says_what_moved(desk: Desk) -> None:
    probed = evaluators(desk, "probe", "--cases", "8")

    assert probed.exit == 0
    assert f"may send to {desk.server.url.split('/')[2]}: text and media" in probed.err
    assert "sees pictures: proven" in probed.out
    assert "pictures blanked: the verdict moved in" in probed.out
    (document,) = evaluators(desk, "probe", "--cases", "0", "--json").document["probes"]
    assert (document["movements"], document["sight"][0]["state"]) == ([], "proven")


@pytest.mark.parametrize("command", ["validate", "try", "probe"])
def test_without_a_judge_there_is_nothing_to_do(command: str, echo: Callable[..., Any]) -> None:
    told = echo(2).run("evaluators", command)

    assert told.exit == 2
    assert "no evaluator" in told.err
