"""Make what the readers read: pages of invoices, bar charts, and spoken sentences, each with what is true of it.

``python benchmarks/readers/make.py FOLDER [--speech URL]`` writes ``documents.jsonl`` with its pictures, and with a
server that speaks (``POST URL/audio/speech``) ``sentences.jsonl`` with its sounds. The same seed makes the same files.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import httpx
from PIL import Image, ImageDraw, ImageFont

CUSTOMERS = (
    "Harbour Supplies",
    "Northwind Traders",
    "Lantern Books",
    "Quiet Garden",
    "Copper Kettle",
    "Blue Door Cafe",
)
SUPPLIERS = ("Meadow Paper", "Stone Bridge Tools", "River Print", "Oak and Iron")
ITEMS = ("Envelopes", "Desk lamp", "Paper roll", "Ink cartridge", "Notebook", "Chair cushion", "Door handle")
FRUIT = ("Apples", "Pears", "Plums", "Cherries", "Grapes", "Lemons", "Figs")
COLOURS = ("#2f6db3", "#c4472b", "#3d8c40", "#8a4fa3", "#d08a1d", "#1f8a8a", "#70543e")
SENTENCES = (
    "The ferry leaves the island before sunrise.", "Please close the window when it rains.",
    "Her brother plays the violin in the kitchen.", "The old bridge was painted green last summer.",
    "We bought fresh bread and a jar of honey.", "A small dog slept under the wooden table.",
    "The library opens later on Monday morning.", "He forgot his umbrella on the crowded train.",
    "The garden gate needs a new hinge.", "They walked along the river until evening.",
    "My uncle grows tomatoes on the balcony.", "The museum shows paintings of stormy weather.",
    "She wrote a long letter to her teacher.", "The baker sold the last cake at noon.",
    "Snow covered the roofs of the village.", "The children built a castle out of sand.",
    "Our cat hides when the doorbell rings.", "The doctor asked him to breathe slowly.",
    "A yellow bus stopped near the market.", "The lamp in the hallway flickers at night.",
)  # fmt: skip


def main() -> None:
    """Write the cases."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=12, help="invoices, and as many charts")
    parser.add_argument("--sentences", type=int, default=10, help=f"how many are spoken, at most {len(SENTENCES)}")
    parser.add_argument("--speech", metavar="URL", help="a server that speaks, such as http://127.0.0.1:8077/v1")
    given = parser.parse_args()
    (given.folder / "pages").mkdir(parents=True, exist_ok=True)
    chance = random.Random(20261130)
    rows = [invoice(given.folder, number, chance) for number in range(given.pages)]
    rows += [chart(given.folder, number, chance) for number in range(given.pages)]
    write(given.folder / "documents.jsonl", rows)
    if given.speech:
        (given.folder / "sounds").mkdir(exist_ok=True)
        write(given.folder / "sentences.jsonl", [spoken(given.folder, given.speech, n) for n in range(given.sentences)])


def write(path: Path, rows: list[dict[str, object]]) -> None:
    """Write one JSON object a line."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def font(size: int, *, bold: bool = False) -> ImageFont.FreeTypeFont:
    """Return DejaVu Sans, which comes with most systems."""
    return ImageFont.truetype("DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf", size)


def invoice(folder: Path, number: int, chance: random.Random) -> dict[str, object]:
    """Draw a page of an invoice; one question in turn asks for its number, its total or its date."""
    page = Image.new("RGB", (1000, 1300), "white")
    draw = ImageDraw.Draw(page)
    told = {
        "invoice number": f"INV-{chance.randint(10000, 99999)}",
        "due date": f"2026-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}",
        "customer": chance.choice(CUSTOMERS),
        "supplier": chance.choice(SUPPLIERS),
    }
    draw.text((70, 60), "INVOICE", "black", font(52, bold=True))
    for place, (name, value) in enumerate(told.items()):
        draw.text((70, 180 + 52 * place), f"{name.capitalize()}:", "black", font(28, bold=True))
        draw.text((420, 180 + 52 * place), value, "black", font(28))
    total, y = 0, 460
    for item in chance.sample(ITEMS, 4):
        price = chance.randint(500, 20000)
        total += price
        draw.text((70, y), item, "black", font(26))
        draw.text((760, y), f"{price / 100:.2f}", "black", font(26))
        y += 48
    draw.line((70, y + 6, 930, y + 6), "black", 2)
    told["total"] = f"{total / 100:.2f}"
    draw.text((70, y + 22), "Total:", "black", font(30, bold=True))
    draw.text((760, y + 22), told["total"], "black", font(30, bold=True))
    asked = ("invoice number", "total", "due date")[number % 3]
    name = f"pages/invoice-{number:02d}.png"
    page.save(folder / name)
    return row(f"invoice-{number:02d}", name, f"What is the {asked}?", told[asked], "invoice")


def chart(folder: Path, number: int, chance: random.Random) -> dict[str, object]:
    """Draw a bar chart with the value over each bar; one question in turn asks for the largest, or for a value."""
    page = Image.new("RGB", (1000, 700), "white")
    draw = ImageDraw.Draw(page)
    labels = chance.sample(FRUIT, 5)
    values = chance.sample(range(12, 98), 5)
    draw.text((280, 20), "Crates sold per week", "black", font(34, bold=True))
    draw.line((90, 600, 960, 600), "black", 3)
    draw.line((90, 90, 90, 600), "black", 3)
    for place, (label, value) in enumerate(zip(labels, values, strict=True)):
        x, top = 130 + 165 * place, 600 - 5 * value
        draw.rectangle((x, top, x + 100, 599), COLOURS[place])
        draw.text((x + 50, top - 36), str(value), "black", font(26), anchor="ma")
        draw.text((x + 50, 612), label, "black", font(24), anchor="ma")
    name = f"pages/chart-{number:02d}.png"
    page.save(folder / name)
    if number % 2 == 0:
        largest = labels[values.index(max(values))]
        return row(f"chart-{number:02d}", name, "Which category is the largest?", largest, "chart")
    place = chance.randrange(5)
    return row(f"chart-{number:02d}", name, f"What is the value of {labels[place]}?", str(values[place]), "chart")


def row(name: str, picture: str, question: str, answer: str, kind: str) -> dict[str, object]:
    """Return a case."""
    given = {"page": picture, "question": question}
    return {"id": name, "input": given, "expected": {"answer": answer}, "slice": {"kind": kind}}


def spoken(folder: Path, server: str, number: int) -> dict[str, object]:
    """Have a sentence spoken and return its case."""
    name = f"sounds/sentence-{number:02d}.wav"
    body = {"model": "tts-1", "voice": "alloy", "input": SENTENCES[number], "response_format": "wav"}
    answer = httpx.post(f"{server}/audio/speech", json=body, timeout=120)
    answer.raise_for_status()
    (folder / name).write_bytes(answer.content)
    return {"id": f"sentence-{number:02d}", "input": {"sound": name}, "expected": {"text": SENTENCES[number]}}


if __name__ == "__main__":
    main()
