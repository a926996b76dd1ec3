"""From files to a :class:`Project`: everything that is wrong is said at once, each with its place.

Paths in a file are relative to that file. Nothing of the user's own code is imported here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from oloproof.config.models import RATES, DatasetOptions, EvaluatorOptions, PolicyOptions, ProjectOptions, RuleOptions
from oloproof.config.problems import (
    found,
    nearest,
    percent_hint,
    problems_from,
    shown_path,
    suggestion,
    unfit_numbers,
)
from oloproof.config.reading import read_mapping
from oloproof.config.sites import value_at
from oloproof.config.yaml12 import Document, dotted
from oloproof.config.yaml12 import Path as Keys
from oloproof.errors import ConfigError, Problem

PROJECT_FILE = "oloproof.yaml"
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
        return tuple(evaluator.criterion for evaluator in self.evaluators)

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
    document = read_mapping(file, f"`oloproof init {path if path.is_dir() else path.parent}` writes one")
    problems = list(document.problems)
    root = file.parent.resolve()
    options = _validate(ProjectOptions, document, document.data, (), problems)
    evaluators = _evaluators(document, evaluator_options, problems)
    policy_document, policy_base, policy_file = _policy_source(document, root, problems)
    policy = options.policy if options and isinstance(options.policy, PolicyOptions) else None
    if policy_document is not None and policy_file is not None:
        policy = _policy(policy_document, problems)
    if policy_document is not None:
        problems += _rules(policy_document, policy_base, _written_criteria(document), problems)
    resolved = _Paths(root, document, problems).resolve(options)
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

    Whether its metrics exist is for :func:`validate_policy_metrics`, once the criteria are known.
    """
    document = read_mapping(path, "name a policy file")
    problems = list(document.problems)
    policy = _policy(document, problems)
    problems += _rules(document, (), None, problems)
    if problems or policy is None:
        raise ConfigError(in_order(problems))
    return policy


def validate_policy_metrics(
    policy: PolicyOptions,
    criteria: Sequence[str],
    document: Document | None = None,
    base: Keys = (),
    *,
    file: str = POLICY_FILE,
    score_ranges: Mapping[str, tuple[float, float]] | None = None,
) -> list[Problem]:
    """Return a problem for each rule whose metric nothing reports, or whose limit the metric can never reach.

    ``document`` and ``base`` say where the policy was written, for the places; without them the problems name
    ``file`` only. ``score_ranges`` tells, for the criteria where it is known, between which numbers the metric lies.
    """
    where = document or Document(file, None)
    return [
        problem
        for number, rule in enumerate(policy.rules)
        for problem in _metric_problems(rule, criteria, where, (*base, "rules", number), score_ranges or {})
    ]


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


# --- evaluators and rules ------------------------------------------------------------------------------------


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
    problems += _repeated(document, ("evaluators",), entries, "criterion", why)
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


def _repeated(document: Document, base: Keys, entries: Any, key: str, why: str) -> list[Problem]:
    """Return a problem for each entry whose ``key`` an earlier one has, naming both places."""
    problems: list[Problem] = []
    first: dict[str, Keys] = {}
    for number, entry in enumerate(entries if isinstance(entries, list) else []):
        value = entry.get(key) if isinstance(entry, dict) else None
        if isinstance(value, str):
            path: Keys = (*base, number, key)
            if value in first:
                line, column = document.place(first[value]) or (0, 0)
                earlier = f"the first is at {document.file}:{line}:{column}"
                problems.append(document.problem(path, f"{value!r} is used twice; {earlier}; {why}"))
            first.setdefault(value, path)
    return problems


def _written_criteria(document: Document) -> list[str]:
    """Return the criteria as written, also those of evaluators that are wrong elsewhere."""
    written = document.data.get("evaluators")
    entries = [entry for entry in written if isinstance(entry, dict)] if isinstance(written, list) else []
    return [entry["criterion"] for entry in entries if isinstance(entry.get("criterion"), str)]


def _rules(document: Document, base: Keys, criteria: Sequence[str] | None, problems: list[Problem]) -> list[Problem]:
    """Return what is wrong between the rules as written: ids used twice, and metrics that nothing reports.

    Rules that are right in themselves are looked at also when others are not.
    """
    base = (*base, "rules")
    written = value_at(document.data, base)
    between = _repeated(document, base, written, "id", "ids are unique")
    said = {dotted(base)} if between else set()
    problems[:] = [one for one in problems if one.file != document.file or one.path not in said]
    for number, entry in enumerate(written if criteria is not None and isinstance(written, list) else []):
        try:
            rule = RuleOptions.model_validate(entry)
        except ValidationError:
            continue
        between += _metric_problems(rule, criteria or (), document, (*base, number), {})
    return between


def _metric_problems(
    rule: RuleOptions,
    criteria: Sequence[str],
    document: Document,
    path: Keys,
    score_ranges: Mapping[str, tuple[float, float]],
) -> list[Problem]:
    if rule.metric != "error_rate" and rule.criterion not in criteria:
        return [document.problem((*path, "metric"), _no_such_metric(rule, criteria))]
    limits = (0.0, 1.0) if rule.rate else score_ranges.get(rule.criterion)
    return [
        document.problem((*path, key), _out_of_reach(rule, value, limits))
        for key, value in (("min", rule.min), ("max", rule.max))
        if value is not None and limits and not limits[0] <= value <= limits[1]
    ]


def _no_such_metric(rule: RuleOptions, criteria: Sequence[str]) -> str:
    base, dot, _ = rule.metric.rpartition(".")
    if dot and base in criteria:
        names = [f"{base}.{rate}" for rate in RATES]
        return f"{rule.metric} is no metric; {suggestion(rule.metric, names, 'metrics of ' + base)}"
    near = nearest(rule.criterion, criteria)
    if near:
        return f"no evaluator reports {rule.criterion}; did you mean {near}{rule.metric[len(rule.criterion) :]}?"
    return f"no evaluator reports {rule.criterion}; criteria: {', '.join(criteria) or 'none'}"


def _out_of_reach(rule: RuleOptions, value: float, limits: tuple[float, float]) -> str:
    if limits == (0.0, 1.0):
        hint = percent_hint(value, 1) or "; 80 % is written 0.80"
        return f"a rate lies between 0 and 1{hint} (found {value:g})"
    return f"{rule.metric} lies between {limits[0]:g} and {limits[1]:g}, so {value:g} can never be reached"


# --- paths ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Paths:
    """Resolves the paths of a project file and says which are not there."""

    root: Path
    document: Document
    problems: list[Problem]

    def resolve(self, options: ProjectOptions | None) -> dict[str, Any]:
        """Return the resolved paths, as fields of :class:`Project`."""
        if options is None:
            self._dataset_as_written()
            return {}
        dataset, system = options.dataset, options.system
        return {
            **self._dataset(dataset),
            "outputs": self._outputs(options.outputs),
            "media_roots": tuple(self.root / path for path in options.media_roots),
            "code_paths": tuple(
                self._there(path, ("system", "code_paths", number)) for number, path in enumerate(system.code_paths)
            ),
        }

    def _dataset_as_written(self) -> None:
        """Look for the dataset also when another part of the file is wrong."""
        written = self.document.data.get("dataset")
        try:
            self._dataset(DatasetOptions.model_validate({"path": written} if isinstance(written, str) else written))
        except ValidationError:
            return

    def _dataset(self, options: DatasetOptions) -> dict[str, Path | None]:
        keys: dict[str, Keys] = {key: ("dataset", key) for key in ("path", "folder", "table")}
        return {
            "dataset_path": self._file(options.path, keys["path"]) if options.path else None,
            "dataset_folder": self._folder(options.folder, keys["folder"]) if options.folder else None,
            "dataset_table": self._file(options.table, keys["table"]) if options.table else None,
        }

    def _say(self, path: Keys, message: str) -> None:
        shown = path if value_at(self.document.data, path) is not None else path[:-1]
        self.problems.append(self.document.problem(path, message, shown=shown))

    def _there(self, written: str, path: Keys) -> Path:
        target = self.root / written
        try:
            exists = target.exists()
        except (OSError, ValueError):
            exists = False
        if not exists:
            self._say(path, f"no such file or folder: {written}; looked in {self.root}")
        return target

    def _file(self, written: str, path: Keys) -> Path:
        before = len(self.problems)
        target = self._there(written, path)
        if len(self.problems) == before and target.is_dir():
            cure = " or write {folder: ...} for one case a media file" if path[-1] == "path" else ""
            self._say(path, f"{written} is a folder; name a file{cure}")
        return target

    def _folder(self, written: str, path: Keys) -> Path:
        before = len(self.problems)
        target = self._there(written, path)
        if len(self.problems) == before and not target.is_dir():
            self._say(path, f"{written} is a file; name a folder, or write path: for a JSONL, JSON or CSV file")
        return target

    def _outputs(self, written: str) -> Path:
        target = self.root / written
        if target.is_file():
            self._say(("outputs",), f"{written} is a file; outputs: names a folder")
        return target
