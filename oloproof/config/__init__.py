"""What ``oloproof.yaml`` and a policy may say, and how they are read."""

from oloproof.config.base import (
    Criterion,
    FieldPath,
    InWords,
    Name,
    Options,
    RepositoryPath,
    Seconds,
    ShortForm,
)
from oloproof.config.loading import (
    POLICY_FILE,
    Project,
    load_policy,
    load_project,
    project_document,
)
from oloproof.config.models import (
    RATES,
    CommandOptions,
    DatasetOptions,
    EvaluatorOptions,
    HttpOptions,
    PolicyOptions,
    ProjectOptions,
    RepeatOptions,
    ReplayOptions,
    RuleOptions,
    SystemOptions,
)
from oloproof.config.problems import nearest, shown_path, suggestion
from oloproof.config.schema import policy_schema, project_schema
from oloproof.config.yaml12 import Document, parse_yaml

__all__ = [
    "POLICY_FILE",
    "RATES",
    "CommandOptions",
    "Criterion",
    "DatasetOptions",
    "Document",
    "EvaluatorOptions",
    "FieldPath",
    "HttpOptions",
    "InWords",
    "Name",
    "Options",
    "PolicyOptions",
    "Project",
    "ProjectOptions",
    "RepeatOptions",
    "ReplayOptions",
    "RepositoryPath",
    "RuleOptions",
    "Seconds",
    "ShortForm",
    "SystemOptions",
    "load_policy",
    "load_project",
    "nearest",
    "parse_yaml",
    "policy_schema",
    "project_document",
    "project_schema",
    "shown_path",
    "suggestion",
]
