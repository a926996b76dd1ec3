"""Intervals, decisions, comparison, judges held to labels, planning: pure functions, no reading, no writing.

The unit is always the case. A run answered from the cache takes less time than loading this room would, so each name
is loaded when it is first used. For the same reason rates, gates and planning need neither numpy nor scipy, and the
few functions that do (the betting interval, the bootstraps, one sample size) import them inside.
"""

from oloproof.lazy import offered_names

__getattr__, __dir__, __all__ = offered_names(__name__, __file__)
