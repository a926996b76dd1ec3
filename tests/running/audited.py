"""Run a project under an audit hook and print who opened a recorded path and who started a process.

Run by test_audit.py: an audit hook cannot be taken off again, so it gets a process of its own.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import FrameType
from typing import Any

PACKAGE = str(Path(__import__("oloproof").__file__).parent)
ROOT = os.path.realpath(sys.argv[1])
events: list[dict[str, Any]] = []


def owner(frame: FrameType | None) -> str:
    """Return the first file on the stack that is Oloproof's or the project's: who is behind an event."""
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(PACKAGE):
            return name[len(PACKAGE) + 1 :]
        if name.startswith(ROOT):
            return "project"
        frame = frame.f_back
    return "elsewhere"


def hook(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and isinstance(arguments[0], (str, bytes)):
        path = os.path.join(ROOT, os.fsdecode(arguments[0]))
        if path.endswith((".png", ".wav", ".mp4", ".gif")):
            events.append({"event": "open", "what": path, "by": owner(sys._getframe(1))})
    elif event in ("subprocess.Popen", "os.posix_spawn", "os.exec", "os.system", "os.fork", "os.spawn"):
        events.append({"event": event, "what": str(arguments[1:2]), "by": owner(sys._getframe(1))})


def main() -> None:
    from oloproof.running import run

    sys.addaudithook(hook)
    result = run(ROOT)
    print(json.dumps({"exit": result.exit_code, "executions": result.executions, "events": events}))


main()
