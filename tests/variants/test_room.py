"""What importing the room costs."""

import subprocess
import sys


def test_a_run_loads_nothing_that_makes_variants_or_looks_into_files_before_it_needs_to() -> None:
    program = "import sys, oloproof.running, oloproof.running.run; print(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(ended.stdout.split())
    assert "oloproof.variants.families" in loaded, "this looks at what a run loads"
    makers = ("variants.workshop", "variants.making", "media.decoding", "media.clip_recipes", "media.headers")
    assert [name for name in makers if f"oloproof.{name}" in loaded] == []
