"""What people say of what was shown: blind samples, import and export, and the labels that judges are held to.

A run that asks no judge never loads it; one that does loads what it needs.
"""

from oloproof.lazy import offered_names

__getattr__, __dir__, __all__ = offered_names(__name__, __file__)
