"""Paths to follow (`lagrangian.paths`): lines, circles, arcs and splines of joints or of a frame, formulas, tables, files.

Every path is given a `duration`, or limits of `speed` and `acceleration`, and it then takes as long as it must. `timing` is
"quintic" or "trapezoidal", from rest to rest, or "uniform", at constant speed from the first moment on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, one_of
from lagrangian.model.mechanism import Mechanism
from lagrangian.task import curves, limits
from lagrangian.task.arguments import array, coordinates, different, increasing, led_names, place, speed_limits
from lagrangian.task.formulas import motion_of
from lagrangian.task.orientation import Slerp, Turning, quaternion_of
from lagrangian.task.path import DIRECTIONS, CartesianPath, JointPath, Path, Run
from lagrangian.task.path import sequence as _sequence
from lagrangian.task.table import CARTESIAN, read_table
from lagrangian.task.timing import seconds

__all__ = [
    "CartesianPath",
    "JointPath",
    "arc",
    "circle",
    "dwell",
    "formula",
    "function",
    "joint_line",
    "joint_spline",
    "line",
    "read",
    "recorded",
    "sequence",
    "spline",
]


# -- of joints -------------------------------------------------------------------------------------------------------


def joint_line(
    start: Any,
    end: Any,
    duration: float | None = None,
    *,
    timing: str = "quintic",
    ramp: float | None = None,
    speed: Any = None,
    acceleration: Any = None,
    mechanism: Mechanism | None = None,
    names: Sequence[str] | None = None,
) -> JointPath:
    """All joints together from `start` to `end`: arrays, mappings of coordinates to values, or names of poses of `mechanism`.

    Without a duration it is the quickest that no joint's `speed` and `acceleration` forbid, each a number or one for every joint;
    the speed limits of `mechanism` hold if none are given.
    """
    led = led_names(names, (start, end), mechanism)
    a, b = (coordinates(x, led, what, mechanism) for x, what in ((start, "start"), (end, "end")))
    if a.shape != b.shape:
        raise ArgumentError(f"the line begins with {len(a)} coordinates and ends with {len(b)}")
    return _joints(curves.Line(a, b), timing, duration, ramp, speed, acceleration, mechanism, led)


def joint_spline(
    points: Any,
    duration: float | None = None,
    *,
    times: Any = None,
    timing: str = "quintic",
    ramp: float | None = None,
    speed: Any = None,
    acceleration: Any = None,
    degree: int = 3,
    ends: str | None = None,
    mechanism: Mechanism | None = None,
    names: Sequence[str] | None = None,
) -> JointPath:
    """Through points, (n, coordinates), without stopping; at `times` if they are given, else by `timing` from end to end.

    `ends` is "natural", "clamped" (at rest; the default with times), "free" or "periodic".
    """
    led = led_names(names, points if isinstance(points, (list, tuple)) else (), mechanism)
    if isinstance(points, (list, tuple)):
        points = [coordinates(p, led, f"point {k + 1}", mechanism) for k, p in enumerate(points)]
    x = array(points, "points", 2)
    if times is not None:
        _only_times(duration, timing if timing != "quintic" else None, ramp, speed, acceleration)
        return recorded(times, x, names=led, degree=degree, ends=ends or "clamped")
    curve = curves.spline(x, curves.chords(x), degree, ends or "natural")
    return _joints(curve, timing, duration, ramp, speed, acceleration, mechanism, led)


def recorded(t: Any, q: Any, *, names: Sequence[str] | None = None, degree: int = 5, ends: str = "free") -> JointPath:
    """Through rows q at times t, as they were recorded or planned elsewhere."""
    times, x = array(t, "t", 1), array(q, "q", 2)
    increasing(times, len(x))
    curve = curves.spline(x, times - times[0], degree, ends)
    led = different(names, "names")
    if led is not None and len(led) != x.shape[1]:
        raise ArgumentError(f"{len(led)} names are given for {x.shape[1]} columns")
    return JointPath(float(times[-1] - times[0]), motion=curve, names=led, start=float(times[0]))


# -- of a frame ------------------------------------------------------------------------------------------------------


def line(start: Any, end: Any, duration: float | None = None, **more: Any) -> CartesianPath:
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


def circle(
    center: Any,
    radius: float,
    duration: float | None = None,
    *,
    normal: Any = (0, 0, 1),
    start: Any = None,
    turns: float = 1.0,
    **more: Any,
) -> CartesianPath:
    """Around `center`, anticlockwise about `normal`, beginning in the direction `start` from the centre (x, if it is not given).

    With a centre (x, y) only these two directions are led. Other arguments as for `line`.
    """
    middle = array(center, "center", 1)
    planar = len(middle) == 2
    if len(middle) not in (2, 3):
        raise ArgumentError(f"center has {len(middle)} numbers; (x, y) or (x, y, z) is needed")
    if not (isinstance(radius, (int, float, np.floating, np.integer)) and math.isfinite(radius) and radius > 0):
        raise ArgumentError(f"the radius is {radius!r}; a positive number of metres is needed")
    if not isinstance(turns, (int, float, np.floating, np.integer)) or not math.isfinite(turns) or turns == 0:
        raise ArgumentError(f"turns is {turns!r}; a number that is not 0 is needed, negative for clockwise")
    if planar and np.shape(start) == (2,):
        start = (*start, 0)
    made = curves.circle(np.append(middle, 0.0) if planar else middle, float(radius), normal, start, 2 * math.pi * turns)
    if planar and abs(made.u[2]) + abs(made.v[2]) > 1e-12:
        raise ArgumentError(f"a circle around (x, y) lies in that plane, so its normal {normal!r:.60} must be along z")
    return _cartesian(made, len(middle), duration, more)


def arc(start: Any, via: Any, end: Any, duration: float | None = None, **more: Any) -> CartesianPath:
    """The arc of a circle from `start` over `via` to `end`, points or poses (of `via` the point counts)."""
    (a, turn_a), (m, _), (b, turn_b) = (place(x, what) for x, what in ((start, "start"), (via, "via"), (end, "end")))
    if (turn_a is None) != (turn_b is None):
        raise ArgumentError("the arc has an orientation at one end only; give points, or poses, at both")
    if not len(a) == len(m) == len(b):
        raise ArgumentError("the three points of the arc have different numbers of coordinates")
    made = curves.arc(*(np.append(x, 0.0) if len(x) == 2 else x for x in (a, m, b)))
    return _cartesian(made, len(a), duration, more, None if turn_a is None else (turn_a, turn_b))


def spline(
    points: Any,
    duration: float | None = None,
    *,
    times: Any = None,
    degree: int = 3,
    ends: str | None = None,
    orientations: Any = None,
    **more: Any,
) -> CartesianPath:
    """Through points, or 4x4 poses, without stopping; at `times` if given. Orientations turn smoothly through all of them."""
    try:
        given = list(points)
    except TypeError:
        raise ArgumentError("a spline needs points, such as [(0.3, 0), (0.4, 0.1), (0.5, 0)]") from None
    places = [place(p, f"point {k + 1}") for k, p in enumerate(given)]
    if len({len(p) for p, _ in places}) != 1:
        raise ArgumentError("the points of the spline have different numbers of coordinates, or there are none")
    x = np.array([p for p, _ in places])
    turns = [t for _, t in places if t is not None]
    if turns and len(turns) != len(x):
        raise ArgumentError(f"{len(turns)} of the spline's {len(x)} points are poses; give points, or poses, throughout")
    if orientations is not None:
        if turns or not isinstance(orientations, Iterable):
            raise ArgumentError("orientations are one for every point, for points that are no poses themselves")
        turns = [quaternion_of(o, f"orientation {k + 1}") for k, o in enumerate(orientations)]
        if len(turns) != len(x):
            raise ArgumentError(f"{len(turns)} orientations are given for {len(x)} points")
    if times is None:
        knots = curves.chords(x)
    else:
        _only_times(duration, *(more.get(name) for name in _TIMING))
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


# -- of anything -----------------------------------------------------------------------------------------------------


def formula(
    expressions: Mapping[str, Any],
    duration: float,
    *,
    frame: str | None = None,
    parameters: Mapping[str, float] | None = None,
    start: float = 0.0,
) -> Any:
    """From expressions of time in text, such as {"x": "1.2 + 0.2*cos(2*pi*t/10)", "y": "1.2 + 0.2*sin(2*pi*t/10)"}.

    Keys are x, y, z of `frame`, or else coordinates of joints. Derivatives are found by the rules of calculus.
    """
    if not isinstance(expressions, Mapping) or not expressions:
        raise ArgumentError("a formula path needs a mapping of names to expressions of t, such as {'theta1': '0.5*sin(t)'}")
    begin, names = _begin(duration, start), different(tuple(expressions), "the formula's names") or ()
    if frame is None:
        made = motion_of([expressions[n] for n in names], names, parameters or {}, begin)
        return JointPath(float(duration), motion=made, names=names, start=begin)
    for name in names:
        if name not in DIRECTIONS[3:]:
            raise ArgumentError(f"a formula of frame {frame!r}: {one_of('direction', name, DIRECTIONS[3:])}")
    texts = [expressions.get(d, 0) for d in DIRECTIONS[3:]]
    return CartesianPath(
        float(duration),
        position=motion_of(texts, DIRECTIONS[3:], parameters or {}, begin),
        frame=frame,
        directions=tuple(d for d in DIRECTIONS[3:] if d in names),
        start=begin,
    )


def function(
    values: Callable[[np.ndarray], Any], duration: float, *, names: Sequence[str] | None = None, start: float = 0.0
) -> JointPath:
    """From a function of an array of times (n,) that gives (q, qd, qdd), each (n, coordinates)."""
    begin = _begin(duration, start)
    if not callable(values):
        raise ArgumentError(f"a function of times is needed, not {values!r:.60}")

    def motion(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        try:
            q, qd, qdd = (np.asarray(x, dtype=float) for x in values(t + begin))
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"the path's function must give three arrays, q, qd and qdd: {error}") from error
        if q.ndim != 2 or len(q) != len(t) or not q.shape == qd.shape == qdd.shape:
            raise ArgumentError(f"the path's function gave shapes {q.shape}, {qd.shape}, {qdd.shape} for {len(t)} times")
        bad = ~np.isfinite(np.hstack([q, qd, qdd])).all(axis=1)
        if bad.any():
            raise ArgumentError(f"the path's function gave a number that is not finite at t = {t[np.argmax(bad)] + begin:g} s")
        return q, qd, qdd

    return JointPath(float(duration), motion=motion, names=different(names, "names"), start=begin)


def _begin(duration: Any, start: Any) -> float:
    """When a path begins, its duration checked."""
    seconds(duration, "duration")
    if not isinstance(start, (int, float, np.floating, np.integer)) or isinstance(start, bool) or not math.isfinite(start):
        raise ArgumentError(f"start is {start!r:.60}; a number of seconds is needed")
    return float(start)


def read(file: Any, *, frame: str | None = None, degree: int = 5, ends: str = "free") -> Any:
    """From a CSV file whose first row names its columns: t, then coordinates of joints, or x, y, z and qw, qx, qy, qz."""
    names, rows = read_table(file)
    times, values = rows[:, 0], rows[:, 1:]
    if not set(names) <= set(CARTESIAN):
        if frame is not None:
            extra = next(n for n in names if n not in CARTESIAN)
            raise ArgumentError(f"{file}: a path of frame {frame!r} has columns {', '.join(CARTESIAN)}; there is {extra!r}")
        return recorded(times, values, names=names, degree=degree, ends=ends)
    column = dict(zip(names, values.T, strict=True))
    led = tuple(d for d in DIRECTIONS[3:] if d in column)
    turned = [column[c] for c in CARTESIAN[3:] if c in column]
    if len(turned) not in (0, 4):
        raise ArgumentError(f"{file}: an orientation needs all of qw, qx, qy, qz")
    points = np.array([column.get(d, np.zeros(len(times))) for d in DIRECTIONS[3:]]).T
    knots, turn = times - times[0], None
    if turned:
        size = np.linalg.norm(turned, axis=0)
        if size.min() < 0.9 or size.max() > 1.1:
            raise ArgumentError(f"{file}: a quaternion qw, qx, qy, qz has length {size[np.argmax(np.abs(size - 1))]:.3g}, not 1")
    position = curves.spline(points, knots, degree, ends)
    if turned:
        turn = Turning.through(knots, np.array(turned).T / size[:, None], degree, ends)
    return CartesianPath(
        float(knots[-1]),
        position=position,
        frame=frame,
        directions=(DIRECTIONS[:3] if turned else ()) + led,
        orientation=turn,
        start=float(times[0]),
    )


def dwell(path: Path, duration: float) -> Any:
    """A rest where a path ends, to go on from."""
    seconds(duration, "duration")
    if not isinstance(path, (JointPath, CartesianPath)):
        raise ArgumentError(f"a rest follows a path, such as paths.line(...); {path!r:.60} is none")

    def still(motion: Any) -> Any:
        x, v, _ = motion(np.array([path.duration]))

        def motion_there(t: np.ndarray) -> Any:
            return np.repeat(x, len(t), axis=0), np.zeros((len(t), v.shape[1])), np.zeros((len(t), v.shape[1]))

        return motion_there

    common: dict[str, Any] = {"duration": float(duration), "start": path.end, "breaks": ()}
    if isinstance(path, JointPath):
        return replace(path, motion=still(path.motion), **common)
    turn = None if path.orientation is None else still(path.orientation)
    return replace(path, position=still(path.position), orientation=turn, **common)


def sequence(*paths: Any) -> Any:
    """Paths one after the other, as one. Each begins where, and as fast as, the one before ends."""
    return _sequence(paths[0] if len(paths) == 1 and isinstance(paths[0], (list, tuple)) else paths)


# -- together --------------------------------------------------------------------------------------------------------

_TIMING = ("timing", "ramp", "speed", "acceleration", "angular_speed", "angular_acceleration")
_MORE = (*_TIMING, "frame", "orientation", "directions")


def _only_times(*others: Any) -> None:
    if any(x is not None for x in others):
        raise ArgumentError("times say when each point is passed; leave out duration, timing, ramp and limits of speed")


def _joints(
    curve: Any,
    timing: str,
    duration: Any,
    ramp: Any,
    speed: Any,
    acceleration: Any,
    mechanism: Mechanism | None,
    names: tuple[str, ...] | None,
) -> JointPath:
    """A path of joints along a curve of their coordinates."""
    if duration is not None:
        made = limits.given(timing, duration, ramp, speed, acceleration)
    else:
        if speed is None and mechanism is not None:
            speed = speed_limits(mechanism, names)
        made = limits.within([(curve, speed, acceleration)], timing, ramp, each=True)
    return JointPath(made.duration, motion=Run(curve, made), names=names, breaks=made.breaks)


def _cartesian(curve: Any, dimensions: int, duration: float | None, more: dict[str, Any], turn: Any = None) -> CartesianPath:
    """A path of a frame along a curve of its origin."""
    for name in more:
        if name not in _MORE:
            raise ArgumentError(one_of("argument", name, _MORE))
    given = more.get("orientation")
    if given is not None:
        if turn is not None:
            raise ArgumentError("the orientation is given twice: by poses, and by itself")
        pair = given if isinstance(given, tuple) and len(given) == 2 and np.ndim(given[0]) else (given, given)
        turn = tuple(quaternion_of(x, "orientation") for x in pair)
    if isinstance(turn, tuple):
        turn = Slerp(*turn)
    linear = more.get("speed"), more.get("acceleration")
    angular = more.get("angular_speed"), more.get("angular_acceleration")
    if turn is None and any(x is not None for x in angular):
        raise ArgumentError("the path has no orientation, so it has no angular speed or acceleration to limit")
    timing, ramp = more.get("timing") or "quintic", more.get("ramp")
    if duration is not None:
        made = limits.given(timing, duration, ramp, *linear, *angular)
    else:
        made = limits.within([(curve, *linear), *([(turn, *angular)] if turn is not None else [])], timing, ramp)
    led = different(more.get("directions"), "directions")
    if led is None:
        led = (DIRECTIONS[:3] if turn is not None else ()) + DIRECTIONS[3 : 3 + dimensions]
    return CartesianPath(
        made.duration,
        position=_spatial(Run(curve, made)),
        orientation=None if turn is None else Run(turn, made),
        frame=more.get("frame"),
        directions=led,
        breaks=made.breaks,
    )


def _spatial(motion: Run) -> Any:
    """Of points (x, y), points in space."""

    def in_space(t: np.ndarray) -> Any:
        return tuple(np.pad(x, ((0, 0), (0, 3 - x.shape[1]))) for x in motion(t))

    return in_space
