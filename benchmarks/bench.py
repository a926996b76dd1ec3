"""Measure what a run costs, as whole processes: CPU, cases a second, peak memory, bytes on disk.

``python benchmarks/bench.py`` measures everything that takes seconds; ``--full`` adds what takes minutes. Figures of
one machine compare with nothing: look at the ratios to the floors (a bare loop, the raw hash, the imports alone),
which are measured in the same minute.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

REPEATS = 3
IMPORTS = "import oloproof.cli.running, oloproof.evaluators.exact_match, oloproof.evaluators.media_check"

TRIVIAL = """\
version: 1
project: trivial
dataset: cases.jsonl
system: {name: echo, version: v1, callable: "app:answer"}
evaluators: [{type: exact_match, criterion: right, field: answer, expected_field: answer}]
policy: {rules: [{id: floor, metric: right, min: 0.9}]}
"""

TRIVIAL_APP = """\
def answer(case):
    return {"answer": case["n"] * 2}
"""

IMAGES = """\
version: 1
project: images
dataset: {path: cases.jsonl, media: [photo]}
system: {name: see, version: v1, callable: "app:see", records: [media/v1]}
evaluators: [{type: media_check, criterion: fits, role: input, kind: image, formats: [png], max_width: 4000}]
policy: {rules: [{id: floor, metric: fits, min: 0.9}]}
"""

IMAGES_APP = """\
from oloproof import current_case, media_file


def see(case):
    current_case().media([media_file(case["photo"], role="input")])
    return {"seen": True}
"""


@dataclass(frozen=True)
class Cost:
    """What one process cost: seconds of CPU and wall, peak memory in MB."""

    cpu: float
    wall: float
    memory: float


def cost_of(command: Sequence[str], cwd: Path) -> Cost:
    """Run a command to its end and return what the operating system accounts to it.

    Modules are kept compiled as an installed package has them, also where the environment says otherwise.
    """
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    started = time.perf_counter()
    process = subprocess.Popen(command, cwd=cwd, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode not in (0, 1):
        raise SystemExit(f"{command} ended with {process.returncode}: {errors.decode()[-2000:]}")
    scale = 1024 if sys.platform == "linux" else 1024 * 1024
    return Cost(usage.ru_utime + usage.ru_stime, time.perf_counter() - started, usage.ru_maxrss / scale)


def median(costs: Sequence[Cost]) -> Cost:
    """Return the median of each figure."""
    return Cost(*(statistics.median(getattr(cost, name) for cost in costs) for name in ("cpu", "wall", "memory")))


def oloproof(*arguments: str) -> list[str]:
    """Return the command line of this Python's Oloproof."""
    return [sys.executable, "-m", "oloproof", *arguments]


def trivial_project(folder: Path, n: int) -> None:
    """Write a project of ``n`` cases that cost nothing to answer."""
    (folder / "oloproof.yaml").write_text(TRIVIAL)
    (folder / "app.py").write_text(TRIVIAL_APP)
    with (folder / "cases.jsonl").open("w") as file:
        for i in range(n):
            file.write(json.dumps({"id": f"c{i}", "input": {"n": i}, "expected": {"answer": i * 2}}) + "\n")


def image_project(folder: Path, n: int) -> None:
    """Write a project of ``n`` cases with a noise PNG of about 100 kB each."""
    (folder / "oloproof.yaml").write_text(IMAGES)
    (folder / "app.py").write_text(IMAGES_APP)
    (folder / "photos").mkdir()
    chance = random.Random(7)
    with (folder / "cases.jsonl").open("w") as file:
        for i in range(n):
            (folder / "photos" / f"{i}.png").write_bytes(noise_png(chance))
            file.write(json.dumps({"id": f"c{i}", "input": {"photo": f"photos/{i}.png", "question": "what?"}}) + "\n")


def noise_png(chance: random.Random, side: int = 182) -> bytes:
    """Return an RGB PNG of noise, stored and not compressed since noise cannot be."""
    rows = b"".join(b"\0" + chance.randbytes(side * 3) for _ in range(side))
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 0)), (b"IEND", b""))
    body = b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + body


def disk(folder: Path) -> float:
    """Return the MB that a project's runs take."""
    return sum(file.stat().st_size for file in (folder / ".oloproof").rglob("*") if file.is_file()) / 1e6


def measured_run(folder: Path, *, again: bool) -> tuple[Cost, float]:
    """Return the median cost of a run, from nothing or (``again``) answered from the cache, and the MB it wrote."""
    costs = []
    written = 0.0
    for _ in range(REPEATS):
        if not again:
            shutil.rmtree(folder / ".oloproof", ignore_errors=True)
        before = disk(folder) if again else 0.0
        costs.append(cost_of(oloproof("run", "--quiet", "--json"), folder))
        written = disk(folder) - before
    return median(costs), written


def show(name: str, cost: Cost, n: int | None = None, written: float | None = None, note: str = "") -> None:
    """Print one row."""
    rate = "" if n is None else f"{n / cost.wall:8,.0f}/s {1e6 * cost.cpu / n:8,.0f} µs"
    stored = "" if written is None else f"{written:6.2f} MB"
    print(f"{name:<44}{cost.cpu:7.2f} s {cost.memory:7.0f} MB  {rate:<24}{stored:>10}  {note}", flush=True)


def bench_start(work: Path) -> None:
    """The interpreter, the imports, the help."""
    pure = median([cost_of([sys.executable, "-c", "pass"], work) for _ in range(REPEATS)])
    show("python -c pass", pure)
    show("oloproof --help", median([cost_of(oloproof("--help"), work) for _ in range(REPEATS)]), note="target 0.25 s")
    show("imports of a run", median([cost_of([sys.executable, "-c", IMPORTS], work) for _ in range(REPEATS)]))


def bench_trivial(work: Path, n: int, note: str) -> Cost:
    """Cases that cost nothing: what Oloproof itself takes."""
    folder = work / f"trivial{n}"
    folder.mkdir()
    trivial_project(folder, n)
    cost, written = measured_run(folder, again=False)
    show(f"{n:,} trivial cases", cost, n, written, note)
    again, written = measured_run(folder, again=True)
    show(f"{n:,} trivial cases, answered from the cache", again, n, written)
    return cost


def bench_images(work: Path, n: int, notes: tuple[str, str]) -> None:
    """Cases with a 100 kB picture each, and the floor: reading and hashing them in a bare loop."""
    folder = work / f"images{n}"
    folder.mkdir()
    image_project(folder, n)
    loop = "import hashlib, pathlib\nfor p in pathlib.Path('photos').iterdir(): hashlib.sha256(p.read_bytes())"
    show(f"floor: {n:,} pictures read and hashed", median([cost_of([sys.executable, "-c", loop], folder)] * 1), n)
    cost, written = measured_run(folder, again=False)
    show(f"{n:,} cases with a picture", cost, n, written, notes[0])
    again, written = measured_run(folder, again=True)
    show(f"{n:,} cases with a picture, from the cache", again, n, written, notes[1])


def bench_hashing(work: Path) -> None:
    """Our digest of one large file against hashlib's own, of the file and of the same bytes in memory."""
    from oloproof.media.digesting import sha256_of

    path = work / "large.bin"
    data = random.Random(1).randbytes(1 << 20) * 256
    path.write_bytes(data)
    of_file, of_memory = [], []
    for _ in range(5):
        memory = _cpu(lambda: hashlib.sha256(data).hexdigest())
        with path.open("rb") as file:
            raw = _cpu(lambda file=file: hashlib.file_digest(file, "sha256").hexdigest())  # type: ignore[misc]
            ours = _cpu(lambda file=file: sha256_of(file))  # type: ignore[misc]
        of_file.append(raw / ours)
        of_memory.append(memory / ours)
    print(
        f"hashing a file of 256 MiB: {statistics.median(of_file):.2f} of the rate of a bare hashlib.file_digest "
        f"(target 0.9), {statistics.median(of_memory):.2f} of hashing the bytes in memory; "
        f"{len(data) / 1e9 / ours:.2f} GB/s"
    )


def bench_phash(work: Path) -> None:
    """The perceptual hash of a baseline JPEG of 12 megapixels, warm."""
    from PIL import Image

    from oloproof.media.hashing import perceptual_hash

    path = work / "large.jpg"
    small = Image.effect_mandelbrot((400, 300), (-2, -1.5, 1, 1.5), 100).convert("RGB")
    grain = Image.effect_noise((4000, 3000), 30).convert("RGB")
    Image.blend(small.resize((4000, 3000), Image.Resampling.BICUBIC), grain, 0.3).save(path, quality=90)
    floors, ours = [], []
    for _ in range(9):
        floors.append(_cpu(lambda: Image.open(path).load()))
        with path.open("rb") as file:
            ours.append(_cpu(lambda file=file: perceptual_hash(file)))  # type: ignore[misc]
    size = path.stat().st_size / 1e6
    print(
        f"pHash of a 12-megapixel JPEG ({size:.1f} MB): {1000 * statistics.median(ours):.0f} ms, "
        f"{statistics.median(ours) / statistics.median(floors):.2f} of one full decode (target 30 ms)"
    )


def _cpu(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def everything(work: Path, *, full: bool) -> Iterator[Callable[[], object]]:
    """Yield the benchmarks in their order."""
    yield lambda: bench_start(work)
    yield lambda: bench_trivial(work, 1_000, "")
    yield lambda: bench_trivial(work, 10_000, "targets 2.0 s, 110 MB, 8 MB")
    yield lambda: bench_images(work, 1_000, ("target 0.8 s", "target 0.5 s"))
    if full:
        yield lambda: bench_trivial(work, 100_000, "peak memory: under 1.5 times that of 1,000")
        yield lambda: bench_images(work, 10_000, ("", "target 150 MB"))
    # these two fill this process's own memory, which Linux takes for the least of what it starts afterwards
    yield lambda: bench_hashing(work)
    yield lambda: bench_phash(work)


def main() -> None:
    """Run the benchmarks and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="also what takes minutes: 100,000 cases, 10,000 pictures")
    full = parser.parse_args().full
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} processors; medians of {REPEATS}\n")
    print(f"{'':<44}{'CPU':>9} {'peak':>10}  {'cases, CPU a case':<24}{'on disk':>10}")
    with tempfile.TemporaryDirectory() as work:
        for bench in everything(Path(work), full=full):
            bench()


if __name__ == "__main__":
    main()
