"""A model server on loopback for tests: a real one over HTTP/1.1 that records what it is sent and misbehaves on demand.

::

    with ModelServer(chat("PASS")) as server:
        endpoint = Endpoint("openai_compatible", "any", base_url=server.url)
        ...
    assert server.count == 1
    assert media_of(server.requests[0]) == [("image/png", png)]

What it answers is an ``Answer``, or a script: any callable that is given the ``Request`` and returns an ``Answer``.
The script is called by many threads; ``server.answer = ...`` changes it at any time.

- Ready answers: ``chat``, ``messages`` (Anthropic), ``transcript``, ``answering``, ``failing``, ``rate_limited``,
  ``insufficient_quota``, ``refusing``, ``redirecting``, ``cut_midway``.
- Chat replies that try a reader: ``prose``, ``fenced``, ``thinking``, ``schema_ignored``, and ``praise``, what a server
  says that dropped the picture.
- Ready scripts: ``in_turn``, ``refuses_formats``, ``refuses_parameters``.

``server.requests`` are all requests so far, ``server.count`` is their number, ``server.most_in_flight`` the greatest
number that were being answered at once, ``server.connections`` how many connections were opened.
"""

from __future__ import annotations

import base64
import json
import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Request:
    """A request as it arrived; ``number`` counts from 0."""

    number: int
    path: str
    headers: Mapping[str, str]
    body: bytes = field(repr=False)

    @cached_property
    def json(self) -> Any:
        """The body, read as JSON."""
        return json.loads(self.body)

    @cached_property
    def form(self) -> dict[str, Part]:
        """The body, read as ``multipart/form-data``."""
        head = f"content-type: {self.headers['content-type']}\r\n\r\n".encode()
        parts = BytesParser(policy=HTTP).parsebytes(head + self.body).get_payload()
        return {part.name: part for part in map(Part.read, parts)}

    @property
    def text(self) -> str:
        """All the words of the question, in order."""
        return "\n".join(part["text"] for part in _parts(self.json) if part["type"] == "text")


@dataclass(frozen=True)
class Part:
    """A field or file of a form."""

    name: str
    file_name: str | None
    media_type: str
    data: bytes

    @classmethod
    def read(cls, part: Any) -> Part:
        name = part.get_param("name", header="content-disposition")
        return cls(name, part.get_filename(), part.get_content_type(), part.get_payload(decode=True))


@dataclass(frozen=True)
class Answer:
    """What to answer, after ``delay`` seconds; ``cut`` breaks the connection after so many bytes of the body.

    ``drip`` sends the body byte by byte, so many seconds apart.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    delay: float = 0.0
    cut: int | None = None
    drip: float = 0.0


Script = Callable[[Request], Answer]


class ModelServer:
    """Listens on 127.0.0.1 while it is entered. ``url`` is its base URL, ending in ``/v1``."""

    def __init__(self, answer: Answer | Script) -> None:
        self.answer = answer
        self.requests: list[Request] = []
        self.most_in_flight = 0
        self.connections = 0
        self._in_flight = 0
        self._lock = threading.Lock()
        self._sockets: set[socket.socket] = set()
        self._http = _Http(self)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    @property
    def count(self) -> int:
        """How many requests arrived."""
        return len(self.requests)

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        with self._lock:
            sockets = list(self._sockets)
        for one in sockets:  # kept alive, and waited on by threads
            _cut(one)
        self._thread.join()

    def _received(self, path: str, headers: Mapping[str, str], body: bytes) -> Answer:
        with self._lock:
            request = Request(len(self.requests), path, headers, body)
            self.requests.append(request)
            self._in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            answer = self.answer if isinstance(self.answer, Answer) else self.answer(request)
            time.sleep(answer.delay)
        finally:
            with self._lock:
                self._in_flight -= 1
        return answer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Http

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self._send(self.server.owner._received(self.path, headers, body))

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        for name, value in {"content-type": "application/json", **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(answer.body)))
        self.end_headers()
        if answer.drip:
            for at in range(len(answer.body)):
                self.wfile.write(answer.body[at : at + 1])
                self.wfile.flush()
                time.sleep(answer.drip)
        else:
            self.wfile.write(answer.body if answer.cut is None else answer.body[: answer.cut])
            self.wfile.flush()
        if answer.cut is not None:
            self.close_connection = True

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except OSError:  # the client went away
            self.close_connection = True

    def log_message(self, *_: Any) -> None: ...


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self, owner: ModelServer) -> None:
        self.owner = owner
        super().__init__(("127.0.0.1", 0), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self.owner._lock:
            self.owner._sockets.add(request)
            self.owner.connections += 1
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self.owner._lock:
            self.owner._sockets.discard(request)
        super().shutdown_request(request)

    def handle_error(self, *_: Any) -> None: ...


def _cut(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)


# ---- what was sent ----------------------------------------------------------------------------------------------


def media_of(request: Request) -> list[tuple[str, bytes]]:
    """Return media type and bytes of each picture, sound or uploaded file in a request, in order."""
    if request.headers["content-type"].startswith("multipart/"):
        return [(part.media_type, part.data) for part in request.form.values() if part.file_name]
    return [found for part in _parts(request.json) if (found := _medium(part))]


def _parts(document: Any) -> list[Any]:
    contents = [message["content"] for message in document["messages"]]
    texts = [[{"type": "text", "text": content}] if isinstance(content, str) else content for content in contents]
    return [part for parts in texts for part in parts]


def _medium(part: Any) -> tuple[str, bytes] | None:
    if part["type"] == "image_url":
        head, _, payload = part["image_url"]["url"].partition(";base64,")
        return head.removeprefix("data:"), base64.b64decode(payload, validate=True)
    if part["type"] == "input_audio":
        kind = {"wav": "audio/wav", "mp3": "audio/mpeg"}[part["input_audio"]["format"]]
        return kind, base64.b64decode(part["input_audio"]["data"], validate=True)
    if part["type"] == "image":
        source = part["source"]
        return source["media_type"], base64.b64decode(source["data"], validate=True)
    return None


# ---- ready answers ----------------------------------------------------------------------------------------------


def answering(document: Any, status: int = 200, delay: float = 0.0, **headers: str) -> Answer:
    """Any JSON; headers are written with ``_`` for ``-``."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, named, json.dumps(document).encode(), delay)


def chat(
    text: Any, finish: str | None = "stop", *, delay: float = 0.0, model: str = "served-1", **message: Any
) -> Answer:
    """A success of OpenAI's chat completions; further fields, such as ``reasoning_content``, go into the message."""
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
    usage = {"prompt_tokens": 100, "completion_tokens": 20}
    return answering({"id": "1", "model": model, "choices": [choice], "usage": usage}, delay=delay)


def messages(*blocks: Any, stop_reason: str = "end_turn", model: str = "served-1", delay: float = 0.0) -> Answer:
    """A success of Anthropic's Messages API; a block that is text stands for a text block."""
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    usage = {"input_tokens": 90, "cache_read_input_tokens": 10, "output_tokens": 20}
    return answering(
        {"type": "message", "model": model, "content": content, "stop_reason": stop_reason, "usage": usage}, delay=delay
    )


def transcript(text: str, *, verbose: bool = True, no_speech: float = 0.1, **fields: Any) -> Answer:
    """A success of ``/audio/transcriptions``."""
    more = {"language": "english", "duration": 1.5, "segments": [{"text": text, "no_speech_prob": no_speech}]}
    return answering({"text": text, **(more if verbose else {}), **fields})


def refusing(words: str, status: int = 400, *, code: str = "", param: str | None = None, **headers: str) -> Answer:
    """An error in OpenAI's shape."""
    error = {"message": words, "type": "invalid_request_error", "code": code or None, "param": param}
    return answering({"error": error}, status, **headers)


def failing(status: int = 500, words: str = "internal error") -> Answer:
    """A server's fault; as the only answer, for ever."""
    return refusing(words, status)


def rate_limited(*, seconds: str | None = None, date: str | None = None, milliseconds: str | None = None) -> Answer:
    """429 with Retry-After in seconds or as an HTTP date, or ``retry-after-ms``; with none of them, without a word."""
    headers = {"retry_after": seconds or date, "retry_after_ms": milliseconds}
    return refusing("slow down", 429, code="rate_limit_exceeded", **{k: v for k, v in headers.items() if v is not None})


def insufficient_quota() -> Answer:
    """429 of an account without money: no time will cure it."""
    words = "You exceeded your current quota, please check your plan and billing details."
    return refusing(words, 429, code="insufficient_quota")


def redirecting(to: str, status: int = 307) -> Answer:
    """A redirect."""
    return answering({}, status, location=to)


def cut_midway(cut: int = 20) -> Answer:
    """A success whose connection breaks after ``cut`` bytes of the body."""
    return Answer(body=chat("never whole").body, cut=cut)


def prose(passed: bool = True) -> Answer:
    """Words instead of JSON."""
    return chat(f"I looked at it carefully, and it {'passes' if passed else 'fails'} in my opinion.")


def fenced(passed: bool = True) -> Answer:
    """JSON in a Markdown fence, with words around it."""
    return chat(f"Here is my verdict:\n```json\n{_verdict(passed)}\n```\nI hope that helps.")


def thinking(passed: bool = True) -> Answer:
    """Thinking text, with a draft verdict that says the opposite, before the answer."""
    return chat(f"<think>At first I thought {_verdict(not passed)} but no.</think>\n{_verdict(passed)}")


def schema_ignored() -> Answer:
    """JSON of another shape than was asked for."""
    return chat('{"verdict": "good", "stars": 5}')


def praise(_: Request | None = None) -> Answer:
    """What a server answers that dropped the picture and goes by the text: everything is splendid."""
    return chat('{"pass": true, "reason": "The image looks wonderful and fits the description."}')


def _verdict(passed: bool) -> str:
    return json.dumps({"pass": passed, "reason": "seen"})


# ---- ready scripts ----------------------------------------------------------------------------------------------


def in_turn(*answers: Answer | Script) -> Script:
    """Each answer once, in order; the last for ever."""

    def script(request: Request) -> Answer:
        answer = answers[min(request.number, len(answers) - 1)]
        return answer if isinstance(answer, Answer) else answer(request)

    return script


def refuses_formats(*formats: str, then: Answer, status: int = 400) -> Script:
    """400 for a response format of these types (``json_schema``, ``json_object``, ``verbose_json``), else ``then``."""

    def script(request: Request) -> Answer:
        multipart = request.headers["content-type"].startswith("multipart/")
        wanted = request.form["response_format"].data.decode() if multipart else _format_of(request.json)
        words = f"'response_format.type' {wanted!r} is not supported by this model"
        return refusing(words, status, param="response_format") if wanted in formats else then

    return script


def _format_of(document: Any) -> str | None:
    if "output_config" in document:
        return str(document["output_config"]["format"]["type"])
    return "tool" if "tool_choice" in document else document.get("response_format", {}).get("type")


def refuses_parameters(*names: str, then: Answer) -> Script:
    """400 that names the first of these parameters found in the body, as OpenAI does, else ``then``."""

    def script(request: Request) -> Answer:
        for name in names:
            if name in request.json:
                words = f"Unsupported parameter: '{name}' is not supported with this model."
                return refusing(words, code="unsupported_parameter", param=name)
        return then

    return script
