"""A request that is not granted: its status, and what the page shows."""

from __future__ import annotations

from typing import Any


class RequestError(Exception):
    """Answered as {"error": ..., "remedy": ...}, with what else belongs to it."""

    def __init__(self, status: int, error: str, remedy: str = "", **more: Any) -> None:
        super().__init__(error)
        self.status = status
        self.content = {"error": error, "remedy": remedy, **more}
