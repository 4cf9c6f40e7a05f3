"""Integration by Taylor steps with proven errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flint import arb, arb_poly, fmpq

from lagrangian.errors import SimulationError
from lagrangian.validated_integration.balls import working_precision
from lagrangian.validated_integration.bounds import (
    BOUND_BITS,
    Majorant,
    defect_bounds,
    defect_coefficients,
    disc_bounds,
    majorants,
)
from lagrangian.validated_integration.error_set import ErrorSet, abs_upper
from lagrangian.validated_integration.first_order_system import FirstOrderSystem
from lagrangian.validated_integration.taylor import Coefficients, taylor_polynomial
from lagrangian.validated_integration.tube import Tube, tube_widths

ORDER_PER_BIT = 0.6  # terms for each bit: products of series make high orders cheap (Jorba and Zou 2005 have 0.35)
RADIUS_RATIO = 0.5  # of the first disc on which f is bounded to the radius of convergence
MAX_TRIES = 30
MIN_STEP_FRACTION = fmpq(1, 10**12)  # of the time: with shorter steps no run would end


@dataclass
class EnclosedState:
    """A state at a time: exact midpoints, and the set of their errors."""

    t: fmpq
    y: list[Any]
    errors: ErrorSet

    @property
    def balls(self) -> list[Any]:
        with working_precision(BOUND_BITS):
            radii = self.errors.box
        return [arb(x, r) for x, r in zip(self.y, radii, strict=True)]


class TooFewBits(Exception):
    """The errors have outgrown the tube at time t."""

    def __init__(self, t: float) -> None:
        self.t = t


class TaylorIntegration:
    """Steps of one precision. With `estimates_only` they show how errors grow, and prove nothing."""

    def __init__(self, equations: FirstOrderSystem, precision: int, start: EnclosedState, estimates_only: bool = False) -> None:
        self.equations, self.precision, self.estimates_only = equations, precision, estimates_only
        self.order = max(12, math.ceil(ORDER_PER_BIT * precision))
        self.state, self._start_time = start, start.t
        self.steps = 0
        self._radius_ratio = RADIUS_RATIO

    def integrate_to(self, end: fmpq, check_tube: Callable[[Tube], None], report_time: Callable[[float], None]) -> EnclosedState:
        """The state at `end`. `check_tube` is called with the tube of every step, `report_time` with every time reached."""
        while self.state.t < end:
            self._step(end, check_tube)
            report_time(float(arb(self.state.t)))
        return self.state

    def _step(self, end: fmpq, check_tube: Callable[[Tube], None]) -> None:
        eq, state = self.equations, self.state
        with working_precision(BOUND_BITS):
            width = tube_widths(state.y, [arb(0)] * eq.size if self.estimates_only else state.errors.box)
        if width is None:
            raise TooFewBits(float(arb(state.t)))
        y = self._polynomial()
        with working_precision(BOUND_BITS):
            y_majorants = majorants(y)
        radius, M = self._bounded_disc(y, y_majorants, width)
        h = self._step_length(radius, M[: eq.size])
        if h < MIN_STEP_FRACTION * (end - self._start_time):
            raise self._failure(
                "no step is short enough to continue: the motion, or a function in it, has no bounds or derivatives near"
            )
        h = min(h, end - state.t)
        for _ in range(MAX_TRIES):
            tube = Tube(eq, state.t, y_majorants, width, h)
            if tube.finite:
                break
            h = h / 2
        else:
            raise self._failure("no bounds of its motion could be found after")
        check_tube(tube)
        with working_precision(self.precision):
            ends = [arb_poly(c)(arb(h)) for c in y]
        self.state = EnclosedState(state.t + h, [x.mid() for x in ends], self._propagate_errors(tube, y, M, radius, ends))
        self.steps += 1

    def _polynomial(self) -> Coefficients:
        """The Taylor polynomial of the solution from the present state.

        FLINT has no series of a function at its pole or branch point; there, an error is raised.
        """
        try:
            y = taylor_polynomial(self.equations, self.state.t, self.state.y, self.order, self.precision)
        except (ValueError, ZeroDivisionError):
            y = []
        if not y or not all(x.is_finite() for c in y for x in c):
            raise self._failure("a function of its torques or forces is not finite, or has no derivatives, at")
        return y

    def _propagate_errors(self, tube: Tube, y: Coefficients, M: list[Any], radius: Any, ends: list[Any]) -> ErrorSet:
        """The errors at the end of a step, with those of rounding its midpoints."""
        n = self.equations.size
        growth = tube.error_growth(y, M[n:], radius)
        with working_precision(BOUND_BITS):
            if self.estimates_only:
                return self.state.errors.propagate(growth, [arb(0)] * n)
            coefficients = defect_coefficients(self.equations, self.state.t, y, self.precision)
            errors = tube.propagate_errors(self.state.errors, defect_bounds(coefficients, M[:n], radius, tube.h), growth)
            if errors is None:
                raise TooFewBits(float(arb(self.state.t)))
            return errors.with_added([abs_upper(x.rad()) for x in ends])

    def _bounded_disc(self, y: Coefficients, y_majorants: list[Majorant], width: list[Any]) -> tuple[Any, list[Any]]:
        """The radius of a disc about the present time on which f and df/dy are bounded, and their bounds."""
        convergence = _convergence_radius(y)
        for _ in range(MAX_TRIES):
            with working_precision(BOUND_BITS):
                radius = arb(self._radius_ratio * convergence)
            if self.estimates_only:
                return radius, [arb(1)] * self.equations.size + [arb(0)] * len(self.equations.jacobian_indices)
            M = disc_bounds(self.equations, self.state.t, y_majorants, width, radius)
            if M is not None:
                self._radius_ratio = min(0.9, 1.05 * self._radius_ratio)
                return radius, M
            self._radius_ratio *= 0.8
        raise self._failure("no disc on which its motion is bounded could be found about")

    def _failure(self, reason: str) -> SimulationError:
        """An error for a time at which f has no bounds, as at a root of what becomes negative."""
        return SimulationError(f"{self.equations.mechanism.name}: {reason} t = {float(arb(self.state.t)):g} s")

    def _step_length(self, radius: Any, M: list[Any]) -> fmpq:
        """The length of the step at which the terms that Cauchy's estimate bounds fall to the last bit."""
        largest_exponent = max(float(m.log()) / math.log(2) for m in (x.max(arb(2) ** -self.precision) for x in M))
        h = float(radius) * min(0.6, 2 ** -((self.precision + largest_exponent) / self.order))
        mantissa, exponent = math.frexp(h)
        return fmpq(math.floor(mantissa * 1024), 1024) * fmpq(2) ** exponent


def _convergence_radius(y: Coefficients) -> float:
    """An estimate of the radius of convergence of the series, by the root test on their last terms."""
    order = len(y[0]) - 1
    radius = math.inf
    with working_precision(BOUND_BITS):
        for c in y:
            for k in range(max(1, order - 5), order + 1):
                if c[k] != 0:
                    radius = min(radius, math.exp(-float(abs(c[k]).log()) / k))
    return radius if math.isfinite(radius) else 1e3
