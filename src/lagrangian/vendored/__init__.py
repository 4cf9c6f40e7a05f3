"""Code of others that our pages carry, unchanged: `SOURCES.toml` names each file, where it is from, its licence and its hash."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def vendored(path: str) -> str:
    """The text of a file, such as "uplot/uplot.js"."""
    return (files("lagrangian.vendored") / path).read_text(encoding="utf-8")
