"""Angles as whole quarter turns and what is left of them, however large they are."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from lagrangian.model.expression.linear import linear

if TYPE_CHECKING:
    from lagrangian.model.expression.scalar import Scalar

# an angle this near to a whole number of quarter turns, in rad, is that number: pi/2 written with 11 decimals is off by 5e-12
NEAR = 8e-12
_HALF_PI = 1.5707963267948966, 6.123233995736766e-17  # their sum is pi/2 to 33 digits


def quarters(angle: float) -> tuple[int, float]:
    """The nearest number of quarter turns, but for whole turns, and the rest in rad; large angles lose no digits."""
    within = angle if abs(angle) < 4 else math.atan2(math.sin(angle), math.cos(angle))
    n = round(within / _HALF_PI[0])
    return n, within - n * _HALF_PI[0] - n * _HALF_PI[1]


def quarter_turns(x: Scalar) -> int | None:
    """n if x, a number or written with numbers and pi alone, is n quarter turns, but for whole turns; else None."""
    if not isinstance(x, (int, float)):
        parts = linear(x)
        if parts is not None and set(parts) <= {"pi"} and (2 * parts.get("pi", 0)) % 1 == 0:
            return int(2 * parts.get("pi", 0)) % 4
    n, rest = quarters(float(x))
    return n if abs(rest) < NEAR else None
