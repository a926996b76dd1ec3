"""check, init, schema, doctor, media, and the help that a new user reads first."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from oloproof.cli.group import COMMANDS, root

CASES = Path(__file__).parent.parent / "data" / "media-cases"


def test_help_names_every_command_and_loads_none(folder: Any) -> None:
    script = (
        "import sys\nsys.argv = ['oloproof', '--help']\n"
        "from oloproof.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print(sorted(name for name in ('pydantic', 'sqlite3', 'yaml', 'PIL', 'numpy') if name in sys.modules))\n"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert all(f"  {name} " in out for name in COMMANDS)
    assert out.splitlines()[-1] == "[]"


@pytest.mark.parametrize("name", list(COMMANDS))
def test_the_list_of_commands_says_what_each_command_says_of_itself(name: str) -> None:
    import click

    command = root.get_command(click.Context(root), name)
    assert command is not None
    assert command.short_help == COMMANDS[name][1]
    assert command.help


def test_check_tries_one_case_and_says_what_rules_can_decide(echo: Callable[..., Any]) -> None:
    folder = echo(30, more="policy: {rules: [{id: floor, metric: right, min: 0.8}]}\n")
    ended = folder.run("check")
    assert ended.exit == 0
    assert "PASS from 29, FAIL up to 18" in ended.out
    assert "ready" in ended.out
    narrow = folder.run("check", env={"COLUMNS": "60"}).out
    assert max(map(len, narrow.splitlines())) <= 60
    assert "\n    floor (right): PASS from 29, FAIL up to 18, nothing else\n      decides\n" in narrow
    document = folder.run("check", "--json", cold=True).document
    assert document["tried"]["verdicts"] == [
        {"criterion": "right", "outcome": "pass", "score": None, "reason": "output is the expected value"}
    ]
    assert not (folder.root / ".oloproof").exists(), "a check stores no run"


@pytest.mark.parametrize(
    ("break_it", "words"),
    [
        (lambda folder: folder.write("app.py", "def answer(case:\n"), "app.py"),
        (lambda folder: folder.write("app.py", "import nosuchmodule\n"), "nosuchmodule"),
        (lambda folder: folder.write("app.py", "def other(case): pass\n"), "answer"),
        (lambda folder: folder.write("cases.jsonl", '{"id": "a"}\n'), "input"),
        (
            lambda folder: folder.write("release.yaml", "version: 1\nrules: [{id: a, metric: wrongg, min: 1}]\n"),
            "right",
        ),
        (lambda folder: folder.write("release.yaml", "version: 1\nrules: [{id: a, metric: right, min: 80}]\n"), "0.80"),
    ],
)
def test_check_is_never_ready_for_what_run_refuses(echo: Callable[..., Any], break_it: Any, words: str) -> None:
    folder = echo(3)
    break_it(folder)
    checked, ran = folder.run("check"), folder.run("run")
    assert (checked.exit, ran.exit) == (2, 2)
    assert "ready: " not in checked.out
    assert words in checked.err
    assert words in ran.err
    assert "oloproof/" not in checked.err, "no traceback of ours"


def test_what_steers_a_terminal_is_written_out_where_a_check_and_a_run_begin(echo: Callable[..., Any]) -> None:
    folder = echo(2, app="def answer(case):\n    raise ValueError('\\x1b[2J gone')\n")
    project = (folder.root / "oloproof.yaml").read_text()
    folder.write("oloproof.yaml", project.replace("version: v1", 'version: "v1\\n\\e[31m"'))
    folder.cases([{"id": "\u202ertl", "input": {"n": 1}, "expected": {"answer": 2}}])
    checked, ran = folder.run("check"), folder.run("run")
    assert "\\x1b[2J gone" in checked.out
    assert "\\u202ertl" in checked.out
    assert ": echo@v1 \\x1b[31m, 1 trial of 1 case" in ran.err
    assert not set("\x1b\u202e") & set(checked.out + checked.err + ran.out + ran.err)


def test_check_of_a_system_that_fails_on_the_case_is_not_ready(echo: Callable[..., Any]) -> None:
    ended = echo(3, app="def answer(case):\n    raise KeyError('model')\n").run("check")
    assert ended.exit == 1
    assert "KeyError" in ended.out
    assert "not ready" in ended.out


def test_init_makes_a_project_that_is_ready_and_runs(folder: Any) -> None:
    made = folder.run("init", "demo", cold=True)
    assert made.exit == 0, made.err
    assert folder.run("check", "--config", "demo").exit == 0
    ran = folder.run("run", "--config", "demo", "--json")
    assert ran.exit == 0, ran.err
    assert ran.document["decisions"]
    again = folder.run("init", "demo")
    assert again.exit == 2
    assert "overwritten" in again.err
    assert folder.run("init", "other", "--example", "nosuch").exit == 2


def test_schema_accepts_what_run_accepts_and_refuses_what_it_refuses(folder: Any) -> None:
    schema = folder.run("schema", cold=True).document
    good = yaml.safe_load(
        "{version: 1, project: p, dataset: c.jsonl, system: {callable: 'a:b'},"
        " evaluators: [{type: media_check, criterion: fits, max_width: 5}]}"
    )
    jsonschema.validate(good, schema)
    good["evaluators"][0]["max_widht"] = 5
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(good, schema)
    assert "rules" in folder.run("schema", "--policy").document["properties"]


def test_doctor_says_what_is_here(folder: Any) -> None:
    tools = {tool["name"]: tool for tool in folder.run("doctor", "--json", cold=True).document["tools"]}
    assert tools["ffprobe"]["version"]
    assert tools["pillow"]["version"]
    missing = folder.run("doctor", env={"PATH": str(folder.root)})
    assert "ffmpeg: needed for" in missing.out


def test_media_prints_the_agreed_facts(folder: Any) -> None:
    clip, picture = str(CASES / "MR-21.mp4"), str(CASES / "MR-08-a.png")
    document = folder.run("media", "--json", clip, picture, cold=True).document
    assert set(document["files"][0]) >= {
        "path",
        "kind",
        "format",
        "media_type",
        "size",
        "sha256",
        "width",
        "height",
        "stored_width",
        "stored_height",
        "orientation",
        "duration",
        "frames",
        "animated",
        "has_audio",
        "decodable",
        "extension_matches",
        "findings",
    }
    assert [(one["width"], one["height"], one["extension_matches"]) for one in document["files"]] == [
        (180, 320, True),
        (200, 140, False),
    ]
    assert document["files"][1]["findings"][0]["code"] == "extension_mismatch"


def test_a_file_name_of_odd_bytes_is_printed_as_what_it_is(folder: Any) -> None:
    name = "two\nlines\x1b[31m\udcff.png"
    (folder.root / name).write_bytes((CASES / "MR-12.png").read_bytes())

    assert folder.run("media", "--json", name).document["files"][0]["path"] == name
    assert folder.run("media", name).out.splitlines()[0] == "two\\nlines\\x1b[31m\\udcff.png"


def test_media_ends_with_2_when_a_file_cannot_be_opened_and_tells_the_others(folder: Any) -> None:
    ended = folder.run("media", "--json", "nosuch.png", str(CASES / "MR-12.png"))
    assert ended.exit == 2
    assert len(ended.document["files"]) == 1
    assert "nosuch.png" in ended.err


def test_media_without_ffmpeg_is_one_clear_error_for_a_clip_and_none_for_a_picture(folder: Any) -> None:
    without = {"PATH": str(folder.root)}
    assert folder.run("media", str(CASES / "MR-12.png"), env=without).exit == 0
    ended = folder.run("media", "--json", str(CASES / "MR-21.mp4"), str(CASES / "MR-12.png"), env=without)
    assert ended.exit == 2
    assert "ffprobe" in ended.err
    assert [one["format"] for one in ended.document["files"]] == ["png"]
    assert ended.document["errors"][0]["code"] == "tool_missing"
