"""Numbers and sums without rounding: a decimal is the fraction it is written as."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lagrangian.model.expression.scalar import Scalar


def exact_decimal(x: float) -> int | Fraction:
    """A float as the decimal it is written as."""
    return int(x) if x.is_integer() and abs(x) < 1e15 else Fraction(repr(float(x)))


def linear_coefficients(x: Scalar) -> dict[str, Fraction] | None:
    """An angle as a sum of multiples of names, of "pi" and of "" (a number); None if it is no such sum."""
    if isinstance(x, (int, float)):
        return {"": Fraction(x if isinstance(x, int) else exact_decimal(float(x)))} if x else {}
    match x.operation:
        case "symbol":
            return {x.name: Fraction(1)}
        case "pi":
            return {"pi": Fraction(1)}
        case "number":
            return {"": Fraction(exact_decimal(float(x)))}
    parts = [linear_coefficients(a) for a in x.arguments]
    if any(p is None for p in parts):
        return None
    first = parts[0] or {}
    if x.operation == "neg":
        return {name: -c for name, c in first.items()}
    if len(parts) != 2:
        return None
    second = parts[1] or {}
    match x.operation:
        case "+" | "-":
            sign = 1 if x.operation == "+" else -1
            result = dict(first)
            for name, c in second.items():
                result[name] = result.get(name, Fraction(0)) + sign * c
            return {name: c for name, c in result.items() if c}
        case "*" if set(first) <= {""} or set(second) <= {""}:
            numbers, terms = (first, second) if set(first) <= {""} else (second, first)
            factor = numbers.get("", Fraction(0))
            return {name: c * factor for name, c in terms.items() if c * factor}
        case "/" if set(second) == {""}:
            return {name: c / second[""] for name, c in first.items()}
    return None
