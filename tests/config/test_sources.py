"""Which files a callable is made of: what must change for it to be another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from oloproof.config.sources import digest_of_files, load_with_sources
from oloproof.errors import ConfigError, EvaluatorError


def write(root: Path, **modules: str) -> Path:
    root.mkdir(exist_ok=True)
    for name, text in modules.items():
        (root / f"{name}.py").write_text(text + "\n")
    return root


def digest(root: Path) -> str:
    return digest_of_files(root, load_with_sources(root, "digested:run")[1])


FUNCTION = "from prompts import TEXT\ndef run():\n    from late import later\n    return TEXT + later"
TEXTS = {"digested": FUNCTION, "prompts": "TEXT = 'one'", "late": "later = 1"}


def test_the_digest_is_the_same_wherever_the_project_lies_and_whatever_else_is_in_it(tmp_path: Path) -> None:
    one = digest(write(tmp_path / "a", **TEXTS))
    assert digest(write(tmp_path / "b", **TEXTS, unused="x = 1")) == one


@pytest.mark.parametrize("changed", ["digested", "prompts", "late"])
def test_the_digest_changes_with_each_module_that_the_source_imports_now_or_later(tmp_path: Path, changed: str) -> None:
    one = digest(write(tmp_path / "a", **TEXTS))
    assert digest(write(tmp_path / "b", **{**TEXTS, changed: TEXTS[changed] + "\n# another line"})) != one


def test_what_cannot_be_loaded_raises_the_callers_own_kind_of_error(tmp_path: Path) -> None:
    with pytest.raises(EvaluatorError):
        load_with_sources(write(tmp_path / "a"), "nosuch:thing", EvaluatorError)


def test_a_file_of_the_code_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"gone\.py is part of the code"):
        digest_of_files(tmp_path, [tmp_path / "gone.py"])
