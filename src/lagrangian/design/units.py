"""Values and units of results, for people."""

from __future__ import annotations

import math


def in_words(x: float, unit: str) -> str:
    """A coordinate: angles in degrees."""
    x = math.degrees(x) if unit == "rad" else float(x)
    return f"{0.0 if abs(x) < 1e-9 else x:.6g} {'deg' if unit == 'rad' else unit}"


def per(a: str, b: str) -> str:
    """The unit of a quotient."""
    return "1" if a == b else f"{a}/{b}"
