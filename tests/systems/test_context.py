"""``current_case()``: paths that no other trial has, and what may be recorded."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from msgspec.structs import replace

from oloproof import current_case, media_file
from oloproof.errors import MediaError, OloproofError
from oloproof.records import MediaItem
from oloproof.systems.context import CurrentCase, safe_name, trial_folder
from tests.systems.conftest import PNG, Opened, make_trial

TEXTS = some.text(some.characters(), max_size=200) | some.sampled_from(
    ["", ".", "..", "...", " ", "a ", "~", "%", "a/../b"]
)


@given(TEXTS, TEXTS)
def test_two_texts_never_share_a_file_name(one: str, other: str) -> None:
    assert (safe_name(one) == safe_name(other)) == (one == other)


@given(TEXTS)
def test_a_file_name_made_of_any_text_stays_in_its_folder(tmp_path_factory: Any, text: str) -> None:
    name = safe_name(text)
    assert name not in ("", ".", "..")
    assert "/" not in name
    assert "\0" not in name
    assert len(os.fsencode(name)) <= 120
    assert Path("/base", name).parent == Path("/base")


def test_a_text_that_looks_like_the_short_form_of_a_long_one_is_not_it() -> None:
    long = "x" * 200
    assert safe_name(safe_name(long)) != safe_name(long)


def test_ordinary_ids_stay_readable() -> None:
    assert safe_name("photo-01 (front).v2") == "photo-01 (front).v2"


def test_each_system_version_run_case_variant_and_repeat_has_a_folder_of_its_own() -> None:
    base = make_trial(case="a")
    trials = [base, make_trial(case="b"), make_trial(case="a", variant="dark"), make_trial(case="a", repeat=1)]
    folders = {trial_folder(Path("out"), name, version, run, trial)
               for trial in trials for name in "st" for version in "12" for run in ("r1", "r2")}  # fmt: skip
    assert len(folders) == 4 * 8


def make_case(root: Path, given: Any = None) -> CurrentCase:
    return CurrentCase(make_trial(given), lambda trial: root / "mine")


def test_a_path_is_fresh_when_first_asked_for_and_keeps_what_was_written_to_it(tmp_path: Path) -> None:
    left_over = tmp_path / "mine" / "frames" / "1.png"
    left_over.parent.mkdir(parents=True)
    left_over.write_bytes(b"from an earlier attempt")
    case = make_case(tmp_path)
    path = case.path("frames/1.png")
    assert path == left_over
    assert not path.exists()
    path.write_bytes(b"new")
    assert case.path(Path("frames/1.png")).read_bytes() == b"new"


@pytest.mark.parametrize("name", ["", ".", "/", "/etc/passwd", "..", "../x", "a/../../x", "a\0b"])
def test_a_name_that_leaves_its_place_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(OloproofError, match=r"takes a name such as 'thumb\.png'"):
        make_case(tmp_path).path(name)
    assert not (tmp_path / "mine").exists()


def test_outside_of_a_run_there_is_no_current_case() -> None:
    with pytest.raises(OloproofError, match="here nothing is being evaluated"):
        current_case()


def recorded(root: Path) -> MediaItem:
    (root / "a.png").write_bytes(PNG)
    return media_file(root / "a.png")


def test_an_empty_artifact_records_nothing_and_the_answer_stands(opened: Callable[..., Opened]) -> None:
    def nothing_found(_: Any) -> str:
        current_case().media([])
        return "none"

    execution = opened(nothing_found).ask()
    assert (execution.output, execution.media, execution.error) == ("none", (), None)


def test_items_may_come_one_by_one_or_from_a_generator(tmp_path: Path) -> None:
    item, case = recorded(tmp_path), make_case(tmp_path)
    case.media([item])
    case.media(one for one in (item, item))
    case.media(item)  # type: ignore[arg-type]
    assert case.recorded == [item] * 4


@pytest.mark.parametrize("given", ["a.png", Path("a.png"), b"a.png", None, 3, ["a.png"], [{"path": "a.png"}]])
def test_anything_but_items_is_refused_and_nothing_of_it_recorded(tmp_path: Path, given: Any) -> None:
    case = make_case(tmp_path)
    with pytest.raises(MediaError, match=r"media\(\[media_file\(path\)\]\)"):
        case.media(given if not isinstance(given, list) else [recorded(tmp_path), *given])
    assert case.recorded == []


@pytest.mark.parametrize(
    ("facts", "place"), [({"seed": {1, 2}}, r"\$\.seed is a set"), ({"p": float("nan")}, "not a finite")]
)
def test_facts_that_cannot_be_stored_are_refused_at_once(tmp_path: Path, facts: dict[str, Any], place: str) -> None:
    with pytest.raises(MediaError, match=f"its facts are not JSON: .*{place}"):
        make_case(tmp_path).media([replace(recorded(tmp_path), facts=facts)])


def test_a_name_that_is_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MediaError, match="name is text, not 3"):
        make_case(tmp_path).media([replace(recorded(tmp_path), name=3)])  # type: ignore[arg-type]


def test_the_input_is_the_trials_own_copy(tmp_path: Path) -> None:
    trial = make_trial({"words": ["a"]})
    case = CurrentCase(trial, lambda _: tmp_path)
    case.input["words"].append("b")
    assert trial.case.input == {"words": ["a"]}
    assert case.input == {"words": ["a", "b"]}
