"""What is said while judges are asked outside of a run."""

from __future__ import annotations

import io
import sys
from collections import Counter
from typing import Any

import pytest

from oloproof.cli import progress
from oloproof.cli.progress import JudgingLine, ProgressLine
from oloproof.records import Notice
from oloproof.running.events import HeldUp, JudgementsDone, Noticed, RunStarted, TrialsDone, Verifying


def test_away_from_a_terminal_a_line_is_printed_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])

    with JudgingLine() as line:
        for done in range(1, 13):
            now[0] += 1.0
            line(JudgementsDone("right", done, 12))
        line(Verifying())

    assert capsys.readouterr().err == "right: 5/12 judged, 1.0 a second\nright: 10/12 judged, 1.0 a second\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_one_line_is_redrawn_and_goes_when_it_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")

    with JudgingLine() as line:
        line(JudgementsDone("right", 1, 2))
        line(JudgementsDone("right", 2, 2))
        line(JudgementsDone("other", 1, 7))

    shown = terminal.getvalue()
    assert "1/7" in shown
    assert "judging other" in shown
    assert shown.rstrip().endswith("\x1b[2K")


@pytest.mark.parametrize("line_of", [lambda: JudgingLine(), lambda: ProgressLine(quiet=False)])
def test_what_is_waited_for_is_said_now_and_then(
    line_of: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    with line_of() as line:
        for left in range(30, 20, -1):
            now[0] += 0.9
            line(HeldUp(f"{left} s for api.test: HTTP 429: slow down"))
    said = "waiting 25 s for api.test: HTTP 429: slow down\n"
    assert capsys.readouterr().err == said

    with ProgressLine(quiet=True) as line:
        now[0] += 90
        line(HeldUp("api.test"))
    assert capsys.readouterr().err == ""


def test_words_of_a_server_stand_on_the_live_line_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """What looks like markup is none, and what is long is cut."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")

    with ProgressLine(quiet=False) as line:
        line(RunStarted("r", "s", "v1", 3, 3, 0, ("right",)))
        line(HeldUp("9 s for api.test: [/red][bold] " + "slow down " * 30))
        line._bar.refresh()
    shown = terminal.getvalue()
    assert "waiting 9 s for api.test: [/red][bold] slow down" in shown
    assert "slow down " * 10 not in shown


def test_what_the_result_will_warn_of_is_no_note_above_it(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressLine(quiet=False) as line:
        line(Noticed(Notice("early", "a thing to know while it runs")))
        line(Verifying())
        line(Noticed(Notice("late", "a thing of the result")))
    with ProgressLine(quiet=False, in_words=False) as line:
        line(Verifying())
        line(Noticed(Notice("late", "a thing of the document")))
    with ProgressLine(quiet=True) as line:
        line(Noticed(Notice("early", "a thing to know while it runs")))
    assert capsys.readouterr().err == "note: a thing to know while it runs\nnote: a thing of the document\n"


def test_scores_that_are_averaged_are_told_by_their_mean(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    with ProgressLine(quiet=False) as line:
        line(RunStarted("r1", "s", "v1", 4, 4, 0, ("errors", "right")))
        now[0] += 10
        outcomes = {"errors": Counter({"pass": 2}), "right": Counter({"pass": 1, "fail": 1})}
        line(TrialsDone(2, 0, 0, outcomes, {"errors": 0.75}))
    assert "errors 0.750 on average so far, right 50.0 % so far" in capsys.readouterr().err
