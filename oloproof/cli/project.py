"""``oloproof check``, ``oloproof init``, ``oloproof schema`` and ``oloproof doctor``."""

from __future__ import annotations

import platform
import sqlite3
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

import click

from oloproof import __version__
from oloproof.cli.console import own_stdout, painted, print_document, reported, terminal_width
from oloproof.cli.opening import loaded_project
from oloproof.cli.options import config_option, json_option
from oloproof.reports.layout import GAP, wrapped
from oloproof.reports.wording import count_words, outcome_word, scored_criteria, visible


@click.command("check", short_help="Check a project before it is run.")
@config_option
@json_option
@reported
def check_command(config: str, as_json: bool) -> None:
    """Check all that a run would refuse, try the first case for real, and say what each rule can decide.

    Exit codes: 0 ready; 1 the tried case failed or could not be evaluated; 2 a run would be refused.
    """
    from oloproof.evaluators import builtin_registry
    from oloproof.running.checking import check_document, check_project

    with own_stdout() as out:
        checked = check_project(loaded_project(config), builtin_registry())
        document = check_document(checked)
        if as_json:
            print_document(document, out)
        else:
            click.echo(_check_text(document, scored_criteria(checked.plan.document["evaluators"])), file=out)
    sys.exit(checked.exit_code)


def _check_text(document: dict[str, Any], scored: Collection[str]) -> str:
    tried = document["tried"]
    system = document["system"]
    cases = count_words(document["cases"], "case")
    trials = f", {document['trials']} trials" if document["trials"] != document["cases"] else ""
    lines = _hanging(f"{document['project']}: {system['name']}@{system['version']}, {cases}{trials}")
    lines.append("")
    if tried["error"]:
        lines += _hanging(f"  FAIL  case {tried['case']}: the system failed: {tried['error']}", state="FAIL")
        lines += [f"    {line}" for line in visible(tried["error_detail"] or "").rstrip().splitlines()]
    else:
        recorded = ", ".join(f"{item['role']} {item['path']}" for item in tried["media"]) or "no media"
        lines += _hanging(f"  tried case {tried['case']}: answered in {tried['seconds']:.2f} s, recorded {recorded}")
    for verdict in () if tried["error"] else tried["verdicts"]:
        word = outcome_word(verdict["outcome"], scored=verdict["criterion"] in scored)
        lines += _hanging(f"    {word} {verdict['criterion']}: {verdict['reason']}", state=word)
    after = [f"    not tried: {criterion} asks a model" for criterion in tried["not_tried"]]
    after += [f"  a run sends to {one['host']}: {one['sent']}" for one in document["hosts"]]
    after += ["", f"  what the rules can decide with {cases}:"] if document["rules"] else []
    after += [f"    {rule['rule']} ({rule['metric']}): {rule['can_decide']}" for rule in document["rules"]]
    after += ["", *(f"  note: {one['message']}" for one in document["warnings"])] if document["warnings"] else []
    after += ["", "ready: oloproof run" if document["ready"] else "not ready: see above"]
    return "\n".join([*lines, *(part for line in after for part in _hanging(line))])


def _hanging(line: str, *, state: str = "") -> list[str]:
    """Return an indented line as lines that fit the terminal, those after the first deeper; ``state`` is painted."""
    text = visible(line.lstrip())
    start = " " * (len(line) - len(text))
    first, *others = wrapped(text, terminal_width(), start + GAP, first=start) if text else [""]
    return [first.replace(state, painted(state, state), 1) if state else first, *others]


@click.command("init", short_help="Make a project that runs.")
@click.argument("folder", metavar="[DIR]", default=".")
@click.option(
    "--example",
    metavar="NAME",
    default="thumbnails",
    show_default=True,
    help="Which example to begin with: thumbnails makes pictures, meters reads numbers off them, keypad hears tones.",
)
@reported
def init_command(folder: str, example: str) -> None:
    """Make a small project in DIR (here by default) that runs as it is: cases, pictures, a system and a policy.

    Nothing that exists is overwritten.
    """
    from oloproof.examples import copy_example

    written = copy_example(example, Path(folder))
    for path in written:
        click.echo(f"wrote {path}")
    where = "" if folder == "." else f"cd {folder} && "
    click.echo(f"\nnext: {where}oloproof check, then oloproof run")


@click.command("schema", short_help="Print the JSON Schema of oloproof.yaml.")
@click.option("--policy", is_flag=True, help="That of a policy file (release.yaml) instead.")
@click.option("--result", is_flag=True, help="That of what run --json and gate --json print instead.")
@reported
def schema_command(policy: bool, result: bool) -> None:
    """Print the JSON Schema, for editors: # yaml-language-server: $schema=oloproof.schema.json"""
    if result:
        from oloproof.running.documents import result_schema

        print_document(result_schema())
        return
    from oloproof.config.schema import policy_schema, project_schema
    from oloproof.evaluators import builtin_registry

    print_document(policy_schema() if policy else project_schema(builtin_registry().options()))


@click.command("doctor", short_help="Say what this machine has and lacks.")
@json_option
@reported
def doctor_command(as_json: bool) -> None:
    """Say which tools and libraries are here, what each is for, and how to get what is missing."""
    from oloproof.media.equipment import equipment

    found = equipment()
    document = {
        "oloproof": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "sqlite": sqlite3.sqlite_version,
        "tools": [
            {"name": one.name, "version": one.version, "needed_for": one.needed_for, "cure": one.cure} for one in found
        ],
    }
    if as_json:
        print_document(document)
        return
    click.echo(f"oloproof {__version__}, Python {document['python']}, SQLite {document['sqlite']}")
    for one in found:
        if one.version is not None:
            click.echo(f"  {painted('here', 'pass'):<8} {one.name} {one.version}")
        else:
            click.echo(f"  {painted('missing', 'fail')}  {one.name}: needed for {one.needed_for}; {one.cure}")
