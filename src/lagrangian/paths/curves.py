"""Curves in space, of coordinates or of points: x over s from 0 to 1, with its two derivatives by s."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import floats
from lagrangian.cached import cached_property
from lagrangian.errors import ArgumentError, one_of, shown

Values = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class Line:
    """Straight from `a` to `b`."""

    a: np.ndarray
    b: np.ndarray

    def __call__(self, s: np.ndarray) -> Values:
        d = self.b - self.a
        return self.a + s[:, None] * d, np.broadcast_to(d, (len(s), len(d))), np.zeros((len(s), len(d)))


@dataclass(frozen=True, eq=False)
class Circle:
    """About `center` with `radius`, in the plane of the unit vectors `u` and `v`: from angle `first` through `sweep` radians."""

    center: np.ndarray
    radius: float
    u: np.ndarray
    v: np.ndarray
    first: float
    sweep: float

    def __call__(self, s: np.ndarray) -> Values:
        angle = (self.first + s * self.sweep)[:, None]
        out = self.radius * (np.cos(angle) * self.u + np.sin(angle) * self.v)
        along = self.radius * (np.cos(angle) * self.v - np.sin(angle) * self.u)
        return self.center + out, self.sweep * along, -(self.sweep**2) * out


@dataclass(frozen=True, eq=False)
class Spline:
    """Through `points` at `knots`; `degree` 3 has continuous accelerations, 5 continuous ones of these too.

    `ends` says what holds at both: "free" (nothing: the outermost pieces go on), "natural" (no curvature), "clamped" (at rest),
    "periodic" (it closes on itself).
    """

    knots: np.ndarray
    points: np.ndarray
    degree: int = 3
    ends: str = "natural"

    @cached_property
    def _pieces(self) -> tuple[Any, Any, Any]:
        from scipy.interpolate import make_interp_spline

        zero = np.zeros(self.points.shape[1:])
        missing = (self.degree - 1) // 2  # derivatives to be said at each end
        orders = {"natural": range(2, 2 + missing), "clamped": range(1, 1 + missing)}
        bc: Any = "periodic" if self.ends == "periodic" else None
        if self.ends in orders:
            given = [(order, zero) for order in orders[self.ends]]
            bc = (given, given)
        spline = make_interp_spline(self.knots, self.points, k=self.degree, bc_type=bc)
        return spline, spline.derivative(1), spline.derivative(2)

    def __call__(self, s: np.ndarray) -> Values:
        s = np.clip(s, self.knots[0], self.knots[-1])
        return tuple(np.asarray(piece(s)) for piece in self._pieces)  # type: ignore[return-value]


ENDS = ("free", "natural", "clamped", "periodic")


def spline(points: np.ndarray, knots: np.ndarray, degree: int | None, ends: str) -> Spline:
    """A spline, its arguments checked; without a degree, of the fifth, or as far as few points with free ends determine it."""
    if ends not in ENDS:
        raise ArgumentError(one_of("end condition", ends, ENDS), concerns="ends")
    if degree is None:
        if ends == "free" and len(points) == 2:
            degree, ends = 3, "natural"  # a straight line
        else:
            degree = min(5, len(points) - 1) if ends == "free" else 5
    elif degree not in (3, 5):
        raise ArgumentError(
            f"the spline's degree is {degree!r}; 3 (continuous acceleration) or 5 (smoother) is needed", concerns="degree"
        )
    least = degree + 1 if ends == "free" else 3 if ends == "periodic" else 2
    if len(points) < least:
        raise ArgumentError(
            f"{len(points)} points are given; a spline of degree {degree} with {ends} ends needs {least}", concerns="points"
        )
    if ends == "periodic" and np.abs(points[0] - points[-1]).max() > 1e-9 * max(1.0, float(np.abs(points).max())):
        raise ArgumentError("a periodic spline ends where it begins: its last point must be its first", concerns="points")
    if ends == "periodic":
        points = np.vstack([points[:-1], points[:1]])
    return Spline(knots, points, degree, ends)


def circle(center: np.ndarray, radius: float, normal: ArrayLike, start: ArrayLike | None, sweep: float) -> Circle:
    """`start` is a direction from the centre, or None for that of x, or of y where the normal is along x."""
    n = _unit(normal, "normal")
    if start is None:
        start = np.array([1.0, 0, 0]) if abs(n[0]) < 0.9 else np.array([0, 1.0, 0])
    first = _unit(start, "start")
    u = first - (first @ n) * n
    if np.linalg.norm(u) < 1e-9:
        raise ArgumentError(
            f"the circle's start direction {first} is parallel to its normal {n}; choose another direction", concerns="start"
        )
    u = u / np.linalg.norm(u)
    return Circle(center, radius, u, np.cross(n, u), 0.0, sweep)


def arc(a: np.ndarray, via: np.ndarray, b: np.ndarray) -> Circle:
    """The arc from a over via to b."""
    x, y = via - a, b - a
    n = np.cross(x, y)
    size = float(n @ n)
    if size < 1e-18 * max(float(x @ x), float(y @ y)) ** 2 or size == 0:
        raise ArgumentError("the three points of the arc lie on a line; use paths.line, or move `via`", concerns="through")
    center = a + np.cross((x @ x) * y - (y @ y) * x, n) / (2 * size)
    u = a - center
    radius = float(np.linalg.norm(u))
    u, n = u / radius, n / math.sqrt(size)
    v = np.cross(n, u)
    sweep = math.atan2(float((b - center) @ v), float((b - center) @ u)) % (2 * math.pi)
    return Circle(center, radius, u, v, 0.0, sweep)


def chords(points: np.ndarray) -> np.ndarray:
    """Knots for a spline through points, spaced by their distances."""
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if (steps == 0).any():
        k = int(np.argmin(steps))
        raise ArgumentError(
            f"points {k + 1} and {k + 2} of the spline are the same; leave one out, or give `times`", concerns="points"
        )
    total = np.concatenate([[0.0], np.cumsum(steps)])
    return total / (total[-1] or 1.0)


def _unit(x: Any, what: str) -> np.ndarray:
    try:
        found = floats(x)
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.shape != (3,) or not np.isfinite(found).all() or not np.linalg.norm(found) > 1e-12:
        raise ArgumentError(f"the circle's {what} is {shown(x)}; three numbers with a direction are needed, such as (0, 0, 1)")
    return found / np.linalg.norm(found)
