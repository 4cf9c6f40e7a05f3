"""Elementary functions of scalars of any kind, and the value of an expression over such scalars.

A scalar is a number, or an object that has its own functions: a traced value, a jet, an interval, an array of many times.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from lagrangian.model.expression.scalar import Expression, Scalar, call, free_symbols

# the name of the time at which functions of time alone that jump or have kinks are decided: within an interval without jumps they
# are then smooth, and at its ends they have their values from inside
DECISION_TIME = "t decided"

# the names of inputs that stand for numbers of the description begin with this: see `algorithms.structure`
SLOT_PREFIX = "#"


def evaluate(expression: Scalar, names: Mapping[str, Any]) -> Any:
    """Return the value of an expression over scalars of any kind; `names` has the scalar of each name without a value."""
    if not isinstance(expression, Expression):
        return expression
    if expression.value is not None:
        return expression.value
    if expression.operation == "symbol":
        return names[expression.name]
    if DECISION_TIME in names and expression.operation in _DECIDED_OPERATIONS:
        decided_value = _decide(expression, names)
        if decided_value is not None:
            return decided_value
    return _OPERATIONS[expression.operation](*(evaluate(a, names) for a in expression.arguments))


def evaluate_univariate(expression: Scalar, x: Any) -> Any:
    """Return the value of an expression of one variable, whatever its name, at x: a scalar of any kind, or an array of floats."""
    return evaluate(expression, dict.fromkeys(free_symbols(expression), x))


def apply(name: str, x: Any) -> Any:
    """A function of one argument by its name: sin, cos, sqrt, exp, log, asin, acos, atan, tanh, floor."""
    return getattr(math, name)(x) if isinstance(x, (int, float)) else getattr(x, name)()


def sin(x: Any) -> Any:
    return apply("sin", x)


def cos(x: Any) -> Any:
    return apply("cos", x)


def sqrt(x: Any) -> Any:
    return apply("sqrt", x)


def exp(x: Any) -> Any:
    return apply("exp", x)


def log(x: Any) -> Any:
    return apply("log", x)


def power(x: Any, n: Any) -> Any:
    """x^n: by multiplication if n is a whole number, by a square root if it is a half, else by logarithms."""
    if isinstance(n, (int, float)):
        if float(n).is_integer():
            result: Any = 1
            square, remaining = x, abs(int(n))
            while remaining:
                result = result * square if remaining % 2 else result
                remaining //= 2
                square = square * square if remaining else square
            return 1 / result if n < 0 else result
        if n == 0.5:
            return sqrt(x)
    if isinstance(x, (int, float)) and isinstance(n, (int, float)):
        return x**n
    return exp(n * log(x))


def atan2(y: Any, x: Any) -> Any:
    """The angle of the point (x, y)."""
    if isinstance(y, (int, float)):
        return math.atan2(y, x) if isinstance(x, (int, float)) else x.atan2_of(y)
    return y.atan2(x)


def choose(a: Any, b: Any, x: Any, y: Any) -> Any:
    """x where a < b, else y."""
    if isinstance(x, (int, float)) and isinstance(y, (int, float)) and x == y:
        return x
    for operand in (a, b, x, y):
        if not isinstance(operand, (int, float)) and hasattr(operand, "choose"):  # numpy's numbers have a choose of their own
            return operand.choose(a, b, x, y)
    return x if a < b else y


def absolute(x: Any) -> Any:
    return choose(x, 0.0, -x, x)


def sign(x: Any) -> Any:
    return choose(x, 0.0, -1.0, choose(0.0, x, 1.0, 0.0))


def maximum(a: Any, b: Any) -> Any:
    return choose(a, b, b, a)


def minimum(a: Any, b: Any) -> Any:
    return choose(a, b, a, b)


class TimeArray(np.ndarray):
    """The values of a scalar at many times: an array that has the functions of expressions."""

    @staticmethod
    def from_values(values: np.ndarray) -> TimeArray:
        return np.ascontiguousarray(values, dtype=float).view(TimeArray)

    def choose(self, a: Any, b: Any, x: Any, y: Any) -> Any:  # type: ignore[override]
        return np.where(a < b, x, y).view(TimeArray)

    def atan2(self, x: Any) -> Any:
        return np.arctan2(self, x).view(TimeArray)

    def atan2_of(self, y: Any) -> Any:
        return np.arctan2(y, self).view(TimeArray)


for _name, _function in {
    **{n: getattr(np, n) for n in ("sin", "cos", "sqrt", "exp", "log", "tanh", "floor")},
    **{f"a{n}": getattr(np, f"arc{n}") for n in ("sin", "cos", "tan")},
}.items():
    setattr(TimeArray, _name, lambda self, _function=_function: _function(self))
_OPERATIONS: dict[str, Any] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "^": power,
    "neg": lambda a: -a,
    "tan": lambda x: apply("tan", x) if isinstance(x, (int, float)) else sin(x) / cos(x),
    "atan2": lambda y, x: atan2(y, x),
    "min": minimum,
    "max": maximum,
    "abs": absolute,
    "sign": sign,
    "piecewise": lambda c, x, y: choose(0.0, c, x, y),
    **{
        name: (lambda x, name=name: apply(name, x))
        for name in ("sin", "cos", "sqrt", "exp", "log", "asin", "acos", "atan", "tanh", "floor")
    },
}


# functions that jump or have kinks, which `DECISION_TIME` decides where their argument depends on time alone
_DECIDED_OPERATIONS = ("sign", "floor", "piecewise", "abs", "max", "min")


def _decide(expression: Expression, names: Mapping[str, Any]) -> Any:
    """Return the value of a function that jumps or has kinks, with its branch as it is at the time of decision.

    None if what decides the branch does not depend on time alone.
    """
    operation, arguments = expression.operation, expression.arguments
    deciding = call("-", *arguments) if operation in ("max", "min") else arguments[0]
    decision = _at_decision_time(deciding, names)
    if decision is None:
        return None
    match operation:
        case "sign" | "floor":
            return _OPERATIONS[operation](decision)
        case "abs":
            value = evaluate(arguments[0], names)
            return choose(decision, 0.0, -value, value)
        case "max":
            a, b = arguments
            return choose(decision, 0.0, evaluate(b, names), evaluate(a, names))
        case "min":
            a, b = arguments
            return choose(decision, 0.0, evaluate(a, names), evaluate(b, names))
    _, x, y = arguments
    return choose(0.0, decision, evaluate(x, names), evaluate(y, names))


def _at_decision_time(x: Scalar, names: Mapping[str, Any]) -> Any:
    """Return a function of time alone at the time at which it is decided; None for any other function."""
    free = {name for name in free_symbols(x) if not name.startswith(SLOT_PREFIX)}
    return evaluate(x, {**names, "t": names[DECISION_TIME]}) if free == {"t"} else None
