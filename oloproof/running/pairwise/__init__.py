"""Two runs before a pairwise judge. Loaded when first used: commands that ask no judge must not wait for it."""

from oloproof.lazy import offered_names

__getattr__, __dir__, __all__ = offered_names(__name__, __file__)
