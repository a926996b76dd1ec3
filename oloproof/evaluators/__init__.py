"""Evaluators: one file for each built-in check, ``@evaluator`` for your own, and the registry that names them."""

from oloproof.evaluators.base import Evaluator, Subject
from oloproof.evaluators.decorator import evaluator
from oloproof.evaluators.registry import Registry, builtin_registry

__all__ = ["Evaluator", "Registry", "Subject", "builtin_registry", "evaluator"]
