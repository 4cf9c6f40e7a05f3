"""Angles as whole quarter turns and what is left of them, however large they are."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING

from lagrangian.model.expression.linear import linear_coefficients

if TYPE_CHECKING:
    from lagrangian.model.expression.scalar import Scalar

# pi/2 written with 11 decimals, as many files have it, is off by 5e-12 rad, and cut off there by up to 1e-11
MAX_TOLERANCE = 1e-11
ROUNDING_ULPS = 4  # by which arithmetic with pi may be off
_HALF_PI = 1.5707963267948966, 6.123233995736766e-17  # their sum is pi/2 to 33 digits


def nearest_quarter_turns(angle: float) -> tuple[int, float]:
    """The nearest number of quarter turns, but for whole turns, and the rest in rad; large angles lose no digits."""
    within = angle if abs(angle) < 4 else math.atan2(math.sin(angle), math.cos(angle))
    n = round(within / _HALF_PI[0])
    return n, within - n * _HALF_PI[0] - n * _HALF_PI[1]


def quarter_turns(x: Scalar) -> int | None:
    """n if x, a number or written with numbers and pi alone, is n quarter turns, but for whole turns; else None."""
    if not isinstance(x, (int, float)):
        parts = linear_coefficients(x)
        if parts is not None and set(parts) <= {"pi"} and (2 * parts.get("pi", 0)) % 1 == 0:
            return int(2 * parts.get("pi", 0)) % 4
    value = float(x)
    n, remainder = nearest_quarter_turns(value)
    return n if abs(remainder) <= _angle_tolerance(value) else None


def _angle_tolerance(angle: float) -> float:
    """How far an angle may be from the one that is meant, in rad: a unit of its last decimal, or of its rounding.

    So 1.57079632679 is a quarter turn, and 1.570796326797 is none. Around zero, a number is what it is.
    """
    if abs(angle) < 0.5:
        return 0.0
    decimal = Decimal(repr(angle)).as_tuple().exponent
    assert isinstance(decimal, int)
    return min(MAX_TOLERANCE, max(ROUNDING_ULPS * math.ulp(angle), 10.0**decimal))
