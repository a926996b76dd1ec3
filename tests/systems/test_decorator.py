"""``@system``: what a callable says of itself, and how that agrees with the project file."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from oloproof import system
from oloproof.config.models import SystemOptions
from oloproof.errors import SystemError_
from oloproof.systems.decorator import agreed


def options(**values: Any) -> SystemOptions:
    return SystemOptions(callable="app:f", **values)


@system(name="captioner", version="v2", records=["media/v1"])
def declared(given: Any) -> Any:
    return given


def test_a_marked_function_stays_the_function_it_was() -> None:
    assert declared("x") == "x"
    assert declared.__name__ == "declared"


def test_decorator_and_file_complete_each_other() -> None:
    assert agreed(options(), declared, "app:f").records == ("media/v1",)
    named = agreed(options(name="captioner", version="v2", records=["media/v1"]), declared, "app:f")
    assert (named.name, named.version, named.records) == ("captioner", "v2", ("media/v1",))
    silent = agreed(options(version="v9"), print, "app:f")
    assert (silent.name, silent.version, silent.records) == ("app:f", "v9", ())
    assert agreed(options(), len, "app:f").version == "0"


def test_every_disagreement_is_told() -> None:
    with pytest.raises(SystemError_) as raised:
        agreed(options(name="reader", version="v3", records=[]), declared, "app:f")
    assert str(raised.value) == (
        "system.name is 'reader' in the project file and 'captioner' in @system; "
        "system.version is 'v3' in the project file and 'v2' in @system; "
        "system.records is () in the project file and ('media/v1',) in @system: "
        "leave one of them out or make them equal"
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"name": declared}, r'takes its name in brackets: @system\(name="captioner"'),
        ({"name": 3}, "name is text such as name='v1', not 3"),
        ({"version": 2}, "version is text such as version='v1', not 2"),
        ({"version": " "}, "version is text"),
        ({"records": "media/v1"}, r'records is a list of kinds: records=\("media/v1",\)'),
        ({"records": ["media/v2"]}, "unknown record kind 'media/v2'; the one there is: 'media/v1'"),
    ],
)
def test_a_mistake_in_the_decorator_is_told_where_it_is_made(arguments: dict[str, Any], told: str) -> None:
    with pytest.raises(SystemError_, match=told):
        system(**arguments)


def test_what_cannot_be_marked_is_told() -> None:
    with pytest.raises(SystemError_, match="cannot mark a builtin_function_or_method; mark a function"):
        system(name="x")(len)


def test_an_instance_and_a_partial_can_be_marked() -> None:
    class Reader:
        def __call__(self, given: Any) -> Any:
            return given

    for target in (Reader(), functools.partial(declared)):
        assert agreed(options(), system(name="marked")(target), "app:f").name == "marked"
