"""Workers that stay: an answer never reaches another trial than its own, and none outlives the run."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from oloproof.systems import processes
from oloproof.systems.processes import Programs, Worker
from tests.systems.conftest import Opened

Open = Callable[..., Opened]
Program = Callable[..., list[str]]
WORKER = """
for line in sys.stdin:
    request = json.loads(line)
    given = request['input']
    {handle}
    print(json.dumps(dict(output=[given, os.getpid()])))
"""


def worker(program: Program, handle: str = "pass") -> list[str]:
    return program(WORKER.format(handle=handle.replace("\n", "\n    ")))


def test_a_worker_answers_many_trials_in_turn_without_flushing(opened: Open, program: Program) -> None:
    system = opened(worker(program), keep=True)
    answers = [system.ask(f"é\n{n}").output for n in range(20)]
    assert [given for given, _ in answers] == [f"é\n{n}" for n in range(20)]
    assert len({pid for _, pid in answers}) == 1


def test_there_are_at_most_as_many_workers_as_trials_at_once(opened: Open, program: Program) -> None:
    system = opened(worker(program, "time.sleep(0.02)"), keep=True, concurrency=3)
    with ThreadPoolExecutor(8) as pool:
        answers = [execution.output for execution in pool.map(system.ask, range(24))]
    assert [given for given, _ in answers] == list(range(24))
    assert 1 <= len(Counter(pid for _, pid in answers)) <= 3


@pytest.mark.parametrize(
    ("handle", "told"),
    [
        ("if given == 'bad': sys.exit('out of memory')", "the worker ended with exit code 1: out of memory"),
        ("if given == 'bad': os.kill(os.getpid(), 9)", "the worker ended with signal SIGKILL"),
        ("if given == 'bad': os.close(1); time.sleep(30)", "the worker ended with signal SIGKILL"),
        ("if given == 'bad': print('thinking…')", "the worker wrote 'thinking…' where a line with one JSON object"),
        ("if given == 'bad': print([1])", "the worker wrote '[1]' where"),
        ("if given == 'bad': print({'output': 1})", "let it print everything else to standard error"),
        (
            "if given == 'bad': sys.stdout.buffer.write(b'\\xff\\n')",
            "the worker wrote '\ufffd' ('utf-8' codec can't decode",
        ),
        ("if given == 'bad': time.sleep(30)", "no answer within 1.5 s (timeout:)"),
        ("if given == 'bad': print('{\"output\": 1e999}')", "the worker wrote"),
    ],
)
def test_a_worker_that_fails_is_replaced_and_only_its_trial_fails(
    opened: Open, program: Program, handle: str, told: str
) -> None:
    system = opened(worker(program, handle), keep=True, timeout=1.5, concurrency=1)
    first = system.ask("good").output[1]
    assert told in (system.ask("bad").error or "")
    given, second = system.ask("next").output
    assert given == "next"
    assert second != first
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)


def test_an_answer_too_many_never_answers_the_next_trial(opened: Open, program: Program) -> None:
    system = opened(
        worker(program, "if given == 'twice': print(json.dumps(dict(output=['extra', 0])))"), keep=True, concurrency=1
    )
    assert system.ask("twice").output == ["extra", 0]
    time.sleep(0.2)
    for given in ("a", "b"):
        assert system.ask(given).output[0] == given


def test_blank_lines_are_passed_over(opened: Open, program: Program) -> None:
    system = opened(worker(program, "print(); print('  ')"), keep=True, concurrency=1)
    answers = [system.ask(n).output for n in range(3)]
    assert [given for given, _ in answers] == [0, 1, 2]


def test_a_program_that_answers_once_and_ends_is_started_for_every_trial(opened: Open, program: Program) -> None:
    system = opened(
        program("sys.stdout.write(json.dumps(dict(output=json.loads(sys.stdin.readline())['input'])))"), keep=True
    )
    assert [system.ask(n).output for n in range(3)] == [0, 1, 2]


def test_large_lines_pass_both_ways_at_once(opened: Open, program: Program) -> None:
    body = (
        "for line in sys.stdin: sys.stdout.write('{\"output\": ' + json.dumps(json.loads(line)['input'])); print('}')"
    )
    text = "long é " * 300_000
    assert opened(program(body), keep=True).ask(text).output == text


def test_a_worker_that_does_not_read_is_stopped_in_time(opened: Open, program: Program) -> None:
    execution = opened(program("time.sleep(30)"), keep=True, timeout=0.4).ask("x" * 1_000_000)
    assert execution.error == "no answer within 0.4 s (timeout:)"


def test_a_line_without_end_is_cut_off(opened: Open, program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "LARGEST_ANSWER", 300_000)
    execution = opened(program("while True: sys.stdout.write('x' * 10_000)"), keep=True).ask()
    assert execution.error == "the worker wrote a line of more than 300000 bytes"


def test_a_grandchild_that_holds_the_pipe_does_not_hold_up_the_run(opened: Open, program: Program) -> None:
    body = "import subprocess\nsubprocess.Popen(['sleep', '5'], start_new_session=True)\ntime.sleep(60)"
    execution = opened(program(body), keep=True, timeout=0.6).ask()
    assert execution.error == "no answer within 0.6 s (timeout:)"
    assert execution.seconds < 4


def test_what_a_worker_says_on_standard_error_does_not_pile_up(program: Program, root: object) -> None:
    talkative = worker(program, "sys.stderr.write('x' * 700_000 + str(given))")
    programs = Programs(talkative, root, {**os.environ, "PYTHONUNBUFFERED": "1"})  # type: ignore[arg-type]
    with closing(programs), closing(Worker(programs)) as one:
        for given in range(4):
            assert one.ask(b'{"input": %d}' % given, 60)
        assert os.fstat(one._errors.fileno()).st_size < 1_500_000
        one.close()


def test_closing_lets_workers_end_by_themselves_and_kills_those_that_do_not(opened: Open, program: Program) -> None:
    polite = opened(
        program("for line in sys.stdin: print('{\"output\": 1}')\nopen('goodbye', 'w')", "polite.py"), keep=True
    )
    deaf = opened(
        program("for line in sys.stdin: print('{\"output\": %d}' % os.getpid())\nwhile True: time.sleep(1)", "deaf.py"),
        keep=True,
    )
    assert polite.ask().output == 1
    pid = deaf.ask().output
    polite.system.close()
    assert (polite.root / "goodbye").exists()
    started = time.monotonic()
    deaf.system.close()
    assert time.monotonic() - started < 3
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_descriptors_are_given_back(opened: Open, program: Program) -> None:
    system = opened(worker(program, "if given == 'bad': sys.exit(1)"), keep=True, concurrency=1)
    system.ask("good")
    before = len(os.listdir("/dev/fd"))
    for _ in range(5):
        system.ask("bad")
        system.ask("good")
    assert len(os.listdir("/dev/fd")) == before
