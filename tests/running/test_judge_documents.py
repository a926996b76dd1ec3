"""What judges took stands with a run: tokens as the server counts them, dollars by the project's prices."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from oloproof.reports.wording import cost_words, judge_words, usd_words
from oloproof.running.judge_documents import judges_document
from tests.conftest import Folder
from tests.model_server import ModelServer
from tests.running.test_validating import Desk, red_passes
from tests.seeing_model import SeeingModel

PRICES = {"input": 2.0, "output": 10.0}
COLORS = ("red", "blue", "red")


@pytest.fixture
def desk(folder: Folder) -> Iterator[Desk]:
    with ModelServer(SeeingModel(red_passes)) as server:
        made = Desk(folder, server)
        rows = [{"id": f"c{n}", "input": {"files": [f"{color}.png"], "answer": "x"}} for n, color in enumerate(COLORS)]
        folder.cases(rows)
        yield made


def test_what_judges_took_is_told_once_and_not_again_where_answers_are_reused(desk: Desk) -> None:
    desk.run(budget={"requests": 50, "prices": PRICES})
    with desk.history() as history:
        (told,) = judges_document(history, history.find())
    assert (told["asked"], told["requests"]) == (3, 3)
    assert told["tokens"] == {"input": 300, "output": 60}
    assert told["usd"] == pytest.approx((300 * 2 + 60 * 10) / 1e6)
    assert judge_words(told).endswith("; 300 tokens in, 60 tokens out, $0.0012")
    assert cost_words([told]) == "$0.0012"
    desk.run(budget={"requests": 50, "prices": PRICES})
    with desk.history() as history:
        (again,) = judges_document(history, history.find())
    assert (again["judgements"], again["asked"], again["tokens"]) == (3, 0, {"input": None, "output": None})
    assert cost_words([again]) == ""


def test_what_judges_took_is_told_though_the_clock_was_set_back_meanwhile(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is asked anew is known, and the time of an answer no proof of it: budgets of a --resume stand on it too."""
    monkeypatch.setattr("oloproof.storage.store.time.time", itertools.count(2_000_000_000, -60).__next__)
    desk.run()
    with desk.history() as history:
        (told,) = judges_document(history, history.find())
    assert (told["asked"], told["requests"], told["tokens"]) == (3, 3, {"input": 300, "output": 60})


def test_without_prices_tokens_are_told(desk: Desk) -> None:
    desk.run()
    with desk.history() as history:
        (told,) = judges_document(history, history.find())
    assert told["usd"] is None
    assert cost_words([told]) == "360 tokens"


def test_small_amounts_keep_two_digits_that_count() -> None:
    assert [usd_words(one) for one in (0.0, 0.000123, 0.05, 1.064, 1234.5)] == [
        "$0.00", "$0.00012", "$0.05", "$1.06", "$1,234.50",
    ]  # fmt: skip
