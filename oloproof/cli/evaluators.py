"""``oloproof evaluators list``, ``validate``, ``try`` and ``probe``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import click

from oloproof.cli.console import own_stdout, painted, print_document, reported, terminal_width
from oloproof.cli.group import HELP_OPTIONS
from oloproof.cli.options import RUN_HELP, config_option, json_option, run_argument
from oloproof.cli.progress import JudgingLine
from oloproof.config import Project, load_project
from oloproof.digests import digest_of
from oloproof.errors import EvaluatorError, RunNotFound
from oloproof.evaluators import Registry, builtin_registry
from oloproof.evaluators.base import CriterionShape
from oloproof.evaluators.judges import RubricJudge
from oloproof.labels.validating import Bars
from oloproof.reports.judges import evaluators_text, probe_text, tried_text, validation_text
from oloproof.running.probing import MEANINGS, probe_judge
from oloproof.running.validating import JudgeCriterion, judge_criteria, tried_document, try_judge, validate_judge
from oloproof.storage import History, Store, StoredRun
from oloproof.storage.database import FILE, FOLDER
from oloproof.storage.labels import Labels

criterion_option = click.option(
    "--criterion", metavar="NAME", help="Only this one; all that a model judges by default."
)


@click.group("evaluators", context_settings=HELP_OPTIONS, short_help="List evaluators; validate, try and probe judges.")
def evaluators_command() -> None:
    """A judge is an evaluator that asks a model. It decides nothing before people's labels show that it agrees."""


@contextmanager
def _opened(config: str) -> Iterator[tuple[Project, Registry, Store]]:
    registry = builtin_registry()
    project = load_project(Path(config), registry.options())
    with closing(Store(project.root)) as store:
        yield project, registry, store


@contextmanager
def _labels_of(project: Project) -> Iterator[Labels | None]:
    """Open what people said in a project for reading; None where nothing was ever run."""
    if not (project.root / FOLDER / FILE).exists():
        yield None
        return
    with closing(Store(project.root, create=False)) as store:
        yield Labels(store)


@evaluators_command.command("list", short_help="List what reports each criterion.")
@config_option
@json_option
@reported
def list_command(config: str, as_json: bool) -> None:
    """List the criteria of the project: what reports them, and whether a judge among them may decide."""
    registry = builtin_registry()
    project = load_project(Path(config), registry.options())
    with _labels_of(project) as labels:
        entries = []
        for options in project.evaluators:
            evaluator = registry.build(options, project.root)
            judge = digest_of(evaluator.identity)
            for shape in evaluator.criteria or (CriterionShape(evaluator.criterion),):
                looks = labels.validations(criterion=shape.name) if labels and evaluator.calls_model else []
                newest = next((one for one in looks if one.judge == judge), None)
                entries.append(
                    {
                        "criterion": shape.name,
                        "type": evaluator.type,
                        "version": evaluator.version,
                        "metric": shape.metric_kind if evaluator.criteria else "comparison",
                        "calls_model": evaluator.calls_model,
                        "judge": judge if evaluator.calls_model else None,
                        "validation": None if newest is None else newest.state,
                        "hosts": dict(evaluator.hosts),
                    }
                )
    _print({"evaluators": entries}, evaluators_text, as_json=as_json)


@evaluators_command.command("validate", short_help="Hold judges to people's labels.")
@config_option
@criterion_option
@click.option(
    "--bar",
    type=click.FloatRange(0.7, 1.0, max_open=True),
    default=0.7,
    show_default=True,
    help="What the low ends of TPR and TNR must reach; higher for what is dangerous to get wrong.",
)
@click.option(
    "--max-bias",
    type=click.FloatRange(0.0, 1.0, min_open=True),
    help="Also hold the judge's pass rate minus that of people within this share.",
)
@json_option
@reported
def validate_command(config: str, criterion: str | None, bar: float, max_bias: float | None, as_json: bool) -> None:
    """Hold the judges of the project against the labels of people, and keep what that concludes.

    A judge is VALIDATED when the low ends of its TPR and TNR, on a blind random sample, reach the bar. Each look at the
    same labels is counted, over all judges tried on them, and asks for more certainty than the one before. Exit
    codes: 0 every judge is validated, 1 one is not or its labels do not suffice, 2 it could not be tried.
    """
    with own_stdout() as out, _opened(config) as (project, registry, store):
        found = []
        with JudgingLine() as line:
            for one in _named(judge_criteria(project, registry, criterion)):
                validation = validate_judge(project, store, one, Bars(bar=bar, max_bias=max_bias), listener=line)
                found.append({**validation.document, "again": validation.again})
        _print_all({"validations": found}, "validations", validation_text, as_json=as_json, out=out)
    sys.exit(0 if all(one["state"] == "VALIDATED" for one in found) else 1)


@evaluators_command.command("try", short_help="Try a draft on develop labels.")
@config_option
@criterion_option
@click.option(
    "--spend",
    is_flag=True,
    help="Without develop labels, use those of the validation sample up: no judge can be validated on them afterwards.",
)
@json_option
@reported
def try_command(config: str, criterion: str | None, spend: bool, as_json: bool) -> None:
    """Ask a draft judge about what people labelled to develop it, and show where it and they differ.

    This is for mending a rubric. Labels that were seen beside verdicts validate nothing, so a validation sample is used
    only with --spend, which turns its labels into develop labels for good.
    """
    with own_stdout() as out, _opened(config) as (project, registry, store):
        with JudgingLine() as line:
            found = [
                tried_document(one, *try_judge(project, store, one, spend=spend, listener=line))
                for one in _named(judge_criteria(project, registry, criterion))
            ]
        _print_all({"tried": found}, "tried", tried_text, as_json=as_json, out=out)


@evaluators_command.command("probe", short_help="Test whether judges see.", epilog=RUN_HELP)
@run_argument
@config_option
@criterion_option
@click.option(
    "--cases",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    metavar="N",
    help="How many cases of the run to put to the judge again in other forms; 0 for the sight test alone.",
)
@click.option("--seed", metavar="TEXT", default="1", show_default=True, help="What the choice of cases comes from.")
@json_option
@reported
def probe_command(run: str | None, config: str, criterion: str | None, cases: int, seed: str, as_json: bool) -> None:
    """Test whether judges perceive what they are sent, and whether their verdicts follow it.

    The sight test shows a code, a clip or a sound that nobody can guess. Beside it, cases of a run are judged again as
    they are, blanked, with another case's media, and with a white border. No verdict of this counts; what it found is
    kept and stands on the page of the judge in the workbench.

    Exit codes: 0 sight is proven, 1 it is not, 2 the judge could not be asked.
    """
    with own_stdout() as out, _opened(config) as (project, registry, store):
        chosen = _run(History(store), run)
        judges = _rubric_judges(project, registry, criterion)
        with JudgingLine() as line:
            probed = [
                probe_judge(project, store, one, run=chosen, cases=cases, seed=seed, listener=line).as_json()
                for one in judges
            ]
        for one in probed:
            one["movements"] = [{**moved, "meaning": MEANINGS[moved["change"]]} for moved in one["movements"]]
        _print_all({"probes": probed}, "probes", probe_text, as_json=as_json, out=out)
    sys.exit(0 if all(sight["state"] == "proven" for one in probed for sight in one["sight"]) else 1)


def _named(criteria: list[JudgeCriterion]) -> list[JudgeCriterion]:
    """Return the criteria after saying where their judges may send what is not answered yet."""
    hosts = {host: sent for one in criteria for host, sent in one.evaluator.hosts.items()}
    for host, sent in hosts.items():
        click.echo(f"may send to {host}: {sent}", err=True)
    return criteria


def _run(history: History, name: str | None) -> StoredRun | None:
    try:
        return history.find(name)
    except RunNotFound:
        if name is not None:
            raise
        return None


def _rubric_judges(project: Project, registry: Registry, criterion: str | None) -> list[RubricJudge]:
    found = dict.fromkeys(one.evaluator for one in _named(judge_criteria(project, registry, criterion)))
    judges = [one for one in found if isinstance(one, RubricJudge)]
    if not judges:
        raise EvaluatorError("only a rubric_judge can be probed; a judge of your own has its own way to its model")
    return judges


def _print_all(document: dict[str, Any], key: str, text_of: Callable[..., str], *, as_json: bool, out: Any) -> None:
    if as_json:
        print_document(document, out)
        return
    width = terminal_width()
    click.echo("\n\n".join(text_of(one, width=width, paint=painted) for one in document[key]), file=out)


def _print(document: dict[str, Any], text_of: Callable[..., str], *, as_json: bool) -> None:
    if as_json:
        print_document(document)
    else:
        click.echo(text_of(document, width=terminal_width(), paint=painted))
