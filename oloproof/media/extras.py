"""How to get the libraries that looking into pictures needs."""

from __future__ import annotations

INSTALL = "install Oloproof with its media extra (in its checkout: pip install '.[media]')"
"""Never by the bare name, which on the public registry is another package."""
