"""What must be equal for an earlier answer to be the answer now."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.records import Case, Trial
from oloproof.running.keys import execution_key, given_input, portable_input

ROOT = Path("/projects/here")


def test_files_of_the_project_are_named_relative_to_it_and_others_are_not() -> None:
    case = Case(
        "a",
        {
            "photo": "/projects/here/data/a.png",
            "pair": ["/elsewhere/b.png", "text"],
            "same": "/projects/here/data/a.png",
        },
        files={"photo": "/projects/here/data/a.png", "pair.0": "/elsewhere/b.png"},
    )
    assert portable_input(case, ROOT) == {
        "photo": "data/a.png",
        "pair": ["/elsewhere/b.png", "text"],
        "same": "/projects/here/data/a.png",
    }
    assert case.input["photo"] == "/projects/here/data/a.png", "the case itself stays as it was"


def test_a_text_that_only_names_a_file_stays_as_the_dataset_wrote_it() -> None:
    case = Case("a", {"note": "data/a.png"}, files={"note": "/projects/here/data/a.png"})
    assert portable_input(case, ROOT) == {"note": "data/a.png"}


def test_a_stored_input_is_given_again_with_the_paths_that_it_had() -> None:
    files = {"photo": "/projects/here/data/a.png", "pair.0": "/elsewhere/b.png"}
    case = Case("a", {"photo": files["photo"], "pair": ["/elsewhere/b.png", "text"], "note": "text"}, files=files)
    assert given_input(portable_input(case, ROOT), files, ROOT) == case.input
    assert given_input("text", {}, ROOT) == "text"


def key(**changed: Any) -> bytes:
    base: dict[str, Any] = {"system": "s", "variant": "original", "repeat": 0, "given": "{}", "files": {"a": "1"}}
    parts = {**base, **changed}
    trial = Trial(0, Case(changed.get("id", "case"), {}), parts["variant"], parts["repeat"])
    return execution_key(parts["system"], trial, parts["given"], parts["files"])


@pytest.mark.parametrize(
    "changed",
    [{"system": "t"}, {"variant": "blank"}, {"repeat": 1}, {"given": '{"n":1}'}, {"files": {"a": "2"}}, {"files": {}}],
)
def test_each_part_makes_another_key(changed: dict[str, Any]) -> None:
    assert key(**changed) != key()


def test_the_id_of_the_case_does_not() -> None:
    assert key(id="renamed") == key()


def test_the_id_of_the_case_does_where_it_decides_on_the_answer() -> None:
    one, other = (execution_key("s", Trial(0, Case(name, {})), "{}", {}, by_id=True) for name in ("a", "b"))
    assert one != other


@given(st.lists(st.text(), min_size=2, max_size=2), st.lists(st.text(), min_size=2, max_size=2))
def test_parts_never_run_into_each_other(one: list[str], other: list[str]) -> None:
    keys = [
        execution_key("s", Trial(0, Case("a", {}), variant), given, {}) for given, variant in (tuple(one), tuple(other))
    ]
    assert (keys[0] == keys[1]) == (one == other)
