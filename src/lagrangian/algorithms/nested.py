"""Nested tuples of scalars, whose form is declared by a template of zeros."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Template = Any

SCALAR: Template = 0
VECTOR: Template = (0, 0, 0)
MATRIX: Template = (VECTOR, VECTOR, VECTOR)
SYMMETRIC: Template = (0,) * 6


def flatten(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for part in value:
            yield from flatten(part)
    else:
        yield value


def unflatten(template: Template, flat: Iterator[Any]) -> Any:
    if isinstance(template, tuple):
        return tuple(unflatten(part, flat) for part in template)
    return next(flat)


def template_size(template: Template) -> int:
    return sum(template_size(part) for part in template) if isinstance(template, tuple) else 1


def add_nested(a: Any, b: Any) -> Any:
    if isinstance(a, tuple):
        return tuple(add_nested(x, y) for x, y in zip(a, b, strict=True))
    return a + b
