"""The names of the files and folders that make a folder a project."""

from __future__ import annotations

PROJECT_FILE = "oloproof.yaml"
OWN_FOLDER = ".oloproof"
"""Where Oloproof keeps what is its own, beside the project file."""
