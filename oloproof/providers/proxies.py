"""The proxy on the way to a server, as the environment names it."""

from __future__ import annotations

import os

from oloproof.providers.endpoints import Endpoint


def proxy_to(endpoint: Endpoint) -> str | None:
    """Return the address of the proxy on the way to a server, which may hold a password; None where there is none."""
    from urllib.request import getproxies, proxy_bypass

    address = endpoint.address
    if endpoint.on_this_machine or proxy_bypass(address.netloc):
        return None
    named = getproxies()
    found = named.get(address.scheme) or named.get("all")
    return found if not found or "://" in found else f"http://{found}"


def proxy_variable(endpoint: Endpoint) -> str:
    """Return the environment variable that names the proxy on the way to a server, empty where there is none."""
    if proxy_to(endpoint) is None:
        return ""
    names = (f"{endpoint.address.scheme}_proxy", "all_proxy")
    given = [one for name in names for one in (name, name.upper()) if os.environ.get(one)]
    return given[0] if given else ""
