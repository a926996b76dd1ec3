"""What rules can decide at a number of cases, before and after a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from oloproof.config import PolicyOptions
from oloproof.policy import Measure
from oloproof.running import Selection, run
from oloproof.running.deciding import policy_of
from oloproof.running.planning import Prospect, prospects, what_rules_can_decide
from oloproof.storage import History, Store

MEASURES = {
    "right": Measure("right"),
    "score": Measure("score", kind="score", score_range=(0, 5)),
    "judged": Measure("judged", calls_model=True),
}


def prospect(rule: dict[str, Any], n: int = 30, sliced: dict[str, int] | None = None) -> str:
    policy = PolicyOptions.model_validate({"rules": [{"id": "r", **rule}]})
    return what_rules_can_decide(policy, MEASURES, n, sliced or {})[0].can_decide


@pytest.mark.parametrize(
    ("rule", "n", "words"),
    [
        ({"metric": "right", "min": 0.8}, 30, "PASS from 29, FAIL up to 18"),
        ({"metric": "right", "min": 0.9}, 20, "PASS takes at least 36 cases"),
        ({"metric": "right", "max_failures": 2}, 20, "PASS up to 2 failures"),
        ({"metric": "right.error_rate", "max": 0.2}, 30, "PASS up to 1"),
        ({"metric": "right", "kind": "superiority"}, 30, "compares two runs"),
        ({"metric": "right", "kind": "equivalence", "margin": 0.4}, 30, "a difference of 0.4 where 40% of the cases"),
        ({"metric": "score", "kind": "non_inferiority", "margin": 1.5}, 30, "how the values of 30 cases differ"),
        ({"metric": "right", "min": 0.8, "decide_on": "estimate"}, 1, "by the estimate alone"),
        ({"metric": "score", "min": 4.0}, 30, "spread of the values"),
        ({"metric": "judged", "min": 0.8}, 30, "nothing before people's labels"),
    ],
)
def test_each_kind_of_rule_says_what_decides_it(rule: dict[str, Any], n: int, words: str) -> None:
    assert words in prospect(rule, n)


def test_rates_over_repeats_are_not_told_as_if_each_case_were_one_execution() -> None:
    """Such a rate is decided by another interval, which one bad case of many may keep open."""
    policy = PolicyOptions.model_validate(
        {
            "rules": [
                {"id": "a", "metric": "error_rate", "max": 0.1},
                {"id": "b", "metric": "right.invalid_rate", "max": 0.1},
            ]
        }
    )
    told = what_rules_can_decide(policy, MEASURES, 66, {}, repeats=3)
    assert [one.can_decide for one in told] == ["depends on the spread of the values, which a run shows"] * 2


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"min": 0.8}, "decides on what people would pass, which depends on their labels"),
        ({"min": 0.8, "estimand": "judge_rate"}, "PASS from 29, FAIL up to 18"),
        ({"max_failures": 2}, "PASS up to 2 failures"),
    ],
)
def test_a_judge_that_was_validated_decides(rule: dict[str, Any], words: str) -> None:
    policy = PolicyOptions.model_validate({"rules": [{"id": "r", "metric": "judged", **rule}]})
    assert what_rules_can_decide(policy, MEASURES, 30, {}, validated=["judged"])[0].can_decide.startswith(words)


SLICED = {"metric": "right", "min": 0.8, "slice": {"lang": "de"}}


@pytest.mark.parametrize(
    ("cases", "words"),
    [
        (30, '30 cases of 90 in its slice (lang="de"): PASS from 29, FAIL up to 18'),
        (5, '5 cases of 90 in its slice (lang="de"): PASS takes at least 17 cases'),
        (0, 'no case of 90 in its slice (lang="de"): nothing'),
    ],
)
def test_a_rule_on_a_slice_is_told_by_the_cases_of_the_slice(cases: int, words: str) -> None:
    assert prospect(SLICED, 90, {"r": cases}).startswith(words)


def prospects_of(folder: Any, **how: Any) -> list[Prospect]:
    run(folder.root, **how)
    store = Store(folder.root)
    try:
        history = History(store)
        found = history.find()
        return prospects(history, found, policy_of(found))
    finally:
        store.close()


def test_after_a_run_it_is_said_how_many_more_cases_would_pass(echo: Callable[..., Any]) -> None:
    app = "def answer(case):\n    return {'answer': case['n'] * 2 if case['n'] > 1 else -1}\n"
    folder = echo(30, app=app, more="policy: {rules: [{id: floor, metric: right, min: 0.8}]}\n")
    found = prospects_of(folder)[0]
    assert (found.state, found.n, found.more_at_best, found.more_if_rate_stays) == ("INSUFFICIENT_EVIDENCE", 30, 4, 18)
    assert found.probability is not None
    assert "4 more if every one of them is good, 18 more if the rate stays" in found.message


def test_a_rate_below_the_bar_never_passes_if_it_stays(echo: Callable[..., Any]) -> None:
    app = "def answer(case):\n    return {'answer': case['n'] * 2 if case['n'] % 2 else -1}\n"
    folder = echo(20, app=app, more="policy: {rules: [{id: floor, metric: right, min: 0.8}]}\n")
    found = prospects_of(folder)[0]
    assert found.state == "FAIL"
    assert "never if the rate stays" in found.message


def test_what_is_no_count_of_passes_is_not_planned_as_one(echo: Callable[..., Any]) -> None:
    app = """\
        def answer(case):
            if case["n"] == 2:
                raise ValueError("no answer")
            return {"answer": case["n"] * 2}
        """
    rules = "{id: floor, metric: right, min: 0.8}, {id: same, metric: right, kind: equivalence, margin: 0.3}"
    found, compared = prospects_of(echo(10, app=app, more=f"repeats: 2\npolicy: {{rules: [{rules}]}}\n"))
    assert compared.can_decide.endswith("depends on how the values of 10 cases differ, which a comparison shows")
    assert found.can_decide == "depends on the spread of the values, which a run shows"
    assert found.message == (
        "further cases narrow the interval; how many it takes cannot be told for this kind of rule; "
        "1 of 10 is missing or invalid: mend that first (oloproof inspect --failures says why)"
    )


def test_gates_under_their_own_names_are_planned_as_what_they_stand_for(echo: Callable[..., Any]) -> None:
    """They name a criterion, whose own rate is another metric: its passes would be planned against no bar."""
    rules = "[{id: flaky, metric: right, max_flaky: 0}, {id: floor, metric: right, min: 0.1}]"
    flaky, floor = prospects_of(echo(10, more=f"repeats: 2\npolicy: {{rules: {rules}}}\n"))
    assert (flaky.metric, flaky.state, flaky.message) == ("right.flaky_count", "PASS", "decided")
    assert floor.metric == "right"


def test_what_no_number_of_cases_settles_is_not_planned_in_cases(echo: Callable[..., Any]) -> None:
    rules = "{id: seen, metric: right, min: 0.5, requires_manual_review: true}, {id: any, metric: right, min: 0.1}"
    folder = echo(20, more=f"policy: {{rules: [{rules}]}}\n")
    seen, decided = prospects_of(folder)
    assert seen.message == "a person must look, as the rule asks; no number of cases settles that"
    assert decided.message == "decided: PASS"
    partial = prospects_of(folder, selection=Selection(limit=10))
    assert {one.message for one in partial} == {"only some of the cases were run; run all of them first"}
