"""Numbers and angles without rounding: decimals as fractions, angles as sums of named parts, cosines and sines of sums."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

Pair = tuple[Any, Any]  # cosine and sine

# an angle this near to a multiple of 15 degrees is that multiple, and nothing needs to be said of it
ROUNDING = 1e-11
# tangents of half angles, and quaternions, are rounded to this many parts where they become fractions
PARTS = 1 << 56


def decimal(c: Fraction) -> str:
    """As a decimal, if it ends."""
    bottom, twos, fives = c.denominator, 0, 0
    while bottom % 2 == 0:
        bottom, twos = bottom // 2, twos + 1
    while bottom % 5 == 0:
        bottom, fives = bottom // 5, fives + 1
    if bottom != 1:
        return ""
    places = max(twos, fives)
    whole = str(c.numerator * 10**places // c.denominator).rjust(places + 1, "0")
    return f"{whole[:-places]}.{whole[-places:]}" if places else whole


def turned(a: Pair, b: Pair) -> Pair:
    """Cosine and sine of the sum of two angles."""
    return a[0] * b[0] - a[1] * b[1], a[1] * b[0] + a[0] * b[1]


def quarter(n: int) -> Pair:
    return ((1, 0), (0, 1), (-1, 0), (0, -1))[n % 4]


def angle_label(angle: tuple[tuple[int, int], ...]) -> str:
    """Of a sum of coordinates: 23 for q2 + q3, 2m3 for q2 - q3, 223 for 2 q2 + q3; _9_10 where numbers have two digits."""
    wide = any(k >= 9 for k, _ in angle)
    label = ""
    for k, times in sorted(angle):  # joints may be listed before those that they stand on
        for _ in range(abs(times)):
            mark = "m" if times < 0 else "_" if wide else ""
            label += f"{mark}{k + 1}"
    return label


def multiple(name: str, factor: Fraction) -> str:
    sign, factor = ("-", -factor) if factor < 0 else ("", factor)
    top = name if factor.numerator == 1 else f"{factor.numerator}*{name}"
    return sign + (top if factor.denominator == 1 else f"{top}/{factor.denominator}")


def written_number(x: int | Fraction) -> str:
    """As a decimal, if it ends, else as a fraction in brackets."""
    return decimal(Fraction(x)) or f"({x})"
