"""``media_check``: every recorded file of a role meets every declared condition, measured on its bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from oloproof.errors import MediaMissing, MediaUnreadable
from oloproof.evaluators.base import Evaluator, Subject, labels_of
from oloproof.evaluators.media_conditions import Measured, Problem, is_medium, problems_of
from oloproof.evaluators.media_contents import contents_problems
from oloproof.evaluators.media_options import MediaCheckOptions
from oloproof.media.extras import need_pillow
from oloproof.media.ffmpeg import require_tool
from oloproof.records import MediaItem, Verdict


class MediaCheck(Evaluator[MediaCheckOptions]):
    """Passes when every recorded file of a role meets every condition. No score; the reason carries what was measured.

    Everything is read from the bytes and never from the name, and measured as a viewer shows it: turned by its
    orientation tag, with its pixel ratio applied. A limit is itself allowed: 256 px passes ``max_width: 256``.

    Keys:
        role: whose files: ``input``, ``output``, ``context`` or ``all``. Default: output.
        kind: every file of the role is an ``image``, ``audio`` or ``video``; ``any`` asks nothing. Default: any.
        only: the conditions are for files of this kind, ``image``, ``audio`` or ``video``; the others are let be.
            Default: none, they are for all.
        formats: the formats that pass, such as ``[png, jpeg, webp]``; ``jpg`` and other usual endings are
            understood, ``png`` covers animated PNG. A file name that contradicts the bytes fails too.
        allow_misnamed: let such a name pass. Default: false.
        min_width, max_width, min_height, max_height: whole pixels, 1 or more, of images and video.
        aspect_ratio: width to height as ``"16:9"`` or a number, of images and video.
        aspect_tolerance: how far the ratio may be off, as a share of it, 0 to below 1. Default: 0.01.
        min_aspect_ratio, max_aspect_ratio: bounds of width to height, without a tolerance.
        min_duration, max_duration: seconds, 0 or more, of audio, video and animations.
        min_bytes, max_bytes: size of the file, 0 or more.
        min_frame_rate, max_frame_rate: frames per second, above 0, of video; the mean where they are uneven.
        min_sample_rate, max_sample_rate: Hz, 1 or more, of audio and the sound track of video.
        min_channels, max_channels: how many the sound has, 1 or more.
        count, min_count, max_count: how many files the role has, 0 or more.
        intact: the file can be decoded to its very end. Default: false, which asks nothing.
        animated: an image is an animation (true) or a still (false).
        has_audio: there is a sound track (true) or none (false).
        blank: an image shows one colour only (true) or more (false), a video or animation in each of four frames.
        transparent: an image lets through what lies behind it anywhere (true) or nowhere (false).
        silent: nothing in audio or the sound track of video is above -65 dBFS (true), or something is (false).

    At least one condition is needed; ``kind`` alone is one. A file of another kind fails, as does one that has no
    such measure (the duration of a still) and one that is no medium at all (an error page saved as ``.png``). A picture
    too large to decode and a format without a decoder fail ``intact`` in those words. When no file of the role
    was recorded the verdict is missing, unless the counts decide it; when one is gone, it is missing.

    Passes:
        options: {kind: image, formats: [png, jpg], max_width: 64, aspect_ratio: "1:1", intact: true}
        media: [photo.png png 64x64]

    Passes:
        options: {role: all, kind: audio, min_duration: 1, max_duration: 1.5}
        media: [input voice.wav wav 1.25s]

    Fails:
        options: {max_width: 256, max_bytes: 50000}
        media: [small.png png 64x64, large.png png 512x64]

    Fails:
        options: {kind: image, blank: false}
        media: [night.png png 64x64 black]

    Fails:
        options: {formats: [png]}
        media: [photo.png jpeg 64x64]
    """

    type: ClassVar[str] = "media_check"
    Options = MediaCheckOptions

    def __init__(self, options: MediaCheckOptions, root: Path) -> None:
        super().__init__(options, root)
        self._role = options.role
        self._only_counts = not options.model_dump(exclude_defaults=True).keys() - _ABOUT_COUNTS

    @property
    def reads_media(self) -> bool:
        """Always."""
        return True

    def prepare(self) -> None:
        """Check that ffmpeg and Pillow are there when they will be needed for certain."""
        options = self.options
        if options.intact and options.looks_at in ("audio", "video"):
            require_tool("ffprobe", f"{self.criterion} decodes {options.looks_at}")
        if options.silent is not None:
            require_tool("ffmpeg", f"{self.criterion} listens for silence")
        if options.blank is not None or options.transparent is not None:
            need_pillow(f"{self.criterion}: looking for blank or transparent pictures")

    def evaluate(self, subject: Subject) -> Verdict:
        """Measure every item of the role."""
        items = [item for item in subject.items(self._role) if self._looks_at(item)]
        problems = list(self._count_problems(len(items)))
        if not items:
            return self._without_media(problems)
        measured = []
        try:
            for item, label in zip(items, labels_of(items), strict=True):
                subject.reader.verify(item)
                one = Measured(item, label, subject.reader)
                problems += problems_of(one, self.options)
                problems += contents_problems(one, self.options)
                measured.append(one.as_json())
        except MediaMissing as error:
            return Verdict.missing(str(error), code=error.code)
        except MediaUnreadable as error:  # it took longer to measure than is allowed
            return Verdict.missing(f"{label}: {error}", code=error.code)
        return _verdict(problems, measured)

    def _looks_at(self, item: MediaItem) -> bool:
        """Return whether the conditions are for a file; what is no medium at all is passed over by none."""
        return self.options.only in (None, item.kind) or not is_medium(item)

    def _count_problems(self, found: int) -> Iterator[Problem]:
        options = self.options
        if options.count is not None and found != options.count:
            yield Problem("", "count", found, options.count, f"{_items(found)} recorded, not {options.count}")
        if options.min_count is not None and found < options.min_count:
            yield Problem(
                "", "min_count", found, options.min_count, f"{_items(found)} recorded, fewer than {options.min_count}"
            )
        if options.max_count is not None and found > options.max_count:
            yield Problem(
                "", "max_count", found, options.max_count, f"{_items(found)} recorded, more than {options.max_count}"
            )

    def _without_media(self, problems: Sequence[Problem]) -> Verdict:
        if problems:
            return _verdict(problems, [])
        role = "" if self._role == "all" else f" with role {self._role}"
        told = f"no {self.options.only or 'media'} was recorded{role}"
        if 0 in (self.options.count, self.options.min_count) or self._only_counts:
            return Verdict.passed(f"{told}, which the count allows", measured=[], problems=[])
        return Verdict.missing(told, code="no_media")


_ABOUT_COUNTS = {"type", "criterion", "on_execution_error", "role", "only", "count", "min_count", "max_count"}


def _items(count: int) -> str:
    return f"{count} item{'' if count == 1 else 's'}"


def _verdict(problems: Sequence[Problem], measured: list[dict[str, Any]]) -> Verdict:
    details = {"measured": measured, "problems": [problem.as_json() for problem in problems]}
    if not problems:
        return Verdict("pass", f"{_items(len(measured))} measured, every condition met", None, details)
    words = list(dict.fromkeys(str(problem) for problem in problems))  # no sound track breaks several conditions
    told = "; ".join(words[:6])
    more = f"; and {len(words) - 6} more" if len(words) > 6 else ""
    return Verdict("fail", told + more, None, details)
