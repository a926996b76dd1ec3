"""Stands for a reader and a listener: says the claim that was made up for the case, true or not."""

from __future__ import annotations

from typing import Any

from oloproof import current_case, media_file, system


@system(name="claims", version="made-up", records=("media/v1",))
def claim(case: dict[str, Any]) -> str:
    """Say what is claimed of the file."""
    current_case().media([media_file(case["file"], role="input")])
    return f"Claim: {case['claim']}\n\n"
