"""The local workbench: media beside every verdict, in a browser on this machine.

:mod:`~oloproof.workbench.app` puts it together, :mod:`~oloproof.workbench.safety` stands before everything,
:mod:`~oloproof.workbench.serving` sends recorded files, and ``pages`` shows runs and cases.
"""
