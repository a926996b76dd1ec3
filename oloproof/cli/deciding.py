"""``oloproof gate``, ``oloproof compare`` and ``oloproof plan``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from oloproof.cli.console import painted, print_document, reported, terminal_width
from oloproof.cli.opening import loaded_project, opened_history, policy_of
from oloproof.cli.options import RUN_HELP, config_option, json_option, run_argument
from oloproof.cli.progress import JudgingLine
from oloproof.config import PolicyOptions
from oloproof.errors import RunNotFound
from oloproof.evaluators import builtin_registry
from oloproof.reports import comparison_text, run_summary
from oloproof.reports.pairwise import hosts_text, pairwise_text
from oloproof.reports.wording import count_words
from oloproof.running import pairwise
from oloproof.running.comparing import compare_runs
from oloproof.running.comparing_notices import comparing_notices
from oloproof.running.deciding import Conclusion, conclude
from oloproof.running.documents import comparison_document, run_document
from oloproof.running.planning import plan_document, prospects
from oloproof.running.run import record_decision
from oloproof.storage import History, StoredRun

if TYPE_CHECKING:
    from oloproof.evaluators.judges.pairwise import PairwiseJudge

policy_option = click.option("--policy", metavar="FILE", help="Decide by this policy instead of the project's own.")


@click.command("gate", short_help="Decide a stored run again, by its policy or another.", epilog=RUN_HELP)
@run_argument
@config_option
@policy_option
@json_option
@reported
def gate_command(run: str | None, config: str, policy: str | None, as_json: bool) -> None:
    """Decide a stored run by the project's policy or another one; nothing is executed.

    The decision is added to the run, where runs and the workbench show the newest one; earlier ones stay, and inspect
    says when the newest is by another policy than the run's own. Exit codes as for run.
    """
    options = policy_of(config, policy)
    with opened_history(config) as history:
        found = history.find(run)
        _refuse_unfinished(found)
        conclusion = conclude(history, found, options)
        record_decision(history.store, found, options, conclusion)
        document = run_document(history, found, conclusion)
    _show(document, run_summary, as_json=as_json)
    sys.exit(conclusion.exit_code)


def _show(document: dict[str, Any], text: Callable[..., str], *, as_json: bool) -> None:
    if as_json:
        print_document(document)
    else:
        click.echo(text(document, width=terminal_width(), paint=painted))


def _refuse_unfinished(run: StoredRun) -> None:
    if run.state != "complete":
        raise RunNotFound(f"run {run.id} is {run.state}, so nothing can be decided on it yet; {run.way_on}")


@click.command("compare", short_help="Compare two runs case by case.", epilog=RUN_HELP)
@click.argument("candidate", required=False)
@click.argument("baseline", required=False)
@config_option
@policy_option
@click.option(
    "--judge",
    metavar="[NAME]",
    is_flag=False,
    flag_value="",
    help="Also ask the project's pairwise_judge NAME, or all of them, which answer is better: two questions a case. "
    "Only with this, since it costs money; the hosts are printed first.",
)
@json_option
@reported
def compare_command(
    candidate: str | None, baseline: str | None, config: str, policy: str | None, judge: str | None, as_json: bool
) -> None:
    """Compare CANDIDATE (latest) with BASELINE (latest~1) over the cases that both have, paired case by case.

    With a policy, its superiority, non_inferiority and equivalence rules decide. Exit codes as for run. What a
    pairwise_judge says is printed beside and decides nothing; name the runs before --judge, or write --judge=NAME.
    """
    options = policy_of(config, policy)
    with opened_history(config) as history:
        after, before = history.find(candidate), history.find("latest~1" if baseline is None else baseline)
        for found in (after, before):
            _refuse_unfinished(found)
        if after.id == before.id:
            raise RunNotFound(f"the candidate and the baseline are the same run, {after.id}; name two runs")
        judges = (
            [] if judge is None else pairwise.pairwise_judges(loaded_project(config), builtin_registry(), judge or None)
        )
        nothing_else = judges and not pairwise.shares_criteria(after, before, options)
        comparisons, decisions = ([], []) if nothing_else else compare_runs(history, after, before, options)
        conclusion = Conclusion((), tuple(decisions))
        notices = comparing_notices(history, after, before, comparisons)
        document = comparison_document(after, before, comparisons, conclusion, notices)
        if judges:
            document["pairwise"] = _asked(history, judges, after, before, options)
    _show(document, _compared_text, as_json=as_json)
    sys.exit(conclusion.exit_code)


def _asked(
    history: History,
    judges: Sequence[PairwiseJudge],
    after: StoredRun,
    before: StoredRun,
    policy: PolicyOptions | None,
) -> list[dict[str, Any]]:
    """Say where things will be sent, then return what each judge says of the two runs."""
    click.echo(hosts_text(judges, min(after.cases, before.cases)), err=True)
    level = (policy or PolicyOptions()).confidence_level
    with JudgingLine() as line:
        return [
            pairwise.judge_pairs(history.store, one, after, before, level=level, listener=line).as_json()
            for one in judges
        ]


def _compared_text(document: dict[str, Any], *, width: int, paint: Callable[[str, str], str]) -> str:
    asked = document.get("pairwise", [])
    parts = [pairwise_text(one, width=width, paint=paint) for one in asked]
    if document["comparisons"] or not asked:
        return "\n\n".join([comparison_text(document, width=width, paint=paint), *parts])
    return "\n\n".join([f"candidate {document['candidate']}, baseline {document['baseline']}", *parts])


@click.command("plan", short_help="Say how many more cases would decide.", epilog=RUN_HELP)
@run_argument
@config_option
@policy_option
@json_option
@reported
def plan_command(run: str | None, config: str, policy: str | None, as_json: bool) -> None:
    """Say, for each rule, what a run's numbers leave open and how many more cases would settle it.

    oloproof check says, without any run, what each rule can decide at the dataset's number of cases.
    """
    options = policy_of(config, policy)
    with opened_history(config) as history:
        found = history.find(run)
        document = plan_document(found, prospects(history, found, options))
    _show(document, _plan_text, as_json=as_json)


def _plan_text(document: dict[str, Any], *, width: int, paint: Callable[[str, str], str]) -> str:
    """Return the prospects of each rule in words."""
    lines = [f"Run {document['run']}, {count_words(document['cases'], 'case')}"]
    if not document["rules"]:
        lines.append("nothing to plan: there are no rules")
    for rule in document["rules"]:
        lines.append(f"\n{paint(rule['state'], rule['state'])}  {rule['rule']} ({rule['metric']})")
        sentences = (f"with {rule['n']} cases: {rule['can_decide']}", rule["message"])
        lines += [fill(sentence, width, initial_indent="  ", subsequent_indent="    ") for sentence in sentences]
    return "\n".join(lines)
