"""The studio's server: one process for one workspace, on this computer alone, until Ctrl-C.

Drafts are kept in a state folder of the user, or in the folder that `LAGRANGIAN_STATE` names.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import webbrowser
from collections.abc import Callable
from pathlib import Path

from lagrangian.studio.access import AccessGuard
from lagrangian.studio.workspace import StudioWorkspace, open_workspace
from lagrangian.viewer.live import has_screen
from lagrangian.viewer.live.server import HOST, check_port

FIRST_PORT, LAST_PORT = 8090, 8190
STATE_VARIABLE = "LAGRANGIAN_STATE"


def run_studio(source: str | None = None, port: int | None = None, browser: bool = True, path: str = "/") -> None:
    """Serve the workspace of a file, a folder or a name of the library; `path` is the page that the browser opens."""
    workspace = open_workspace(state_folder(), source)
    if port is not None:
        check_port(port)
    with contextlib.closing(_open_listener(port)) as listener:
        _serve(workspace, listener, lambda url: _announce(url, workspace, browser), path)


def _announce(url: str, workspace: StudioWorkspace, browser: bool) -> None:
    print(f"The studio of {workspace.folder} is at {url} (Ctrl-C stops it)", flush=True)
    if browser and has_screen():
        with contextlib.suppress(webbrowser.Error):
            webbrowser.open(url)


def _open_listener(port: int | None) -> socket.socket:
    """A socket that listens already, so that the address is certain before it is printed."""
    ports = [port] if port is not None else [*range(FIRST_PORT, LAST_PORT), 0]
    for number in ports:
        # with the protocol named, asyncio sends small answers at once
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, number))
            listener.listen(64)
            return listener
        except OSError:
            listener.close()
            if number == ports[-1]:
                raise
    raise AssertionError("the last port, 0, is any free one")


def _serve(workspace: StudioWorkspace, listener: socket.socket, announce: Callable[[str], None], path: str) -> None:
    import uvicorn

    from lagrangian.studio.app import application

    port = listener.getsockname()[1]
    guard = AccessGuard(application(workspace), port)
    config = uvicorn.Config(
        guard, log_level="critical", access_log=False, lifespan="on", server_header=False, date_header=False, ws="none",
        timeout_graceful_shutdown=1, timeout_keep_alive=65,
    )  # fmt: skip
    server = uvicorn.Server(config)
    started = server.startup

    async def startup(sockets: list[socket.socket] | None = None) -> None:
        await started(sockets)
        announce(f"http://{HOST}:{port}{path}?token={guard.token}")

    server.startup = startup  # type: ignore[method-assign]
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listener])


def state_folder() -> Path:
    """The folder in which the studio keeps drafts; it is made if it is not there, and other users cannot read it."""
    configured = os.environ.get(STATE_VARIABLE, "")
    folder = (Path(configured) if configured else _platform_folder() / "lagrangian").expanduser() / "studio"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _platform_folder() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or "~/AppData/Local")
    if sys.platform == "darwin":
        return Path("~/Library/Application Support")
    return Path(os.environ.get("XDG_STATE_HOME") or "~/.local/state")
