"""The studio's server: one process for one workspace, on this computer alone, until Ctrl-C."""

from __future__ import annotations

import contextlib
import socket
import webbrowser
from collections.abc import Callable

from lagrangian.studio import state
from lagrangian.studio.guard import Guard
from lagrangian.studio.workspace import Workspace, opened
from lagrangian.viewer.live.server import HOST, check_port
from lagrangian.viewer.live.viewer import has_screen

FIRST_PORT, LAST_PORT = 8090, 8190


def studio(given: str | None = None, port: int | None = None, browser: bool = True, path: str = "/") -> None:
    """Serve the workspace of a file, a folder or a name of the library; `path` is the page that the browser opens."""
    workspace = opened(state.folder(), given)
    if port is not None:
        check_port(port)
    with contextlib.closing(_listening(port)) as listener:
        _serve(workspace, listener, lambda url: _tell(url, workspace, browser), path)


def _tell(url: str, workspace: Workspace, browser: bool) -> None:
    print(f"The studio of {workspace.folder} is at {url} (Ctrl-C stops it)", flush=True)
    if browser and has_screen():
        with contextlib.suppress(webbrowser.Error):
            webbrowser.open(url)


def _listening(port: int | None) -> socket.socket:
    """A socket that listens already, so that the address can be told, and is nobody else's."""
    tried = [port] if port is not None else [*range(FIRST_PORT, LAST_PORT), 0]
    for number in tried:
        listener = socket.socket(
            socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP
        )  # asyncio then sends small answers at once
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, number))
            listener.listen(64)
            return listener
        except OSError:
            listener.close()
            if number == tried[-1]:
                raise
    raise AssertionError("the last port that is tried is any")


def _serve(workspace: Workspace, listener: socket.socket, tell: Callable[[str], None], path: str) -> None:
    import uvicorn

    from lagrangian.studio.app import application

    port = listener.getsockname()[1]
    guard = Guard(application(workspace), port)
    config = uvicorn.Config(
        guard, log_level="critical", access_log=False, lifespan="on", server_header=False, date_header=False, ws="none",
        timeout_graceful_shutdown=1, timeout_keep_alive=65,
    )  # fmt: skip
    server = uvicorn.Server(config)
    started = server.startup

    async def startup(sockets: list[socket.socket] | None = None) -> None:
        await started(sockets)
        tell(f"http://{HOST}:{port}{path}?token={guard.token}")

    server.startup = startup  # type: ignore[method-assign]
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listener])
