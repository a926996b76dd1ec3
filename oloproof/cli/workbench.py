"""``oloproof workbench``."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import uvicorn

from oloproof import workbench
from oloproof.cli.console import reported
from oloproof.cli.options import config_option, project_root
from oloproof.errors import ConfigError, OloproofError
from oloproof.places import OWN_FOLDER, PROJECT_FILE
from oloproof.workbench.opening import Opening
from oloproof.workbench.safety import DEFAULT_PORT, own_hosts

ADDRESS = "127.0.0.1"
_PORTS_TRIED = 100


@click.command("workbench", short_help="Show runs in the browser, with their media.")
@config_option
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    metavar="N",
    help=f"Where to answer; {DEFAULT_PORT} by default, or the next one that is free. 0 takes any.",
)
@click.option("--read-only", is_flag=True, help="Let nothing be changed, and keep nothing.")
@click.option("--no-browser", is_flag=True, help="Do not open the browser.")
@click.option("--until-closed", is_flag=True, hidden=True, help="End when standard input ends.")
@reported
def workbench_command(config: str, port: int | None, read_only: bool, no_browser: bool, until_closed: bool) -> None:
    """Show the runs of this project in the browser: the media beside every verdict.

    It answers on this machine only, until Ctrl-C.
    """
    root = _root(config)
    with listening_on(port) as listening:
        own_port = listening.getsockname()[1]
        address, hosts = f"http://{ADDRESS}:{own_port}", own_hosts(own_port)
        opening = Opening(lambda: workbench.open_app(root, read_only=read_only, hosts=hosts), hosts=hosts)
        server = Server(opening, lambda: _announce(address, no_browser), opening.stop)
        opening.begin(server.leave)
        if until_closed:
            threading.Thread(target=_leave_when_closed, args=(server,), daemon=True).start()
        with contextlib.suppress(KeyboardInterrupt):  # the server has ended in good order; this is how it says so
            server.run(sockets=[listening])
        opening.close()
    if not server.started:
        raise OloproofError(f"the workbench could not start on {address}")


class Server(uvicorn.Server):
    """A server that calls ``ready`` when it answers, and ``ending`` when it ends."""

    def __init__(self, app: Any, ready: Callable[[], None], ending: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http="h11",
                ws="none",
                loop="asyncio",
                lifespan="off",
                log_level="warning",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=1,
            )
        )
        self._ready = ready
        self._ending = ending

    def leave(self) -> None:
        """End as soon as what is being answered is answered. May be called from any thread."""
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen, then say so."""
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End what never ends by itself, then the server."""
        self._ending()
        await super().shutdown(sockets)


def _root(config: str) -> Path:
    """Return the folder of the project.

    Raises:
        ConfigError: there is none.
    """
    path = Path(config)
    root = project_root(config)
    if not path.exists():
        raise ConfigError(f"{config} does not exist; name the project file or its folder with --config")
    if not (root / PROJECT_FILE).is_file() and not (root / OWN_FOLDER).is_dir() and path.is_dir():
        raise ConfigError(f"there is no oloproof.yaml in {root}; go to a project, or name one with --config")
    return root


def listening_on(port: int | None) -> socket.socket:
    """Return a socket on this machine's own address.

    Raises:
        OloproofError: the port that was asked for is taken, or none is free.
    """
    if port is not None:
        found = _bound(port)
        if found is None:
            raise OloproofError(f"port {port} is taken; leave --port out to take the next free one")
        return found
    for number in range(DEFAULT_PORT, DEFAULT_PORT + _PORTS_TRIED):
        found = _bound(number)
        if found is not None:
            return found
    raise OloproofError(f"no port from {DEFAULT_PORT} to {DEFAULT_PORT + _PORTS_TRIED - 1} is free; name one (--port)")


def _bound(port: int) -> socket.socket | None:
    """Return a listening socket on ``port``, None where it is taken."""
    # the protocol is named because asyncio sends small answers at once (TCP_NODELAY) only where it is told
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((ADDRESS, port))
        found.listen(128)
    except OSError as error:
        found.close()
        if error.errno == errno.EADDRINUSE:
            return None
        raise OloproofError(f"port {port} cannot be used: {error.strerror}") from None
    return found


def _leave_when_closed(server: Server) -> None:
    while os.read(0, 4096):  # sys.stdin would hold a lock while it waits, which ends Python with an error
        pass
    server.leave()


def _announce(address: str, no_browser: bool) -> None:
    print(f"Workbench on {address}", flush=True)
    if not no_browser and _has_display():
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def _has_display() -> bool:
    return sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
