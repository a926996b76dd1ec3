"""Finding ``module:attribute`` beside the project file (``oloproof/config/importing.py``)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from oloproof.config.importing import load_object, remember_loaded
from oloproof.errors import ConfigError, EvaluatorError


@pytest.fixture(autouse=True)
def unchanged_interpreter() -> Iterator[None]:
    path, modules = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        del sys.modules[name]


def write(root: Path, **files: str) -> Path:
    for name, text in files.items():
        path = root / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_a_module_beside_the_file_is_imported_once(tmp_path: Path) -> None:
    write(
        tmp_path,
        own_app="import helper_of_own\nmade = []\ndef run(): return helper_of_own.VALUE",
        helper_of_own="VALUE = 7",
    )
    assert load_object(tmp_path, "own_app:run")() == 7
    load_object(tmp_path, "own_app:made").append(1)
    assert load_object(tmp_path, "own_app:made") == [1]


def test_packages_and_dotted_attributes_are_found(tmp_path: Path) -> None:
    write(
        tmp_path,
        shopping__readers="from . import prices\nclass Reader:\n    rate = prices.RATE",
        shopping__prices="RATE = 3",
    )
    assert load_object(tmp_path, "shopping.readers:Reader.rate") == 3


def test_each_project_gets_its_own_module_and_its_own_helpers(tmp_path: Path) -> None:
    first = write(tmp_path / "first", same="import same_helper\nwho = same_helper.WHO", same_helper="WHO = 1")
    second = write(tmp_path / "second", same="import same_helper\nwho = same_helper.WHO", same_helper="WHO = 2")
    assert [load_object(root, "same:who") for root in (first, second, first)] == [1, 2, 1]


def test_the_projects_module_wins_over_an_installed_and_a_standard_one(tmp_path: Path) -> None:
    write(tmp_path, wave="mine = True", yaml="mine = True")
    import wave

    assert load_object(tmp_path, "wave:mine")
    assert load_object(tmp_path, "yaml:mine")
    assert sys.modules["wave"] is wave, "others still get the standard one"


def test_an_installed_module_is_found_when_there_is_none_of_that_name(tmp_path: Path) -> None:
    assert load_object(tmp_path, "json:dumps") is json.dumps


def test_what_hides_a_folder_of_the_project_is_named_with_the_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = write(tmp_path / "elsewhere", hidden_folder="")
    project = write(tmp_path / "project", hidden_folder__app="run = 1")
    monkeypatch.syspath_prepend(str(elsewhere))
    with pytest.raises(ConfigError, match=r"elsewhere/hidden_folder\.py before the folder .*__init__\.py"):
        load_object(project, "hidden_folder.app:run")
    (project / "hidden_folder" / "__init__.py").touch()
    assert load_object(project, "hidden_folder.app:run") == 1


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("chekcs:sharp", "there is no module chekcs in .*; did you mean checks?"),
        ("checks:shrap", "checks has no shrap; did you mean sharp?"),
        ("checks", "write module:attribute"),
        ("checks:", "write module:attribute"),
        ("broken:x", r"broken.py:2: "),
        ("raising:x", r"importing raising failed: ZeroDivisionError: division by zero\n  raising.py:3 in <module>"),
        ("raising:x", r"\n  raising.py:2 in f: 1 / 0"),
        ("lacking:x", r"failed: ModuleNotFoundError: No module named 'not_there_at_all'\n  lacking.py:1"),
        ("marked:x", r"importing marked failed: @system takes its name in brackets: @system\(name="),
        ("leaving:x", "importing leaving failed: SystemExit: 3"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_told_with_its_place(tmp_path: Path, spec: str, told: str) -> None:
    write(
        tmp_path,
        checks="sharp = 1",
        broken="x = 1\ndef (:\n",
        raising="def f():\n    1 / 0\nf()",
        lacking="import not_there_at_all",
        leaving="raise SystemExit(3)",
        marked="from oloproof import system\n@system\ndef x(case): pass",
    )
    with pytest.raises(ConfigError, match=told):
        load_object(tmp_path, spec)
    with pytest.raises(EvaluatorError):
        load_object(tmp_path, spec, EvaluatorError)


def test_a_failed_import_leaves_nothing_behind_and_may_be_mended(tmp_path: Path) -> None:
    write(tmp_path, mended="raise RuntimeError('not yet')")
    with pytest.raises(ConfigError, match="not yet"):
        load_object(tmp_path, "mended:x")
    assert "mended" not in sys.modules
    write(tmp_path, mended="x = 'it is mended now'")
    assert load_object(tmp_path, "mended:x") == "it is mended now"


def test_a_project_whose_code_changed_is_loaded_anew_with_all_of_its_modules(tmp_path: Path) -> None:
    write(
        tmp_path,
        changing_app="import changing_helper\ndef run(): return changing_helper.VALUE",
        changing_helper="VALUE = 7",
    )
    assert load_object(tmp_path, "changing_app:run")() == 7
    write(tmp_path, changing_helper="VALUE = 1_000_000")
    assert load_object(tmp_path, "changing_app:run")() == 1_000_000


def test_a_helper_that_was_loaded_inside_of_a_function_is_loaded_anew_too(tmp_path: Path) -> None:
    write(
        tmp_path, late_app="def run():\n    import late_helper\n    return late_helper.VALUE", late_helper="VALUE = 7"
    )
    assert load_object(tmp_path, "late_app:run")() == 7
    remember_loaded(tmp_path)
    write(tmp_path, late_helper="VALUE = 1_000_000")
    assert load_object(tmp_path, "late_app:run")() == 1_000_000


LOAD = "from pathlib import Path; from oloproof.config.importing import load_object"


@pytest.mark.parametrize("file", ["app.py", "shop/models.py"])
def test_code_that_is_edited_within_a_second_is_what_stands_in_the_file(tmp_path: Path, file: str) -> None:
    """Python itself takes the compiled code of before: the second and the size are the same."""
    name = file.removesuffix(".py").replace("/", ".")
    command = f"{LOAD}; print(load_object(Path(), '{name}:X'))"
    (tmp_path / file).parent.mkdir(exist_ok=True)
    soon = int(time.time()) + 60  # so that its second is not over while the test runs
    said = []
    for number in (1, 2):
        (tmp_path / file).write_text(f"X = {number}\n", encoding="utf-8")
        os.utime(tmp_path / file, (soon, soon + number / 10))
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
        done = subprocess.run(
            [sys.executable, "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        said.append(done.stdout)
        assert load_object(tmp_path, f"{name}:X") == number
    assert said == ["1\n", "2\n"]


def test_code_that_has_settled_is_compiled_once(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("X = 1\n", encoding="utf-8")
    os.utime(tmp_path / "app.py", (1_700_000_000, 1_700_000_000))
    command = (
        "from pathlib import Path; from oloproof.config.importing import load_object; load_object(Path(), 'app:X')"
    )
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    written = []
    for _ in range(2):
        subprocess.run([sys.executable, "-c", command], cwd=tmp_path, env=environment, check=True)
        (compiled,) = (tmp_path / "__pycache__").glob("app.*.pyc")
        written.append(compiled.stat().st_mtime_ns)
    assert written[0] == written[1]
