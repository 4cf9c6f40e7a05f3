"""The addresses at which the page asks about drawings."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from lagrangian.studio.drawing import answers

ADDRESSES: list[tuple[str, str, Callable[[Mapping[str, Any]], dict[str, Any]]]] = [
    ("POST", "/api/drawing", answers.described),
    ("POST", "/api/drawing/read", answers.recovered),
    ("GET", "/api/drawing/examples", answers.examples),
]


def _answer(function: Callable[[Mapping[str, Any]], dict[str, Any]]) -> Callable[..., Awaitable[Any]]:
    async def answer(studio: Any, asked: dict[str, Any], request: Any) -> Any:
        return await studio.aside(function, asked)

    return answer


ANSWERS = [(method, address, _answer(function)) for method, address, function in ADDRESSES]
