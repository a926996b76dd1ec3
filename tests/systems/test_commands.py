"""A program as the system, one process a trial: what it is sent, what it may answer, how it may fail."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from oloproof.errors import SystemError_
from oloproof.systems import processes
from tests.systems.conftest import PNG, Opened

Open = Callable[..., Opened]
Program = Callable[..., list[str]]
ECHO = "request = json.load(sys.stdin)\nprint(json.dumps({'output': request}))"


def test_a_trial_is_sent_as_one_json_document_and_runs_in_the_projects_folder(opened: Open, program: Program) -> None:
    body = "request = json.load(sys.stdin)\n"
    body += "print(json.dumps({'output': [request, os.getcwd(), os.path.isdir(request['out'])]}))"
    system = opened(program(body))
    request, folder, out_exists = system.ask({"q": "é\udcff\0"}, case="a/b", variant="dark", repeat=2).output
    out = system.root / "out/tested@v1/run1/a%2Fb/dark/2"
    assert request == {"id": "a/b", "input": {"q": "é\udcff\0"}, "variant": "dark", "repeat": 2, "out": str(out)}
    assert (folder, out_exists) == (str(system.root), True)


def test_every_trial_has_a_process_of_its_own_also_at_once(opened: Open, program: Program) -> None:
    system = opened(program("json.load(sys.stdin)\nprint(json.dumps({'output': os.getpid()}))"))
    with ThreadPoolExecutor(4) as pool:
        pids = [execution.output for execution in pool.map(system.ask, range(8))]
    assert len(set(pids)) == 8


ANSWERS: list[tuple[str, Any]] = [
    ("print('loading'); print('{\"output\": 1}')", 1),
    ("print(json.dumps({'output': {'a': [1]}}, indent=2))", {"a": [1]}),
    ("print('7'); print('{\"output\": 2}\\n\\n')", 2),
    ("sys.stdout.buffer.write(b'\\xff\\xfe noise\\n{\"output\": 3}')", 3),
    ("sys.stdout.buffer.write(b'\\xef\\xbb\\xbf{\"output\": 4}\\r\\n')", 4),
    ('print(\'{"output": null, "error": null, "media": null, "more": 1}\')', None),
    ('print(\'{"output": 5, "error": ""}\')', 5),
    ("sys.stdin.close(); print('{\"output\": 6}')", 6),
]


@pytest.mark.parametrize(("body", "output"), ANSWERS, ids=range(len(ANSWERS)))
def test_noise_before_the_answer_is_no_harm(opened: Open, program: Program, body: str, output: Any) -> None:
    execution = opened(program(body)).ask("y" * 200_000)
    assert (execution.error, execution.output) == (None, output)


BAD: list[tuple[str, str]] = [
    ("pass", "expected one JSON object on standard output, found nothing"),
    ("print('the cat')", "expected one JSON object on standard output, found 'the cat'"),
    (
        "sys.stdout.buffer.write(b'\\xff\\xd8\\xff\\xe0' + bytes(96))",
        'found image/jpeg of 100 bytes; save it in a file under "out" and name that file in "media"',
    ),
    ("print({'output': 1})", "found \"{'output': 1}\""),
    ("print('[1, 2]')", "expected a JSON object with \"output\", found '[1, 2]'"),
    ("print('{\"answer\": 1}')", 'the answer has neither "output" nor "error"; it has answer'),
    ("print('{}')", "it has no keys"),
    ("print('{\"output\": NaN}')", "expected one JSON object"),
    ("print('{\"output\": 1e999}')", "expected one JSON object"),
    ("print('{\"output\": ' + '[' * 5000 + ']' * 5000 + '}')", "(nested too deep)"),
    ("print('{\"output\": ' + '[' * 500 + ']' * 500 + '}')", "(nested too deep)"),
    ('sys.stdout.buffer.write(b\'{"output": "\\xff"}\')', "can't decode byte 0xff"),
    ('print(\'{"error": "no face found\\\\nin line 2"}\')', "no face found"),
    ('print(\'{"output": 1, "error": {"code": 7}}\')', '{"code": 7}'),
    ('print(\'{"output": 1, "media": "a.png"}\')', '"media" is a list of objects with "path"'),
    ("print('{\"output\": 1}'); sys.exit(3)", "exit code 3"),
    ("raise ValueError('out of pages')", "exit code 1: ValueError: out of pages"),
    ("os.kill(os.getpid(), 9)", "signal SIGKILL"),
    ("sys.stderr.buffer.write(b'\\xff bad\\n'); sys.exit(1)", "exit code 1: \ufffd bad"),
]


@pytest.mark.parametrize(("body", "told"), BAD, ids=range(len(BAD)))
def test_a_bad_answer_or_exit_fails_this_case_only(opened: Open, program: Program, body: str, told: str) -> None:
    execution = opened(program(body)).ask()
    assert told in (execution.error or "")
    assert "\n" not in (execution.error or "")
    assert execution.output is None


def test_the_end_of_standard_error_stands_beside_a_failure(opened: Open, program: Program) -> None:
    execution = opened(program("sys.stderr.write('x' * 100_000 + '\\nthe reason\\n'); sys.exit(2)")).ask()
    assert execution.error == "exit code 2: the reason"
    assert (execution.error_detail or "").endswith("xxx\nthe reason")
    assert len(execution.error_detail or "") <= 4_000


def test_a_late_program_is_killed_with_its_children_even_if_they_hold_the_pipes(
    opened: Open, program: Program, tmp_path: Path
) -> None:
    beat = tmp_path / "beat"
    child = f"import time\nwhile True:\n open({str(beat)!r}, 'a').write('.')\n time.sleep(0.02)"
    body = f"import subprocess\nsubprocess.Popen([sys.executable, '-S', '-c', {child!r}])\ntime.sleep(60)"
    execution = opened(program(body), timeout=0.8).ask()
    assert execution.error == "no answer within 0.8 s (timeout:)"
    assert execution.seconds < 3
    assert beat.exists()
    size = beat.stat().st_size
    time.sleep(0.1)
    assert beat.stat().st_size == size


def test_a_child_left_behind_does_not_hold_up_the_answer(opened: Open, program: Program) -> None:
    body = "import subprocess\nsubprocess.Popen(['sleep', '30'])\nprint('{\"output\": 1}')"
    execution = opened(program(body)).ask()
    assert execution.output == 1
    assert execution.seconds < 5


def test_a_program_that_never_reads_a_large_input_is_still_stopped_in_time(opened: Open, program: Program) -> None:
    execution = opened(program("time.sleep(30)"), timeout=0.3).ask("x" * 1_000_000)
    assert execution.error == "no answer within 0.3 s (timeout:)"


def test_endless_output_is_cut_off(opened: Open, program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "LARGEST_ANSWER", 200_000)
    execution = opened(program("while True: print('x' * 10_000)")).ask()
    assert "at most 200000 are taken" in (execution.error or "")


def test_nothing_that_runs_outlives_the_run(opened: Open, program: Program, tmp_path: Path) -> None:
    started = tmp_path / "pid"
    system = opened(program(f"open({str(started)!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)"))
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(system.ask)
        while not (started.exists() and started.read_text()):
            time.sleep(0.01)
        system.system.close()
        assert asked.result(5).error == "signal SIGKILL"
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)
    assert system.ask().error == "not started: the run is ending"


def test_a_program_is_found_on_the_path_or_under_the_project(opened: Open, root: Path) -> None:
    script = root / "bin" / "answer"
    script.parent.mkdir()
    script.write_text('#!/bin/sh\ncat > /dev/null\necho \'{"output": "found"}\'\n')
    script.chmod(0o755)
    for command in (["./bin/answer"], ["bin/answer"], [str(script)], ["sh", "bin/answer"]):
        assert opened(command).ask().output == "found"


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("no-such-program", "there is no program 'no-such-program' on PATH"),
        ("data.txt", "on PATH; write ./data.txt for the one in the project"),
        ("./data.txt", r"data.txt is not executable; chmod \+x it"),
        ("./gone", "there is no program .*/gone"),
        ("./folder", "there is no program .*/folder"),
    ],
)
def test_a_program_that_cannot_be_run_is_told_before_the_first_trial(
    opened: Open, root: Path, word: str, told: str
) -> None:
    (root / "data.txt").write_text("no program")
    (root / "folder").mkdir()
    with pytest.raises(SystemError_, match=told):
        opened([word])


def test_a_script_whose_interpreter_is_missing_says_so(opened: Open, root: Path) -> None:
    (root / "run").write_text("#!/no/such/interpreter\n")
    (root / "run").chmod(0o755)
    for keep in (False, True):
        assert "is the interpreter in its first line installed?" in (opened(["./run"], keep=keep).ask().error or "")


def test_recorded_media_are_relative_to_the_project(opened: Open, program: Program) -> None:
    body = f"""
request = json.load(sys.stdin)
path = request['out'] + '/made.png'
open(path, 'wb').write({PNG!r})
entries = [dict(path=path, role='output', name='picture'), path, dict(path='in.png', role='input', kind='image')]
print(json.dumps(dict(output=1, media=entries)))"""
    system = opened(program(body))
    (system.root / "in.png").write_bytes(PNG)
    execution = system.ask()
    assert execution.error is None
    made = "out/tested@v1/run1/c1/original/0/made.png"
    assert [(item.path, item.role, item.name) for item in execution.media] == [
        (made, "output", "picture"), (made, "output", "made.png"), ("in.png", "input", "in.png"),
    ]  # fmt: skip
    assert execution.media[0].given == str(system.root / made)


def test_python_itself_is_found_where_it_has_no_name(opened: Open, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    system = opened(["python", "-S", "-c", "print('{\"output\": 1}')"])
    assert system.ask().output == 1
    assert sys.executable


def test_an_outputs_folder_that_cannot_be_made_fails_the_case(opened: Open, program: Program) -> None:
    system = opened(program(ECHO))
    (system.root / "out").write_text("a file in the way")
    assert "Error: " in (system.ask().error or "")
