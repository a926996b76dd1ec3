"""What every judge is: a model at an address, what it is shown, and whether it proved that it sees."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec.structs import replace

from oloproof import providers
from oloproof.digests import digest_of
from oloproof.errors import EvaluatorError, ProviderError
from oloproof.evaluators.base import Evaluator, Subject
from oloproof.evaluators.judges.hearing import Hearing
from oloproof.evaluators.judges.keeping import Keeping
from oloproof.evaluators.judges.options import ModelOptions
from oloproof.evaluators.judges.prompt import case_words, without_paths
from oloproof.evaluators.judges.seeing import Eyes
from oloproof.evaluators.judges.sight import Sight, SightTest, worst
from oloproof.media import MediaReader
from oloproof.media.extras import need_pillow
from oloproof.records import Judgement, MediaItem, Verdict

if TYPE_CHECKING:
    from oloproof.providers import ChatClient, Transcriber

ModelT = TypeVar("ModelT", bound=ModelOptions)


class ModelJudge(Evaluator[ModelT]):
    """The base of the judges. Connections are opened with the first question and shared by all threads."""

    def __init__(self, options: ModelT, root: Path) -> None:
        super().__init__(options, root)
        self.keeping = Keeping()
        self.asked = False
        """Whether anything was asked in this run."""
        self._opening = threading.Lock()
        self._client: ChatClient | None = None
        self._transcriber: Transcriber | None = None
        self._sight_test: SightTest | None = None

    # what it is

    @property
    def calls_model(self) -> bool:
        """Always."""
        return True

    @property
    def reads_media(self) -> bool:
        """Whether it is shown any."""
        return self.options.media is not None

    @cached_property
    def rubric(self) -> str:
        """What passes and what fails, in words."""
        return self.options.rubric(self.root)

    @cached_property
    def judge_hash(self) -> str:
        """The digest of the identity."""
        return digest_of(self.identity)

    @cached_property
    def transcriber_server(self) -> str:
        """Where its transcriber is, or empty: part of the key of an answer, and not of the judge."""
        options = self.options.transcriber
        return "" if options is None else options.endpoint(1).server

    @property
    def model_identity(self) -> dict[str, Any]:
        """What of the model and its senses makes a judge another one: not its key, address, or how many ask at once."""
        options = self.options
        return {
            "type": self.type,
            "version": self.version,
            "provider": options.provider,
            "model": options.model,
            "parameters": [options.temperature, options.seed, options.most_tokens],
            "rubric": self.rubric,
            "sees": self.eyes().identity,
            "show_expected": options.show_expected,
        }

    @property
    def hosts(self) -> Mapping[str, str]:
        """Each host that something is sent to, and what: known before anything is sent."""
        sent = "text" if self.options.media is None else "text and media"
        hosts = {self.options.endpoint().host: sent}
        if self.options.transcriber is not None:
            host = self.options.transcriber.endpoint(1).host
            hosts[host] = f"{hosts[host].replace(' and', ',')} and sound" if host in hosts else "sound"
        return hosts

    # getting ready

    def prepare(self) -> None:
        """Check the rubric, the address, the key and what the declared kinds of media need.

        Raises:
            EvaluatorError: it could never work as configured.
            ToolMissing: it is to see pictures or clips, and Pillow is not installed.
        """
        options = self.options
        try:
            self.rubric  # noqa: B018 - reads the file
            options.endpoint().check_key()
            if options.transcriber is not None:
                options.transcriber.endpoint(1).check_key()
        except ProviderError as error:
            raise EvaluatorError(f"{options.criterion}: {error}") from None
        kinds = options.kinds or ()
        if "audio" in kinds and not self.eyes().hearing.can_hear:
            raise EvaluatorError(
                f"{options.criterion}: kinds: has audio, and this judge can hear nothing; add "
                "transcriber: {model: ...} or, for a model that takes sound, audio: native"
            )
        if "image" in kinds or "video" in kinds:
            need_pillow(f"{options.criterion}: showing pictures to a judge (kinds: {', '.join(kinds)})")
        needs_tool = "video" in kinds or ("audio" in kinds and options.transcriber is not None)
        if needs_tool and shutil.which("ffmpeg") is None:
            raise EvaluatorError(
                f"{options.criterion}: kinds: has {' and '.join(kinds)}, which needs ffmpeg, and it is not on PATH; "
                "install ffmpeg (Debian and Ubuntu: apt install ffmpeg, macOS: brew install ffmpeg)"
            )

    def open(self, keeping: Keeping) -> None:
        """Take what judges share and keep; nothing is sent before the first question."""
        self.keeping = keeping

    def close(self) -> None:
        """Close the connections."""
        for one in (self._client, self._transcriber):
            if one is not None:
                one.close()

    @property
    def never_answered(self) -> str:
        """The host that was asked and never answered once, else empty."""
        client = self._client
        return client.endpoint.host if client is not None and self.asked and client.never_answered else ""

    @property
    def held_up(self) -> str:
        """How long the server of its model or transcriber makes it wait now, which, and why; else empty."""
        clients = (self._client, self._transcriber)
        return next((words for one in clients if one is not None and (words := one.held_up)), "")

    @property
    def not_taken(self) -> tuple[str, ...]:
        """The parameters it is given that its model was found not to take, so that it is asked without them."""
        endpoint = self.options.endpoint()
        found = (self.keeping.profiles.get(endpoint.server, endpoint.model) or {}).get("dropped")
        given = {"temperature": self.options.temperature, "seed": self.options.seed}
        dropped = found if isinstance(found, list) else ()
        return tuple(name for name, value in given.items() if value is not None and name in dropped)

    def client(self) -> ChatClient:
        """Return the client of its model, opened by the first who asks, and its transcriber's with it."""
        with self._opening:
            if self._client is None:
                options = self.options
                budget = None if options.budget is None else options.budget.open()
                if budget is not None:
                    budget.charge(*self.keeping.used)
                profiles = self.keeping.profiles
                if options.transcriber is not None:
                    endpoint = options.transcriber.endpoint(options.concurrency)
                    language = options.transcriber.language
                    self._transcriber = providers.Transcriber(
                        endpoint, language=language, budget=budget, profiles=profiles
                    )
                if budget is None:
                    self._client = self.keeping.clients.client(options.endpoint(), profiles)
                else:
                    self._client = providers.open_chat(options.endpoint(), budget=budget, profiles=profiles)
            return self._client

    def eyes(self) -> Eyes:
        """Return how it is shown media."""
        hearing = Hearing(self.options.audio == "native", self.options.transcriber, self._transcriber)
        return Eyes(self.options, hearing, self.keeping.shelf)

    # what it is asked about

    def items_of(self, subject: Subject) -> list[MediaItem]:
        """Return the media of an execution that it is shown, verified and of kinds that it takes.

        Raises:
            JudgeUnfit: it has no way to take one of them.
            MediaDrift, MediaMissing: a recorded file changed or is gone.
        """
        items = [] if self.options.media is None else subject.items(self.options.media)
        for item in items:
            self.eyes().refuse(item)
            subject.reader.verify(item)
        return items

    def case_words(self, subject: Subject) -> str:
        """Return the case as fenced data, without any folder of this machine."""
        case, execution = subject.case, subject.execution
        files = {**case.files, **{item.path: os.path.join(self.root, item.path) for item in execution.media}}
        shown = without_paths([case.input, execution.output, case.expected], files, self.root)
        return case_words(*shown, show_expected=self.options.show_expected)

    # sight

    @property
    def sight_test(self) -> SightTest:
        """The test of whether its model perceives what it is sent; one for all threads, as it counts its questions."""
        client = self.client()
        with self._opening:
            if self._sight_test is None:
                required = self.options.sight_test == "require"
                self._sight_test = SightTest(client, self.eyes().hearing, self.keeping.sights, required=required)
            return self._sight_test

    def sights(self, items: Sequence[MediaItem], reader: MediaReader) -> list[Sight]:
        """Return whether sight is proven for the kinds of these media, tested now where that is not known."""
        if self.options.sight_test == "off" or not items:
            return []
        return self.sight_test.of(self._senses(items, reader))

    def with_sight(self, judgement: Judgement, items: Sequence[MediaItem], reader: MediaReader) -> Judgement:
        """Return an earlier judgement with what is known of the judge's sight now, which is no part of what it said."""
        if self.options.sight_test == "off" or not items or not judgement.saw:
            return judgement
        kinds = self._senses(items, reader)
        if self.options.sight_test == "require":
            known = self.sight_test.of(kinds)
        else:
            known = [sight for kind in kinds if (sight := self.sight_test.known(kind)) is not None]
        state = worst(known) if len(known) == len(kinds) else "not_tested"
        if self.options.sight_test == "require" and state != "proven":
            return self.unproven(known)
        return judgement if judgement.saw.get("sight") == state else _with_state(judgement, state)

    def _senses(self, items: Sequence[MediaItem], reader: MediaReader) -> tuple[str, ...]:
        """Return the kinds of media that it has to perceive; a clip with sound that it hears is also a sound."""
        kinds = dict.fromkeys(item.kind for item in items)
        if self.eyes().hearing.can_hear:
            clips = [item for item in items if item.kind == "video"]
            if any(reader.facts(item, "probed").has_audio for item in clips):
                kinds["audio"] = None
        return tuple(kinds)

    def unproven(self, sights: Sequence[Sight]) -> Judgement:
        """Return that nothing is decided because the judge did not prove that it sees."""
        told = "; ".join(f"{sight.kind}: {sight.reason}" for sight in sights if sight.state != "proven")
        does = "hears" if {sight.kind for sight in sights} == {"audio"} else "sees"
        return self.unasked(f"it is not proven that the judge {does} ({told or 'not tested'})", "sight_not_proven")

    def unasked(self, reason: str, code: str) -> Judgement:
        """Return that nothing was measured, for every criterion."""
        verdict = Verdict.missing(reason, code=code)
        return Judgement((verdict,) * len(self.criteria), judge=self.judge_hash)


def _with_state(judgement: Judgement, state: str) -> Judgement:
    return replace(judgement, saw={**judgement.saw, "sight": state})
