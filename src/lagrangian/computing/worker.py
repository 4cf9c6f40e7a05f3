"""The JavaScript of the worker that runs a module in a page."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

SCRIPTS = ("memory", "algebra", "program", "start", "supply", "complementarity", "modes", "run", "results", "worker")


@cache
def worker_script() -> str:
    """One text, from which a page makes its worker."""
    folder = files("lagrangian.computing") / "js"
    return '"use strict";\n' + "\n".join((folder / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)
