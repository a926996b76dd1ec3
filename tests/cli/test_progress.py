"""What is said while judges are asked outside of a run."""

from __future__ import annotations

import io
import sys

import pytest

from oloproof.cli import progress
from oloproof.cli.progress import JudgingLine, ProgressLine
from oloproof.records import Notice
from oloproof.running.events import JudgementsDone, Noticed, Verifying


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
