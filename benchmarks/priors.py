"""What a prior probe costs: 10,000 samples asked, labelled and resampled. ``python benchmarks/priors.py``."""

import random
import time
from collections import Counter

from oloproof.probes import evaluate
from oloproof.statistics import PRIOR_LABELS, bootstrap_label_rates, recipe_label_rates

COLOURS = ("blue", "yellow", "red", "green", "purple", "orange", "black", "white")


def samples(count: int, drawn: random.Random) -> list[dict[str, str]]:
    """Return samples of colours with their priors."""
    pairs = [drawn.sample(COLOURS, 2) for _ in range(count)]
    return [
        {
            "id": f"s{number}",
            "image": f"{number}.png",
            "prompt": f"Which colour is thing {number}?",
            "attribute": "color",
            "visual_value": visual,
            "prior_value": prior,
        }
        for number, (visual, prior) in enumerate(pairs)
    ]


def main() -> None:
    """Print CPU-seconds of each part."""
    drawn = random.Random(1)
    given = samples(10_000, drawn)
    answers = [f"It is {colour}." for colour in COLOURS] + [f"not {colour} but blue" for colour in COLOURS]
    labels = [drawn.choice(PRIOR_LABELS) for _ in given]
    bootstrap_label_rates({"visual": 1}, resamples=1)
    parts = {
        "evaluate, 20,000 questions, no bootstrap": lambda: evaluate(
            given, lambda image, prompt: drawn.choice(answers)
        ),
        "bootstrap of 10,000 labels, 1,000 resamples": lambda: bootstrap_label_rates(Counter(labels), resamples=1000),
        "the same by the recipe of tool 001": lambda: recipe_label_rates(labels, PRIOR_LABELS, resamples=1000),
    }
    for name, part in parts.items():
        began = time.process_time()
        part()
        print(f"{name}: {time.process_time() - began:.3f} CPU-s")


if __name__ == "__main__":
    main()
