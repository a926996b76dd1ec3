"""What an answer shows: what the picture holds, what people would expect of it, both, something else, or nothing."""

from oloproof.evaluators.priors.labels import LABELS, Label, Reading, read_answer
from oloproof.evaluators.priors.recipe001 import read_as_tool_001
from oloproof.evaluators.priors.vocabulary import Vocabulary

__all__ = ["LABELS", "Label", "Reading", "Vocabulary", "read_answer", "read_as_tool_001"]
