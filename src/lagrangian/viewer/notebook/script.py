"""The module that a notebook loads for an animation: the scripts of pages, and what ties them to the notebook."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.resources import files

from lagrangian.viewer.compute.assets import compute_script, compute_style
from lagrangian.viewer.page import player_script, player_style


@cache
def notebook_style() -> str:
    return f"{player_style()}\n{compute_style()}\n{_own('notebook.css')}"


@cache
def notebook_script() -> str:
    """An ECMAScript module.

    Every widget of a notebook loads it. What is shared, one picture after another on one stage, is made by the first that has
    these very scripts.
    """
    scripts = "\n".join(f'(() => {{\n"use strict";\n{x}}})();' for x in (player_script(), compute_script()))
    key = f"lagrangian {sha256(scripts.encode()).hexdigest()[:16]}"
    made = f"(() => {{\n{scripts}\nreturn {{ mount: window.lagrangianCompute, count: 0 }};\n}})()"
    return f'const shared = (globalThis["{key}"] ??= {made});\n{_own("notebook.js")}'


def _own(name: str) -> str:
    return (files("lagrangian.viewer") / "notebook" / name).read_text(encoding="utf-8")
