"""What ``oloproof.yaml`` and a policy may say: strict, frozen pydantic models, in the long form only.

Paths are kept as written here; :mod:`oloproof.config.loading` resolves them against the file that names them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StringConstraints, field_validator, model_validator

from oloproof.config.base import Criterion, FieldPath, InWords, Name, Options, RepositoryPath, Seconds, ShortForm
from oloproof.config.families import OF_A_FAMILY, OF_LABELS, OF_ONE_VARIANT, OWN_GATES, Cohort, is_family_metric
from oloproof.config.variants import VariantOptions, clashing_names
from oloproof.records import ORIGINAL, Relation

RATES = ("error_rate", "invalid_rate", "missing_rate")
BOUNDS = ("min", "max", "max_failures", *OWN_GATES)
"""The keys of a rule that say what it holds its metric against."""


class EvaluatorOptions(Options):
    """The keys that every evaluator takes. ``criterion`` is the name under which it reports."""

    type: str
    criterion: Criterion
    on_execution_error: Literal["missing", "fail"] = "missing"

    @property
    def criteria(self) -> tuple[str, ...]:
        """Every name under which it reports: one, but for evaluators that give several verdicts."""
        return (self.criterion,)


class DatasetOptions(Options):
    """Where the cases come from: a file (``path``) or a folder of media with an optional table beside it."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": ["path"]}, {"required": ["folder"]}]})

    path: RepositoryPath | None = None
    folder: RepositoryPath | None = None
    table: RepositoryPath | None = None
    media: list[FieldPath] = []

    @model_validator(mode="after")
    def _one_source(self) -> DatasetOptions:
        if (self.path is None) == (self.folder is None):
            raise ValueError("give either path: (a JSONL, JSON or CSV file) or folder: (one case a media file)")
        if self.table is not None and self.folder is None:
            raise ValueError("table: goes with folder:")
        return self


class CommandOptions(Options):
    """A program given as a list of arguments; ``keep`` keeps one worker that answers a line a trial."""

    run: Annotated[list[str], Field(min_length=1)]
    keep: bool = False


class HttpOptions(Options):
    """A service that is posted each trial as JSON. ``headers_env`` names environment variables, never values."""

    url: Annotated[
        str,
        StringConstraints(pattern=r"^https?://"),
        InWords("an address that begins with http:// or https://"),
    ]
    headers_env: dict[str, str] = {}
    timeout: Seconds | None = None

    @field_validator("url")
    @classmethod
    def _no_password(cls, url: str) -> str:
        if "@" in url.split("://", 1)[1].split("/", 1)[0]:
            raise ValueError("a user name or password in an address would be stored with every run; use headers_env:")
        return url


class ReplayOptions(Options):
    """A file of recorded answers that are given again. With ``cycle`` too few of them stand for all repeats."""

    path: RepositoryPath
    cycle: bool = False


SYSTEM_KINDS = ("callable", "command", "http", "replay")


class SystemOptions(Options):
    """The system under evaluation: exactly one of ``callable``, ``command``, ``http`` and ``replay``."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": [kind]} for kind in SYSTEM_KINDS]})

    name: Name | None = None
    version: Name | None = None
    callable: (
        Annotated[
            str,
            StringConstraints(pattern=r"^[\w.]+:[\w.]+$"),
            InWords("module:function, such as app:describe"),
        ]
        | None
    ) = None
    command: Annotated[CommandOptions, ShortForm("run", list)] | None = None
    http: Annotated[HttpOptions, ShortForm("url", str)] | None = None
    replay: Annotated[ReplayOptions, ShortForm("path", str)] | None = None
    records: list[Literal["media/v1"]] | None = None
    timeout: Seconds | None = None
    parameters: dict[str, Any] = {}
    code_paths: list[RepositoryPath] = []

    @field_validator("command", mode="before")
    @classmethod
    def _no_shell_line(cls, value: Any) -> Any:
        if isinstance(value, str):
            shown = ", ".join(value.split()) or "program"
            raise ValueError(f"a command is a list of arguments, never a line for a shell; write command: [{shown}]")
        return value

    @model_validator(mode="after")
    def _one_kind(self) -> SystemOptions:
        given = [key for key in SYSTEM_KINDS if getattr(self, key) is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none of them"
            raise ValueError(f"give exactly one of callable:, command:, http: and replay: (found {found})")
        if (self.command is not None or self.http is not None) and self.name is None:
            raise ValueError("a command or HTTP system needs a name:")
        return self


class RepeatOptions(Options):
    """How often each case is executed, and how many repeats must pass for the case to pass."""

    count: Annotated[int, Field(ge=1, le=1000)]
    pass_when: Annotated[int, Field(ge=1)] | None = None

    @model_validator(mode="after")
    def _reachable(self) -> RepeatOptions:
        if self.pass_when is not None and self.pass_when > self.count:
            raise ValueError(f"pass_when: {self.pass_when} is more than count: {self.count}, so no case could pass")
        return self


class RuleOptions(Options):
    """One thing that must hold. What is compared is inferred from the keys when ``kind`` is left out."""

    id: Name
    metric: Name
    kind: (
        Literal[
            "interval",
            "interval_threshold",
            "observed_count",
            "superiority",
            "non_inferiority",
            "equivalence",
        ]
        | None
    ) = None
    min: float | None = None
    max: float | None = None
    max_failures: Annotated[int, Field(ge=0)] | None = None
    max_identical_delta: Annotated[float, Field(ge=0, le=1)] | None = None
    min_lossy_accuracy: Annotated[float, Field(ge=0, le=1)] | None = None
    max_flaky: Annotated[int, Field(ge=0)] | None = None
    margin: Annotated[float, Field(gt=0)] | None = None
    variant: Name | None = None
    relation: Relation | None = None
    cohort: Cohort = "all"
    slice: dict[str, Any] | None = None
    decide_on: Literal["interval", "estimate"] = "interval"
    estimand: Literal["human_rate", "judge_rate"] | None = None
    requires_manual_review: bool = False

    @property
    def effective_kind(self) -> str:
        """The kind of the rule in its canonical word."""
        if self.kind == "interval_threshold":
            return "interval"
        if self.kind is not None:
            return self.kind
        return "observed_count" if self.max_failures is not None else "interval"

    @property
    def criterion(self) -> str:
        """The criterion that the metric is about."""
        base, _, name = self.metric.rpartition(".")
        return base if base and (name in RATES or is_family_metric(name)) else self.metric

    @property
    def family(self) -> str | None:
        """The metric over families, such as ``delta``, that the rule is about, else None."""
        base, _, name = self.metric.rpartition(".")
        return name if base and is_family_metric(name) else None

    @property
    def spelled_out(self) -> RuleOptions:
        """The same rule with ``min`` or ``max``, where it is one of an earlier tool's gates under its own name."""
        for key, (name, relation, cohort) in OWN_GATES.items():
            limit = getattr(self, key)
            if limit is not None:
                bound = (
                    {"max": limit} if key == "max_flaky" else {"min": 0.0 - limit if key.startswith("max") else limit}
                )
                told = {"metric": f"{self.metric}.{name}", "relation": relation, "cohort": cohort, key: None}
                return self.model_copy(update={**told, **bound})
        return self

    @property
    def rate(self) -> str | None:
        """``error_rate``, ``invalid_rate`` or ``missing_rate`` when the metric is one of these, else None."""
        base, _, rate = self.metric.rpartition(".")
        return rate if rate in RATES and (base or self.metric == "error_rate") else None

    @property
    def compares(self) -> bool:
        """Whether the rule needs a baseline run."""
        return self.effective_kind in ("superiority", "non_inferiority", "equivalence")

    @model_validator(mode="after")
    def _consistent(self) -> RuleOptions:
        kind = self.effective_kind
        bounds = [key for key in BOUNDS if getattr(self, key) is not None]
        if kind == "interval" and (len(bounds) != 1 or bounds == ["max_failures"]):
            raise ValueError(f"an interval rule takes exactly one of min: and max: (or {_either(OWN_GATES)})")
        if kind == "observed_count" and bounds != ["max_failures"]:
            raise ValueError("an observed_count rule takes max_failures: and no min: or max:")
        if self.compares and bounds:
            raise ValueError(f"a {kind} rule compares two runs and takes no {bounds[0]}:")
        if kind in ("non_inferiority", "equivalence") and self.margin is None:
            raise ValueError(f"a {kind} rule needs margin:")
        if kind not in ("non_inferiority", "equivalence") and self.margin is not None:
            raise ValueError(f"margin: goes with non_inferiority and equivalence, not with {kind}")
        if self.rate is not None and kind not in ("interval", "observed_count"):
            raise ValueError(f"{self.metric} takes max: or max_failures:")
        self._consistent_with_families(kind, bounds)
        return self

    def _consistent_with_families(self, kind: str, bounds: list[str]) -> None:
        own = next((key for key in bounds if key in OWN_GATES), None)
        if own is not None and (self.family or self.rate or self.variant or self.relation):
            raise ValueError(f"{own}: goes with a criterion alone, which it measures over the variants it is about")
        if self.family is not None and kind != "interval":
            raise ValueError(f"{self.metric} takes min: or max:")
        named = self.variant not in (None, ORIGINAL)
        if self.family in OF_ONE_VARIANT and not named:
            raise ValueError(f"{self.metric} holds one variant against the original: name that one with variant:")
        worst = self.family is not None and self.family.startswith("worst_")
        if worst != (self.relation is not None) and own is None:
            raise ValueError(
                f"{self.metric} needs relation:, such as degraded"
                if worst
                else "relation: goes with the metrics that are called worst, such as worst_delta"
            )
        if named and self.family in {*OF_A_FAMILY, *OF_LABELS}:
            own = "the original or the condition in its name"
            about = own if self.family in OF_LABELS else "several variants at once"
            raise ValueError(f"{self.metric} is about {about} and takes no variant:")
        if self.cohort != "all" and (self.family is None or self.family in OF_LABELS):
            raise ValueError("cohort: goes with metrics over families that are not of labels, such as worst_delta")


def _either(keys: Iterable[str]) -> str:
    """Return ``a:, b: or c:``."""
    *first, last = (f"{key}:" for key in keys)
    return f"{', '.join(first)} or {last}"


States = Literal["FAIL", "INSUFFICIENT_EVIDENCE", "MANUAL_REVIEW"]


class PolicyOptions(Options):
    """What must hold before a system may ship."""

    version: Literal[1] = 1
    confidence_level: Annotated[float, Field(gt=0.5, lt=1)] = 0.95
    block_on: list[States] = ["FAIL", "INSUFFICIENT_EVIDENCE", "MANUAL_REVIEW"]
    require_validated_evaluators: bool = True
    rules: list[RuleOptions] = []

    def holds_to_labels(self, rule: RuleOptions) -> bool:
        """Whether a judge decides nothing in ``rule`` before labels validate it; ``human_rate`` always asks for it."""
        return self.require_validated_evaluators or rule.estimand == "human_rate"

    @field_validator("rules")
    @classmethod
    def _unique(cls, rules: list[RuleOptions]) -> list[RuleOptions]:
        seen: dict[str, int] = {}
        for number, rule in enumerate(rules):
            if rule.id in seen:
                raise ValueError(
                    f"rules[{number}] and rules[{seen[rule.id]}] have the same id {rule.id!r}; ids are unique"
                )
            seen[rule.id] = number
        return rules


class ProjectOptions(Options):
    """The whole of ``oloproof.yaml``. ``evaluators`` are checked by the models that the registry knows."""

    version: Literal[1]
    project: Name
    dataset: Annotated[DatasetOptions, ShortForm("path", str)]
    system: SystemOptions
    evaluators: list[dict[str, Any]] = []
    policy: PolicyOptions | str | None = None
    concurrency: Annotated[int, Field(ge=1, le=1024)] = 8
    repeats: Annotated[RepeatOptions, ShortForm("count", int)] = RepeatOptions(count=1)
    variants: list[VariantOptions] = []
    outputs: RepositoryPath = "out"
    media_roots: list[RepositoryPath] = []

    @field_validator("variants")
    @classmethod
    def _own_names(cls, variants: list[VariantOptions]) -> list[VariantOptions]:
        for name, first, second in clashing_names(variants):
            raise ValueError(
                f"variants[{first}] and variants[{second}] both make {name}; a variant is made once, of one field: "
                "vary the other field by another recipe or amount, or in a project file of its own"
            )
        return variants


SLICE_NAME = re.compile(r"^[^\s.]+$")
