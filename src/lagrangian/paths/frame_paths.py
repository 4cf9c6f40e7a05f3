"""Paths of a frame: lines, circles, arcs and splines of its origin, with or without its orientation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.errors import ArgumentError, is_number, shown
from lagrangian.model.loop import DIRECTIONS
from lagrangian.paths import curves
from lagrangian.paths import durations as limits
from lagrangian.paths.argument_checks import array, different, increasing, only_times, place
from lagrangian.paths.orientation import Slerp, Turning, quaternion_of
from lagrangian.paths.path import CartesianPath, Run, reached
from lagrangian.public import public


class Following(NamedTuple):
    """What every path of a frame may be given: `line` says what each is."""

    frame: str | None
    timing: str | None
    ramp: float | None
    speed: float | None
    acceleration: float | None
    angular_speed: float | None
    angular_acceleration: float | None
    orientation: Any
    directions: str | Iterable[str] | None


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
    (a, turn_a), (b, turn_b) = (place(x, what) for x, what in ((start, "start"), (end, "end")))
    if (turn_a is None) != (turn_b is None):
        raise ArgumentError("the line has an orientation at one end only; give points, or poses, at both")
    if len(a) != len(b):
        raise ArgumentError(f"the line begins with {len(a)} coordinates and ends with {len(b)}")
    more = Following(frame, timing, ramp, speed, acceleration, angular_speed, angular_acceleration, orientation, directions)
    return _cartesian(curves.Line(a, b), len(a), duration, more, None if turn_a is None else (turn_a, turn_b))


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
    middle = array(center, "center", 1)
    planar = len(middle) == 2
    if len(middle) not in (2, 3):
        raise ArgumentError(f"has {len(middle)} numbers", argument="center", remedy="(x, y) or (x, y, z) is needed")
    if not is_number(radius) or radius <= 0:
        raise ArgumentError(f"is {radius!r}; a positive number of metres is needed", argument="radius")
    if not is_number(turns) or turns == 0:
        raise ArgumentError(f"is {turns!r}", argument="turns", remedy="a number that is not 0 is needed, negative for clockwise")
    if planar and start is not None and np.shape(start) == (2,):
        start = (*start, 0)
    made = curves.circle(np.append(middle, 0.0) if planar else middle, float(radius), normal, start, 2 * math.pi * turns)
    if planar and abs(made.u[2]) + abs(made.v[2]) > 1e-12:
        raise ArgumentError(
            f"a circle around (x, y) lies in that plane, so its normal {shown(normal)} must be along z", concerns="normal"
        )
    more = Following(frame, timing, ramp, speed, acceleration, angular_speed, angular_acceleration, orientation, directions)
    return _cartesian(made, len(middle), duration, more)


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
    (a, turn_a), (m, _), (b, turn_b) = (place(x, what) for x, what in ((start, "start"), (via, "via"), (end, "end")))
    if (turn_a is None) != (turn_b is None):
        raise ArgumentError("the arc has an orientation at one end only; give points, or poses, at both")
    if not len(a) == len(m) == len(b):
        raise ArgumentError("the three points of the arc have different numbers of coordinates")
    made = curves.arc(*(np.append(x, 0.0) if len(x) == 2 else x for x in (a, m, b)))
    more = Following(frame, timing, ramp, speed, acceleration, angular_speed, angular_acceleration, orientation, directions)
    return _cartesian(made, len(a), duration, more, None if turn_a is None else (turn_a, turn_b))


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
        given = list(points)
    except TypeError:
        raise ArgumentError("a spline needs points, such as [(0.3, 0), (0.4, 0.1), (0.5, 0)]", concerns="points") from None
    places = [place(p, f"point {k + 1}") for k, p in enumerate(given)]
    if len({len(p) for p, _ in places}) != 1:
        raise ArgumentError(
            "the points of the spline have different numbers of coordinates, or there are none", concerns="points"
        )
    x = np.array([p for p, _ in places])
    turns = [t for _, t in places if t is not None]
    if turns and len(turns) != len(x):
        raise ArgumentError(
            f"{len(turns)} of the spline's {len(x)} points are poses; give points, or poses, throughout", concerns="points"
        )
    if orientations is not None:
        if turns or not isinstance(orientations, Iterable) or getattr(orientations, "ndim", 1) == 0:
            raise ArgumentError("must have one entry for each point, and the points must not be poses", argument="orientations")
        turns = [quaternion_of(o, f"orientation {k + 1}") for k, o in enumerate(orientations)]
        if len(turns) != len(x):
            raise ArgumentError(f"{len(turns)} orientations are given for {len(x)} points", concerns="orientations")
    if times is None:
        knots = curves.chords(x)
    else:
        only_times(duration, timing, ramp, speed, acceleration, angular_speed, angular_acceleration)
        when = array(times, "times", 1)
        increasing(when, len(x))
        knots = (when - when[0]) / (when[-1] - when[0])
        duration = float(when[-1] - when[0])
        timing = "uniform"
    ends = ends or ("natural" if times is None else "clamped")
    curve = curves.spline(x, knots, degree, ends)
    turning = Turning.through(knots, np.array(turns), degree, ends) if turns else None
    more = Following(frame, timing, ramp, speed, acceleration, angular_speed, angular_acceleration, orientation, directions)
    path = _cartesian(curve, x.shape[1], duration, more, turning)
    return path if times is None else path.beginning(float(when[0]))


def _cartesian(curve: Any, dimensions: int, duration: float | None, more: Following, turn: Any = None) -> CartesianPath:
    """A path of a frame along a curve of its origin."""
    given = more.orientation
    if given is not None:
        if turn is not None:
            raise ArgumentError("is given twice: by the poses, and by this argument", argument="orientation")
        pair = given if isinstance(given, (tuple, list)) and len(given) == 2 and np.ndim(given[0]) else (given, given)
        turn = tuple(quaternion_of(x, "orientation") for x in pair)
    if isinstance(turn, tuple):
        turn = Slerp(*turn)
    linear = more.speed, more.acceleration
    angular = more.angular_speed, more.angular_acceleration
    if turn is None and any(x is not None for x in angular):
        raise ArgumentError(
            "the path has no orientation, so it has no angular speed or acceleration to limit", concerns="orientation"
        )
    timing, ramp = more.timing or "quintic", more.ramp
    if duration is not None:
        made = limits.given(timing, duration, ramp, *linear, *angular)
    else:
        made = limits.within([(curve, *linear), *([(turn, *angular)] if turn is not None else [])], timing, ramp)
    led = different(more.directions, "directions")
    if led is None:
        led = (DIRECTIONS[:3] if turn is not None else ()) + DIRECTIONS[3 : 3 + dimensions]
    elif dimensions == 2 and "z" in led:
        raise ArgumentError("the path has points (x, y), so it cannot lead z; give points (x, y, z)", concerns="directions")
    return CartesianPath(
        made.duration,
        position=_spatial(Run(curve, made)),
        orientation=None if turn is None else Run(turn, made),
        frame=more.frame,
        directions=led,
        breaks=made.breaks,
        corners=reached(made, curve, turn),
    )


def _spatial(motion: Run) -> Any:
    """Of points (x, y), points in space."""

    def in_space(t: np.ndarray) -> Any:
        return tuple(np.pad(x, ((0, 0), (0, 3 - x.shape[1]))) for x in motion(t))

    return in_space
