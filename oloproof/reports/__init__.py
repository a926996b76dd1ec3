"""What people and other programs read of a run: terminal text, HTML, JUnit, Markdown, CSV, JSON and Parquet.

A command needs one form or two, so each is loaded when it is first used.
"""

from oloproof.lazy import offered_names

__getattr__, __dir__, __all__ = offered_names(__name__, __file__)
