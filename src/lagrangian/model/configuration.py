"""Numbers of which some were given, and the others follow."""

from __future__ import annotations

from collections.abc import Iterable


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
