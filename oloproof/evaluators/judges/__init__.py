"""Judges: evaluators that ask a model, show it exactly what is recorded, and keep what it saw."""

from oloproof.lazy import offered_names

__getattr__, __dir__, __all__ = offered_names(__name__, __file__)
