"""Access to the live viewer: only the page that the printed address opens is admitted, with the messages of its controls.

A browser lets any page that somebody visits send requests to this computer. So the address has a token that no such page knows,
the request's `Host` has to be a name of this computer (a foreign name can be made to lead here), and an `Origin` has to be the
viewer's own.
"""

from __future__ import annotations

import hmac
import math
import secrets
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

HOSTS = ("127.0.0.1", "localhost", "::1")
MAX_MESSAGE_BYTES = 2**16  # messages of controls and of the camera are far shorter
REFUSAL = "Open the viewer at the address that it printed; it answers only to that page.\n"
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
}


def is_local_request(hosts: Sequence[str], origins: Sequence[str]) -> bool:
    """Whether a request is for a name of this computer, and comes from a page of that name, or from none."""
    if len(hosts) != 1 or len(origins) > 1 or _host_name(hosts[0]) not in HOSTS:
        return False
    return not origins or origins[0] == f"http://{hosts[0]}"


class ViewerGuard:
    """Stands before viser's server, and sees each request and each message first."""

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(24)
        self.controls: Mapping[str, Any] = {}  # of the page, by their identifiers

    def admits(self, path: str, headers: Any) -> bool:
        """Whether a request comes from the viewer's own page: by its token, its host and its origin."""
        if not is_local_request(headers.get_all("Host"), headers.get_all("Origin")):
            return False
        path_token = path.partition("?")[0].split("/")[1:2] or [""]
        return hmac.compare_digest(path_token[0].encode(), self.token.encode())

    def without_token(self, path: str) -> str:
        """The path without the token."""
        return path.removeprefix(f"/{self.token}") or "/"

    def serve(self, original: Any) -> Any:
        """`websockets.serve`, which viser calls, with this guard before its handlers."""

        def serve(handler: Any, *where: Any, process_request: Any = None, **options: Any) -> Any:
            if not getattr(handler, "__module__", "").startswith("viser."):
                return original(handler, *where, process_request=process_request, **options)  # another server of this process

            def answer(connection: Any, request: Any) -> Any:
                if not self.admits(request.path, request.headers):
                    response = connection.respond(403, REFUSAL)
                else:
                    request.path = self.without_token(request.path)
                    response = None if process_request is None else process_request(connection, request)
                if response is not None:
                    response.headers.update(_HEADERS)
                return response

            async def talk(connection: Any) -> None:
                connection.recv = self._filter_messages(connection.recv)
                await handler(connection)

            limits = {"max_size": MAX_MESSAGE_BYTES, "logger": _silent_logger()}
            return original(talk, *where, process_request=answer, **(options | limits))

        return serve

    def _filter_messages(self, receive: Any) -> Any:
        async def recv(*args: Any, **options: Any) -> Any:
            while True:
                message = await receive(*args, **options)
                if self.is_allowed_message(message):
                    return message

        return recv

    def is_allowed_message(self, raw: Any) -> bool:
        """Whether a message is one of the page's: a control with a value that it can have, or where the camera is.

        viser knows more messages: one opens a tunnel by which anybody can reach this computer, others set any attribute of a
        control.
        """
        import msgspec

        try:
            content = msgspec.msgpack.decode(raw) if isinstance(raw, bytes) else None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return False
        if not isinstance(content, dict):
            return False
        kind = content.pop("type", None)
        if kind == "ViewerCameraMessage":
            return content.keys() == _CAMERA.keys() and all(
                _are_numbers(content[name], length) for name, length in _CAMERA.items()
            )
        if kind != "GuiUpdateMessage" or content.keys() != {"uuid", "updates"}:
            return False
        uuid, updates = content["uuid"], content["updates"]
        control = self.controls.get(uuid) if isinstance(uuid, str) else None
        return (
            control is not None
            and isinstance(updates, dict)
            and updates.keys() == {"value"}
            and can_have_value(control, updates["value"])
        )


_CAMERA = {  # how many numbers each entry has; 0 is one without a list
    "wxyz": 4,
    "position": 3,
    "look_at": 3,
    "up_direction": 3,
    **dict.fromkeys(("fov", "near", "far", "image_height", "image_width"), 0),
}


def can_have_value(control: Any, value: Any) -> bool:
    """Whether a control of the page can have a value."""
    options = getattr(control, "options", None)
    if options is not None:
        return isinstance(value, str) and value in options
    if isinstance(control.value, bool):
        return isinstance(value, bool)
    return _are_numbers(value, 0) and control.min <= value <= control.max if hasattr(control, "min") else False


def _are_numbers(x: Any, length: int) -> bool:
    if length:
        return isinstance(x, list) and len(x) == length and all(_are_numbers(item, 0) for item in x)
    return isinstance(x, int | float) and not isinstance(x, bool) and abs(x) < 1e300 and math.isfinite(x)


def _host_name(host: str) -> str | None:
    """The name in `name:port`; None if it has another form."""
    try:
        parts = urlsplit(f"//{host}")
        return parts.hostname if parts.netloc == host and not parts.username else None
    except ValueError:
        return None


def _silent_logger() -> Any:
    """A logger that does not write the requests of strangers on a terminal; configure `logging` to see them."""
    import logging

    logger = logging.getLogger("lagrangian.viewer")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    return logger
