"""Colours of a scene: those of links and arrows, which people with any colour vision tell apart (Okabe and Ito 2008), and others.

The colours of links are somewhat muted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lagrangian.viewer.scene.scene import Colour

_OKABE_ITO = ("0072B2", "E69F00", "009E73", "56B4E9", "D55E00", "CC79A7", "F0E442")
METAL: Colour = (0.25, 0.27, 0.30)  # pins and balls of joints
GROUND: Colour = (0.66, 0.68, 0.71)
RAIL: Colour = (0.52, 0.55, 0.59)
SPRING: Colour = (0.45, 0.47, 0.50)
WALL: Colour = (0.60, 0.66, 0.74)
LIGHT: Colour = (0.93, 0.93, 0.91)
ARROW_COLOURS: dict[str, Colour] = {
    "torques": (0.84, 0.37, 0.0),
    "reactions": (0.0, 0.45, 0.70),
    "constraints": (0.80, 0.47, 0.65),
    "wrenches": (0.0, 0.62, 0.45),
}


def _mute_colour(code: str) -> Colour:
    r, g, b = (int(code[k : k + 2], 16) / 255 for k in (0, 2, 4))
    grey = 0.3 * r + 0.6 * g + 0.1 * b
    return tuple(round(0.12 + 0.84 * (0.85 * x + 0.15 * grey), 4) for x in (r, g, b))  # type: ignore[return-value]


PALETTE: tuple[Colour, ...] = tuple(_mute_colour(code) for code in _OKABE_ITO)


def body_colours(names: Sequence[str]) -> list[Colour]:
    """A colour for each body; bodies whose names differ by a number or a side only, such as six legs, share one."""
    stems = [re.sub(r"\d+|left|right", "", name.lower()).strip("_- .") for name in names]
    keys = stems if len(set(stems)) > 1 else list(names)
    order = list(dict.fromkeys(keys))
    return [PALETTE[order.index(key) % len(PALETTE)] for key in keys]
