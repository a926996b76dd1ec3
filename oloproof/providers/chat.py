"""Asking a chat model: one question, in the form that its server was found to take, until there is a reply."""

from __future__ import annotations

from oloproof.providers import anthropic_chat, openai_chat
from oloproof.providers.bodies import json_bytes
from oloproof.providers.budget import Budget, bound_of
from oloproof.providers.calls import Calls, Question, Tally
from oloproof.providers.endpoints import Endpoint
from oloproof.providers.forms import Form, adapted, facts_of, known_form
from oloproof.providers.keys import without_key
from oloproof.providers.messages import ChatRequest, Reply, ReplyFormat, Usage
from oloproof.providers.profiles import MemoryProfiles, Profile, Profiles
from oloproof.providers.refusals import Refusal
from oloproof.providers.replies import NotAReply
from oloproof.providers.wires import Reading, Wire


def open_chat(endpoint: Endpoint, *, budget: Budget | None = None, profiles: Profiles | None = None) -> ChatClient:
    """Return a client for ``endpoint``. Nothing is sent, and no key is read, before the first question."""
    return ChatClient(endpoint, budget=budget, profiles=profiles)


class ChatClient:
    """Asks one model on one server; many threads may ask at once."""

    def __init__(self, endpoint: Endpoint, *, budget: Budget | None = None, profiles: Profiles | None = None) -> None:
        self.endpoint = endpoint
        self._calls = Calls(endpoint, budget)
        self._profile = Profile(MemoryProfiles() if profiles is None else profiles, endpoint.server, endpoint.model)
        self._wire: Wire = anthropic_chat if endpoint.provider == "anthropic" else openai_chat
        self._tokens_name = "max_completion_tokens" if endpoint.provider == "openai" else "max_tokens"

    @property
    def reply_format(self) -> ReplyFormat:
        """How this server is told to answer, as far as is known now."""
        return self._form().reply_format

    @property
    def held_up(self) -> str:
        """How long it waits before a question is asked again, for which server and why; empty while it does not."""
        return self._calls.held_up

    @property
    def never_answered(self) -> bool:
        """Whether the server was sent something and has not answered once so far."""
        return self._calls.never_answered

    def ask(self, request: ChatRequest) -> Reply:
        """Ask, and return the reply.

        Raises:
            ProviderRefused: key, permission, quota, address or model is refused; no other question would fare better.
            ProviderUnreachable: no connection could be made, and the server never answered before.
            CallFailed: this question got no reply; ``code`` says why.
            ValueError: a part cannot be sent to this provider, or its bytes are not what its media type says.
        """
        tally, form = Tally(self.endpoint.total_timeout), self._form()
        with_schema = request.schema is not None
        while True:
            outcome = self._calls.ask(self._question(request, form), tally)
            if not isinstance(outcome, Refusal):
                reply = self._reply(self._read(outcome, tally), self._wire.usage_of(outcome), form, tally)
                self._profile.learn(**facts_of(form, with_schema))
                return reply
            if outcome.meaning(retry_named=False) == "filtered":
                return self._reply(Reading(str(outcome), "filtered", "", ""), Usage(), form, tally)
            changed = adapted(form, outcome, with_schema)
            if changed is None:
                raise self._calls.error_of(outcome, tally)
            form = changed

    def close(self) -> None:
        """End all waits and close the connections."""
        self._calls.close()

    def __enter__(self) -> ChatClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _form(self) -> Form:
        return known_form(self._profile, self._tokens_name)

    def _question(self, request: ChatRequest, form: Form) -> Question:
        body = self._wire.write(request, form, self.endpoint.model)
        schema_bytes = 0 if request.schema is None else len(json_bytes(request.schema))
        return Question(self._wire.PATH, body, "application/json", bound_of(request, schema_bytes), self._wire.usage_of)

    def _read(self, document: dict[str, object], tally: Tally) -> Reading:
        try:
            return self._wire.read(document)
        except NotAReply as error:
            raise self._calls.failed(str(error), "malformed_reply", tally) from None

    def _reply(self, reading: Reading, usage: Usage, form: Form, tally: Tally) -> Reply:
        variable = self.endpoint.key_variable
        return Reply(
            text=None if reading.text is None else without_key(reading.text, variable),
            finish=reading.finish,
            thinking=without_key(reading.thinking, variable),
            model_served=without_key(reading.model_served, variable)[:200],
            usage=usage,
            attempts=tally.attempts,
            reply_format=form.reply_format,
            seconds=tally.seconds,
        )
