"""What a new text can begin from: the library's mechanisms, and templates."""

from __future__ import annotations

from functools import cache
from typing import Any

from lagrangian.description import packaged
from lagrangian.description.toml.starter import starter
from lagrangian.studio.refused import Refused

# those of the library that are short and plain enough to be changed into one's own, and what they are a beginning of
_TEMPLATES = {
    "pendulum": "A pendulum",
    "cart_pendulum": "A cart with a pendulum",
    "four_bar": "A four-bar linkage",
    "slider_crank": "A slider-crank",
    "scara": "A SCARA arm, by Denavit and Hartenberg",
    "stewart": "A Stewart platform",
}


def names() -> tuple[str, ...]:
    return packaged.names()


def text(name: str) -> str:
    """Of a mechanism of the library. It is looked up in the list, so that a name can never lead out of the folder."""
    if name not in names():
        raise Refused(404, f"there is no mechanism {name[:60]!r} in the library")
    return (packaged.folder() / f"{name}.toml").read_text(encoding="utf-8")


@cache
def library() -> tuple[dict[str, Any], ...]:
    """Name, what it is, and its counts."""
    from lagrangian.library import library as catalogue

    return tuple(
        {
            "name": e.name,
            "summary": e.summary,
            "description": e.description,
            "source": e.source,
            "joints": e.joints,
            "loops": e.loops,
            "constraints": e.constraints,
        }
        for e in catalogue().entries
    )


@cache
def templates() -> tuple[dict[str, str], ...]:
    summaries = {e["name"]: e["summary"] for e in library()}
    arm = {
        "name": "arm",
        "title": "A planar arm",
        "description": "Two links, explained in comments; a good start.",
        "text": starter("arm", "arm.toml"),
    }
    found = ({"name": n, "title": t, "description": summaries[n], "text": text(n)} for n, t in _TEMPLATES.items())
    return (arm, *found)
