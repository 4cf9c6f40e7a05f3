"""Paths of a frame: lines, circles, arcs and splines of its origin, with or without its orientation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.errors import ArgumentError, is_number, one_of, shown
from lagrangian.model.loop import DIRECTIONS
from lagrangian.paths import curves
from lagrangian.paths import durations as limits
from lagrangian.paths.argument_checks import array, different, increasing, only_times, place
from lagrangian.paths.orientation import Slerp, Turning, quaternion_of
from lagrangian.paths.path import CartesianPath, Run, reached
from lagrangian.public import public


class Following(TypedDict, total=False):
    """What every path of a frame may be given: `line` says what each is."""

    frame: str
    timing: str
    ramp: float
    speed: float
    acceleration: float
    angular_speed: float
    angular_acceleration: float
    orientation: Any
    directions: str | Iterable[str]


_TIMING = ("timing", "ramp", "speed", "acceleration", "angular_speed", "angular_acceleration")


@public
def line(start: ArrayLike, end: ArrayLike, duration: float | None = None, **more: Unpack[Following]) -> CartesianPath:
    """Straight from `start` to `end`: points (x, y) or (x, y, z), or 4x4 poses; the orientation turns by slerp.

    `frame` is what is led; `timing`, `ramp`, `speed`, `acceleration`, `angular_speed`, `angular_acceleration` as for all paths;
    `orientation` is one to keep, or a pair to turn between; `directions` leaves some of x, y, z, wx, wy, wz free.
    """
    (a, turn_a), (b, turn_b) = (place(x, what) for x, what in ((start, "start"), (end, "end")))
    if (turn_a is None) != (turn_b is None):
        raise ArgumentError("the line has an orientation at one end only; give points, or poses, at both")
    if len(a) != len(b):
        raise ArgumentError(f"the line begins with {len(a)} coordinates and ends with {len(b)}")
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
    **more: Unpack[Following],
) -> CartesianPath:
    """Around `center`, anticlockwise about `normal`, beginning in the direction `start` from the centre (x, if it is not given).

    With a centre (x, y) only these two directions are led. Other arguments as for `line`.
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
    return _cartesian(made, len(middle), duration, more)


@public
def arc(
    start: ArrayLike, via: ArrayLike, end: ArrayLike, duration: float | None = None, **more: Unpack[Following]
) -> CartesianPath:
    """The arc of a circle from `start` over `via` to `end`, points or poses (of `via` the point counts)."""
    (a, turn_a), (m, _), (b, turn_b) = (place(x, what) for x, what in ((start, "start"), (via, "via"), (end, "end")))
    if (turn_a is None) != (turn_b is None):
        raise ArgumentError("the arc has an orientation at one end only; give points, or poses, at both")
    if not len(a) == len(m) == len(b):
        raise ArgumentError("the three points of the arc have different numbers of coordinates")
    made = curves.arc(*(np.append(x, 0.0) if len(x) == 2 else x for x in (a, m, b)))
    return _cartesian(made, len(a), duration, more, None if turn_a is None else (turn_a, turn_b))


@public
def spline(
    points: Iterable[ArrayLike],
    duration: float | None = None,
    *,
    times: ArrayLike | None = None,
    degree: int = 3,
    ends: str | None = None,
    orientations: Any = None,
    **more: Unpack[Following],
) -> CartesianPath:
    """Through points, or 4x4 poses, without stopping; at `times` if given. Orientations turn smoothly through all of them."""
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
            raise ArgumentError("are one for every point, for points that are no poses themselves", argument="orientations")
        turns = [quaternion_of(o, f"orientation {k + 1}") for k, o in enumerate(orientations)]
        if len(turns) != len(x):
            raise ArgumentError(f"{len(turns)} orientations are given for {len(x)} points", concerns="orientations")
    if times is None:
        knots = curves.chords(x)
    else:
        only_times(duration, *(more.get(name) for name in _TIMING))
        when = array(times, "times", 1)
        increasing(when, len(x))
        knots = (when - when[0]) / (when[-1] - when[0])
        duration = float(when[-1] - when[0])
        more = {"timing": "uniform", **more}
    ends = ends or ("natural" if times is None else "clamped")
    curve = curves.spline(x, knots, degree, ends)
    turning = Turning.through(knots, np.array(turns), degree, ends) if turns else None
    path = _cartesian(curve, x.shape[1], duration, more, turning)
    return path if times is None else path.beginning(float(when[0]))


def _cartesian(curve: Any, dimensions: int, duration: float | None, more: Following, turn: Any = None) -> CartesianPath:
    """A path of a frame along a curve of its origin."""
    for name in more:
        if name not in Following.__annotations__:
            raise ArgumentError(one_of("argument", name, Following.__annotations__))
    given = more.get("orientation")
    if given is not None:
        if turn is not None:
            raise ArgumentError("is given twice: by poses, and by itself", argument="orientation")
        pair = given if isinstance(given, (tuple, list)) and len(given) == 2 and np.ndim(given[0]) else (given, given)
        turn = tuple(quaternion_of(x, "orientation") for x in pair)
    if isinstance(turn, tuple):
        turn = Slerp(*turn)
    linear = more.get("speed"), more.get("acceleration")
    angular = more.get("angular_speed"), more.get("angular_acceleration")
    if turn is None and any(x is not None for x in angular):
        raise ArgumentError(
            "the path has no orientation, so it has no angular speed or acceleration to limit", concerns="orientation"
        )
    timing, ramp = more.get("timing") or "quintic", more.get("ramp")
    if duration is not None:
        made = limits.given(timing, duration, ramp, *linear, *angular)
    else:
        made = limits.within([(curve, *linear), *([(turn, *angular)] if turn is not None else [])], timing, ramp)
    led = different(more.get("directions"), "directions")
    if led is None:
        led = (DIRECTIONS[:3] if turn is not None else ()) + DIRECTIONS[3 : 3 + dimensions]
    elif dimensions == 2 and "z" in led:
        raise ArgumentError("the path is one of points (x, y), so it cannot lead z; give points (x, y, z)", concerns="directions")
    return CartesianPath(
        made.duration,
        position=_spatial(Run(curve, made)),
        orientation=None if turn is None else Run(turn, made),
        frame=more.get("frame"),
        directions=led,
        breaks=made.breaks,
        corners=reached(made, curve, turn),
    )


def _spatial(motion: Run) -> Any:
    """Of points (x, y), points in space."""

    def in_space(t: np.ndarray) -> Any:
        return tuple(np.pad(x, ((0, 0), (0, 3 - x.shape[1]))) for x in motion(t))

    return in_space
