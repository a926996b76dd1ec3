"""Showing what is under way: one live line on a terminal, plain lines now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections import Counter
from types import TracebackType
from typing import Any, Self

import click

from oloproof.policy.wording import number_words
from oloproof.reports.wording import count_words, one_line, visible
from oloproof.running.events import Event, HeldUp, JudgementsDone, Noticed, RunStarted, TrialsDone, Verifying

_PLAIN_EVERY = 5.0


class _Line:
    """One line on standard error, redrawn a few times a second on a terminal and gone when the work is done."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._live = sys.stderr.isatty() and not quiet
        self._bar: Any = None
        self._task: Any = None
        self._started = time.monotonic()
        self._said = self._started

    def __enter__(self) -> Self:
        """Begin to listen."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the line away."""
        if self._bar is not None:
            self._bar.stop()

    def _begin(self, total: int, done: int = 0) -> None:
        if self._live:
            self._bar = _live_bar()
            self._task = self._bar.add_task("", total=total, completed=done, state="")
            self._bar.start()

    def _due(self) -> bool:
        """Return whether a plain line is due, and count it as said."""
        now = time.monotonic()
        if self._quiet or now - self._said < _PLAIN_EVERY:
            return False
        self._said = now
        return True

    def _rate(self, done: int) -> float | None:
        """Return how many were done in a second when a plain line is due, None when it is not."""
        return done / (self._said - self._started) if self._due() else None

    def _held_up(self, words: str) -> None:
        """Say how long is waited, for whom, and why."""
        if self._bar is not None:
            self._bar.update(self._task, state=f"waiting {words}")
        elif self._due():
            self._say(f"waiting {words}")

    def _say(self, text: str) -> None:
        text = visible(text)
        if self._bar is not None:
            self._bar.console.print(text, markup=False, highlight=False)
        else:
            click.echo(text, err=True)


class ProgressLine(_Line):
    """Listens to the engine while a run is under way.

    ``in_words`` is whether a result for people follows, which warns of what is found at the end: that is no note then.
    """

    def __init__(self, *, quiet: bool, in_words: bool = True) -> None:
        super().__init__(quiet=quiet)
        self._run: RunStarted | None = None
        self._in_words = in_words
        self._notes = not quiet

    def __call__(self, event: Event) -> None:
        """Show one event."""
        if isinstance(event, RunStarted):
            self._start(event)
        elif isinstance(event, TrialsDone):
            self._advance(event)
        elif isinstance(event, HeldUp):
            self._held_up(event.words)
        elif isinstance(event, Noticed):
            if self._notes:
                self._say(f"note: {event.notice.message}")
        elif isinstance(event, Verifying):
            self._verify()

    def _start(self, event: RunStarted) -> None:
        self._run = event
        already = f", {event.done} done already" if event.done else ""
        if not self._quiet:
            much = f"{count_words(event.trials, 'trial')} of {count_words(event.cases, 'case')}{already}"
            self._say(f"run {event.run}: {one_line(f'{event.system}@{event.version}')}, {much}")
        for host, sent in event.hosts.items():
            self._say(f"sending to {host}: {sent}")
        self._begin(event.trials, event.done)

    def _verify(self) -> None:
        self._notes = self._notes and not self._in_words
        if self._bar is not None:
            self._bar.update(self._task, state="looking at the recorded files once more")

    def _advance(self, event: TrialsDone) -> None:
        run = self._run
        if run is None:
            return
        done = run.done + event.done
        if self._bar is not None:
            self._bar.update(self._task, completed=done, state=_so_far(event))
        elif (rate := self._rate(event.done)) is not None:
            so_far = _so_far(event)
            self._say(f"{done}/{run.trials} trials, {rate:.1f} a second{'; ' if so_far else ''}{so_far}")


class JudgingLine(_Line):
    """Listens while judges are asked outside of a run."""

    def __call__(self, event: Event) -> None:
        """Show one event."""
        if isinstance(event, HeldUp):
            self._held_up(event.words)
        if not isinstance(event, JudgementsDone):
            return
        if self._bar is None:
            self._begin(event.total)
        if self._bar is not None:
            self._bar.update(self._task, total=event.total, completed=event.done, state=f"judging {event.criterion}")
        elif (rate := self._rate(event.done)) is not None:
            self._say(f"{event.criterion}: {event.done}/{event.total} judged, {rate:.1f} a second")


def _so_far(event: TrialsDone) -> str:
    """Return the provisional results: the share of passes or the mean score of each criterion, and what went wrong."""
    parts = [f"{event.failed} failed"] if event.failed else []
    parts += [f"{event.cached} from the cache"] if event.cached else []
    for criterion, outcomes in list(event.outcomes.items())[:3]:
        mean = event.means.get(criterion)
        parts.append(f"{criterion} {_share(outcomes) if mean is None else _average(mean)}")
    return ", ".join(parts)


def _share(outcomes: Counter[str]) -> str:
    known = outcomes["pass"] + outcomes["fail"]
    return f"{number_words(outcomes['pass'] / known, 'rate')} so far" if known else "nothing yet"


def _average(mean: float) -> str:
    return f"{number_words(mean, 'score')} on average so far"


def _live_bar() -> Any:
    from rich.console import Console  # loaded only where there is a terminal to draw on
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.table import Column

    return Progress(
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        # words of servers stand here too: as they are, and in the room that the rest of the line leaves
        TextColumn("{task.fields[state]}", markup=False, table_column=Column(ratio=1, no_wrap=True)),
        console=Console(stderr=True),
        transient=True,
        expand=True,
        refresh_per_second=4,
    )
