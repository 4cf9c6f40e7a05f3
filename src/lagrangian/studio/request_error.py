"""The error of a request that the studio refuses: its status, and what the page shows."""

from __future__ import annotations

from typing import Any


class RequestError(Exception):
    """A refused request, which is answered with the status, {"error": ..., "remedy": ...} and perhaps `more` entries."""

    def __init__(self, status: int, error: str, remedy: str = "", **more: Any) -> None:
        super().__init__(error)
        self.status = status
        self.content = {"error": error, "remedy": remedy, **more}
