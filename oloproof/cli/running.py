"""``oloproof run``."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TextIO

import click

from oloproof import reports
from oloproof.cli.beside import workbench_beside
from oloproof.cli.console import own_stdout, painted, print_document, print_error, reported, terminal_width
from oloproof.cli.files import checked_target, written
from oloproof.cli.opening import opened_history, opened_reader, writer_of
from oloproof.cli.options import config_option, json_option, project_root
from oloproof.cli.progress import ProgressLine
from oloproof.config import Project, load_project
from oloproof.errors import OloproofError
from oloproof.evaluators import builtin_registry
from oloproof.running import RunResult, Selection, run
from oloproof.running.documents import run_document

_FRESH = {"all": frozenset({"system", "judge"}), "system": frozenset({"system"}), "judge": frozenset({"judge"})}


@click.command("run", short_help="Run every case, evaluate, and decide.")
@config_option
@click.option("--case", "cases", metavar="ID", multiple=True, help="Only this case; may be given several times.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only the first N cases.")
@click.option(
    "--fresh",
    is_flag=False,
    flag_value="all",
    type=click.Choice(["all", "system", "judge"]),
    help="Ask again what was answered before: the system, the judges, or (alone) both.",
)
@click.option("--resume", is_flag=True, help="Go on with the run that was not finished.")
@click.option("--junit", metavar="FILE", help="Also write JUnit XML.")
@click.option("--html", metavar="FILE", help="Also write the HTML report.")
@click.option("--markdown", metavar="FILE", help="Also write Markdown for a pull request.")
@click.option("--workbench", is_flag=True, help="Show the run in the browser meanwhile, and until Ctrl-C.")
@click.option("--quiet", is_flag=True, help="No progress, only the result.")
@json_option
@reported
def run_command(
    config: str,
    cases: tuple[str, ...],
    limit: int | None,
    fresh: str | None,
    resume: bool,
    junit: str | None,
    html: str | None,
    markdown: str | None,
    workbench: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Run the project's system over its cases, evaluate every answer, and decide by the policy.

    Answers that an earlier run got for the same input, files, system and code come from the cache. With --case or
    --limit the run is partial and decides nothing. Exit codes: 0 every rule is satisfied, 1 a rule blocks, 2 the run
    could not be completed; then what was done is kept and --resume goes on.
    """
    named = {"junit": junit, "html": html, "markdown": markdown}
    files = {kind: path for kind, path in named.items() if path is not None}
    for path in files.values():
        checked_target(path)
    registry = builtin_registry()
    with own_stdout() as out, ExitStack() as stack:
        with _said_in(files, config):
            project = load_project(Path(config), registry.options())
        beside = stack.enter_context(workbench_beside(config)) if workbench else None
        with _said_in(files, config), ProgressLine(quiet=quiet, in_words=not as_json) as progress:
            result = run(
                project,
                registry=registry,
                selection=Selection(cases, limit),
                fresh=_FRESH[fresh] if fresh else frozenset(),
                resume=resume,
                listener=progress,
            )
        _print(project, result, out, as_json=as_json)
        try:
            _write_files(project, result, files)
        except OloproofError as error:  # the result is printed and stays the one document on standard output
            print_error(error)
            sys.exit(error.exit_code)
        if beside is not None:
            out.flush()
            beside.stay()
    sys.exit(result.exit_code)


@contextmanager
def _said_in(files: Mapping[str, str], config: str) -> Iterator[None]:
    """Let the files that were asked for say why there is no result, instead of what an earlier run left in them."""
    try:
        yield
    except OloproofError as error:
        words = str(error)
        for kind, path in files.items():
            with suppress(OloproofError):  # the error itself is what has to be told
                written(path, lambda out, kind=kind: reports.write_stopped(kind, out, words, project_root(config)))  # type: ignore[misc]
        raise


def _print(project: Project, result: RunResult, out: TextIO, *, as_json: bool) -> None:
    with opened_history(str(project.root)) as history:
        document = run_document(history, result.run, result.conclusion)
    if as_json:
        print_document(document, out)
        return
    text = reports.run_summary(document, seconds=result.seconds, width=terminal_width(), paint=painted)
    click.echo(text, file=out)


def _write_files(project: Project, result: RunResult, files: Mapping[str, str]) -> None:
    if not files:
        return
    with opened_history(str(project.root)) as history, opened_reader(history) as reader:
        for kind, path in files.items():
            write = writer_of(kind, history, result.run, result.conclusion, reader, policy=project.policy)
            written(path, write)
