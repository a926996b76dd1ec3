"""What is evaluated: ``@system``, ``current_case()``, and callables, commands and HTTP services behind one face."""

from oloproof.systems.base import Surroundings, System
from oloproof.systems.context import current_case, trial_folder
from oloproof.systems.decorator import system
from oloproof.systems.loading import load_system

__all__ = ["Surroundings", "System", "current_case", "load_system", "system", "trial_folder"]
