"""The projects that ``oloproof init`` copies."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageStat

from oloproof.config import load_project
from oloproof.errors import OloproofError
from oloproof.evaluators import builtin_registry
from oloproof.examples import copy_example, known_examples
from oloproof.running import run
from oloproof.running.checking import check_project

ROOT = Path(__file__).parent.parent.parent
PHOTOS = ROOT / "oloproof" / "examples" / "thumbnails" / "data" / "photos"


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
    with pytest.raises(OloproofError, match="there is thumbnails"):
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


def test_the_pictures_are_those_that_the_script_draws() -> None:
    """Within what JPEG changes; so the script explains every one of them."""
    spec = importlib.util.spec_from_file_location("draw_example", ROOT / "scripts" / "draw_example.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    drawn = dict(module.pictures())
    assert {path.stem for path in PHOTOS.iterdir()} == set(drawn)
    for name, picture in drawn.items():
        with Image.open(PHOTOS / f"{name}.jpg") as kept:
            difference = ImageChops.difference(kept.convert("RGB"), picture)
        assert max(ImageStat.Stat(difference).mean) < 4, name


def test_the_pictures_are_small_and_not_flat() -> None:
    """A hash of a flat picture would say nothing; a large one would make the package heavy."""
    for path in PHOTOS.iterdir():
        assert path.stat().st_size < 20_000
        with Image.open(path) as picture:
            assert ImageStat.Stat(picture.convert("L")).stddev[0] > 20, path.name
