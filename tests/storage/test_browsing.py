"""Looking through the cases of a run: filters, orders, pages by key, neighbours, at any number of cases."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oloproof.records import OUTCOMES, Outcome, Verdict
from oloproof.storage import StoredRun
from oloproof.storage.browsing import Browsing
from oloproof.storage.case_index import SORTS, CaseIndex, Filter, GalleryPage
from tests.storage.conftest import Base, entry, item

RANK = {"fail": 0, "invalid": 1, "missing": 2, "pass": 3}


def verdict(outcome: Outcome, score: float | None = None, reason: str = "because") -> Verdict:
    return Verdict(outcome, reason, score)


def stored(base: Base, *entries: Any) -> tuple[Browsing, StoredRun, CaseIndex]:
    base.complete(*entries)
    browsing = Browsing(base.store)
    run = browsing.find()
    return browsing, run, browsing.index(run)


@pytest.fixture
def shop(base: Base) -> CaseIndex:
    """Six cases; mug has two repeats, of which the second fails."""
    told = [
        entry(0, case="mug", verdicts=(verdict("pass", 0.9), verdict("pass")), slice_={"lang": "de", "n": 1}),
        entry(
            1, case="mug", verdicts=(verdict("fail", 0.2, "no handle"), verdict("pass")), repeat=1,
            slice_={"lang": "de", "n": 1},
        ),
        entry(
            2, case="cup", verdicts=(verdict("pass", 0.5), verdict("fail")), slice_={"lang": "fr", "n": 1}, seconds=9.0
        ),
        entry(3, case="jug", verdicts=(verdict("pass", 0.4), verdict("pass")), slice_={"lang": "de", "n": 2}),
        entry(4, case="50%", verdicts=(verdict("invalid"), verdict("pass")), output="says Ünder_score"),
        entry(5, case="pot", verdicts=(verdict("missing"), verdict("missing")), error="ValueError: no such picture"),
        entry(6, case="pan", verdicts=(verdict("pass", 0.1), verdict("pass")), media=(item(),)),
    ]  # fmt: skip
    return stored(base, *told)[2]


def ids(page: GalleryPage) -> list[str]:
    return [tile.case_id for tile in page.tiles]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (Filter(), ["mug", "cup", "50%", "pot", "jug", "pan"]),
        (Filter(sort="run"), ["mug", "cup", "jug", "50%", "pot", "pan"]),
        (Filter(outcome="fail"), ["mug", "cup"]),
        (Filter(criterion=0, outcome="fail"), ["mug"]),
        (Filter(criterion=1, outcome="pass", sort="run"), ["mug", "jug", "50%", "pan"]),
        (Filter(outcome="missing"), ["pot"]),
        (Filter(sort="score"), ["pan", "mug", "jug", "cup", "50%", "pot"]),
        (Filter(sort="time"), ["cup", "mug", "jug", "50%", "pot", "pan"]),
        (Filter(slice=(("lang", "de"),), sort="run"), ["mug", "jug"]),
        (Filter(slice=(("lang", "de"), ("n", "2"))), ["jug"]),
        (Filter(slice=(("lang", "nl"),)), []),
        (Filter(text="HANDLE"), ["mug"]),
        (Filter(text="%"), ["50%"]),
        (Filter(text="r_s"), ["50%"]),
        (Filter(text="no such picture"), ["pot"]),
        (Filter(text="\\"), []),
        (Filter(text="\ud800"), []),
    ],
)
def test_a_filter_finds_its_cases_in_its_order(shop: CaseIndex, wanted: Filter, found: list[str]) -> None:
    assert ids(shop.page(wanted, 10)) == found


def test_a_case_is_told_by_the_worst_of_its_trials(shop: CaseIndex) -> None:
    first = shop.page(Filter(), 1).tiles[0]
    assert (first.repeat, first.outcome, first.score, first.reason, first.told) == (1, "fail", 0.2, "no handle", 0)
    by_other = shop.page(Filter(criterion=1, sort="run"), 1).tiles[0]
    assert (by_other.repeat, by_other.outcome, by_other.told) == (0, "pass", 1)


def test_outcomes_are_counted_so_that_they_add_up_whatever_outcome_is_shown(shop: CaseIndex) -> None:
    counts = {"fail": 2, "invalid": 1, "missing": 1, "pass": 2}
    assert shop.tally(Filter()) == counts
    assert shop.tally(Filter(outcome="fail")) == counts
    assert shop.tally(Filter(slice=(("lang", "de"),))) == {"fail": 1, "invalid": 0, "missing": 0, "pass": 1}


def test_pages_follow_each_other_by_the_key_of_the_last_case_and_lead_back(shop: CaseIndex) -> None:
    first = shop.page(Filter(sort="run"), 2)
    second = shop.page(Filter(sort="run"), 2, first.next or "")
    third = shop.page(Filter(sort="run"), 2, second.next or "")
    assert [ids(first), ids(second), ids(third)] == [["mug", "cup"], ["jug", "50%"], ["pot", "pan"]]
    assert (first.previous, second.previous, third.previous, third.next) == (None, "", "cup", None)
    assert (third.start, third.total) == (4, 6)


def test_the_neighbours_of_a_case_are_those_of_its_filter(shop: CaseIndex) -> None:
    beside = shop.neighbours(Filter(outcome="fail"), "cup")
    assert (beside.number, beside.total, beside.previous, beside.next) == (2, 2, "mug", None)
    outside = shop.neighbours(Filter(outcome="fail"), "jug")
    assert (outside.number, outside.previous, outside.next) == (None, None, "mug")


def test_slice_values_come_with_the_most_frequent_first_and_ids_that_look_alike_are_near(shop: CaseIndex) -> None:
    assert shop.slices() == {"lang": ["de", "fr"], "n": ["1", "2"]}
    assert shop.near("mugg")[0] == "mug"
    assert shop.near("zzzz") == ["mug", "cup", "jug", "50%", "pot"]


def test_media_of_a_tile_carry_the_ids_by_which_they_are_served(shop: CaseIndex) -> None:
    tile = shop.page(Filter(text="pan"), 1).tiles[0]
    assert [one.id for one in tile.media] == ["7.0"]


def test_a_run_under_way_is_looked_at_anew_and_a_finished_one_once(base: Base) -> None:
    opened = base.begin()
    browsing = Browsing(base.store)
    base.store.append(opened, [entry(0)])
    assert len(browsing.index(browsing.find()).cases) == 1
    base.store.append(opened, [entry(1)])
    assert len(browsing.index(browsing.find()).cases) == 2
    assert browsing.done([opened.number, 99]) == {opened.number: 2, 99: 0}
    base.store.finish(opened, "complete")
    assert browsing.index(browsing.find()) is browsing.index(browsing.find())


def test_runs_are_paged_by_number_and_found_by_text(base: Base) -> None:
    for name in ("run-a", "run-b", "run_c"):
        base.complete(entry(0), name=name)
    browsing = Browsing(base.store)
    first = browsing.runs_page(2)
    assert ([run.id for run in first.runs], first.total) == (["run_c", "run-b"], 3)
    rest = browsing.runs_page(2, before=first.next)
    assert ([run.id for run in rest.runs], rest.next) == (["run-a"], None)
    assert [run.id for run in browsing.runs_page(5, text="n_").runs] == ["run_c"]


def test_only_the_runs_that_are_named_are_paged(base: Base) -> None:
    numbers = [base.complete(entry(0), name=f"run-{place}").number for place in range(4)]
    browsing = Browsing(base.store)
    many = [*numbers[:3], *range(1_000, 60_000)]  # more than SQLite takes parameters
    first = browsing.runs_page(2, among=iter(many))
    assert ([run.id for run in first.runs], first.total) == (["run-2", "run-1"], 3)
    assert [run.id for run in browsing.runs_page(2, before=first.next, among=many).runs] == ["run-0"]
    assert [run.id for run in browsing.runs_page(5, text="run-1", among=numbers[1:]).runs] == ["run-1"]
    assert browsing.runs_page(5, among=()).total == 0


def test_every_run_has_a_line_with_its_newest_decision(base: Base) -> None:
    decided, undecided = base.complete(entry(0), name="run-a"), base.complete(entry(0), name="run-b")
    for code in (1, 0):
        base.store.add_decision(decided.number, "p", "v", code, {"exit": code})
    under_way = base.begin("run-c")
    lines = {line.number: (line.state, line.decision) for line in Browsing(base.store).lines()}
    assert lines == {
        decided.number: ("complete", 2),
        undecided.number: ("complete", None),
        under_way.number: ("running", None),
    }


def test_the_newest_decision_of_each_run_is_told(base: Base) -> None:
    run = base.complete(entry(0))
    base.store.add_decision(run.number, "p", "v", 1, {"exit": 1})
    base.store.add_decision(run.number, "p", "v", 0, {"exit": 0})
    assert Browsing(base.store).last_decisions([run.number, 7]) == {run.number: {"exit": 0}}


outcomes = st.sampled_from(OUTCOMES)


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    told=st.lists(st.tuples(outcomes, outcomes), min_size=1, max_size=12),
    criterion=st.sampled_from([None, 0, 1]),
    sort=st.sampled_from(SORTS),
    size=st.integers(1, 5),
)
def test_every_matching_case_stands_on_exactly_one_page(
    tmp_path_factory: pytest.TempPathFactory, told: list[Any], criterion: int | None, sort: Any, size: int
) -> None:
    base = Base(tmp_path_factory.mktemp("project"))
    index = stored(base, *(entry(n, verdicts=(verdict(a), verdict(b))) for n, (a, b) in enumerate(told)))[2]
    for outcome in (None, *OUTCOMES):
        wanted = Filter(criterion, outcome, sort=sort)
        seen, after = [], ""
        while True:
            page = index.page(wanted, size, after)
            seen += ids(page)
            if page.next is None:
                break
            after = page.next
        worst = [pair[criterion] if criterion is not None else min(pair, key=RANK.__getitem__) for pair in told]
        assert sorted(seen) == sorted(f"c{n}" for n, one in enumerate(worst) if outcome in (None, one))
        assert len(seen) == len(set(seen)) == page.total
    base.store.close()


def timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


@pytest.mark.slow
def test_a_page_costs_the_same_in_twenty_thousand_cases_as_in_two_hundred(base: Base) -> None:
    def made(count: int) -> CaseIndex:
        told = ("pass", "pass", "fail", "pass")
        entries = [entry(n, verdicts=(verdict(told[n % 4]), verdict("pass", n / count))) for n in range(count)]  # type: ignore[arg-type]
        return stored(base, *entries)[2]

    few, many = made(200), made(20_000)
    for wanted in (Filter(), Filter(outcome="fail"), Filter(criterion=1, sort="score"), Filter(text="c1")):
        for index in (few, many):
            index.page(wanted, 60)
        cost_of_few = min(timed(lambda wanted=wanted: few.page(wanted, 60)) for _ in range(5))  # type: ignore[misc]
        cost_of_many = min(timed(lambda wanted=wanted: many.page(wanted, 60, "c199")) for _ in range(5))  # type: ignore[misc]
        assert cost_of_many < 10 * cost_of_few + 0.01


def test_a_page_of_tiles_is_read_by_keys_and_never_scans_a_table(base: Base) -> None:
    index = stored(base, *(entry(n) for n in range(10)))[2]
    asked: list[str] = []
    with base.store.reading() as connection:
        connection.set_trace_callback(asked.append)
        index.page(Filter(), 5)
        connection.set_trace_callback(None)
        plans = [row[3] for text in asked for row in connection.execute("EXPLAIN QUERY PLAN " + text)]
    assert plans
    assert not [plan for plan in plans if plan.startswith("SCAN")]
