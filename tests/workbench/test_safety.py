"""Who may ask, who may write, and what every answer says, in the real application."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.websockets import WebSocketDisconnect

from oloproof.workbench.safety import CONTENT_SECURITY_POLICY, MOST_BODY_BYTES, own_hosts
from tests.workbench.conftest import HOST, TOKEN, Exhibit

OURS = {"Origin": f"http://{HOST}", "X-Oloproof-Token": TOKEN}


async def _write(request: Request) -> Response:
    return JSONResponse({"bytes": len(await request.body())})


async def _fall(_request: Request) -> Response:
    raise ValueError("a secret of the code")


@pytest.fixture
def client(exhibit: Exhibit, opened: Callable[..., Any]) -> Any:
    """The application with one route that writes and one that has a fault."""
    found = opened(exhibit.root, raise_server_exceptions=False)
    found.app.router.routes += [
        Route("/write", _write, methods=["POST", "PUT", "DELETE", "PATCH"]),
        Route("/fall", _fall),
    ]
    return found


@pytest.mark.parametrize("host", sorted(own_hosts(7788)))
def test_its_own_names_are_answered(client: Any, host: str) -> None:
    assert client.get("/healthz", headers={"Host": host}).text == "ok"


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "evil.example:7788", "localhost.evil.example:7788", "127.0.0.1", "127.0.0.1:7789",
        "127.0.0.1:7788.evil.example", "127.0.0.1:7788@evil.example", "127.0.0.1:07788", "127.1:7788", "localhost", "",
        "2130706433:7788", "localhost:7788,evil.example", "testserver", "[::1]", "0.0.0.0:7788",
    ],
)  # fmt: skip
def test_a_foreign_name_is_refused_before_anything_is_looked_up(client: Any, host: str) -> None:
    answer = client.get("/no/such/page", headers={"Host": host})
    assert answer.status_code == 421
    assert "only under its own name" in answer.text
    assert host == "" or host not in answer.text.replace("http://127.0.0.1:7788/", "")


def test_a_request_with_two_names_is_refused(client: Any) -> None:
    assert client.get("/healthz", headers=[("Host", HOST), ("Host", HOST)]).status_code == 421


@pytest.mark.parametrize("address", ["/healthz", "/no/such", "/media/x/1.0", "/static/../app.py", "/fall", "/write"])
def test_every_answer_carries_the_safety_headers(client: Any, address: str) -> None:
    for answer in (client.get(address), client.post(address), client.get(address, headers={"Host": "evil.example"})):
        headers = answer.headers
        assert headers["content-security-policy"] == CONTENT_SECURITY_POLICY
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-resource-policy"] == headers["cross-origin-opener-policy"] == "same-origin"
        assert not any(name.startswith("access-control") for name in headers)
        assert "set-cookie" not in headers


def test_nothing_of_the_code_shows_where_it_has_a_fault(client: Any) -> None:
    answer = client.get("/fall")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text


def test_our_own_page_with_the_token_writes(client: Any) -> None:
    assert client.post("/write", headers=OURS, json={"a": 1}).json() == {"bytes": 7}
    assert client.delete("/write", headers=OURS).status_code == 200
    referred = {"Referer": f"http://{HOST}/runs/x?y#z", "X-Oloproof-Token": TOKEN}
    assert client.put("/write", headers=referred, json=1).status_code == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "ODD"])
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-Oloproof-Token": TOKEN},
        {"Origin": f"http://{HOST}"},
        {**OURS, "X-Oloproof-Token": TOKEN + "x"},
        {**OURS, "X-Oloproof-Token": ""},
        {**OURS, "Origin": "null"},
        {**OURS, "Origin": f"https://{HOST}"},
        {**OURS, "Origin": "http://127.0.0.1:9999"},
        {**OURS, "Origin": "http://localhost:7788"},
        {**OURS, "Origin": "http://evil.example", "Referer": f"http://{HOST}/"},
        {"Referer": f"http://evil.example/http://{HOST}/", "X-Oloproof-Token": TOKEN},
        {"Referer": f"http://{HOST}@evil.example/", "X-Oloproof-Token": TOKEN},
        {"Referer": "http://[", "X-Oloproof-Token": TOKEN},
    ],
)
def test_whoever_lacks_the_token_or_comes_from_elsewhere_does_not_write(
    client: Any, method: str, headers: dict[str, str]
) -> None:
    answer = client.request(method, "/write", headers=headers, json={})
    assert answer.status_code == 403
    assert answer.json()["error"] in ("foreign_origin", "wrong_token")


def test_a_form_of_another_page_is_no_json(client: Any) -> None:
    answer = client.post("/write", headers={**OURS, "Content-Type": "text/plain"}, content=b"{}")
    assert (answer.status_code, answer.json()["error"]) == (415, "not_json")


def test_read_only_means_that_nothing_is_written_by_anybody(exhibit: Exhibit, opened: Callable[..., Any]) -> None:
    client = opened(exhibit.root, read_only=True)
    answer = client.post("/labels", headers=OURS, json={})
    assert (answer.status_code, answer.json()["error"]) == (403, "read_only")
    assert "--read-only" in answer.json()["message"]
    assert client.get("/healthz").status_code == 200


def test_a_body_has_a_limit_whether_its_length_is_told_or_not(client: Any) -> None:
    headers = {**OURS, "Content-Type": "application/json"}
    assert client.post("/write", headers=headers, content=b"1" * MOST_BODY_BYTES).json() == {"bytes": MOST_BODY_BYTES}
    assert client.post("/write", headers=headers, content=b"1" * (MOST_BODY_BYTES + 1)).status_code == 413
    assert client.post("/write", headers={**headers, "Content-Length": "1" * 30}, content=b"1").status_code == 413

    def pieces() -> Iterator[bytes]:
        for _ in range(70):
            yield b"1" * 1024

    answer = client.post("/write", headers=headers, content=pieces())
    assert (answer.status_code, answer.json()["error"]) == (413, "http_413")


def test_there_are_no_web_sockets(client: Any) -> None:
    with pytest.raises(WebSocketDisconnect) as ended, client.websocket_connect("/events", headers={"Host": HOST}):
        pass
    assert ended.value.code == 1008
