"""Where a model is: the provider's kind, the server's address, and the limits on calling it."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import ip_address
from typing import Literal
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct

from oloproof.errors import ProviderError
from oloproof.providers.keys import read_key

Provider = Literal["openai", "openai_compatible", "anthropic"]

OPENAI_URL = "https://api.openai.com/v1"
ANTHROPIC_URL = "https://api.anthropic.com/v1"
TOTAL_TIMEOUT = 300.0
"""Seconds that a call may take with all its attempts where nothing is said."""

_HOME = {"openai": OPENAI_URL, "anthropic": ANTHROPIC_URL}
_KEY = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
_PORT = {"http": 80, "https": 443}


class Endpoint(Struct, frozen=True):
    """One model on one server. It holds the name of the key's variable, never the key.

    ``timeout`` bounds one attempt, ``total_timeout`` a call with all its attempts, ``retry_cap`` one wait between
    two of them (all in seconds); ``concurrency`` is how many requests may be in flight at once.

    Raises:
        ProviderError: the provider is unknown, the address is none that can be called, or a limit is not positive.
    """

    provider: Provider
    model: str
    base_url: str | None = None
    api_key_env: str | None = None
    timeout: float = 60.0
    total_timeout: float = TOTAL_TIMEOUT
    retry_cap: float = 60.0
    concurrency: int = 8

    def __post_init__(self) -> None:
        if self.provider not in ("openai", "openai_compatible", "anthropic"):
            raise ProviderError(f"unknown provider {self.provider!r}; use openai, openai_compatible or anthropic")
        if not self.model:
            raise ProviderError(f"no model is named for provider {self.provider}")
        for name in ("timeout", "total_timeout", "retry_cap", "concurrency"):
            if not getattr(self, name) > 0:
                raise ProviderError(f"{name} must be more than 0, found {getattr(self, name)!r}")
        _address(self._given())

    @property
    def address(self) -> SplitResult:
        """The base URL in its parts, as it was given."""
        return _address(self._given())

    @property
    def server(self) -> str:
        """The base URL in one canonical form: small letters, no default port, no slash at the end."""
        return _server(self._given())

    @property
    def host(self) -> str:
        """The host, with its port unless it is the scheme's own; for printing where media will be sent."""
        return _host(self.address)

    @property
    def secure(self) -> bool:
        """Whether the server is spoken to over TLS."""
        return self.address.scheme == "https"

    @property
    def on_this_machine(self) -> bool:
        """Whether the server's address is a loopback one, which no proxy should see."""
        name = self.address.hostname or ""
        try:
            return ip_address(name).is_loopback
        except ValueError:
            return name == "localhost" or name.endswith(".localhost")

    @property
    def key_variable(self) -> str | None:
        """The environment variable that holds the key, or None for a server that needs none."""
        return self.api_key_env or _KEY.get(self.provider)

    def check_key(self) -> None:
        """Check that the key can be read, before anything is sent.

        Raises:
            ProviderRefused: a key is needed and its variable is not set or cannot be sent.
        """
        if self.key_variable:
            read_key(self.key_variable)

    def _given(self) -> str:
        url = self.base_url or _HOME.get(self.provider)
        if not url:
            raise ProviderError(
                "provider openai_compatible needs base_url: the address of its server, such as http://localhost:11434/v1"
            )
        return url


@lru_cache(maxsize=64)
def _address(url: str) -> SplitResult:
    try:
        address = urlsplit(url)
        port = address.port
    except ValueError:
        raise ProviderError("base_url is no address; write it like http://localhost:11434/v1") from None
    if "@" in address.netloc:  # the address itself is not shown: it holds a password
        raise ProviderError("base_url must not hold a user name or password; put the key in api_key_env's variable")
    if address.scheme not in _PORT or not address.hostname or not url.isascii() or port == 0:
        raise ProviderError(f"base_url {url!r} is no http or https address; write it like http://localhost:11434/v1")
    if any(char <= " " for char in url) or address.query or address.fragment or "?" in url or "#" in url:
        raise ProviderError(f"base_url {url.partition('?')[0]!r} must be a plain address without spaces, ? or #")
    return address


@lru_cache(maxsize=64)  # every key of an answer holds it
def _server(url: str) -> str:
    address = _address(url)
    return f"{address.scheme}://{_host(address)}{address.path.rstrip('/')}"


def _host(address: SplitResult) -> str:
    name = address.hostname or ""
    name = f"[{name}]" if ":" in name else name
    return name if address.port in (None, _PORT[address.scheme]) else f"{name}:{address.port}"
