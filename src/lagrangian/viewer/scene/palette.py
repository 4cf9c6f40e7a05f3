"""Colours that people with any sight tell apart (Okabe and Ito 2008), somewhat muted, and those of what is not a link."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lagrangian.viewer.scene.scene import Color

_OKABE_ITO = ("0072B2", "E69F00", "009E73", "56B4E9", "D55E00", "CC79A7", "F0E442")
METAL: Color = (0.25, 0.27, 0.30)  # pins and balls of joints
GROUND: Color = (0.66, 0.68, 0.71)
RAIL: Color = (0.52, 0.55, 0.59)
SPRING: Color = (0.45, 0.47, 0.50)
WALL: Color = (0.60, 0.66, 0.74)
LIGHT: Color = (0.93, 0.93, 0.91)


def _muted(code: str) -> Color:
    r, g, b = (int(code[k : k + 2], 16) / 255 for k in (0, 2, 4))
    grey = 0.3 * r + 0.6 * g + 0.1 * b
    return tuple(round(0.12 + 0.84 * (0.85 * x + 0.15 * grey), 4) for x in (r, g, b))  # type: ignore[return-value]


PALETTE: tuple[Color, ...] = tuple(_muted(code) for code in _OKABE_ITO)


def body_colors(names: Sequence[str]) -> list[Color]:
    """A colour per body; those whose names differ by a number or a side only, as six legs' do, share one."""
    stems = [re.sub(r"\d+|left|right", "", name.lower()).strip("_- .") for name in names]
    keys = stems if len(set(stems)) > 1 else list(names)
    order = list(dict.fromkeys(keys))
    return [PALETTE[order.index(key) % len(PALETTE)] for key in keys]
