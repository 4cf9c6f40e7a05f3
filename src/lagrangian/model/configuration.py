"""Numbers of which some were given, and the others follow."""

from __future__ import annotations

from collections.abc import Iterable

from lagrangian.model.expression import Expression, Scalar


class Written(float):
    """A number that remembers the expression it was computed from, for those who need it exactly: `-pi/2` is no float."""

    scalar: Scalar

    @staticmethod
    def of(scalar: Scalar) -> float:
        """A scalar as a float; one that is an expression remembers it."""
        if not isinstance(scalar, Expression):
            return float(scalar)
        made = Written(float(scalar))
        made.scalar = scalar
        return made


class Partial(tuple[float, ...]):
    """Coordinates or speeds in their order, of which only those named in `given` were said: the others are where to begin, and
    are found so that the loops close.
    """

    given: tuple[str, ...]

    def __new__(cls, values: Iterable[float], given: Iterable[str] = ()) -> Partial:
        made = super().__new__(cls, values)
        made.given = tuple(given)
        return made

    def __repr__(self) -> str:
        return f"Partial({tuple(self)!r}, given={self.given!r})"
