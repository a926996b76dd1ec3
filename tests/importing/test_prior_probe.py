"""Samples of an earlier tool become a project whose variants are its conditions."""

from __future__ import annotations

import json
from typing import Any

import pytest
from PIL import Image


@pytest.fixture
def samples(folder: Any) -> Any:
    rows = []
    for number, (visual, prior) in enumerate((("blue", "yellow"), ("green", "red"), ("3", "4"))):
        for kind in ("v", "o", "c"):
            Image.new("RGB", (24, 24), (40 * number, 90, {"v": 0, "o": 99, "c": 200}[kind])).save(
                folder.root / f"{kind}{number}.png"
            )
        rows.append(
            {
                "id": f"s{number}",
                "image": f"v{number}.png",
                "prompt": "Which?",
                "attribute": "count" if visual == "3" else "color",
                "visual_value": visual,
                "prior_value": prior,
                "original_image": f"o{number}.png",
                "counterfactual_image": f"c{number}.png",
                "prompts": ["Look closely: which?"],
            }
        )
    folder.write("samples.json", json.dumps(rows))
    answers = {
        "s0": {"original": "blue", "text_only": "yellow", "original_image": "yellow", "counterfactual": "blue"},
        "s1": {"original": "red", "text_only": "red", "original_image": "red", "counterfactual": "not green"},
        "s2": {"original": "three", "text_only": "4", "original_image": "4", "counterfactual": "3"},
    }
    prompt = {"s0": "blue", "s1": "green", "s2": "3"}
    responses = {
        name: {**{key: [text] for key, text in given.items()}, "prompt_1": [prompt[name]]}
        for name, given in answers.items()
    }
    folder.write("responses.json", json.dumps(responses))
    return folder


def test_its_rates_are_metrics_of_the_run(samples: Any) -> None:
    ended = samples.run("import", "prior-probe", "samples.json", "--responses", "responses.json")
    assert ended.exit == 0, ended.err
    found = samples.run("run", "--config", "samples/oloproof.yaml", "--json").document
    told = [one for one in found["metrics"] if one["criterion"].startswith("sees.")]
    rates = {one["criterion"]: one for one in told if one["slice"] is None}

    def share(name: str) -> tuple[int, int]:
        return rates[f"sees.{name}"]["family"]["numerator"], rates[f"sees.{name}"]["family"]["denominator"]

    assert share("visual_adoption_rate") == (2, 3)
    assert share("prior_persistence_rate") == (1, 3)
    assert share("text_prior_alignment_rate") == (3, 3)
    assert share("counterfactual_sensitivity_rate") == (2, 3)
    assert share("visual_reliance_rate") == (2, 3)
    assert share("prompt_correction_rate") == (1, 3)
    assert share("prompt_recovery_rate") == (1, 1)
    groups = {
        one["slice"]["attribute"]: one["family"]["numerator"]
        for one in told
        if one["slice"] is not None and one["criterion"] == "sees.visual_adoption_rate"
    }
    assert groups == {"color": 1, "count": 1}
    assert rates["sees.blank_prior_alignment_rate"]["estimate"] is None


def test_in_parity_negation_counts_for_nothing(samples: Any) -> None:
    assert samples.run("import", "prior-probe", "samples.json", "--responses", "responses.json", "--parity").exit == 0
    found = samples.run("run", "--config", "samples/oloproof.yaml", "--json").document
    rates = {one["criterion"]: one["estimate"] for one in found["metrics"] if one["slice"] is None}

    assert rates["sees.counterfactual_sensitivity_rate"] == 1.0
    assert rates["sees.visual_adoption_rate"] == pytest.approx(1 / 3)


def test_mistakes_of_samples_are_told_together(samples: Any) -> None:
    rows = json.loads((samples.root / "samples.json").read_text())
    del rows[0]["prior_value"]
    rows[1]["image"] = 5
    rows[2]["visul_aliases"] = []
    samples.write("samples.json", json.dumps(rows))
    ended = samples.run("import", "prior-probe", "samples.json")

    assert ended.exit == 2
    for told in ("row 1: sample has no 'prior_value'", "row 2: image must be", "row 3: unknown key visul_aliases"):
        assert told in ended.err
