"""The player of a track as HTML: a fragment for other pages, or a page of its own that needs nothing from elsewhere."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from html import escape
from importlib.resources import files
from itertools import count

import numpy as np

from lagrangian.errors import Argument, ArgumentError, is_number, shown
from lagrangian.viewer.pack import packed
from lagrangian.viewer.scene.scene import Track

SCRIPTS = ("math", "data", "course", "shapes", "shaders", "stage", "draw", "camera", "pointer", "controls", "player")
_COUNT = count(1)
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
{assets}
<style>html, body {{ margin: 0; height: 100%; }}</style>
</head>
<body>
{player}
</body>
</html>
"""


@cache
def player_assets() -> str:
    """Style and script of the player: once in every page that has players."""
    folder = files("lagrangian.viewer") / "player"
    style = (folder / "player.css").read_text(encoding="utf-8")
    script = "\n".join((folder / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)
    inside = f'"use strict";\nif (window.lagrangianPlayers) return;\n{script}'
    return f"<style>\n{style}</style>\n<script>\n(() => {{\n{inside}}})();\n</script>"


def player_html(
    track: Track,
    *,
    id: str | None = None,  # noqa: A002
    height: str = "480px",
    autoplay: bool = True,
    speed: float = 1.0,
    full: bool = False,
) -> str:
    """A player as a fragment of HTML, for a page that has `player_assets()`. `full` is for one that has its page alone."""
    if not len(track.t):
        raise ArgumentError("a track without rows cannot be shown: it needs one, for a still, or more")
    if not is_number(speed) or speed <= 0:
        raise ArgumentError(
            f"{shown(speed)} is no factor of time", where=Argument("speed"), remedy="1 is as it happens, 0.5 slow motion"
        )
    data = {**packed(_finite(track)), "autoplay": bool(autoplay), "speed": float(speed), "full": full}
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    for character in "<>&":  # a name may be "</script>"
        text = text.replace(character, f"\\u{ord(character):04x}")
    name = escape(id or f"lagrangian-player-{next(_COUNT)}", quote=True)
    label = escape(f"{track.scene.name} in three dimensions", quote=True)
    style = escape(f"height: {height}", quote=True)
    return (
        f'<div class="lagrangian-player" id="{name}" role="group" aria-label="{label}" style="{style}">'
        f'<script type="application/json">{text}</script>'
        "<noscript>This animation needs JavaScript.</noscript></div>"
    )


def page_html(track: Track, title: str, *, autoplay: bool = True, speed: float = 1.0) -> str:
    """A whole page that fills the window, with all that it needs inside."""
    player = player_html(track, id="player", height="100vh", autoplay=autoplay, speed=speed, full=True)
    return _PAGE.format(title=escape(title), assets=player_assets(), player=player)


def _finite(track: Track) -> Track:
    """Without the rows of a run that broke down."""
    good = np.isfinite(track.positions).all(axis=(1, 2)) & np.isfinite(track.quaternions).all(axis=(1, 2)) & np.isfinite(track.t)
    if good.all():
        return track
    if not good.any():
        raise ArgumentError("a track without one finite row cannot be shown")
    arrows = tuple(replace(a, points=a.points[good], vectors=a.vectors[good]) for a in track.arrows)
    return replace(track, t=track.t[good], positions=track.positions[good], quaternions=track.quaternions[good], arrows=arrows)
