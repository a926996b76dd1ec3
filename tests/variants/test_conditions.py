"""Conditions: the case asked again without its picture, with another one, or in other words."""

from __future__ import annotations

import pytest
from PIL import Image

from oloproof.config.variants import VariantOptions
from oloproof.errors import ConfigError, DatasetError
from oloproof.records import Case
from oloproof.variants.families import POOL, Families
from tests.variants.conftest import Lab, picture, png


def test_text_only_gives_nothing_in_the_field(lab: Lab) -> None:
    lab.project("variants:\n  - text_only: photo\n")
    lab.run()
    trial = lab.trials()["c0", "text_only", 0]
    assert trial.execution.output["photo"] is None
    assert trial.execution.output["keys"] == ["photo", "question"]
    assert trial.delivered[0].item is None
    assert trial.delivered[0].relation == "control"


def test_blank_has_the_size_of_the_picture_and_one_colour(lab: Lab) -> None:
    lab.project("variants:\n  - blank: {field: photo, color: '#102030'}\n")
    lab.run()
    with Image.open(lab.trials()["c0", "blank", 0].execution.output["photo"]) as shown:
        shown.load()
    assert (shown.size, shown.getpixel((3, 3))) == ((24, 16), (16, 32, 48))


def test_mirror_turns_left_and_right(lab: Lab) -> None:
    lab.project("variants:\n  - mirror: photo\n")
    lab.run()
    with Image.open(lab.trials()["c0", "mirror", 0].execution.output["photo"]) as shown:
        shown.load()
    assert shown.getpixel((0, 5)) == picture(0).getpixel((23, 5))


def test_unrelated_is_the_untouched_file_of_another_case(lab: Lab) -> None:
    lab.project("variants:\n  - unrelated: photo\n")
    lab.run()
    for case in ("c0", "c1", "c2"):
        trials = lab.trials()
        own, other = (trials[case, variant, 0].execution.output["photo"] for variant in ("original", "unrelated"))
        assert own != other
        assert other.startswith(str(lab.root / "photos"))


def test_unrelated_is_never_a_copy_of_the_same_picture(lab: Lab) -> None:
    image = png(picture(1))
    lab.project("variants:\n  - unrelated: photo\n", [lab.row(0, image), lab.row(1, image), lab.row(2)])
    lab.run()
    for case in ("c0", "c1"):
        assert lab.trials()[case, "unrelated", 0].execution.output["photo"].endswith("2.png")


def test_without_another_file_there_is_nothing_unrelated(lab: Lab) -> None:
    lab.project("variants:\n  - unrelated: photo\n", [lab.row(0)])
    lab.run()
    assert "no other case has another file" in str(lab.trials()["c0", "unrelated", 0].execution.error)


def families(*entries: dict[str, object], lab: Lab) -> Families:
    return Families([VariantOptions.model_validate(entry) for entry in entries], base=lab.root, root=lab.root)


def test_the_choice_of_the_unrelated_hangs_on_the_seed_and_hardly_on_further_cases(lab: Lab) -> None:
    cases = [Case(f"c{n}", {"photo": ""}, files={"photo": str(lab.root / f"{n}.png")}) for n in range(200)]

    def chosen(seed: int, among: list[Case]) -> list[str]:
        made = families({"unrelated": {"field": "photo", "seed": seed}}, lab=lab)
        made.look(among)
        member = next(made.members(cases[0]))
        return [next(made.unrelated(case, member)) for case in cases[:100]]

    first = chosen(1, cases)
    assert first == chosen(1, list(reversed(cases)))
    assert sum(one != other for one, other in zip(first, chosen(2, cases), strict=True)) > 80
    assert sum(one != other for one, other in zip(first, chosen(1, cases[:-2]), strict=True)) < 10


def test_of_a_large_dataset_only_so_many_files_are_held(lab: Lab) -> None:
    made = families({"unrelated": "photo"}, lab=lab)
    made.look(Case(f"c{n}", {"photo": ""}, files={"photo": str(lab.root / f"{n}.png")}) for n in range(3 * POOL))
    member = next(made.members(Case("x", {})))
    assert len(set(made.unrelated(Case("x", {}), member))) == POOL


COUNTERFACTUAL = "variants:\n  - counterfactual: {field: photo, from: expected.other, expected: expected.then}\n"


def test_a_counterfactual_has_its_own_file_and_its_own_truth(lab: Lab) -> None:
    lab.folder.write("photos/big.png", png(picture(9, 40, 40)))
    rows = [lab.row(0, other="photos/big.png", then={"size": [40, 40]}), lab.row(1)]
    lab.project(COUNTERFACTUAL, rows)
    result = lab.run()
    trials = lab.trials()
    assert (result.run.trials, ("c1", "counterfactual", 0) in trials) == (3, False)
    assert trials["c0", "counterfactual", 0].verdicts[0].outcome == "pass"
    assert trials["c0", "counterfactual", 0].expected["size"] == [40, 40]
    assert trials["c0", "original", 0].expected["size"] == [24, 16]


def test_a_counterfactual_that_is_the_same_picture_is_refused(lab: Lab) -> None:
    """It could not change the answer, and what it gave would be counted as if it could."""
    lab.project(COUNTERFACTUAL, [lab.row(0, other="photos/0.png", then={})])
    lab.run()
    trial = lab.trials()["c0", "counterfactual", 0]
    assert "claims another answer, and its file is the same" in str(trial.execution.error)


def test_what_a_variant_comes_from_is_not_given_to_the_system(lab: Lab) -> None:
    rows = [lab.row(0, given={"wordings": ["what size?", "tell its size"]}), lab.row(1)]
    lab.project("variants:\n  - prompts: {field: question, from: input.wordings}\n", rows)
    result = lab.run()
    trials = lab.trials()
    assert result.run.trials == 4
    assert {trial.execution.output["keys"] == ["photo", "question"] for trial in trials.values()} == {True}
    assert [trials["c0", name, 0].execution.output["question"] for name in ("original", "prompt_1", "prompt_2")] == [
        "how large?", "what size?", "tell its size",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("other", "words"),
    [("photos/none.png", "no such file"), (7, "expected the path of a file")],
)
def test_a_field_that_holds_something_else_is_told_before_the_run(lab: Lab, other: object, words: str) -> None:
    lab.project(COUNTERFACTUAL, [lab.row(0), lab.row(1, other=other, then={})])
    with pytest.raises(DatasetError, match=f"cases.jsonl:2  case 'c1': expected.other: {words}"):
        lab.run()


def test_a_field_that_no_case_has_is_told_before_the_run(lab: Lab) -> None:
    lab.project(COUNTERFACTUAL)
    with pytest.raises(ConfigError, match=r"counterfactual\.from: no case has the field expected\.other"):
        lab.run()


def test_a_rule_names_a_variant_that_there_is(lab: Lab) -> None:
    rule = "policy: {rules: [{id: a, metric: right, variant: %s, max_failures: 0}]}\n"
    lab.project("variants:\n  - text_only: photo\n" + rule % "text_onli")
    with pytest.raises(ConfigError, match=r"there is no variant 'text_onli'; did you mean text_only"):
        lab.run()
    lab.project("variants:\n  - text_only: photo\n" + rule % "text_only")
    result = lab.run()
    assert [(one.state, one.rule) for one in result.conclusion.decisions] == [("FAIL", "a")]
    own = [metric for metric in result.conclusion.metrics if metric.criterion == "right"]
    variants = {metric.variant: (metric.passed, metric.failed) for metric in own}
    assert variants == {"original": (3, 0), "text_only": (0, 3)}
