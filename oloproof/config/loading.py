"""From files to a :class:`Project`: everything that is wrong is said at once, each with its place.

Paths in a file are relative to that file. Nothing of the user's own code is imported here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from oloproof.config.models import RATES, EvaluatorOptions, PolicyOptions, ProjectOptions
from oloproof.config.paths import Paths
from oloproof.config.problems import found, nearest, problems_from, shown_path, unfit_numbers
from oloproof.config.reading import read_mapping
from oloproof.config.rules import known_criteria, repeated, rule_problems
from oloproof.config.yaml12 import Document
from oloproof.config.yaml12 import Path as Keys
from oloproof.errors import ConfigError, Problem
from oloproof.places import PROJECT_FILE

POLICY_FILE = "release.yaml"

_Model = TypeVar("_Model", bound=BaseModel)


@dataclass(frozen=True)
class Project:
    """A project file that was read and found right, with its paths resolved.

    ``policy_file`` is None when the policy stands in the project file, or when there is none. ``evaluators`` are in
    the order of the file. Exactly one of ``dataset_path`` and ``dataset_folder`` is given.
    """

    file: Path
    root: Path
    options: ProjectOptions
    evaluators: tuple[EvaluatorOptions, ...]
    policy: PolicyOptions | None
    policy_file: Path | None
    dataset_path: Path | None
    dataset_folder: Path | None
    dataset_table: Path | None
    outputs: Path
    media_roots: tuple[Path, ...]
    code_paths: tuple[Path, ...]
    document: Document | None = field(default=None, repr=False, compare=False)
    policy_document: Document | None = field(default=None, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The name of the project."""
        return self.options.project

    @property
    def criteria(self) -> tuple[str, ...]:
        """The names under which the evaluators report."""
        return tuple(criterion for evaluator in self.evaluators for criterion in evaluator.criteria)

    def problem(self, path: Keys, message: str) -> Problem:
        """Return a problem at ``path`` of the project file, for what is found wrong after it was read."""
        return (self.document or Document(shown_path(self.file), None)).problem(path, message)

    def policy_problem(self, path: Keys, message: str) -> Problem:
        """Return a problem at ``path`` of the policy, wherever that is written."""
        if self.policy_file is None:
            return self.problem(("policy", *path), message)
        return (self.policy_document or Document(shown_path(self.policy_file), None)).problem(path, message)


def load_project(path: Path, evaluator_options: Mapping[str, type[EvaluatorOptions]]) -> Project:
    """Read the project file ``path``, or ``oloproof.yaml`` in the folder ``path``.

    ``evaluator_options`` maps each type of evaluator to the model of its keys. A policy that the file names, or a
    ``release.yaml`` beside it when it names none, is read too. Raises :class:`ConfigError` with every mistake of both.
    """
    file = path / PROJECT_FILE if path.is_dir() else path
    place = path.parent if path.suffix and not path.is_dir() else path
    document = read_mapping(file, f"`oloproof init {place}` writes one, --config names another")
    problems = list(document.problems)
    root = file.parent.resolve()
    options = _validate(ProjectOptions, document, document.data, (), problems)
    evaluators = _evaluators(document, evaluator_options, problems)
    policy_document, policy_base, policy_file = _policy_source(document, root, problems)
    policy = options.policy if options and isinstance(options.policy, PolicyOptions) else None
    if policy_document is not None and policy_file is not None:
        policy = _policy(policy_document, problems)
    if policy_document is not None:
        problems += rule_problems(policy_document, policy_base, known_criteria(document, evaluators), problems)
    resolved = Paths(root, document, problems).resolve(options)
    if problems or options is None:
        raise ConfigError(in_order(problems))
    return Project(
        file=root / file.name,
        root=root,
        options=options,
        evaluators=evaluators,
        policy=policy,
        policy_file=policy_file,
        document=document,
        policy_document=policy_document,
        **resolved,
    )


def load_policy(path: Path) -> PolicyOptions:
    """Read the policy file ``path``. Raises :class:`ConfigError` with every mistake.

    Whether its metrics exist is told where a run is at hand.
    """
    document = read_mapping(path, "name a policy file")
    problems = list(document.problems)
    policy = _policy(document, problems)
    problems += rule_problems(document, (), None, problems)
    if problems or policy is None:
        raise ConfigError(in_order(problems))
    return policy


def project_document(project: Project) -> dict[str, Any]:
    """Return the project in its long form, as JSON can hold it: what a run stores and its digest is made of.

    Every default is written out and paths stay as written, so that a moved project keeps its digest.
    """
    document = project.options.model_dump(mode="json", by_alias=True)
    document["evaluators"] = [options.model_dump(mode="json", by_alias=True) for options in project.evaluators]
    document["policy"] = None if project.policy is None else project.policy.model_dump(mode="json", by_alias=True)
    return document


def in_order(problems: Sequence[Problem]) -> list[Problem]:
    """Return ``problems`` once each, file by file and line by line."""
    files = list(dict.fromkeys(problem.file for problem in problems))
    return sorted(dict.fromkeys(problems), key=lambda one: (files.index(one.file), one.line or 0, one.column or 0))


def _validate(model: type[_Model], document: Document, data: Any, base: Keys, problems: list[Problem]) -> _Model | None:
    """Return ``data`` as ``model``, or None after saying what is wrong with it."""
    unfit = unfit_numbers(data, document, base)
    try:
        made = model.model_validate(data)
    except ValidationError as error:
        said = {(one.line, one.column) for one in unfit}
        refused = problems_from(error, model, document, data, base)
        problems += [*unfit, *(one for one in refused if (one.line, one.column) not in said)]
        return None
    problems += unfit
    return None if unfit else made


def _policy(document: Document, problems: list[Problem]) -> PolicyOptions | None:
    return _validate(PolicyOptions, document, document.data, (), problems)


def _policy_source(
    document: Document, root: Path, problems: list[Problem]
) -> tuple[Document | None, Keys, Path | None]:
    """Return the document that holds the policy, the place in it, and its file when it is one of its own."""
    written = document.data.get("policy")
    if isinstance(written, dict):
        return document, ("policy",), None
    if isinstance(written, str):
        file = root / written
    elif written is None and (root / POLICY_FILE).exists():
        file = root / POLICY_FILE
    else:
        return None, (), None
    if written is not None and not file.exists():
        problems.append(document.problem(("policy",), f"no such file: {written}; looked in {root}"))
        return None, (), None
    try:
        own = read_mapping(file, "")
    except ConfigError as error:
        problems += error.problems
        return None, (), None
    problems += own.problems
    return own, (), file


def _evaluators(
    document: Document, known: Mapping[str, type[EvaluatorOptions]], problems: list[Problem]
) -> tuple[EvaluatorOptions, ...]:
    written = document.data.get("evaluators")
    entries = written if isinstance(written, list) else []
    made: list[EvaluatorOptions] = []
    for number, entry in enumerate(entries):
        if isinstance(entry, dict):
            base: Keys = ("evaluators", number)
            model = _model_of(entry, document, base, known, problems)
            options = _validate(model, document, entry, base, problems) if model else None
            if options is not None:
                made.append(options)
                if options.criterion in RATES:
                    message = f"{options.criterion} is the name of a rate; choose another"
                    problems.append(document.problem((*base, "criterion"), message))
    why = "each evaluator reports under a name of its own"
    problems += repeated(document, ("evaluators",), entries, "criterion", why)
    return tuple(made)


def _model_of(
    entry: dict[str, Any],
    document: Document,
    base: Keys,
    known: Mapping[str, type[EvaluatorOptions]],
    problems: list[Problem],
) -> type[EvaluatorOptions] | None:
    types = sorted(known)
    kind = entry.get("type")
    if isinstance(kind, str) and kind in known:
        return known[kind]
    if "type" not in entry:
        message = f"required, and not given; known types: {', '.join(types)}"
        problems.append(document.problem(base, message, shown=(*base, "type")))
    elif not isinstance(kind, str):
        message = (
            f"expected text, found {found(kind, document.source((*base, 'type')))}; known types: {', '.join(types)}"
        )
        problems.append(document.problem((*base, "type"), message))
    else:
        near = nearest(kind, types)
        meant = f"did you mean {near}? " if near else ""
        message = f"unknown evaluator type {kind!r}; {meant}known types: {', '.join(types)}"
        problems.append(document.problem((*base, "type"), message))
    return None
