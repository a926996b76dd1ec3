"""Whether a judge may decide."""

from __future__ import annotations

import math
import random
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from oloproof import statistics as st
from oloproof.statistics.judge_table import tnr_of, tpr_of

CELLS = [some.integers(0, 120), some.integers(0, 30), some.integers(0, 30), some.integers(0, 80)]
TABLES = some.builds(st.JudgeTable, *CELLS)
UNCLEAR = some.builds(st.Unclear, *[some.integers(0, 3)] * 5)
RANK = {"NOT_VALIDATED": 0, "INSUFFICIENT_LABELS": 1, "VALIDATED": 2}


def _drawn(rng: random.Random, n: int, pass_rate: float, tpr: float, tnr: float) -> st.JudgeTable:
    passes = sum(rng.random() < pass_rate for _ in range(n))
    tp = sum(rng.random() < tpr for _ in range(passes))
    tn = sum(rng.random() < tnr for _ in range(n - passes))
    return st.JudgeTable(tp, passes - tp, n - passes - tn, tn)


@given(passes=some.integers(0, 5000), fails=some.integers(0, 5000), always_pass=some.booleans())
@settings(max_examples=60, deadline=None)
def test_a_judge_that_always_says_the_same_is_never_validated(passes: int, fails: int, always_pass: bool) -> None:
    table = st.JudgeTable(passes, 0, fails, 0) if always_pass else st.JudgeTable(0, passes, 0, fails)
    found = st.judge_rule(table, minimum=1, class_minimum=1, bar=0.51)

    assert found.state != "VALIDATED"
    if (fails if always_pass else passes) >= 4 and table.n >= 50:
        assert st.judge_rule(table).state == "NOT_VALIDATED"


@pytest.mark.parametrize("pass_rate", [0.02, 0.3, 0.5, 0.7, 0.9, 0.98])
def test_a_coin_is_never_validated_whatever_the_base_rate(pass_rate: float) -> None:
    rng = random.Random(round(1000 * pass_rate))
    states = {st.judge_rule(_drawn(rng, n, pass_rate, 0.5, 0.5)).state for n in (60, 100, 200) for _ in range(15)}

    assert "VALIDATED" not in states


@pytest.mark.parametrize(("right", "often"), [(0.92, 0.72), (0.97, 0.96)])
def test_a_good_judge_is_validated_as_often_as_was_measured(right: float, often: float) -> None:
    rng = random.Random(7)
    states = [st.judge_rule(_drawn(rng, 100, 0.7, right, right)).state for _ in range(300)]

    assert states.count("VALIDATED") / 300 == pytest.approx(often, abs=0.08)
    assert "NOT_VALIDATED" not in states


def test_a_hundred_labels_hold_too_few_fails_where_people_pass_nine_in_ten() -> None:
    rng = random.Random(3)
    states = {st.judge_rule(_drawn(rng, 100, 0.9, 1.0, 1.0)).reason for _ in range(30)}

    assert states == {"class_below_minimum"}


@given(table=TABLES, unclear=UNCLEAR, look=some.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_a_mistake_put_right_never_lowers_the_state(table: st.JudgeTable, unclear: st.Unclear, look: int) -> None:
    before = st.judge_rule(table, unclear=unclear, look=look)
    righted = []
    if table.fn:
        righted.append(st.JudgeTable(table.tp + 1, table.fn - 1, table.fp, table.tn))
    if table.fp:
        righted.append(st.JudgeTable(table.tp, table.fn, table.fp - 1, table.tn + 1))
    for better in righted:
        assert RANK[st.judge_rule(better, unclear=unclear, look=look).state] >= RANK[before.state]


@given(table=TABLES, more=some.tuples(some.integers(0, 50), some.integers(0, 50)))
@settings(max_examples=40, deadline=None)
def test_more_right_answers_never_turn_validated_into_anything_else(
    table: st.JudgeTable, more: tuple[int, int]
) -> None:
    grown = st.JudgeTable(table.tp + more[0], table.fn, table.fp, table.tn + more[1])
    before, after = st.judge_rule(table).state, st.judge_rule(grown).state

    assert not (before == "VALIDATED" != after)
    assert not (after == "NOT_VALIDATED" and table.n >= 50 and before != "NOT_VALIDATED")


@given(table=TABLES, look=some.integers(1, 8))
@settings(max_examples=40, deadline=None)
def test_another_look_at_the_same_labels_only_ever_withholds_a_decision(table: st.JudgeTable, look: int) -> None:
    now, later = st.judge_rule(table, look=look).state, st.judge_rule(table, look=look + 1).state

    assert later in {now, "INSUFFICIENT_LABELS"}


@given(table=TABLES, unclear=UNCLEAR, max_bias=some.sampled_from([None, 0.05, 0.2]))
@settings(max_examples=40, deadline=None)
def test_unclear_cases_only_ever_withhold_a_decision(
    table: st.JudgeTable, unclear: st.Unclear, max_bias: float | None
) -> None:
    clear = st.judge_rule(table, max_bias=max_bias).state
    found = st.judge_rule(table, unclear=unclear, max_bias=max_bias)

    assert found.state in {clear, "INSUFFICIENT_LABELS"}
    assert found.unclear == unclear.n


@given(table=some.builds(st.JudgeTable, *[some.integers(0, 12)] * 4), unclear=UNCLEAR)
@settings(max_examples=25, deadline=None)
def test_the_ends_hold_however_the_unclear_cases_turn_out(table: st.JudgeTable, unclear: st.Unclear) -> None:
    tpr, tnr = tpr_of(table, unclear, 0.025).interval, tnr_of(table, unclear, 0.025).interval
    bias = st.judge_rule(table, unclear=unclear).bias_interval
    spent = 1 - 2 * st.alpha_of_look(1)
    for jp, jf, hp, hf in product(
        range(unclear.judge_pass + 1),
        range(unclear.judge_fail + 1),
        range(unclear.human_pass + 1),
        range(unclear.human_fail + 1),
    ):
        for neither in {(unclear.neither, 0, 0, 0), (0, unclear.neither, 0, 0), (0, 0, unclear.neither, 0)}:
            settled = st.JudgeTable(
                table.tp + jp + hp + neither[0],
                table.fn + jf + unclear.human_pass - hp + neither[1],
                table.fp + unclear.judge_pass - jp + hf + neither[2],
                table.tn + unclear.judge_fail - jf + unclear.human_fail - hf + neither[3],
            )
            exact = st.agreement_measures(settled)
            _within(exact.tpr_interval, tpr)
            _within(exact.tnr_interval, tnr)
            _within(st.tango_interval(settled.fp, settled.fn, settled.n, spent), bias)


def _within(inner: st.Interval | None, outer: st.Interval | None) -> None:
    if inner is not None:
        assert outer is not None
        assert outer[0] <= inner[0] + 1e-9
        assert inner[1] <= outer[1] + 1e-9


def test_unclear_cases_hurt_in_the_class_where_they_may_be_errors() -> None:
    table = st.JudgeTable(60, 0, 0, 20)
    of_fails, of_passes = st.Unclear(judge_pass=4), st.Unclear(judge_fail=4)

    assert st.judge_rule(table).state == "VALIDATED"
    assert st.judge_rule(table, unclear=of_passes).state == "VALIDATED"
    assert st.judge_rule(table, unclear=of_fails).reason == "interval_straddles_bar"


def test_the_reasons_come_in_their_order() -> None:
    unsure_people = st.Reliability(0.3, (0.1, 0.5), 25)
    good, few_fails = st.JudgeTable(60, 0, 0, 40), st.JudgeTable(80, 0, 0, 10)

    assert st.judge_rule(good, hash_matches=False).reason == "judge_changed"
    assert st.judge_rule(st.JudgeTable(0, 20, 20, 0)).reason == "labels_below_minimum"
    assert st.judge_rule(st.JudgeTable(0, 80, 10, 0), reliability=unsure_people).reason == "tpr_below_bar"
    assert st.judge_rule(few_fails, reliability=unsure_people).reason == "class_below_minimum"
    assert st.judge_rule(good, reliability=unsure_people).reason == "labels_disagree"
    assert st.judge_rule(good).reason == "all_bars_cleared"


@pytest.mark.parametrize(
    "people",
    [st.Reliability(0.3, (0.1, 0.5), 19), st.Reliability(0.6, (0.4, 0.667), 90), st.Reliability(None, None, 90)],
)
def test_people_who_may_agree_well_enough_stop_nothing(people: st.Reliability) -> None:
    assert st.judge_rule(st.JudgeTable(60, 0, 0, 40), reliability=people).state == "VALIDATED"


def test_a_limit_on_the_bias_refutes_withholds_or_lets_through() -> None:
    lenient = st.JudgeTable(300, 0, 16, 84)

    assert st.judge_rule(lenient).state == "VALIDATED"
    assert st.judge_rule(lenient, max_bias=0.2).state == "VALIDATED"
    assert st.judge_rule(lenient, max_bias=0.04).reason == "interval_straddles_bar"
    assert st.judge_rule(lenient, max_bias=0.01).reason == "bias_beyond_limit"
    assert st.judge_rule(lenient, max_bias=0.01).state == "NOT_VALIDATED"


def test_a_limit_on_the_bias_stands_in_the_sentence_beside_what_is_held_to_it() -> None:
    """Both rates may clear their bar while the bias alone leaves the judge open."""
    lenient = st.JudgeTable(300, 0, 16, 84)
    told = st.judge_rule(lenient, max_bias=0.04).sentence

    assert "bar 0.70; bias +0.040 (+0.024 to +0.067), at most 0.04 either way; 400 labels" in told
    assert told.endswith("; as the judge errs now, no number of labels would bring its bias within the limit")
    assert "bias" not in st.judge_rule(lenient).sentence


def test_further_labels_are_named_only_where_they_can_help() -> None:
    assert st.judge_rule(st.JudgeTable(60, 0, 0, 40)).further is None
    assert st.judge_rule(st.JudgeTable(90, 0, 10, 0)).further is None
    assert st.judge_rule(st.JudgeTable(60, 0, 0, 40), hash_matches=False).further is None
    further = st.judge_rule(st.JudgeTable(45, 5, 8, 42)).further
    assert further is not None
    assert (further.human_fail.at_best, further.human_fail.rate_stays, further.draw) == (8, 39, 90)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (st.JudgeTable(57, 3, 4, 36), "TPR 0.950 (0.850 to 0.991) of 60 human PASS"),
        (st.JudgeTable(45, 5, 8, 42), "about 90 more labels would settle it if the judge stays as good"),
        (st.JudgeTable(48, 2, 0, 0), "at least 20 human FAIL more are needed"),
        (st.JudgeTable(48, 2, 0, 0), "TNR unknown (no human FAIL)"),
        (st.JudgeTable(27, 0, 3, 0), "would not clear the bars; 379 more labels at best"),
        (st.JudgeTable(90, 0, 10, 0), "NOT_VALIDATED: the judge passes too much of what people fail"),
    ],
)
def test_the_decision_says_itself_in_words(table: st.JudgeTable, words: str) -> None:
    assert words in st.judge_rule(table).sentence


def test_unclear_cases_are_said() -> None:
    unclear = st.Unclear(judge_pass=2, neither=1)

    assert "3 unclear cases" in st.judge_rule(st.JudgeTable(57, 3, 4, 36), unclear=unclear).sentence


@pytest.mark.parametrize(
    ("limits", "match"),
    [
        ({"bar": 0.5}, "bar must be above 0.5, which a coin reaches"),
        ({"bar": 1.0}, "bar must lie strictly"),
        ({"bar": math.nan}, "bar must"),
        ({"minimum": 0}, "minimum must be 1 or more"),
        ({"class_minimum": 0}, "class_minimum must be 1 or more"),
        ({"max_bias": 0.0}, "max_bias must be above 0"),
        ({"max_bias": math.inf}, "max_bias must"),
        ({"look": 0}, "look must be 1 or more"),
        ({"level": 1.0}, "level must"),
    ],
)
def test_limits_that_cannot_be_are_refused(limits: dict[str, Any], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        st.judge_rule(st.JudgeTable(57, 3, 4, 36), **limits)
