"""One long step whose stages lie on the constraints: collocation at Gauss's places (Hairer, Norsett and Wanner I, II.7).

The slope of the state is a polynomial that equals y' = f(t, y) at the places, each state moved onto the constraints before its
slope is taken. Two places are left out, those beside one in the step at which f is not defined: near it states and slopes on the
constraints have large rounding errors. The polynomial is kept as a series of Legendre's, whose last terms tell how well it is
resolved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import legendre

STAGES = 16
LEFT_OUT = 2
# passes of the fixed-point iteration, each of which takes away all but a small part of the error
PASSES = 40
# change of the states, as a part of them, below which it may be rounding, and at which it is taken for it if it does not fall
SMALL = 1e-9

Slopes = Callable[[np.ndarray, np.ndarray], np.ndarray]
States = Callable[[np.ndarray], np.ndarray]


class Rule:
    """Places in a step from 0 to 1, and what turns slopes at them into a series of Legendre's polynomials."""

    def __init__(self, undefined: float) -> None:
        """With a gap about a part of the step."""
        x = legendre.leggauss(STAGES)[0]
        x = np.sort(x[np.argsort(np.abs(0.5 * (x + 1) - undefined))[LEFT_OUT:]])
        self.places = 0.5 * (x + 1)
        self.analysis = np.linalg.inv(legendre.legvander(x, len(x) - 1))

    def integrals(self, theta: np.ndarray) -> np.ndarray:
        """Of every polynomial of the series from 0 to theta: (theta, terms)."""
        n = len(self.places)
        P = legendre.legvander(2 * theta - 1, n)
        found = np.empty((len(P), n))
        found[:, 0] = theta
        for k in range(1, n):
            found[:, k] = 0.5 * (P[:, k + 1] - P[:, k - 1]) / (2 * k + 1)
        return found


@dataclass(frozen=True, eq=False)
class Bridge:
    """A step that was found, from the state y at t on."""

    t: float
    h: float
    y: np.ndarray
    rule: Rule
    series: np.ndarray

    def states(self, t: np.ndarray) -> np.ndarray:
        """At times in the step."""
        found: np.ndarray = self.y + self.h * self.rule.integrals((t - self.t) / self.h) @ self.series
        return found

    @property
    def rest(self) -> np.ndarray:
        """What the last terms of the series add to each of the states."""
        found: np.ndarray = self.h * np.abs(self.series[-2:]).max(axis=0)
        return found


def bridge(t: float, h: float, y: np.ndarray, slopes: Slopes, guess: States, undefined: float) -> Bridge | None:
    """The step from a state, where the iteration converges; `guess(t)` is near its states, f is not defined at a time in it."""
    rule = Rule((undefined - t) / h)
    times, integrals = t + h * rule.places, rule.integrals(rule.places)
    Y, last = guess(times), np.inf
    for _ in range(PASSES):
        with np.errstate(all="ignore"):
            series = rule.analysis @ slopes(times, Y)
            after = y + h * integrals @ series
            change = float(np.abs(after - Y).max()) / (1 + float(np.abs(y).max()))
        if not np.isfinite(change):
            return None
        Y = after
        if change < 1e-15 or (change < SMALL and change > 0.3 * last):
            return Bridge(t, h, y, rule, series)
        last = change
    return None
