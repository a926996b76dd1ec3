"""``image_matches_reference``: every image of a role looks like a reference, by perceptual hash."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, BinaryIO, ClassVar, Literal

from msgspec import Struct, to_builtins
from msgspec.structs import replace
from pydantic import Field, StringConstraints, model_validator

from oloproof.config.base import FieldPath, InWords, RepositoryPath
from oloproof.config.models import EvaluatorOptions
from oloproof.errors import EvaluatorError, MediaError, MediaMissing, MediaUnreadable, ToolMissing
from oloproof.evaluators.base import (
    MISSING_FIELD,
    Evaluator,
    Subject,
    expected_absent,
    field_of,
    kind_of_value,
    labels_of,
    shorten,
)
from oloproof.media.extras import INSTALL
from oloproof.media.hashing import FLAT_SPREAD, PREPARATION, parse_hash, perceptual_hash
from oloproof.media.local_difference import VERSION as LOCAL_VERSION
from oloproof.media.local_difference import LocalDifference, grey_picture, local_difference
from oloproof.media.reading import MediaReader
from oloproof.media.recording import media_file, using_reader
from oloproof.records import Case, MediaItem, Outcome, Verdict

BITS = 64
CLEARLY_NOT_FLAT = 2 * FLAT_SPREAD
COLOR_TOLERANCE = 8
"""Levels of 255 by which the mean colours of two flat pictures may differ in each channel."""


class ImageMatchesReferenceOptions(EvaluatorOptions):
    """The keys of ``image_matches_reference``."""

    type: Literal["image_matches_reference"]
    reference_file: RepositoryPath | None = None
    reference_field: FieldPath | None = None
    max_distance: Annotated[int, Field(ge=0, le=BITS)] = 8
    max_local_difference: Annotated[float, Field(ge=0, le=255)] | None = None
    role: Literal["input", "output", "context", "all"] = "output"
    background: Annotated[
        str, StringConstraints(pattern=r"^(white|black|#[0-9a-fA-F]{6})$"), InWords("white, black or #rrggbb")
    ] = "white"

    @model_validator(mode="after")
    def _one_reference(self) -> ImageMatchesReferenceOptions:
        if (self.reference_file is None) == (self.reference_field is None):
            raise ValueError(
                "give either reference_file: (one for every case) or reference_field: (a field of expected)"
            )
        return self


class _Look(Struct, frozen=True):
    """What is compared of one picture."""

    item: MediaItem
    bits: int
    flat: bool
    split: bool
    spread: float
    mean_color: tuple[int, ...]


class _Compared(Struct, frozen=True):
    """How one image compares: its outcome, in words, and the distance where a hash says something."""

    outcome: Outcome
    text: str
    distance: int | None = None
    local: LocalDifference | None = None


class ImageMatchesReference(Evaluator[ImageMatchesReferenceOptions]):
    """Passes when every image of a role looks like the reference. The score is the largest distance in bits, 0 to 64.

    The distance is how many bits differ between two perceptual hashes (64-bit pHash) of the pictures as shown:
    upright, in sRGB, over the background; of an animation the first frame. A smaller or re-encoded copy stays within a
    few bits, another scene is near 32. Distances of pictures with content are even, so 9 allows what 8 does. The
    hash sees composition and light. It does not see colour, and it cannot read: a page with another total has the
    same layout and passes. It does not recognise a turned, mirrored or cropped copy.

    With ``max_local_difference`` what looks alike as a whole is also held against the reference place by place: in
    grey, at the smaller of the two sizes, the worst tile of 16×16 pixels may be off by so many levels. Encoders and
    plain resizes stay under 10; another digit whose strokes are a pixel wide, a moved line or a shift by a pixel lie
    above 15. It decodes a large picture at four times the size that the hash needs.

    Keys:
        reference_file: one reference for every case, relative to the project file.
        reference_field: dotted path in the case's ``expected`` that names the file. Exactly one of the two.
        max_distance: bits that may differ, 0 to 64. Default: 8.
        max_local_difference: levels of 255 by which the worst tile may be off; 15 tells another digit from another
            encoder. Default: not looked at.
        role: whose images: ``input``, ``output``, ``context`` or ``all``. Default: output.
        background: what shows through transparency, on both sides: ``white``, ``black`` or ``"#rrggbb"``.
            Default: white.

    The hash of a flat picture (one colour) or of one that changes along one direction only hangs on noise. A flat
    ``reference_file`` is refused before the run; two flat pictures are compared by mean colour instead; a flat
    output fails against a reference with content; a reference that changes along one direction only is invalid. A file
    of another kind or one that cannot be decoded fails. A reference that is gone or broken is missing.

    Passes:
        options: {reference_field: photo}
        files: {refs/scene.png: png 320x240 scene}
        media: [copy.jpg jpeg 160x120 scene]
        expected: {photo: refs/scene.png}

    Fails:
        options: {reference_file: refs/scene.png}
        files: {refs/scene.png: png 320x240 scene}
        media: [copy.jpg jpeg 160x120 scene, blank.png png 64x64 white]
    """

    type: ClassVar[str] = "image_matches_reference"
    Options = ImageMatchesReferenceOptions

    def __init__(self, options: ImageMatchesReferenceOptions, root: Path) -> None:
        super().__init__(options, root)
        self._measurement = f"phash@{PREPARATION}:{options.background}"
        self._local = f"local@{LOCAL_VERSION}:{options.background}"

    @property
    def reads_media(self) -> bool:
        """Always."""
        return True

    @property
    def identity(self) -> Mapping[str, Any]:
        """What makes its verdicts what they are: also the preparation of pictures and the reference's content."""
        reference = {} if self._fixed is None else {"reference": self._fixed.sha256}
        return {**super().identity, "preparation": PREPARATION, **reference}

    def prepare(self) -> None:
        """Check that pictures can be hashed here, and that the reference for every case has content."""
        for module in ("PIL", "imagehash"):
            if importlib.util.find_spec(module) is None:
                raise ToolMissing(f"{self.criterion} needs {module}; {INSTALL}")
        if self._fixed is None:
            return
        where = f"{self.criterion}: reference_file {self.options.reference_file}"
        try:
            look = self._look(self._fixed, MediaReader(self.root))
        except (MediaMissing, MediaUnreadable) as error:
            raise EvaluatorError(f"{where} cannot be used: {error}") from None
        if look.flat or look.split:
            what = "is flat (one colour)" if look.flat else "changes along one direction only"
            raise EvaluatorError(f"{where} {what}: its hash says nothing about what a picture shows")

    def evaluate(self, subject: Subject) -> Verdict:
        """Compare every image of the role with the reference of the case."""
        items = subject.items(self.options.role)
        if not items:
            role = "" if self.options.role == "all" else f" with role {self.options.role}"
            return Verdict.missing(f"no media was recorded{role}", code="no_media")
        found = self._reference(subject)
        if isinstance(found, Verdict):
            return found
        reference, shown = found
        labels = labels_of(items)
        try:
            compared = [
                self._compared(item, label, reference, subject.reader)
                for item, label in zip(items, labels, strict=True)
            ]
        except MediaMissing as error:
            return Verdict.missing(str(error), code=error.code)
        return self._verdict(items, labels, compared, {"path": shown, "sha256": reference.item.sha256})

    def _reference(self, subject: Subject) -> tuple[_Look, str] | Verdict:
        """Return the reference and its path as people know it, or the verdict on a case without a usable one."""
        path: str | None = self.options.reference_file
        if self._fixed is None:
            path = self._path_in(subject.case)
            if path is None:
                return self._path_absent(subject.case)
        try:
            item = self._fixed or self._record(path or "", subject.reader)
            return self._look(item, subject.reader), path or ""
        except MediaUnreadable as error:
            return Verdict.missing(f"reference {path} cannot be decoded: {error}", code=f"reference_{error.code}")
        except MediaMissing as error:
            return Verdict.missing(f"reference {path}: {error}", code=error.code)
        except MediaError as error:
            if type(error) is not MediaError:
                raise  # changed media stop the run
            return Verdict.missing(f"reference {path}: {error}", code=f"reference_{error.code}")

    def _path_in(self, case: Case) -> str | None:
        resolved = case.files.get(f"expected.{self.options.reference_field}")
        given = field_of(case.expected, self.options.reference_field) if resolved is None else resolved
        return given if isinstance(given, str) and given else None

    def _path_absent(self, case: Case) -> Verdict:
        given = field_of(case.expected, self.options.reference_field)
        if given is MISSING_FIELD:
            return expected_absent(case, self.options.reference_field)
        return Verdict.missing(
            f"expected.{self.options.reference_field} is {kind_of_value(given)}, {shorten(given)}; it must be a path"
        )

    @cached_property
    def _fixed(self) -> MediaItem | None:
        """The reference for every case, recorded once; a change of its bytes stops the run like that of any other."""
        if self.options.reference_file is None:
            return None
        try:
            return self._record(self.options.reference_file, MediaReader(self.root))
        except MediaError as error:
            raise EvaluatorError(f"{self.criterion}: reference_file cannot be used: {error}") from None

    def _record(self, path: str, reader: MediaReader) -> MediaItem:
        with using_reader(reader):
            item = media_file(self.root / path, role="context")
        return replace(item, path=str(reader.root / item.path))

    def _look(self, item: MediaItem, reader: MediaReader) -> _Look:
        """Return the look of a picture, hashed once for the same bytes and background.

        Raises:
            MediaUnreadable: it is no picture that can be decoded to its end.
        """
        kept = reader.measure(item, self._measurement, self._hashed)
        if "problem" in kept:
            raise MediaUnreadable(kept["problem"], path=item.path, code=kept["code"])
        bits = parse_hash(kept["hash"]).bits
        return _Look(item, bits, kept["flat"], kept["split"], kept["spread"], tuple(kept["mean_color"]))

    def _hashed(self, file: BinaryIO) -> dict[str, Any]:
        try:
            found = perceptual_hash(file, background=self.options.background)
        except MediaUnreadable as error:
            if error.code == "no_decoder":
                raise  # one may be installed tomorrow, so that this is not kept for the bytes
            return {"problem": str(error), "code": error.code}
        return {
            "hash": str(found),
            "flat": found.flat,
            "split": found.split,
            "spread": found.spread,
            "mean_color": list(found.mean_color or ()),
        }

    def _compared(self, item: MediaItem, label: str, reference: _Look, reader: MediaReader) -> _Compared:
        if item.kind != "image":
            reader.verify(item)
            return _Compared("fail", f"{label} is {item.kind}, not an image")
        try:
            look = self._look(item, reader)
        except MediaUnreadable as error:
            return _Compared("fail", f"{label} cannot be compared: {error}")
        if look.item.sha256 == reference.item.sha256:
            return _Compared("pass", f"{label} is the reference, byte for byte", 0)
        found = _without_content(look, label, reference) or self._by_hash(look, label, reference)
        if found.outcome != "pass" or self.options.max_local_difference is None:
            return found
        return _by_place(found, self._local_difference(item, reference.item, reader), self.options.max_local_difference)

    def _by_hash(self, look: _Look, label: str, reference: _Look) -> _Compared:
        distance = (look.bits ^ reference.bits).bit_count()
        if distance <= self.options.max_distance:
            return _Compared("pass", f"{label} looks alike, {distance} of {BITS} bits differ", distance)
        told = f"{label} does not look alike, {distance} of {BITS} bits differ, more than {self.options.max_distance}"
        return _Compared("fail", told, distance)

    def _local_difference(self, item: MediaItem, reference: MediaItem, reader: MediaReader) -> LocalDifference:
        """Return where a picture differs most from the reference, worked out once for the same bytes."""

        def compute(file: BinaryIO) -> dict[str, Any]:
            with reader.open(reference) as other:
                known = grey_picture(other, background=self.options.background)
            return dict(to_builtins(local_difference(grey_picture(file, background=self.options.background), known)))

        return LocalDifference(**reader.measure(item, f"{self._local}:{reference.sha256}", compute))

    def _verdict(
        self,
        items: Sequence[MediaItem],
        labels: Sequence[str],
        compared: Sequence[_Compared],
        reference: dict[str, str],
    ) -> Verdict:
        distances: list[dict[str, Any]] = []
        for index, (item, label, each) in enumerate(zip(items, labels, compared, strict=True)):
            distance = {"index": index, "name": label, "sha256": item.sha256, "distance": each.distance}
            local = {} if each.local is None else {"local_difference": to_builtins(each.local)}
            distances.append({**distance, **local})
        details = {"distances": distances, "reference": reference, "max_distance": self.options.max_distance}
        known = [each.distance for each in compared if each.distance is not None]
        score = float(max(known)) if known else None
        for outcome in ("fail", "invalid"):
            told = [each.text for each in compared if each.outcome == outcome]
            if told:
                return Verdict(outcome, "; ".join(told[:6]), score, details)
        farthest = max(compared, key=lambda each: each.distance or 0)
        more = f", the farthest of {len(compared)} images" if len(compared) > 1 else ""
        return Verdict("pass", f"{farthest.text}{more} (at most {self.options.max_distance} may)", score, details)


def _without_content(look: _Look, label: str, reference: _Look) -> _Compared | None:
    """Compare where one of the two has no content that a hash could tell; None when both have."""
    if look.flat or reference.flat:
        if look.flat and reference.spread >= CLEARLY_NOT_FLAT:
            return _Compared("fail", f"{label} is flat (one colour), so its hash says nothing; the reference is not")
        if reference.flat and look.spread >= CLEARLY_NOT_FLAT:
            return _Compared(
                "fail", f"the reference is flat (one colour), so its hash says nothing; {label} is not flat"
            )
        return _by_color(look, label, reference)
    if reference.split:
        return _Compared("invalid", "the reference changes along one direction only, so its hash hangs on noise")
    if look.split:
        return _Compared("fail", f"{label} changes along one direction only, so its hash hangs on noise")
    return None


def _by_color(look: _Look, label: str, reference: _Look) -> _Compared:
    off = max(abs(one - other) for one, other in zip(look.mean_color, reference.mean_color, strict=True))
    told = f"both are flat, so mean colours decide: {label} is off by {off} of 255 levels, {COLOR_TOLERANCE} may be"
    return _Compared("pass" if off <= COLOR_TOLERANCE else "fail", told)


def _by_place(found: _Compared, local: LocalDifference, most: float) -> _Compared:
    """Hold what passes as a whole against the reference place by place."""
    if local.levels <= most:
        return replace(
            found, text=f"{found.text}; the worst tile is off by {local.levels:.1f} of 255 levels", local=local
        )
    where = f"around {local.across:.0%} across and {local.down:.0%} down"
    told = f"{found.text}, but {where} it is off by {local.levels:.1f} of 255 levels, more than {most:g}"
    return replace(found, outcome="fail", text=told, local=local)
