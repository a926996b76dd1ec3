"""Recorded files over HTTP: the very bytes, ranges of them, and what is said when they changed or are gone."""

from __future__ import annotations

import hashlib
import io
import os
import re
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from oloproof.workbench.ranges import NotSatisfiable, Span, asked_span
from oloproof.workbench.serving import CHUNK_BYTES
from tests.workbench.conftest import HOST, RUN, SVG, Exhibit, png, tone

Opened = Callable[..., Any]


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_a_recorded_file_is_sent_as_it_is(exhibit: Exhibit, opened: Opened) -> None:
    data = png()
    item = exhibit.record("mug.png", data)
    exhibit.store()
    client = opened(exhibit.root)
    answer = client.get(f"/media/{RUN}/{item}")
    assert (answer.status_code, answer.content) == (200, data)
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["content-length"] == str(len(data))
    assert answer.headers["etag"] == f'"{sha256(data)}"'
    assert answer.headers["accept-ranges"] == "bytes"
    assert answer.headers["content-disposition"] == "inline; filename=\"mug.png\"; filename*=UTF-8''mug.png"
    head = client.head(f"/media/{RUN}/{item}")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(len(data))
    again = client.get(f"/media/{RUN}/{item}", headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_a_large_file_comes_in_chunks_and_whole(exhibit: Exhibit, opened: Opened) -> None:
    data = tone(1.0)[:44] + os.urandom(3 * CHUNK_BYTES + 7)
    item = exhibit.record("long.wav", data)
    exhibit.store()
    client = opened(exhibit.root)
    with client.stream("GET", f"/media/{RUN}/{item}") as answer:
        assert sha256(b"".join(answer.iter_raw())) == sha256(data)
    part = client.get(f"/media/{RUN}/{item}", headers={"Range": f"bytes=10-{2 * CHUNK_BYTES + 20}"})
    assert part.content == data[10 : 2 * CHUNK_BYTES + 21]


@pytest.mark.parametrize(
    ("asked", "status", "start", "end"),
    [
        ("bytes=0-0", 206, 0, 1), ("bytes=5-9", 206, 5, 10), ("bytes=5-", 206, 5, None), ("bytes=-4", 206, -4, None),
        ("bytes=-99999999", 206, 0, None), ("bytes=3-99999999", 206, 3, None), ("Bytes=1-2", 206, 1, 3),
        ("bytes=5-4", 200, 0, None), ("bytes=-", 200, 0, None), ("bytes=a-b", 200, 0, None),
        ("items=0-1", 200, 0, None),
        ("bytes=0-1,4-5", 200, 0, None), ("bytes=0-1, 0-1", 200, 0, None), ("bytes=٣-٤", 200, 0, None),
    ],
)  # fmt: skip
def test_one_range_is_sent_and_anything_else_is_the_whole(
    exhibit: Exhibit, opened: Opened, asked: str, status: int, start: int, end: int | None
) -> None:
    data = png()
    item = exhibit.record("mug.png", data)
    exhibit.store()
    answer = opened(exhibit.root).get(f"/media/{RUN}/{item}", headers={"Range": asked.encode()})
    assert (answer.status_code, answer.content) == (status, data[start:end])
    if status == 206:
        first = start % len(data)
        assert answer.headers["content-range"] == f"bytes {first}-{first + len(answer.content) - 1}/{len(data)}"
    else:
        assert "content-range" not in answer.headers


def test_a_range_behind_the_end_cannot_be_sent(exhibit: Exhibit, opened: Opened) -> None:
    data = png()
    item = exhibit.record("mug.png", data)
    exhibit.store()
    client = opened(exhibit.root)
    for asked in (f"bytes={len(data)}-", "bytes=-0", "bytes=999999999999999999-"):
        answer = client.get(f"/media/{RUN}/{item}", headers={"Range": asked})
        assert (answer.status_code, answer.content) == (416, b"")
        assert answer.headers["content-range"] == f"bytes */{len(data)}"


def test_a_range_of_other_bytes_than_the_client_has_is_the_whole(exhibit: Exhibit, opened: Opened) -> None:
    data = png()
    item = exhibit.record("mug.png", data)
    exhibit.store()
    client = opened(exhibit.root)
    for tag, status in ((f'"{sha256(data)}"', 206), ('"other"', 200), (f'W/"{sha256(data)}"', 200)):
        answer = client.get(f"/media/{RUN}/{item}", headers={"Range": "bytes=1-2", "If-Range": tag})
        assert answer.status_code == status


def test_ten_thousand_ranges_cost_nothing(exhibit: Exhibit, opened: Opened) -> None:
    data = png()
    item = exhibit.record("mug.png", data)
    exhibit.store()
    client = opened(exhibit.root)
    many = "bytes=" + ",".join(f"{n}-" for n in range(10_000))
    before = time.perf_counter()
    answer = client.get(f"/media/{RUN}/{item}", headers={"Range": many})
    assert (answer.status_code, answer.content) == (200, data)
    assert time.perf_counter() - before < 1
    before = time.perf_counter()
    for header in (
        many * 20,
        "bytes=" + "0" * 1_000_000 + "-",
        "bytes=" + "-" * 1_000_000,
        "bytes=0-0" + " " * 1_000_000,
    ):
        assert asked_span(header, 10) is None
    assert time.perf_counter() - before < 0.05


@given(st.integers(0, 50), st.one_of(st.none(), st.integers(0, 60)), st.one_of(st.none(), st.integers(0, 60)))
def test_a_range_never_leaves_the_file(size: int, first: int | None, last: int | None) -> None:
    told = f"bytes={'' if first is None else first}-{'' if last is None else last}"
    try:
        span = asked_span(told, size)
    except NotSatisfiable:
        assert (last == 0) if first is None else first >= size
        return
    if span is not None:
        assert 0 <= span.start < span.end <= size
        assert span == (Span(max(size - (last or 0), 0), size) if first is None else Span(first, span.end))


@pytest.mark.parametrize(
    "address",
    [
        "/media/../secret", "/media/..%2fsecret", "/media/%2e%2e/%2e%2e/secret", "/media/c%3a%5cx/1.0",
        "/media/{run}/../../secret.txt", "/media/{run}/..%2f..%2fsecret.txt", "/media/{run}/secret.txt",
        "/media/{run}/%2e%2e%5csecret.txt", "/media/{run}/%2fetc%2fpasswd", "/media//etc/passwd", "/media/{run}/",
        "/media/{run}/1", "/media/{run}/1.9", "/media/{run}/1.-1", "/media/{run}/1.0%00", "/media/{run}/1.0/",
        "/media/{run}/out/mug.png", "/media/latest/1.0", "/media/{part}/1.0", "/media/%20{run}/1.0", "/media//1.0",
        "/media/{run}/2.0", "/media/{run}/99999999999999999999.0", "/media/{run}/%D9%A1.0", "/media/a'--/1.0",
        "/media/{run}/1.0/frames/x", "/media/{run}/1.0/frames/-1", "/media/{run}/1.0/frames/1e9",
        "/media/{run}/1.0/frames/nan", "/media/{run}/1.0/frames/..%2f..", "/media/{run}/1.0/thumbnail/x",
        "/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static//etc/passwd",
        "/static/%2fetc%2fpasswd", "/static/c%3a%5cx", "/static/..%5capp.py", "/static1.txt", "/static/",
    ],
)  # fmt: skip
def test_no_address_leads_to_a_path(exhibit: Exhibit, opened: Opened, address: str) -> None:
    exhibit.record("mug.png", png())
    exhibit.store()
    (exhibit.root / "secret.txt").write_text("secret")
    client = opened(exhibit.root)
    raw = address.format(run=RUN, part=RUN[:8])
    answer = client.request("GET", client.base_url.copy_with(raw_path=raw.encode()))
    assert answer.status_code == 404
    assert b"secret\n" not in answer.content
    assert b"root:" not in answer.content


def test_an_item_of_another_run_is_not_found_under_this_one(exhibit: Exhibit, opened: Opened) -> None:
    item = exhibit.record("mug.png", png())
    exhibit.store()
    exhibit.store("20261130-101501-cd34")
    client = opened(exhibit.root)
    assert client.get(f"/media/20261130-101501-cd34/{item}").status_code == 404
    assert client.get("/media/20261130-101501-cd34/2.0").status_code == 200


def test_a_changed_file_is_not_sent_and_both_digests_are_told(exhibit: Exhibit, opened: Opened) -> None:
    old, new, same_size = png(), b"something else", png()[:-1] + b"x"
    item = exhibit.record("mug.png", old)
    exhibit.store()
    client = opened(exhibit.root)
    assert client.get(f"/media/{RUN}/{item}").status_code == 200
    assert client.get(f"/media/{RUN}/{item}/thumbnail").status_code == 200
    for changed in (new, same_size):
        exhibit.path(item).write_bytes(changed)
        for address in (f"/media/{RUN}/{item}", f"/media/{RUN}/{item}/thumbnail"):
            answer = client.get(address, headers={"If-None-Match": f'"{sha256(old)}"'})
            assert answer.status_code == 409
            told = answer.json()
            assert told["error"] == "media_changed"
            assert (told["recorded"], told["recorded_bytes"]) == (sha256(old), len(old))
            assert (told["found"], told["found_bytes"]) == (sha256(changed), len(changed))
    exhibit.path(item).write_bytes(old)
    assert client.get(f"/media/{RUN}/{item}").content == old


def test_a_file_that_changes_while_it_is_sent_never_arrives_whole(exhibit: Exhibit, opened: Opened) -> None:
    data = tone(1.0)[:44] + bytes(4 * CHUNK_BYTES)
    item = exhibit.record("long.wav", data)
    exhibit.store()
    path = exhibit.path(item)

    def change(_body: bytes) -> None:
        path.write_bytes(data[:-1] + b"x")

    sent = bodies(opened(exhibit.root).app, "GET", f"/media/{RUN}/{item}", change)
    assert 0 < len(b"".join(sent)) < len(data)


def test_only_the_head_of_a_file_is_sent_where_only_that_was_asked_for(exhibit: Exhibit, opened: Opened) -> None:
    item = exhibit.record("mug.png", png())
    exhibit.store()
    assert bodies(opened(exhibit.root).app, "HEAD", f"/media/{RUN}/{item}") == [b""]


def bodies(app: Any, method: str, address: str, each: Callable[[bytes], None] = lambda body: None) -> list[bytes]:
    """Return the pieces in which the application hands its answer to the server; ``each`` is called with each."""
    sent: list[bytes] = []
    scope = {
        "type": "http", "method": method, "path": address, "raw_path": b"", "query_string": b"",
        "headers": [(b"host", HOST.encode())], "scheme": "http", "server": ("127.0.0.1", 7788), "root_path": "",
        "http_version": "1.1", "asgi": {"version": "3.0", "spec_version": "2.4"},
    }  # fmt: skip

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.body":
            sent.append(message["body"])
            each(message["body"])

    anyio.run(app, scope, receive, send)
    return sent


@pytest.mark.parametrize("kind", ["gone", "a symlink", "a folder", "a pipe"])
def test_a_file_that_cannot_be_read_any_more_says_where_it_was(
    exhibit: Exhibit, opened: Opened, tmp_path: Path, kind: str
) -> None:
    data = png()
    item = exhibit.record("mug.png", data)
    exhibit.store()
    path = exhibit.path(item)
    path.unlink()
    if kind == "a symlink":
        (tmp_path / "same.png").write_bytes(data)
        path.symlink_to(tmp_path / "same.png")
    elif kind == "a folder":
        path.mkdir()
    elif kind == "a pipe":
        os.mkfifo(path)
    client = opened(exhibit.root)
    for address in (f"/media/{RUN}/{item}", f"/media/{RUN}/{item}/thumbnail", f"/media/{RUN}/{item}/frames/0"):
        answer = client.get(address)
        assert answer.status_code == 410
        assert answer.json()["path"] == "out/mug.png"
        assert answer.json()["error"].startswith("media_")
        assert answer.json()["recorded"] == sha256(data)


def test_people_are_told_on_a_page_in_which_nothing_runs(exhibit: Exhibit, opened: Opened) -> None:
    item = exhibit.record("<img src=x onerror=alert(1)>&.png", png())
    exhibit.store()
    exhibit.path(item).write_bytes(b"other")
    answer = opened(exhibit.root).get(f"/media/{RUN}/{item}", headers={"Accept": "text/html,*/*"})
    assert answer.status_code == 409
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert sha256(b"other") in answer.text
    assert "<img" not in answer.text
    assert "&lt;img src=x onerror=alert(1)&gt;&amp;.png" in answer.text


def test_a_name_full_of_tricks_stays_within_its_header(exhibit: Exhibit, opened: Opened) -> None:
    item = exhibit.record('a"; x=<b>\r\nSet-Cookie: a=b\u202e.png', png())
    exhibit.store()
    answer = opened(exhibit.root).get(f"/media/{RUN}/{item}")
    assert answer.status_code == 200
    assert "set-cookie" not in answer.headers
    assert re.fullmatch(
        r"inline; filename=\"[\w.-]+\"; filename\*=UTF-8''[\w.%-]+", answer.headers["content-disposition"]
    )


def test_what_could_run_in_a_browser_is_sent_to_be_saved(exhibit: Exhibit, opened: Opened) -> None:
    drawing = exhibit.record("logo.png", SVG)
    tiff = io.BytesIO()
    Image.new("RGB", (9, 9)).save(tiff, "TIFF")
    scan = exhibit.record("scan.tiff", tiff.getvalue())
    exhibit.store()
    client = opened(exhibit.root)
    for item, media_type in ((drawing, "image/svg+xml"), (scan, "image/tiff")):
        answer = client.get(f"/media/{RUN}/{item}")
        assert answer.status_code == 200
        assert answer.headers["content-type"] == media_type
        assert answer.headers["content-disposition"].startswith("attachment; ")
        assert answer.headers["content-security-policy"] == "script-src 'none'; sandbox"
        assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("claimed", ["html", "xml", "no such format", "text"])
def test_a_database_that_claims_a_file_to_be_a_page_is_not_believed(
    exhibit: Exhibit, opened: Opened, claimed: str
) -> None:
    item = exhibit.record("mug.png", png())
    exhibit.store()
    with closing(sqlite3.connect(exhibit.root / ".oloproof/oloproof.db")) as connection, connection:
        connection.execute(
            "UPDATE executions SET media = replace(replace(media, '\"png\"', ?), '\"image/png\"', '\"text/html\"')",
            (f'"{claimed}"',),
        )
    connection.close()
    answer = opened(exhibit.root).get(f"/media/{RUN}/{item}")
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"].startswith("attachment; ")
    assert "sandbox" in answer.headers["content-security-policy"]
