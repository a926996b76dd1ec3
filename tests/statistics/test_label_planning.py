"""How many labels a judge needs."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from oloproof import statistics as st


def test_all_looks_together_spend_one_tail() -> None:
    spent = math.fsum(st.alpha_of_look(look) for look in range(1, 20_001))

    assert 0.02499 < spent < 0.025
    assert st.alpha_of_look(1, 0.9) == pytest.approx(2 * st.alpha_of_look(1, 0.95))


@pytest.mark.parametrize(("bar", "labels"), [(0.7, 12), (0.8, 19), (0.9, 40)])
def test_so_many_right_answers_show_a_bar_and_one_fewer_does_not(bar: float, labels: int) -> None:
    assert st.smallest_perfect_class(bar) == labels
    assert st.most_class_errors(labels, bar) == 0
    assert st.most_class_errors(labels - 1, bar) is None
    assert st.class_clears_probability(labels - 1, 0.999, bar) == 0.0


@pytest.mark.parametrize(("labels", "errors"), [(30, 3), (50, 7), (100, 19)])
def test_so_many_errors_may_be_made_at_the_first_look(labels: int, errors: int) -> None:
    assert st.most_class_errors(labels) == errors
    assert st.most_class_errors(labels, look=3) < errors  # type: ignore[operator]


@given(labels=some.integers(1, 300), bar=some.sampled_from([0.6, 0.7, 0.8, 0.9]), look=some.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_a_judge_at_the_bar_clears_it_no_more_often_than_the_look_may_err(labels: int, bar: float, look: int) -> None:
    assert st.class_clears_probability(labels, bar, bar, look=look) <= st.alpha_of_look(look)


def test_labelling_until_it_passes_validates_a_judge_at_the_bar_less_often_than_one_tail() -> None:
    reached, weights = 0.0, {0: 1.0}
    for look in range(1, 16):
        grown: dict[int, float] = {}
        for right, weight in weights.items():
            for more in range(11):
                grown[right + more] = grown.get(right + more, 0.0) + weight * stats.binom.pmf(more, 10, 0.7)
        errors = st.most_class_errors(10 * look, 0.7, look=look)
        cleared = {right for right in grown if errors is not None and 10 * look - right <= errors}
        reached += sum(grown[right] for right in cleared)
        weights = {right: weight for right, weight in grown.items() if right not in cleared}

    assert 0.0 < reached < 0.025


@pytest.mark.parametrize(
    ("pass_rate", "labels"), [(0.5, 48), (0.7, 83), (0.8, 126), (0.9, 256), (0.95, 515), (0.98, 1292)]
)
def test_a_rarer_class_needs_more_labels(pass_rate: float, labels: int) -> None:
    assert st.labels_for_class(1 - pass_rate) == labels
    assert stats.binom.sf(19, labels, 1 - pass_rate) >= 0.9 > stats.binom.sf(19, labels - 1, 1 - pass_rate)


def test_a_class_that_never_comes_is_never_reached() -> None:
    assert st.labels_for_class(0.0) is None
    assert st.labels_for_class(0.0, 0) == 0
    assert st.labels_for_class(1.0, 20) == 20
    assert st.labels_for_class(1e-9) is None


@given(
    table=some.builds(
        st.JudgeTable, some.integers(30, 90), some.integers(0, 9), some.integers(0, 9), some.integers(20, 60)
    )
)
@settings(max_examples=25, deadline=None)
def test_the_further_labels_do_settle_it(table: st.JudgeTable) -> None:
    more = st.further_labels(table)
    passes, fails = more.human_pass.at_best, more.human_fail.at_best
    assert passes is not None
    assert fails is not None
    grown = st.JudgeTable(table.tp + passes, table.fn, table.fp, table.tn + fails)

    assert st.judge_rule(grown, look=more.look, minimum=1).state == "VALIDATED"
    if passes:
        short = st.JudgeTable(grown.tp - 1, grown.fn, grown.fp, grown.tn)
        assert st.judge_rule(short, look=more.look, minimum=1).state != "VALIDATED"


def test_what_never_settles_it_is_said() -> None:
    bad, unseen = st.further_labels(st.JudgeTable(40, 20, 4, 36)), st.further_labels(st.JudgeTable(48, 2, 0, 0))

    assert bad.human_pass.rate_stays is None
    assert bad.draw is None
    assert bad.draw_at_best is not None
    assert (unseen.human_fail.at_best, unseen.draw_at_best, unseen.draw) == (20, None, None)


def test_too_few_labels_ask_for_the_rest_at_least() -> None:
    assert st.further_labels(st.JudgeTable(20, 0, 0, 20)).draw == 10
    assert st.further_labels(st.JudgeTable(0, 0, 0, 0)).draw is None


def test_unclear_cases_ask_for_more_labels() -> None:
    table = st.JudgeTable(55, 5, 5, 35)
    clear, unclear = st.further_labels(table), st.further_labels(table, unclear=st.Unclear(judge_pass=2))

    assert unclear.human_fail.rate_stays > clear.human_fail.rate_stays  # type: ignore[operator]
    assert unclear.human_pass == clear.human_pass


def test_a_limit_on_the_bias_asks_for_more_labels_or_for_none_that_would_do() -> None:
    table = st.JudgeTable(57, 3, 4, 36)
    wide, narrow = st.further_labels(table, max_bias=0.2), st.further_labels(table, max_bias=0.05)

    assert wide.draw == st.further_labels(table).draw == 0
    assert narrow.draw is not None
    n = table.n + narrow.draw
    low, high = st.tango_interval(4 * n // 100 + 1, 3 * n // 100 + 1, n, 1 - 2 * st.alpha_of_look(2)) or (-1, 1)
    assert -0.051 <= low <= high <= 0.051
    assert st.further_labels(table, max_bias=0.01).draw is None


@pytest.mark.parametrize(
    ("function", "arguments", "match"),
    [
        (st.alpha_of_look, (0,), "look must be 1 or more"),
        (st.alpha_of_look, (True,), "look must be a whole number"),
        (st.alpha_of_look, (1, 1.0), "level must"),
        (st.smallest_perfect_class, (1.0,), "bar must"),
        (st.most_class_errors, (-1,), "class_labels must"),
        (st.class_clears_probability, (10, 1.0), "true_rate must"),
        (st.labels_for_class, (1.5,), "class_share must"),
        (st.labels_for_class, (math.nan,), "class_share must"),
        (st.labels_for_class, (0.5, -1), "wanted must"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(function: Any, arguments: tuple[Any, ...], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        function(*arguments)
