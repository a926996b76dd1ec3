"""Make what the judges judge: receipts and spoken sentences, each with a claim about it and whether the claim is true.

``python benchmarks/judging/make.py FOLDER [--speech URL]`` writes ``receipts.jsonl`` with its pictures,
``robots.jsonl`` with sentences that ffmpeg's flite speaks, and with a server that speaks (``POST URL/audio/speech``)
``places.jsonl`` with a clear voice. The same seed makes the same claims.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import httpx
from PIL import Image, ImageDraw, ImageFilter, ImageFont

GOODS = ("Bread", "Butter", "Coffee", "Apples", "Rice", "Soap", "Candles", "Honey", "Olives", "Paper towels", "Tea")
PLACES = (
    "Geneva", "Lisbon", "Oslo", "Madrid", "Vienna", "Prague", "Dublin", "Athens", "Warsaw", "Helsinki", "Chicago",
    "Boston", "Denver", "Toronto", "Sydney", "Cairo", "Nairobi", "Mumbai", "Tokyo", "Berlin",
)  # fmt: skip
SPEECHES = (
    "The next train to {} leaves in ten minutes.",
    "My sister moved to {} three years ago.",
    "The parcel was sent from {} on Tuesday.",
    "It rained in {} for most of the week.",
)
ROBOTS = ("kal", "awb", "rms", "slt")


def main() -> None:
    """Write the cases."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--receipts", type=int, default=120)
    parser.add_argument("--places", type=int, default=80, help=f"at most {len(PLACES) * len(SPEECHES)}")
    parser.add_argument("--speech", metavar="URL", help="a server that speaks, such as http://127.0.0.1:8077/v1")
    given = parser.parse_args()
    (given.folder / "receipts").mkdir(parents=True, exist_ok=True)
    chance = random.Random(20261201)
    write(given.folder / "receipts.jsonl", [receipt(given.folder, n, chance) for n in range(given.receipts)])
    voices = {"robots": robot, **({"places": clear_voice(given.speech)} if given.speech else {})}
    for name, speak in voices.items():
        (given.folder / name).mkdir(exist_ok=True)
        rows = [place(given.folder, name, speak, number, chance) for number in range(given.places)]
        write(given.folder / f"{name}.jsonl", rows)


def write(path: Path, rows: list[dict[str, object]]) -> None:
    """Write one JSON object a line."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def receipt(folder: Path, number: int, chance: random.Random) -> dict[str, object]:
    """Draw a receipt, turned a little and soft as photos of them are; every third claim has a wrong total."""
    paper = Image.new("RGB", (520, 640), (246, 244, 238))
    draw = ImageDraw.Draw(paper)
    draw.text((260, 40), "CORNER SHOP", "black", font(34), anchor="ma")
    total, y = 0, 120
    for item in chance.sample(GOODS, chance.randint(3, 6)):
        price = chance.randint(90, 4800)
        total += price
        draw.text((40, y), item, "black", font(24))
        draw.text((480, y), f"{price / 100:.2f}", "black", font(24), anchor="ra")
        y += 44
    draw.line((40, y + 8, 480, y + 8), "black", 2)
    draw.text((40, y + 24), "TOTAL", "black", font(28))
    draw.text((480, y + 24), f"{total / 100:.2f}", "black", font(28), anchor="ra")
    photo = paper.rotate(chance.uniform(-3, 3), Image.Resampling.BICUBIC, fillcolor=(120, 112, 100))
    name = f"receipts/{number:03d}.png"
    photo.filter(ImageFilter.GaussianBlur(chance.uniform(0, 2.8))).save(folder / name)
    true = number % 3 != 0
    said = total if true else misread(total, chance)
    return row(f"receipt-{number:03d}", name, f"The total is {said / 100:.2f}", true=true)


def misread(total: int, chance: random.Random) -> int:
    """Return a total with two of its digits read as others."""
    digits = list(str(total))
    for place in chance.sample(range(len(digits)), 2):
        digits[place] = chance.choice([digit for digit in "123456789" if digit != digits[place]])
    return int("".join(digits))


def place(
    folder: Path, group: str, speak: Callable[[str, int, Path], None], number: int, chance: random.Random
) -> dict[str, object]:
    """Have a sentence about a place spoken; every third claim names another place."""
    spoken = PLACES[number % len(PLACES)]
    name = f"{group}/{number:03d}.wav"
    speak(SPEECHES[number // len(PLACES) % len(SPEECHES)].format(spoken), number, folder / name)
    true = number % 3 != 0
    claimed = spoken if true else chance.choice([one for one in PLACES if one != spoken])
    return row(f"{group}-{number:03d}", name, claimed, true=true)


def robot(text: str, number: int, path: Path) -> None:
    """Speak with one of four robotic voices in turn."""
    source = f"flite=voice={ROBOTS[number % len(ROBOTS)]}:text='{text}'"
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", source, str(path)], check=True)


def clear_voice(server: str) -> Callable[[str, int, Path], None]:
    """Return what speaks by a server."""

    def speak(text: str, _number: int, path: Path) -> None:
        body = {"model": "tts-1", "voice": "alloy", "input": text, "response_format": "wav"}
        answer = httpx.post(f"{server}/audio/speech", json=body, timeout=120)
        answer.raise_for_status()
        path.write_bytes(answer.content)

    return speak


def row(name: str, file: str, claim: str, *, true: bool) -> dict[str, object]:
    """Return a case."""
    return {"id": name, "input": {"file": file, "claim": claim}, "expected": {"true": true}}


def font(size: int) -> ImageFont.FreeTypeFont:
    """Return DejaVu Sans, which comes with most systems."""
    return ImageFont.truetype("DejaVuSans.ttf", size)


if __name__ == "__main__":
    main()
