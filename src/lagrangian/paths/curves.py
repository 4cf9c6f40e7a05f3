"""Curves over s from 0 to 1 with two derivatives by s: of coordinates or points, and of orientations.

A curve of orientations gives unit quaternions, and the angular velocity and acceleration by s along the axes of the world.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import floats
from lagrangian.cached import cached_property
from lagrangian.errors import ArgumentError, format_value, unknown_name_message
from lagrangian.model.rotation import quaternion

ValuesAndDerivatives = tuple[np.ndarray, np.ndarray, np.ndarray]  # a value a row, and its first and second derivatives
END_CONDITIONS = ("free", "natural", "clamped", "periodic")


@dataclass(frozen=True, eq=False)
class LineSegment:
    """The straight line from `start` to `end`."""

    start: np.ndarray
    end: np.ndarray

    def __call__(self, s: np.ndarray) -> ValuesAndDerivatives:
        d = self.end - self.start
        return self.start + s[:, None] * d, np.broadcast_to(d, (len(s), len(d))), np.zeros((len(s), len(d)))


@dataclass(frozen=True, eq=False)
class CircularArc:
    """An arc about `centre` in the plane of the unit vectors `u` and `v`, from `start_angle` through `sweep` radians."""

    centre: np.ndarray
    radius: float
    u: np.ndarray
    v: np.ndarray
    start_angle: float
    sweep: float

    def __call__(self, s: np.ndarray) -> ValuesAndDerivatives:
        angle = (self.start_angle + s * self.sweep)[:, None]
        radial = self.radius * (np.cos(angle) * self.u + np.sin(angle) * self.v)
        tangential = self.radius * (np.cos(angle) * self.v - np.sin(angle) * self.u)
        return self.centre + radial, self.sweep * tangential, -(self.sweep**2) * radial


@dataclass(frozen=True, eq=False)
class Spline:
    """A spline through `points` at `knots`; of degree 3 it has two continuous derivatives, of degree 5 four.

    `ends` names the end conditions: "free" (none: the outermost pieces go on), "natural" (no curvature), "clamped" (at rest) or
    "periodic" (the spline closes on itself).
    """

    knots: np.ndarray
    points: np.ndarray
    degree: int = 3
    ends: str = "natural"

    @cached_property
    def _spline_and_derivatives(self) -> tuple[Any, Any, Any]:
        from scipy.interpolate import make_interp_spline

        zero = np.zeros(self.points.shape[1:])
        conditions_per_end = (self.degree - 1) // 2  # derivatives that are prescribed at each end
        orders = {"natural": range(2, 2 + conditions_per_end), "clamped": range(1, 1 + conditions_per_end)}
        bc: Any = "periodic" if self.ends == "periodic" else None
        if self.ends in orders:
            conditions = [(order, zero) for order in orders[self.ends]]
            bc = (conditions, conditions)
        spline = make_interp_spline(self.knots, self.points, k=self.degree, bc_type=bc)
        return spline, spline.derivative(1), spline.derivative(2)

    def __call__(self, s: np.ndarray) -> ValuesAndDerivatives:
        s = np.clip(s, self.knots[0], self.knots[-1])
        return tuple(np.asarray(function(s)) for function in self._spline_and_derivatives)  # type: ignore[return-value]


def spline(points: np.ndarray, knots: np.ndarray, degree: int | None, ends: str) -> Spline:
    """A spline from checked arguments; without a degree it is of the fifth, or lower if few points with free ends need it."""
    if ends not in END_CONDITIONS:
        raise ArgumentError(unknown_name_message("end condition", ends, END_CONDITIONS), concerns="ends")
    if degree is None:
        if ends == "free" and len(points) == 2:
            degree, ends = 3, "natural"  # a straight line
        else:
            degree = min(5, len(points) - 1) if ends == "free" else 5
    elif degree not in (3, 5):
        raise ArgumentError(
            f"the spline's degree is {degree!r}; 3 (continuous acceleration) or 5 (smoother) is needed", concerns="degree"
        )
    min_points = degree + 1 if ends == "free" else 3 if ends == "periodic" else 2
    if len(points) < min_points:
        raise ArgumentError(
            f"{len(points)} points are given; a spline of degree {degree} with {ends} ends needs {min_points}", concerns="points"
        )
    if ends == "periodic" and np.abs(points[0] - points[-1]).max() > 1e-9 * max(1.0, float(np.abs(points).max())):
        raise ArgumentError("a periodic spline ends where it begins: its last point must be its first", concerns="points")
    if ends == "periodic":
        points = np.vstack([points[:-1], points[:1]])
    return Spline(knots, points, degree, ends)


def circle(centre: np.ndarray, radius: float, normal: ArrayLike, start: ArrayLike | None, sweep: float) -> CircularArc:
    """An arc of a circle from the direction `start`; its default is x, or y if the normal is along x."""
    n = _unit_vector(normal, "normal")
    if start is None:
        start = np.array([1.0, 0, 0]) if abs(n[0]) < 0.9 else np.array([0, 1.0, 0])
    direction = _unit_vector(start, "start")
    u = direction - (direction @ n) * n
    if np.linalg.norm(u) < 1e-9:
        raise ArgumentError(
            f"the circle's start direction {direction} is parallel to its normal {n}; choose another direction", concerns="start"
        )
    u = u / np.linalg.norm(u)
    return CircularArc(centre, radius, u, np.cross(n, u), 0.0, sweep)


def arc(a: np.ndarray, via: np.ndarray, b: np.ndarray) -> CircularArc:
    """The arc of a circle from a through via to b."""
    x, y = via - a, b - a
    n = np.cross(x, y)
    size = float(n @ n)
    if size < 1e-18 * max(float(x @ x), float(y @ y)) ** 2 or size == 0:
        raise ArgumentError("the three points of the arc lie on a line; use paths.line, or move `via`", concerns="through")
    centre = a + np.cross((x @ x) * y - (y @ y) * x, n) / (2 * size)
    u = a - centre
    radius = float(np.linalg.norm(u))
    u, n = u / radius, n / math.sqrt(size)
    v = np.cross(n, u)
    sweep = math.atan2(float((b - centre) @ v), float((b - centre) @ u)) % (2 * math.pi)
    return CircularArc(centre, radius, u, v, 0.0, sweep)


def chord_length_knots(points: np.ndarray) -> np.ndarray:
    """Knots for a spline through points, spaced by their distances."""
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if (steps == 0).any():
        k = int(np.argmin(steps))
        raise ArgumentError(
            f"points {k + 1} and {k + 2} of the spline are the same; leave one out, or give `times`", concerns="points"
        )
    distances = np.concatenate([[0.0], np.cumsum(steps)])
    return distances / (distances[-1] or 1.0)


def _unit_vector(x: Any, argument: str) -> np.ndarray:
    try:
        vector = floats(x)
    except (TypeError, ValueError):
        vector = np.zeros(0)
    if vector.shape != (3,) or not np.isfinite(vector).all() or not np.linalg.norm(vector) > 1e-12:
        raise ArgumentError(
            f"the circle's {argument} is {format_value(x)}; three numbers with a direction are needed, such as (0, 0, 1)"
        )
    return vector / np.linalg.norm(vector)


# ---- orientations


@dataclass(frozen=True, eq=False)
class Slerp:
    """The shortest rotation from the quaternion `start` to `end`, about one axis at one speed (Shoemake 1985)."""

    start: np.ndarray
    end: np.ndarray

    def __call__(self, s: np.ndarray) -> ValuesAndDerivatives:
        rotation_vector = quaternion.logarithm(quaternion.product(self.end, quaternion.conjugate(self.start)))
        orientations = quaternion.product(
            quaternion.exponential(s[:, None] * rotation_vector), np.broadcast_to(self.start, (len(s), 4))
        )
        return orientations, np.broadcast_to(rotation_vector, (len(s), 3)), np.zeros((len(s), 3))


@dataclass(frozen=True, eq=False)
class QuaternionSpline:
    """A spline through several orientations: one of their quaternions, normalised."""

    spline: Spline

    @property
    def knots(self) -> np.ndarray:
        return self.spline.knots

    @staticmethod
    def through(knots: np.ndarray, quaternions: np.ndarray, degree: int, ends: str) -> QuaternionSpline:
        quaternions = quaternions.copy()
        for k in range(1, len(quaternions)):  # of the two quaternions of each orientation, the nearer one
            if quaternions[k] @ quaternions[k - 1] < 0:
                quaternions[k] = -quaternions[k]
        if ends == "periodic":
            if np.abs(np.abs(quaternions[0] @ quaternions[-1]) - 1) > 1e-9:
                raise ArgumentError(
                    "a periodic spline ends where it begins: its last orientation must be its first", concerns="orientation"
                )
            if quaternions[0] @ quaternions[-1] < 0:
                raise ArgumentError(
                    "the orientations make a whole turn, so a periodic spline cannot close them; use ends='clamped'",
                    concerns="orientation",
                )
            quaternions[-1] = quaternions[0]
        return QuaternionSpline(Spline(knots, quaternions, degree, ends))

    def __call__(self, s: np.ndarray) -> ValuesAndDerivatives:
        values, slope, curvature = self.spline(s)
        # u = values / |values|; of its derivatives only the parts across u rotate
        size = np.linalg.norm(values, axis=1, keepdims=True)
        u = values / size
        along = (u * slope).sum(axis=1, keepdims=True) / size
        du = slope / size - along * u
        ddu = curvature / size - 2 * along * slope / size  # without the part along u, which does not rotate
        inverse = quaternion.conjugate(u)
        return u, 2 * quaternion.product(du, inverse)[:, 1:], 2 * quaternion.product(ddu, inverse)[:, 1:]


def as_quaternion(value: Any, argument: str) -> np.ndarray:
    """The unit quaternion of a 3x3 matrix, of the rotation of a 4x4 one, or of four numbers (w, x, y, z)."""
    try:
        x = floats(value)
    except (TypeError, ValueError):
        x = np.zeros(0)
    if x.shape == (4, 4):
        x = x[:3, :3]
    if not np.isfinite(x).all() or x.shape not in ((3, 3), (4,)):
        raise ArgumentError(
            f"{argument} is {format_value(value)}; a 3x3 rotation matrix, a 4x4 pose, or a quaternion (w, x, y, z) is needed"
        )
    if x.shape == (4,):
        if not np.linalg.norm(x) > 1e-12:
            raise ArgumentError(
                f"{argument} is a quaternion of zeros, which is not a rotation; (1, 0, 0, 0) leaves the orientation unchanged"
            )
        return x / np.linalg.norm(x)
    if np.abs(x @ x.T - np.eye(3)).max() > 1e-6 or np.linalg.det(x) < 0:
        raise ArgumentError(
            f"{argument} is not a rotation matrix: its columns must be perpendicular, of length one, right-handed"
        )
    return quaternion.from_matrix(x)
