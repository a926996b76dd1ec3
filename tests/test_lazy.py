"""Names that a package offers and loads when they are first used."""

from __future__ import annotations

import ast
import sys
from importlib import import_module
from pathlib import Path

import pytest

from oloproof.lazy import offered_names

ROOT = Path(__file__).parents[1]
STUBS = sorted((ROOT / "oloproof").rglob("__init__.pyi"))


@pytest.mark.parametrize("stub", STUBS, ids=lambda stub: str(stub.parent.relative_to(ROOT)))
def test_a_room_offers_what_its_stub_imports_and_nothing_else(stub: Path) -> None:
    room = import_module(".".join(stub.parent.relative_to(ROOT).parts))
    written = [
        alias.name
        for node in ast.parse(stub.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]

    assert room.__all__ == sorted(written)
    assert dir(room) == sorted(written)
    assert all(hasattr(room, name) for name in written)
    with pytest.raises(AttributeError, match="has no attribute 'nothing_of_that_name'"):
        _ = room.nothing_of_that_name


def test_the_stubs_of_the_rooms_are_found() -> None:
    assert len(STUBS) > 5


def test_a_module_is_loaded_with_the_first_of_its_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "lazy_room_for_a_test"
    package.mkdir()
    (package / "__init__.py").write_text(
        "from oloproof.lazy import offered_names\n__getattr__, __dir__, __all__ = offered_names(__name__, __file__)\n"
    )
    (package / "__init__.pyi").write_text(
        "from .few import ONE as ONE\nfrom .many import (\n    TWO as TWO,\n    three as three,\n)\n\nfour: int\n"
    )
    (package / "few.py").write_text("ONE = 1\n")
    (package / "many.py").write_text("TWO = 2\ndef three(): return 3\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    room = import_module("lazy_room_for_a_test")

    assert room.__all__ == ["ONE", "TWO", "three"]
    assert "lazy_room_for_a_test.few" not in sys.modules
    assert room.three() == 3
    assert "lazy_room_for_a_test.few" not in sys.modules
    assert room.ONE == 1
    assert "lazy_room_for_a_test.few" in sys.modules
    assert not hasattr(room, "four")


def test_a_package_without_a_stub_says_which_file_is_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"__init__\.pyi"):
        offered_names("nothing", str(tmp_path / "__init__.py"))
