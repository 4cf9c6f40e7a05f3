"""The JSON of requests and of answers."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse

from lagrangian.studio.refused import Refused


class Json(JSONResponse):
    """In ASCII: a text may have halves of letters, which UTF-8 has no form for."""

    @staticmethod
    def written(content: Any) -> bytes:
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")

    def render(self, content: Any) -> bytes:
        return self.written(content)


async def asked_by(request: Request) -> dict[str, Any]:
    """The body of a request, which is a JSON object."""
    body = await request.body()
    if not body:
        return {}
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise Refused(415, "a JSON body is needed", "Content-Type: application/json")
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise Refused(400, "the body is not JSON") from None
    if not isinstance(found, dict):
        raise Refused(400, "the body is not a JSON object")
    return found
