"""Style and scripts of pages that compute, and the markup around a player."""

from __future__ import annotations

from functools import cache
from html import escape
from importlib.resources import files

from lagrangian.vendored import vendored
from lagrangian.viewer.compute.payload import Payload
from lagrangian.viewer.pack import deflated, json_text
from lagrangian.viewer.scripts import together

SCRIPTS = ("inflate", "engine", "shapes", "arrows", "numbers", "sliders", "plots", "written", "copying", "computing")


@cache
def compute_style() -> str:
    return (
        vendored("uplot/uplot.css") + "\n" + (files("lagrangian.viewer") / "compute" / "compute.css").read_text(encoding="utf-8")
    )


@cache
def compute_script() -> str:
    """uPlot, the worker's script, packed, and the page's own."""
    from lagrangian.computing import worker_script

    folder = files("lagrangian.viewer") / "compute" / "js"
    own = together(folder, SCRIPTS)
    return f'{vendored("uplot/uplot.js")}\nconst WORKER = "{deflated(worker_script().encode("utf-8"))}";\n{own}'


@cache
def compute_assets(script: bool = True) -> str:
    """Once in every page that has players that compute, behind the player's own assets; without a script, for a note alone."""
    if not script:
        return f"<style>\n{compute_style()}</style>"
    inside = f'"use strict";\nif (window.lagrangianCompute) return;\n{compute_script()}'
    return f"<style>\n{compute_style()}</style>\n<script>\n(() => {{\n{inside}}})();\n</script>"


def around(player: str, payload: Payload | None, full: bool = False) -> str:
    """A player's markup with what computes beside it; as it is, if there is nothing."""
    if payload is None:
        return player
    where = " lgc-full" if full else ""
    if payload.data is None:
        note = f"This page plays the recorded motion, because {payload.why_not.rstrip('.')}."
        return f'<div class="lagrangian-computing lgc-off{where}">{player}<p class="lgc-note">{escape(note)}</p></div>'
    data = f'<script type="application/json" class="lgc-data">{json_text(payload.data)}</script>'
    return f'<div class="lagrangian-computing{where}">{player}<div class="lgc-panel"></div>{data}</div>'
