"""What a run will do, made up before its first trial: the system, the evaluators, the trials in their order."""

from __future__ import annotations

import difflib
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from oloproof import __version__
from oloproof.config import Project, project_document
from oloproof.datasets import Dataset, Summary, open_dataset
from oloproof.digests import digest_of
from oloproof.errors import ConfigError
from oloproof.evaluators import Evaluator, Registry
from oloproof.records import Case, Trial
from oloproof.running.deciding import measures_of, refuse_unknown_metrics
from oloproof.systems import System, load_system


@dataclass(frozen=True, slots=True)
class Selection:
    """Which cases of the dataset a run takes; anything but all of them makes it partial."""

    cases: tuple[str, ...] = ()
    limit: int | None = None

    @property
    def partial(self) -> bool:
        """Whether some cases may be left out."""
        return bool(self.cases) or self.limit is not None

    def pick(self, dataset: Iterator[Case]) -> Iterator[Case]:
        """Yield the cases selected, in the dataset's order."""
        wanted = set(self.cases)
        taken = 0
        for case in dataset:
            if wanted and case.id not in wanted:
                continue
            if self.limit is not None and taken >= self.limit:
                return
            taken += 1
            yield case


@dataclass(frozen=True, slots=True)
class Plan:
    """A run before it runs. ``config_digest`` is equal for runs that do the same; ``document`` is stored with it."""

    project: Project
    system: System
    evaluators: tuple[Evaluator[Any], ...]
    dataset: Dataset
    selection: Selection
    cases: int
    dataset_digest: str
    config_digest: str
    document: dict[str, Any] = field(repr=False)

    @property
    def repeats(self) -> int:
        """How often each case is executed."""
        return self.project.options.repeats.count

    @property
    def trials(self) -> int:
        """How many trials the whole run has."""
        return self.cases * self.repeats

    def enumerate(self, done: set[int]) -> Iterator[Trial]:
        """Yield the trials that are not ``done``; a trial keeps its place in every enumeration."""
        index = 0
        for case in self.selection.pick(iter(self.dataset)):
            for repeat in range(self.repeats):
                if index not in done:
                    yield Trial(index, case, repeat=repeat)
                index += 1


def make_plan(project: Project, registry: Registry, selection: Selection) -> Plan:
    """Return the plan of a run after checking everything that can be checked before it.

    Raises:
        OloproofError: the dataset, the system or an evaluator cannot be used; the text says why.
    """
    dataset = open_dataset(project)
    summary = dataset.check()
    cases = _count(selection, summary)
    system = load_system(project)
    evaluators = build_evaluators(project, registry)
    document = _document(project, system, evaluators)
    if project.policy is not None:
        refuse_unknown_metrics(project.policy, measures_of(document))
    return Plan(
        project=project,
        system=system,
        evaluators=evaluators,
        dataset=dataset,
        selection=selection,
        cases=cases,
        dataset_digest=summary.digest,
        config_digest=digest_of(
            {
                "project": {key: value for key, value in document["project"].items() if key not in _NOT_THE_RUN},
                "system": system.identity,
                "evaluators": [evaluator.identity for evaluator in evaluators],
                "selection": [list(selection.cases), selection.limit],
            }
        ),
        document=document,
    )


_NOT_THE_RUN = ("policy", "concurrency", "project")
"""Parts of a project that may change without making an unfinished run another one."""


def build_evaluators(project: Project, registry: Registry) -> tuple[Evaluator[Any], ...]:
    """Return the project's evaluators, each checked for what can be checked before the first trial."""
    evaluators = tuple(registry.build(options, project.root) for options in project.evaluators)
    for evaluator in evaluators:
        evaluator.prepare()
    return evaluators


def _count(selection: Selection, summary: Summary) -> int:
    count = summary.count
    if selection.cases:
        _refuse_unknown(selection.cases, set(summary.ids))
        count = len(set(selection.cases))
    return count if selection.limit is None else min(count, selection.limit)


def _refuse_unknown(wanted: Sequence[str], known: set[str]) -> None:
    unknown = [case for case in wanted if case not in known]
    if unknown:
        near = difflib.get_close_matches(unknown[0], known, n=3)
        hint = f"; did you mean {' or '.join(near)}?" if near else f"; the dataset has {len(known)} cases"
        raise ConfigError(f"--case {unknown[0]}: there is no such case{hint}")


def _document(project: Project, system: System, evaluators: Sequence[Evaluator[Any]]) -> dict[str, Any]:
    return {
        "project": project_document(project),
        "file": _relative(project.file, project.root),
        "system": {"name": system.name, "version": system.version, "kind": system.kind},
        "identity": digest_of(system.identity),
        "evaluators": [
            {
                "criterion": evaluator.criterion,
                "type": evaluator.type,
                "version": evaluator.version,
                "calls_model": evaluator.calls_model,
                "metric": evaluator.metric_kind,
                "score_range": None if evaluator.score_range is None else list(evaluator.score_range),
                "digest": digest_of(evaluator.identity),
            }
            for evaluator in evaluators
        ],
        "repeats": project.options.repeats.model_dump(mode="json"),
        "versions": {"oloproof": __version__, "python": platform.python_version()},
    }


def _relative(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
