"""The corners of the table of edge cases, in one place: rates, means, pairs, judges and corrected rates."""

from __future__ import annotations

from typing import Any

import pytest

from oloproof import statistics as st


def test_no_cases_are_never_a_pass() -> None:
    for interval in (
        st.clopper_pearson(0, 0),
        st.bounded_mean_interval([], 0, 5),
        st.mean_t_interval([]).interval,
        st.paired_binary(0, 0, 0, 0).interval,
        st.paired_betting_interval([], [], 0, 5),
        st.clustered_rate_interval([], []).interval,
        st.quantile_interval([], 0.5),
    ):
        assert interval is None
        assert st.decide(interval, minimum=-5.0) == "INSUFFICIENT_EVIDENCE"


def test_all_pass_is_a_rate_with_the_top_as_its_high_end() -> None:
    assert st.clopper_pearson(20, 20) == (pytest.approx(0.025 ** (1 / 20)), 1.0)
    assert (st.bounded_mean_interval([5] * 20, 0, 5) or (0, 0))[1] == 5.0
    assert st.paired_binary(20, 0, 0, 0).p_exact == 1.0


def test_all_fail_is_a_rate_with_the_bottom_as_its_low_end() -> None:
    assert st.clopper_pearson(0, 20) == (0.0, pytest.approx(1 - 0.025 ** (1 / 20)))
    assert (st.bounded_mean_interval([0] * 20, 0, 5) or (1, 1))[0] == 0.0
    assert st.paired_binary(0, 0, 0, 20).interval == st.paired_binary(20, 0, 0, 0).interval


def test_a_tie_stays_in_n_but_drops_out_of_mcnemars_test() -> None:
    few, many = st.paired_binary(0, 6, 1, 0), st.paired_binary(50, 6, 1, 50)

    assert few.p_exact == many.p_exact
    assert few.difference > many.difference  # type: ignore[operator]
    assert st.paired_mean_difference([1, 2, 3], [1, 2, 2]).n == 3


def test_missing_verdicts_bound_a_rate_and_a_mean_on_both_sides() -> None:
    assert st.missing_bounded_interval(27, 30, 2) == (
        st.clopper_pearson(27, 32)[0],  # type: ignore[index]
        st.clopper_pearson(29, 32)[1],  # type: ignore[index]
    )
    assert st.bounded_mean_interval([5] * 30, 0, 5, missing=2) != st.bounded_mean_interval([5] * 30, 0, 5)


def test_a_single_case_decides_next_to_nothing() -> None:
    assert st.clopper_pearson(1, 1) == (pytest.approx(0.025), 1.0)
    assert st.mean_t_interval([3.0]).interval is None
    assert st.bounded_mean_interval([3.0], 0, 5) is not None
    assert st.clustered_rate_interval([1], ["only"]).interval is None
    assert (st.paired_binary(0, 1, 0, 0).p_exact, st.paired_binary(0, 1, 0, 0).p_mid) == (1.0, 0.5)


GOOD = st.JudgeTable(90, 10, 10, 90)
NOBODY = st.JudgeTable(0, 0, 0, 0)


def test_no_cases_decide_nothing_about_a_judge_and_correct_no_rate() -> None:
    decision, corrected = st.judge_rule(NOBODY), st.human_rate(st.Stratum(0, 0, 0), st.Stratum(0, 0, 0))

    assert (decision.state, decision.tpr.interval, decision.bias) == ("INSUFFICIENT_LABELS", None, None)
    assert st.transported_rate(0, 0, GOOD).interval is None
    assert (corrected.estimate, corrected.interval, corrected.judge_rate) == (None, None, None)


def test_where_people_pass_everything_the_judge_stays_open_and_only_labels_of_this_run_correct_a_rate() -> None:
    table = st.JudgeTable(60, 3, 0, 0)
    decision = st.judge_rule(table)

    assert (decision.state, decision.reason) == ("INSUFFICIENT_LABELS", "class_below_minimum")
    assert (decision.tnr.estimate, decision.tnr.interval) == (None, None)
    assert (st.agreement_measures(table).tnr, st.agreement_measures(table).youden) == (None, None)
    assert st.transported_rate(500, 1000, table).reason == "class_missing"
    assert st.human_rate(st.Stratum(95, 60, 60), st.Stratum(5, 3, 3)).interval is not None


def test_where_people_fail_everything_the_judge_stays_open_and_only_labels_of_this_run_correct_a_rate() -> None:
    table = st.JudgeTable(0, 0, 3, 60)
    decision = st.judge_rule(table)

    assert (decision.state, decision.reason) == ("INSUFFICIENT_LABELS", "class_below_minimum")
    assert (decision.tpr.estimate, decision.tpr.interval) == (None, None)
    assert st.transported_rate(500, 1000, table).reason == "class_missing"
    assert st.human_rate(st.Stratum(5, 3, 0), st.Stratum(95, 60, 0)).interval is not None


def test_a_constant_judge_is_refuted_from_four_labels_of_the_other_class_on_and_corrects_nothing() -> None:
    for table in (st.JudgeTable(46, 0, 4, 0), st.JudgeTable(0, 4, 0, 46)):
        kappa = st.cohen_kappa(table)
        assert st.judge_rule(table).state == "NOT_VALIDATED"
        assert (kappa.kappa, kappa.se) == (0.0, None)
    assert st.judge_rule(st.JudgeTable(47, 0, 3, 0)).state == "INSUFFICIENT_LABELS"
    assert st.judge_rule(st.JudgeTable(45, 0, 4, 0)).reason == "labels_below_minimum"
    assert st.transported_rate(100, 100, st.JudgeTable(90, 0, 60, 0)).state == "UNIDENTIFIED"

    found = st.human_rate(st.Stratum(100, 50, 40), st.Stratum(0, 0, 0))
    assert found.estimate == 0.8
    assert found.interval == pytest.approx(st.clopper_pearson(40, 50), abs=0.002)


def test_a_single_class_on_both_sides_has_neither_kappa_nor_alpha() -> None:
    assert st.cohen_kappa(st.JudgeTable(50, 0, 0, 0)).kappa is None
    assert st.krippendorff_alpha([["pass", "pass"]] * 50).alpha is None
    assert st.judge_rule(st.JudgeTable(50, 0, 0, 0)).state == "INSUFFICIENT_LABELS"


def test_missing_labels_and_verdicts_are_at_their_worst_in_each_class() -> None:
    decision = st.judge_rule(GOOD, unclear=st.Unclear(judge_pass=3, human_pass=2))

    assert decision.tpr.interval == pytest.approx(
        (st.clopper_pearson(90, 102, 1 - 2 * decision.alpha)[0], st.clopper_pearson(95, 105, 1 - 2 * decision.alpha)[1])  # type: ignore[index]
    )
    assert decision.tnr.interval == pytest.approx(
        (st.clopper_pearson(90, 103, 1 - 2 * decision.alpha)[0], st.clopper_pearson(90, 100, 1 - 2 * decision.alpha)[1])  # type: ignore[index]
    )
    for more in (0, 20):
        plain = st.transported_rate(500, 1000, GOOD).interval or (9.0, 9.0)
        worse = st.transported_rate(500, 1000, GOOD, missing=20, unclear=st.Unclear(judge_fail=more)).interval
        assert worse is not None
        assert worse[0] < plain[0] < plain[1] < worse[1]
    sure, unsure = st.Stratum(100, 50, 45), st.Stratum(100, 50, 45, unsure=5)
    inner, outer = st.human_rate(sure, sure).interval, st.human_rate(unsure, sure, missing=5).interval
    assert inner is not None
    assert outer is not None
    assert outer[0] < inner[0] < inner[1] < outer[1]


def test_a_single_case_is_below_every_minimum_and_corrects_no_rate() -> None:
    assert st.judge_rule(st.JudgeTable(1, 0, 0, 0)).reason == "labels_below_minimum"
    assert st.transported_rate(1, 1, GOOD).reason == "too_few_cases"
    for frame in (1, 100):
        found = st.human_rate(st.Stratum(frame, 1, 1), st.Stratum(0, 0, 0))
        assert (found.estimate, found.interval, found.labels_only) == (None, None, None)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -1, 0.5, True, None, "1"])
def test_what_is_no_count_is_refused_by_judges_and_corrected_rates_alike(bad: Any) -> None:
    with pytest.raises(ValueError, match="must"):
        st.judge_rule(st.JudgeTable(bad, 1, 1, 1))
    with pytest.raises(ValueError, match="must"):
        st.judge_rule(GOOD, unclear=st.Unclear(judge_pass=bad))
    with pytest.raises(ValueError, match="must"):
        st.human_rate(st.Stratum(100, 50, bad), st.Stratum(9, 3, 1))
    with pytest.raises(ValueError, match="must"):
        st.transported_rate(bad, 100, GOOD)
