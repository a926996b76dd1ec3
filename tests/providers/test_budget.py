"""Requests and money are reserved before anything is sent, and every attempt counts."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oloproof.errors import CallFailed
from oloproof.providers import AudioPart, Budget, ImagePart, Prices, TextPart, Usage
from oloproof.providers.budget import TOKENS_PER_IMAGE, bound_of
from tests.model_server import ModelServer, chat, cut_midway, failing, in_turn, refuses_formats, refusing
from tests.providers.conftest import Opened, png, question, wav

DOLLAR_A_TOKEN = Prices(1e6, 1e6)


def test_every_attempt_counts_also_those_that_failed(server: ModelServer, opened: Opened) -> None:
    server.answer = in_turn(failing(), failing(), chat("{}"))
    budget = Budget(requests=3)
    client = opened(budget=budget)
    client.ask(question())
    assert budget.requests == 3
    with pytest.raises(CallFailed, match="the budget of 3 requests is used up") as caught:
        client.ask(question())
    assert (caught.value.code, caught.value.attempts, server.count) == ("budget_exhausted", 0, 3)


def test_attempts_in_another_form_count_too(server: ModelServer, opened: Opened) -> None:
    server.answer = refuses_formats("json_schema", then=chat("{}"))
    with pytest.raises(CallFailed) as caught:
        opened(budget=Budget(requests=1)).ask(question())
    assert (caught.value.code, caught.value.attempts, server.count) == ("budget_exhausted", 1, 1)


def test_many_threads_share_a_budget_to_the_last_request(server: ModelServer, opened: Opened) -> None:
    client = opened(budget=Budget(requests=10), concurrency=16)

    def ask(_: int) -> str:
        try:
            client.ask(question())
        except CallFailed as error:
            return error.code
        return "answered"

    with ThreadPoolExecutor(16) as pool:
        ends = list(pool.map(ask, range(30)))
    assert (ends.count("answered"), ends.count("budget_exhausted"), server.count) == (10, 20, 10)


def test_money_is_reserved_before_anything_is_sent(server: ModelServer, opened: Opened) -> None:
    asked = question(TextPart("short"), max_tokens=100)
    bound = bound_of(asked, 200)
    assert bound.output_tokens == 100
    with pytest.raises(CallFailed, match="not asked: it may cost up to") as caught:
        opened(budget=Budget(usd=99, prices=DOLLAR_A_TOKEN)).ask(asked)
    assert (caught.value.code, server.count) == ("budget_exhausted", 0)


def test_what_a_call_cost_by_the_servers_count_replaces_the_reservation(server: ModelServer, opened: Opened) -> None:
    budget = Budget(usd=1_000_000, prices=Prices(1e6, 2e6))
    client = opened(budget=budget)
    client.ask(question())
    client.ask(question())
    assert budget.usd == pytest.approx(2 * (100 + 2 * 20))


def test_a_refused_attempt_costs_no_money_and_a_broken_one_its_bound(server: ModelServer, opened: Opened) -> None:
    budget = Budget(usd=10_000_000, prices=DOLLAR_A_TOKEN)
    server.answer = refusing("no")
    with pytest.raises(CallFailed):
        opened(budget=budget).ask(question())
    assert budget.usd == 0
    server.answer = in_turn(refusing("no"), cut_midway(), chat("{}"))
    opened(budget=budget).ask(question())
    assert budget.usd > TOKENS_PER_IMAGE + 120


def test_an_attempt_waits_while_only_those_in_flight_stand_in_its_way() -> None:
    budget = Budget(usd=10, prices=DOLLAR_A_TOKEN)
    first = budget.reserve(Usage(8, 0))
    second: list[float] = []

    def wait() -> None:
        budget.reserve(Usage(8, 0))
        second.append(time.monotonic())

    waiting = threading.Thread(target=wait)
    waiting.start()
    time.sleep(0.05)
    assert not second
    settled = time.monotonic()
    budget.settle(first, Usage(2, 0))
    waiting.join(5)
    assert second[0] >= settled
    with pytest.raises(CallFailed):
        budget.reserve(Usage(9, 0))


def test_what_rounding_leaves_over_keeps_nobody_waiting() -> None:
    """Four at once leave a trace of a dollar reserved, for which the fifth, covered to the cent, waited for ever."""
    each = Usage(1_000, 0)
    budget = Budget(usd=5 * Prices(0.15, 0).of(each), prices=Prices(0.15, 0))
    for reservation in [budget.reserve(each) for _ in range(4)]:
        budget.settle(reservation, each)
    fifth = threading.Thread(target=budget.reserve, args=(each,), daemon=True)
    fifth.start()
    fifth.join(5.0)
    assert not fifth.is_alive()
    assert budget.requests == 5


def test_settling_twice_changes_nothing() -> None:
    budget = Budget(usd=10, prices=DOLLAR_A_TOKEN)
    reservation = budget.reserve(Usage(1, 1))
    budget.settle(reservation, Usage(1, None))
    budget.settle(reservation, Usage(5, 5))
    assert budget.usd == 2


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=30), st.integers(0, 300))
def test_money_is_never_overspent_while_bounds_hold(calls: list[tuple[int, int]], usd: int) -> None:
    budget = Budget(usd=usd, prices=DOLLAR_A_TOKEN)
    for bound, extra in calls:
        try:
            reservation = budget.reserve(Usage(bound + extra, 0))
        except CallFailed:
            continue
        budget.settle(reservation, Usage(bound, 0))
    assert budget.usd <= usd


def test_the_bound_counts_text_pictures_sound_and_the_answer() -> None:
    bare = bound_of(question(TextPart("")))
    assert (bare.input_tokens or 0) < 100

    def more(*parts: object) -> int:
        return (bound_of(question(*parts)).input_tokens or 0) - (bare.input_tokens or 0)

    assert more(TextPart("é" * 1000)) == 1000
    assert more(TextPart(""), ImagePart(png(), "image/png")) >= TOKENS_PER_IMAGE
    assert more(TextPart(""), AudioPart(wav(10.0), "audio/wav")) >= 10 * 32


def test_budgets_that_cannot_be_meant_are_refused() -> None:
    with pytest.raises(ValueError, match="a budget in usd needs prices"):
        Budget(usd=1)
    with pytest.raises(ValueError, match="0 or more, found -1"):
        Budget(requests=-1)
    with pytest.raises(ValueError, match="0 or more, found nan"):
        Prices(float("nan"), 1)
