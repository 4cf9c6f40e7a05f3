"""The player of a track as HTML: a fragment for other pages, or a page of its own that needs nothing from elsewhere."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from html import escape
from importlib.resources import files
from itertools import count

import numpy as np

from lagrangian.errors import Argument, ArgumentError, is_number, shown
from lagrangian.viewer.compute.assets import around, compute_assets
from lagrangian.viewer.compute.payload import Payload
from lagrangian.viewer.pack import json_text, packed
from lagrangian.viewer.scene.scene import Track
from lagrangian.viewer.scripts import together

SCRIPTS = (
    *("math", "inflate", "data", "course", "shapes", "shaders", "stage", "draw", "camera", "pointer", "controls", "replace"),
    "player",
)
EXPORTS = (
    "Player, Course, decode, players, element, outline, tips, niceBelow, FIELD, "
    "add, sub, scale, dot, cross, norm, unit, clamp, across, carry"
)
_COUNT = count(1)
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


@cache
def player_style() -> str:
    return (files("lagrangian.viewer") / "player" / "player.css").read_text(encoding="utf-8")


@cache
def player_script() -> str:
    return together(files("lagrangian.viewer") / "player", SCRIPTS)


@cache
def player_assets() -> str:
    """Style and script of the player: once in every page that has players."""
    inside = f'"use strict";\nif (window.lagrangianPlayers) return;\n{player_script()}'
    return f"<style>\n{player_style()}</style>\n<script>\n(() => {{\n{inside}}})();\n</script>"


@cache
def player_module() -> str:
    """The player's script as a module: for pages that a server gives, and that draw more on the player's stage."""
    return f"{player_script()}\nexport {{ {EXPORTS} }};\n"


def player_html(
    track: Track,
    *,
    id: str | None = None,  # noqa: A002
    height: str = "480px",
    autoplay: bool = True,
    speed: float = 1.0,
    full: bool = False,
    computing: Payload | None = None,
) -> str:
    """A player as a fragment of HTML, for a page that has `player_assets()`. `full` is for one that has its page alone.

    `computing` is what makes its motion follow sliders, for a page that has `page_assets` of it.
    """
    if not len(track.t):
        raise ArgumentError("a track without rows cannot be shown; a still needs one row, an animation more")
    if not is_number(speed) or speed <= 0:
        raise ArgumentError(
            f"{shown(speed)} is not a playback speed", where=Argument("speed"), remedy="1 is real time, 0.5 is slow motion"
        )
    data = {**packed(finite(track)), "autoplay": bool(autoplay), "speed": float(speed), "full": full}
    text = json_text(data)
    name = escape(id or f"lagrangian-player-{next(_COUNT)}", quote=True)
    label = escape(f"{track.scene.name} in three dimensions", quote=True)
    style = escape(f"height: {height}", quote=True)
    player = (
        f'<div class="lagrangian-player" id="{name}" role="group" aria-label="{label}" style="{style}">'
        f'<script type="application/json">{text}</script>'
        "<noscript>This animation needs JavaScript.</noscript></div>"
    )
    return around(player, computing, full)


def page_assets(computing: Payload | None = None) -> str:
    """All that a page of a player needs, once: of several, that of one which computes."""
    return player_assets() + ("" if computing is None else compute_assets(computing.data is not None))


def page_html(track: Track, title: str, *, autoplay: bool = True, speed: float = 1.0, computing: Payload | None = None) -> str:
    """A whole page that fills the window, with all that it needs inside."""
    player = player_html(track, id="player", height="100vh", autoplay=autoplay, speed=speed, full=True, computing=computing)
    return _PAGE.format(title=escape(title), assets=page_assets(computing), player=player)


def finite(track: Track) -> Track:
    """Without the rows of a run that broke down."""
    good = np.isfinite(track.positions).all(axis=(1, 2)) & np.isfinite(track.quaternions).all(axis=(1, 2)) & np.isfinite(track.t)
    if good.all():
        return track
    if not good.any():
        raise ArgumentError("a track without one finite row cannot be shown")
    arrows = tuple(replace(a, points=a.points[good], vectors=a.vectors[good]) for a in track.arrows)
    return replace(track, t=track.t[good], positions=track.positions[good], quaternions=track.quaternions[good], arrows=arrows)
