"""Families: what is derived from a case, made on demand, and proven to be what it claims.

A case's family is the case itself, ``original``, and its variants: deliveries of one of its files in other forms, and
conditions under which it is asked again. What makes them is loaded when there are any.
"""

from oloproof.lazy import offered_names

__getattr__, __dir__, __all__ = offered_names(__name__, __file__)
