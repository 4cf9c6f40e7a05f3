"""The curve of configurations of a mechanism with one degree of freedom, followed from one of them until it closes or ends.

Steps go along the tangent and back onto the loops at right angles to it (pseudo-arclength continuation: Keller 1977; Allgower
and Georg, Introduction to Numerical Continuation Methods, 1990). Dead centres are ordinary points of the curve, where a
coordinate turns back, and are passed. A step is accepted only if the tangent turned little: so no step leads to another branch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import brentq

from lagrangian.configuration.coordinates import is_same_configuration, periodic_coordinates, single_coordinates
from lagrangian.design.freedom import SingleFreedom
from lagrangian.errors import AssemblyError

FIRST_STEP, MAX_STEP, MIN_STEP = 0.02, 0.1, 1e-9  # steps, in radians or parts of the mechanism's size
MAX_TURN, STRAIGHT_TURN = 0.12, 0.04  # rad: how far the tangent may turn in a step, and below which the next one is longer
MAX_STEPS = 6000
START_TOLERANCE = 1e-12  # a function that is smaller where the curve begins is zero there
EventFunction = Callable[[np.ndarray, np.ndarray], np.ndarray]  # of rows of configurations and tangents


@dataclass(eq=False)
class SolutionCurve:
    """The points of the curve in order, at distances `s` along it; its crossings; and whether it closes on itself."""

    freedom: SingleFreedom
    s: np.ndarray
    q: np.ndarray
    tangent: np.ndarray
    crossings: list[CurveCrossing] = field(default_factory=list)
    closed: bool = False

    def evaluate(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Configurations and tangents at distances along the curve, brought back onto it."""
        q, tangent = self.interpolate(s)
        q = self.freedom.move_and_close(q, np.zeros((len(q), self.freedom.dyn.nv)))[0]
        return q, self.freedom.tangent(q, tangent)

    def interpolate(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Configurations and tangents between the points: cubic Hermite interpolation of coordinates, and linear of tangents."""
        k = np.clip(np.searchsorted(self.s, s, side="right") - 1, 0, len(self.s) - 2)
        h = self.s[k + 1] - self.s[k]
        x = ((s - self.s[k]) / h)[:, None]
        slopes = self.freedom.rates(self.q, self.tangent)
        a, b, da, db = self.q[k], self.q[k + 1], h[:, None] * slopes[k], h[:, None] * slopes[k + 1]
        q = a * (1 + 2 * x) * (1 - x) ** 2 + da * x * (1 - x) ** 2 + b * x**2 * (3 - 2 * x) - db * x**2 * (1 - x)
        return q, (1 - x) * self.tangent[k] + x * self.tangent[k + 1]

    def reverse(self) -> SolutionCurve:
        """The same curve in the opposite direction: distances become negative."""
        crossings = [c.reverse() for c in reversed(self.crossings)]
        return SolutionCurve(self.freedom, -self.s[::-1], self.q[::-1], -self.tangent[::-1], crossings, self.closed)

    def concatenate(self, other: SolutionCurve) -> SolutionCurve:
        """This curve, continued by another that begins where it ends."""
        s, q, tangent = (
            np.concatenate([x[:-1], y]) for x, y in ((self.s, other.s), (self.q, other.q), (self.tangent, other.tangent))
        )
        return SolutionCurve(self.freedom, s, q, tangent, [*self.crossings, *other.crossings], False)


def trace_curve(freedom: SingleFreedom, q: np.ndarray, tangent: np.ndarray, events: Sequence[CurveEvent]) -> SolutionCurve:
    """The whole curve through q: closed, or from end to end where terminal events end it."""
    ahead = _trace_forwards(freedom, q, tangent, events)
    if ahead.closed:
        return ahead
    behind = _trace_forwards(freedom, q, -tangent, events)
    return behind.reverse().concatenate(ahead)


@dataclass(frozen=True)
class CurveEvent:
    """A function along the curve whose changes of sign are located; a `terminal` one ends the curve where it becomes negative."""

    name: str
    value: EventFunction
    terminal: bool = False


@dataclass(frozen=True, eq=False)
class CurveCrossing:
    """A zero of an event: its distance `s` along the curve, and the configuration and the tangent there."""

    name: str
    s: float
    q: np.ndarray
    tangent: np.ndarray

    def reverse(self) -> CurveCrossing:
        """The same crossing on the curve in the opposite direction."""
        return CurveCrossing(self.name, -self.s, self.q, -self.tangent)


def range_events(name: str, k: int, low: float, high: float) -> list[CurveEvent]:
    """Events that end a curve where the coordinate with index k leaves its range."""
    events = [CurveEvent(name, lambda q, t: q[:, k] - low, terminal=True)] if np.isfinite(low) else []
    return events + ([CurveEvent(name, lambda q, t: high - q[:, k], terminal=True)] if np.isfinite(high) else [])


def _trace_forwards(freedom: SingleFreedom, q: np.ndarray, tangent: np.ndarray, events: Sequence[CurveEvent]) -> SolutionCurve:
    """The curve from q in the direction of its tangent, until it closes or ends."""
    curve = SolutionCurve(freedom, np.zeros(1), q[None], tangent[None])
    s, qs, tangents = [0.0], [q], [tangent]
    closure = _ClosureDetector(freedom, q, tangent)
    h = FIRST_STEP
    values = [_event_value(e, q, tangent) for e in events]
    zero_at_start = [e for e, v in zip(events, values, strict=True) if abs(v) < START_TOLERANCE]
    start_crossings = [CurveCrossing(e.name, 0.0, q, tangent) for e in zero_at_start if not e.terminal]
    for _ in range(MAX_STEPS):
        h, next_q, next_tangent = _try_steps(freedom, qs[-1], tangents[-1], h)
        next_values = [_event_value(e, next_q, next_tangent) for e in events]
        if len(s) == 1 and (
            stop := next((e for e in zero_at_start if e.terminal and _event_value(e, next_q, next_tangent) < 0), None)
        ):
            curve.crossings = [*start_crossings, CurveCrossing(stop.name, 0.0, q, tangent)]
            return curve
        crossed_events = [
            e
            for e, a, b in zip(events, values, next_values, strict=True)
            if (a * b < 0 or (b == 0 and a != 0)) and not (e.terminal and b > 0)
        ]
        crossings = sorted((_locate_crossing(freedom, qs[-1], tangents[-1], h, e) for e in crossed_events), key=lambda c: c.s)
        end = next((c for c in crossings if any(e.terminal and e.name == c.name for e in events)), None)
        closure_point = closure.has_passed_start(next_q, next_tangent) and _locate_crossing(
            freedom, qs[-1], tangents[-1], h, CurveEvent("closure", closure.value)
        )
        if closure_point and is_same_configuration(freedom.dyn, closure_point.q, q):
            end, curve.closed = closure_point, True
        tolerance = 1e-7 if curve.closed else 1e-9  # what lies at the start of a closed curve is crossed at its end
        curve.crossings += [
            CurveCrossing(c.name, s[-1] + c.s, c.q, c.tangent) for c in crossings if end is None or c.s <= end.s + tolerance
        ]
        if end is not None:
            s, qs, tangents = [*s, s[-1] + end.s], [*qs, end.q], [*tangents, end.tangent]
            break
        s, qs, tangents, values = [*s, s[-1] + h], [*qs, next_q], [*tangents, next_tangent], next_values
        h = _next_step_length(h, tangents[-2], next_tangent)
    curve.s, curve.q, curve.tangent = np.array(s), np.array(qs), np.array(tangents)
    repeated_names = {c.name for c in curve.crossings if curve.closed and abs(c.s - curve.s[-1]) < 1e-6}
    repeated_names |= {c.name for c in curve.crossings if c.s < 1e-6}
    curve.crossings = [*(c for c in start_crossings if c.name not in repeated_names), *curve.crossings]
    return curve


def _try_steps(freedom: SingleFreedom, q: np.ndarray, tangent: np.ndarray, h: float) -> tuple[float, np.ndarray, np.ndarray]:
    """The longest step of at most h along which the curve bends little: its length, and the point and tangent at its end."""
    while h > MIN_STEP:
        trial, correction = freedom.move_and_close(q[None], h * tangent[None])
        if correction[0] < 0.2 * h:
            next_tangent = freedom.tangent(trial, tangent)[0]
            if next_tangent @ tangent > np.cos(MAX_TURN):
                return h, trial[0], next_tangent
        h /= 2
    names = freedom.dyn.mechanism.coordinate_names
    configuration = ", ".join(f"{n} = {x:.6g}" for n, x in zip(names[:8], q, strict=False))
    raise AssemblyError(
        f"{freedom.dyn.mechanism.name}: its motion cannot be followed beyond {configuration}, because it is not smooth there"
    )


def _next_step_length(h: float, tangent: np.ndarray, next_tangent: np.ndarray) -> float:
    """The length of the next step: longer where the curve is straight."""
    return min(MAX_STEP, 1.5 * h) if tangent @ next_tangent > np.cos(STRAIGHT_TURN) else h


def _event_value(event: CurveEvent, q: np.ndarray, tangent: np.ndarray) -> float:
    return float(event.value(q[None], tangent[None])[0])


def _locate_crossing(freedom: SingleFreedom, q: np.ndarray, tangent: np.ndarray, h: float, event: CurveEvent) -> CurveCrossing:
    """The zero of an event that changes its sign within a step, to rounding."""

    def point_at(x: float) -> tuple[np.ndarray, np.ndarray]:
        closed = freedom.move_and_close(q[None], x * tangent[None])[0]
        return closed[0], freedom.tangent(closed, tangent)[0]

    if _event_value(event, *point_at(h)) == 0:
        x = h
    else:
        x = float(brentq(lambda x: _event_value(event, *point_at(x)), 0.0, h, xtol=1e-15, rtol=1e-14))
    return CurveCrossing(event.name, x, *point_at(x))


class _ClosureDetector:
    """Detects that the curve returns to its start: it crosses the normal plane there, nearby, but for whole turns."""

    def __init__(self, freedom: SingleFreedom, q: np.ndarray, tangent: np.ndarray) -> None:
        index_pairs = list(single_coordinates(freedom.dyn.mechanism).values())
        self.iq, self.iv = [a for a, _ in index_pairs], [b for _, b in index_pairs]
        periodic = set(periodic_coordinates(freedom.dyn.mechanism))
        self.is_periodic = np.array([k in periodic for k in self.iq])
        self.q, self.tangent, self.scales = q, tangent, freedom.scales
        self.previous = 0.0

    def _offset(self, q: np.ndarray) -> np.ndarray:
        d = (q - self.q)[..., self.iq]
        d = np.where(self.is_periodic, (d + np.pi) % (2 * np.pi) - np.pi, d)
        return d / self.scales[self.iv]

    def value(self, q: np.ndarray, tangent: np.ndarray) -> np.ndarray:
        distance_along: np.ndarray = self._offset(q) @ self.tangent[self.iv]
        return distance_along

    def has_passed_start(self, q: np.ndarray, tangent: np.ndarray) -> bool:
        """Whether the step to this configuration passed the start."""
        current = float(self.value(q[None], tangent[None])[0])
        crossed = self.previous < 0 <= current and bool(np.abs(self._offset(q)).max(initial=0.0) < 3 * MAX_STEP)
        self.previous = current
        return crossed
