"""The local workbench: media beside every verdict, in a browser on this machine.

:mod:`~oloproof.workbench.app` puts it together, :mod:`~oloproof.workbench.safety` stands before everything,
:mod:`~oloproof.workbench.serving` sends recorded files, and ``pages`` shows runs and cases. Nothing of it is loaded
before it is used, so that the server can answer meanwhile (:mod:`~oloproof.workbench.opening`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oloproof.lazy import lazy_names

if TYPE_CHECKING:
    from oloproof.workbench.app import create_app, open_app

__all__ = ["create_app", "open_app"]

__getattr__, __dir__ = lazy_names(__name__, {"app": ("create_app", "open_app")})
