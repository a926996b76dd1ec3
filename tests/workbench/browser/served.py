"""The workbench as people have it: the server of ``oloproof workbench`` on a port of this machine."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from oloproof.cli.workbench import Server, listening_on
from oloproof.workbench.app import create_app
from oloproof.workbench.desk import Desk
from oloproof.workbench.safety import own_hosts


@dataclass(frozen=True)
class Served:
    """A workbench that answers at ``url`` about the project in ``root``."""

    root: Path
    url: str
    desk: Desk


@contextlib.contextmanager
def served(root: Path, *, read_only: bool = False) -> Iterator[Served]:
    """Serve the project in ``root`` while this is entered, from a thread of this process."""
    answering = threading.Event()
    desk = Desk(root, read_only=read_only)
    with contextlib.closing(desk), listening_on(0) as listening:
        port = listening.getsockname()[1]
        app = create_app(desk, hosts=own_hosts(port))
        server = Server(app, answering.set, app.state.live.stop)
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        try:
            assert answering.wait(10), "the workbench does not answer"
            yield Served(root, f"http://127.0.0.1:{port}", desk)
        finally:
            server.should_exit = True
            thread.join(10)
