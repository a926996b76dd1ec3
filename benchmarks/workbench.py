"""Measure the workbench as a process: how soon it answers, how fast media leave it, what one small picture takes.

``python benchmarks/workbench.py`` runs on files that it makes. Beside each figure stands its floor, measured in the
same minute: the imports alone, the same file through a bare socket, and reading it.

``python benchmarks/workbench.py 10000 100000`` measures every kind of page over two runs with so many cases each.
"""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from oloproof.records import Case, Execution, Judgement, MediaItem, Trial, Verdict
from oloproof.storage import Entry, NewRun, Store

REPEATS = 5
BIG = 256 * 1024 * 1024
CHUNK = 1 << 20
IMPORTS = "import oloproof.cli.workbench"

PROJECT = """\
version: 1
project: shown
dataset: cases.jsonl
system: {name: show, version: v1, callable: "app:show", records: [media/v1]}
evaluators: [{type: media_check, criterion: small, kind: image, max_width: 400}]
"""

APP = """\
from oloproof import current_case, media_file


def show(case):
    current_case().media([media_file("big.wav"), media_file("small.png")])
    return {"shown": True}
"""


def main() -> None:
    """Measure and print."""
    sizes = [int(one) for one in sys.argv[1:]]
    for size in sizes:
        pages(size)
    if not sizes:
        alone()


def pages(size: int) -> None:
    """Measure every kind of page over two runs of so many cases: the first visit, then many of each kind."""
    with tempfile.TemporaryDirectory(prefix="oloproof-bench-") as name:
        root = Path(name)
        store_runs(root, size)
        run, two = "/runs/run-1", "/compare?candidate=run-1&baseline=run-0"
        kinds = {
            "the list of runs": ["/", "/?q=v1", "/?decision=NOTHING_DECIDED"],
            "a run": [run, f"{run}?sort=time", f"{run}?view=table", f"{run}?after=case-{size // 2:06d}"],
            "a filtered run": [f"{run}?criterion=says&outcome=fail", f"{run}?q=case-0{size // 20:05d}",
                               f"{run}?criterion=score&sort=score&after=case-{size // 3:06d}"],
            "a case": [f"{run}/cases/case-{number:06d}" for number in (0, size // 3, size - 1)],
            "two runs compared": [two, f"{two}&criterion=score", f"{two}&tab=fixed", f"{two}&tab=unpaired",
                                  f"{two}&tab=moved&after=case-{size // 2:06d}"],
        }  # fmt: skip
        with serving(root) as (process, port):
            print(f"\n{size:,} cases a run\n\n| page | first visit | then, median | 95 % | its CPU, 95 % | HTML |")
            print("| --- | --: | --: | --: | --: | --: |")
            for kind, addresses in kinds.items():
                first = spent(process.pid, lambda page=addresses[0]: fetch(port, page))[0]
                for address in addresses:
                    fetch(port, address)
                visits = [spent(process.pid, lambda page=one: fetch(port, page)) for one in addresses * 20]
                walls, used = ([1000 * one for one in column] for column in zip(*visits, strict=True))
                largest = max(fetch(port, one) for one in addresses)
                print(
                    f"| {kind} | {1000 * first:,.0f} ms | {statistics.median(walls):.0f} ms | {p95(walls):.0f} ms "
                    f"| {p95(used):.0f} ms | {largest / 1000:.0f} kB |"
                )
            print(f"\nmemory at its highest {highest_memory(process.pid)} MB", flush=True)


def p95(times: list[float]) -> float:
    """Return what 95 of a hundred stay below."""
    return statistics.quantiles(times, n=20)[-1]


def spent(pid: int, work: Callable[[], object]) -> tuple[float, float]:
    """Return how many seconds something takes, and how many of a processor the process takes for it (Linux only)."""
    before, used = time.perf_counter(), processor_seconds(pid)
    work()
    return time.perf_counter() - before, processor_seconds(pid) - used


def processor_seconds(pid: int) -> float:
    """Return the processor time of all threads of a process."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


def store_runs(root: Path, size: int) -> None:
    """Store two runs of a system that says otherwise in a third of the cases; every twentieth is broken or fixed."""
    (root / "oloproof.yaml").write_text("version: 1\n")
    entry = {"type": "custom", "version": "1", "calls_model": False, "digest": "0" * 64}
    evaluators = [{**entry, "criterion": "says", "metric": "rate", "score_range": None},
                  {**entry, "criterion": "score", "metric": "score", "score_range": [0.0, 1.0]}]  # fmt: skip
    document = {"project": {"policy": None}, "evaluators": evaluators, "repeats": {"count": 1, "pass_when": None}}
    store = Store(root)
    for run in range(2):
        opened = store.begin(NewRun(f"run-{run}", "p", "s", f"v{run}", "c", "d" * 64, False, size, size, document))
        for start in range(0, size, 1000):
            store.append(opened, [entry_of(run, number) for number in range(start, min(start + 1000, size))])
        store.finish(opened, "complete")
    store.close()


def entry_of(run: int, number: int) -> Entry:
    """Return what one run stores of a case."""
    said = f"a red mug that stands on a table, seen from the front, number {number}" + " now" * (
        run and number % 3 == 0
    )
    passed = number % 10 != 7 if number % 20 not in (3, 7) else run == (number % 20 == 7)
    score = (number * 37 % 101) / 101 * (0.9 if run and number % 5 == 0 else 1.0)
    item = MediaItem("", "output", "image", "a.png", f"{run}.png", "a.png", "png", "image/png", 3, f"{run}" * 64, 9, 9)
    verdict = Verdict("missing", "gone") if number % 50 == run else Verdict("pass" if passed else "fail", "as it says")
    judged = [Judgement((verdict,)), Judgement((Verdict.passed("so much", score=score),))]
    trial = Trial(number, Case(f"case-{number:06d}", "x"))
    media = (item,) if number % 2 else ()
    return Entry(trial, b"%d/%d" % (run, number), '"x"', Execution({"text": said}, media, seconds=0.01), judged)


def alone() -> None:
    """Measure what does not depend on the number of cases."""
    with tempfile.TemporaryDirectory(prefix="oloproof-bench-") as name:
        root = Path(name)
        run = make_project(root)
        ready = [seconds_until_ready(root) for _ in range(REPEATS)]
        imports = [seconds_of([sys.executable, "-c", IMPORTS]) for _ in range(REPEATS)]
        print(f"answers after {statistics.median(ready):.2f} s; its imports alone {statistics.median(imports):.2f} s")
        with serving(root) as (process, port):
            ways = (lambda: read(root / "big.wav"), lambda: bare(root / "big.wav"),
                    lambda: fetch(port, f"/media/{run}/1.0"))  # fmt: skip
            for place, cold in (("memory", False), ("the disk", True)):
                rates = [[rate(way, root / "big.wav", cold=cold) for way in ways] for _ in range(REPEATS)]
                told = [f"{statistics.median(column):,.0f} MB/s" for column in zip(*rates, strict=True)]
                print(f"{BIG >> 20} MiB from {place}: read {told[0]}, by a bare socket {told[1]}, by us {told[2]}")
            print(f"memory at its highest {highest_memory(process.pid)} MB")
            times = small_answers(port, f"/media/{run}/1.1/thumbnail")
            middle = statistics.median(times)
            print(f"a small picture that was made before: median {middle:.1f} ms, 95 % {p95(times):.1f} ms")


def make_project(root: Path) -> str:
    """Make a project with a large and a small file, run it, and return the id of the run."""
    (root / "oloproof.yaml").write_text(PROJECT)
    (root / "app.py").write_text(APP)
    (root / "cases.jsonl").write_text('{"id": "one", "input": 1}\n')
    (root / "small.png").write_bytes(picture(400))
    head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", BIG - 8, b"WAVE", b"fmt ", 16, 1, 1, 48000, 96000, 2, 16,
                       b"data", BIG - 44)  # fmt: skip
    with (root / "big.wav").open("wb") as file:
        file.write(head)
        for _ in range(BIG // CHUNK):
            file.write(os.urandom(CHUNK if file.tell() + CHUNK <= BIG else BIG - file.tell()))
    oloproof(root, "run", "--quiet")
    return oloproof(root, "runs", "--json").split('"run": "')[1].split('"')[0]


def picture(side: int) -> bytes:
    """Return a grey PNG."""
    rows = b"".join(b"\0" + bytes(x * y % 256 for x in range(side)) for y in range(side))
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    ]
    packed = (struct.pack(">I", len(d)) + n + d + struct.pack(">I", zlib.crc32(n + d)) for n, d in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


def oloproof(root: Path, *arguments: str) -> str:
    """Run a command in the project."""
    command = [sys.executable, "-m", "oloproof", *arguments]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout


@contextlib.contextmanager
def serving(root: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Start the workbench; yields its process and port."""
    command = [sys.executable, "-m", "oloproof", "workbench", "--port", "0", "--no-browser"]
    process = subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process, int(process.stdout.readline().rpartition(":")[2])
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


def seconds_until_ready(root: Path) -> float:
    """Return how long it takes from the command to the first answer."""
    before = time.perf_counter()
    with serving(root) as (_, port):
        fetch(port, "/healthz")
        return time.perf_counter() - before


def seconds_of(command: list[str]) -> float:
    """Return how long a command takes."""
    before = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - before


def rate(work: Callable[[], object], file: Path, *, cold: bool) -> float:
    """Return megabytes a second; ``cold``: the system no longer holds the file in memory."""
    if cold:
        forget(file)
    before = time.perf_counter()
    work()
    return BIG / (time.perf_counter() - before) / 1e6


def forget(path: Path) -> None:
    """Let the system drop what it holds of a file."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def read(path: Path) -> None:
    """Read a file as it is served."""
    with path.open("rb", buffering=0) as file:
        while file.read(CHUNK):
            pass


def bare(path: Path) -> None:
    """Send a file over a socket and do nothing else."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def send() -> None:
            connection, _ = server.accept()
            with connection, path.open("rb", buffering=0) as file:
                while data := file.read(CHUNK):
                    connection.sendall(data)

        threading.Thread(target=send).start()
        drain(socket.create_connection(server.getsockname()))


def fetch(port: int, address: str) -> int:
    """Ask for an address and take all that comes; returns how many bytes that were."""
    connection = socket.create_connection(("127.0.0.1", port))
    connection.sendall(f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
    return drain(connection)


def drain(connection: socket.socket) -> int:
    """Take what comes until the other side closes; returns how many bytes that were."""
    buffer, taken = bytearray(CHUNK), 0
    with connection:
        while got := connection.recv_into(buffer):
            taken += got
    return taken


def small_answers(port: int, address: str) -> list[float]:
    """Return the milliseconds of a hundred answers on one connection, after the first."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    times = []
    for _ in range(101):
        before = time.perf_counter()
        connection.request("GET", address)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200
        times.append(1000 * (time.perf_counter() - before))
    connection.close()
    return times[1:]


def highest_memory(pid: int) -> int:
    """Return the most memory that a process had so far, in MB (Linux only)."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) // 1000


if __name__ == "__main__":
    main()
