"""FLINT's precision, which is one for the whole process: set for a while, and put back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from flint import ctx


@contextmanager
def bits(precision: int, terms: int | None = None) -> Iterator[None]:
    """Within this context numbers have so many bits, and series so many terms."""
    before = ctx.prec, ctx.cap
    ctx.prec = precision
    if terms is not None:
        ctx.cap = terms
    try:
        yield
    finally:
        ctx.prec, ctx.cap = before
