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
    return exponential(b, logarithm(b, x) * y)


def logarithm(b: Builder, x: Value) -> Value:
    """Instructions for log2 x, x positive and normal."""
    i = _Integers(b)
    bits = i.of(x)
    exponent = i.put("ashr", i.put("sub", bits, i.number(_bits(math.sqrt(0.5)))), i.number(52))
    m = i.as_real(i.put("sub", bits, i.put("shl", exponent, i.number(52))))
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    series = b.value(1.0 / (2 * TERMS - 1), "double")
    for k in range(TERMS - 1, 0, -1):
        series = b.fma(series, z, 1.0 / (2 * k - 1))
    # a whole number as a double: the low bits of 1.5 * 2^52
    power = i.as_real(i.put("add", exponent, i.number(_bits(ROUND)))) - ROUND
    return b.fma(s * series, 2.0 / math.log(2.0), power)


def exponential(b: Builder, x: Value) -> Value:
    """Instructions for 2^x, the result normal."""
    i = _Integers(b)
    rounded = x + ROUND
    rest = (x - (rounded - ROUND)) * math.log(2.0)
    total = b.value(1.0 / math.factorial(POWERS), "double")
    for k in range(POWERS - 1, -1, -1):
        total = b.fma(total, rest, 1.0 / math.factorial(k))
    return i.as_real(i.put("add", i.of(total), i.put("shl", i.of(rounded), i.number(52))))


class _Integers:
    """The bits of doubles, of one or of a vector, as integers."""

    def __init__(self, b: Builder) -> None:
        self.b, self.type = b, "i64" if b.width == 1 else f"<{b.width} x i64>"

    def number(self, n: int) -> str:
        return str(n) if self.b.width == 1 else f"splat (i64 {n})"

    def put(self, operation: str, a: str, n: str) -> str:
        return self.b.put(self.type, f"{operation} {self.type} {a}, {n}").text

    def of(self, value: Value) -> str:
        return self.b.put(self.type, f"bitcast {self.b.real_type} {value.text} to {self.type}").text

    def as_real(self, bits: str) -> Value:
        return self.b.put(self.b.real_type, f"bitcast {self.type} {bits} to {self.b.real_type}")
