"""A solution taken from time to time, by Taylor steps with proven errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flint import arb, arb_poly, fmpq

from lagrangian.errors import SimulationError
from lagrangian.proven_digits.bounds import LOW, Majorised, defect, known_defect, largest, majorised
from lagrangian.proven_digits.equations import Equations
from lagrangian.proven_digits.parallelepiped import Errors, upper
from lagrangian.proven_digits.precision import bits
from lagrangian.proven_digits.taylor import Coefficients, polynomial
from lagrangian.proven_digits.tube import Tube, widths

ORDER = 0.6  # terms for each bit: products of series make high orders cheap (Jorba and Zou 2005 have 0.35)
RATIO = 0.5  # of the radius of convergence: the disc on which f is bounded, to begin with
TRIES = 30
SHORTEST = fmpq(1, 10**12)  # of the time: with shorter steps no run would end


@dataclass
class Enclosure:
    """A state at a time: exact midpoints, and how far each may be off."""

    t: fmpq
    y: list[Any]
    errors: Errors

    @property
    def balls(self) -> list[Any]:
        with bits(LOW):
            radii = self.errors.box
        return [arb(x, r) for x, r in zip(self.y, radii, strict=True)]


class TooFewBits(Exception):
    """The errors have outgrown the tube at time t."""

    def __init__(self, t: float) -> None:
        self.t = t


class Integration:
    """Steps of one precision. `scouting` looks how errors grow, and proves nothing."""

    def __init__(self, equations: Equations, precision: int, start: Enclosure, scouting: bool = False) -> None:
        self.equations, self.precision, self.scouting = equations, precision, scouting
        self.order = max(12, math.ceil(ORDER * precision))
        self.at, self._begin = start, start.t
        self.steps = 0
        self._ratio = RATIO

    def to(self, end: fmpq, watch: Callable[[Tube], None], told: Callable[[float], None]) -> Enclosure:
        """The state at `end`. `watch` is shown the tube of every step; `told` hears of every time reached."""
        while self.at.t < end:
            self._step(end, watch)
            told(float(arb(self.at.t)))
        return self.at

    def _step(self, end: fmpq, watch: Callable[[Tube], None]) -> None:
        eq, at = self.equations, self.at
        with bits(LOW):
            width = widths(at.y, [arb(0)] * eq.size if self.scouting else at.errors.box)
        if width is None:
            raise TooFewBits(float(arb(at.t)))
        y = self._polynomial()
        with bits(LOW):
            low = majorised(y)
        radius, M = self._disc(y, low, width)
        h = self._length(radius, M[: eq.size])
        if h < SHORTEST * (end - self._begin):
            raise self._lost(
                "no step is short enough to continue: the motion, or a function in it, has no bounds or derivatives near"
            )
        h = min(h, end - at.t)
        for _ in range(TRIES):
            tube = Tube(eq, at.t, low, width, h)
            if tube.finite:
                break
            h = h / 2
        else:
            raise self._lost("no bounds of its motion could be found after")
        watch(tube)
        with bits(self.precision):
            ends = [arb_poly(c)(arb(h)) for c in y]
        self.at = Enclosure(at.t + h, [x.mid() for x in ends], self._carried(tube, y, M, radius, ends))
        self.steps += 1

    def _polynomial(self) -> Coefficients:
        """The solution's from where it is; FLINT has no series of a function at its pole or branch point."""
        try:
            y = polynomial(self.equations, self.at.t, self.at.y, self.order, self.precision)
        except (ValueError, ZeroDivisionError):
            y = []
        if not y or not all(x.is_finite() for c in y for x in c):
            raise self._lost("a function of its torques or forces is not finite, or has no derivatives, at")
        return y

    def _carried(self, tube: Tube, y: Coefficients, M: list[Any], radius: Any, ends: list[Any]) -> Errors:
        """The errors at the end of a step, with those of rounding its midpoints."""
        n = self.equations.size
        growth = tube.growth(y, M[n:], radius)
        with bits(LOW):
            if self.scouting:
                return self.at.errors.after(growth, [arb(0)] * n)
            known = known_defect(self.equations, self.at.t, y, self.precision)
            found = tube.carried(self.at.errors, defect(known, M[:n], radius, tube.h), growth)
            if found is None:
                raise TooFewBits(float(arb(self.at.t)))
            return found.with_more([upper(x.rad()) for x in ends])

    def _disc(self, y: Coefficients, low: list[Majorised], width: list[Any]) -> tuple[Any, list[Any]]:
        """A disc about the present time on which f and df/dy are bounded, and by how much."""
        whole = _convergence(y)
        for _ in range(TRIES):
            with bits(LOW):
                radius = arb(self._ratio * whole)
            if self.scouting:
                return radius, [arb(1)] * self.equations.size + [arb(0)] * len(self.equations.places)
            M = largest(self.equations, self.at.t, low, width, radius)
            if M is not None:
                self._ratio = min(0.9, 1.05 * self._ratio)
                return radius, M
            self._ratio *= 0.8
        raise self._lost("no disc on which its motion is bounded could be found about")

    def _lost(self, what: str) -> SimulationError:
        """Where f has no bounds, as at a root of what becomes negative."""
        return SimulationError(f"{self.equations.mechanism.name}: {what} t = {float(arb(self.at.t)):g} s")

    def _length(self, radius: Any, M: list[Any]) -> fmpq:
        """The step at which what is bounded by Cauchy's estimate falls to the last bit."""
        most = max(float(m.log()) / math.log(2) for m in (x.max(arb(2) ** -self.precision) for x in M))
        h = float(radius) * min(0.6, 2 ** -((self.precision + most) / self.order))
        mantissa, exponent = math.frexp(h)
        return fmpq(math.floor(mantissa * 1024), 1024) * fmpq(2) ** exponent


def _convergence(y: Coefficients) -> float:
    """About how far the series converge: by the root test on their last terms."""
    order = len(y[0]) - 1
    found = math.inf
    with bits(LOW):
        for c in y:
            for k in range(max(1, order - 5), order + 1):
                if c[k] != 0:
                    found = min(found, math.exp(-float(abs(c[k]).log()) / k))
    return found if math.isfinite(found) else 1e3
