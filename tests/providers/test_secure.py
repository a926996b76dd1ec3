"""TLS and HTTP/2: where a server offers it, with many threads at once."""

from __future__ import annotations

import json
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import h2.config
import h2.connection
import h2.events
import pytest

from oloproof.errors import ProviderUnreachable
from oloproof.providers import Endpoint, ImagePart, open_chat
from tests.model_server import Request, chat, media_of
from tests.providers.conftest import png, question


class SecureServer:
    """Answers every question over TLS with HTTP/2, each connection in a thread of its own."""

    def __init__(self, certificate: Path, protocols: list[str]) -> None:
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate)
        self.context.set_alpn_protocols(protocols)
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.requests: list[Request] = []
        self.spoken: set[str | None] = set()
        self.sockets: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"https://localhost:{self.listening.getsockname()[1]}/v1"

    def close(self) -> None:
        for one in [*self.sockets, self.listening]:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                raw, _ = self.listening.accept()
                self.sockets.append(raw)
                threading.Thread(target=self._serve, args=(raw,), daemon=True).start()

    def _serve(self, raw: socket.socket) -> None:
        with suppress(OSError), self.context.wrap_socket(raw, server_side=True) as stream:
            self.sockets.append(stream)
            self.spoken.add(stream.selected_alpn_protocol())
            self._speak(stream)

    def _speak(self, stream: ssl.SSLSocket) -> None:
        http = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        http.initiate_connection()
        stream.sendall(http.data_to_send())
        heads: dict[int, dict[str, str]] = {}
        bodies: dict[int, bytes] = {}
        while data := stream.recv(65536):
            for event in http.receive_data(data):
                self._hear(event, http, heads, bodies)
            stream.sendall(http.data_to_send())

    def _hear(self, event: Any, http: Any, heads: dict[int, dict[str, str]], bodies: dict[int, bytes]) -> None:
        if isinstance(event, h2.events.RequestReceived):
            heads[event.stream_id] = {name.decode(): value.decode() for name, value in event.headers}
            bodies[event.stream_id] = b""
        elif isinstance(event, h2.events.DataReceived):
            bodies[event.stream_id] += event.data
            http.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamEnded):
            body = bodies[event.stream_id]
            self.requests.append(Request(0, heads[event.stream_id][":path"], heads[event.stream_id], body))
            time.sleep(0.02)
            answer = chat(str(json.loads(body)["seed"])).body
            http.send_headers(event.stream_id, [(":status", "200"), ("content-type", "application/json")])
            http.send_data(event.stream_id, answer, end_stream=True)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for localhost with its key, in one file."""
    path = tmp_path_factory.mktemp("tls") / "localhost.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command += ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "2"]
    ended = subprocess.run([*command, "-keyout", "-", "-out", "-"], capture_output=True, check=True)
    path.write_bytes(ended.stdout)
    return path


@pytest.fixture
def secure(certificate: Path) -> Iterator[SecureServer]:
    server = SecureServer(certificate, ["h2", "http/1.1"])
    yield server
    server.close()


def test_http2_is_spoken_where_it_is_offered_and_threads_do_not_disturb_each_other(
    secure: SecureServer, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with (
        open_chat(Endpoint("openai_compatible", "m", base_url=secure.url, concurrency=16)) as client,
        ThreadPoolExecutor(16) as pool,
    ):
        pictures = [png(number, 150) for number in range(64)]
        asked = [question(ImagePart(pictures[n], "image/png"), seed=n) for n in range(64)]
        replies = list(pool.map(client.ask, asked))
    assert [reply.text for reply in replies] == [str(n) for n in range(64)]
    assert {reply.attempts for reply in replies} == {1}
    assert secure.spoken == {"h2"}
    assert sorted(media_of(request)[0][1] for request in secure.requests) == sorted(pictures)


def test_a_server_that_nobody_vouches_for_is_told_nothing(secure: SecureServer) -> None:
    with (
        open_chat(Endpoint("openai_compatible", "m", base_url=secure.url, retry_cap=0.01)) as client,
        pytest.raises(ProviderUnreachable, match=r"was asked and never answered: .*certificate.*; set SSL_CERT_FILE"),
    ):
        client.ask(question())
    assert not secure.requests
