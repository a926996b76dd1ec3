"""Measure what four frames of a long video cost, in CPU-seconds of the processes, beside the best commands by hand.

``python benchmarks/frames.py`` makes a 1080p H.264 file of one minute and one of ten (the same minute ten times),
takes ``Count(4)`` from both, and runs in turn the best command by hand that is exact: one ffmpeg with four seeking
inputs. It is told the moments; ours finds the span of the pictures and the true times too. Figures of one machine
compare with nothing: look at the ratios, medians of interleaved runs.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from oloproof.media.frame_rules import Count
from oloproof.media.frames import extract_frames

MINUTE = 60
FAST_PNG = ["-c:v", "png", "-compression_level", "1", "-pred", "none"]


def ffmpeg(*arguments: str) -> None:
    """Run ffmpeg to its end."""
    subprocess.run(["ffmpeg", "-nostdin", "-y", "-v", "error", *arguments], check=True)


def make_minute(path: Path) -> None:
    """Encode a minute of moving test picture with grain; a key frame every eight seconds."""
    picture = f"testsrc2=size=1920x1080:rate=30:duration={MINUTE},noise=alls=4:allf=t"
    codec = ["-c:v", "libx264", "-preset", "ultrafast", "-g", "240", "-sc_threshold", "0", "-pix_fmt", "yuv420p"]
    ffmpeg("-f", "lavfi", "-i", picture, *codec, str(path))


def repeat(minute: Path, times: int, path: Path) -> None:
    """Put the same minute ``times`` times behind itself, without encoding."""
    ffmpeg("-stream_loop", str(times - 1), "-i", str(minute), "-c", "copy", str(path))


def ours(path: Path, folder: Path, moments: Sequence[float]) -> None:
    """Take four frames as the product does."""
    found = extract_frames(path, "mp4", Count(4), check=lambda: None)
    assert [frame.time for frame in found.frames] == list(moments), found


def by_hand(codec: Sequence[str], ending: str) -> Callable[[Path, Path, Sequence[float]], None]:
    """Return the best command by hand, writing pictures with ``codec``."""

    def run(path: Path, folder: Path, moments: Sequence[float]) -> None:
        arguments: list[str] = []
        for at in moments:
            arguments += ["-threads", "1", "-ss", str(at), "-t", "0.1", "-i", str(path)]
        for index in range(len(moments)):
            arguments += ["-map", f"{index}:v:0", "-frames:v", "1", *codec, str(folder / f"{index}.{ending}")]
        ffmpeg(*arguments)

    return run


def whole(path: Path, folder: Path, moments: Sequence[float]) -> None:
    """Decode everything and keep the four frames."""
    chosen = "+".join(f"between(t,{at - 0.001},{at + 0.001})" for at in moments)
    ffmpeg(
        "-i", str(path), "-vf", f"select='{chosen}'", "-fps_mode", "passthrough", *FAST_PNG, str(folder / "%d.png")
    )  # fmt: skip


def cost(work: Callable[[], None]) -> tuple[float, float]:
    """Return CPU-seconds (of this process and its children) and seconds that ``work`` takes."""
    begun, cpu = time.perf_counter(), _cpu()
    work()
    return _cpu() - cpu, time.perf_counter() - begun


def _cpu() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


WAYS: dict[str, Callable[[Path, Path, Sequence[float]], None]] = {
    "ours": ours,
    "by hand, the same PNG": by_hand(FAST_PNG, "png"),
    "by hand, PNG as ffmpeg writes it": by_hand([], "png"),
    "by hand, PPM": by_hand(["-c:v", "ppm"], "ppm"),
}


def compare(path: Path, minutes: int, folder: Path, repeats: int, full: bool) -> None:
    """Print one table: medians of ``repeats`` interleaved runs."""
    length = minutes * MINUTE
    moments = [length * (2 * index + 1) / 8 for index in range(4)]
    spent: dict[str, list[tuple[float, float]]] = {}
    for _ in range(repeats):
        for name, way in WAYS.items():
            spent.setdefault(name, []).append(cost(lambda way=way: way(path, folder, moments)))  # type: ignore[misc]
    if full:
        spent["full decode (once)"] = [cost(lambda: whole(path, folder, moments))]
    base = statistics.median(cpu for cpu, _ in spent["by hand, the same PNG"])
    print(f"\n{minutes} min, {path.stat().st_size / 1e6:.0f} MB\n")
    print("| how | CPU s | range | wall s | ratio |\n| --- | --- | --- | --- | --- |")
    for name, runs in spent.items():
        cpu, wall = (statistics.median(run[index] for run in runs) for index in (0, 1))
        low, high = min(run[0] for run in runs), max(run[0] for run in runs)
        print(f"| {name} | {cpu:.2f} | {low:.2f}–{high:.2f} | {wall:.2f} | {cpu / base:.2f} |")


def main() -> None:
    """Make the files and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--full", action="store_true", help="decode the whole files too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="oloproof-bench-") as name:
        folder = Path(name)
        make_minute(folder / "minute.mp4")
        repeat(folder / "minute.mp4", 10, folder / "ten.mp4")
        ours(folder / "minute.mp4", folder, [7.5, 22.5, 37.5, 52.5])  # imports and the page cache
        compare(folder / "minute.mp4", 1, folder, options.repeats, options.full)
        compare(folder / "ten.mp4", 10, folder, options.repeats, options.full)


if __name__ == "__main__":
    main()
