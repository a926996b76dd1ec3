"""Attempts and waits, what stops a run, the limit on requests in flight, and servers that are not there."""

from __future__ import annotations

import re
import socket
import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oloproof
from oloproof.errors import CallFailed, ProviderRefused, ProviderUnreachable
from oloproof.providers import Endpoint, open_chat
from oloproof.providers.calls import GIVE_UP_AFTER
from oloproof.providers.proxies import proxy_variable
from oloproof.providers.waiting import backoff, jittered, named_wait
from tests.model_server import (
    Answer,
    ModelServer,
    Request,
    answering,
    chat,
    cut_midway,
    failing,
    in_turn,
    insufficient_quota,
    rate_limited,
    redirecting,
    refusing,
)
from tests.providers.conftest import Opened, question

GOOD = chat("{}")
PAST = "Wed, 21 Oct 2015 07:28:00 GMT"


def failure(ask: Callable[[], Any]) -> CallFailed:
    with pytest.raises(CallFailed) as caught:
        ask()
    return caught.value


@pytest.mark.parametrize(
    "trouble",
    [
        rate_limited(),
        rate_limited(seconds="0.01"),
        rate_limited(date=PAST),
        rate_limited(milliseconds="10"),
        rate_limited(seconds="soon"),
        *(failing(status) for status in (408, 500, 502, 503, 504, 524, 529)),
        cut_midway(),
        Answer(cut=0, body=b"x"),
        answering({"error": {"message": "upstream went away", "code": 502}}),
    ],
)
def test_passing_trouble_is_tried_again(server: ModelServer, opened: Opened, trouble: Answer) -> None:
    server.answer = in_turn(trouble, trouble, GOOD)
    reply = opened().ask(question())
    assert (reply.text, reply.attempts, server.count) == ("{}", 3, 3)


def test_a_late_answer_is_tried_again(server: ModelServer, opened: Opened) -> None:
    server.answer = in_turn(chat("late", delay=0.3), GOOD)
    reply = opened(timeout=0.1).ask(question())
    assert (reply.text, reply.attempts) == ("{}", 2)


@pytest.mark.parametrize("wait", [rate_limited(milliseconds="150"), rate_limited(seconds="0.15")])
def test_a_wait_that_the_server_names_is_kept(server: ModelServer, opened: Opened, wait: Answer) -> None:
    server.answer = in_turn(wait, GOOD)
    started = time.monotonic()
    opened(retry_cap=1.0).ask(question())
    assert 0.15 <= time.monotonic() - started < 2


def test_a_date_is_read_by_the_clock_of_the_server() -> None:
    now = datetime(2020, 1, 1, tzinfo=UTC)
    headers = {"retry-after": format_datetime(now + timedelta(seconds=90), usegmt=True)}
    assert named_wait({**headers, "date": format_datetime(now, usegmt=True)}) == 90
    assert named_wait(headers) == 0  # that day is past


@given(st.text(max_size=40))
def test_no_wait_that_a_server_names_is_negative_or_endless(text: str) -> None:
    for name in ("retry-after", "retry-after-ms"):
        wait = named_wait({name: text})
        assert wait is None or 0 <= wait < float("inf")


@given(st.integers(1, 10_000), st.floats(0.001, 1_000))
def test_waits_grow_and_stay_within_the_cap(failures: int, cap: float) -> None:
    assert 0 < backoff(failures, cap) <= cap
    assert cap <= jittered(cap) <= cap * 1.1


@pytest.mark.parametrize("wait", [rate_limited(seconds="90"), rate_limited(milliseconds="90000")])
def test_a_wait_beyond_the_cap_ends_the_call_and_is_told(server: ModelServer, opened: Opened, wait: Answer) -> None:
    server.answer = wait
    error = failure(lambda: opened(retry_cap=60.0).ask(question()))
    assert (error.code, error.attempts, server.count) == ("rate_limited", 1, 1)
    assert "slow down; it asks to wait 90 s, longer than the 60 s allowed" in str(error)


def test_an_endless_fault_ends_after_a_few_attempts(server: ModelServer, opened: Opened) -> None:
    server.answer = failing(500, "out of memory")
    error = failure(lambda: opened().ask(question()))
    assert (error.code, error.attempts) == ("server_error", server.count)
    assert 3 <= server.count <= 8
    assert "HTTP 500: out of memory (asked " in str(error)


def test_endless_limiting_ends_with_the_total_time(server: ModelServer, opened: Opened) -> None:
    server.answer = rate_limited()
    started = time.monotonic()
    error = failure(lambda: opened(total_timeout=0.3).ask(question()))
    assert time.monotonic() - started < 1.0
    assert error.code == "rate_limited"
    assert error.attempts > 1


def test_a_call_that_limits_used_up_says_so_though_its_last_attempt_was_cut_off(
    server: ModelServer, opened: Opened
) -> None:
    server.answer = in_turn(rate_limited(), chat("late", delay=0.3))
    error = failure(lambda: opened(total_timeout=0.2).ask(question()))
    assert (error.code, error.attempts) == ("rate_limited", 2)


@pytest.mark.parametrize(
    "answer", [chat("late", delay=0.4), Answer(body=chat("slow").body, drip=0.02), Answer(body=b" " * 100, drip=0.02)]
)
def test_the_total_time_bounds_slow_answers_too(server: ModelServer, opened: Opened, answer: Answer) -> None:
    server.answer = answer
    started = time.monotonic()
    error = failure(lambda: opened(timeout=0.1, total_timeout=0.25).ask(question()))
    assert time.monotonic() - started < 1.0
    assert error.code == "timeout"


def test_one_attempt_takes_no_more_than_what_is_left_of_the_total(server: ModelServer, opened: Opened) -> None:
    server.answer = chat("late", delay=0.5)
    started = time.monotonic()
    error = failure(lambda: opened(timeout=5.0, total_timeout=0.1).ask(question()))
    assert time.monotonic() - started < 0.4
    assert (error.code, error.attempts) == ("timeout", 1)


def test_no_wait_begins_that_the_total_time_would_cut_off(server: ModelServer, opened: Opened) -> None:
    for answer, code in ((cut_midway(), "network"), (failing(), "server_error")):
        server.answer = answer
        error = failure(lambda: opened(total_timeout=0.2, retry_cap=10.0).ask(question()))
        assert (error.code, error.attempts) == (code, 1)


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (refusing("the image cannot be read"), "bad_request"),
        (refusing("cannot", 422), "bad_request"),
        (refusing("no such thing here", 409), "bad_request"),
        (refusing("payload", 413), "too_large"),
        (refusing("image exceeds the maximum of 5 MB"), "too_large"),
        (refusing("no", code="context_length_exceeded"), "too_large"),
        (refusing("not implemented", 501), "server_error"),
    ],
)
def test_a_refused_question_is_not_asked_again(server: ModelServer, opened: Opened, answer: Answer, code: str) -> None:
    server.answer = answer
    error = failure(lambda: opened().ask(question()))
    assert (error.code, error.attempts, server.count) == (code, 1, 1)


LOW = "Your credit balance is too low to access the API."


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (refusing("Incorrect API key provided", 401), "Incorrect API key provided"),
        (refusing("not for you", 403), "not for you"),
        (refusing("Payment required", 402), "Payment required"),
        (refusing("The model 'judge-1' does not exist", 404, code="model_not_found"), "'judge-1' does not exist"),
        (refusing("page not found", 404), "does base_url end as the server wants it"),
        (refusing(LOW, 400), LOW),
        (refusing("API key not valid. Please pass a valid API key.", 400), "API key not valid"),
        (insufficient_quota(), "You exceeded your current quota, please check your plan and billing details."),
        (refusing("check your plan and billing", 429), "check your plan and billing"),
        (Answer(401, body=b"go away"), "go away"),
        (failing(500, "litellm.AuthenticationError: Invalid API key"), "Invalid API key"),
        (answering({"error": {"message": "no such key", "code": "invalid_api_key"}}), "no such key"),
    ],
)
def test_what_no_other_call_could_cure_stops_the_run_with_the_vendors_words(
    server: ModelServer, opened: Opened, answer: Answer, words: str
) -> None:
    server.answer = answer
    with pytest.raises(ProviderRefused) as caught:
        opened().ask(question())
    assert words in str(caught.value)
    assert server.count == 1


def test_a_quota_per_minute_names_a_time_and_is_waited_for(server: ModelServer, opened: Opened) -> None:
    limited = refusing("You exceeded your current quota; see billing", 429, retry_after="0.01")
    server.answer = in_turn(limited, GOOD)
    assert opened().ask(question()).attempts == 2


def shown_with_variables(error: BaseException) -> str:
    """Return the traceback as tools show it that print variables, without the frames of the tests themselves."""
    frames = traceback.TracebackException.from_exception(error, capture_locals=True).stack
    ours = [frame for frame in frames if Path(frame.filename).is_relative_to(Path(oloproof.__file__).parent)]
    assert ours
    return "\n".join(f"{frame.name} {frame.locals}" for frame in ours)


def test_no_error_shows_the_key(server: ModelServer, opened: Opened, key: str) -> None:
    echoes = [
        refusing(f"wrong key {key}", 401),
        refusing(f"{'x' * 290}{key}"),
        Answer(400, body=f"Authorization: Bearer {key}".encode()),
        Answer(400, body=f"token={quote(key, safe='').replace('-', '%2D')}&".encode()),
        Answer(body=f"no JSON {key}".encode()),
        failing(500, key),
        cut_midway(),
        insufficient_quota(),
    ]
    for echo in echoes:
        server.answer = echo
        with pytest.raises((CallFailed, ProviderRefused)) as caught:
            opened("openai").ask(question())
        assert key[-12:] not in str(caught.value)
        assert key not in str(caught.value) + repr(caught.value) + shown_with_variables(caught.value)
        assert caught.value.__context__ is None
        assert key[:12] not in str(caught.value)
    client = opened("openai")
    assert key not in repr(client) + repr(client.endpoint) + repr(vars(client))


def test_words_of_a_server_are_one_line_of_bounded_length(server: ModelServer, opened: Opened) -> None:
    server.answer = refusing("a\nb\x1b[31m\r" + "long " * 1_000, 401)
    with pytest.raises(ProviderRefused) as caught:
        opened().ask(question())
    text = str(caught.value)
    assert text.isprintable()
    assert len(text) < 500


def test_no_redirect_is_followed(server: ModelServer, opened: Opened, key: str) -> None:
    with ModelServer(GOOD) as elsewhere:
        server.answer = redirecting(elsewhere.url + "/chat/completions")
        with pytest.raises(ProviderRefused, match="redirects are not followed"):
            opened("openai").ask(question())
        assert (server.count, elsewhere.count) == (1, 0)


def test_no_cookie_is_kept(server: ModelServer, opened: Opened) -> None:
    server.answer = Answer(headers={"set-cookie": "a=b"}, body=GOOD.body)
    client = opened()
    client.ask(question())
    client.ask(question())
    assert "cookie" not in server.requests[1].headers


def test_proxies_of_the_environment_see_nothing_that_stays_on_this_machine(
    server: ModelServer, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ModelServer(GOOD) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("ALL_PROXY", proxy.url)
        opened().ask(question())
        assert (server.count, proxy.count) == (1, 0)
        far = open_chat(Endpoint("openai_compatible", "m", base_url="http://models.test/v1"))
        far.ask(question())
        far.close()
        assert (server.count, proxy.count) == (1, 1)


@pytest.mark.parametrize("proxy", ["socket://ann:p4ssword@127.0.0.1:1", "http://ann:p4ssword@127.0.0.1:port"])
def test_a_proxy_that_cannot_be_used_stops_the_run_and_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy)
    endpoint = Endpoint("openai_compatible", "m", base_url="http://models.test/v1")
    with (
        open_chat(endpoint) as client,
        pytest.raises(ProviderUnreachable, match="the proxy that HTTP_PROXY names cannot be used") as caught,
    ):
        client.ask(question())
    assert "p4ssword" not in str(caught.value)
    assert caught.value.__context__ is None


def test_a_proxy_that_is_not_there_is_told_with_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{held.getsockname()[1]}")
        endpoint = Endpoint("openai_compatible", "m", base_url="http://models.test/v1", retry_cap=0.01)
        with open_chat(endpoint) as client, pytest.raises(ProviderUnreachable, match="or the proxy that HTTP_PROXY"):
            client.ask(question())
    monkeypatch.setenv("NO_PROXY", "models.test")
    assert proxy_variable(endpoint) == ""


def test_a_server_that_never_answered_stops_the_run() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # taken, and nobody listens
        url = f"http://127.0.0.1:{held.getsockname()[1]}"
        client = open_chat(Endpoint("openai_compatible", "m", base_url=url, retry_cap=0.01))
        with pytest.raises(ProviderUnreachable, match=r"127\.0\.0\.1:\d+ was asked \d times and never answered"):
            client.ask(question())
        assert client.never_answered
        client.close()


def test_a_server_that_takes_questions_and_answers_none_is_given_up_after_a_while(
    server: ModelServer, opened: Opened
) -> None:
    """With its attempts each question to a server that hangs takes minutes, and a run asks thousands."""
    server.answer = cut_midway()
    client = opened()
    for _ in range(GIVE_UP_AFTER - 1):
        assert failure(lambda: client.ask(question())).code == "network"
    with pytest.raises(ProviderUnreachable, match=rf"was sent {GIVE_UP_AFTER} questions and answered none: .*timeout:"):
        client.ask(question())


def test_a_server_that_answered_once_is_not_given_up(server: ModelServer, opened: Opened) -> None:
    client = opened()
    client.ask(question())
    server.answer = cut_midway()
    codes = {failure(lambda: client.ask(question())).code for _ in range(GIVE_UP_AFTER + 1)}
    assert codes == {"network"}


def test_a_reply_too_large_to_read_is_an_answer(
    server: ModelServer, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("oloproof.providers.replies.LARGEST_REPLY", 10)
    client = opened()
    assert failure(lambda: client.ask(question())).code == "malformed_reply"
    assert not client.never_answered


def test_a_server_that_went_away_after_an_answer_fails_calls_only(server: ModelServer) -> None:
    with ModelServer(GOOD) as gone:
        client = open_chat(Endpoint("openai_compatible", "m", base_url=gone.url, retry_cap=0.01))
        client.ask(question())
    error = failure(lambda: client.ask(question()))
    assert error.code == "network"
    assert error.attempts > 1
    client.close()


def together(client: Any, calls: int, width: int) -> list[Any]:
    with ThreadPoolExecutor(width) as pool:
        return list(pool.map(lambda _: client.ask(question()), range(calls)))


@pytest.mark.parametrize(("concurrency", "width"), [(32, 40), (4, 12)])
def test_as_many_requests_are_in_flight_as_allowed_and_no_more(
    server: ModelServer, opened: Opened, concurrency: int, width: int
) -> None:
    all_there = threading.Event()

    def wait_for_all(_: Request) -> Answer:
        if server.most_in_flight >= concurrency:
            all_there.set()
        all_there.wait(20)
        return chat("{}", delay=0.05)  # in which one too many would come in

    server.answer = wait_for_all
    together(opened(concurrency=concurrency, timeout=30), 2 * width, width)
    assert server.most_in_flight == concurrency


def test_a_call_that_waits_lets_others_go_first(server: ModelServer, opened: Opened) -> None:
    server.answer = in_turn(rate_limited(milliseconds="200"), GOOD)
    client = opened(concurrency=1, retry_cap=1.0)
    order: list[str] = []
    slow = threading.Thread(target=lambda: (client.ask(question()), order.append("slow")))
    slow.start()
    while server.count == 0:
        time.sleep(0.005)
    client.ask(question())
    order.append("quick")
    slow.join()
    assert order == ["quick", "slow"]


def test_what_a_call_waits_for_is_told_while_it_waits(server: ModelServer, opened: Opened) -> None:
    server.answer = rate_limited(seconds="30")
    client = opened(retry_cap=60.0)
    assert client.held_up == ""
    asking = threading.Thread(target=lambda: failure(lambda: client.ask(question())))
    asking.start()
    told = next(words for words in iter(lambda: client.held_up, None) if words)
    client.close()
    asking.join()

    assert re.fullmatch(r"(29|3[012]) s for 127\.0\.0\.1:\d+: HTTP 429: slow down", told)
    assert client.held_up == ""


def test_connections_are_used_again(server: ModelServer, opened: Opened) -> None:
    client = opened()
    for _ in range(5):
        client.ask(question())
    assert server.connections == 1


def test_closing_ends_the_waits(server: ModelServer, opened: Opened) -> None:
    server.answer = rate_limited(seconds="30")
    client = opened(retry_cap=60.0)
    threading.Timer(0.1, client.close).start()
    started = time.monotonic()
    assert failure(lambda: client.ask(question())).code == "network"
    assert time.monotonic() - started < 5
