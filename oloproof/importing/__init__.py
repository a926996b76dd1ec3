"""Projects from the files of two earlier tools: their suites, their samples, their recorded responses."""

from oloproof.importing.prior_probe import import_prior_probe
from oloproof.importing.vision_check import Gates, import_vision_check
from oloproof.importing.writing import Imported

__all__ = ["Gates", "Imported", "import_prior_probe", "import_vision_check"]
