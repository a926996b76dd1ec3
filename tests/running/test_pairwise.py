"""What the choices of a pairwise judge add up to, and which cases of two runs make a pair."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.records import Judgement, Outcome, Verdict
from oloproof.running.pairwise import JudgedPair, counts_of, position_bias, win_share
from oloproof.statistics import clopper_pearson, tango_interval
from tests.conftest import Folder
from tests.evaluators.judges.pairs import Compared, always, looking
from tests.model_server import ModelServer

CHOICES = ("A", "B", "tie", "invalid", "missing")
MIRRORED = {"win": "loss", "loss": "win"}


def said(word: str) -> Judgement:
    if word in ("invalid", "missing"):
        outcome: Outcome = "invalid" if word == "invalid" else "missing"
        return Judgement((Verdict(outcome, "none"),))
    return Judgement((Verdict.passed("seen", better=word),))


def pair(first: str, second: str, case: str = "c") -> JudgedPair:
    return JudgedPair(case, said(first), said(second))


pairs = st.lists(st.builds(pair, st.sampled_from(CHOICES), st.sampled_from(CHOICES)), max_size=12)


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        ("A", "B", "win"),
        ("B", "A", "loss"),
        ("tie", "tie", "tie"),
        ("A", "A", "inconsistent"),
        ("B", "B", "inconsistent"),
        ("A", "tie", "inconsistent"),
        ("tie", "A", "inconsistent"),
        ("A", "invalid", "invalid"),
        ("missing", "B", "missing"),
        ("invalid", "missing", "missing"),
    ],
)
def test_a_side_wins_only_when_it_is_chosen_in_both_orders(first: str, second: str, outcome: str) -> None:
    assert pair(first, second).outcome == outcome


@given(pairs)
def test_every_pair_is_counted_once(found: list[JudgedPair]) -> None:
    assert sum(counts_of(found).values()) == len(found)


@given(pairs)
def test_the_runs_the_other_way_round_mirror_what_is_won_and_leave_the_bias(found: list[JudgedPair]) -> None:
    turned = [JudgedPair(one.case, one.baseline_first, one.candidate_first) for one in found]

    assert [one.outcome for one in turned] == [MIRRORED.get(one.outcome, one.outcome) for one in found]
    share, other = win_share(found, 0.95), win_share(turned, 0.95)
    if share.estimate is not None:
        assert other.estimate == pytest.approx(1 - share.estimate)
        assert other.interval == pytest.approx([1 - end for end in reversed(share.interval or ())])
        assert other.p_value == share.p_value
    assert position_bias(found, 0.95) == position_bias(turned, 0.95)


def test_the_share_is_exact_over_decided_pairs_and_widened_by_what_is_missing() -> None:
    decided = [pair("A", "B")] * 8 + [pair("B", "A")] * 2
    whole = win_share([*decided, pair("tie", "tie"), pair("A", "A")], 0.95)
    widened = win_share([*decided, pair("A", "missing"), pair("invalid", "B")], 0.95)

    assert (whole.estimate, whole.wins, whole.decided) == (0.8, 8, 10)
    assert whole.interval == clopper_pearson(8, 10)
    assert whole.p_value == pytest.approx(112 / 1024)  # the two-sided sign test: 2·(1 + 10 + 45)/1024
    low, high = clopper_pearson(8, 12), clopper_pearson(10, 12)
    assert low is not None
    assert high is not None
    assert widened.interval == pytest.approx((low[0], high[1]))


def test_position_bias_is_first_in_both_minus_second_in_both() -> None:
    found = [pair("A", "A")] * 4 + [pair("B", "B")] + [pair("A", "B")] * 3 + [pair("B", "A")] * 2
    bias = position_bias([*found, pair("tie", "A"), pair("A", "missing")], 0.95)

    assert (bias.first_in_both, bias.second_in_both, bias.pairs) == (4, 1, 10)
    assert bias.estimate == pytest.approx(0.3)
    assert bias.interval == tango_interval(4, 1, 10)


def test_nothing_judged_is_no_share_and_no_bias() -> None:
    share, bias = win_share([], 0.95), position_bias([], 0.95)

    assert (share.estimate, share.interval, share.p_value, share.decided) == (None, None, None, 0)
    assert (bias.estimate, bias.interval, bias.pairs) == (None, None, 0)


@pytest.fixture
def compared(folder: Folder) -> Iterator[Compared]:
    with ModelServer(looking) as server:
        project = Compared(folder, server)
        project.judge_options["media"] = None
        yield project


def test_only_cases_that_both_runs_executed_on_the_same_input_are_put_to_the_judge(compared: Compared) -> None:
    compared.server.answer = always("tie")
    words = {"caption": "after"}
    compared.run("zeta9", {"c0": {}, "c1": {}, "c2": {"fails": True}, "c3": {}, "gone": {}})
    compared.run("omega7", {"c0": words, "c1": words, "c2": words, "c3": {"fails": True}}, {"c1": {"ask": "another"}})

    document = compared.judge().as_json()
    assert [case["case"] for case in document["cases"]] == ["c0"]
    assert document["skipped"] == {"one_run_only": 1, "execution_failed": 2, "input_differs": 1}
    assert compared.server.count == 2


def test_of_repeats_the_first_is_compared(compared: Compared) -> None:
    compared.server.answer = always("tie")
    compared.project["repeats"] = 3
    compared.both({"c0": {"caption": "after"}}, {"c0": {"caption": "before"}})

    assert compared.judge().as_json()["pairs"] == 1
    assert compared.server.count == 2
