"""The range of a linkage's input: the part of its curve along which the input goes one way, with configurations by its value."""

from __future__ import annotations

import numpy as np

from lagrangian.configuration.coordinates import periodic_coordinates
from lagrangian.configuration.loop_closure import LoopClosure
from lagrangian.configuration.newton import Newton
from lagrangian.design.cycle import DeadCentre
from lagrangian.design.freedom import CLOSURE_TOLERANCE, MIN_REGULARITY
from lagrangian.design.linkage import Linkage, LinkageOutput
from lagrangian.design.solution_curve import CurveCrossing, SolutionCurve
from lagrangian.design.travel import CoveredRange
from lagrangian.errors import ArgumentError

STANDSTILL_TOLERANCE = 1e-9  # of the speed along the curve: a coordinate that is slower stands still
MAX_CORRECTION = 1e-4  # rad or parts of the size: how far closing loops may move a configuration that was interpolated
# names of the events along a curve
INPUT, OUTPUT, LIMIT, OVER = "input", "output", "limit of ", "end of the range"
TURN = 2 * np.pi
NEIGHBOUR_STEP = 1e-3  # rad or m: the distance from a change point of the configurations that stand in for it


class InputRange:
    """The range of the input from one dead centre to the next, or to the ends of the curve; all if the input turns fully."""

    def __init__(self, linkage: Linkage, curve: SolutionCurve, over: tuple[float, float] | None) -> None:
        self.linkage, self.over = linkage, over
        folds = [c for c in curve.crossings if c.name == INPUT]
        self.shift = _turn_shift(linkage, curve)
        self.turns = round(abs(self.shift[linkage.iq]) / TURN) if curve.closed and not folds else 0
        if len(curve.s) < 2:
            raise ArgumentError(
                f"cannot move {linkage.input!r} from its start, because limits of joints stop it",
                where=linkage.dyn.mechanism.name,
            )
        self.curve = _repeat_on_both_sides(curve, self.shift) if curve.closed and not self.turns else curve
        crossings = sorted((c for c in self.curve.crossings if c.name == INPUT), key=lambda c: c.s)
        self.low = next((c for c in reversed(crossings) if c.s < 1e-9), None)
        self.high = next((c for c in crossings if c.s >= 1e-9), None)
        if self._input_at(self._end(1)) < self._input_at(self._end(0)):
            self.curve = self.curve.reverse()
            self.low, self.high = (c.reverse() if c else None for c in (self.high, self.low))
        if not self.turns and over is None:
            self._check_bounded()

    def _end(self, side: int) -> float:
        crossing = (self.low, self.high)[side]
        return crossing.s if crossing else float(self.curve.s[-side])

    def _limit(self, side: int) -> float:
        """The input's value at an end of the range."""
        crossing = (self.low, self.high)[side]
        return float(crossing.q[self.linkage.iq]) if crossing else float(self.curve.q[-side, self.linkage.iq])

    def _input_at(self, s: float) -> float:
        return float(self.curve.interpolate(np.array([s]))[0][0, self.linkage.iq])

    def _check_bounded(self) -> None:
        if self.curve.closed or any(c.name.startswith(LIMIT) for c in self.curve.crossings) or self.low or self.high:
            return
        distance = abs(self._input_at(self._end(1)) - self._input_at(self._end(0)))
        raise ArgumentError(
            f"is needed: {self.linkage.input!r} has neither limits nor dead centres, and the linkage does not return to its "
            f"start within {distance:.3g} {self.linkage.unit}",
            argument="over",
            remedy="give two numbers, such as (0, 1)",
        )

    @property
    def ends(self) -> tuple[str, str]:
        """Why the range ends where it does, at its low and at its high end; empty texts if the input turns fully."""
        if self.turns:
            return ("", "")
        stops = [c for c in self.curve.crossings if c.name.startswith((LIMIT, OVER))]

        def reason(side: int) -> str:
            if (self.low, self.high)[side]:
                return "dead centre"
            return next((c.name for c in stops if abs(c.s - self._end(side)) < 1e-9), OVER)

        return reason(0), reason(1)

    # -- rows ----------------------------------------------------------------------------------------------------------

    def sample(self, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Evenly spaced values of the input, with the configurations and tangents there."""
        if self.turns:
            first, last = self.over or (0.0, TURN * self.turns)
            x = np.linspace(first, last, (count - 1) * self.turns + 1 if self.over is None else count)
            return x, *self.configurations_at(x)
        x = np.linspace(self._limit(0), self._limit(1), count)
        q, tangent = self.configurations_at(x)
        for row, crossing in ((0, self.low), (-1, self.high)):
            if crossing is not None:
                q[row], tangent[row] = crossing.q, crossing.tangent
        return x, q, tangent

    def configurations_at(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Configurations and tangents at values of the input.

        Next to a change point, where branches meet, they are interpolated between configurations of this branch on both sides.
        """
        q, tangent = self._with_whole_turns(x)
        near_change_point = self.linkage.freedom.regularity(q) < MIN_REGULARITY
        if not self.turns:
            near_change_point &= (x > self._limit(0) + 2 * NEIGHBOUR_STEP) & (x < self._limit(1) - 2 * NEIGHBOUR_STEP)
        if near_change_point.any():
            neighbours = [self._with_whole_turns(x[near_change_point] + k * NEIGHBOUR_STEP) for k in (-2, -1, 1, 2)]
            for target, rows in ((q, [a for a, _ in neighbours]), (tangent, [b for _, b in neighbours])):
                target[near_change_point] = (4 * (rows[1] + rows[2]) - rows[0] - rows[3]) / 6  # exact for cubics
            tangent[near_change_point] /= np.linalg.norm(tangent[near_change_point], axis=1, keepdims=True)
        return q, tangent

    def _with_whole_turns(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Configurations and tangents at values of the input beyond the curve too: whole turns are added to those on it."""
        if not self.turns:
            return self._within_range(np.clip(x, self._limit(0), self._limit(1)))
        period, start = TURN * self.turns, self._input_at(float(self.curve.s[0]))
        turn_counts = np.floor((x - start) / period)
        q, tangent = self._within_range(x - period * turn_counts)
        return q + turn_counts[:, None] * self.shift * np.sign(self.shift[self.linkage.iq]), tangent

    def _within_range(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Configurations and tangents where the input has the values x: interpolated, then closed with the input fixed."""
        low, high = np.full(len(x), self._end(0)), np.full(len(x), self._end(1))
        for _ in range(60):
            middle = (low + high) / 2
            below = self.curve.interpolate(middle)[0][:, self.linkage.iq] < x
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        guess, near_tangent = self.curve.interpolate((low + high) / 2)
        guess[:, self.linkage.iq] = x
        freedom = self.linkage.freedom
        if freedom.loops:
            loops = LoopClosure(self.linkage.dyn, 0.0, (*self.linkage.fixed, self.linkage.input))
            solution = Newton(loops, loops.free, freedom.scales, damped=False, iterations=30).solve(guess)
            accepted = (solution.violation <= CLOSURE_TOLERANCE) & (solution.distance < MAX_CORRECTION)
            guess = np.where(accepted[:, None], solution.q, self.curve.evaluate((low + high) / 2)[0])
        return guess, freedom.tangent(guess, near_tangent)

    # -- dead centres --------------------------------------------------------------------------------------------------

    def dead_centres(self, output: LinkageOutput | None) -> list[DeadCentre]:
        """The dead centres of the input, at the ends of the range, and of the output within it, in the order of the input."""
        low, high = self._end(0) - 1e-9, self._end(1) + 1e-9
        inputs = [self._dead_centre(c, INPUT, self.linkage.input) for c in (self.low, self.high) if c]
        crossings = [c for c in self.curve.crossings if c.name == OUTPUT and low <= c.s <= high] if output is not None else []
        return sorted([*inputs, *(self._dead_centre(c, OUTPUT, str(output)) for c in crossings)], key=lambda d: d.input_value)

    def _dead_centre(self, crossing: CurveCrossing, kind: str, name: str) -> DeadCentre:
        q = self._with_turns_as_in_rows(crossing.q)
        return DeadCentre(kind, name, float(q[self.linkage.iq]), q)

    def _with_turns_as_in_rows(self, q: np.ndarray) -> np.ndarray:
        """A configuration with its whole turns counted as in the rows of the cycle."""
        if not self.turns or self.over is not None:
            return q
        turn_count = np.floor((q[self.linkage.iq] + 1e-9) / (TURN * self.turns))
        shifted: np.ndarray = q - turn_count * self.shift * np.sign(self.shift[self.linkage.iq])
        return shifted

    @property
    def covered_range(self) -> CoveredRange:
        """The part of the curve that the rows of the cycle cover."""
        k = self.linkage.iq
        shift = self.shift * np.sign(self.shift[k]) if self.turns else np.zeros_like(self.shift)
        ends = (self.low.q if self.low else self.curve.q[0], self.high.q if self.high else self.curve.q[-1])
        return CoveredRange(
            self.curve, self._end(0), self._end(1), ends, lambda q: float(self._with_turns_as_in_rows(q)[k]), shift
        )


def _turn_shift(linkage: Linkage, curve: SolutionCurve) -> np.ndarray:
    """The whole turns, in rad, that each angle has grown by when a closed curve is back at its beginning; else zeros."""
    shift = np.zeros(curve.q.shape[1])
    angles = periodic_coordinates(linkage.dyn.mechanism)
    shift[angles] = TURN * np.round((curve.q[-1] - curve.q[0])[angles] / TURN)
    return shift if curve.closed else np.zeros_like(shift)


def _repeat_on_both_sides(curve: SolutionCurve, shift: np.ndarray) -> SolutionCurve:
    """A closed curve with a copy before and a copy after it, so that the part around its beginning is in one piece."""
    length = float(curve.s[-1])
    s = np.concatenate([curve.s[:-1] - length, curve.s[:-1], curve.s + length])
    q = np.concatenate([curve.q[:-1] - shift, curve.q[:-1], curve.q + shift])
    tangent = np.concatenate([curve.tangent[:-1], curve.tangent[:-1], curve.tangent])
    crossings = [CurveCrossing(c.name, c.s + k * length, c.q + k * shift, c.tangent) for k in (-1, 0, 1) for c in curve.crossings]
    return SolutionCurve(curve.freedom, s, q, tangent, crossings, True)
