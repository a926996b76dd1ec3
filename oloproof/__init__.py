"""Oloproof: decide whether a system that receives or makes images, audio or video may ship.

The names here are the whole public surface; each is loaded when it is first used, so that importing the package
costs next to nothing.
"""

from oloproof.lazy import offered_names

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = offered_names(__name__, __file__)
