"""x^y for step sizes, of one number or of a vector, without a call: the same bits in every lane and on every machine.

By logarithm and exponential to the base two. The logarithm is that of the exponent, and of a mantissa m between sqrt(1/2) and
sqrt(2) by the series of atanh((m - 1)/(m + 1)); the exponential that of the whole part, and of the rest by Taylor's series
(Muller, Elementary Functions, 2006, ch. 3).
"""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING

from lagrangian.kernels.llvm.sincos import ROUND

if TYPE_CHECKING:
    from lagrangian.kernels.llvm.builder import Builder, Value

TERMS, POWERS = 5, 8  # of the two series


def _bits(x: float) -> int:
    return int(struct.unpack("<q", struct.pack("<d", x))[0])


def emit(b: Builder, x: Value, y: float) -> Value:
    """Instructions for x^y, x positive and normal, the result too."""
    whole = "i64" if b.width == 1 else f"<{b.width} x i64>"

    def number(n: int) -> str:
        return str(n) if b.width == 1 else f"splat (i64 {n})"

    def integer(operation: str, a: str, n: str) -> str:
        return b.put(whole, f"{operation} {whole} {a}, {n}").text

    def as_real(bits: str) -> Value:
        return b.put(b.real_type, f"bitcast {whole} {bits} to {b.real_type}")

    def as_bits(value: Value) -> str:
        return b.put(whole, f"bitcast {b.real_type} {value.text} to {whole}").text

    bits = as_bits(x)
    exponent = integer("ashr", integer("sub", bits, number(_bits(math.sqrt(0.5)))), number(52))
    m = as_real(integer("sub", bits, integer("shl", exponent, number(52))))
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    series = b.value(1.0 / (2 * TERMS - 1), "double")
    for k in range(TERMS - 1, 0, -1):
        series = b.fma(series, z, 1.0 / (2 * k - 1))
    # a whole number as a double: the low bits of 1.5 * 2^52
    power = as_real(integer("add", exponent, number(_bits(ROUND)))) - ROUND
    logarithm = b.fma(s * series, 2.0 / math.log(2.0), power) * y
    rounded = logarithm + ROUND
    rest = (logarithm - (rounded - ROUND)) * math.log(2.0)
    total = b.value(1.0 / math.factorial(POWERS), "double")
    for k in range(POWERS - 1, -1, -1):
        total = b.fma(total, rest, 1.0 / math.factorial(k))
    return as_real(integer("add", as_bits(total), integer("shl", as_bits(rounded), number(52))))
