"""Functions of a number or of a whole vector, as LLVM instructions without a call: the same bits in every lane and machine.

Sine and cosine are good to about one unit in the last place. They take the argument less a multiple of pi/2 (Cody and Waite
1980), then the polynomials of fdlibm (Sun Microsystems 1993), then the quadrant by selects. Beyond `largest_angle` the
reduction loses digits: the kernel says so and is called again with reduced angles.

Powers x^y, for step sizes, are made by logarithm and exponential to the base two. The logarithm is that of the exponent, and of
a mantissa m between sqrt(1/2) and sqrt(2) by the series of atanh((m - 1)/(m + 1)). The exponential is that of the whole part, and
of the rest by Taylor's series (Muller, Elementary Functions, 2006, chapter 3).
"""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lagrangian.kernels.llvm.emit import Emitter
    from lagrangian.kernels.llvm.ir import FunctionBuilder, Value


SIN_COEFFICIENTS = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
COS_COEFFICIENTS = (
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
LOG_TERMS, EXP_TERMS = 5, 8  # of the two series


def emit_sin_cos(e: Emitter, x: str) -> tuple[str, str]:
    """Instructions for sin x and cos x."""
    c = e.constant
    rounded = e.fma(x, c(2 / math.pi), c(ROUND))
    quadrant = e.put(f"bitcast {e.type} {rounded} to {e.integer_type}")
    k = e.binary("fsub", rounded, c(ROUND))
    r = x
    for piece in HALF_PI if e.has_fma else HALF_PI_PIECES[:3]:
        r = e.fma(k, c(-piece), r)
    z = e.binary("fmul", r, r)
    square = e.binary("fmul", z, z)
    p = _polynomial(e, SIN_COEFFICIENTS, z, square)
    sine = e.fma(e.binary("fmul", p, z), r, r)
    p = _polynomial(e, COS_COEFFICIENTS, z, square)
    cosine = e.fma(square, p, e.fma(z, c(-0.5), c(1.0)))
    odd = e.put(
        f"icmp ne {e.integer_type} {e.put(f'and {e.integer_type} {quadrant}, {e.integer_constant(1)}')}, {e.integer_constant(0)}"
    )
    s = e.put(f"select {e.mask} {odd}, {e.type} {cosine}, {e.type} {sine}")
    co = e.put(f"select {e.mask} {odd}, {e.type} {sine}, {e.type} {cosine}")
    next_quadrant = e.put(f"add {e.integer_type} {quadrant}, {e.integer_constant(1)}")
    return _with_quadrant_sign(e, s, quadrant), _with_quadrant_sign(e, co, next_quadrant)


def largest_angle(fma: bool) -> float:
    """The largest angle whose sine and cosine are good."""
    return 1e9 if fma else 1e6


def _polynomial(e: Emitter, coefficients: tuple[float, ...], z: str, square: str) -> str:
    """A polynomial by Horner's rule, or in pairs for low latency: as many operations, which wait less for each other."""
    c = [e.constant(x) for x in coefficients]
    if not e.low_latency:
        p = c[5]
        for coefficient in c[4::-1]:
            p = e.fma(p, z, coefficient)
        return p
    low, middle, high = (e.fma(c[k + 1], z, c[k]) for k in (0, 2, 4))
    return e.fma(e.fma(high, square, middle), square, low)


def _with_quadrant_sign(e: Emitter, x: str, quadrant: str) -> str:
    """x with its sign turned where the quadrant's second bit is set."""
    bit = e.put(f"and {e.integer_type} {quadrant}, {e.integer_constant(2)}")
    sign = e.put(f"shl {e.integer_type} {bit}, {e.integer_constant(62)}")
    bits = e.put(f"bitcast {e.type} {x} to {e.integer_type}")
    return e.put(f"bitcast {e.integer_type} {e.put(f'xor {e.integer_type} {bits}, {sign}')} to {e.type}")


def emit_power(b: FunctionBuilder, x: Value, y: float) -> Value:
    """Instructions for x^y, x positive and normal, the result too."""
    return emit_exp2(b, emit_log2(b, x) * y)


def emit_log2(b: FunctionBuilder, x: Value) -> Value:
    """Instructions for log2 x, x positive and normal."""
    i = _Integers(b)
    bits = i.bits(x)
    exponent = i.put("ashr", i.put("sub", bits, i.number(_bits(math.sqrt(0.5)))), i.number(52))
    m = i.to_double(i.put("sub", bits, i.put("shl", exponent, i.number(52))))
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    series = b.value(1.0 / (2 * LOG_TERMS - 1), "double")
    for k in range(LOG_TERMS - 1, 0, -1):
        series = b.fma(series, z, 1.0 / (2 * k - 1))
    # a whole number as a double: the low bits of 1.5 * 2^52
    power = i.to_double(i.put("add", exponent, i.number(_bits(ROUND)))) - ROUND
    return b.fma(s * series, 2.0 / math.log(2.0), power)


def emit_exp2(b: FunctionBuilder, x: Value) -> Value:
    """Instructions for 2^x, the result normal."""
    i = _Integers(b)
    rounded = x + ROUND
    remainder = (x - (rounded - ROUND)) * math.log(2.0)
    total = b.value(1.0 / math.factorial(EXP_TERMS), "double")
    for k in range(EXP_TERMS - 1, -1, -1):
        total = b.fma(total, remainder, 1.0 / math.factorial(k))
    return i.to_double(i.put("add", i.bits(total), i.put("shl", i.bits(rounded), i.number(52))))


def _bits(x: float) -> int:
    """The bits of a double as an integer."""
    return int(struct.unpack("<q", struct.pack("<d", x))[0])


class _Integers:
    """The bits of doubles, of one or of a vector, as integers."""

    def __init__(self, b: FunctionBuilder) -> None:
        self.b, self.type = b, "i64" if b.width == 1 else f"<{b.width} x i64>"

    def number(self, n: int) -> str:
        return str(n) if self.b.width == 1 else f"splat (i64 {n})"

    def put(self, operation: str, a: str, n: str) -> str:
        return self.b.put(self.type, f"{operation} {self.type} {a}, {n}").text

    def bits(self, value: Value) -> str:
        return self.b.put(self.type, f"bitcast {self.b.real_type} {value.text} to {self.type}").text

    def to_double(self, bits: str) -> Value:
        return self.b.put(self.b.real_type, f"bitcast {self.type} {bits} to {self.b.real_type}")
