"""``pairwise_judge``: a model that says which of two runs answered a case better, asked in both orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from oloproof.digests import canonical_json, derived_key
from oloproof.errors import CallFailed, MediaUnreadable
from oloproof.evaluators.base import CriterionShape, Subject
from oloproof.evaluators.judges.asking import Asker, Opinion
from oloproof.evaluators.judges.model_judge import ModelJudge
from oloproof.evaluators.judges.options import PairwiseJudgeOptions
from oloproof.evaluators.judges.pairwise_answers import Answer, Pair, PreparedPair, labelled, pair_of
from oloproof.evaluators.judges.pairwise_prompt import (
    PAIRWISE_PROMPT_VERSION,
    SYSTEM,
    answer_words,
    given_words,
    pair_rubric_words,
)
from oloproof.evaluators.judges.replies import PARSER_VERSION, ChoiceShape
from oloproof.evaluators.judges.seen import Seen, usage_record
from oloproof.evaluators.judges.sight import Sight, worst
from oloproof.providers import ImagePart, Part, TextPart
from oloproof.records import Judgement, MediaItem, Verdict

IDENTICAL = "identical"
"""The code of a tie of answers that are the same, about which nobody is asked."""

_LONGEST_TEXT_KEPT = 8_000

BothOrders = tuple[Judgement, Judgement]
"""What was said with the candidate's answer shown as A, and with it shown as B."""


class PairwiseJudge(ModelJudge[PairwiseJudgeOptions]):
    """Says which of two runs answered a case better, in `oloproof compare --judge`. It says nothing of a single run.

    Each case that both runs executed is put to the model twice, with either answer shown first. The side that is
    chosen both times wins; a choice that follows the order is inconsistent and counts for neither. Answers that are
    the same, byte for byte, are a tie without a question; after a reply that is no choice the other order is not asked.
    The model is shown the rubric, the case's input, then answer A and answer B, each as fenced data with its recorded
    media after it, under names that do not tell which system is which. No rule decides on it, and it is not held to
    labels.

    Keys:
        provider: `openai`, `openai_compatible` or `anthropic`. Required.
        model: the name of the model. Required.
        base_url: the address of the server; required for `openai_compatible`.
        api_key_env: the environment variable that holds the key. Default: `OPENAI_API_KEY`, `ANTHROPIC_API_KEY`.
        rubric_text: what makes an answer the better one, in words; or
        rubric_file: a file that holds it.
        media: which recorded media it is shown: `input`, `output` or `all`. Default: none, it compares text alone.
        kinds: the kinds of media there will be, checked before the first question.
        video_frames: a number of frames, `[0.5, 2.0]`, `{every: 1.0}` or `{scenes: 8}`. Default: 4.
        transcriber: who writes down sound: `{model, base_url, api_key_env, language}`.
        audio: `native` sends sound itself (wav, mp3) to a model that hears.
        temperature, seed: as the model takes them; one that takes none is asked without. Default: 0, none.
        max_tokens: the most that one reply may hold, what the model thinks included. Default: 4096 for `openai` and
            `anthropic`, 1024 for `openai_compatible`.
        background: what transparency is laid on: `white`, `black`, `#rrggbb`. Default: white.
        max_image_bytes, max_image_side: limits of one picture. Default: 5 MB, none.
        image_formats: what is sent as it is, of `png`, `jpeg`, `webp` and `gif`. Default: `[png, jpeg]`.
        max_images: the most pictures and frames of one question, both answers together. Default: 20.
        downscale: whether a picture over a limit is made smaller instead of refused. Default: false.
        show_expected: whether it is shown what the case expects. Default: false.
        sight_test: `report`, `require` or `off`. Default: report.
        budget: `{requests, usd, prices: {input, output}}` for one comparison.
        timeout, concurrency: seconds for one request, requests in flight at once. Default: 60, 8.

    A refusal, prose after one reminder, two answers that contradict each other or «I cannot see it» are invalid. A
    reply that was cut off, an empty one, a server that gave none, and media that cannot be shown are missing.
    """

    type: ClassVar[str] = "pairwise_judge"
    Options = PairwiseJudgeOptions

    @property
    def criteria(self) -> tuple[CriterionShape, ...]:
        """None: a run has no metric of it."""
        return ()

    @cached_property
    def shape(self) -> ChoiceShape:
        """What a reply must look like."""
        return ChoiceShape()

    @property
    def identity(self) -> Mapping[str, Any]:
        """What makes it this judge and no other; not the name it reports under."""
        reply = [self.shape.schema, PARSER_VERSION, PAIRWISE_PROMPT_VERSION]
        return {**self.model_identity, "reply": reply}

    def prepare(self) -> None:
        """Check the rubric and the address; no run asks it, so its key may be absent from one.

        Raises:
            EvaluatorError: it could never work as configured.
        """
        self.rubric  # noqa: B018 - reads the file
        self.options.endpoint()

    def prepare_to_compare(self) -> None:
        """Check all that can be checked before the first question.

        Raises:
            EvaluatorError: it could never work as configured.
        """
        super().prepare()

    def evaluate(self, subject: Subject) -> Judgement:
        """Return that it says nothing of a single execution."""
        return Judgement((), judge=self.judge_hash)

    def preferences(self, candidate: Subject, baseline: Subject, hidden: Sequence[str] = ()) -> BothOrders:
        """Return what the model says of two executions of one case, in both orders; what it said before is reused.

        A usable choice is a verdict that passes, with ``details["better"]`` A, B or tie. The first judgement is with
        the candidate's answer as A, the second with the baseline's.

        Args:
            candidate: an execution that gave an answer.
            baseline: another one of the same input.
            hidden: texts that tell the runs apart, such as their ids; they are never shown.

        Raises:
            ProviderError: the provider refuses every question.
            JudgeUnfit: it has no way to take one of the media.
            MediaDrift, MediaMissing: a recorded file changed or is gone.
        """
        shown = [self.items_of(candidate), self.items_of(baseline)]
        pair = pair_of(candidate, baseline, shown, self.root, hidden, show_expected=self.options.show_expected)
        for answer in (pair.candidate, pair.baseline):
            if self.options.media is not None and not (answer.items or pair.inputs):
                told = f"the {answer.whose} recorded nothing with the role {self.options.media}"
                return (self.unasked(told, "no_media"),) * 2
        if pair.identical:
            return (self._identical(),) * 2
        asker = self.asker()
        orders = ((pair.candidate, pair.baseline), (pair.baseline, pair.candidate))
        found = [self.keeping.judgements.find(self._key(asker, pair, first, second)) for first, second in orders]
        first, second = self._completed(asker, pair, candidate, found)
        reader = candidate.reader
        return self.with_sight(first, pair.items, reader), self.with_sight(second, pair.items, reader)

    def asker(self) -> Asker:
        """Return what asks its model and reads the replies."""
        options = self.options
        return Asker(self.client(), self.shape, options.temperature, options.seed, options.most_tokens, system=SYSTEM)

    def unasked(self, reason: str, code: str) -> Judgement:
        """Return that nothing was measured."""
        return Judgement((Verdict.missing(reason, code=code),), judge=self.judge_hash)

    def _identical(self) -> Judgement:
        same = Verdict.passed("both answers are the same", better="tie", code=IDENTICAL)
        return Judgement((same,), judge=self.judge_hash)

    def _needless(self, other: Judgement) -> Judgement:
        verdict = other.verdicts[0]
        told = f"not asked, since the other order gave no usable choice: {verdict.reason}"
        return Judgement((Verdict(verdict.outcome, told, details={"code": "not_asked"}),), judge=self.judge_hash)

    def _completed(
        self, asker: Asker, pair: Pair, subject: Subject, found: Sequence[Judgement | None]
    ) -> list[Judgement]:
        """Return the judgements, asking for those that are not ``found``.

        Where one order gave no usable choice the other is not asked for: the pair is lost either way.
        """
        known = [one for one in found if one is not None]
        if len(known) == len(found):
            return known
        spoilt = next((one for one in known if not _usable(one)), None)
        if spoilt is not None:
            return [one or self._needless(spoilt) for one in found]
        try:
            sights = self.sights(pair.items, subject.reader)
            if self.options.sight_test != "require" or not pair.items or worst(sights) == "proven":
                return self._asked(asker, pair, self._prepared(pair, subject), sights, found)
            instead = self.unproven(sights)
        except MediaUnreadable as error:
            instead = self.unasked(f"not shown to the judge: {error}", error.code)
        except CallFailed as error:
            instead = self.unasked(f"the judge was not asked: {error}", error.code)
        return [one or instead for one in found]

    def _asked(
        self,
        asker: Asker,
        pair: Pair,
        prepared: PreparedPair,
        sights: Sequence[Sight],
        found: Sequence[Judgement | None],
    ) -> list[Judgement]:
        said: list[Judgement] = []
        for place, known in enumerate(found):
            if known is not None:
                said.append(known)
            elif said and not _usable(said[0]):
                said.append(self._needless(said[0]))
            else:
                said.append(self._opinion(asker, pair, prepared, sights, candidate_first=not place))
        return said

    def _prepared(self, pair: Pair, subject: Subject) -> PreparedPair:
        """Make the files of a pair ready to be sent.

        Raises:
            MediaUnreadable: one cannot be shown, or they are too many pictures for one question.
            CallFailed: its sound could not be written down.
        """
        eyes, reader = self.eyes(), subject.reader
        seen = []
        for whose, items in (
            ("the case's ", pair.inputs),
            ("the candidate's ", pair.candidate.items),
            ("the baseline's ", pair.baseline.items),
        ):
            try:
                seen.append(eyes.show(items, reader))
            except MediaUnreadable as error:
                raise MediaUnreadable(f"{whose}{error}", path=error.path, code=error.code) from error
        count = sum(isinstance(part, ImagePart) for one in seen for part in one.parts)
        if count > self.options.max_images:
            raise MediaUnreadable(
                f"{count} pictures and frames of both answers are more than the {self.options.max_images} that one "
                "question takes; ask for fewer video_frames:, or raise max_images: where the model takes more",
                code="over_limit",
            )
        return PreparedPair(*seen)

    def _opinion(
        self,
        asker: Asker,
        pair: Pair,
        prepared: PreparedPair,
        sights: Sequence[Sight],
        *,
        candidate_first: bool,
    ) -> Judgement:
        sides = [(pair.candidate, prepared.candidate), (pair.baseline, prepared.baseline)]
        first, second = sides if candidate_first else sides[::-1]
        case = given_words(pair.given, pair.expected)
        words = [answer_words(side, one.text) for side, (one, _) in zip("AB", (first, second), strict=True)]
        parts: list[Part] = [TextPart(pair_rubric_words(self.rubric, self.shape)), TextPart(case)]
        parts += labelled("The case", prepared.inputs.parts)
        for side, text, (_, seen) in zip("AB", words, (first, second), strict=True):
            parts += [TextPart(text), *labelled(f"Answer {side}", seen.parts)]
        self.asked = True
        opinion = asker.opinion(tuple(parts))
        shown = [("case", case, prepared.inputs), ("A", words[0], first[1]), ("B", words[1], second[1])]
        return Judgement(
            verdicts=opinion.verdicts,
            key=self._key(asker, pair, first[0], second[0]),  # only now, as the question may have found out the form
            judge=self.judge_hash,
            saw=self._saw(shown, prepared.ffmpeg, opinion, sights),
            kept=opinion.kept,
        )

    def _key(self, asker: Asker, pair: Pair, first: Answer, second: Answer) -> bytes:
        """Return the key of one question: the judge, the server and its form, all that is shown, in this order."""
        return derived_key(
            self.judge_hash,
            asker.client.endpoint.server,
            self.transcriber_server,
            asker.client.reply_format,
            canonical_json([pair.given, pair.expected, _files(pair.inputs)]),
            canonical_json([first.shown, second.shown]),
        )

    def _saw(
        self, shown: Sequence[tuple[str, str, Seen]], ffmpeg: str | None, opinion: Opinion, sights: Sequence[Sight]
    ) -> dict[str, Any]:
        """Return the record of what was shown, in order. The rubric is the judge's own."""
        parts: list[Mapping[str, Any]] = [{"kind": "text", "name": "rubric", "text": None}]
        for name, words, seen in shown:
            parts.append({"kind": "text", "name": name, "text": words[:_LONGEST_TEXT_KEPT]})
            parts += [{**part, "answer": None if name == "case" else name} for part in seen.saw]
        return {
            "parts": parts,
            "model_requested": self.options.model,
            "model_served": opinion.served or None,
            "ffmpeg": ffmpeg,
            "sight": worst(sights) if sights else "not_tested",
            "said": [opinion.said],
            "thinking": [opinion.thinking] if opinion.thinking else [],
            "requests": opinion.requests,
            "usage": usage_record(opinion.usage),
        }


def _usable(judgement: Judgement) -> bool:
    return judgement.verdicts[0].outcome == "pass"


def _files(items: Sequence[MediaItem]) -> list[list[str]]:
    return [[item.role, item.kind, item.name, item.sha256] for item in items]
