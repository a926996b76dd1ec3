"""``oloproof runs`` and ``oloproof inspect``."""

from __future__ import annotations

import difflib

import click

from oloproof.cli.console import painted, print_document, reported, terminal_width
from oloproof.cli.opening import opened_history, opened_reader
from oloproof.cli.options import RUN_HELP, config_option, json_option, run_argument
from oloproof.errors import RunNotFound
from oloproof.reports import case_text, failures_text, run_summary, runs_table
from oloproof.reports.wording import scored_criteria
from oloproof.running.decided_again import decided_again
from oloproof.running.deciding import conclude, policy_of
from oloproof.running.documents import case_document, failures_document, run_document, runs_document
from oloproof.storage import History, StoredRun


@click.command("runs", short_help="List the runs of this project, newest first.")
@config_option
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="At most so many.")
@json_option
@reported
def runs_command(config: str, limit: int, as_json: bool) -> None:
    """List the runs of this project, newest first."""
    with opened_history(config) as history:
        document = runs_document(history, history.runs()[:limit])
    if as_json:
        print_document(document)
    else:
        click.echo(runs_table(document, width=terminal_width(), paint=painted))


@click.command("inspect", short_help="Show a run, one case of it, or what failed.", epilog=RUN_HELP)
@run_argument
@config_option
@click.option("--case", "case", metavar="ID", help="Everything about one case.")
@click.option("--failures", is_flag=True, help="The cases with a verdict that is not a pass.")
@json_option
@reported
def inspect_command(run: str | None, config: str, case: str | None, failures: bool, as_json: bool) -> None:
    """Show what a run holds: its metrics, one case with its media and verdicts, or everything that did not pass."""
    with opened_history(config) as history:
        found = history.find(run)
        if case is not None:
            _show_case(history, found, case, as_json=as_json)
        elif failures:
            if as_json:
                print_document(failures_document(found, history.trials(found)))
            else:
                click.echo(failures_text(found, history.trials(found), width=terminal_width(), paint=painted))
        else:
            conclusion = conclude(history, found, policy_of(found))
            document = run_document(history, found, conclusion, decided_again(history, found))
            if as_json:
                print_document(document)
            else:
                click.echo(run_summary(document, width=terminal_width(), paint=painted))


def _show_case(history: History, run: StoredRun, case: str, *, as_json: bool) -> None:
    trials = list(history.trials(run, case=case))
    if not trials:
        near = difflib.get_close_matches(case, history.case_ids(run), n=3)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise RunNotFound(f"run {run.id} has no case {case!r}{hint}")
    with opened_reader(history) as reader:
        document = case_document(run, trials, reader)
    if as_json:
        print_document(document)
    else:
        click.echo(case_text(document, scored=scored_criteria(run.criteria), width=terminal_width(), paint=painted))
