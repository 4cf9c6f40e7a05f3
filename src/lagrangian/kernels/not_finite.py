"""Results that are not finite although the arguments are: it is said, and where it can be found, why."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import numpy as np

from lagrangian.errors import MechanismWarning, warn

_LOOKED_AT: ContextVar[bool] = ContextVar("looked_at", default=False)


@contextmanager
def looked_at() -> Iterator[None]:
    """Within it nothing is said: the caller looks at the results itself, as a search does that tries one place after another."""
    before = _LOOKED_AT.set(True)
    try:
        yield
    finally:
        _LOOKED_AT.reset(before)


@dataclass(frozen=True)
class NotFinite:
    """Whose results they are, and what finds the reason at some coordinates; the text is empty if it finds none."""

    where: str
    why: Callable[[np.ndarray], str] | None = None

    def say(self, name: str, arrays: list[np.ndarray], out: np.ndarray) -> None:
        """Warn of rows of results that are not finite, unless an argument is not, either."""
        if _LOOKED_AT.get():
            return
        odd = ~np.isfinite(out).all(axis=1)
        for array in arrays:
            odd &= np.isfinite(array).all(axis=1)
        if not odd.any():
            return
        first = int(np.argmax(odd))
        reason = self.why(arrays[0][first]) if self.why is not None else ""
        states = f" in {int(odd.sum())} of {len(odd)} states, first in state {first}" if len(odd) > 1 else ""
        cause = reason or "the equations are singular there, or an intermediate result overflows"
        warn(MechanismWarning(f"{name} is not finite{states}: {cause}", where=self.where))
