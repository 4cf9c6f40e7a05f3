"""Access to the studio: only the page that the printed address opened is admitted.

A browser lets any page that somebody visits send requests to this computer. So the address has a token that no such page knows,
which a cookie then carries. The `Host` of a request has to be this server (a foreign name can be made to lead here),
and an `Origin` has to be the same. All others get an empty answer.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qs

from lagrangian.viewer.live.guard import is_local_request

Scope = MutableMapping[str, Any]
App = Callable[[Scope, Any, Any], Awaitable[None]]
PAGES = ("/", "/draw")  # can be opened by a token in the address
MAX_BODY_BYTES = 20_000_000  # bytes of a request
PAGE_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src blob: 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src data: blob: 'self'; connect-src 'self'; font-src 'self' data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": PAGE_POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


class AccessGuard:
    """The application that admits requests, or not, and passes them on to the studio."""

    def __init__(self, app: App, port: int, token: str | None = None) -> None:
        self.app, self.port = app, port
        self.token = token or secrets.token_urlsafe(24)
        self.cookie = f"lagrangian-{port}"

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        admission = self._admission(scope)
        if not admission:
            await send({"type": "http.response.start", "status": 403, "headers": [(b"content-length", b"0")]})
            await send({"type": "http.response.body", "body": b""})
            return

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", []))
                present = {name.lower() for name, _ in headers}
                headers += [(k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in present]
                if admission == "token":
                    value = f"{self.cookie}={self.token}; HttpOnly; SameSite=Strict; Path=/"
                    headers.append((b"set-cookie", value.encode()))
                message = {**message, "headers": headers}
            await send(message)

        await self.app(scope, _limit_body(receive), send_with_headers)

    def _admission(self, scope: Scope) -> str:
        """How a request is admitted: "token" in the address, "cookie" or "header"; "" if it is not."""
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        hosts = headers.get("host", [])
        if not is_local_request(hosts, headers.get("origin", [])) or hosts[0] not in self.hosts:
            return ""
        if any(site not in ("same-origin", "none") for site in headers.get("sec-fetch-site", [])):
            return ""
        if any(not size.isdigit() or int(size) > MAX_BODY_BYTES for size in headers.get("content-length", [])):
            return ""
        if scope["path"] in PAGES and scope["method"] == "GET":
            tokens = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
            if len(tokens) == 1 and self._is_token(tokens[0]):
                return "token"
        if any(self._is_token(value) for value in headers.get("x-lagrangian-token", [])):
            return "header"
        return "cookie" if any(self._cookie_matches(value) for value in headers.get("cookie", [])) else ""

    @property
    def hosts(self) -> tuple[str, str]:
        return f"127.0.0.1:{self.port}", f"localhost:{self.port}"

    def _cookie_matches(self, header: str) -> bool:
        """Split by hand: `SimpleCookie` gives up at an odd cookie, and other programs of this computer send theirs along."""
        pairs = (part.partition("=") for part in header.split(";"))
        return any(name.strip() == self.cookie and self._is_token(value.strip()) for name, _, value in pairs)

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode("utf-8", "replace"), self.token.encode())


def _limit_body(receive: Any) -> Any:
    """Stop reading a body that is longer than the limit, which may not be in its headers."""
    read = 0

    async def receive_limited() -> Any:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        return {"type": "http.disconnect"} if read > MAX_BODY_BYTES else message

    return receive_limited
