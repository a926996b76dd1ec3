"""The frozen nouns that are stored or cross a border between rooms. Their words are those of the design."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct, field

Kind = Literal["image", "audio", "video"]
Role = Literal["input", "output", "context"]
Outcome = Literal["pass", "fail", "invalid", "missing"]
DecisionState = Literal["PASS", "FAIL", "INSUFFICIENT_EVIDENCE", "MANUAL_REVIEW"]
Decodable = Literal["complete", "partial", "none", "too_large", "no_decoder"]
Depth = Literal["header", "probed", "decoded"]
Relation = Literal["same_view", "degraded", "answer_changes", "answer_unchanged", "control"]

KINDS: tuple[Kind, ...] = ("image", "audio", "video")
ROLES: tuple[Role, ...] = ("input", "output", "context")
OUTCOMES: tuple[Outcome, ...] = ("pass", "fail", "invalid", "missing")
RELATIONS: tuple[Relation, ...] = ("same_view", "degraded", "answer_changes", "answer_unchanged", "control")
ORIGINAL = "original"
HUMAN_RATE = "human_rate"
"""The estimand of a metric that says what people would say, worked out from a judge's verdicts and their labels."""

ONE_REPEAT_LABELLED = "one_repeat_labelled"
"""The method of such a metric where nothing can be worked out: people label one repeat of a case, not how many pass."""


def copy_of(value: Any) -> Any:
    """Return a JSON value that shares no object or list with ``value``, several times faster than ``copy.deepcopy``."""
    if type(value) is dict:
        return {key: copy_of(entry) for key, entry in value.items()}
    return [copy_of(entry) for entry in value] if type(value) is list else value


class Case(Struct, frozen=True):
    """One row of the dataset.

    ``files`` maps an input field (dotted) to the absolute path it names, for the fields that name files;
    ``line`` is where the row stands in its file, for messages.
    """

    id: str
    input: Any
    expected: Any = None
    slice: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    line: int | None = None


class Trial(Struct, frozen=True):
    """One variant of one case, one repeat: the unit that is executed. ``index`` is its place in the run."""

    index: int
    case: Case
    variant: str = ORIGINAL
    repeat: int = 0


class MediaItem(Struct, frozen=True):
    """One recorded file (``media/v1``): a reference to bytes, never the bytes.

    ``path`` is relative to the project when the file lies under it, else absolute; ``given`` is the path as the
    system gave it. ``format`` is the short name told by the bytes (``jpeg``). ``width`` and ``height`` are as
    displayed, in pixels; ``duration`` in seconds; each is None where the header does not tell. ``identity`` is the
    file's (device, inode, size, mtime_ns, ctime_ns) when it was recorded: an unchanged one spares reading it again.
    ``facts`` holds what the caller declared beside.
    """

    id: str
    role: Role
    kind: Kind
    name: str
    path: str
    given: str
    format: str
    media_type: str
    size: int
    sha256: str
    width: int | None = None
    height: int | None = None
    duration: float | None = None
    identity: tuple[int, int, int, int, int] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


class Finding(Struct, frozen=True):
    """Something about a file that is odd though it may be readable; ``code`` is stable, ``message`` for people."""

    code: str
    message: str


class Facts(Struct, frozen=True):
    """The truth about one file, told from its bytes and never from its name.

    ``kind`` is None when the bytes are no image, audio or video. ``format`` is a short lower-case name such as
    ``jpeg``. ``width`` and ``height`` are as a viewer shows it (orientation and pixel ratio applied), beside
    ``stored_width`` and ``stored_height``. ``duration`` is in seconds. A field that the ``depth`` reached cannot
    tell is None. ``profile`` names an embedded colour profile, ``color_mode`` the stored colour model of an image.
    """

    depth: Depth
    kind: Kind | None
    format: str
    media_type: str
    width: int | None = None
    height: int | None = None
    stored_width: int | None = None
    stored_height: int | None = None
    orientation: str | None = None
    duration: float | None = None
    frames: int | None = None
    animated: bool | None = None
    has_audio: bool | None = None
    decodable: Decodable | None = None
    color_mode: str | None = None
    profile: str | None = None
    extras: Mapping[str, Any] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()


class Delivery(Struct, frozen=True):
    """What a trial was given in a field that variants change, or in any that names media which its system did not
    record itself: the evidence of what was sent.

    ``item`` is the file, None where the field held none. ``relation`` is what the variant claims to be to the original
    (None of the original itself) and ``source`` the SHA-256 that it was made from, None where it was made of nothing.
    ``same_bytes``, ``same_data`` (decoded pixels or samples) and ``same_view`` (to people) were found by comparing it
    with the original, None where there was nothing to compare; ``difference`` says in words what is not the same.
    """

    field: str
    item: MediaItem | None = None
    relation: Relation | None = None
    source: str | None = None
    same_bytes: bool | None = None
    same_data: bool | None = None
    same_view: bool | None = None
    difference: str = ""
    finding: Finding | None = None


class Execution(Struct, frozen=True):
    """What one trial gave: an output with recorded media, or an error. ``seconds`` is the system's own time.

    ``error`` is one line for people; ``error_detail`` may hold a traceback. ``cached_at`` is the time (seconds since
    the epoch) at which a reused answer was first given, None when it was executed now.
    """

    output: Any = None
    media: tuple[MediaItem, ...] = ()
    error: str | None = None
    error_detail: str | None = None
    seconds: float = 0.0
    cached_at: float | None = None

    @property
    def failed(self) -> bool:
        """Whether the system gave an error instead of an output."""
        return self.error is not None


class Verdict(Struct, frozen=True):
    """What an evaluator says of one execution: an outcome, an optional score, always a reason.

    ``details`` is a JSON object of measurements; ``score`` a finite number, None where the check gives none.
    Evaluators of your own may return one: ``Verdict("fail", "3 of 4 faces are cut off", score=0.25)``.
    """

    outcome: Outcome
    reason: str
    score: float | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def passed(cls, reason: str, *, score: float | None = None, **details: Any) -> Verdict:
        """Return a verdict that passes."""
        return cls("pass", reason, score, details)

    @classmethod
    def failed(cls, reason: str, *, score: float | None = None, **details: Any) -> Verdict:
        """Return a verdict that fails."""
        return cls("fail", reason, score, details)

    @classmethod
    def invalid(cls, reason: str, **details: Any) -> Verdict:
        """Return a verdict for an answer that was given and cannot be used."""
        return cls("invalid", reason, None, details)

    @classmethod
    def missing(cls, reason: str, **details: Any) -> Verdict:
        """Return a verdict for something that could not be measured."""
        return cls("missing", reason, None, details)


class Judgement(Struct, frozen=True):
    """What a judge said of one execution, with what it saw.

    ``verdicts`` follow the judge's criteria. ``key`` is the verdict key: what must be equal for this to be the answer
    to another question; None where nothing was asked. ``saw`` is a JSON object: the parts that were shown, in order,
    and the model that answered. ``kept`` says that it may answer again (a refusal may, a reply that was cut off may
    not); ``stored`` is the row it was taken from, None when it was asked for now.
    """

    verdicts: tuple[Verdict, ...]
    key: bytes | None = None
    judge: str = ""
    saw: Mapping[str, Any] = field(default_factory=dict)
    kept: bool = False
    stored: int | None = None
    created: float | None = None


class Metric(Struct, frozen=True):
    """Verdicts summed up: one estimate, its interval, and every denominator.

    ``kind`` is ``rate``, ``score``, ``difference`` (of rates) or ``count``; ``observed`` = ``passed`` + ``failed``;
    ``n`` adds ``missing`` and ``invalid``, which bound the interval on both sides. ``excluded`` cases stand beside
    ``n``. No data is None. ``partly_failed`` of the missing and invalid cases hold a repeat that failed (in a rate of
    errors: a hit) already. ``could_be`` is, of a mean with cases missing or invalid, the lowest and the highest
    estimate that they leave possible. ``family`` of a metric over families holds its other counts and what it is about:
    as in a rate of errors ``passed`` are its hits, and of a difference those that got better.
    """

    criterion: str
    kind: Literal["rate", "score", "difference", "count"]
    variant: str
    slice: Mapping[str, Any] | None
    estimand: str
    estimate: float | None
    interval: tuple[float, float] | None
    level: float
    method: str
    n: int
    observed: int
    passed: int
    failed: int
    invalid: int
    missing: int
    excluded: int = 0
    partly_failed: int = 0
    could_be: tuple[float, float] | None = None
    family: Mapping[str, Any] | None = None


class Decision(Struct, frozen=True):
    """What a rule concludes: a state, a stable reason code, and a sentence with the numbers."""

    rule: str
    metric: str
    state: DecisionState
    reason: str
    message: str
    blocking: bool
    estimate: float | None
    interval: tuple[float, float] | None
    threshold: float | None


class Notice(Struct, frozen=True):
    """Something the reader of a run should know that decides nothing; ``code`` is stable."""

    code: str
    message: str
