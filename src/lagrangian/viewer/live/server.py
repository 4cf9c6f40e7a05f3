"""viser's server, guarded: on this computer alone, behind a token, and never shared with the outside."""

from __future__ import annotations

import contextlib
import http.client
import io
import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

from lagrangian.errors import ArgumentError, LagrangianError
from lagrangian.viewer.live.guard import ViewerGuard

HOST, FIRST_PORT = "127.0.0.1", 8080
_STARTING = threading.Lock()


def serve(port: int | None, name: str) -> tuple[Any, str]:
    """A server with only its theme, and the address of its page."""
    if port is not None:
        check_port(port)
    import viser

    class LocalViserServer(viser.ViserServer):
        def request_share_url(self, verbose: bool = True) -> None:
            """Do nothing: viser would open a tunnel through which anybody on the internet can come in."""

    guard = ViewerGuard()
    with suppress_output(), _guard_new_server(guard):
        server = LocalViserServer(host=HOST, port=port or FIRST_PORT, label=name, verbose=False)
    try:
        guard.controls = server.gui._gui_input_handle_from_uuid
        is_guarded = _refuses_strangers(server.get_port())
    except AttributeError:
        is_guarded = False
    if not is_guarded:
        with suppress_output():
            server.stop()
        raise LagrangianError(
            f"viser {viser.__version__} cannot protect its page from other pages, so the viewer does not start. "
            "Install viser 1.1.1, which can: pip install viser==1.1.1"
        )
    server.gui.configure_theme(show_logo=False, show_share_button=False, brand_color=(0, 114, 178))
    server.gui.main_panel.dock_right()
    _set_title(server, name)
    return server, f"http://{HOST}:{server.get_port()}/{guard.token}/"


def check_port(port: int) -> None:
    """Check that a page can be served at a port."""
    if isinstance(port, bool) or not isinstance(port, int) or not 0 < port < 65536:
        raise ArgumentError(
            f"is {port!r}", argument="port", remedy="a whole number from 1 to 65535 is needed; without it, a free port is used"
        )
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise ArgumentError(
                f"port {port} cannot be used: {error.strerror}; without a port, a free one is used", concerns="port"
            ) from None


@contextlib.contextmanager
def _guard_new_server(guard: ViewerGuard) -> Iterator[None]:
    """A context in which `websockets` hands each new server to the guard; a server has started when its constructor returns.

    viser has no hook for this. Whether the guard is in place is tested afterwards.
    """
    from websockets.asyncio import server as websockets

    with _STARTING:
        original = websockets.serve
        websockets.serve = guard.serve(original)  # type: ignore[misc]
        try:
            yield
        finally:
            websockets.serve = original  # type: ignore[misc]


def _refuses_strangers(port: int) -> bool:
    """Whether a request without the token is refused: for the page, and for the socket."""
    socket_headers = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    for headers in ({}, socket_headers):
        connection = http.client.HTTPConnection(HOST, port, timeout=30)
        try:
            connection.request("GET", "/", headers=headers)
            if connection.getresponse().status != 403:
                return False
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()
    return True


def _set_title(server: Any, name: str) -> None:
    """Set the title of the browser's tab, which is otherwise that of viser; viser has no public way to set it."""
    with contextlib.suppress(ImportError, AttributeError, TypeError):
        from viser import _messages

        title = _messages.RunJavascriptMessage(source=f"document.title = {json.dumps(name)};")
        server.gui._websock_interface.queue_message(title)


def suppress_output() -> contextlib.AbstractContextManager[Any]:
    """A context in which nothing that viser prints appears."""
    return contextlib.redirect_stdout(io.StringIO())
