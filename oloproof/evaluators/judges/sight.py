"""The sight test: whether a model really perceives what it is sent, asked with media that nobody can guess.

A code drawn in a picture, a clip whose frames change colour, tones or spoken digits in a sound. What they hold is
random each time and stands in no name, text or metadata, so an answer from the prompt alone cannot be right by more
than chance: 1 in 5 million for a picture, 1 in 750 for a clip, 1 in 256 for tones, 1 in 100,000 for digits, each
tried twice at most.
"""

from __future__ import annotations

import json
import random
import re
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, field

from oloproof import media
from oloproof.errors import CallFailed
from oloproof.evaluators.judges.hearing import Hearing
from oloproof.evaluators.judges.keeping import Sights
from oloproof.evaluators.judges.seeing import Turns
from oloproof.media import probes
from oloproof.media.frame_rules import parse_frame_rule
from oloproof.media.speaking import spoken_digits
from oloproof.providers import AudioPart, ChatRequest, ImagePart, Part, TextPart

if TYPE_CHECKING:
    from oloproof.providers import ChatClient

SIGHT_VERSION = 1
_TRIES = 2
_MOST_UNANSWERED = 3
_TOKENS = 2048
"""Room for a model that thinks before it answers."""

State = Literal["proven", "not_proven", "not_tested"]
_WORST: Sequence[State] = ("not_proven", "not_tested", "proven")

_PICTURE = "A picture follows. Read the code in it: five letters and digits, from left to right."
_CLIP = (
    "Four still frames of a clip follow, in order. Each is filled with one colour out of "
    f"{', '.join(probes.COLORS)}. Which colours are they, in order?"
)
_TONES = (
    "A sound follows. It holds eight tones with pauses between them, each low (L) or high (H). "
    "Write one letter for each of them, in order."
)
_DIGITS = "A recording follows in which five digits are spoken. Which are they, in order?"
_FORM = (
    ' Answer with one JSON object and nothing else: {"answer": "..."}. If you cannot perceive it, give an empty text.'
)
_SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
    "additionalProperties": False,
}
_SYSTEM = "You are tested for whether you perceive attached media. Answer only from what you perceive."


class Sight(Struct, frozen=True):
    """What a sight test found for one kind of media. ``time`` is in seconds since the epoch."""

    kind: str
    state: State
    reason: str
    model_served: str = ""
    time: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """Return it as it is kept and printed."""
        return {
            "kind": self.kind,
            "state": self.state,
            "reason": self.reason,
            "model_served": self.model_served,
            "time": self.time,
            "version": SIGHT_VERSION,
        }


class _Question(Struct, frozen=True):
    """One test: what is shown, the words before it, the answer, and how an answer is read out of what is said."""

    words: str
    parts: tuple[Part, ...]
    answer: str
    read: Callable[[str], str]


class SightTest(Struct):
    """Tests one judge's model for the kinds of media it is shown; each result is kept and shared.

    A test that gets no answer is taken again with the next case, a few times only unless it is ``required``.
    """

    client: ChatClient
    hearing: Hearing
    sights: Sights
    chance: random.Random = field(default_factory=lambda: random.Random(secrets.randbits(128)))  # noqa: S311
    required: bool = False
    _voiceless: bool = False
    _unanswered: dict[str, list[Sight]] = field(default_factory=dict)

    def of(self, kinds: Sequence[str]) -> list[Sight]:
        """Return what is known of each kind, tested now where nothing is.

        One thread tests, and those of other judges with the same model wait for its result too.
        """
        return [self._of(kind) for kind in kinds]

    def known(self, kind: str) -> Sight | None:
        """Return the kept result for a kind of media, None when there is none of this version."""
        found = self.sights.get(*self._place(kind))
        if found is None or found.get("version") != SIGHT_VERSION:
            return None
        return Sight(kind, found["state"], found["reason"], found["model_served"], found["time"])

    def again(self, kind: str) -> Sight:
        """Test a kind of media now, whatever is known of it, and keep the result."""
        with _TURNS.alone(self._place(kind)):
            return self._tested(kind)

    def _of(self, kind: str) -> Sight:
        with _TURNS.alone(self._place(kind)):
            known, vain = self.known(kind), self._unanswered.setdefault(kind, [])
            if known is not None or (len(vain) >= _MOST_UNANSWERED and not self.required):
                return known or vain[-1]
            found = self._tested(kind)
            if found.state == "not_tested":
                vain.append(found)
            return found

    def _place(self, kind: str) -> tuple[str, str, str]:
        """Return server, model and kind; what a transcriber hears is proven for it, not for the model that judges."""
        options = self.hearing.options
        if kind == "audio" and options is not None and self.hearing.transcriber is not None:
            endpoint = self.hearing.transcriber.endpoint
            return endpoint.server, endpoint.model, kind
        return self.client.endpoint.server, self.client.endpoint.model, kind

    def _tested(self, kind: str) -> Sight:
        try:
            found = self._transcribed() if kind == "audio" and not self.hearing.native else self._asked(kind)
        except CallFailed as error:
            return Sight(kind, "not_tested", f"the sight test was not answered: {error}", time=time.time())
        if found.state != "not_tested":
            self.sights.put(*self._place(kind), found.as_json())
        return found

    def _asked(self, kind: str) -> Sight:
        served, said = "", ""
        for turn in range(_TRIES):
            question = self._question(kind, turn)
            reply = self.client.ask(
                ChatRequest(
                    system=_SYSTEM,
                    parts=(TextPart(question.words + _FORM), *question.parts),
                    schema=_SCHEMA,
                    schema_name="perceived",
                    max_tokens=_TOKENS,
                )
            )
            served = reply.model_served
            if reply.finish == "length" or not (reply.text or "").strip():
                reason = "the reply was cut off" if reply.finish == "length" else "the reply is empty"
                return Sight(kind, "not_tested", f"the sight test was not answered: {reason}", served, time.time())
            said = question.read(_given(reply.text or ""))
            if said == question.answer:
                return Sight(kind, "proven", f"it told what was in {_WHAT[kind]}", served, time.time())
        reason = f"it did not tell what was in {_WHAT[kind]}" + (f" (it said {said[:40]!r})" if said else "")
        return Sight(kind, "not_proven", reason, served, time.time())

    def _question(self, kind: str, turn: int) -> _Question:
        if kind == "image":
            code = probes.random_code(self.chance)
            picture = probes.code_picture(code, self.chance)
            return _Question(_PICTURE, (ImagePart(picture, "image/png"),), code.lower(), _letters)
        return self._clip() if kind == "video" else self._sound(turn)

    def _sound(self, turn: int) -> _Question:
        """Ask for spoken digits first and for tones then: some models hear speech only, some machines have no voice."""
        digits, spoken = self._spoken() if turn == 0 else ("", None)
        if spoken is not None:
            return _Question(_DIGITS, (AudioPart(spoken, "audio/wav"),), digits, _digits)
        pattern = "".join(self.chance.choice("LH") for _ in range(8))
        return _Question(_TONES, (AudioPart(probes.tone_sound(pattern), "audio/wav"),), pattern.lower(), _letters)

    def _spoken(self) -> tuple[str, bytes | None]:
        """Return random digits and a voice that speaks them; without a voice, that is remembered."""
        digits = "".join(self.chance.choice("0123456789") for _ in range(5))
        sound = None if self._voiceless else spoken_digits(digits)
        self._voiceless = sound is None
        return digits, sound

    def _clip(self) -> _Question:
        colors: list[str] = []
        while len(colors) < 4:
            color = self.chance.choice(list(probes.COLORS))
            if not colors or color != colors[-1]:
                colors.append(color)
        frames = media.animation_frames(BytesIO(probes.color_clip(colors)), parse_frame_rule(4))
        parts: list[Part] = []
        for frame in frames.frames:
            parts += [TextPart(f"Frame at {frame.time:.3f} s:"), ImagePart(frame.data, "image/png")]
        return _Question(_CLIP, tuple(parts), "".join(colors), _letters)

    def _transcribed(self) -> Sight:
        transcriber = self.hearing.transcriber
        if transcriber is None:
            return Sight("audio", "not_tested", "it hears nothing", time=time.time())
        said = served = ""
        for _ in range(_TRIES):
            digits, sound = self._spoken()
            if sound is None:
                return Sight("audio", "not_tested", _NO_VOICE, time=time.time())
            found = transcriber.transcribe(sound, "audio/wav", "audio.wav")
            said, served = found.text, found.served
            if _digits(said) == digits:
                return Sight("audio", "proven", "the transcriber wrote down the digits spoken", served, time.time())
        reason = f"the transcriber did not write down the digits spoken (it wrote {said[:40]!r})"
        return Sight("audio", "not_proven", reason, served, time.time())


_NO_VOICE = "this ffmpeg cannot speak (its flite filter is missing), so no digits could be spoken"
_TURNS = Turns()
"""Of all sight tests of this process: judges may share a server and a model."""

_WHAT = {"image": "a picture", "video": "the frames of a clip", "audio": "a sound"}


def worst(sights: Sequence[Sight]) -> State:
    """Return the one word for several kinds of media: proven only if each of them is."""
    states = {sight.state for sight in sights}
    return next((state for state in _WORST if state in states), "not_tested")


def _given(text: str) -> str:
    """Return the answer as it was given; the text itself when it holds no JSON.

    The last object counts: a model that thinks aloud may write drafts before it.
    """
    said = _THOUGHT_ENDS.split(text)[-1]
    found = re.findall(r"\{[^{}]*\}", said)
    try:
        given: Any = json.loads(found[-1]) if found else said
    except ValueError:
        given = said
    if isinstance(given, Mapping):
        given = given.get("answer", "")
    if isinstance(given, list):
        given = " ".join(str(entry) for entry in given)
    return str(given)


def _letters(given: str) -> str:
    """Return the letters and digits of an answer, in small letters."""
    return re.sub(r"[^a-z0-9]", "", given.lower())


_THOUGHT_ENDS = re.compile(r"</(?:think|thinking|thought|reasoning|reflection)>", re.IGNORECASE)
_SPOKEN = {
    "zero": "0", "oh": "0", "one": "1", "two": "2", "three": "3", "four": "4",
    "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
}  # fmt: skip


def _digits(text: str) -> str:
    """Return the digits of a transcript, also where they are written as words."""
    words = re.findall(r"[a-z]+|[0-9]", text.lower())
    return "".join(_SPOKEN.get(word, word if word.isdigit() else "") for word in words)
