"""Paths of a frame: lines, circles, arcs and splines of its origin, with or without its orientation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import distinct_names
from lagrangian.errors import ArgumentError, format_value, is_number
from lagrangian.model.frame import TWIST_COMPONENTS
from lagrangian.paths import curves
from lagrangian.paths.arguments import as_point_or_pose, check_increasing, check_only_times, finite_array
from lagrangian.paths.curves import QuaternionSpline, Slerp, as_quaternion
from lagrangian.paths.path import CartesianPath, TimedCurve, knot_times
from lagrangian.paths.timing import timing_from_duration, timing_within_limits
from lagrangian.public import public


@public
def line(
    start: ArrayLike,
    end: ArrayLike,
    duration: float | None = None,
    *,
    frame: str | None = None,
    timing: str = "quintic",
    ramp: float | None = None,
    speed: float | None = None,
    acceleration: float | None = None,
    angular_speed: float | None = None,
    angular_acceleration: float | None = None,
    orientation: ArrayLike | None = None,
    directions: str | Iterable[str] | None = None,
) -> CartesianPath:
    """Move a frame along a straight line.

    Give a `duration`, or limits of `speed` and `acceleration`; with limits the path is as quick as they allow.

    Parameters
    ----------
    start, end : array_like
        The first and the last point, (x, y) or (x, y, z) in metres, or 4x4 poses. Points leave the orientation free; between
        poses the frame turns about one axis.
    duration : float, optional
        How long the path takes, in seconds.
    frame : str, optional
        The frame that is led. The function that follows the path can name it instead.
    timing : {"quintic", "trapezoidal", "uniform"}
        How the path is run through. "quintic" and "trapezoidal" go from rest to rest; "uniform" has a constant speed.
    ramp : float, optional
        How long a trapezoidal timing with a duration accelerates, and how long it brakes, in seconds. The default is a third of
        the duration.
    speed, acceleration : float, optional
        The largest speed and acceleration of the origin, in m/s and m/s^2.
    angular_speed, angular_acceleration : float, optional
        The largest angular speed and acceleration of a path with an orientation, in rad/s and rad/s^2.
    orientation : array_like, optional
        The orientation to keep, as a 3x3 matrix or a quaternion (w, x, y, z), or a pair of them to turn between.
    directions : str or iterable of str, optional
        Those of "x", "y", "z", "wx", "wy", "wz" that the path prescribes; the others stay free. The default is all that it has.

    Returns
    -------
    CartesianPath
        The path.

    Raises
    ------
    ArgumentError
        If only one end has an orientation, or if neither a duration nor limits are given.

    Examples
    --------
    >>> import lagrangian as lg
    >>> path = lg.paths.line((1.2, 0.4), (0.8, 0.9), frame="tip", speed=0.5, acceleration=2.0)
    >>> path
    <CartesianPath of 'tip' along x, y: 0 to 2.40117 s>
    >>> motion = lg.inverse("two_r", path)
    >>> [round(float(x), 3) for x in motion.q[-1]]
    [-0.081, 1.849]
    """
    (a, quaternion_a), (b, quaternion_b) = (as_point_or_pose(x, argument) for x, argument in ((start, "start"), (end, "end")))
    if (quaternion_a is None) != (quaternion_b is None):
        raise ArgumentError("the line has an orientation at one end only; give points, or poses, at both")
    if len(a) != len(b):
        raise ArgumentError(f"the line begins with {len(a)} coordinates and ends with {len(b)}")
    options = FramePathOptions(
        frame, timing, ramp, speed, acceleration, angular_speed, angular_acceleration, orientation, directions
    )
    return _make_cartesian_path(
        curves.LineSegment(a, b), len(a), duration, options, None if quaternion_a is None else (quaternion_a, quaternion_b)
    )


@public
def circle(
    center: ArrayLike,
    radius: float,
    duration: float | None = None,
    *,
    normal: Sequence[float] | np.ndarray = (0, 0, 1),
    start: Sequence[float] | np.ndarray | None = None,
    turns: float = 1.0,
    frame: str | None = None,
    timing: str = "quintic",
    ramp: float | None = None,
    speed: float | None = None,
    acceleration: float | None = None,
    angular_speed: float | None = None,
    angular_acceleration: float | None = None,
    orientation: ArrayLike | None = None,
    directions: str | Iterable[str] | None = None,
) -> CartesianPath:
    """Move a frame along a circle.

    The frame runs anticlockwise about `normal`. Give a `duration`, or limits of `speed` and `acceleration`.

    Parameters
    ----------
    center : array_like
        The centre, (x, y) or (x, y, z) in metres. With (x, y) the path prescribes these two directions only.
    radius : float
        The radius in metres.
    duration : float, optional
        How long the path takes, in seconds.
    normal : sequence of float
        The normal of the circle's plane. The default is the z axis.
    start : sequence of float, optional
        The direction from the centre in which the path begins. The default is x, or y if the normal is along x.
    turns : float
        How many turns the path makes; a negative number runs clockwise.
    frame : str, optional
        The frame that is led. The function that follows the path can name it instead.
    timing : {"quintic", "trapezoidal", "uniform"}
        How the path is run through. "quintic" and "trapezoidal" go from rest to rest; "uniform" has a constant speed.
    ramp : float, optional
        How long a trapezoidal timing with a duration accelerates and brakes, in seconds.
    speed, acceleration : float, optional
        The largest speed and acceleration of the origin, in m/s and m/s^2.
    angular_speed, angular_acceleration : float, optional
        The largest angular speed and acceleration of a path with an orientation, in rad/s and rad/s^2.
    orientation : array_like, optional
        The orientation to keep, as a 3x3 matrix or a quaternion (w, x, y, z), or a pair of them to turn between.
    directions : str or iterable of str, optional
        Those of "x", "y", "z", "wx", "wy", "wz" that the path prescribes; the others stay free.

    Returns
    -------
    CartesianPath
        The path.

    Raises
    ------
    ArgumentError
        If the radius is not positive, or if neither a duration nor limits are given.

    Examples
    --------
    >>> import lagrangian as lg
    >>> path = lg.paths.circle((1.0, 0.5), 0.2, duration=4.0, frame="tip")
    >>> motion = lg.inverse("two_r", path)
    >>> round(float(abs(motion.tau[:, 0]).max()), 2)  # the largest torque of the first joint, in N m
    225.41
    """
    centre_point = finite_array(center, "center", 1)
    planar = len(centre_point) == 2
    if len(centre_point) not in (2, 3):
        raise ArgumentError(f"has {len(centre_point)} numbers", argument="center", remedy="(x, y) or (x, y, z) is needed")
    if not is_number(radius) or radius <= 0:
        raise ArgumentError(f"is {radius!r}; a positive number of metres is needed", argument="radius")
    if not is_number(turns) or turns == 0:
        raise ArgumentError(f"is {turns!r}", argument="turns", remedy="a number that is not 0 is needed, negative for clockwise")
    if planar and start is not None and np.shape(start) == (2,):
        start = (*start, 0)
    curve = curves.circle(
        np.append(centre_point, 0.0) if planar else centre_point, float(radius), normal, start, 2 * math.pi * turns
    )
    if planar and abs(curve.u[2]) + abs(curve.v[2]) > 1e-12:
        raise ArgumentError(
            f"a circle around (x, y) lies in that plane, so its normal {format_value(normal)} must be along z", concerns="normal"
        )
    options = FramePathOptions(
        frame, timing, ramp, speed, acceleration, angular_speed, angular_acceleration, orientation, directions
    )
    return _make_cartesian_path(curve, len(centre_point), duration, options)


@public
def arc(
    start: ArrayLike,
    via: ArrayLike,
    end: ArrayLike,
    duration: float | None = None,
    *,
    frame: str | None = None,
    timing: str = "quintic",
    ramp: float | None = None,
    speed: float | None = None,
    acceleration: float | None = None,
    angular_speed: float | None = None,
    angular_acceleration: float | None = None,
    orientation: ArrayLike | None = None,
    directions: str | Iterable[str] | None = None,
) -> CartesianPath:
    """Move a frame along the arc of a circle through three points.

    Parameters
    ----------
    start, via, end : array_like
        The three points, (x, y) or (x, y, z) in metres, or 4x4 poses. Of a pose `via` only the point counts.
    duration : float, optional
        How long the path takes, in seconds.
    frame : str, optional
        The frame that is led. The function that follows the path can name it instead.
    timing : {"quintic", "trapezoidal", "uniform"}
        How the path is run through. "quintic" and "trapezoidal" go from rest to rest; "uniform" has a constant speed.
    ramp : float, optional
        How long a trapezoidal timing with a duration accelerates and brakes, in seconds.
    speed, acceleration : float, optional
        The largest speed and acceleration of the origin, in m/s and m/s^2.
    angular_speed, angular_acceleration : float, optional
        The largest angular speed and acceleration of a path with an orientation, in rad/s and rad/s^2.
    orientation : array_like, optional
        The orientation to keep, as a 3x3 matrix or a quaternion (w, x, y, z), or a pair of them to turn between.
    directions : str or iterable of str, optional
        Those of "x", "y", "z", "wx", "wy", "wz" that the path prescribes; the others stay free.

    Returns
    -------
    CartesianPath
        The path.

    Raises
    ------
    ArgumentError
        If the three points lie on a line.

    Examples
    --------
    >>> import lagrangian as lg
    >>> path = lg.paths.arc((1.0, 0.0), (0.7, 0.7), (0.0, 1.0), duration=2.0, frame="tip")
    >>> path(1.0)[0][:3, 3].round(4)
    array([0.7, 0.7, 0. ])
    """
    (a, quaternion_a), (m, _), (b, quaternion_b) = (
        as_point_or_pose(x, argument) for x, argument in ((start, "start"), (via, "via"), (end, "end"))
    )
    if (quaternion_a is None) != (quaternion_b is None):
        raise ArgumentError("the arc has an orientation at one end only; give points, or poses, at both")
    if not len(a) == len(m) == len(b):
        raise ArgumentError("the three points of the arc have different numbers of coordinates")
    curve = curves.arc(*(np.append(x, 0.0) if len(x) == 2 else x for x in (a, m, b)))
    options = FramePathOptions(
        frame, timing, ramp, speed, acceleration, angular_speed, angular_acceleration, orientation, directions
    )
    return _make_cartesian_path(curve, len(a), duration, options, None if quaternion_a is None else (quaternion_a, quaternion_b))


@public
def spline(
    points: Iterable[ArrayLike],
    duration: float | None = None,
    *,
    times: ArrayLike | None = None,
    degree: int = 3,
    ends: str | None = None,
    orientations: Iterable[ArrayLike] | None = None,
    frame: str | None = None,
    timing: str | None = None,
    ramp: float | None = None,
    speed: float | None = None,
    acceleration: float | None = None,
    angular_speed: float | None = None,
    angular_acceleration: float | None = None,
    orientation: ArrayLike | None = None,
    directions: str | Iterable[str] | None = None,
) -> CartesianPath:
    """Move a frame through several points or poses without stopping.

    The path is a spline. It passes the points at given `times`; without times it runs through them from end to end with a
    `timing`.

    Parameters
    ----------
    points : iterable of array_like
        The points, (x, y) or (x, y, z) in metres, or 4x4 poses.
    duration : float, optional
        How long the path takes, in seconds. Give this or limits, if you give no times.
    times : array_like, optional
        The time of each point in seconds, increasing.
    degree : {3, 5}
        The degree of the spline: 3 has a continuous acceleration, 5 is smoother.
    ends : {"natural", "clamped", "free", "periodic"}, optional
        The end conditions: no curvature, at rest, none, or a closed path. The default is "natural", and "clamped" with `times`.
    orientations : iterable of array_like, optional
        An orientation for each point, as 3x3 matrices or quaternions (w, x, y, z). The frame turns smoothly through all of them.
    frame : str, optional
        The frame that is led. The function that follows the path can name it instead.
    timing : {"quintic", "trapezoidal", "uniform"}, optional
        How the path is run through. The default is "quintic"; with `times` it must not be given.
    ramp : float, optional
        How long a trapezoidal timing with a duration accelerates and brakes, in seconds.
    speed, acceleration : float, optional
        The largest speed and acceleration of the origin, in m/s and m/s^2.
    angular_speed, angular_acceleration : float, optional
        The largest angular speed and acceleration of a path with an orientation, in rad/s and rad/s^2.
    orientation : array_like, optional
        One orientation to keep, as a 3x3 matrix or a quaternion (w, x, y, z), or a pair of them to turn between.
    directions : str or iterable of str, optional
        Those of "x", "y", "z", "wx", "wy", "wz" that the path prescribes; the others stay free.

    Returns
    -------
    CartesianPath
        The path.

    Raises
    ------
    ArgumentError
        If two neighbouring points are the same, or if `times` do not increase.

    Examples
    --------
    >>> import lagrangian as lg
    >>> path = lg.paths.spline([(1.2, 0.2), (1.0, 0.6), (0.6, 0.9)], times=[0, 1, 2], frame="tip")
    >>> path(1.0)[0][:3, 3]
    array([1. , 0.6, 0. ])
    """
    try:
        point_list = list(points)
    except TypeError:
        raise ArgumentError("a spline needs points, such as [(0.3, 0), (0.4, 0.1), (0.5, 0)]", concerns="points") from None
    entries = [as_point_or_pose(p, f"point {k + 1}") for k, p in enumerate(point_list)]
    if len({len(p) for p, _ in entries}) != 1:
        raise ArgumentError(
            "the points of the spline have different numbers of coordinates, or there are none", concerns="points"
        )
    x = np.array([p for p, _ in entries])
    quaternions = [t for _, t in entries if t is not None]
    if quaternions and len(quaternions) != len(x):
        raise ArgumentError(
            f"{len(quaternions)} of the spline's {len(x)} points are poses; give points, or poses, throughout", concerns="points"
        )
    if orientations is not None:
        if quaternions or not isinstance(orientations, Iterable) or getattr(orientations, "ndim", 1) == 0:
            raise ArgumentError("must have one entry for each point, and the points must not be poses", argument="orientations")
        quaternions = [as_quaternion(o, f"orientation {k + 1}") for k, o in enumerate(orientations)]
        if len(quaternions) != len(x):
            raise ArgumentError(f"{len(quaternions)} orientations are given for {len(x)} points", concerns="orientations")
    if times is None:
        knots = curves.chord_length_knots(x)
    else:
        check_only_times(duration, timing, ramp, speed, acceleration, angular_speed, angular_acceleration)
        point_times = finite_array(times, "times", 1)
        check_increasing(point_times, len(x))
        knots = (point_times - point_times[0]) / (point_times[-1] - point_times[0])
        duration = float(point_times[-1] - point_times[0])
        timing = "uniform"
    ends = ends or ("natural" if times is None else "clamped")
    curve = curves.spline(x, knots, degree, ends)
    orientation_spline = QuaternionSpline.through(knots, np.array(quaternions), degree, ends) if quaternions else None
    options = FramePathOptions(
        frame, timing, ramp, speed, acceleration, angular_speed, angular_acceleration, orientation, directions
    )
    path = _make_cartesian_path(curve, x.shape[1], duration, options, orientation_spline)
    return path if times is None else path.with_start_time(float(point_times[0]))


class FramePathOptions(NamedTuple):
    """The arguments that all paths of a frame share; `line` explains them."""

    frame: str | None
    timing: str | None
    ramp: float | None
    speed: float | None
    acceleration: float | None
    angular_speed: float | None
    angular_acceleration: float | None
    orientation: Any
    directions: str | Iterable[str] | None


def _make_cartesian_path(
    curve: Any, dimensions: int, duration: float | None, options: FramePathOptions, orientation_curve: Any = None
) -> CartesianPath:
    """The path of a frame along a curve of its origin."""
    orientation = options.orientation
    if orientation is not None:
        if orientation_curve is not None:
            raise ArgumentError("is given twice: by the poses, and by this argument", argument="orientation")
        pair = (
            orientation
            if isinstance(orientation, (tuple, list)) and len(orientation) == 2 and np.ndim(orientation[0])
            else (orientation, orientation)
        )
        orientation_curve = tuple(as_quaternion(x, "orientation") for x in pair)
    if isinstance(orientation_curve, tuple):
        orientation_curve = Slerp(*orientation_curve)
    linear = options.speed, options.acceleration
    angular = options.angular_speed, options.angular_acceleration
    if orientation_curve is None and any(x is not None for x in angular):
        raise ArgumentError(
            "the path has no orientation, so it has no angular speed or acceleration to limit", concerns="orientation"
        )
    timing, ramp = options.timing or "quintic", options.ramp
    if duration is not None:
        timing_law = timing_from_duration(timing, duration, ramp, *linear, *angular)
    else:
        timing_law = timing_within_limits(
            [(curve, *linear), *([(orientation_curve, *angular)] if orientation_curve is not None else [])], timing, ramp
        )
    leading = distinct_names(options.directions, "directions")
    if leading is None:
        leading = (TWIST_COMPONENTS[:3] if orientation_curve is not None else ()) + TWIST_COMPONENTS[3 : 3 + dimensions]
    elif dimensions == 2 and "z" in leading:
        raise ArgumentError("the path has points (x, y), so it cannot lead z; give points (x, y, z)", concerns="directions")
    return CartesianPath(
        timing_law.duration,
        position=_as_spatial(TimedCurve(curve, timing_law)),
        orientation=None if orientation_curve is None else TimedCurve(orientation_curve, timing_law),
        frame=options.frame,
        directions=leading,
        discontinuities=timing_law.discontinuities,
        corners=knot_times(timing_law, curve, orientation_curve),
    )


def _as_spatial(motion: TimedCurve) -> Any:
    """The motion of points (x, y) as one of points in space."""

    def spatial_motion(t: np.ndarray) -> Any:
        return tuple(np.pad(x, ((0, 0), (0, 3 - x.shape[1]))) for x in motion(t))

    return spatial_motion
