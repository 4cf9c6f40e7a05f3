"""Exact numbers of a description: decimals are fractions (0.773 is 773/1000), `pi` is pi, and both are balls when computed with.

A float is read as the shortest decimal that gives it, which is how it was written; so 0.1 is 1/10 and not the nearest binary
fraction. In a trace every number of a description is an input of its own, so that nothing is rounded before the number of bits
is known; 0, 1 and -1 stay plain and fold away.

FLINT has one precision for the whole process: `working_precision` sets it for a block, and puts it back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from lagrangian.errors import ArgumentError
from lagrangian.kernels.trace.node import Graph, Node
from lagrangian.model import vector as v
from lagrangian.model.expression import Expression, Scalar
from lagrangian.model.expression import functions as f
from lagrangian.model.expression.linear import exact_decimal
from lagrangian.model.rotation import quaternion

CONSTANT_INPUT = "constant number"  # the name of inputs of a trace that are numbers of the description
ORTHOGONAL_BITS = 256  # by which an exact rotation is told from one that is not
_BALL_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "^": lambda a, b: a**b,
    "neg": lambda a: -a,
    "abs": abs,
    "sign": lambda a: a.sgn(),
    "min": lambda a, b: a.min(b),
    "max": lambda a, b: a.max(b),
    "atan2": lambda y, x: arb.atan2(y, x),
    **{name: (lambda a, name=name: getattr(a, name)()) for name in ("sin", "cos", "tan", "asin", "acos", "atan")},
    **{name: (lambda a, name=name: getattr(a, name)()) for name in ("sqrt", "exp", "log", "tanh")},
}
_SMOOTH_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "neg": lambda a: -a,
    "tan": lambda a: f.sin(a) / f.cos(a),
    **{name: (lambda a, name=name: f.apply(name, a)) for name in ("sin", "cos", "asin", "acos", "atan")},
    **{name: (lambda a, name=name: f.apply(name, a)) for name in ("sqrt", "exp", "log", "tanh")},
}


def ball(x: Scalar | fmpq) -> Any:
    """The ball of a number, or of an expression of numbers, at the precision that is set."""
    if isinstance(x, fmpq):
        return arb(x)
    if not isinstance(x, Expression):
        return arb(decimal_fraction(x))
    if x.operation == "pi":
        return arb.pi()
    if x.operation in ("symbol", "number"):
        return arb(decimal_fraction(float(x)))
    if x.operation not in _BALL_FUNCTIONS:
        raise ArgumentError(f"'{x}' has no proven digits, because of {x.operation}", remedy="give the number it stands for")
    return _BALL_FUNCTIONS[x.operation](*(ball(a) for a in x.arguments))


def decimal_fraction(x: float) -> fmpq:
    """A float as the shortest decimal that gives it."""
    exact = exact_decimal(float(x))
    return fmpq(exact.numerator, exact.denominator)


class TraceNumbers:
    """The numbers of a description that one trace reads."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.table: list[Scalar | fmpq] = []
        self._indices: dict[Any, int] = {}

    def read(self, x: Any) -> Any:
        """A number as the trace takes it: 0, 1 and -1 as they are, others as inputs; nodes stay nodes."""
        if isinstance(x, Node):
            return x
        if isinstance(x, Fraction):
            x = fmpq(x.numerator, x.denominator)
        if not isinstance(x, Expression) and x in (0, 1, -1):
            return int(x)
        key = (type(x).__name__, x if isinstance(x, Expression) else str(x))
        if key not in self._indices:
            self._indices[key] = len(self.table)
            self.table.append(x)
        return self.graph.input(CONSTANT_INPUT, self._indices[key])

    def vector(self, x: Any) -> Any:
        return tuple(self.read(c) for c in x)

    def rotation(self, R: v.Matrix) -> v.Matrix:
        """A rotation: as it is written if that is exactly one, else the exact rotation next to its rounded numbers."""
        if all(not isinstance(x, Expression) and x in (0, 1, -1) for row in R for x in row) or _is_exact_rotation(R):
            return tuple(self.vector(row) for row in R)
        rounded_quaternion = quaternion.from_matrix(np.array([[float(x) for x in row] for row in R]))
        exact = quaternion.rotation([Fraction(float(x)) for x in rounded_quaternion])
        return tuple(self.vector(row) for row in exact)

    def record_expression(self, expression: Scalar, names: Mapping[str, Any], where: Any = ()) -> Any:
        """The node of an expression over traced names; one that is not smooth everywhere is refused. `where` says whose it is."""
        if not isinstance(expression, Expression) or expression.value is not None:
            return self.read(expression)
        if expression.operation == "symbol":
            return names[expression.name]
        if expression.operation == "^":
            base, power = (self.record_expression(a, names, where) for a in expression.arguments)
            n = expression.arguments[1]
            constant_exponent = None if isinstance(n, Expression) and n.value is None else float(n)
            if constant_exponent is not None and (constant_exponent.is_integer() or constant_exponent == 0.5):
                return f.power(base, constant_exponent)
            return f.exp(power * f.log(base))
        if expression.operation not in _SMOOTH_FUNCTIONS:
            raise ArgumentError(
                f"'{expression}' is not smooth, because of {expression.operation}",
                where=where,
                remedy="certify needs functions that have all derivatives; write it without sign, abs, min, max and atan2",
            )
        return _SMOOTH_FUNCTIONS[expression.operation](*(self.record_expression(a, names, where) for a in expression.arguments))


def _is_exact_rotation(R: v.Matrix) -> bool:
    """Whether the numbers of a matrix make exactly a rotation, as far as balls of many bits can tell."""
    if not any(isinstance(x, Expression) for row in R for x in row):
        rows = [[decimal_fraction(x) for x in row] for row in R]
        return all(v.dot(rows[i], rows[j]) == int(i == j) for i in range(3) for j in range(3))  # type: ignore[arg-type]
    with working_precision(ORTHOGONAL_BITS):
        balls: Any = [[ball(x) for x in row] for row in R]
        return all(v.dot(balls[i], balls[j]).contains(int(i == j)) for i in range(3) for j in range(3))


@contextmanager
def working_precision(precision: int, terms: int | None = None) -> Iterator[None]:
    """Give numbers so many bits, and series so many terms, within a block."""
    previous = ctx.prec, ctx.cap
    ctx.prec = precision
    if terms is not None:
        ctx.cap = terms
    try:
        yield
    finally:
        ctx.prec, ctx.cap = previous
