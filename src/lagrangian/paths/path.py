"""Paths over time, of joints or of a frame: exact positions, speeds and accelerations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import floats
from lagrangian.errors import ArgumentError, format_value, is_number, unknown_direction_message
from lagrangian.model.frame import ANGULAR_COMPONENTS, TWIST_COMPONENTS
from lagrangian.model.rotation import quaternion
from lagrangian.paths.curves import ValuesAndDerivatives

# a function of times (n,) since the path's beginning: values and their two derivatives, (n, k) each
TimeFunction = Callable[[np.ndarray], ValuesAndDerivatives]
JOIN_TOLERANCE = 1e-9  # between the end of one path and the beginning of the next


@dataclass(frozen=True, eq=False)
class Path:
    """A path to follow from `start` to `end`, in seconds.

    `discontinuities` are the times between them at which the acceleration jumps, `corners` those at which the path is less smooth
    than elsewhere.
    """

    duration: float
    start: float = field(default=0.0, kw_only=True)
    discontinuities: tuple[float, ...] = field(default=(), kw_only=True)
    corners: tuple[float, ...] = field(default=(), kw_only=True)

    @property
    def end(self) -> float:
        """The time at which the path ends, in seconds."""
        return self.start + self.duration

    def with_start_time(self, t: float) -> Self:
        """Return the same path with another start time.

        Parameters
        ----------
        t : float
            The time at which the new path starts, in seconds.

        Returns
        -------
        JointPath or CartesianPath
            The shifted path.

        Examples
        --------
        >>> import lagrangian as lg
        >>> lg.paths.joint_line([0, 0], [1, 2], 1.5).with_start_time(10.0)
        <JointPath of 2 coordinates: 10 to 11.5 s>
        """
        if not is_number(t):
            raise ArgumentError(f"is {format_value(t)}", argument="t", remedy="a number of seconds is needed")
        shift = float(t) - self.start
        discontinuities, corners = (tuple(x + shift for x in times) for times in (self.discontinuities, self.corners))
        return replace(self, start=float(t), discontinuities=discontinuities, corners=corners)

    def times(self, count: int) -> np.ndarray:
        """Return evenly spaced times from the start to the end of the path.

        Parameters
        ----------
        count : int
            The number of times.

        Returns
        -------
        numpy.ndarray
            The times in seconds.

        Examples
        --------
        >>> import lagrangian as lg
        >>> lg.paths.joint_line([0, 0], [1, 2], 1.5).times(4)
        array([0. , 0.5, 1. , 1.5])
        """
        return np.linspace(self.start, self.end, count)

    def _time_since_start(self, t: Any) -> np.ndarray:
        """Checked times since the start."""
        try:
            times = np.atleast_1d(floats(t)) - self.start
        except (TypeError, ValueError):
            raise ArgumentError(f"is {format_value(t)}", argument="t", remedy="a time, or an array of times, is needed") from None
        tolerance = 1e-9 * max(1.0, abs(self.start), abs(self.end))
        if times.ndim != 1 or not (np.all(times >= -tolerance) and np.all(times <= self.duration + tolerance)):
            raise ArgumentError(f"the path runs from {self.start:g} to {self.end:g} s; t is {format_value(t, 80)}", concerns="t")
        return np.clip(times, 0.0, self.duration)


@dataclass(frozen=True, eq=False)
class JointPath(Path):
    """A path of joint coordinates.

    The functions of `lagrangian.paths` make such paths. Call a path with a time, or with an array of times, to get `(q, qd,
    qdd)`: the coordinates, speeds and accelerations. For n times each array has the shape (n, size).

    Attributes
    ----------
    names : tuple of str or None
        The coordinates that the path leads. None stands for all coordinates of a mechanism, in its order.
    start, duration, end : float
        The time at which the path begins, how long it takes and when it ends, in seconds.
    size : int
        The number of coordinates.
    discontinuities : tuple of float
        The times at which the acceleration jumps.
    corners : tuple of float
        The times at which higher derivatives jump, such as the knots of a spline.

    Examples
    --------
    >>> import lagrangian as lg
    >>> path = lg.paths.joint_line({"theta1": 0.0, "theta2": 0.0}, {"theta1": 1.0, "theta2": -0.5}, duration=2.0)
    >>> path
    <JointPath of theta1, theta2: 0 to 2 s>
    >>> q, qd, qdd = path(1.0)
    >>> q, qd
    (array([ 0.5 , -0.25]), array([ 0.9375 , -0.46875]))
    >>> path(path.times(5))[0].shape
    (5, 2)
    """

    motion: TimeFunction = field(kw_only=True)
    names: tuple[str, ...] | None = field(default=None, kw_only=True)

    def __call__(self, t: ArrayLike) -> ValuesAndDerivatives:
        q, qd, qdd = self.motion(self._time_since_start(t))
        return (q[0], qd[0], qdd[0]) if np.ndim(t) == 0 else (q, qd, qdd)

    @property
    def size(self) -> int:
        """The number of coordinates that the path leads."""
        return len(self(self.start)[0])

    def __repr__(self) -> str:
        coordinates = ", ".join(self.names) if self.names is not None else f"{self.size} coordinates"
        return f"<JointPath of {coordinates}: {self.start:g} to {self.end:g} s>"


@dataclass(frozen=True, eq=False)
class CartesianPath(Path):
    """A path of a frame: of its position, and of its orientation if the path has one.

    The functions of `lagrangian.paths` make such paths. Call a path with a time, or with an array of times, to get `(pose,
    velocity, acceleration)` along the axes of the world: a 4x4 matrix, and two vectors of six numbers with the angular part
    first. For n times the arrays have the shapes (n, 4, 4), (n, 6) and (n, 6).

    Attributes
    ----------
    frame : str or None
        The frame that the path leads. If it is None, the function that follows the path needs a frame.
    directions : tuple of str
        Those of "wx", "wy", "wz", "x", "y", "z" that the path prescribes. A path of points leaves the orientation free.
    start, duration, end : float
        The time at which the path begins, how long it takes and when it ends, in seconds.
    discontinuities : tuple of float
        The times at which the acceleration jumps.
    corners : tuple of float
        The times at which higher derivatives jump, such as the knots of a spline.

    Examples
    --------
    >>> import lagrangian as lg
    >>> path = lg.paths.circle((1.0, 0.5), 0.2, duration=4.0, frame="tip")
    >>> path.directions
    ('x', 'y')
    >>> pose, velocity, acceleration = path(0.0)
    >>> pose[:3, 3]
    array([1.2, 0.5, 0. ])
    """

    position: TimeFunction = field(kw_only=True)
    orientation: TimeFunction | None = field(default=None, kw_only=True)  # quaternions, angular velocity and acceleration
    frame: str | None = field(default=None, kw_only=True)
    directions: tuple[str, ...] = field(default=TWIST_COMPONENTS[3:], kw_only=True)

    def __post_init__(self) -> None:
        for direction in self.directions:
            if direction not in TWIST_COMPONENTS:
                raise ArgumentError(
                    f"the path's directions: {unknown_direction_message(direction, TWIST_COMPONENTS)}",
                    concerns="directions",
                )
        if self.orientation is None and any(d in ANGULAR_COMPONENTS for d in self.directions):
            raise ArgumentError("the path has no orientation, so it cannot lead wx, wy or wz", concerns="directions")

    def __call__(self, t: ArrayLike) -> ValuesAndDerivatives:
        elapsed = self._time_since_start(t)
        n = len(elapsed)
        pose, velocity, acceleration = np.broadcast_to(np.eye(4), (n, 4, 4)).copy(), np.zeros((n, 6)), np.zeros((n, 6))
        pose[:, :3, 3], velocity[:, 3:], acceleration[:, 3:] = self.position(elapsed)
        if self.orientation is not None:
            quaternions, velocity[:, :3], acceleration[:, :3] = self.orientation(elapsed)
            pose[:, :3, :3] = quaternion.matrix(quaternions)
        return (pose[0], velocity[0], acceleration[0]) if np.ndim(t) == 0 else (pose, velocity, acceleration)

    def __repr__(self) -> str:
        frame_text = f" of {self.frame!r}" if self.frame else ""
        return f"<CartesianPath{frame_text} along {', '.join(self.directions)}: {self.start:g} to {self.end:g} s>"


@dataclass(frozen=True, eq=False)
class TimedCurve:
    """A curve run through with a timing: its derivatives by time, from those by s."""

    curve: Callable[[np.ndarray], ValuesAndDerivatives]
    timing: Callable[[np.ndarray], ValuesAndDerivatives]

    def __call__(self, t: np.ndarray) -> ValuesAndDerivatives:
        s, sd, sdd = self.timing(t)
        x, slope, curvature = self.curve(s)
        return x, slope * sd[:, None], curvature * (sd * sd)[:, None] + slope * sdd[:, None]


def knot_times(timing: Any, *curves: Any) -> tuple[float, ...]:
    """The times at which a timing reaches the inner knots of splines."""
    knots = {float(x) for curve in curves for x in getattr(curve, "knots", ())[1:-1]}
    s = np.array(sorted(knots))
    low, high = np.zeros(len(s)), np.full(len(s), float(timing.duration))
    for _ in range(60 if len(s) else 0):
        middle = 0.5 * (low + high)
        before = timing(middle)[0] < s
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    return tuple(float(x) for x in high)


@dataclass(frozen=True, eq=False)
class ConcatenatedMotion:
    """Several motions, one after the other."""

    motions: tuple[TimeFunction, ...]
    starts: np.ndarray  # the time at which each begins

    def __call__(self, t: np.ndarray) -> ValuesAndDerivatives:
        motion_index = np.clip(np.searchsorted(self.starts, t, side="right") - 1, 0, len(self.motions) - 1)
        values: list[np.ndarray] | None = None
        for k in np.unique(motion_index) if len(motion_index) else [0]:
            rows = motion_index == k
            parts = self.motions[k](t[rows] - self.starts[k])
            if values is None:
                values = [np.empty((len(t), x.shape[1])) for x in parts]
            for column, part in zip(values, parts, strict=True):
                column[rows] = part
        assert values is not None
        return values[0], values[1], values[2]


def concatenate_paths(paths: Sequence[Any]) -> JointPath | CartesianPath:
    """Join paths, all of joints or all of the same frame, into one; each begins where the one before ends."""
    if not paths or not all(isinstance(p, Path) for p in paths):
        raise ArgumentError("a sequence needs paths, such as paths.sequence(a, b)", concerns="paths")
    first = paths[0]
    duration, starts, discontinuities, corners = 0.0, [], [], []
    for k, path in enumerate(paths):
        _check_same_coordinates(first, path, k)
        if k:
            _check_continuity(paths[k - 1], path, k)
            discontinuities.append(first.start + duration)
        discontinuities += [first.start + duration + x - path.start for x in path.discontinuities]
        corners += [first.start + duration + x - path.start for x in path.corners]
        starts.append(duration)
        duration += path.duration
    start_times = np.array(starts)

    def concatenate_motions(motions: Sequence[Any]) -> ConcatenatedMotion:
        return ConcatenatedMotion(tuple(motions), start_times)

    common: dict[str, Any] = {"duration": duration, "discontinuities": tuple(discontinuities), "corners": tuple(corners)}
    if isinstance(first, JointPath):
        return replace(first, motion=concatenate_motions([p.motion for p in paths]), **common)
    orientation = None if first.orientation is None else concatenate_motions([p.orientation for p in paths])
    return replace(first, position=concatenate_motions([p.position for p in paths]), orientation=orientation, **common)


def _check_same_coordinates(first: Any, path: Any, k: int) -> None:
    same = type(path) is type(first)
    if same and isinstance(path, JointPath):
        same = path.names == first.names and path.size == first.size
    elif same:
        same = (path.frame, path.directions) == (first.frame, first.directions)
    if not same:
        raise ArgumentError(
            f"path {k + 1} of the sequence, {path!r}, does not lead the same coordinates or frame as the first, {first!r}",
            concerns="paths",
        )


def _check_continuity(path: Any, next_path: Any, k: int) -> None:
    for quantity, a, b in zip(("position", "speed"), path(path.end)[:2], next_path(next_path.start)[:2], strict=True):
        difference = float(np.abs(a - b).max())
        if difference > JOIN_TOLERANCE * max(1.0, float(np.abs(a).max())):
            hint = "; paths with timing='quintic' or 'trapezoidal' begin and end at rest" if quantity == "speed" else ""
            raise ArgumentError(
                f"path {k + 1} of the sequence does not begin as path {k} ends: the {quantity} differs by {difference:.3g}{hint}",
                concerns="paths",
            )
