"""Make the recordings of the ``keypad`` example: keys of a telephone pressed one after another, each two tones at once.

Run it as ``python scripts/make_keypad.py``. It makes the same samples every time and writes the dataset beside them, so
that nothing in the repository is a sound nobody can explain.
"""

from __future__ import annotations

import json
import wave
from collections.abc import Iterator
from pathlib import Path

import numpy as np

DATA = Path(__file__).parent.parent / "oloproof" / "examples" / "keypad" / "data"
COUNT, LENGTH = 12, 6
RATE = 8_000
PRESSED, PAUSE = 0.09, 0.06
"""Seconds for which a key sounds, and that pass before the next."""

ROWS, COLUMNS = (697, 770, 852, 941), (1209, 1336, 1477)
KEYS = ("123", "456", "789", "*0#")
"""Each key is the tone of its row and that of its column, in Hz (ITU-T Q.23)."""


def calls() -> Iterator[tuple[str, str, str]]:
    """Yield name, keys and line of each recording."""
    chance = np.random.default_rng(23)
    for number in range(COUNT):
        keys = "".join(chance.choice(list("0123456789#*"), LENGTH))
        yield f"call-{number + 1:02}", keys, "mobile" if number % 3 == 2 else "landline"


def recordings() -> Iterator[tuple[str, np.ndarray]]:
    """Yield name and samples of each recording, 16 bits at 8 kHz."""
    for number, (name, keys, line) in enumerate(calls()):
        yield name, recording(keys, 0.05 if line == "mobile" else 0.005, np.random.default_rng(number))


def recording(keys: str, hiss: float, chance: np.random.Generator) -> np.ndarray:
    """Return the keys as they sound on a line with so much hiss (1 is full scale)."""
    pause = np.zeros(round(PAUSE * RATE))
    sound = np.concatenate([pause, *(part for key in keys for part in (tone(key), pause))])
    return np.clip((sound + chance.normal(0, hiss, len(sound))) * 32767, -32768, 32767).astype("<i2")


def tone(key: str) -> np.ndarray:
    """Return the sound of one key, faded in and out so that it does not click."""
    row = next(number for number, keys in enumerate(KEYS) if key in keys)
    seconds = np.arange(round(PRESSED * RATE)) / RATE
    waves = [np.sin(2 * np.pi * hertz * seconds) for hertz in (ROWS[row], COLUMNS[KEYS[row].index(key)])]
    fade = np.minimum(1, np.minimum(seconds, seconds[::-1]) / 0.005)
    return 0.3 * sum(waves) * fade


def main() -> None:
    """Write the recordings and the dataset."""
    (DATA / "recordings").mkdir(parents=True, exist_ok=True)
    for name, samples in recordings():
        with wave.open(str(DATA / "recordings" / f"{name}.wav"), "wb") as file:
            file.setparams((1, 2, RATE, 0, "NONE", "not compressed"))
            file.writeframes(samples.tobytes())
    with (DATA / "calls.jsonl").open("w", encoding="utf-8") as rows:
        for name, keys, line in calls():
            case = {"id": name, "input": {"recording": f"recordings/{name}.wav"}, "expected": keys}
            rows.write(json.dumps({**case, "slice": {"line": line}}) + "\n")


if __name__ == "__main__":
    main()
