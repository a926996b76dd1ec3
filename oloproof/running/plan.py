"""What a run will do, made up before its first trial: the system, the evaluators, the trials in their order."""

from __future__ import annotations

import difflib
import platform
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec import Struct

from oloproof import __version__
from oloproof.config import Project, project_document
from oloproof.config.loading import in_order
from oloproof.config.models import SYSTEM_KINDS
from oloproof.datasets import Dataset, Summary, open_dataset
from oloproof.digests import digest_of
from oloproof.errors import ConfigError, DatasetError, OloproofError, Problem, SystemError_
from oloproof.evaluators import Evaluator, Registry
from oloproof.records import Case, Relation, Trial
from oloproof.running.deciding import measures_of, rule_problems
from oloproof.running.relatives import Relatives, families_of
from oloproof.systems import Surroundings, System, load_system
from oloproof.variants import Families


class Selection(Struct, frozen=True):
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
    """A run before it runs. Runs of equal ``configured`` parts do the same to a case; ``document`` is stored with it.

    ``members`` counts those of all families, each of which is asked once a repeat. ``comparing`` are the
    evaluators that say something of two runs only: no run asks them.
    """

    project: Project
    system: System
    evaluators: tuple[Evaluator[Any], ...]
    dataset: Dataset
    selection: Selection
    cases: int
    members: int
    dataset_digest: str
    configured: Mapping[str, Any]
    document: dict[str, Any] = field(repr=False)
    families: Families = field(repr=False)
    comparing: tuple[Evaluator[Any], ...] = ()

    @property
    def repeats(self) -> int:
        """How often each case, and each variant of it, is executed."""
        return self.project.options.repeats.count

    @property
    def trials(self) -> int:
        """How many trials the whole run has."""
        return self.members * self.repeats

    @property
    def config_digest(self) -> str:
        """Equal for runs that do the same."""
        return self.config_digest_with(self.selection)

    def config_digest_with(self, selection: Selection) -> str:
        """Return what the digest would be of a run that takes other cases."""
        return digest_of({**self.configured, "selection": [list(selection.cases), selection.limit]})

    def enumerate(self, done: set[int]) -> Iterator[Trial]:
        """Yield the trials that are not ``done``; a trial keeps its place in every enumeration.

        The case of each is that of the dataset, whatever the variant: what a variant is given is made later.
        """
        index = 0
        for case in self.selection.pick(iter(self.dataset)):
            for variant in self.families.names(case):
                for repeat in range(self.repeats):
                    if index not in done:
                        yield Trial(index, case, variant, repeat)
                    index += 1


def make_plan(project: Project, registry: Registry, selection: Selection) -> Plan:
    """Return the plan of a run after checking everything that can be checked before it.

    Raises:
        OloproofError: with everything that is wrong with the dataset, the system, the evaluators and the rules, each
            with its place; a DatasetError when it is the dataset only, else a ConfigError.
    """
    dataset = open_dataset(project)
    findings = _Findings(project)
    summary = findings.of_dataset(dataset)
    system = findings.of_system()
    built = findings.of_evaluators(registry)
    relatives = findings.of_variants(dataset, selection) if summary is not None else None
    findings.of_rules(built, None if summary is None else summary.slices, relatives)
    if system is not None and relatives is not None:
        findings.of_answers(system, dataset, selection, relatives)
    if summary is None or system is None or relatives is None or findings.problems:
        raise findings.error()
    cases = _count(selection, summary)
    document = _document(project, system, built, relatives.families, selection)
    evaluators = tuple(one.evaluator for one in built)
    return Plan(
        project=project,
        system=system,
        evaluators=evaluators,
        dataset=dataset,
        selection=selection,
        cases=cases,
        members=cases * relatives.each if relatives.members is None else relatives.members,
        dataset_digest=summary.digest,
        configured={
            "project": {key: value for key, value in document["project"].items() if key not in _NOT_THE_RUN},
            "system": system.identity,
            "evaluators": [one.identity for one in built],
        },
        document=document,
        families=relatives.families,
        comparing=tuple(findings.comparing),
    )


_NOT_THE_RUN = ("policy", "concurrency", "project")
"""Parts of a project that may change without making an unfinished run another one."""


def open_system(plan: Plan, surroundings: Surroundings, concurrency: int) -> None:
    """Get the plan's system ready to be called from ``concurrency`` threads at once.

    Raises:
        SystemError_: it can never answer as configured; the text begins with the place in the project file.
    """
    try:
        plan.system.open(surroundings, concurrency)
    except SystemError_ as error:
        raise SystemError_(str(_system_problem(plan.project, error))) from error


class _Built(Struct, frozen=True):
    """An evaluator that is ready, with its identity: that of a custom one reads files, so it is taken once."""

    evaluator: Evaluator[Any]
    identity: Mapping[str, Any]

    def as_json(self, number: int) -> list[dict[str, Any]]:
        """Return an entry for each criterion of the ``number``-th evaluator."""
        evaluator, digest = self.evaluator, digest_of(self.identity)
        return [
            {
                "criterion": shape.name,
                "evaluator": number,
                "type": evaluator.type,
                "version": evaluator.version,
                "calls_model": evaluator.calls_model,
                "metric": shape.metric_kind,
                "score_range": None if shape.score_range is None else list(shape.score_range),
                "answer": evaluator.answer,
                "digest": digest,
            }
            for shape in evaluator.criteria
        ]


def _entries(built: Sequence[_Built]) -> list[dict[str, Any]]:
    return [entry for number, one in enumerate(built) for entry in one.as_json(number)]


class _Findings:
    """What is wrong with a project beyond its files' form, collected part by part so that all is told at once."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.problems: list[Problem] = []
        self.comparing: list[Evaluator[Any]] = []
        """Evaluators that report nothing of a single run."""
        self._dataset: DatasetError | None = None

    def error(self) -> OloproofError:
        """Return the one error that tells everything."""
        told = self._dataset.problems if self._dataset else ()
        if self._dataset is not None and not self.problems:
            return self._dataset
        return ConfigError([*in_order(self.problems), *told])

    def of_dataset(self, dataset: Dataset) -> Summary | None:
        """Return what the dataset is, None after keeping what is wrong with it."""
        try:
            return dataset.check()
        except DatasetError as error:
            self._dataset = error
            return None

    def of_system(self) -> System | None:
        """Return the system, None after keeping why there is none."""
        try:
            return load_system(self.project)
        except OloproofError as error:
            self.problems.append(_system_problem(self.project, error))
            return None

    def of_evaluators(self, registry: Registry) -> list[_Built]:
        """Return the evaluators that can be used, each checked for what can be checked before the first trial."""
        built = []
        for number, options in enumerate(self.project.evaluators):
            try:
                evaluator = registry.build(options, self.project.root)
                evaluator.prepare()
                if evaluator.criteria:
                    built.append(_Built(evaluator, evaluator.identity))
                else:
                    self.comparing.append(evaluator)
            except OloproofError as error:
                self.problems.append(self.project.problem(("evaluators", number), str(error)))
        return built

    def of_variants(self, dataset: Dataset, selection: Selection) -> Relatives | None:
        """Return the families of the dataset, None after keeping why they cannot be made."""
        try:
            return families_of(self.project, dataset, selection.pick)
        except ConfigError as error:
            self.problems += error.problems
        except DatasetError as error:
            self._dataset = error
        return None

    def of_answers(self, system: System, dataset: Dataset, selection: Selection, relatives: Relatives) -> None:
        """Keep what the system is known not to answer."""
        members = ((case.id, relatives.families.names(case)) for case in selection.pick(iter(dataset)))
        for message in system.unanswerable(members, self.project.options.repeats.count):
            self.problems.append(self.project.problem(("system", "replay"), message))

    def of_rules(self, built: Sequence[_Built], slices: Sequence[str] | None, relatives: Relatives | None) -> None:
        """Keep what is wrong with the rules, as far as the evaluators that can be used tell."""
        if self.project.policy is None:
            return
        measures = measures_of(
            {
                "repeats": self.project.options.repeats.model_dump(mode="json"),
                "evaluators": _entries(built),
            }
        )
        policy, comparing = self.project.policy, {one.criterion: one.type for one in self.comparing}
        unsure = [name for name in self.project.criteria if name not in comparing]
        variants = None if relatives is None else _relations(relatives.families)
        for number, key, message in rule_problems(policy, measures, unsure=unsure, slices=slices, variants=variants):
            name = policy.rules[number].criterion
            told = _no_rule_over(name, comparing[name], measures) if key == "metric" and name in comparing else message
            self.problems.append(self.project.policy_problem(("rules", number, key), told))


def _no_rule_over(name: str, kind: str, measures: Iterable[str]) -> str:
    return (
        f"{name} is a {kind}, which compares two runs (oloproof compare --judge) and decides nothing; "
        f"name a criterion of one run: {', '.join(sorted(measures)) or 'there is none'}"
    )


_NAMED_KEY = re.compile(r"(system(?:\.\w+)+): (.+)", re.DOTALL)


def _system_problem(project: Project, error: OloproofError) -> Problem:
    """Return what is wrong with the system at the key that the error names, or at the one that says which it is."""
    named = _NAMED_KEY.fullmatch(str(error))
    if named:
        return project.problem(tuple(named[1].split(".")), named[2])
    options = project.options.system
    kind = next((kind for kind in SYSTEM_KINDS if getattr(options, kind) is not None), "callable")
    return project.problem(("system", kind), str(error))


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


def _document(
    project: Project, system: System, built: Sequence[_Built], families: Families, selection: Selection
) -> dict[str, Any]:
    return {
        "project": project_document(project),
        "file": _relative(project.file, project.root),
        "system": {"name": system.name, "version": system.version, "kind": system.kind},
        "identity": digest_of(system.identity),
        "evaluators": _entries(built),
        "judges": {digest_of(one.identity): one.identity for one in built if one.evaluator.calls_model},
        "hosts": _hosts_of([one.evaluator for one in built]),
        "repeats": project.options.repeats.model_dump(mode="json"),
        "relations": _relations(families),
        "selection": {"cases": list(selection.cases), "limit": selection.limit},
        "versions": {"oloproof": __version__, "python": platform.python_version()},
    }


def _relations(families: Families) -> dict[str, Relation]:
    return {member.name: member.relation for member in families.known.values()}


def _hosts_of(evaluators: Sequence[Evaluator[Any]]) -> dict[str, str]:
    """Return every host that evaluators send something to, and what they send, in words."""
    hosts: dict[str, str] = {}
    for evaluator in evaluators:
        for host, sent in evaluator.hosts.items():
            told = f"{sent} ({evaluator.criterion})"
            hosts[host] = f"{hosts[host]}, {told}" if host in hosts else told
    return hosts


def _relative(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
