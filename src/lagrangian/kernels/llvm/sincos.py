"""Sine and cosine of a whole vector, to about one unit in the last place.

The argument less a multiple of pi/2 (Cody and Waite 1980), then the polynomials of fdlibm (Sun Microsystems 1993), then the
quadrant by selects. Beyond `limit` the reduction loses digits: the kernel says so and is called again with reduced angles.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lagrangian.kernels.llvm.emit import Emitter

SIN = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
COS = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)
# pi/2 in two doubles: with a fused multiply-add their products with an integer are exact
HALF_PI = (1.5707963267948966, 6.123233995736766e-17)
# pi/2 in pieces of 33 bits: without one, their products with integers below 2^20 are exact
HALF_PI_PIECES = (1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624871116645580e-21, 8.47842766036889956997e-32)
ROUND = 6755399441055744.0  # 1.5 * 2^52: adding it rounds to an integer, whose low bits it shows


def limit(fma: bool) -> float:
    return 1e9 if fma else 1e6


def _polynomial(e: Emitter, coefficients: tuple[float, ...], z: str, square: str) -> str:
    """By Horner's rule; or in pairs, as many operations that wait less for each other, where one state is all there is to do."""
    c = [e.constant(x) for x in coefficients]
    if not e.hurried:
        p = c[5]
        for coefficient in c[4::-1]:
            p = e.fma(p, z, coefficient)
        return p
    low, middle, high = (e.fma(c[k + 1], z, c[k]) for k in (0, 2, 4))
    return e.fma(e.fma(high, square, middle), square, low)


def emit(e: Emitter, x: str) -> tuple[str, str]:
    """Instructions for sin x and cos x."""
    c = e.constant
    rounded = e.fma(x, c(2 / math.pi), c(ROUND))
    quadrant = e.put(f"bitcast {e.type} {rounded} to {e.integer}")
    k = e.binary("fsub", rounded, c(ROUND))
    r = x
    for piece in HALF_PI if e.has_fma else HALF_PI_PIECES[:3]:
        r = e.fma(k, c(-piece), r)
    z = e.binary("fmul", r, r)
    square = e.binary("fmul", z, z)
    p = _polynomial(e, SIN, z, square)
    sine = e.fma(e.binary("fmul", p, z), r, r)
    p = _polynomial(e, COS, z, square)
    cosine = e.fma(square, p, e.fma(z, c(-0.5), c(1.0)))
    odd = e.put(f"icmp ne {e.integer} {e.put(f'and {e.integer} {quadrant}, {e.whole(1)}')}, {e.whole(0)}")
    s = e.put(f"select {e.mask} {odd}, {e.type} {cosine}, {e.type} {sine}")
    co = e.put(f"select {e.mask} {odd}, {e.type} {sine}, {e.type} {cosine}")
    next_quadrant = e.put(f"add {e.integer} {quadrant}, {e.whole(1)}")
    return _signed(e, s, quadrant), _signed(e, co, next_quadrant)


def _signed(e: Emitter, x: str, quadrant: str) -> str:
    """x with its sign turned where the quadrant's second bit is set."""
    bit = e.put(f"and {e.integer} {quadrant}, {e.whole(2)}")
    sign = e.put(f"shl {e.integer} {bit}, {e.whole(62)}")
    bits = e.put(f"bitcast {e.type} {x} to {e.integer}")
    return e.put(f"bitcast {e.integer} {e.put(f'xor {e.integer} {bits}, {sign}')} to {e.type}")
