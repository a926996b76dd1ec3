"""Speech to text over OpenAI's ``/audio/transcriptions``.

The server is told a file name and type that fit the bytes, whatever the file was called: servers choose their decoder
by them. ``verbose_json`` with the times of words is asked for, without them where a server does not know how to tell
them, and plain ``json`` where a server or model knows neither.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from oloproof.errors import MediaUnreadable
from oloproof.media.formats import FORMATS, named_for
from oloproof.providers.budget import Budget, sound_bound
from oloproof.providers.calls import Calls, Question, Tally
from oloproof.providers.data_uris import InvalidDataUri, agreed_type, true_type
from oloproof.providers.endpoints import OPENAI_URL, Endpoint
from oloproof.providers.keys import without_key
from oloproof.providers.messages import Usage
from oloproof.providers.profiles import MemoryProfiles, Profile, Profiles
from oloproof.providers.refusals import Refusal
from oloproof.providers.replies import count_of, object_of, objects_of, text_of

BASE_URL = OPENAI_URL
PATH = "/audio/transcriptions"

_MOST_TEXT = 4_096
"""Tokens of text that a transcription is reserved for, beside what its sound counts for."""

_ENDINGS = {"rf64": "wav", "mp2": "mp3", "mp1": "mp3", "mka": "webm", "mkv": "webm"}
"""Endings that servers know for formats whose own they do not; Matroska's decoder is WebM's."""

_MOST_PHRASES = 5_000

_Wanted = Literal["words", "verbose_json", "json"]
_GRANULARITIES = ("timestamp_granularities[]", "word"), ("timestamp_granularities[]", "segment")

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_SOUND_WORDS = (
    "blank|silen(?:ce|t)|music|musique|musik|applause|laugh(?:s|ter|ing)?|noises?|inaudible|unintelligible|indistinct"
    "|no (?:speech|audio|sound)|background|static|cough(?:s|ing)?|sighs?|breath(?:es|ing)?|clapping|cheering"
    "|beep(?:s|ing)?|foreign language|typing|wind|click(?:s|ing)?|footsteps|instrumental|pause|sound"
)
_GROUP = re.compile(r"\[([^\[\]]*)\]|\(([^()]*)\)|\*([^*]*)\*|[♪♫♬🎵🎶]+")
_SOUND = re.compile(rf"(?:{_SOUND_WORDS})", re.IGNORECASE)
_MOST_MARKER_WORDS = 6


class Phrase(Struct, frozen=True):
    """A part of what was heard, with when it begins and ends in seconds.

    ``words`` are when each of its words begins (as spaces part them), empty where the server does not tell.
    """

    start: float
    end: float
    text: str
    words: tuple[float, ...] = ()


class Transcription(Struct, frozen=True):
    """What was heard. ``text`` is empty when there was no speech; ``duration`` is in seconds.

    ``phrases`` are the text in parts, empty where the server does not tell their times, or parts that are another text.
    ``no_speech_probability`` (0 to 1) is the least of all segments: of the one most likely spoken. ``duration`` and it
    are None where the server does not tell them. ``served`` is the model that the server says it used, or empty.
    """

    text: str
    language: str | None
    duration: float | None
    no_speech_probability: float | None
    served: str
    phrases: tuple[Phrase, ...] = ()


class Transcriber:
    """Asks one speech model on one server; many threads may ask at once. ``language`` is an ISO 639-1 code."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        language: str | None = None,
        budget: Budget | None = None,
        profiles: Profiles | None = None,
    ) -> None:
        if endpoint.provider == "anthropic":
            raise ValueError("Anthropic has no transcriptions; use provider openai or openai_compatible")
        self.endpoint, self.language = endpoint, language
        self._calls = Calls(endpoint, budget)
        self._profile = Profile(MemoryProfiles() if profiles is None else profiles, endpoint.server, endpoint.model)

    def transcribe(self, data: bytes, media_type: str, file_name: str) -> Transcription:
        """Return what is said in ``data``; of ``file_name`` only its plain letters are sent, with a true ending.

        Raises:
            MediaUnreadable: the bytes are no sound and no video.
            ProviderRefused: key, permission, quota, address or model is refused.
            ProviderUnreachable: no connection could be made, and the server never answered before.
            CallFailed: there is no transcript; ``code`` says why.
        """
        upload = _upload(data, media_type, file_name)
        tally = Tally(self.endpoint.total_timeout)
        wanted = self._known_form()
        while True:
            outcome = self._calls.ask(self._question(upload, wanted), tally)
            if not isinstance(outcome, Refusal):
                transcription = self._read(outcome, tally)
                self._profile.learn(transcript_format=wanted)
                return transcription
            simpler = _simpler(wanted, outcome)
            if simpler is None:
                raise self._calls.error_of(outcome, tally)
            wanted = simpler

    def _known_form(self) -> _Wanted:
        known = self._profile["transcript_format"]
        return known if known in ("verbose_json", "json") else "words"

    @property
    def held_up(self) -> str:
        """How long it waits before a question is asked again, for which server and why; empty while it does not."""
        return self._calls.held_up

    @property
    def never_answered(self) -> bool:
        """Whether the server was sent something and has not answered once so far."""
        return self._calls.never_answered

    def close(self) -> None:
        """End all waits and close the connections."""
        self._calls.close()

    def __enter__(self) -> Transcriber:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _question(self, upload: Upload, wanted: _Wanted) -> Question:
        form = "json" if wanted == "json" else "verbose_json"
        fields = [("model", self.endpoint.model), ("response_format", form)]
        if wanted == "words":
            fields += _GRANULARITIES
        if self.language:
            fields.append(("language", self.language))
        boundary = f"oloproof-{secrets.token_hex(16)}"
        bound = Usage(sound_bound(upload.data, upload.media_type), _MOST_TEXT)
        content_type = f"multipart/form-data; boundary={boundary}"
        return Question(PATH, _multipart(fields, upload, boundary), content_type, bound, _usage_of)

    def _read(self, document: Mapping[str, Any], tally: Tally) -> Transcription:
        if not isinstance(document.get("text"), str):
            raise self._calls.failed("the reply holds no text", "malformed_reply", tally)
        variable = self.endpoint.key_variable
        segments = objects_of(document.get("segments"))
        quiet = [_share(segment.get("no_speech_prob")) for segment in segments]
        known = [share for share in quiet if share is not None]
        text = spoken(without_key(document["text"], variable))
        return Transcription(
            text=text,
            language=without_key(text_of(document.get("language")), variable)[:40] or None,
            duration=_seconds(document.get("duration")),
            no_speech_probability=min(known) if known else None,
            served=without_key(text_of(document.get("model")), variable)[:200],
            phrases=with_words(_phrases(segments, text, variable), _words_in(document, segments)),
        )


class Upload(Struct, frozen=True):
    """A file as a server is shown it."""

    data: bytes
    media_type: str
    file_name: str


def _upload(data: bytes, media_type: str, file_name: str) -> Upload:
    """Return ``data`` with a name and type that are true of it; MR-42: servers go by the name alone."""
    found = true_type(data)
    if found.kind not in ("audio", "video"):
        raise MediaUnreadable(
            f"{file_name}: no sound to transcribe: the bytes are {found.media_type}", code="not_sound"
        )
    name, true_media_type = found.format, found.media_type
    try:
        declared = agreed_type(media_type, data)
    except InvalidDataUri:
        declared = ""
    if declared.startswith("audio/"):
        name, true_media_type = named_for("audio", found.format)
    stem = _UNSAFE.sub("_", re.split(r"[\\/]", file_name)[-1].rpartition(".")[0] or file_name).strip("._")[:60]
    return Upload(data, true_media_type, f"{stem or 'audio'}.{_ending(name)}")


def _ending(name: str) -> str:
    extensions = FORMATS[name].extensions
    return _ENDINGS.get(name) or (name if name in extensions else min(extensions))


def _multipart(fields: Sequence[tuple[str, str]], upload: Upload, boundary: str) -> bytes:
    pieces: list[bytes] = []
    for name, value in fields:
        head = f'--{boundary}\r\ncontent-disposition: form-data; name="{name}"\r\n\r\n'
        pieces += [head.encode("ascii"), value.encode("utf-8"), b"\r\n"]
    head = (
        f'--{boundary}\r\ncontent-disposition: form-data; name="file"; filename="{upload.file_name}"\r\n'
        f"content-type: {upload.media_type}\r\n\r\n"
    )
    pieces += [head.encode("ascii"), upload.data, f"\r\n--{boundary}--\r\n".encode("ascii")]
    return b"".join(pieces)


def _simpler(wanted: _Wanted, refusal: Refusal) -> _Wanted | None:
    """Return the form to try after a refusal, None when its words concern nothing that can be changed."""
    said = f"{refusal.parameter} {refusal.words}".lower()
    if wanted == "words" and "granularit" in said:
        return "verbose_json"
    if wanted != "json" and ("response_format" in said or "verbose_json" in said):
        return "json"
    return None


def _usage_of(document: Mapping[str, Any]) -> Usage:
    usage = object_of(document.get("usage"))
    return Usage(count_of(usage.get("input_tokens")), count_of(usage.get("output_tokens")))


def _phrases(segments: Sequence[Mapping[str, Any]], text: str, variable: str | None) -> tuple[Phrase, ...]:
    """Return the parts of ``text`` in their order, none where they are not all of it or have no times."""
    found: list[Phrase] = []
    for segment in segments:
        start, end = _seconds(segment.get("start")), _seconds(segment.get("end"))
        words = without_key(text_of(segment.get("text")), variable).strip()
        if start is None or end is None or end < start or (found and start < found[-1].start):
            return ()
        if words:
            found.append(Phrase(start, end, words))
    whole = "".join(part for phrase in found for part in phrase.text.split())
    return tuple(found) if len(found) <= _MOST_PHRASES and whole == "".join(text.split()) else ()


def _words_in(document: Mapping[str, Any], segments: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Return the words with their times, which some servers tell beside the segments and some within them."""
    return objects_of(document.get("words")) or [
        word for segment in segments for word in objects_of(segment.get("words"))
    ]


def with_words(phrases: tuple[Phrase, ...], told: Sequence[Mapping[str, Any]]) -> tuple[Phrase, ...]:
    """Return phrases with when their words begin; as they are where the words told are not those of the phrases.

    Servers tell words without their marks, and may cut one of ours into several.
    """
    heard = [(_letters(text_of(one.get("word"))), _seconds(one.get("start"))) for one in told]
    left = iter([(letters, start) for letters, start in heard if letters])
    found = []
    for phrase in phrases:
        begins = _begins(phrase, left)
        if begins is None:
            return phrases
        found.append(replace(phrase, words=begins))
    return tuple(found) if next(left, None) is None else phrases


def _begins(phrase: Phrase, left: Iterator[tuple[str, float | None]]) -> tuple[float, ...] | None:
    """Take the words of a phrase from those ``left`` and return when they begin, None where they are others."""
    begins: list[float] = []
    for word in phrase.text.split():
        letters, taken, start = _letters(word), "", begins[-1] if begins else phrase.start
        while len(taken) < len(letters):
            piece, at = next(left, ("", None))
            if at is None or at < start:
                return None
            start = start if taken else at
            taken += piece
        if taken != letters:
            return None
        begins.append(start)
    return tuple(begins)


def _letters(word: str) -> str:
    return "".join(char for char in word.casefold() if char.isalnum())


def _share(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= 1 else None


def _seconds(value: Any) -> float | None:
    """Return a duration; some servers write it as text."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        seconds = float(value)
    except (ValueError, OverflowError):
        return None
    return seconds if isfinite(seconds) and seconds >= 0 else None


def spoken(text: str) -> str:
    """Return ``text`` without surrounding space; empty when all of it marks sounds that are no speech.

    Such are ``[BLANK_AUDIO]``, ``(silence)``, ``*music*`` and ``♪`` alone; words beside a marker keep the whole text.
    """
    text = text.strip()
    rest = _GROUP.sub(lambda group: "" if _is_marker(group) else group[0], text)
    return text if any(char.isalnum() for char in rest) else ""


def _is_marker(group: re.Match[str]) -> bool:
    inner = next((part for part in group.groups() if part is not None), None)
    if inner is None:  # notes of music
        return True
    shouted = group[1] is not None and (inner.isupper() or "_" in inner)
    return len(inner.split()) <= _MOST_MARKER_WORDS and (shouted or bool(_SOUND.search(inner)))
