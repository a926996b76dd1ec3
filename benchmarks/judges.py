"""Measure what judging costs: 1,000 cases with a 100 kB picture, a server that takes 50 ms, 32 requests at once.

``python benchmarks/judges.py`` compares a whole run with a bare httpx loop that sends the same bodies, and with the
rerun that asks nothing. The server is a process of its own and is not counted. Figures of one machine compare with
nothing: look at the ratio, of runs that take turns.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.request import urlopen

from bench import Cost, cost_of, disk, median, noise_png, oloproof, show

WIDE = 32
DELAY = 0.05

PROJECT = """\
version: 1
project: judged
dataset: {{path: cases.jsonl, media: [photo]}}
system: {{name: see, version: v1, callable: "app:see", records: [media/v1]}}
concurrency: 32
evaluators:
  - type: rubric_judge
    criterion: right
    provider: openai_compatible
    base_url: {url}
    model: bench
    rubric_text: Pass only if the picture is noise.
    media: input
    concurrency: 32
    sight_test: "off"
"""

APP = """\
from oloproof import current_case, media_file


def see(case):
    current_case().media([media_file(case["photo"], role="input")])
    return {"seen": True}
"""

BARE = """\
import base64, json, pathlib, ssl, sys, threading, queue
import httpx

trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # nothing is verified here, and loading certificates is no part of it

photos = sorted(pathlib.Path("photos").iterdir())
waiting = queue.SimpleQueue()
for photo in photos:
    waiting.put(photo)
words = {"type": "text", "text": "Rubric and case. " * 60}


def ask():
    with httpx.Client(timeout=60, verify=trust, trust_env=False) as client:
        while True:
            try:
                photo = waiting.get_nowait()
            except queue.Empty:
                return
            uri = "data:image/png;base64," + base64.b64encode(photo.read_bytes()).decode()
            content = [words, {"type": "image_url", "image_url": {"url": uri}}]
            body = json.dumps({"model": "bench", "messages": [{"role": "user", "content": content}]}).encode()
            reply = client.post(sys.argv[1] + "/chat/completions", content=body)
            json.loads(reply.json()["choices"][0]["message"]["content"])


threads = [threading.Thread(target=ask) for _ in range(32)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""

REPLY = {
    "model": "bench-1",
    "choices": [
        {"finish_reason": "stop", "message": {"content": json.dumps({"reason": "It is noise all over.", "pass": True})}}
    ],
    "usage": {"prompt_tokens": 300, "completion_tokens": 20},
}


class Server(ThreadingHTTPServer):
    """Counts requests and how many were in flight at most; ``GET /`` tells and forgets both."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock = threading.Lock()
        self.count = self.now = self.most = 0


class Handler(BaseHTTPRequestHandler):
    """Answers every question after a moment."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: Server

    def do_POST(self) -> None:
        """Take a question, wait, pass."""
        self.rfile.read(int(self.headers["content-length"]))
        with self.server.lock:
            self.server.count += 1
            self.server.now += 1
            self.server.most = max(self.server.most, self.server.now)
        time.sleep(DELAY)
        with self.server.lock:
            self.server.now -= 1
        self._send(REPLY)

    def do_GET(self) -> None:
        """Tell the counts and begin anew."""
        with self.server.lock:
            told = {"count": self.server.count, "most": self.server.most}
            self.server.count = self.server.most = 0
        self._send(told)

    def _send(self, document: object) -> None:
        body = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def counts(url: str) -> dict[str, int]:
    """Return how many requests came since the last call, and how many were in flight at most."""
    with urlopen(url.removesuffix("v1"), timeout=10) as reply:  # noqa: S310 - our own server
        return dict(json.load(reply))


def project(folder: Path, url: str, n: int) -> None:
    """Write a project of ``n`` cases with a picture each."""
    (folder / "oloproof.yaml").write_text(PROJECT.format(url=url))
    (folder / "app.py").write_text(APP)
    (folder / "photos").mkdir()
    chance = random.Random(7)
    with (folder / "cases.jsonl").open("w") as file:
        for i in range(n):
            (folder / "photos" / f"{i:05}.png").write_bytes(noise_png(chance))
            file.write(json.dumps({"id": f"c{i}", "input": {"photo": f"photos/{i:05}.png"}}) + "\n")


def measure(folder: Path, url: str, n: int, repeats: int) -> None:
    """Run the bare loop, the run and its rerun in turns, and print a row for each."""
    bare, ours, reruns = [], [], []
    most, written, asked = 0, 0.0, 0
    for _ in range(repeats):
        counts(url)
        bare.append(cost_of([sys.executable, "-c", BARE, url], folder))
        counts(url)
        subprocess.run(["rm", "-rf", str(folder / ".oloproof")], check=True)
        ours.append(cost_of(oloproof("run", "--quiet", "--json"), folder))
        told = counts(url)
        most, written = max(most, told["most"]), disk(folder)
        assert told["count"] == n, told
        reruns.append(cost_of(oloproof("run", "--quiet", "--json"), folder))
        asked += counts(url)["count"]
    start = cost_of([sys.executable, "-c", "import oloproof.cli.running, oloproof.evaluators.judges.rubric"], folder)
    show("floor: a bare httpx loop, the same bodies", median(bare), n)
    show(f"{n:,} judged cases", median(ours), n, written, f"at most {most} in flight; targets 120 MB, 3 MB")
    show("its rerun", median(reruns), n, None, f"{asked} requests; target 0.5 s")
    show("imports of such a run", start)
    work = [Cost(one.cpu - start.cpu, one.wall, one.memory) for one in ours]
    whole = statistics.median(a.cpu / b.cpu for a, b in zip(ours, bare, strict=True))
    alone = statistics.median(a.cpu / b.cpu for a, b in zip(work, bare, strict=True))
    print(f"\nCPU of the run: {whole:.2f} of the bare loop, {alone:.2f} without the imports (target 1.5)")


def main() -> None:
    """Start the server in a process of its own and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        server = Server()
        print(server.server_address[1], flush=True)
        server.serve_forever()
    process = subprocess.Popen([sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        url = f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        print(f"Python {sys.version.split()[0]}, {os.cpu_count()} processors; medians of {options.repeats}\n")
        with tempfile.TemporaryDirectory() as work:
            project(Path(work), url, options.cases)
            measure(Path(work), url, options.cases, options.repeats)
    finally:
        process.terminate()


if __name__ == "__main__":
    main()
