"""The projects that ``oloproof init`` copies."""

from __future__ import annotations

import importlib.util
import json
import wave
from contextlib import closing
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image, ImageChops, ImageStat

from oloproof.cli.group import root
from oloproof.config import load_project
from oloproof.errors import OloproofError
from oloproof.evaluators import builtin_registry
from oloproof.examples import copy_example, known_examples
from oloproof.running import run
from oloproof.running.checking import check_project
from oloproof.storage import History, Store

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "oloproof" / "examples"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    copy_example("thumbnails", tmp_path / "shop")
    return tmp_path / "shop"


def test_the_files_written_are_named_in_order(tmp_path: Path) -> None:
    """The command prints them."""
    written = copy_example("thumbnails", tmp_path / "a" / "b")
    assert written == sorted(written)
    assert all(path.is_file() for path in written)
    names = {path.relative_to(tmp_path / "a" / "b").as_posix() for path in written}
    assert {"oloproof.yaml", "release.yaml", "app.py", "checks.py", "data/products.jsonl"} <= names
    assert not any("__pycache__" in name for name in names)


def test_an_unknown_example_is_told_with_those_there_are(tmp_path: Path) -> None:
    """Nothing is written for it."""
    with pytest.raises(OloproofError, match=r"no example 'thumbnail'; did you mean thumbnails"):
        copy_example("thumbnail", tmp_path / "new")
    with pytest.raises(OloproofError, match="there is keypad, meters, thumbnails"):
        copy_example("../cli", tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_nothing_that_exists_is_overwritten(tmp_path: Path) -> None:
    """All files are looked for before the first is written, so a refusal leaves the folder as it was."""
    (tmp_path / "release.yaml").write_text("mine", encoding="utf-8")
    with pytest.raises(OloproofError, match=r"release\.yaml would be overwritten"):
        copy_example("thumbnails", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["release.yaml"]
    assert (tmp_path / "release.yaml").read_text(encoding="utf-8") == "mine"


def test_a_file_is_no_folder_to_write_to(tmp_path: Path) -> None:
    """It is told as what it is."""
    (tmp_path / "file").touch()
    with pytest.raises(OloproofError, match="is a file"):
        copy_example("thumbnails", tmp_path / "file")


def test_a_folder_with_other_files_is_fine(tmp_path: Path) -> None:
    """A repository with a README may become a project."""
    (tmp_path / "README.md").touch()
    assert copy_example("thumbnails", tmp_path)


@pytest.mark.parametrize("name", known_examples())
def test_every_example_is_ready_and_passes(name: str, tmp_path: Path) -> None:
    """A first project that fails teaches the wrong thing."""
    copy_example(name, tmp_path)
    registry = builtin_registry()
    checked = check_project(load_project(tmp_path, registry.options()), registry)
    assert checked.ready
    assert not checked.notices
    result = run(tmp_path)
    assert result.exit_code == 0
    assert {decision.state for decision in result.conclusion.decisions} == {"PASS"}


@pytest.mark.parametrize("name", known_examples())
def test_every_example_begins_with_the_line_for_editors(name: str, tmp_path: Path) -> None:
    """The YAML language server reads the schema that it names."""
    copy_example(name, tmp_path)
    first = (tmp_path / "oloproof.yaml").read_text(encoding="utf-8").splitlines()[0]
    assert first == "# yaml-language-server: $schema=oloproof.schema.json"


def test_a_larger_thumbnail_fails_the_example(project: Path) -> None:
    """What the tutorial breaks on purpose does break."""
    app = project / "app.py"
    app.write_text(app.read_text(encoding="utf-8").replace("LONGEST_SIDE = 256", "LONGEST_SIDE = 320"), "utf-8")
    failed = [decision.rule for decision in run(project).conclusion.decisions if decision.state == "FAIL"]
    assert failed == ["thumbnails-fit"]


def test_a_blurred_thumbnail_fails_the_example(project: Path) -> None:
    """The check of its own measures what its name says."""
    app = project / "app.py"
    text = app.read_text(encoding="utf-8").replace("import Image, ImageOps", "import Image, ImageFilter, ImageOps")
    text = text.replace("small.save(", "small.filter(ImageFilter.GaussianBlur(2.5)).save(")
    app.write_text(text, encoding="utf-8")
    failed = [decision.rule for decision in run(project).conclusion.decisions if decision.state == "FAIL"]
    assert failed == ["sharp-enough"]


def test_a_reader_that_takes_light_segments_for_dark_fails_the_example(tmp_path: Path) -> None:
    """The rules of the second example notice what they are there for."""
    copy_example("meters", tmp_path)
    app = tmp_path / "app.py"
    app.write_text(app.read_text(encoding="utf-8").replace("DARK = 0.7", "DARK = 0.15"), "utf-8")
    failed = [decision.rule for decision in run(tmp_path).conclusion.decisions if decision.state == "FAIL"]
    assert {"photos-are-read", "at-night-too"} <= set(failed)


@pytest.mark.parametrize(
    ("name", "broken", "always", "sometimes"),
    [("meters", "noise-100", "rotate-2", "night"), ("keypad", "noise_snr--2", None, None)],
)
def test_a_system_of_an_example_breaks_where_its_policy_says_that_it_does(
    name: str, broken: str, always: str | None, sometimes: str | None, tmp_path: Path
) -> None:
    copy_example(name, tmp_path)
    run(tmp_path)
    with closing(Store(tmp_path, create=False)) as store:
        history = History(store)
        trials = list(history.trials(history.find()))
    wrong = [trial for trial in trials if trial.verdicts[0].outcome == "fail"]
    assert broken in {trial.variant for trial in wrong}
    assert {trial.variant for trial in wrong} <= {broken, always, "mp3-16"}, "what MP3 costs hangs on its encoder"
    if sometimes is not None:
        assert {trial.slice["light"] for trial in wrong if trial.variant == broken} == {sometimes}
        assert sum(trial.variant == always for trial in wrong) == 16


def test_every_example_is_named_in_the_help() -> None:
    shown = CliRunner().invoke(root, ["init", "--help"]).output
    assert all(name in shown for name in known_examples())


def script_named(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("name", "script"), [("thumbnails", "draw_example"), ("meters", "draw_meters")])
def test_the_pictures_are_those_that_the_script_draws(name: str, script: str) -> None:
    """Within what JPEG changes; so the script explains every one of them."""
    module = script_named(script)
    photos, drawn = EXAMPLES / name / "data" / "photos", dict(module.pictures())
    assert {path.stem for path in photos.iterdir()} == set(drawn)
    for photo, picture in drawn.items():
        with Image.open(photos / f"{photo}.jpg") as kept:
            difference = ImageChops.difference(kept.convert("RGB"), picture)
        assert max(ImageStat.Stat(difference).mean) < 4, photo


def test_the_recordings_are_those_that_the_script_makes() -> None:
    module, data = script_named("make_keypad"), EXAMPLES / "keypad" / "data"
    made = dict(module.recordings())
    assert {path.stem for path in (data / "recordings").iterdir()} == set(made)
    for name, samples in made.items():
        with wave.open(str(data / "recordings" / f"{name}.wav")) as file:
            kept = np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(int)
        assert len(kept) == len(samples)
        assert abs(kept - samples).max() <= 1, name
    rows = [json.loads(line) for line in (data / "calls.jsonl").read_text().splitlines()]
    assert [(row["id"], row["expected"], row["slice"]["line"]) for row in rows] == list(module.calls())


def test_the_meters_expect_what_is_drawn_on_them() -> None:
    module = script_named("draw_meters")
    rows = [json.loads(line) for line in (EXAMPLES / "meters" / "data" / "meters.jsonl").read_text().splitlines()]
    assert [(row["id"], row["expected"]["kwh"], row["slice"]["light"]) for row in rows] == list(module.readings())
