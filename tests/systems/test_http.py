"""An HTTP service as the system, over a real one on loopback that misbehaves on demand."""

from __future__ import annotations

import gzip
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from oloproof.config import load_project
from oloproof.errors import SystemError_
from oloproof.systems import http as http_room
from oloproof.systems import load_system
from oloproof.systems.http import GIVE_UP_AFTER
from tests.systems.conftest import PNG, Opened

Open = Callable[..., Opened]
SECRET = 'tok"en-5f3a9\\c1'  # noqa: S105 - made up


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        service: Service = self.server.service  # type: ignore[attr-defined]
        service.seen.append((dict(self.headers), json.loads(body)))
        try:
            service.answer(self)
        except OSError:
            self.close_connection = True

    def say(self, body: Any, status: int = 200, **headers: str) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        for name, value in {"content-length": str(len(data)), **named}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None: ...


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """Say nothing: clients that hang up are meant."""


class Service:
    """A server whose ``answer`` a test sets; ``seen`` holds the headers and body of every request."""

    def __init__(self) -> None:
        self.seen: list[tuple[dict[str, str], Any]] = []
        self.answer: Callable[[Handler], None] = lambda handler: handler.say({"output": 1})
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.service = self  # type: ignore[attr-defined]
        self.url = f"http://127.0.0.1:{self.server.server_port}/ask"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()


@pytest.fixture
def service() -> Iterator[Service]:
    service = Service()
    yield service
    service.server.shutdown()
    service.thread.join()
    service.server.server_close()


@pytest.fixture
def nowhere() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/"


def says(body: Any, status: int = 200, **headers: str) -> Callable[[Handler], None]:
    return lambda handler: handler.say(body, status, **headers)


def test_a_trial_is_posted_as_json(opened: Open, service: Service) -> None:
    execution = opened(service.url).ask({"q": "é\udcff"}, case="a", variant="dark", repeat=1)
    assert (execution.output, execution.error) == (1, None)
    headers, body = service.seen[0]
    assert headers["content-type"] == "application/json"
    assert {**body, "out": "…"} == {"id": "a", "input": {"q": "é\udcff"}, "variant": "dark", "repeat": 1, "out": "…"}
    assert Path(body["out"]).is_dir()


GOOD = [
    says({"output": None}), says({"output": 1}, 201), says(b'\xef\xbb\xbf{"output": 1}'),
    says(gzip.compress(b'{"output": 1}'), content_encoding="gzip"), says({"output": 1, "error": None, "media": []}),
]  # fmt: skip


@pytest.mark.parametrize("answer", GOOD, ids=range(len(GOOD)))
def test_every_status_of_success_may_carry_the_answer(opened: Open, service: Service, answer: Any) -> None:
    service.answer = answer
    assert opened(service.url).ask().error is None


def cut_short(handler: Handler) -> None:
    handler.say(b'{"output": 1', content_length="900")
    handler.connection.shutdown(socket.SHUT_RDWR)


BAD: list[tuple[Callable[[Handler], None], str]] = [
    (says({"detail": "no\nGPU"}, 500), 'HTTP 500 Internal Server Error: {"detail": "no\\nGPU"}'),
    (says(b"<html>\n<h1>Bad gateway</h1>\n</html>", 502), "HTTP 502 Bad Gateway: <html> <h1>Bad gateway</h1> </html>"),
    (says(b"", 404), "HTTP 404 Not Found"),
    (says(b"", 302, location="http://127.0.0.1:1/"), "HTTP 302 Found: redirects are not followed"),
    (says(b"<!doctype html><title>Sign in</title>"), "expected a JSON object, found '<!doctype html><title>Sign in"),
    (says(b""), "expected a JSON object, found nothing"),
    (says(b"", 204), "expected a JSON object, found nothing"),
    (says(PNG), f'expected a JSON object, found image/png of {len(PNG)} bytes; save it in a file under "out" and name'),
    (says(b'{"output": NaN}'), "expected a JSON object, found"),
    (says(b'{"output": 1, "output": 2}'), "expected a JSON object, found"),
    (says(b'{"output": -1e999}'), "expected a JSON object, found"),
    (says(b'{"output": "\xff"}'), "expected a JSON object, found"),
    (says(b'{"output":' + b"[" * 3000 + b"]" * 3000 + b"}"), "expected a JSON object, found"),
    (says([1]), "expected a JSON object with \"output\", found '[1]'"),
    (says({"answer": 1}), 'the answer has neither "output" nor "error"; it has answer'),
    (says({"error": "blurred page"}), "blurred page"),
    (says(b"not gzip", content_encoding="gzip"), "DecodingError"),
    (cut_short, "RemoteProtocolError: peer closed connection"),
    (lambda handler: handler.connection.shutdown(socket.SHUT_RDWR), "RemoteProtocolError: Server disconnected"),
    (lambda handler: [handler.wfile.write(b"nonsense\r\n\r\n"), None][1], "RemoteProtocolError"),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "told"), BAD, ids=range(len(BAD)))
def test_a_bad_answer_fails_this_case_only(opened: Open, service: Service, answer: Any, told: str) -> None:
    system = opened(service.url, timeout=5)
    service.answer = answer
    execution = system.ask()
    assert (execution.error or "").startswith(told)
    assert "\n" not in (execution.error or "")
    service.answer = says({"output": "fine"})
    assert system.ask().output == "fine"
    assert len(service.seen) == 2


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b'{"output": NaN}', "(NaN is not JSON; write null, or leave the field out)"),
        (b'{"output": 1, "output": 2}', "(the key 'output' is given twice in one object)"),
        (b'{"output": -1e999}', "(the number -1e999 is too large to hold)"),
    ],
)
def test_what_looks_like_json_and_is_none_is_refused_with_why(
    opened: Open, service: Service, body: bytes, why: str
) -> None:
    service.answer = says(body)
    assert (opened(service.url, timeout=5).ask().error or "").endswith(why)


def drip(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("content-length", "1000")
    handler.end_headers()
    for _ in range(1000):
        handler.wfile.write(b" ")
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("answer", "told"), [(lambda _: time.sleep(2), "no answer"), (drip, "no whole answer")], ids=["silent", "dripping"]
)
def test_a_late_answer_fails_its_case_in_time(opened: Open, service: Service, answer: Any, told: str) -> None:
    system = opened(service.url, timeout=0.3)
    service.answer = answer
    execution = system.ask()
    assert execution.error == f"{told} within 0.3 s (timeout:)"
    assert execution.seconds < 1.5


def test_a_huge_answer_is_cut_off(opened: Open, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_room, "LARGEST_ANSWER", 100_000)
    service.answer = says({"output": "x" * 1_000_000})
    assert opened(service.url).ask().error == "the answer is larger than 100000 bytes"


MEDIA: list[tuple[Any, str | None]] = [
    ([{"path": "in.png"}], None),
    ([{"path": "in.png", "role": None, "kind": None, "name": None}], None),
    (["in.png"], None),
    ([{"path": "../outside.png"}], "../outside.png lies outside the project"),
    ([{"path": "link.png"}], "link.png lies outside the project"),
    ([{"path": "linked/outside.png"}], "lies outside the project"),
    ([{"path": "/etc/hostname"}], "/etc/hostname lies outside the project"),
    ([{"path": "shared/ok.png"}], None),
    ([{"path": "loop"}], "cannot record"),
    ([{"path": "gone.png"}], "there is no file at"),
    ([{"path": "https://cdn.example/made.png"}], "https://cdn.example/made.png is an address, which is not fetched"),
    ([{"path": "file:///in.png"}], "file:///in.png is an address, which is not fetched, and no path: give the path"),
    ([{"path": "data:image/png;base64," + "A" * 5000}], "AAA… is an address, which is not fetched, and no path: save"),
    ([{"path": "."}], "it is a directory"),
    ([{"path": ""}], 'each entry of "media" is an object with "path"'),
    ([{"path": "a\0b"}], "in the answer is no path"),
    ([{"path": "\ud800"}], "in the answer is no path"),
    ([{"path": "x" * 5000}], "cannot record "),
    ([{"path": 3}], 'each entry of "media" is an object with "path"'),
    ([3], 'each entry of "media" is an object with "path"'),
    ([{"path": "in.png", "role": "picture"}], "role 'picture' is none of"),
    ([{"path": "in.png", "role": ["output"]}], "role ['output'] is none of"),
    ([{"path": "in.png", "kind": {"a": 1}}], "kind {'a': 1} is none of"),
    ([{"path": "in.png", "kind": "audio"}], "was declared audio"),
    ([{"path": "in.png", "name": 7}], 'the "name" of an entry of "media" is text, not 7'),
    ([{"path": "in.png", "url": "x"}], "unknown key 'url' in an entry of \"media\"; accepted: path, role, name, kind"),
    ({"path": "in.png"}, '"media" is a list of objects with "path"'),
    (7, '"media" is a list of objects with "path"'),
]


@pytest.mark.parametrize(("media", "told"), MEDIA, ids=[json.dumps(media)[:40] for media, _ in MEDIA])
def test_named_files_must_lie_in_the_project_and_be_what_they_are_said_to_be(
    opened: Open, service: Service, root: Path, tmp_path: Path, media: Any, told: str | None
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for path in (root / "in.png", tmp_path / "outside.png", elsewhere / "ok.png"):
        path.write_bytes(PNG)
    (root / "link.png").symlink_to(tmp_path / "outside.png")
    (root / "linked").symlink_to(tmp_path)
    (root / "loop").symlink_to(root / "loop")
    (root / "shared").symlink_to(elsewhere)
    system = opened(service.url, media_roots=(elsewhere,))
    service.answer = says({"output": 1, "media": media})
    execution = system.ask()
    if told is None:
        assert (execution.error, len(execution.media)) == (None, 1)
        assert execution.media[0].role == "output"
    else:
        assert told in (execution.error or "")
        assert execution.media == ()


def test_a_project_reached_through_a_symlink_confines_all_the_same(
    opened: Open, service: Service, tmp_path: Path, root: Path
) -> None:
    (root / "in.png").write_bytes(PNG)
    (tmp_path / "alias").symlink_to(root)
    service.answer = says({"output": 1, "media": [str(tmp_path / "alias" / "in.png")]})
    assert opened(service.url).ask().media[0].path == "in.png"


@pytest.fixture
def secret(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("SERVICE_TOKEN", f"Bearer {SECRET}\n")
    return SECRET


def test_headers_from_the_environment_are_sent_and_never_come_back(opened: Open, service: Service, secret: str) -> None:
    system = opened(service.url, headers={"authorization": "SERVICE_TOKEN"})
    header, body = f"Bearer {secret}", f"you sent Bearer {secret}".encode()
    echoes = [
        says({"output": {header: [header, secret, 1]}}), says({"error": f"bad token {secret}"}), says(body, 401),
        says(b"x" * 195 + body), says({"output": 1, "media": [{"path": secret}]}), says({secret: 1}),
        says({"output": 1, "media": [{"path": "a", secret: 1}]}),
    ]  # fmt: skip
    for answer in echoes:
        service.answer = answer
        told = repr(system.ask())
        for leaked in (secret, json.dumps(secret)[1:-1], secret[:8]):
            assert leaked not in told
    assert {headers["authorization"] for headers, _ in service.seen} == {header}
    assert system.ask(case="after").error == system.ask().error


def test_short_header_values_do_not_spoil_the_answers(
    opened: Open, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_VERSION", "2")
    service.answer = says({"output": "2 of 2"})
    assert opened(service.url, headers={"x-version": "API_VERSION"}).ask().output == "2 of 2"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, "is not set; export SERVICE_TOKEN="),
        (" ", "is not set"),
        ("se\ncret-value", "in one line"),
        ("clé-sécrète", "ASCII"),
    ],
)
def test_a_header_that_cannot_be_sent_is_told_before_the_first_trial_and_not_shown(
    opened: Open, monkeypatch: pytest.MonkeyPatch, value: str | None, told: str
) -> None:
    monkeypatch.delenv("SERVICE_TOKEN", raising=False)
    if value is not None:
        monkeypatch.setenv("SERVICE_TOKEN", value)
    with pytest.raises(SystemError_, match=told) as raised:
        opened("http://127.0.0.1:1", headers={"authorization": "SERVICE_TOKEN"})
    assert "cret" not in str(raised.value).lower()


@pytest.mark.parametrize(
    ("url", "told"),
    [("http://h:99999/", "no port that"), ("http://h:x/", "no address"), ("http:///x", "names no host")],
)
def test_an_address_that_is_none_is_told_before_the_first_trial(opened: Open, url: str, told: str) -> None:
    with pytest.raises(SystemError_, match=told):
        opened(url)


def test_a_header_without_a_proper_name_is_refused(opened: Open, secret: str) -> None:
    with pytest.raises(SystemError_, match="'x y' is no name of a header"):
        opened("http://127.0.0.1:1", headers={"x y": "SERVICE_TOKEN"})


def test_no_trial_knows_the_cookies_of_another(opened: Open, service: Service) -> None:
    system = opened(service.url)
    service.answer = says({"output": 1}, set_cookie="session=abc")
    system.ask()
    system.ask()
    assert all("cookie" not in {name.lower() for name in headers} for headers, _ in service.seen)


def test_proxies_of_the_environment_are_not_used(
    opened: Open, service: Service, nowhere: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", nowhere)
    assert opened(service.url).ask().output == 1


def test_a_service_that_is_down_is_given_up_after_a_while(opened: Open, nowhere: str) -> None:
    system = opened(nowhere, timeout=1)
    for _ in range(GIVE_UP_AFTER - 1):
        assert (system.ask().error or "").startswith("ConnectError: ")
    assert system.system.never_answered
    with pytest.raises(SystemError_, match=f"was asked {GIVE_UP_AFTER} times and never answered: ConnectError"):
        system.ask()


def test_a_service_that_only_cuts_connections_never_answered(opened: Open, service: Service) -> None:
    service.answer = lambda handler: handler.connection.shutdown(socket.SHUT_RDWR)
    system = opened(service.url)
    assert not system.system.never_answered
    system.ask()
    assert system.system.never_answered


def test_a_service_that_answered_once_is_not_given_up(opened: Open, service: Service) -> None:
    system = opened(service.url)
    service.answer = says(b"", 503)
    assert (system.ask().error or "").startswith("HTTP 503")
    service.answer = lambda handler: handler.connection.shutdown(socket.SHUT_RDWR)
    for _ in range(GIVE_UP_AFTER + 2):
        assert "disconnected" in (system.ask().error or "")
    assert not system.system.never_answered


def test_neither_headers_nor_limits_are_part_of_the_identity(root: Path, secret: str) -> None:
    (root / "data.jsonl").write_text('{"id": "a", "input": "x"}\n')

    def identity(extra: str, url: str = "http://h/") -> Any:
        (root / "oloproof.yaml").write_text(
            "version: 1\nproject: p\ndataset: data.jsonl\n"
            f"system:\n  name: s\n  http: {{url: '{url}'{extra}}}\nconcurrency: {len(extra) + 1}\n"
        )
        return load_system(load_project(root, {})).identity

    plain = identity("")
    assert identity(", headers_env: {authorization: SERVICE_TOKEN}, timeout: 3.0") == plain
    assert identity("", "http://other/") != plain
    assert secret not in repr(plain)
