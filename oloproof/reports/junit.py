"""JUnit XML: a suite a criterion, a test a case, the rules as a last suite.

=====================  =========================================================================
verdict fail           ``<failure type="fail">``
verdict missing        ``<error type="missing">``
verdict invalid        ``<error type="invalid">``
the system failed      ``<error type="execution_error">``, whatever the verdict makes of it
rule that blocks       ``<failure type=REASON CODE>``, undecided ones too
rule that does not     passed, or ``<skipped>`` when it is not a PASS, so that CI agrees with the exit code
=====================  =========================================================================

The counts of a suite stand before its tests, so each suite is written to a file of its own while the trials go by
once, and copied behind its counts at the end.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from html import escape
from tempfile import SpooledTemporaryFile
from typing import IO, TextIO

from oloproof.records import Decision
from oloproof.reports.withholding import Withholding
from oloproof.reports.wording import judge_words, outcome_of, trial_name, visible
from oloproof.running.deciding import Conclusion
from oloproof.running.judge_documents import judges_document
from oloproof.storage import History, StoredRun, StoredTrial

_IN_MEMORY = 1 << 20


def write_junit(
    stream: TextIO,
    history: History,
    run: StoredRun,
    conclusion: Conclusion,
    *,
    withhold: frozenset[str] = frozenset(),
) -> None:
    """Write a run as JUnit XML. Trials are read once and not kept."""
    hide = Withholding(withhold, history.store.root)
    judges = [one for one in judges_document(history, run) if one["judgements"]]
    judged = {name: judge_words(one) for one in judges for name in one["criteria"]}
    with _suites(run, judged) as (suites, rules):
        for trial in history.trials(run):
            for suite in suites:
                suite.trial(trial, hide)
        for decision in conclusion.decisions:
            rules.rule(decision, hide)
        everything = [*suites, rules] if conclusion.decisions else suites
        stream.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        stream.write(opening_tag("testsuites", name=run.project, **_totals(everything)))
        for suite in everything:
            suite.copy_to(stream)
        stream.write("</testsuites>\n")


class _Suite:
    """One suite: its tests as text, and how many of each kind there are."""

    def __init__(self, name: str, group: str, number: int, run: StoredRun, judged: str, body: IO[str]) -> None:
        self.counts = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
        self.seconds = 0.0
        self._name = name
        self._group = group
        self._number = number
        self._judged = judged
        self._started = datetime.fromtimestamp(run.started, UTC).strftime("%Y-%m-%dT%H:%M:%S")
        self._body = body

    def trial(self, trial: StoredTrial, hide: Withholding) -> None:
        """Add what this suite's criterion says of a trial."""
        execution, outcome = trial.execution, outcome_of(trial, self._number)
        reason = trial.verdicts[self._number].reason if self._number < len(trial.verdicts) else "no verdict"
        inner = ""
        if execution.error is not None:
            inner = self._problem("error", "execution_error", execution.error, execution.error_detail or "", hide)
        elif outcome == "fail":
            inner = self._problem("failure", "fail", reason, "", hide)
        elif outcome != "pass":
            inner = self._problem("error", outcome, reason, "", hide)
        name = trial_name(trial.case_id, trial.variant, trial.repeat)
        self._test(hide.text(name), inner, execution.seconds)

    def rule(self, decision: Decision, hide: Withholding) -> None:
        """Add what was decided by a rule."""
        inner = ""
        if decision.blocking:
            inner = self._problem("failure", decision.reason, f"{decision.state}: {decision.message}", "", hide)
        elif decision.state != "PASS":
            inner = self._problem("skipped", "", f"{decision.state}, does not block: {decision.message}", "", hide)
        self._test(decision.rule, inner, 0.0)

    def _problem(self, tag: str, kind: str, message: str, text: str, hide: Withholding) -> str:
        self.counts[{"failure": "failures", "error": "errors"}.get(tag, tag)] += 1
        told = {"type": kind, "message": hide.text(message)} if kind else {"message": hide.text(message)}
        opened = opening_tag(tag, **told).rstrip("\n")
        return f"{opened}{_text(hide.text(text))}</{tag}>\n"

    def _test(self, name: str, inner: str, seconds: float) -> None:
        self.counts["tests"] += 1
        self.seconds += seconds
        told = {"classname": f"{self._group}.{self._name}", "name": name, "time": f"{seconds:.3f}"}
        opened = opening_tag("testcase", **told)
        self._body.write(f"{opened}{inner}</testcase>\n" if inner else opened.replace(">\n", "/>\n"))

    def copy_to(self, stream: TextIO) -> None:
        """Write the suite with its counts."""
        counts = {key: str(count) for key, count in self.counts.items()}
        stream.write(
            opening_tag("testsuite", name=self._name, **counts, time=f"{self.seconds:.3f}", timestamp=self._started)
        )
        if self._judged:
            judged = opening_tag("property", name="judge", value=self._judged).replace(">\n", "/>")
            stream.write(f"<properties>{judged}</properties>\n")
        self._body.seek(0)
        shutil.copyfileobj(self._body, stream)
        stream.write("</testsuite>\n")


@contextmanager
def _suites(run: StoredRun, judged: Mapping[str, str]) -> Iterator[tuple[list[_Suite], _Suite]]:
    """Open a suite a criterion and one for the rules; ``judged`` says of a judge's whether it sees."""
    with ExitStack() as stack:

        def suite(name: str, number: int) -> _Suite:
            body = SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="utf-8", newline="")  # noqa: SIM115 - the stack closes it
            return _Suite(name, run.project, number, run, judged.get(name, ""), stack.enter_context(body))

        yield [suite(entry["criterion"], number) for number, entry in enumerate(run.criteria)], suite("rules", -1)


def _totals(suites: Sequence[_Suite]) -> dict[str, str]:
    keys = ("tests", "failures", "errors", "skipped")
    totals = {key: str(sum(suite.counts[key] for suite in suites)) for key in keys}
    return {**totals, "time": f"{sum(suite.seconds for suite in suites):.3f}"}


def opening_tag(tag: str, **attributes: str) -> str:
    """Return the tag that opens an element, on a line of its own."""
    told = "".join(f' {key}="{_attribute(value)}"' for key, value in attributes.items())
    return f"<{tag}{told}>\n"


def _text(text: str) -> str:
    """Return ``text`` as XML 1.0 can hold it: what it cannot is written out."""
    return escape(visible(text))


def _attribute(text: str) -> str:
    return _text(text).replace("\t", "&#9;").replace("\n", "&#10;")
