"""Prior probes for people who have a function and a list: does a model follow the picture, or what it expects?

``probe`` asks about one sample, ``evaluate`` about many, ``compare`` about two models or more. Their results are plain
JSON documents that validate against the schema that :func:`report_schema` returns.
"""

from oloproof.probes.comparing import compare
from oloproof.probes.evaluating import evaluate, probe
from oloproof.probes.schema import report_schema

__all__ = ["compare", "evaluate", "probe", "report_schema"]
