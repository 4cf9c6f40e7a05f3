"""The travel of an output: how far a joint swings, or a point moves, while the input of a linkage goes through its range."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import brentq

from lagrangian.design.linkage import LinkageOutput
from lagrangian.design.solution_curve import SolutionCurve

STANDSTILL_TOLERANCE = 1e-9  # rad or m: what moves less stands still


@dataclass(frozen=True)
class OutputTravel:
    """The range of a coordinate, or of the position of a frame along an axis, over the cycle of a linkage.

    Attributes
    ----------
    name : str
        The coordinate, or the frame with its axis.
    unit : str
        "rad" or "m".
    low, high : float
        The smallest and the largest value.
    input_at_low, input_at_high : float
        The values of the input there.
    turns : int
        How many whole turns an angle gains until the linkage returns to its start; 0 if it swings.

    Examples
    --------
    >>> import lagrangian as lg
    >>> travel = lg.analyse_cycle("four_bar").travels["phi3"]
    >>> travel
    OutputTravel(name='phi3', unit='rad', low=1.5040801783846713, high=2.555907110132642, input_at_low=0.5223148218060487,
    input_at_high=3.7272781970469446, turns=0)
    >>> round(travel.extent, 6)
    1.051827
    """

    name: str
    unit: str
    low: float
    high: float
    input_at_low: float
    input_at_high: float
    turns: int = 0

    @property
    def extent(self) -> float:
        """The difference between the largest and the smallest value."""
        return self.high - self.low

    @property
    def is_fixed(self) -> bool:
        """Whether it does not move at all."""
        return not self.turns and self.extent < STANDSTILL_TOLERANCE


@dataclass(frozen=True, eq=False)
class CoveredRange:
    """The part of a linkage's curve that its cycle covers, from one distance along it to another."""

    curve: SolutionCurve = field(repr=False)
    low: float
    high: float
    ends: tuple[np.ndarray, np.ndarray]
    input_value: Callable[[np.ndarray], float]  # of a configuration, with whole turns counted as in the rows of the cycle
    shift: np.ndarray  # by how much coordinates have grown when a closed curve is back at its beginning

    def travel(self, output: LinkageOutput) -> OutputTravel:
        """The travel of a coordinate, or of a frame along x, y or z; extremes are located where its speed changes its sign."""
        s = self.curve.s[(self.curve.s > self.low) & (self.curve.s < self.high)]
        s = np.concatenate([[self.low], s, [self.high]])
        rate = self._rate(output, s)
        sign_changes = np.flatnonzero(rate[:-1] * rate[1:] < 0)
        extremes = [
            brentq(lambda x: self._rate(output, np.array([x]))[0], s[k], s[k + 1], xtol=1e-15, rtol=1e-14) for k in sign_changes
        ]
        q = self.curve.evaluate(np.concatenate([s, extremes]))[0]
        q[0], q[len(s) - 1] = self.ends
        value = output.value(q)
        low, high = int(np.argmin(value)), int(np.argmax(value))
        turns = round(float(output.value((q[0] + self.shift)[None])[0] - value[0]) / (2 * np.pi)) if output.coordinate else 0
        input_values = (self.input_value(q[low]), self.input_value(q[high]))
        return OutputTravel(
            str(output), output.unit, float(value[low]), float(value[high]), *input_values, turns if output.unit == "rad" else 0
        )

    def _rate(self, output: LinkageOutput, s: np.ndarray) -> np.ndarray:
        q, tangent = self.curve.evaluate(s)
        return output.rate(q, tangent * self.curve.freedom.scales)
