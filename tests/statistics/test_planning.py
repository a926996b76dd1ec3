"""Planning: what the cases there are could decide, and how many more would settle a rule."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from oloproof import statistics as st


def _lower(good: int, n: int) -> float:
    return float(stats.beta.ppf(0.025, good, n - good + 1)) if good else 0.0


def _by_trying_all(passes: int, n: int, bar: float, most: int) -> int | None:
    clear = 0
    for m in range(1, most):
        clear = clear + 1 if _lower(passes + passes * m // n, n + m) >= bar else 0
        if clear == 30:
            return m - 29
    return None


@pytest.mark.parametrize(
    ("passes", "n", "bar"),
    [(28, 30, 0.8), (19, 25, 0.5), (9, 10, 0.7), (31, 40, 0.6), (5, 8, 0.3), (57, 60, 0.9), (3, 4, 0.55), (6, 9, 0.55)],
)
def test_the_number_of_further_cases_is_the_one_found_by_trying_all(passes: int, n: int, bar: float) -> None:
    found = st.more_cases(passes, n, minimum=bar)

    if found.rate_stays == 0:
        assert _lower(passes, n) >= bar
    else:
        assert found.rate_stays == _by_trying_all(passes, n, bar, 1500)


@given(n=some.integers(1, 200), bar=some.integers(1, 15).map(lambda k: k / 16), data=some.data())
@settings(max_examples=40, deadline=None)
def test_at_best_is_the_least_number_that_passes(n: int, bar: float, data: some.DataObject) -> None:
    passes = data.draw(some.integers(0, n))
    found = st.more_cases(passes, n, minimum=bar).at_best

    assert found is not None
    assert _lower(passes + found, n + found) >= bar
    if found > 0:
        assert _lower(passes + found - 1, n + found - 1) < bar


@given(n=some.integers(1, 100), bar=some.integers(1, 15).map(lambda k: k / 16), data=some.data())
@settings(max_examples=40, deadline=None)
def test_a_maximum_needs_as_many_more_cases_as_its_mirror(n: int, bar: float, data: some.DataObject) -> None:
    passes = data.draw(some.integers(0, n))

    assert st.more_cases(n - passes, n, maximum=1 - bar) == st.more_cases(passes, n, minimum=bar)


def test_a_rate_that_does_not_beat_the_bar_never_settles_by_staying() -> None:
    assert st.more_cases(27, 30, minimum=0.9).rate_stays is None
    assert st.more_cases(20, 30, minimum=0.9).rate_stays is None
    assert st.more_cases(3, 30, maximum=0.1).rate_stays is None
    assert st.more_cases(20, 30, minimum=0.9).at_best is not None


def test_a_rule_that_passes_already_needs_no_more_cases() -> None:
    assert st.more_cases(29, 30, minimum=0.8) == st.MoreCases(0, 0)


def test_a_bar_of_one_is_never_reached() -> None:
    assert st.more_cases(30, 30, minimum=1.0) == st.MoreCases(None, None)
    assert st.cases_if_all_pass(1.0) == st.AllPass(None, None)
    assert st.smallest_deciding_n(minimum=1.0) is None
    assert st.smallest_deciding_n(maximum=0.0) is None
    assert st.rate_plan_sentence(30, minimum=1.0) == ("no count ever passes, FAIL up to 29, nothing else decides")


def test_without_any_case_only_the_best_can_be_told() -> None:
    assert st.more_cases(0, 0, minimum=0.9) == st.MoreCases(36, None)


def test_missing_cases_count_against_the_rule() -> None:
    assert st.more_cases(28, 30, minimum=0.8, missing=2) == st.more_cases(28, 30, minimum=0.8)
    assert st.more_cases(0, 30, maximum=0.2, missing=2) == st.more_cases(28, 30, minimum=0.8)
    assert st.more_cases(0, 28, maximum=0.2) == st.more_cases(28, 28, minimum=0.8)
    with pytest.raises(ValueError, match="passes cannot be more than the cases with a verdict: 29 of 28"):
        st.more_cases(29, 30, minimum=0.8, missing=2)


@pytest.mark.parametrize(
    ("passes", "n", "bar", "expected"), [(905, 1000, 0.9, 13254), (501, 1000, 0.5, 961500), (9005, 10000, 0.9, None)]
)
def test_an_answer_in_the_thousands_is_found_quickly(passes: int, n: int, bar: float, expected: int | None) -> None:
    started = time.perf_counter()
    found = st.more_cases(passes, n, minimum=bar)

    assert found.rate_stays == expected
    assert time.perf_counter() - started < 1.0


@pytest.mark.parametrize("missing", [0, 1, 3])
@pytest.mark.parametrize("bar", [0.5, 0.8, 0.95])
def test_below_the_smallest_deciding_n_not_even_a_perfect_run_passes(bar: float, missing: int) -> None:
    least = st.smallest_deciding_n(minimum=bar, missing=missing)

    assert least is not None
    assert st.gate_counts(least, minimum=bar, missing=missing).pass_at is not None
    assert st.gate_counts(least - 1, minimum=bar, missing=missing).pass_at is None
    assert st.smallest_deciding_n(maximum=1 - bar, missing=missing) == least


def test_a_plan_tells_the_deciding_counts_in_words() -> None:
    assert st.rate_plan_sentence(30, minimum=0.8) == "PASS from 29, FAIL up to 18, nothing else decides"
    assert st.rate_plan_sentence(20, minimum=0.9) == (
        "PASS takes at least 36 cases, FAIL up to 14, nothing else decides"
    )
    assert st.rate_plan_sentence(10, maximum=0.05) == (
        "PASS takes at least 72 cases, FAIL from 3, nothing else decides"
    )


@given(n=some.integers(0, 60), more=some.integers(0, 120), data=some.data())
@settings(max_examples=40, deadline=None)
def test_the_predicted_probability_is_scipys_beta_binomial(n: int, more: int, data: some.DataObject) -> None:
    passes, total = data.draw(some.integers(0, n)), n + more
    needed = st.gate_counts(total, minimum=0.7).pass_at
    found = st.predictive_probability_of_pass(passes, n, total, minimum=0.7)

    if needed is None:
        assert found == 0.0
    else:
        expected = stats.betabinom.sf(needed - passes - 1, more, passes + 0.5, n - passes + 0.5)
        assert found == pytest.approx(expected, abs=1e-9)
    assert st.predictive_probability_of_pass(n - passes, n, total, maximum=0.3) == pytest.approx(found, abs=1e-9)


def test_a_finished_run_is_predicted_to_do_what_it_did() -> None:
    assert st.predictive_probability_of_pass(29, 30, 30, minimum=0.8) == 1.0
    assert st.predictive_probability_of_pass(28, 30, 30, minimum=0.8) == 0.0
    assert st.predictive_probability_of_pass(0, 0, 0, minimum=0.8) == 0.0


def test_a_total_below_the_cases_there_are_is_refused() -> None:
    with pytest.raises(ValueError, match="planned_total cannot be less"):
        st.predictive_probability_of_pass(28, 30, 29, minimum=0.8)


def _sample_size_by_trying_all(bar: float, rate: float, power: float) -> int:
    enough, n = 0, 0
    while enough < 30:
        n += 1
        enough = enough + 1 if st.false_pass_probability(n, rate, minimum=bar) >= power else 0
    return n - 29


@pytest.mark.parametrize(
    ("bar", "rate", "power"), [(0.3, 0.6, 0.8), (0.5, 0.6, 0.9), (0.8, 0.95, 0.5), (0.05, 0.2, 0.8), (0.02, 0.9, 0.3)]
)
def test_the_sample_size_of_a_gate_is_the_one_found_by_trying_all(bar: float, rate: float, power: float) -> None:
    found = st.sample_size_gate(rate, minimum=bar, power=power)

    assert found is not None
    assert found.n == _sample_size_by_trying_all(bar, rate, power)
    mirrored = st.sample_size_gate(1 - rate, maximum=1 - bar, power=power)
    assert mirrored is not None
    assert mirrored.n == found.n


def test_a_system_that_does_not_beat_the_bar_has_no_sample_size() -> None:
    assert st.sample_size_gate(0.9, minimum=0.9) is None
    assert st.sample_size_gate(0.1, maximum=0.1) is None
    assert st.sample_size_gate(0.900001, minimum=0.9) is None
