"""Numbers of a point's field, with the operations of any scalar: decimals, roots, functions and choices included."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from lagrangian.algorithms.link import is_zero
from lagrangian.algorithms.tree import ScalarReader, Tree
from lagrangian.cached import cached_property
from lagrangian.errors import MechanismError
from lagrangian.model import vector as v
from lagrangian.model.expression import Expression, Scalar, call, free_symbols, functions, symbol
from lagrangian.model.expression.scalar import walk
from lagrangian.model.placement import Transform
from lagrangian.proof.points import ExactPoint

FUNCTIONS = ("sin", "cos", "exp", "log", "tanh")
# what else an expression may have: its derivatives are made of the same
OPERATIONS = ("symbol", "number", "pi", "+", "-", "*", "/", "neg", "tan", "sqrt", *FUNCTIONS)


def unknown_operation(x: Scalar) -> str:
    """The first operation in an expression that has no value at an exact point, if any; whole powers have one."""
    for node in walk(x):
        is_whole_power = (
            node.operation == "^" and isinstance(node.arguments[1], (int, float)) and float(node.arguments[1]).is_integer()
        )
        if node.operation not in OPERATIONS and not is_whole_power and node.value is None:
            return node.operation
    return ""


class Field:
    """Makes the numbers of one point. Functions of time, for which the ring has no generator, have any value, always the same."""

    def __init__(self, point: ExactPoint) -> None:
        self.point = point
        self.roots: dict[str, Any] = {}  # of squares: which of the two roots is meant

    def __call__(self, x: Any, meaning: Scalar | None = None) -> Any:
        """An element or a rational number at the point; a plain 0 stays one, as algorithms take it as a structural zero."""
        value = self.point.evaluate(x)
        return value if isinstance(value, int) else FieldNumber(self, value, meaning)

    def scalar(self, x: Scalar) -> Any:
        """A scalar of the description, with its meaning, so that functions of it have a value."""
        return self(self.point.system.scalars.read(x), x)

    def function(self, name: str, x: FieldNumber) -> Any:
        """A function of a number, with the value that the point has given it."""
        if x.meaning is None:
            raise ArithmeticError(f"{name} of a number that is not known as an expression")
        try:
            return self.point.evaluate(self.point.system.scalars.read(call(name, x.meaning)))
        except MechanismError:  # the equations have it in other words, or not at all: a function of time alone
            return self._functions.setdefault((name, str(x.value)), self.point.number(Fraction(len(self._functions) + 2, 7)))

    @cached_property
    def _functions(self) -> dict[tuple[str, str], Any]:
        """The generators that are functions, by name and argument."""
        system, values = self.point.system, {}
        for atom, (_, expression) in system.scalars.function_generators.items():
            if atom in system.ring.generator_index and expression.operation in FUNCTIONS:
                names: dict[str, Any] = {n: self.t if n == "t" else self.scalar(symbol(n)) for n in free_symbols(expression)}
                argument = functions.evaluate(self.with_named_constants(expression.arguments[0], names), names)
                values[expression.operation, str(argument)] = self.point.evaluate(system.generator(atom))
        return values

    @cached_property
    def t(self) -> Any:
        """Time."""
        system = self.point.system
        return self(system.generator("t") if "t" in system.ring.generator_index else system.ring(3) / 5, symbol("t"))

    def with_named_constants(self, x: Scalar, names: dict[str, Any]) -> Scalar:
        """An expression in which constants are names too, so that they stay exact; `names` takes their values."""
        if not isinstance(x, Expression):
            return x
        if x.value is not None:
            key = f"constant {x}"
            try:
                names[key] = self.scalar(x)
            except MechanismError:  # it stands in phi(t) alone, of which the equations have only the name
                names[key] = self(self.point.system.ring(x.value), x)
            return symbol(key)
        if x.operation == "symbol":
            return x
        arguments = tuple(self.with_named_constants(a, names) for a in x.arguments)
        if x.operation == "/" and not isinstance(arguments[1], Expression):  # 1/3 is no decimal
            names[f"number {arguments[1]}"] = self(self.point.system.scalars.read(arguments[1]), arguments[1])
            arguments = (arguments[0], symbol(f"number {arguments[1]}"))
        return Expression(x.operation, arguments, None)

    def tree(self, tree: Tree) -> Tree:
        """A tree of exact scalars, at the point."""
        value = np.frompyfunc(self, 1, 1)
        constants = {name: value(array) if array.size else array for name, array in tree.constants.items()}
        gravity = tuple(self(g) for g in tree.gravity)
        return replace(tree, constants=constants, gravity=gravity, reader=_PointReader(self, tree.reader))


class _PointReader(ScalarReader):
    """Reads scalars as another reader does, and takes their values at the point."""

    def __init__(self, field: Field, exact: ScalarReader) -> None:
        self.field, self.exact_reader = field, exact

    def number(self, scalar: Scalar) -> Any:
        return self.field(self.exact_reader.number(scalar))

    def vector(self, x: v.Vector) -> v.Vector:
        return tuple(self.field(c) for c in self.exact_reader.vector(x))

    def frame_on_link(self, body_placement: Transform, placement: Transform) -> Transform:
        placed = self.exact_reader.frame_on_link(body_placement, placement)
        position = tuple(self.field(x) for x in placed.position)
        return Transform(self._matrix(placed.rotation), position)

    def triad(self, axis: v.Vector) -> v.Matrix:
        return self._matrix(self.exact_reader.triad(axis))

    def _matrix(self, A: v.Matrix) -> v.Matrix:
        return tuple(tuple(self.field(x) for x in row) for row in A)  # type: ignore[return-value]


class FieldNumber:
    """A number of the field; `meaning` is the expression whose value it is, where that is known."""

    __slots__ = ("field", "meaning", "value")

    def __init__(self, field: Field, value: Any, meaning: Scalar | None = None) -> None:
        self.field, self.value, self.meaning = field, value, meaning

    def _combine(self, other: Any, operation: str, result: Callable[[Any, Any], Any], reflected: bool = False) -> Any:
        value: Any
        meaning: Any
        if isinstance(other, FieldNumber):
            value, meaning = other.value, other.meaning
        elif operation == "*" and is_zero(other):
            return 0  # by structure, as traced values have it
        elif isinstance(other, (int, float, Fraction)):
            value, meaning = self.field.point.number(other), other
        else:
            return NotImplemented
        a, b = (self.meaning, meaning) if not reflected else (meaning, self.meaning)
        result_meaning = (
            None if a is None or b is None or isinstance(a, Fraction) or isinstance(b, Fraction) else call(operation, a, b)
        )
        return FieldNumber(self.field, result(value, self.value) if reflected else result(self.value, value), result_meaning)

    def __add__(self, other: Any) -> Any:
        return self._combine(other, "+", lambda a, b: a + b)

    def __radd__(self, other: Any) -> Any:
        return self._combine(other, "+", lambda a, b: a + b, reflected=True)

    def __sub__(self, other: Any) -> Any:
        return self._combine(other, "-", lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return self._combine(other, "-", lambda a, b: a - b, reflected=True)

    def __mul__(self, other: Any) -> Any:
        return self._combine(other, "*", lambda a, b: a * b)

    def __rmul__(self, other: Any) -> Any:
        return self._combine(other, "*", lambda a, b: a * b, reflected=True)

    def __truediv__(self, other: Any) -> Any:
        return self._combine(other, "/", lambda a, b: a / b)

    def __rtruediv__(self, other: Any) -> Any:
        return self._combine(other, "/", lambda a, b: a / b, reflected=True)

    def __neg__(self) -> FieldNumber:
        return FieldNumber(self.field, -self.value, None if self.meaning is None else -self.meaning)

    def __eq__(self, other: object) -> bool:
        return bool(self.value == (other.value if isinstance(other, FieldNumber) else self.field.point.number(other)))

    def __hash__(self) -> int:
        return hash(str(self.value))

    def __str__(self) -> str:
        return str(self.value)

    __repr__ = __str__

    def sqrt(self) -> FieldNumber:
        root = self.field.roots.get(str(self.value))
        return FieldNumber(self.field, self.field.point.root(self.value, "a root") if root is None else root)

    def choose(self, a: Any, b: Any, x: Any, y: Any) -> Any:
        """y, which stands where nothing is left out as too small: numbers modulo a prime have no order, and masses at a point are
        any numbers, so that what is positive for bodies need not be.
        """
        return y


def _function_method(name: str) -> Callable[[FieldNumber], FieldNumber]:
    def evaluate(self: FieldNumber) -> FieldNumber:
        meaning = None if self.meaning is None else call(name, self.meaning)
        return FieldNumber(self.field, self.field.function(name, self), meaning)

    return evaluate


for _name in FUNCTIONS:
    setattr(FieldNumber, _name, _function_method(_name))
