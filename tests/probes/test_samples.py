"""Which samples and arguments are taken, held to what an earlier tool took."""

from __future__ import annotations

from typing import Any

import pytest

from oloproof.probes import compare, evaluate, probe
from tests.probes.conftest import always, golden, sample

TAKEN = {entry["case"]: entry for entry in golden("vpp_validation")}
KINDS = {"KeyError": KeyError, "ValueError": ValueError, "TypeError": TypeError}
KEYS = ("id", "image", "prompt", "attribute", "visual_value", "prior_value")


@pytest.mark.parametrize("key", KEYS)
def test_a_key_that_is_not_there_is_named(key: str) -> None:
    given = sample()
    del given[key]

    assert TAKEN[f"missing {key}"]["error"] == "KeyError"
    with pytest.raises(KeyError, match=key):
        probe(given, always("blue"))


@pytest.mark.parametrize("value", ["", None, 5, ["a"]])
@pytest.mark.parametrize("key", KEYS)
def test_texts_must_be_texts_and_a_picture_may_be_anything(key: str, value: Any) -> None:
    entry = TAKEN[f"{key}={value!r}"]
    if entry["ok"]:
        assert probe(sample(**{key: value}), always("blue"))["classification"] == entry["result"]
    else:
        with pytest.raises(KINDS[entry["error"]], match=key):
            probe(sample(**{key: value}), always("blue"))


@pytest.mark.parametrize(
    ("case", "more"),
    [
        ("visual==prior", {"prior_value": "blue"}),
        ("aliases str", {"visual_aliases": "azure"}),
        ("aliases tuple", {"visual_aliases": ("azure",)}),
        ("aliases empty", {"visual_aliases": []}),
        ("aliases empty string", {"visual_aliases": [""]}),
        ("aliases nonstring", {"visual_aliases": [5]}),
        ("prompts str", {"prompts": "again?"}),
        ("prompts nonstring", {"prompts": [5]}),
        ("other overlap prior", {"other_values": ["yellow"]}),
    ],
)
def test_lists_of_words_are_lists_of_texts(case: str, more: dict[str, Any]) -> None:
    entry = TAKEN[case]
    if entry["ok"]:
        assert probe(sample(**more), always("yellow" if entry["result"] == "prior" else "blue"))["valid"]
    else:
        with pytest.raises(KINDS[entry["error"]]):
            probe(sample(**more), always("blue"))


@pytest.mark.parametrize("more", [{"prior_aliases": ["Blue"]}, {"visual_value": "!!!"}, {"visual_aliases": ["?"]}])
def test_words_that_stand_for_both_sides_or_for_nothing_are_refused(more: dict[str, Any]) -> None:
    """The earlier tool took them: an alias of both made every answer mixed, a mere mark never matched."""
    with pytest.raises(ValueError, match="'s'"):
        probe(sample(**more), always("blue"))
    assert probe(sample(**more), always("blue"), parity=True)["valid"]


@pytest.mark.parametrize(
    ("arguments", "kind", "told"),
    [
        ({"conditions": ["blank_image"]}, ValueError, "no blank_image"),
        ({"conditions": ["nope"]}, ValueError, "no nope"),
        ({"conditions": []}, ValueError, "at least one"),
        ({"conditions": "visual"}, TypeError, "list of names"),
        ({"on_error": "bad"}, ValueError, "record"),
    ],
)
def test_conditions_are_those_that_the_sample_has(arguments: dict[str, Any], kind: type[Exception], told: str) -> None:
    with pytest.raises(kind, match=told):
        probe(sample(), always("blue"), **arguments)


def test_samples_are_a_list_of_mappings_with_ids_of_their_own() -> None:
    for given, kind in (("text", TypeError), ({"a": 1}, TypeError), ([sample(), sample()], ValueError), (5, TypeError)):
        with pytest.raises(kind):
            evaluate(given, always("blue"))  # type: ignore[arg-type]
    assert evaluate((one for one in [sample()]), always("blue"))["samples"] == 1


@pytest.mark.parametrize("bootstrap", [-1, 1.5, True, "10", None])
def test_a_bootstrap_is_a_whole_number(bootstrap: Any) -> None:
    with pytest.raises(ValueError, match="bootstrap"):
        evaluate([sample()], always("blue"), bootstrap=bootstrap)


def test_targets_can_be_called_and_at_least_two_are_compared() -> None:
    with pytest.raises(TypeError, match="callable"):
        probe(sample(), "blue")  # type: ignore[arg-type]
    for targets in ({"a": always("blue")}, {}, [always("blue"), always("red")]):
        with pytest.raises(ValueError, match="two named targets"):
            compare([sample()], targets)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="concurrency"):
        evaluate([sample()], always("blue"), concurrency=0)
