"""The server itself, asked over a socket in ways that no client library would ask.

What hostile pages, names and files are tried on the workbench, and where:

| what | problem | tests |
| --- | --- | --- |
| base64 and whole files in pages | MR-58 | here; test_pages.py: a page of sixty cases |
| text where a picture should be; files not shown | MR-60 | browser/test_browsing.py, browser/test_playing.py |
| paths out of the project: .., encoded, drive letters, siblings, links | MR-62 | here; test_serving.py, test_app.py |
| other pages: foreign and missing Host and Origin, no token, forms | MR-63 | here; test_safety.py |
| remote links in outputs, HTML, SVG with script | MR-64 | browser/test_hostile.py; test_pages.py, test_serving.py |
| thousands of ranges | | here; test_serving.py |
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator

import pytest

from oloproof.cli.workbench import listening_on
from tests.workbench.browser.served import Served, served
from tests.workbench.conftest import RUN, Exhibit, png

Ask = Callable[..., tuple[int, bytes]]


@pytest.fixture(scope="module")
def workbench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A project with one picture, beside a file that is nobody's business, behind the real server."""
    root = tmp_path_factory.mktemp("real") / "shop"
    exhibit = Exhibit(root)
    exhibit.record("mug.png", png())
    exhibit.store()
    (root / "secret.txt").write_text("a secret of the project")
    (root.parent / "shop1").mkdir()
    (root.parent / "shop1" / "mug.png").write_text("a secret of its neighbour")
    with served(root) as running:
        yield running


@pytest.fixture
def ask(workbench: Served) -> Ask:
    """Return a function that sends a request to the letter and gives status and whole answer."""
    host = workbench.url.removeprefix("http://")

    def asked(target: str, *headers: str, method: str = "GET", own_host: bool = True) -> tuple[int, bytes]:
        lines = [f"{method} {target} HTTP/1.1", *([f"Host: {host}"] if own_host else []), "Connection: close", *headers]
        address, port = host.split(":")
        with socket.create_connection((address, int(port)), timeout=10) as connection:
            connection.sendall("\r\n".join([*lines, "", ""]).encode())
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
        return int(answer.split(b" ", 2)[1]), answer

    return asked


def test_it_listens_on_this_machine_only() -> None:
    with listening_on(0) as listening:
        assert listening.getsockname()[0] == "127.0.0.1"


@pytest.mark.parametrize(
    "target",
    [
        "/media/../secret.txt", "/media/../../secret.txt", "/media/..%2fsecret.txt", "/media/%2e%2e/secret.txt",
        f"/media/{RUN}/../../secret.txt", f"/media/{RUN}/..%2f..%2fsecret.txt", f"/media/{RUN}/..%5c..%5csecret.txt",
        "/media/c%3a%5cx", "/media/C:/x", f"/media/{RUN}/c%3a%2fsecret.txt", f"/media/{RUN}1/1.0",
        "/media/../shop1/mug.png", f"/media/{RUN}/..%252f..%252fsecret.txt", "//etc/passwd", "/static/../../secret.txt",
        "/static1/workbench.css", f"/media/{RUN}/1.0%00.png", f"/media/{RUN}/%c0%ae%c0%ae/secret.txt",
    ],
)  # fmt: skip
def test_no_path_to_the_letter_leads_out(ask: Ask, target: str) -> None:
    status, answer = ask(target)
    assert status in (400, 404)
    assert b"secret" not in answer.partition(b"\r\n\r\n")[2].replace(b"secret.txt", b"")


def test_a_picture_is_there_under_its_run_and_item(ask: Ask) -> None:
    status, answer = ask(f"/media/{RUN}/1.0")
    assert (status, answer.partition(b"\r\n\r\n")[2]) == (200, png())


@pytest.mark.parametrize(
    "headers",
    [
        (), ("Host: evil.example",), ("Host: localhost.evil.example:7788",), ("Host: 127.0.0.1",), ("Host:",),
        ("Host: 127.0.0.1:1",), ("Host: evil.example", "Host: localhost"),
    ],
)  # fmt: skip
def test_nothing_is_answered_under_a_foreign_name_or_none(ask: Ask, headers: tuple[str, ...]) -> None:
    status, answer = ask("/", *headers, own_host=False)
    assert status in (400, 421)
    assert b"<html" not in answer


def test_what_else_names_a_server_is_not_believed(ask: Ask) -> None:
    status, answer = ask("/", "X-Forwarded-Host: evil.example", "Forwarded: host=evil.example")
    assert status == 200
    assert b"evil.example" not in answer
    assert ask("http://evil.example/", "Accept: text/html")[0] == 404


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "http://localhost:1"])
@pytest.mark.parametrize("target", ["/labels", "/review/fits/sample", "/judges/0/samples/0/spend"])
def test_nobody_writes_from_elsewhere(ask: Ask, target: str, origin: str | None) -> None:
    own = ["Content-Type: application/json", "Content-Length: 2", *([] if origin is None else [f"Origin: {origin}"])]
    status, answer = ask(target, *own, "", "{}", method="POST")
    assert status == 403
    assert b"foreign_origin" in answer


def test_no_other_page_is_told_that_it_may_read(ask: Ask) -> None:
    for target in ("/", f"/media/{RUN}/1.0"):
        status, answer = ask(target, "Origin: http://evil.example")
        assert status == 200
        assert b"access-control" not in answer.lower()


def test_ten_thousand_ranges_cost_nothing_and_the_server_goes_on(ask: Ask) -> None:
    started = time.perf_counter()
    status, _ = ask(f"/media/{RUN}/1.0", "Range: bytes=" + ",".join(f"{n}-" for n in range(10_000)))
    assert status in (200, 400, 431)
    short, answer = ask(f"/media/{RUN}/1.0", "Range: bytes=" + ",".join("0-" for _ in range(3_000)))
    assert (short, answer.partition(b"\r\n\r\n")[2]) == (200, png())
    assert ask("/healthz")[0] == 200
    assert time.perf_counter() - started < 2


def test_pages_hold_no_media(ask: Ask) -> None:
    for target in ("/", f"/runs/{RUN}", f"/runs/{RUN}/cases/mug-1"):
        status, answer = ask(target)
        assert status == 200
        assert b"base64," not in answer
        assert len(answer) < 40_000


def test_what_is_no_http_ends_and_the_server_goes_on(workbench: Served, ask: Ask) -> None:
    address, port = workbench.url.removeprefix("http://").split(":")
    for noise in (b"\x16\x03\x01\x02\x00" * 50, b"GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", b"X" * 70_000):
        with socket.create_connection((address, int(port)), timeout=10) as connection:
            connection.sendall(noise)
            connection.shutdown(socket.SHUT_WR)
            assert not connection.recv(65536).startswith(b"HTTP/1.1 200")
    assert ask("/healthz")[0] == 200
