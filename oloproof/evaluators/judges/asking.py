"""One judge's model: asked in one form, reminded once, and never taken for more than it said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from oloproof.errors import CallFailed
from oloproof.evaluators.judges.prompt import SYSTEM, reminder
from oloproof.evaluators.judges.replies import Shape, Unusable, read_reply
from oloproof.providers import NOTHING_COUNTED, ChatRequest, Part, Usage
from oloproof.records import Verdict

if TYPE_CHECKING:
    from oloproof.providers import ChatClient


class Opinion(Struct, frozen=True):
    """What came of one question: verdicts, or why there are none, and the model that answered. One of many votes.

    ``kept`` says that asking again would give the same; ``said`` is the reply as it came, for people to read. ``usage``
    has the tokens of every reply.
    """

    verdicts: tuple[Verdict, ...]
    kept: bool
    served: str = ""
    said: str = ""
    thinking: str = ""
    requests: int = 0
    usage: Usage = NOTHING_COUNTED

    @property
    def usable(self) -> bool:
        """Whether it is a judgement and no failure."""
        return all(verdict.outcome in ("pass", "fail") for verdict in self.verdicts)


class Asker(Struct, frozen=True):
    """Asks a model to judge. ``outputs`` is how many verdicts one answer gives."""

    client: ChatClient
    shape: Shape
    temperature: float | None
    seed: int | None
    max_tokens: int
    system: str = SYSTEM
    outputs: int = field(default=1)

    def opinion(self, parts: tuple[Part, ...], vote: int = 0) -> Opinion:
        """Return one opinion; a reply that is no answer is followed by one reminder.

        Raises:
            ProviderError: the provider refuses every question.
        """
        requests, usage = 0, NOTHING_COUNTED
        try:
            reply = self.client.ask(self._request(parts, vote, ()))
            requests, usage = reply.attempts, reply.usage
            found = read_reply(reply.text, reply.finish, self.shape)
            if isinstance(found, Unusable) and found.worth_reminding and reply.text:
                turns = (("assistant", reply.text), ("user", reminder(self.shape)))
                reply = self.client.ask(self._request(parts, vote, turns))
                requests, usage = requests + reply.attempts, usage + reply.usage
                found = read_reply(reply.text, reply.finish, self.shape)
        except CallFailed as error:
            failed = Verdict.missing(f"the judge gave no answer: {error}", code=error.code)
            verdicts = (failed,) * self.outputs
            return Opinion(verdicts, kept=False, requests=requests + error.attempts, usage=usage)
        said, thinking = (reply.text or "")[:_LONGEST_SAID], reply.thinking[:_LONGEST_SAID]
        if isinstance(found, Unusable):
            verdict = Verdict(found.outcome, found.reason, details={"code": found.code, "said": said[:_SHOWN]})
            verdicts, kept = (verdict,) * self.outputs, found.finished
        else:
            verdicts, kept = tuple(found), True
        return Opinion(verdicts, kept, reply.model_served, said, thinking, requests, usage)

    def _request(self, parts: tuple[Part, ...], vote: int, follow_up: tuple[tuple[str, str], ...]) -> ChatRequest:
        return ChatRequest(
            system=self.system,
            parts=parts,
            schema=self.shape.schema,
            max_tokens=self.max_tokens,
            temperature=self.temperature,
            seed=None if self.seed is None else self.seed + vote,
            follow_up=follow_up,
        )


_LONGEST_SAID = 4_000
_SHOWN = 500
