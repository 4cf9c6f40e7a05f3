"""Paths of joints: lines and splines of their coordinates, and splines through recorded rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from lagrangian.arguments import distinct_names
from lagrangian.errors import ArgumentError
from lagrangian.model.mechanism import Mechanism
from lagrangian.paths import curves
from lagrangian.paths.arguments import (
    as_coordinates,
    check_increasing,
    check_only_times,
    finite_array,
    leading_names,
    speed_limits,
)
from lagrangian.paths.path import JointPath, TimedCurve, knot_times
from lagrangian.paths.timing import timing_from_duration, timing_within_limits
from lagrangian.public import public


@public
def joint_line(
    start: ArrayLike | Mapping[str, float] | str,
    end: ArrayLike | Mapping[str, float] | str,
    duration: float | None = None,
    *,
    timing: str = "quintic",
    ramp: float | None = None,
    speed: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    mechanism: Mechanism | None = None,
    names: Sequence[str] | None = None,
) -> JointPath:
    """Move all joints together from one configuration to another.

    Every coordinate changes in proportion, so that all of them start and stop at the same time. Give a `duration`, or limits of
    `speed` and `acceleration`; with limits the path is as quick as they allow.

    Parameters
    ----------
    start, end : array_like, mapping or str
        The first and the last configuration, in rad and m: an array in the mechanism's order, a mapping of coordinates to values,
        or the name of a pose of `mechanism`.
    duration : float, optional
        How long the path takes, in seconds.
    timing : {"quintic", "trapezoidal", "uniform"}
        How the path is run through. "quintic" and "trapezoidal" go from rest to rest; "uniform" has a constant speed.
    ramp : float, optional
        How long a trapezoidal timing with a duration accelerates, and how long it brakes, in seconds. The default is a third of
        the duration.
    speed : array_like, optional
        The largest speed, in rad/s or m/s: one number for all coordinates, or one for each. The default with `mechanism` is the
        speed limits of its joints.
    acceleration : array_like, optional
        The largest acceleration, in rad/s^2 or m/s^2: one number, or one for each coordinate.
    mechanism : Mechanism, optional
        The mechanism that will follow the path. Its poses, coordinate names and speed limits are then known.
    names : sequence of str, optional
        The coordinates that the path leads. The default is the keys of a mapping, or all coordinates of the mechanism.

    Returns
    -------
    JointPath
        The path.

    Raises
    ------
    ArgumentError
        If the ends do not have the same coordinates, or if neither a duration nor limits are given.

    Notes
    -----
    For the timings see Biagiotti and Melchiorri, Trajectory Planning for Automatic Machines and Robots (2008), chapters 2 and 3.

    Examples
    --------
    >>> import lagrangian as lg
    >>> path = lg.paths.joint_line([0.0, 0.0], [1.0, -0.5], speed=1.0, acceleration=4.0, timing="trapezoidal")
    >>> path.duration
    1.25
    >>> path(path.duration / 2)[1]
    array([ 1. , -0.5])
    """
    leading = leading_names(names, (start, end), mechanism)
    a, b = (as_coordinates(x, leading, argument, mechanism) for x, argument in ((start, "start"), (end, "end")))
    if a.shape != b.shape:
        raise ArgumentError(f"the line begins with {len(a)} coordinates and ends with {len(b)}")
    return _make_joint_path(curves.LineSegment(a, b), timing, duration, ramp, speed, acceleration, mechanism, leading)


@public
def joint_spline(
    points: ArrayLike | Sequence[ArrayLike | Mapping[str, float] | str],
    duration: float | None = None,
    *,
    times: ArrayLike | None = None,
    timing: str | None = None,
    ramp: float | None = None,
    speed: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    degree: int = 3,
    ends: str | None = None,
    mechanism: Mechanism | None = None,
    names: Sequence[str] | None = None,
) -> JointPath:
    """Move the joints through several configurations without stopping.

    The path is a spline. It passes the points at given `times`; without times it runs through them from end to end with a
    `timing`.

    Parameters
    ----------
    points : array_like or sequence
        The configurations, one per row; or a list of arrays, of mappings of coordinates to values, or of names of poses.
    duration : float, optional
        How long the path takes, in seconds. Give this or limits, if you give no times.
    times : array_like, optional
        The time of each point in seconds, increasing.
    timing : {"quintic", "trapezoidal", "uniform"}, optional
        How the path is run through. The default is "quintic"; with `times` it must not be given.
    ramp : float, optional
        How long a trapezoidal timing with a duration accelerates and brakes, in seconds.
    speed, acceleration : array_like, optional
        Limits for each coordinate, from which the duration follows: one number, or one for each.
    degree : {3, 5}
        The degree of the spline: 3 has a continuous acceleration, 5 is smoother.
    ends : {"natural", "clamped", "free", "periodic"}, optional
        The end conditions: no curvature, at rest, none, or a closed path. The default is "natural", and "clamped" with `times`.
    mechanism : Mechanism, optional
        The mechanism that will follow the path. Its poses, coordinate names and speed limits are then known.
    names : sequence of str, optional
        The coordinates that the path leads. The default is the keys of a mapping, or all coordinates of the mechanism.

    Returns
    -------
    JointPath
        The path.

    Raises
    ------
    ArgumentError
        If points are the same or do not have the same coordinates, or if `times` do not increase.

    See Also
    --------
    interpolate : A spline through many rows, as they were measured.

    Examples
    --------
    >>> import lagrangian as lg
    >>> path = lg.paths.joint_spline([[0, 0], [0.5, 0.8], [1, 0]], times=[0, 1, 2])
    >>> path(1.0)[0]
    array([0.5, 0.8])
    >>> path(0.0)[1]  # clamped: at rest at both ends
    array([0., 0.])
    """
    leading = leading_names(names, points if isinstance(points, (list, tuple)) else (), mechanism)
    if isinstance(points, (list, tuple)):
        points = [as_coordinates(p, leading, f"point {k + 1}", mechanism) for k, p in enumerate(points)]
    x = finite_array(points, "points", 2)
    if times is not None:
        check_only_times(duration, timing, ramp, speed, acceleration)
        return interpolate(times, x, names=leading, degree=degree, ends=ends or "clamped")
    curve = curves.spline(x, curves.chord_length_knots(x), degree, ends or "natural")
    return _make_joint_path(curve, timing or "quintic", duration, ramp, speed, acceleration, mechanism, leading)


@public
def interpolate(
    t: ArrayLike, q: ArrayLike, *, names: Sequence[str] | None = None, degree: int | None = None, ends: str = "free"
) -> JointPath:
    """Make a path through rows of coordinates that were recorded or planned elsewhere.

    Parameters
    ----------
    t : array_like
        The times of the rows in seconds, increasing.
    q : array_like
        The coordinates, one row for each time.
    names : sequence of str, optional
        The coordinate of each column. The default is all coordinates of a mechanism, in its order.
    degree : {3, 5}, optional
        The degree of the spline through the rows. The default is 5; with free ends and fewer than six rows it is one polynomial
        through all of them.
    ends : {"free", "natural", "clamped", "periodic"}
        The end conditions: none, no curvature, at rest, or a closed path.

    Returns
    -------
    JointPath
        The path.

    Raises
    ------
    ArgumentError
        If the times do not increase, or the number of rows or names does not match.

    See Also
    --------
    read : The same from a CSV file.

    Examples
    --------
    >>> import lagrangian as lg
    >>> import numpy as np
    >>> t = np.linspace(0.0, 2.0, 21)
    >>> path = lg.paths.interpolate(t, np.column_stack([np.sin(t), np.cos(t)]), names=("theta1", "theta2"))
    >>> q, qd, qdd = path(1.03)
    >>> round(float(qd[0] - np.cos(1.03)), 6) + 0.0
    0.0
    """
    times, x = finite_array(t, "t", 1), finite_array(q, "q", 2)
    check_increasing(times, len(x))
    curve = curves.spline(x, times - times[0], degree, ends)
    leading = distinct_names(names, "names")
    if leading is not None and len(leading) != x.shape[1]:
        raise ArgumentError(f"{len(leading)} names are given for {x.shape[1]} columns", concerns="names")
    inner = tuple(float(x) for x in times[1:-1])
    return JointPath(float(times[-1] - times[0]), motion=curve, names=leading, start=float(times[0]), corners=inner)


def _make_joint_path(
    curve: Any,
    timing: str,
    duration: Any,
    ramp: Any,
    speed: Any,
    acceleration: Any,
    mechanism: Mechanism | None,
    names: tuple[str, ...] | None,
) -> JointPath:
    """The path of joints along a curve of their coordinates."""
    if duration is not None:
        timing_law = timing_from_duration(timing, duration, ramp, speed, acceleration)
    else:
        if speed is None and mechanism is not None:
            speed = speed_limits(mechanism, names)
        timing_law = timing_within_limits([(curve, speed, acceleration)], timing, ramp, per_coordinate=True)
    return JointPath(
        timing_law.duration,
        motion=TimedCurve(curve, timing_law),
        names=names,
        discontinuities=timing_law.discontinuities,
        corners=knot_times(timing_law, curve),
    )
