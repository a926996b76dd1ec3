"""Starting tools: limits, pipes, and what a hostile file may not make them do."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from oloproof.errors import MediaUnreadable, ToolMissing
from oloproof.media.facts import Limits
from oloproof.media.ffmpeg import Ended, input_arguments, require_tool, run_tool
from oloproof.media.probing import probe
from tests.media.conftest import CASES, facts


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that puts a shell script named ffprobe first on PATH."""

    def write(script: str) -> None:
        path = tmp_path / "ffprobe"
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    return write


def run(timeout: float = 20.0) -> tuple[Ended, list[str]]:
    lines: list[str] = []
    return run_tool(["ffprobe"], timeout=timeout, on_line=lines.append), lines


def test_both_pipes_are_read_at_once_and_only_a_part_is_kept(tool: Callable[[str], None]) -> None:
    tool("i=0; while [ $i -lt 4000 ]; do echo \"error $i: $(printf '%080d' 1)\" >&2; i=$((i+1)); done; echo done")

    ended, lines = run()

    assert (ended.code, lines, ended.error_count) == (0, ["done"], 4000)
    assert len(ended.errors) <= 40
    assert ended.errors[0].startswith("error 0:")
    assert ended.errors[-1].startswith("error 3999:")


def test_a_tool_that_hangs_is_ended_with_its_children(tool: Callable[[str], None], tmp_path: Path) -> None:
    tool(f"sleep 60 & echo $! > {tmp_path}/child; wait")
    start = time.monotonic()

    with pytest.raises(MediaUnreadable) as raised:
        run(timeout=0.5)

    assert raised.value.code == "media_too_slow"
    assert time.monotonic() - start < 10
    child = int((tmp_path / "child").read_text())
    for _ in range(50):
        status = Path(f"/proc/{child}/stat")
        if not status.exists() or status.read_text().split()[2] == "Z":
            break
        time.sleep(0.05)
    else:
        pytest.fail("the child lives on")


def test_nothing_is_read_from_the_callers_keyboard(tool: Callable[[str], None]) -> None:
    tool("if read line; then echo got; else echo end; fi; if [ -t 0 ]; then echo tty; fi")

    assert run()[1] == ["end"]


def test_output_that_is_no_utf8_and_the_exit_code_are_passed_on(tool: Callable[[str], None]) -> None:
    tool("printf 'a\\377b\\n'; exit 3")

    ended, lines = run()

    assert (lines, ended.code) == (["a\ufffdb"], 3)


def test_a_missing_tool_is_named_with_the_way_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ToolMissing, match="apt install ffmpeg"):
        require_tool("ffmpeg", "this check decodes video")


def test_an_input_is_an_absolute_file_address_behind_one_allowed_protocol() -> None:
    arguments = input_arguments(Path("-weird:name%d.mp4"), "mov")

    assert arguments[:4] == ["-protocol_whitelist", "file", "-f", "mov"]
    assert arguments[-1] == f"file:{Path.cwd()}/-weird:name%d.mp4"


def test_scripts_and_playlists_open_no_other_file(tmp_path: Path, made: Callable[[str], Path]) -> None:
    secret = tmp_path / "secret.mp4"
    secret.write_bytes(made("silent.mp4").read_bytes())
    scripts = {
        "list.mp4": f"#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n{secret}\n#EXT-X-ENDLIST\n",
        "concat.mp4": f"ffconcat version 1.0\nfile '{secret}'\n",
        "concat.wav": f"ffconcat version 1.0\nfile 'file:{secret}'\n",
    }
    for name, text in scripts.items():
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        found = facts(path)
        assert (found.kind, found.decodable, found.duration) == (None, "none", None)
        # even when ffprobe is pointed at it, the demuxer that we name does not follow
        forced = probe(path, "mov", packets=True, decode=True, timeout=20, max_pixels=10**6)
        assert not forced.of("video")


def test_a_movie_with_an_outside_data_reference_reads_nothing_else(tmp_path: Path, made: Callable[[str], Path]) -> None:
    data = made("clip.mov").read_bytes()
    assert b"dref" in data
    at = data.index(b"dref") + 12
    # the reference becomes an alias that is not self-contained
    forged = data[: at + 4] + b"alis" + b"\0\0\0\0" + data[at + 12 :]
    (tmp_path / "x.mov").write_bytes(forged)

    found = facts(tmp_path / "x.mov")

    assert found.kind == "video"
    assert found.decodable in ("none", "partial", "complete")


def test_a_limit_in_time_holds_for_real_files() -> None:
    with pytest.raises(MediaUnreadable) as raised:
        facts(CASES / "MR-33.mp4", "decoded", Limits(decode_seconds=0.001))
    assert raised.value.code == "media_too_slow"
