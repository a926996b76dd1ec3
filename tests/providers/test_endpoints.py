"""Where a model is: canonical addresses, what is refused as one, and keys that are checked before anything is sent."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from oloproof import errors, providers
from oloproof.errors import ProviderError, ProviderRefused
from oloproof.providers import Endpoint


@pytest.mark.parametrize(
    ("url", "server", "host"),
    [
        ("HTTP://LocalHost:11434/v1/", "http://localhost:11434/v1", "localhost:11434"),
        ("https://Models.Example:443/V1", "https://models.example/V1", "models.example"),
        ("http://[::1]:80", "http://[::1]", "[::1]"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1", "[::1]:8000"),
    ],
)
def test_a_server_has_one_canonical_address(url: str, server: str, host: str) -> None:
    endpoint = Endpoint("openai_compatible", "m", base_url=url)
    assert (endpoint.server, endpoint.host) == (server, host)


@pytest.mark.parametrize(("provider", "host"), [("openai", "api.openai.com"), ("anthropic", "api.anthropic.com")])
def test_a_vendor_has_an_address_of_its_own(provider: Any, host: str) -> None:
    assert Endpoint(provider, "m").host == host


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("http://me:secret@models.example/v1", "must not hold a user name or password"),
        ("ftp://models.example", "no http or https address"),
        ("models.example/v1", "no http or https address"),
        ("http://", "no http or https address"),
        ("http://models.example:99999", "no address"),
        ("http://models.example/v1?key=secret", "plain address"),
        ("http://models.example/a b", "plain address"),
        ("http://models.example/#x", "plain address"),
        (None, "needs base_url"),
    ],
)
def test_an_address_that_cannot_be_called_is_refused(url: str | None, told: str) -> None:
    with pytest.raises(ProviderError, match=told) as caught:
        Endpoint("openai_compatible", "m", base_url=url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "wrong", [{"timeout": 0}, {"total_timeout": -1}, {"retry_cap": 0}, {"concurrency": 0}, {"timeout": float("nan")}]
)
def test_limits_are_positive(wrong: Any) -> None:
    with pytest.raises(ProviderError, match="must be more than 0"):
        Endpoint("openai", "m", **wrong)


def test_an_unknown_provider_and_a_missing_model_are_refused() -> None:
    with pytest.raises(ProviderError, match="unknown provider 'gemini'; use openai"):
        Endpoint("gemini", "m")  # type: ignore[arg-type]
    with pytest.raises(ProviderError, match="no model is named"):
        Endpoint("openai", "")


@pytest.mark.parametrize(
    ("provider", "variable", "needed"),
    [
        ("openai", None, "OPENAI_API_KEY"),
        ("anthropic", None, "ANTHROPIC_API_KEY"),
        ("anthropic", "MY_KEY", "MY_KEY"),
        ("openai_compatible", "MY_KEY", "MY_KEY"),
        ("openai_compatible", None, None),
    ],
)
def test_a_key_that_is_needed_and_not_set_is_told_by_its_variable(
    provider: Any, variable: str | None, needed: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "MY_KEY"):
        monkeypatch.delenv(name, raising=False)
    endpoint = Endpoint(provider, "m", base_url="http://h/v1", api_key_env=variable)
    if needed is None:
        endpoint.check_key()
        return
    with pytest.raises(ProviderRefused, match=f"{needed} is not set"):
        endpoint.check_key()
    monkeypatch.setenv(needed, "sk-two\nlines")
    with pytest.raises(ProviderRefused, match="characters that no header can") as caught:
        endpoint.check_key()
    assert "sk-two" not in str(caught.value)
    monkeypatch.setenv(needed, "sk-right")
    endpoint.check_key()


def test_importing_the_room_loads_no_http_client() -> None:
    code = "import sys, oloproof.providers as p; p.Endpoint, p.open_chat; print('httpx' in sys.modules)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "False"


def test_every_public_name_is_there() -> None:
    assert all(getattr(providers, name) for name in providers.__all__)
    assert set(providers.__all__) == set(dir(providers))


def test_what_ends_a_run_and_what_only_a_call() -> None:
    assert issubclass(errors.ProviderRefused, errors.ProviderError)
    assert issubclass(errors.ProviderUnreachable, errors.ProviderError)
    assert not issubclass(errors.CallFailed, errors.ProviderError)
    assert errors.ProviderError.exit_code == 2
