"""``rubric_judge``: a model that judges by a rubric in plain words, and is shown the recorded media themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from oloproof.digests import canonical_json, derived_key
from oloproof.errors import CallFailed, MediaUnreadable
from oloproof.evaluators.base import CriterionShape, Subject
from oloproof.evaluators.judges.asking import Asker, Opinion
from oloproof.evaluators.judges.model_judge import ModelJudge
from oloproof.evaluators.judges.options import RubricJudgeOptions
from oloproof.evaluators.judges.prompt import PROMPT_VERSION, rubric_words
from oloproof.evaluators.judges.replies import PARSER_VERSION, Grade, Shape
from oloproof.evaluators.judges.seen import Seen, usage_record
from oloproof.evaluators.judges.sight import Sight, worst
from oloproof.evaluators.judges.voting import settled
from oloproof.providers import NOTHING_COUNTED, Part, TextPart
from oloproof.records import Judgement, MediaItem

_LONGEST_CASE_KEPT = 8_000

Change = Callable[[tuple[Part, ...]], tuple[Part, ...]]


class RubricJudge(ModelJudge[RubricJudgeOptions]):
    """Passes when a model, shown the case and its recorded media, says that the rubric is met. Scores as declared.

    The model is shown the rubric, then the case as fenced data, then each medium after a line that names its role,
    kind and name. Pictures are sent as they are or upright, in sRGB and on a background; videos as still frames with
    their times; sound as a transcript or, for a model that hears, as itself. It decides nothing in a policy before
    `oloproof evaluators validate` has shown that it agrees with human labels.

    Keys:
        provider: `openai`, `openai_compatible` or `anthropic`. Required.
        model: the name of the model. Required.
        base_url: the address of the server; required for `openai_compatible`.
        api_key_env: the environment variable that holds the key. Default: `OPENAI_API_KEY`, `ANTHROPIC_API_KEY`.
        rubric_text: what passes and what fails, in words; or
        rubric_file: a file that holds it.
        media: which recorded media it is shown: `input`, `output` or `all`. Default: none, it judges text alone.
        kinds: the kinds of media there will be, checked before the first trial.
        video_frames: a number of frames, `[0.5, 2.0]`, `{every: 1.0}` or `{scenes: 8}`. Default: 4.
        transcriber: who writes down sound: `{model, base_url, api_key_env, language}`.
        audio: `native` sends sound itself (wav, mp3) to a model that hears.
        outputs: several scores from one call: `NAME: gate`, or `NAME: {kind: graded, min, max, pass_at}`. Each is a
            criterion of its own, `CRITERION.NAME`.
        votes: how often it is asked; an odd number, a majority of all decides. Default: 1.
        temperature, seed: as the model takes them; one that takes none is asked without. Default: 0, none.
        max_tokens: the most that one reply may hold, what the model thinks included. Default: 4096 for `openai` and
            `anthropic`, 1024 for `openai_compatible`.
        background: what transparency is laid on: `white`, `black`, `#rrggbb`. Default: white.
        max_image_bytes, max_image_side, max_images: limits of one picture and one judgement. Default: 5 MB, none, 20.
        image_formats: what is sent as it is, of `png`, `jpeg`, `webp` and `gif`; others become one of them. Default:
            `[png, jpeg]`, which every server takes.
        downscale: whether a picture over a limit is made smaller instead of refused. Default: false.
        show_expected: whether it is shown what the case expects. Default: false.
        sight_test: `report`, `require` or `off`. Default: report.
        budget: `{requests, usd, prices: {input, output}}` for one run.
        timeout, concurrency: seconds for one request, requests in flight at once. Default: 60, 8.

    A refusal, prose after one reminder, two answers that contradict each other or «I cannot see it» are invalid. A
    reply that was cut off, an empty one, a server that gave none, and media that cannot be shown are missing.
    """

    type: ClassVar[str] = "rubric_judge"
    Options = RubricJudgeOptions

    @cached_property
    def criteria(self) -> tuple[CriterionShape, ...]:
        """One criterion, or one for each of ``outputs``."""
        if not self.options.outputs:
            return (CriterionShape(self.options.criterion),)
        return tuple(
            CriterionShape(name, (grade.low, grade.high) if grade.kind == "graded" and grade.pass_at is None else None)
            for name, grade in zip(self.options.criteria, self.shape.grades.values(), strict=True)
        )

    @cached_property
    def shape(self) -> Shape:
        """What a reply must look like."""
        outputs = self.options.outputs or {}
        return Shape({name: Grade(one.kind, one.min, one.max, one.pass_at) for name, one in outputs.items()})

    @property
    def identity(self) -> Mapping[str, Any]:
        """What makes it this judge and no other; not the name it reports under."""
        grades = {name: [one.kind, one.low, one.high, one.pass_at] for name, one in self.shape.grades.items()}
        return {
            **self.model_identity,
            "votes": self.options.votes,
            "reply": [self.shape.schema, canonical_json(grades), PARSER_VERSION, PROMPT_VERSION],
        }

    def asker(self) -> Asker:
        """Return what asks its model and reads the replies."""
        options = self.options
        return Asker(
            self.client(),
            self.shape,
            options.temperature,
            options.seed,
            options.most_tokens,
            outputs=len(self.criteria),
        )

    def nothing_recorded(self) -> str:
        """Return in words that an execution recorded nothing that this judge is shown, and how it would."""
        role = self.options.media
        which, how = ("", "") if role == "all" else (f" with the role {role}", f', role="{role}"')
        return (
            f"nothing is recorded{which}, so there is nothing to look at; in Python current_case().media("
            f"[media_file(path{how})]) records it, a command or service lists it under media"
        )

    def evaluate(self, subject: Subject) -> Judgement:
        """Return what the model says of one execution; where the same was asked before, what it said then."""
        items = self.items_of(subject)
        if self.options.media is not None and not items:
            return self.unasked(self.nothing_recorded(), "no_media")
        words, asker = self.case_words(subject), self.asker()
        found = self.keeping.judgements.find(self._key(asker, words, items, subject.repeat))
        if found is not None:
            return self.with_sight(found, items, subject.reader)
        try:
            return self._judged(asker, words, items, subject)
        except MediaUnreadable as error:
            return self.unasked(f"not shown to the judge: {error}", error.code)
        except CallFailed as error:
            return self.unasked(f"the judge was not asked: {error}", error.code)

    def opinion_on(self, subject: Subject, items: Sequence[MediaItem], change: Change | None = None) -> Opinion:
        """Return a fresh opinion on one execution, shown ``items``, with what is sent of them changed; never kept.

        Raises:
            MediaUnreadable, CallFailed: the media cannot be shown.
        """
        asker = self.asker()
        media = self.eyes().show(items, subject.reader).parts
        return asker.opinion(self._parts(self.case_words(subject), media if change is None else change(media)))

    def _judged(self, asker: Asker, words: str, items: Sequence[MediaItem], subject: Subject) -> Judgement:
        sights = self.sights(items, subject.reader)
        if self.options.sight_test == "require" and items and worst(sights) != "proven":
            return self.unproven(sights)
        seen = self.eyes().show(items, subject.reader)
        parts = self._parts(words, seen.parts)
        self.asked = True
        opinions = [asker.opinion(parts, vote) for vote in range(self.options.votes)]
        return Judgement(
            verdicts=settled(opinions),
            key=self._key(asker, words, items, subject.repeat),  # only now, as a question may have found out the form
            judge=self.judge_hash,
            saw=self._saw(words, seen, opinions, sights),
            kept=all(opinion.kept for opinion in opinions),
        )

    def _parts(self, words: str, media: tuple[Part, ...]) -> tuple[Part, ...]:
        return (TextPart(rubric_words(self.rubric, self.shape)), TextPart(words), *media)

    def _key(self, asker: Asker, words: str, items: Sequence[MediaItem], repeat: int) -> bytes:
        """Return the verdict key: the judge, the server and the form it takes, the words, every file, the repeat."""
        media = [[item.role, item.kind, item.name, item.sha256] for item in items]
        return derived_key(
            self.judge_hash,
            asker.client.endpoint.server,
            self.transcriber_server,
            asker.client.reply_format,
            words,
            canonical_json(media),
            str(repeat),
        )

    def _saw(self, words: str, seen: Seen, opinions: Sequence[Opinion], sights: Sequence[Sight]) -> dict[str, Any]:
        """Return the record of what was shown. The rubric is the judge's own and stands with the run."""
        case = {"kind": "text", "name": "case", "text": words[:_LONGEST_CASE_KEPT]}
        served = dict.fromkeys(opinion.served for opinion in opinions if opinion.served)
        return {
            "parts": [{"kind": "text", "name": "rubric", "text": None}, case, *seen.saw],
            "model_requested": self.options.model,
            "model_served": ", ".join(served) or None,
            "ffmpeg": seen.ffmpeg,
            "sight": worst(sights) if sights else "not_tested",
            "said": [opinion.said for opinion in opinions],
            "thinking": [opinion.thinking for opinion in opinions if opinion.thinking],
            "requests": sum(opinion.requests for opinion in opinions),
            "usage": usage_record(sum((opinion.usage for opinion in opinions), NOTHING_COUNTED)),
        }
