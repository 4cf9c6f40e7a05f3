"""The player of a track as HTML: a fragment for other pages, or a page of its own that needs nothing from elsewhere.

A page that computes has sliders beside its player, and the scripts that compute the motion anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import count

import numpy as np

from lagrangian.errors import ArgumentError, ArgumentName, format_value, is_number
from lagrangian.vendored import vendored
from lagrangian.viewer.pack import deflate_base64, json_text, pack_track
from lagrangian.viewer.page_program import PageProgram
from lagrangian.viewer.scene.scene import Track

PLAYER_SCRIPTS = (
    *("math", "inflate", "data", "course", "shapes", "shaders", "stage", "draw", "camera", "pointer", "controls", "replace"),
    "player",
)
COMPUTE_SCRIPTS = ("inflate", "engine", "shapes", "arrows", "numbers", "sliders", "plots", "reproduce", "copying", "computing")
EXPORTS = (
    "Player, Course, decode, players, element, outline, tips, niceBelow, FIELD, "
    "add, sub, scale, dot, cross, norm, unit, clamp, across, carry"
)
_COUNT = count(1)
_COMMENTS = re.compile(r"^[ \t]*(?://.*|/\*\*(?:.|\n)*?\*/[ \t]*)\n", re.MULTILINE)
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
{assets}
<style>
html, body {{ margin: 0; height: 100%; }}
@media (prefers-color-scheme: dark) {{ html, .lagrangian-player {{ background: #14181d; color: #e8eef4; }} }}
</style>
</head>
<body>
{player}
</body>
</html>
"""


def page_html(track: Track, title: str, *, autoplay: bool = True, speed: float = 1.0, program: PageProgram | None = None) -> str:
    """A whole page that fills the window, with all that it needs inside."""
    player = player_html(track, id="player", height="100vh", autoplay=autoplay, speed=speed, full=True, program=program)
    return _PAGE.format(title=escape(title), assets=page_assets(program), player=player)


def player_html(
    track: Track,
    *,
    id: str | None = None,  # noqa: A002
    height: str = "480px",
    autoplay: bool = True,
    speed: float = 1.0,
    full: bool = False,
    program: PageProgram | None = None,
) -> str:
    """A player as a fragment of HTML, for a page with `player_assets()`. With `full` it fills its page.

    With a `program`, its motion follows sliders; the page then needs the `page_assets` of that program.
    """
    if not len(track.t):
        raise ArgumentError("a track without rows cannot be shown; a still needs one row, an animation more")
    if not is_number(speed) or speed <= 0:
        raise ArgumentError(
            f"{format_value(speed)} is not a playback speed",
            where=ArgumentName("speed"),
            remedy="1 is real time, 0.5 is slow motion",
        )
    data = {**pack_track(with_finite_rows(track)), "autoplay": bool(autoplay), "speed": float(speed), "full": full}
    text = json_text(data)
    name = escape(id or f"lagrangian-player-{next(_COUNT)}", quote=True)
    label = escape(f"{track.scene.name} in three dimensions", quote=True)
    style = escape(f"height: {height}", quote=True)
    player = (
        f'<div class="lagrangian-player" id="{name}" role="group" aria-label="{label}" style="{style}">'
        f'<script type="application/json">{text}</script>'
        "<noscript>This animation needs JavaScript.</noscript></div>"
    )
    return with_page_program(player, program, full)


def with_finite_rows(track: Track) -> Track:
    """The track without the rows of a failed run that are not finite."""
    positions, quaternions = np.isfinite(track.positions), np.isfinite(track.quaternions)
    finite = positions.all(axis=(1, 2)) & quaternions.all(axis=(1, 2)) & np.isfinite(track.t)
    if finite.all():
        return track
    if not finite.any():
        raise ArgumentError("a track without one finite row cannot be shown")
    arrows = tuple(replace(a, points=a.points[finite], vectors=a.vectors[finite]) for a in track.arrows)
    return replace(
        track, t=track.t[finite], positions=track.positions[finite], quaternions=track.quaternions[finite], arrows=arrows
    )


def page_assets(program: PageProgram | None = None) -> str:
    """Style and scripts of a page with players, once; for several players, give the program of one that computes."""
    return player_assets() + ("" if program is None else compute_assets(program.data is not None))


@cache
def player_assets() -> str:
    """Style and script of the player, once in every page that has players."""
    inside = f'"use strict";\nif (window.lagrangianPlayers) return;\n{player_script()}'
    return f"<style>\n{player_style()}</style>\n<script>\n(() => {{\n{inside}}})();\n</script>"


@cache
def player_style() -> str:
    return (files("lagrangian.viewer") / "player" / "player.css").read_text(encoding="utf-8")


@cache
def player_script() -> str:
    return join_scripts(files("lagrangian.viewer") / "player", PLAYER_SCRIPTS)


@cache
def player_module() -> str:
    """The player's script as a module, for pages of a server that draw more on the player's stage."""
    return f"{player_script()}\nexport {{ {EXPORTS} }};\n"


def with_page_program(player: str, program: PageProgram | None, full: bool = False) -> str:
    """The markup of a player with its program beside it, or with the reason why there is none; unchanged without a program."""
    if program is None:
        return player
    size_class = " lgc-full" if full else ""
    if program.data is None:
        note = f"This page plays the recorded motion, because {program.reason.rstrip('.')}."
        return f'<div class="lagrangian-computing lgc-off{size_class}">{player}<p class="lgc-note">{escape(note)}</p></div>'
    data = f'<script type="application/json" class="lgc-data">{json_text(program.data)}</script>'
    return f'<div class="lagrangian-computing{size_class}">{player}<div class="lgc-panel"></div>{data}</div>'


@cache
def compute_assets(script: bool = True) -> str:
    """Style and script of players that compute, once in a page, after `player_assets`; without the script for a note alone."""
    if not script:
        return f"<style>\n{compute_style()}</style>"
    inside = f'"use strict";\nif (window.lagrangianCompute) return;\n{compute_script()}'
    return f"<style>\n{compute_style()}</style>\n<script>\n(() => {{\n{inside}}})();\n</script>"


@cache
def compute_style() -> str:
    return (
        vendored("uplot/uplot.css") + "\n" + (files("lagrangian.viewer") / "compute" / "compute.css").read_text(encoding="utf-8")
    )


@cache
def compute_script() -> str:
    """The scripts of uPlot and of the page, and that of the worker as packed text."""
    from lagrangian.page_motion import worker_script

    folder = files("lagrangian.viewer") / "compute" / "js"
    page_script = join_scripts(folder, COMPUTE_SCRIPTS)
    return f'{vendored("uplot/uplot.js")}\nconst WORKER = "{deflate_base64(worker_script().encode("utf-8"))}";\n{page_script}'


def join_scripts(folder: Traversable, names: Iterable[str]) -> str:
    """Join script files without their comments and indentation, which a browser does not need."""
    text = "\n".join((folder / f"{name}.js").read_text(encoding="utf-8") for name in names)
    return re.sub(r"^[ \t]+|\n(?=\n)", "", _COMMENTS.sub("", text), flags=re.MULTILINE)
