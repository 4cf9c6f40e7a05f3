"""A number that remembers the expression it was computed from."""

from __future__ import annotations

from typing import Any

from lagrangian.model.expression.scalar import Expression, Scalar


class Written(float):
    """A float for all who compute with it; `scalar` is the expression, for those who need it exactly, or with other parameters.

    `-pi/2` is no float, and a start at `acos(l1/l2)` follows the lengths.
    """

    scalar: Scalar

    @staticmethod
    def of(scalar: Scalar) -> float:
        """A scalar as a float; one that is an expression remembers it."""
        if not isinstance(scalar, Expression):
            return scalar if isinstance(scalar, Written) else float(scalar)
        made = Written(float(scalar))
        made.scalar = scalar
        return made

    def __reduce__(self) -> Any:
        return Written.of, (self.scalar,)
