"""Coupler curves: the curve that a point of a linkage draws, with its cusps and double points."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.optimize import minimize_scalar

from lagrangian.configuration.coordinates import characteristic_length
from lagrangian.design.display import CouplerCurveDisplay
from lagrangian.design.solution_curve import SolutionCurve
from lagrangian.design.table_file import Column, write_table_file
from lagrangian.kernels.dynamics import Dynamics

DEFAULT_POINTS = 1201
CUSP_SPEED = 1e-6  # of the largest speed: where the frame is slower, there is a cusp
MIN_CROSSING_SINE = 1e-3  # of the angle between two passes of a double point: at smaller ones a line is drawn twice
FLATNESS_TOLERANCE = 1e-9  # of the curve's extent
STANDSTILL_TOLERANCE = 1e-9  # of the mechanism's size, for a radian: a frame that is slower all along stands still


@dataclass(frozen=True, eq=False, repr=False)
class CouplerCurve(CouplerCurveDisplay):
    """The curve that a point of a linkage draws.

    `CycleAnalysis.coupler_curve` returns it. The points are evenly spaced along the configurations of the linkage.

    Attributes
    ----------
    frame : str
        The frame whose origin draws the curve.
    points : numpy.ndarray
        The points in order, with the shape (points, 3), in m.
    q : numpy.ndarray
        The configurations at these points.
    closed : bool
        Whether the curve closes on itself.
    cusps : numpy.ndarray
        The points at which the frame stands still, with the shape (count, 3).
    double_points : numpy.ndarray
        The points at which a plane curve crosses itself, with the shape (count, 3).
    length : float
        The length of the curve in m.

    Examples
    --------
    >>> import lagrangian as lg
    >>> curve = lg.analyse_cycle("slider_crank").coupler_curve("slider")
    >>> print(curve)
    slider draws a closed curve of 0.399999 m with 2 cusps at (0.2, 0, 0), (0.4, 0, 0) and no double points
    >>> curve.points.shape
    (1201, 3)
    """

    dyn: Dynamics = field(repr=False)
    frame: str
    points: np.ndarray
    q: np.ndarray
    closed: bool
    cusps: np.ndarray
    double_points: np.ndarray
    length: float

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the points and configurations to a file.

        Parameters
        ----------
        path : str or path
            The file; it ends in .csv or .nc (netCDF).

        Returns
        -------
        pathlib.Path
            The file that was written.
        """
        names = self.dyn.mechanism.coordinate_names
        columns = [Column(f"{self.frame}.{x}", self.points[:, k], "m") for k, x in enumerate("xyz")]
        columns += [Column(n, self.q[:, k], "rad or m") for k, n in enumerate(names)]
        return write_table_file(path, self.dyn.mechanism.name, "coupler curve", "point", columns)

    def __repr__(self) -> str:
        return f"<CouplerCurve of {self.frame!r}: {len(self.points)} points>"

    def __str__(self) -> str:
        if not self.length:
            return f"{self.frame} stands still at ({', '.join(f'{x + 0.0:.5g}' for x in self.points[0])})"
        kind = "closed curve" if self.closed else "curve with two ends"
        marked = f"{_format_points(self.cusps, 'cusp')} and {_format_points(self.double_points, 'double point')}"
        return f"{self.frame} draws a {kind} of {self.length:.6g} m with {marked}"


def _format_points(points: np.ndarray, noun: str) -> str:
    if not len(points):
        return f"no {noun}s"
    listed = ", ".join("(" + ", ".join(f"{x + 0.0:.5g}" for x in p) + ")" for p in points[:4])
    return f"{len(points)} {noun}{'s' * (len(points) != 1)} at {listed}{', ...' * (len(points) > 4)}"


def coupler_curve(curve: SolutionCurve, frame: str, count: int = DEFAULT_POINTS) -> CouplerCurve:
    """The curve of a frame's origin along all configurations of a linkage."""
    dyn = curve.freedom.dyn
    name = dyn.mechanism.frame(frame).name
    along_curve = _FrameAlongCurve(curve, name)
    s = np.linspace(curve.s[0], curve.s[-1], count)
    q, points, speed = along_curve(s)
    rate = np.linalg.norm(speed, axis=1)
    if rate.max() < STANDSTILL_TOLERANCE * characteristic_length(dyn.mechanism):
        no_points = np.zeros((0, 3))
        return CouplerCurve(dyn, name, points, q, curve.closed, no_points, no_points, 0.0)
    chords, coarse = (float(np.linalg.norm(np.diff(points[::k], axis=0), axis=1).sum()) for k in (1, 2))
    length = chords + (chords - coarse) / 3  # the error of chords falls with the square of their length
    cusps = along_curve.cusps(s, rate)
    return CouplerCurve(dyn, name, points, q, curve.closed, cusps, along_curve.double_points(s, points), length)


class _FrameAlongCurve:
    """The position and velocity of a frame along a curve of configurations."""

    def __init__(self, curve: SolutionCurve, frame: str) -> None:
        self.curve, self.dyn, self.frame = curve, curve.freedom.dyn, frame

    def __call__(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        q, tangent = self.curve.evaluate(s)
        points = np.asarray(self.dyn.pose(q, self.frame))[:, :3, 3]
        return q, points, np.asarray(self.dyn.velocity(q, tangent * self.curve.freedom.scales, self.frame))[:, 3:]

    def wrap(self, s: np.ndarray) -> np.ndarray:
        """Distances within the range of the curve: periodic on a closed one, clipped at the ends of another."""
        low, high = self.curve.s[0], self.curve.s[-1]
        return low + (s - low) % (high - low) if self.curve.closed else np.clip(s, low, high)

    def cusps(self, s: np.ndarray, rate: np.ndarray) -> np.ndarray:
        """The points at which the velocity vanishes: minima of its square near points that are slower than their neighbours."""
        max_rate, step, cusps = rate.max(), s[1] - s[0], []
        if not max_rate > 0:
            return np.zeros((0, 3))
        ring = np.concatenate([rate[-2:-1], rate, rate[1:2]]) if self.curve.closed else np.concatenate([[np.inf], rate, [np.inf]])
        slow = (ring[1:-1] <= ring[:-2]) & (ring[1:-1] < ring[2:]) & (rate < 0.2 * max_rate)

        def squared_speed(x: float) -> float:
            v = self(self.wrap(np.array([x])))[2][0]
            return float(v @ v)

        for k in np.flatnonzero(slow[:-1] if self.curve.closed else slow):
            minimum = minimize_scalar(
                squared_speed, bounds=(s[k] - step, s[k] + step), method="bounded", options={"xatol": 1e-10}
            )
            if np.sqrt(minimum.fun) < CUSP_SPEED * max_rate:
                cusps.append(self(self.wrap(np.array([minimum.x])))[1][0])
        return np.array(cusps).reshape(-1, 3)

    def double_points(self, s: np.ndarray, points: np.ndarray) -> np.ndarray:
        """The points at which a plane curve crosses itself: crossings of its polygon, refined by Newton's method."""
        plane = _plane_basis(points)
        if plane is None:
            return np.zeros((0, 3))
        p = points @ plane.T
        crossings = _polygon_crossings(p)
        if not len(crossings):
            return np.zeros((0, 3))
        x = np.stack([s[crossings[:, 0].astype(int)], s[crossings[:, 1].astype(int)]], axis=1) + (s[1] - s[0]) * (crossings % 1)
        for _ in range(8):
            (_, pa, va), (_, pb, vb) = (self(self.wrap(x[:, k])) for k in (0, 1))
            J = np.stack([va @ plane.T, -(vb @ plane.T)], axis=2)
            sine = np.abs(np.linalg.det(J)) / np.maximum(np.linalg.norm(J, axis=1).prod(axis=1), 1e-300)
            transverse = sine > MIN_CROSSING_SINE
            x, J, pa, pb = x[transverse], J[transverse], pa[transverse], pb[transverse]
            if not len(x):
                return np.zeros((0, 3))
            x = x - np.linalg.solve(J, ((pa - pb) @ plane.T)[..., None])[..., 0]
        candidates = self(self.wrap(x[:, 0]))[1]
        distinct: list[np.ndarray] = []
        for point in candidates:
            if not any(np.linalg.norm(point - earlier) < 1e-6 * np.ptp(points, axis=0).max() for earlier in distinct):
                distinct.append(point)
        return np.array(distinct).reshape(-1, 3)


def _plane_basis(points: np.ndarray) -> np.ndarray | None:
    """Two unit vectors of the plane that points lie in; None if they lie in no plane, or on a line."""
    offsets = points - points.mean(axis=0)
    _, s, Vt = np.linalg.svd(offsets, full_matrices=False)
    if s[2] > FLATNESS_TOLERANCE * s[0] or s[1] < 1e-6 * s[0]:
        return None
    return Vt[:2]


def _polygon_crossings(p: np.ndarray) -> np.ndarray:
    """The crossings of a polygon with itself, as pairs of side indices whose fractions say where on the sides they lie."""
    a, d = p[:-1], np.diff(p, axis=0)
    n, crossings = len(a), []
    for k in range(n - 2):
        j = np.arange(k + 2, n)
        cross = d[k, 0] * d[j, 1] - d[k, 1] * d[j, 0]
        offsets = a[j] - a[k]
        with np.errstate(divide="ignore", invalid="ignore"):
            u = (offsets[:, 0] * d[j, 1] - offsets[:, 1] * d[j, 0]) / cross
            w = (offsets[:, 0] * d[k, 1] - offsets[:, 1] * d[k, 0]) / cross
        sine = np.abs(cross) / np.maximum(np.linalg.norm(d[k]) * np.linalg.norm(d[j], axis=1), 1e-300)
        hit = (u >= 0) & (u < 1) & (w >= 0) & (w < 1) & (sine > MIN_CROSSING_SINE)
        if k == 0:
            hit &= j < n - 1  # the last side ends where the first begins
        crossings += [(k + u[i], j[i] + w[i]) for i in np.flatnonzero(hit)]
    return np.array(crossings).reshape(-1, 2)
