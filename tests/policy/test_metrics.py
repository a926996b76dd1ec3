"""Verdicts summed up: every denominator is kept, and what is missing only ever widens the interval."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as some

from oloproof.policy import CaseValue, Measure, rate_of, summarize
from oloproof.records import Metric
from oloproof.statistics import BETTING, CLOPPER_PEARSON, bounded_mean_interval, clopper_pearson
from tests.policy.conftest import measure, metric_of, reduced, scores, seen, trials

SCORE = measure(kind="score", score_range=(0.0, 5.0))
LETTERS = some.text("ppfmi", max_size=30)
SCORES = some.lists(some.floats(0, 5, allow_subnormal=False), max_size=12)


def counted(metric: Metric) -> tuple[int, ...]:
    return metric.n, metric.observed, metric.passed, metric.failed, metric.invalid, metric.missing


def test_no_cases_have_neither_estimate_nor_interval() -> None:
    for of in (measure(), SCORE, measure(repeats=3), measure(repeats=3, pass_when=2)):
        metric = metric_of([], of)
        assert (metric.estimate, metric.interval, counted(metric)) == (None, None, (0,) * 6)


def test_nothing_but_missing_has_no_estimate_and_the_whole_range() -> None:
    for letters, missing in (("mmm", 3), ("mei", 2)):
        metric = metric_of(trials(letters))
        assert (metric.estimate, metric.interval) == (None, (0.0, 1.0))
        assert counted(metric) == (3, 0, 0, 0, 3 - missing, missing)
    assert metric_of(scores("m", "i"), SCORE).interval == (0.0, 5.0)
    assert metric_of(scores("m", "i"), SCORE).estimate is None


def test_all_pass_and_all_fail_reach_their_end_and_no_further() -> None:
    passed, failed = metric_of(trials("p" * 10)).interval, metric_of(trials("f" * 10)).interval
    assert passed == (pytest.approx(0.025**0.1), 1.0)
    assert failed == (0.0, pytest.approx(1 - 0.025**0.1))
    assert metric_of(trials("p")).interval == (pytest.approx(0.025), 1.0)
    best = metric_of(scores(*[5.0] * 20), SCORE)
    assert (best.interval, best.method) == ((pytest.approx(3.905, abs=5e-4), 5.0), BETTING)


def test_missing_and_invalid_bound_the_interval_of_a_rate_on_both_sides() -> None:
    metric = metric_of(trials("p" * 27 + "f" + "mi"))
    assert metric.interval == (pytest.approx(0.7347, abs=5e-5), pytest.approx(0.9992, abs=5e-5))
    assert counted(metric) == (30, 28, 27, 1, 1, 1)
    assert (metric.estimate, metric.method, metric.estimand) == (27 / 28, CLOPPER_PEARSON, "pass_rate")


def test_missing_scores_stand_at_both_ends_of_their_range() -> None:
    metric = metric_of(scores(4.0, 3.0, "m", "i"), SCORE)
    low = bounded_mean_interval([4.0, 3.0, 0.0, 0.0], 0, 5)
    high = bounded_mean_interval([4.0, 3.0, 5.0, 5.0], 0, 5)
    assert low is not None
    assert high is not None
    assert metric.interval == (pytest.approx(low[0]), pytest.approx(high[1]))
    assert metric.estimate == 3.5
    assert counted(metric) == (4, 2, 2, 0, 1, 1)


def test_one_score_and_equal_scores_are_no_trouble() -> None:
    for values in ([3.0], [3.0] * 5):
        metric = metric_of(scores(*values), SCORE)
        assert metric.estimate == 3.0
        assert metric.interval is not None
        assert 0 <= metric.interval[0] < 3 < metric.interval[1] <= 5


@pytest.mark.parametrize("score", [5.1, -0.1, float("inf")])
def test_a_score_out_of_its_range_is_an_error_and_never_cut(score: float) -> None:
    with pytest.raises(ValueError, match="must"):
        metric_of(scores(3.0, score), SCORE)


def test_a_score_that_is_not_there_is_missing_whatever_the_outcome() -> None:
    assert counted(metric_of([seen("a", "p"), seen("b", "f", score=1.0)], SCORE)) == (2, 1, 0, 1, 0, 1)


@given(LETTERS, some.randoms())
def test_the_order_of_the_cases_never_matters(letters: str, chance: random.Random) -> None:
    shuffled = trials(letters)
    chance.shuffle(shuffled)
    assert metric_of(shuffled) == metric_of(trials(letters))


@settings(max_examples=25, deadline=None)
@given(
    some.lists(some.floats(0, 5, allow_subnormal=False) | some.sampled_from(["m", "i"]), max_size=12), some.randoms()
)
def test_the_order_of_scores_never_matters(values: list[Any], chance: random.Random) -> None:
    shuffled = list(values)
    chance.shuffle(shuffled)
    assert metric_of(scores(*shuffled), SCORE) == metric_of(scores(*values), SCORE)


@given(LETTERS.filter(bool), some.data())
def test_losing_an_answer_only_widens_the_interval(letters: str, data: Any) -> None:
    place = data.draw(some.integers(0, len(letters) - 1))
    less = letters[:place] + data.draw(some.sampled_from("mi")) + letters[place + 1 :]
    before, after = metric_of(trials(letters)).interval, metric_of(trials(less)).interval
    assert before is not None
    assert after is not None
    assert after[0] <= before[0] <= before[1] <= after[1]


@settings(max_examples=25, deadline=None)
@given(SCORES.filter(bool), some.data())
def test_losing_a_score_only_widens_the_interval(values: list[Any], data: Any) -> None:
    place = data.draw(some.integers(0, len(values) - 1))
    before = metric_of(scores(*values), SCORE).interval
    after = metric_of(scores(*values[:place], "m", *values[place + 1 :]), SCORE).interval
    assert before is not None
    assert after is not None
    assert after[0] <= before[0] + 1e-9
    assert before[1] <= after[1] + 1e-9


@given(some.lists(some.text("pfmi", max_size=4), min_size=1, max_size=6), some.integers(1, 4))
def test_k_of_n_lies_between_all_that_is_missing_failing_and_passing(words: list[str], needed: int) -> None:
    of = measure(repeats=4, pass_when=needed)
    observations = [seen(f"c{n}", one, repeat=r) for n, word in enumerate(words) for r, one in enumerate(word)]
    for value, word in zip(reduced(observations, of), (word for word in words if word), strict=True):
        gap = 4 - word.count("p") - word.count("f")
        assert value.low == (word.count("p") >= needed)
        assert value.high == (word.count("p") + gap >= needed)
        assert value.whole == (value.low == value.high)
        assert value.observed in (None, value.low)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("ppf", (2 / 3, 2 / 3, 2 / 3, None)), ("ppm", (2 / 3, 1.0, None, "missing")),
        ("fii", (0.0, 2 / 3, None, "invalid")),
        ("fim", (0.0, 2 / 3, None, "missing")), ("p", (1 / 3, 1.0, None, "missing")),
        ("i", (0.0, 1.0, None, "missing")),
    ],
)  # fmt: skip
def test_repeats_reduce_to_their_mean_and_those_not_there_are_missing(word: str, expected: tuple[Any, ...]) -> None:
    observations = [seen("c", letter, repeat=n) for n, letter in enumerate(word)]
    (value,) = reduced(observations, measure(repeats=3))
    assert (value.low, value.high, value.observed, value.unknown) == expected


def test_mean_pass_rates_take_the_betting_interval_and_count_cases_that_always_passed() -> None:
    metric = metric_of(trials("ppp ppf fff ppm"), measure(repeats=3))
    assert (metric.method, metric.estimand) == (BETTING, "mean_pass_rate_over_repeats")
    assert counted(metric) == (4, 3, 1, 2, 0, 1)
    assert metric.estimate == pytest.approx((1 + 2 / 3 + 0) / 3)


def test_with_repeats_missing_the_estimate_is_the_mean_over_the_whole_cases_it_is_said_to_be_of() -> None:
    of = measure(repeats=3)
    metric = metric_of(trials("ppm pfm ffm mmm ppp ipp iff pmm fmm iii"), of)
    assert counted(metric) == (10, 1, 1, 0, 3, 6)
    assert (metric.estimate, metric.partly_failed) == (1.0, 4)
    assert metric_of(trials("ppm pfm mmm"), of).estimate is None


WORDS = some.lists(some.text("pfmi", min_size=3, max_size=3), min_size=1, max_size=5)


@settings(max_examples=40, deadline=None)
@given(WORDS, some.randoms(), some.sampled_from([None, 1, 2, 3]))
def test_the_order_of_cases_and_of_their_repeats_never_matters(
    words: list[str], chance: random.Random, needed: int | None
) -> None:
    of = measure(repeats=3, pass_when=needed)
    shuffled = ["".join(chance.sample(word, 3)) for word in chance.sample(words, len(words))]
    assert metric_of(trials(" ".join([*shuffled, ""])), of) == metric_of(trials(" ".join([*words, ""])), of)


@settings(max_examples=40, deadline=None)
@example(["ppp", "ffi"], 0, "m")
@given(WORDS, some.integers(0, 14), some.sampled_from("mi"))
def test_losing_a_repeat_only_widens_the_interval_and_leaves_only_whole_cases_in_the_estimate(
    words: list[str], place: int, lacking: str
) -> None:
    of = measure(repeats=3)
    letters = "".join(words)
    place %= len(letters)
    less = letters[:place] + lacking + letters[place + 1 :]
    lost = [less[n : n + 3] for n in range(0, len(less), 3)]
    before, after = metric_of(trials(" ".join([*words, ""])), of), metric_of(trials(" ".join([*lost, ""])), of)
    assert before.interval is not None
    assert after.interval is not None
    low, high = before.interval  # an end that reached out to the estimate of whole cases may come back without one
    assert after.interval[0] <= low + 1e-9 or low == before.estimate
    assert high <= after.interval[1] + 1e-9 or high == before.estimate
    whole = [word.count("p") / 3 for word in lost if not set(word) & set("mi")]
    assert after.observed == len(whole)
    assert after.estimate == (pytest.approx(sum(whole) / len(whole)) if whole else None)
    assert after.failed + after.partly_failed == sum("f" in word for word in lost)


def test_k_of_n_is_a_rate_of_cases() -> None:
    metric = metric_of(trials("ppf pff ppm fmm pmm"), measure(repeats=3, pass_when=2))
    assert (metric.method, metric.estimand) == (CLOPPER_PEARSON, "rate_of_cases_passing_2_of_3")
    assert counted(metric) == (5, 3, 2, 1, 0, 2)
    assert metric.estimate == pytest.approx(2 / 3)
    low, high = clopper_pearson(2, 5), clopper_pearson(4, 5)
    assert low is not None
    assert high is not None
    assert metric.interval == (low[0], high[1])


def test_a_mean_of_equal_scores_never_leaves_its_range_by_rounding() -> None:
    of = measure(kind="score", score_range=(0.0, 0.1), repeats=3)
    observations = [seen("c", "p", repeat=n, score=0.1) for n in range(3)]
    assert reduced(observations, of)[0].high == 0.1
    assert metric_of(observations, of).estimate == 0.1


def test_only_the_wanted_variant_and_slice_are_taken() -> None:
    observations = [
        seen("a", "p", slice={"lang": "de", "pages": 1}), seen("b", "f", slice={"lang": "de", "pages": True}),
        seen("c", "p", slice={"lang": "en"}), seen("d", "p"), seen("e", "p", slice={"lang": "de", "pages": 1.0}),
        seen("f", "p", slice={"tags": ["x", {"n": 1}], "lang": None}),
        seen("a", "f", variant="dark", slice={"lang": "de", "pages": 1}),
    ]  # fmt: skip

    def cases(**slice_: Any) -> str:
        return "".join(value.case_id for value in reduced(observations, slice_=slice_))

    assert cases(lang="de") == "abe"
    assert cases(pages=1) == "ae"
    assert cases(pages=True) == "b"
    assert cases(pages="1") == ""
    assert cases(lang=None) == "f"
    assert cases(tags=["x", {"n": 1}]) == "f"
    assert cases(tags=["x", {"n": True}]) == cases(tags=["x"]) == cases(tags="x") == ""
    assert cases(gone=None) == cases(lang="de", gone=1) == ""
    assert cases() == "abcdef"
    assert [value.low for value in reduced(observations, variant="dark")] == [0.0]


def test_a_metric_names_the_variant_and_slice_it_is_about() -> None:
    metric = summarize([], measure(), 0.9, name="other", variant="dark", slice_={"lang": "de"})
    assert (metric.criterion, metric.variant, metric.slice, metric.level) == ("other", "dark", {"lang": "de"}, 0.9)


@pytest.mark.parametrize(("rate", "hits"), [("error_rate", 1), ("invalid_rate", 2), ("missing_rate", 3)])
def test_rates_of_errors_invalid_and_missing_answers_count_cases(rate: str, hits: int) -> None:
    metric = metric_of(rate_of(trials("ppppiimme"), rate))
    named = summarize(reduced(rate_of(trials("ppppiimme"), rate)), measure(), 0.95, name=f"checked.{rate}")
    assert metric.interval == named.interval == clopper_pearson(hits, 9)
    assert counted(named) == (9, 9, hits, 9 - hits, 0, 0)


def test_with_repeats_a_case_counts_in_such_a_rate_when_one_repeat_is_such() -> None:
    observations = list(rate_of(trials("ppe ppp eee"), "error_rate"))
    of = measure(repeats=3)
    metric = summarize(reduced(observations, of), of, 0.95, name="checked.error_rate")
    assert metric.estimate == pytest.approx((1 / 3 + 0 + 1) / 3)
    assert counted(metric) == (3, 3, 2, 1, 0, 0)


def test_an_interval_reaches_out_to_the_estimate_of_the_cases_that_are_whole() -> None:
    half_failed = [CaseValue(f"c{number}", 0.0, 0.5, None, "missing") for number in range(60)]

    found = summarize([CaseValue("whole", 1.0, 1.0, 1.0), *half_failed], Measure("right", repeats=2), 0.95)

    assert found.estimate == 1.0
    assert found.interval is not None
    assert found.interval[0] < 0.1
    assert found.interval[1] == 1.0
