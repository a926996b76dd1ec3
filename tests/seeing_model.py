"""A model that really sees and hears, small enough for tests: it reads drawn codes, names colours, tells tones apart.

``SeeingModel(judge)`` is a script for ``ModelServer``: sight tests it answers by itself, every other question goes to
``judge``, which is given the request and the pictures in it and returns the text of the reply.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from io import BytesIO

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from oloproof.media.probes import ALPHABET, COLORS
from tests.model_server import Answer, Request, chat, media_of

Judge = Callable[[Request, list[bytes]], str]
_SIDE = 28


class SeeingModel:
    """Sees unless ``blind``; then it answers every question from the words alone. ``name`` is what it says it is."""

    def __init__(self, judge: Judge, *, blind: bool = False, name: str = "served-1") -> None:
        self.judge, self.blind, self.name = judge, blind, name
        self.probes = 0

    def __call__(self, request: Request) -> Answer:
        media = [] if self.blind else media_of(request)
        if "You are tested" in json.dumps(request.json["messages"][0]):
            self.probes += 1
            return chat(json.dumps({"answer": self._perceived(request.text, [data for _, data in media])}))
        said = self.judge(request, [data for kind, data in media if kind.startswith("image/")])
        return chat(said, model=self.name)

    def _perceived(self, words: str, media: list[bytes]) -> str:
        if not media:
            return ""
        if "letters and digits" in words:
            return read_code(media[0])
        if "digits are spoken" in words:
            return ""  # it knows tones and no speech
        if "tones" in words:
            return read_tones(media[0])
        return ", ".join(color_of(picture) for picture in media)


def verdict(passed: bool, reason: str = "seen") -> str:
    return json.dumps({"pass": passed, "reason": reason})


def color_of(picture: bytes) -> str:
    """Name the colour that fills most of a picture."""
    mean = np.asarray(Image.open(BytesIO(picture)).convert("RGB"), dtype=float).reshape(-1, 3).mean(axis=0)
    known = {name: np.array([int(code[at : at + 2], 16) for at in (1, 3, 5)]) for name, code in COLORS.items()}
    return min(known, key=lambda name: float(np.abs(known[name] - mean).sum()))


def read_code(picture: bytes) -> str:
    """Read dark letters on a light ground, told apart by the empty columns between them."""
    ink = np.asarray(Image.open(BytesIO(picture)).convert("L")) < 110
    columns = np.flatnonzero(np.diff(np.concatenate([[0], ink.any(axis=0).astype(int), [0]])))
    glyphs = [_normal(ink[:, start:end]) for start, end in zip(columns[::2], columns[1::2], strict=True)]
    templates = {letter: _drawn(letter) for letter in ALPHABET}
    return "".join(min(templates, key=lambda one: float(np.abs(templates[one] - glyph).sum())) for glyph in glyphs)


def read_tones(sound: bytes) -> str:
    """Tell low tones from high ones by the strongest frequency of each."""
    samples = np.frombuffer(sound[44:], dtype="<i2").astype(float)
    loud = np.abs(samples) > 500
    windows = [loud[at : at + 400].any() for at in range(0, len(loud), 400)]
    edges = np.flatnonzero(np.diff(np.concatenate([[0], np.array(windows, dtype=int), [0]])))
    letters = ""
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        tone = samples[start * 400 : end * 400]
        letters += "H" if np.argmax(np.abs(np.fft.rfft(tone))) * 16_000 / len(tone) > 600 else "L"
    return letters


def _drawn(letter: str) -> np.ndarray:
    canvas = Image.new("L", (200, 200), 255)
    ImageDraw.Draw(canvas).text((50, 50), letter, fill=20, font=ImageFont.load_default(size=74))
    return _normal(np.asarray(canvas) < 110)


def _normal(ink: np.ndarray) -> np.ndarray:
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    glyph = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    shape = Image.fromarray((glyph * 255).astype(np.uint8)).resize((_SIDE, _SIDE))
    width = glyph.shape[1] / glyph.shape[0]
    return np.append(np.asarray(shape, dtype=float).reshape(-1) / 255, 20 * width)
