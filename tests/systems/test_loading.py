"""From the project file to a system whose identity changes with its code and with nothing else."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from oloproof.config import load_project
from oloproof.digests import digest_of
from oloproof.errors import SystemError_
from oloproof.systems import System, load_system

Load = Callable[..., System]


@pytest.fixture
def load(root: Path) -> Load:
    """Write files and a project whose ``system:`` has these lines, and load its system."""
    (root / "data.jsonl").write_text('{"id": "a", "input": "x"}\n')

    def make(system: str, more: str = "", **files: str) -> System:
        for name, text in files.items():
            path = root / f"{name.replace('00', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (root / "oloproof.yaml").write_text(f"version: 1\nproject: p\ndataset: data.jsonl\nsystem: {system}\n{more}\n")
        return load_system(load_project(root, {}))

    return make


CODE = {
    "digapp": "from digpkg.prompts import PROMPT\nimport digtool\n"
    "def answer(given):\n    from diglazy import more\n    return PROMPT\n",
    "digpkg00__init__": "",
    "digpkg00prompts": "from . import words\nPROMPT = words.HELLO\n",
    "digpkg00words": "HELLO = 'hello'\n",
    "digtool": "import importlib\nimportlib.import_module('digdynamic')\n",
    "digdynamic": "X = 1\n",
    "diglazy": "more = 2\n",
    "digunused": "Y = 1\n",
}


def digest(root: Path, load: Load) -> str:
    return digest_of(load("{callable: 'digapp:answer'}").identity)


def test_a_change_of_any_module_that_the_callable_imports_changes_its_identity(root: Path, load: Load) -> None:
    load("{callable: 'digapp:answer'}", **CODE)
    plain = digest(root, load)
    for name in CODE:
        path = root / f"{name.replace('00', '/')}.py"
        before = path.read_text()
        path.write_text(before + "# changed\n")
        assert (digest(root, load) != plain) == (name != "digunused"), name
        path.write_text(before)
    assert digest(root, load) == plain


def test_the_identity_is_the_same_in_another_process_and_whatever_else_is_loaded(root: Path, load: Load) -> None:
    load("{callable: 'digapp:answer'}", **CODE)
    here = digest(root, load)
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); import digunused, diglazy\n"
        "from pathlib import Path; from oloproof.config import load_project; from oloproof.systems import load_system\n"
        "from oloproof.digests import digest_of\n"
        "print(digest_of(load_system(load_project(Path(sys.argv[1]), {})).identity))"
    )
    there = subprocess.run([sys.executable, "-c", script, str(root)], capture_output=True, text=True, check=True)
    assert there.stdout.strip() == here


def test_a_source_with_odd_escapes_or_broken_neighbours_loads_in_silence(root: Path, load: Load) -> None:
    (root / "odd_broken.py").write_text("def (:\n")
    source = "try:\n    import odd_broken\nexcept SyntaxError: pass\ndef answer(given): return given\n"
    before = load("{callable: 'oddapp:answer'}", oddapp=source).identity
    (root / "odd_broken.py").write_text("def (::\n")
    assert load("{callable: 'oddapp:answer'}").identity != before


IDENTITY = {
    "": True, "timeout: 5.0, ": True, "version: v2, ": False, "name: other, ": False, "parameters: {t: 1}, ": False,
    "code_paths: [code], ": False,
}  # fmt: skip


@pytest.mark.parametrize("extra", IDENTITY)
def test_the_identity_holds_what_makes_the_answers_and_not_how_long_they_may_take(
    root: Path, load: Load, extra: str
) -> None:
    (root / "code").mkdir()
    (root / "code" / "prompt.txt").write_text("hi")
    command = "command: [python, main.py]}"
    plain = load("{name: s, version: v1, " + command, main="1").identity
    names = "".join(f"{key}: {value}, " for key, value in (("name", "s"), ("version", "v1")) if f"{key}: " not in extra)
    assert (load("{" + extra + names + command, "concurrency: 3").identity == plain) == IDENTITY[extra]


def test_code_paths_cover_their_files_but_not_what_runs_write_into_them(root: Path, load: Load) -> None:
    system = "{name: s, command: [python], code_paths: ['.']}"
    for folder in (".oloproof", "out", "__pycache__", "lib"):
        (root / folder).mkdir()
    load(system)
    plain = load(system).identity
    for written in (".oloproof/oloproof.db", "out/a.png", "__pycache__/x.pyc"):
        (root / written).write_text("new")
    assert load(system).identity == plain
    (root / "lib" / "prompt.md").write_text("new")
    assert load(system).identity != plain


def test_the_files_that_a_command_names_are_part_of_it(root: Path, load: Load) -> None:
    system = "{name: s, command: [python, main.py, --fast, '" + "x" * 3000 + "']}"
    before = load(system, main="print(1)").identity
    assert load(system, main="print(2)").identity != before


@pytest.mark.parametrize(
    ("system", "told"),
    [
        ("{callable: 'badapp:gone'}", "gone"),
        ("{callable: 'badapp:VALUE'}", "badapp:VALUE is a int, not a callable"),
        ("{callable: 'badapp:Reader'}", "is a class; make an instance in the module and name that"),
        ("{callable: 'badapp:named', name: other}", "system.name is 'other' in the project file and 'mine' in @system"),
        ("{callable: 'nosuchmodule:f'}", "there is no module nosuchmodule"),
    ],
)
def test_a_system_that_cannot_be_used_is_told(load: Load, system: str, told: str) -> None:
    source = (
        "from oloproof import system\nVALUE = 1\nclass Reader: pass\n"
        "@system(name='mine')\ndef named(given): return given\n"
    )
    with pytest.raises(SystemError_, match=told):
        load(system, badapp=source)


def test_an_instance_is_a_system_and_its_class_is_part_of_its_code(root: Path, load: Load) -> None:
    files = {
        "instapp": "import instcls\nread = instcls.Reader()\n",
        "instcls": "class Reader:\n    def __call__(self, g): return g\n",
    }
    before: Any = load("{callable: 'instapp:read'}", **files).identity
    (root / "instcls.py").write_text(files["instcls"] + "# changed\n")
    assert load("{callable: 'instapp:read'}").identity != before


def test_what_is_declared_to_be_recorded_can_be_read_from_the_identity(load: Load) -> None:
    assert load("{name: s, command: [python], records: [media/v1]}").identity["records"] == ["media/v1"]
