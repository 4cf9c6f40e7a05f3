"""Equations of coordinates as far as files hold them: sums of multiples, and polynomials of one coordinate."""

from __future__ import annotations

from lagrangian.errors import LagrangianError
from lagrangian.model.expression import Scalar, free_symbols, substituted
from lagrangian.model.expression.derivative import derivative


def affine(x: Scalar) -> tuple[dict[str, float], float] | None:
    """The multiple of each name, and what is added; None if it is no such sum."""
    names = sorted(free_symbols(x))
    try:
        slopes = {name: derivative(x, name) for name in names}
        if any(free_symbols(slope) for slope in slopes.values()):
            return None
        added = float(substituted(x, dict.fromkeys(names, 0)))
    except (LagrangianError, TypeError, ValueError, ZeroDivisionError, RecursionError):
        return None
    return {name: c for name, slope in slopes.items() if (c := float(slope))}, added


def polynomial(x: Scalar, name: str, degree: int) -> tuple[float, ...] | None:
    """The coefficients of a polynomial in one name, from the constant on; None if it is none of at most this degree."""
    found: list[float] = []
    factor = 1
    try:
        for k in range(degree + 1):
            factor *= max(k, 1)
            found.append(float(substituted(x, {name: 0})) / factor)
            x = derivative(x, name)
            if not free_symbols(x):
                if k < degree:
                    found.append(float(x) / (factor * (k + 1)))
                    return tuple(found)
                return tuple(found) if float(x) == 0 else None
    except (LagrangianError, TypeError, ValueError, ZeroDivisionError, RecursionError):
        return None
    return None
