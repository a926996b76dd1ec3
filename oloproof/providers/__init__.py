"""Model servers over HTTP: one writer of media parts a provider, retries, limits, a budget, transcription.

Speaks OpenAI's chat completions and transcriptions, and Anthropic's messages. Media are sent as bytes, never as
links; keys are read from the environment when a call is made. httpx is loaded when the first connection is opened.
"""

from oloproof.lazy import offered_names

__getattr__, __dir__, __all__ = offered_names(__name__, __file__)
