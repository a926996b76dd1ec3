"""The local workbench: media beside every verdict, in a browser on this machine.

:mod:`~oloproof.workbench.app` puts it together, :mod:`~oloproof.workbench.safety` stands before everything,
:mod:`~oloproof.workbench.serving` sends recorded files, and ``pages`` shows runs and cases. Nothing of it is loaded
before it is used, so that the server can answer meanwhile (:mod:`~oloproof.workbench.opening`).
"""

from oloproof.lazy import offered_names

__getattr__, __dir__, __all__ = offered_names(__name__, __file__)
