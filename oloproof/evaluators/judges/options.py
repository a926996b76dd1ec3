"""The keys of a judge in the project file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StringConstraints, field_validator, model_validator

from oloproof.config.base import (
    Criterion,
    InWords,
    Name,
    Options,
    RepositoryPath,
    Seconds,
    ShortForm,
)
from oloproof.config.models import EvaluatorOptions
from oloproof.errors import EvaluatorError, ProviderError
from oloproof.evaluators.judges.vendors import LIMITS, smaller
from oloproof.media.frame_rules import FrameRule, parse_frame_rule
from oloproof.media.image_recipe import ImageRecipe
from oloproof.providers import Budget, Endpoint, Prices
from oloproof.providers.endpoints import TOTAL_TIMEOUT

Provider = Literal["openai", "openai_compatible", "anthropic"]
Kinds = list[Literal["image", "audio", "video"]]
Formats = Annotated[list[Literal["png", "jpeg", "webp", "gif"]], Field(min_length=1)]
Address = Annotated[
    str, StringConstraints(pattern=r"^https?://"), InWords("an address that begins with http:// or https://")
]
Variable = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$"),
    InWords("the name of an environment variable, never a key itself"),
]


class GradeOptions(Options):
    """One score of several: a gate (pass or fail), or graded from ``min`` to ``max``, where it may pass at a value."""

    kind: Literal["gate", "graded"]
    min: float = 0.0
    max: float = 5.0
    pass_at: float | None = None

    @model_validator(mode="after")
    def _sensible(self) -> GradeOptions:
        if self.kind == "gate":
            given = self.model_fields_set - {"kind"}
            if given:
                raise ValueError(f"a gate is pass or fail and takes no {sorted(given)[0]}:; a graded output does")
        elif self.min >= self.max:
            raise ValueError(f"min: {self.min:g} is not below max: {self.max:g}")
        elif self.pass_at is not None and not self.min < self.pass_at <= self.max:
            raise ValueError(f"pass_at: {self.pass_at:g} lies outside {self.min:g} to {self.max:g}")
        return self


class TranscriberOptions(Options):
    """Who writes down what is said: a model behind ``/audio/transcriptions``. Without ``base_url``, OpenAI's."""

    model: Name
    base_url: Address | None = None
    api_key_env: Variable | None = None
    language: (
        Annotated[
            str, StringConstraints(pattern=r"^[a-z]{2,3}$"), InWords("a code of two or three letters, such as en")
        ]
        | None
    ) = None
    max_bytes: Annotated[int, Field(ge=10_000)] = 24_000_000
    timeout: Seconds = 120.0

    def endpoint(self, concurrency: int) -> Endpoint:
        """Return where it is."""
        provider: Provider = "openai" if self.base_url is None else "openai_compatible"
        return Endpoint(
            provider,
            self.model,
            self.base_url,
            self.api_key_env,
            timeout=self.timeout,
            total_timeout=max(self.timeout, TOTAL_TIMEOUT),
            concurrency=concurrency,
        )


class PriceOptions(Options):
    """What a million tokens cost, in US dollars."""

    input: Annotated[float, Field(ge=0)]
    output: Annotated[float, Field(ge=0)]


class BudgetOptions(Options):
    """The most that one run may ask of a judge: requests, every attempt counted, or US dollars by ``prices``."""

    requests: Annotated[int, Field(ge=0)] | None = None
    usd: Annotated[float, Field(ge=0)] | None = None
    prices: PriceOptions | None = None

    @model_validator(mode="after")
    def _priced(self) -> BudgetOptions:
        if self.requests is None and self.usd is None:
            raise ValueError("give requests:, usd:, or both")
        if self.usd is not None and self.prices is None:
            raise ValueError("usd: needs prices: {input: ..., output: ...}, US dollars for a million tokens")
        return self

    def open(self) -> Budget:
        """Return a budget of which nothing is used."""
        prices = None if self.prices is None else Prices(self.prices.input, self.prices.output)
        return Budget(self.requests, self.usd, prices)


class ModelOptions(EvaluatorOptions):
    """What every judge takes: which model, what it is shown and how."""

    provider: Provider
    model: Name
    base_url: Address | None = None
    api_key_env: Variable | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = 0.0
    seed: int | None = None
    max_tokens: Annotated[int, Field(ge=16, le=100_000)] | None = None
    timeout: Seconds = 60.0
    concurrency: Annotated[int, Field(ge=1, le=256)] = 8
    budget: BudgetOptions | None = None
    rubric_text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)] | None = None
    rubric_file: RepositoryPath | None = None
    media: Literal["input", "output", "all"] | None = None
    kinds: Kinds | None = None
    video_frames: Any = None
    transcriber: Annotated[TranscriberOptions, ShortForm("model", str)] | None = None
    audio: Literal["native"] | None = None
    background: Annotated[
        str, StringConstraints(pattern=r"^(white|black|#[0-9a-fA-F]{6})$"), InWords("white, black or #rrggbb")
    ] = "white"
    max_image_bytes: Annotated[int, Field(ge=1_000, le=50_000_000)] = 5_000_000
    max_image_side: Annotated[int, Field(ge=16, le=20_000)] | None = None
    image_formats: Formats = ["png", "jpeg"]  # noqa: RUF012 - pydantic copies it
    max_images: Annotated[int, Field(ge=1, le=600)] = 20
    downscale: bool = False
    show_expected: bool = False
    sight_test: Literal["report", "require", "off"] = "report"

    @field_validator("video_frames")
    @classmethod
    def _frames(cls, value: Any) -> Any:
        if value is not None:
            parse_frame_rule(value)
        return value

    @model_validator(mode="after")
    def _consistent(self) -> ModelOptions:
        if (self.rubric_text is None) == (self.rubric_file is None):
            raise ValueError("give exactly one of rubric_text: and rubric_file:")
        if self.provider == "openai_compatible" and self.base_url is None:
            raise ValueError("provider: openai_compatible needs base_url:, such as http://localhost:11434/v1")
        if self.audio == "native" and self.provider == "anthropic":
            raise ValueError("audio: native is not taken by provider: anthropic; use transcriber:")
        if self.audio == "native" and self.transcriber is not None:
            raise ValueError("give transcriber: or audio: native, not both")
        if self.media is None:
            needless = [
                key for key in ("kinds", "video_frames", "transcriber", "audio") if getattr(self, key) is not None
            ]
            if needless:
                raise ValueError(f"{needless[0]}: is about media, and this judge is shown none; add media: output")
        return self

    @property
    def most_tokens(self) -> int:
        """The most that one reply may hold; where nothing is said, what its vendor's models need, which think first."""
        return self.max_tokens or LIMITS[self.provider].reply_tokens

    @property
    def frame_rule(self) -> FrameRule:
        """Which frames of a video it is shown; four where nothing is said."""
        return parse_frame_rule(4 if self.video_frames is None else self.video_frames)

    @property
    def image_recipe(self) -> ImageRecipe:
        """How its pictures are prepared."""
        vendor = LIMITS[self.provider]
        return ImageRecipe(
            background=self.background,
            accepts=tuple(f"image/{name}" for name in self.image_formats),
            max_bytes=min(self.max_image_bytes, vendor.image_bytes or self.max_image_bytes),
            max_side=smaller(self.max_image_side, vendor.image_side),
            downscale=self.downscale,
        )

    def endpoint(self) -> Endpoint:
        """Return where its model is.

        Raises:
            EvaluatorError: the address cannot be meant.
        """
        try:
            return Endpoint(
                self.provider,
                self.model,
                self.base_url,
                self.api_key_env,
                timeout=self.timeout,
                total_timeout=max(self.timeout, TOTAL_TIMEOUT),
                concurrency=self.concurrency,
            )
        except ProviderError as error:
            raise EvaluatorError(f"{self.criterion}: {error}") from None

    def rubric(self, root: Path) -> str:
        """Return the rubric, read from its file where it stands in one.

        Raises:
            EvaluatorError: the file cannot be read, or is empty.
        """
        if self.rubric_text is not None:
            return self.rubric_text
        path = root / (self.rubric_file or "")
        try:
            text = path.read_text(encoding="utf-8").strip()
        except OSError as error:
            raise EvaluatorError(f"{self.criterion}: rubric_file {path}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise EvaluatorError(f"{self.criterion}: rubric_file {path} is not text in UTF-8") from None
        if not text:
            raise EvaluatorError(f"{self.criterion}: rubric_file {path} is empty; write what passes and what fails")
        return text


class RubricJudgeOptions(ModelOptions):
    """The keys of ``rubric_judge``."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["rubric_text"]}, {"required": ["rubric_file"]}]}
    )

    type: Literal["rubric_judge"]
    outputs: Annotated[dict[Criterion, Annotated[GradeOptions, ShortForm("kind", str)]], Field(min_length=1)] | None = (
        None
    )
    votes: Annotated[int, Field(ge=1, le=15)] = 1

    @property
    def criteria(self) -> tuple[str, ...]:
        """One name, or one for each of ``outputs``."""
        return tuple(f"{self.criterion}.{name}" for name in self.outputs) if self.outputs else (self.criterion,)

    @model_validator(mode="after")
    def _votes(self) -> RubricJudgeOptions:
        if self.votes % 2 == 0:
            raise ValueError(f"votes: {self.votes} can end in a tie; take an odd number")
        if self.votes > 1 and self.temperature == 0:
            raise ValueError("votes: at temperature: 0 are one opinion asked again; raise temperature:, such as 0.7")
        return self


class PairwiseJudgeOptions(ModelOptions):
    """The keys of ``pairwise_judge``."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["rubric_text"]}, {"required": ["rubric_file"]}]}
    )

    type: Literal["pairwise_judge"]

    @model_validator(mode="after")
    def _two_runs(self) -> PairwiseJudgeOptions:
        if self.on_execution_error == "fail":
            raise ValueError("on_execution_error: fail is about one run; a pair of which one side failed is left out")
        return self
