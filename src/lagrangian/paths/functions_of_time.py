"""Paths that are given: by formulas, functions and files; and rests."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lagrangian.arguments import floats
from lagrangian.errors import ArgumentError, is_number, shown
from lagrangian.model.loop import DIRECTIONS
from lagrangian.paths import curves
from lagrangian.paths.argument_checks import different
from lagrangian.paths.formulas import motion_of
from lagrangian.paths.frame_functions import frame_path
from lagrangian.paths.joint_paths import recorded
from lagrangian.paths.orientation import Turning
from lagrangian.paths.path import MEET, CartesianPath, JointPath, Path
from lagrangian.paths.smoothness import check_derivatives
from lagrangian.paths.table import CARTESIAN, read_table
from lagrangian.paths.timing import seconds
from lagrangian.public import public


@public
def formula(
    expressions: Mapping[str, Any],
    duration: float,
    *,
    frame: str | None = None,
    euler: str | None = None,
    parameters: Mapping[str, float] | None = None,
    start: float = 0.0,
) -> Path:
    """From expressions of time in text, such as {"x": "1.2 + 0.2*cos(2*pi*t/10)", "y": "1.2 + 0.2*sin(2*pi*t/10)"}.

    Keys are coordinates of joints, or of a `frame` x, y, z and its orientation: Euler angles alpha, beta, gamma of the sequence
    `euler` (such as "ZYX"), a quaternion qw, qx, qy, qz, or the entries r11 ... r33 of a rotation matrix; what is not named is
    zero. Derivatives are found by the rules of calculus.
    """
    if not isinstance(expressions, Mapping) or not expressions:
        raise ArgumentError(
            "a formula path needs a mapping of names to expressions of t, such as {'theta1': '0.5*sin(t)'}", concerns="formulas"
        )
    begin, names = _begin(duration, start), different(tuple(expressions), "the formula's names") or ()
    made = motion_of([expressions[n] for n in names], names, parameters or {}, begin, float(duration))
    check_derivatives(made, float(duration), begin, [f"the formula of {n!r}" for n in names])
    return replace(_led(made, names, float(duration), begin, frame, euler), breaks=made.breaks)


@public
def function(
    values: Callable[[np.ndarray], Any],
    duration: float,
    *,
    names: Sequence[str] | None = None,
    frame: str | None = None,
    euler: str | None = None,
    start: float = 0.0,
) -> Path:
    """From a function of an array of times (n,) that gives (q, qd, qdd), each (n, coordinates).

    With a `frame`, `names` says what the columns are: x, y, z, and an orientation as for `formula`.
    """
    begin = _begin(duration, start)
    if not callable(values):
        raise ArgumentError(f"a function of times is needed, not {shown(values)}", concerns="values")

    def motion(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        try:
            q, qd, qdd = (floats(x) for x in values(t + begin))
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"the path's function must give three arrays, q, qd and qdd: {error}") from error
        if q.ndim != 2 or len(q) != len(t) or not q.shape == qd.shape == qdd.shape:
            raise ArgumentError(f"the path's function gave shapes {q.shape}, {qd.shape}, {qdd.shape} for {len(t)} times")
        bad = ~np.isfinite(np.hstack([q, qd, qdd])).all(axis=1)
        if bad.any():
            raise ArgumentError(f"the path's function gave a number that is not finite at t = {t[np.argmax(bad)] + begin:g} s")
        return q, qd, qdd

    led = different(names, "names") or ()
    check_derivatives(
        motion, float(duration), begin, lambda k: f"the path's function, {repr(led[k]) if k < len(led) else f'column {k + 1}'}"
    )
    if frame is not None and len(led) != motion(np.zeros(1))[0].shape[1]:
        raise ArgumentError(f"a path of frame {frame!r} needs a name for every column of its function", concerns="names")
    return _led(motion, led, float(duration), begin, frame, euler)


def _led(motion: Any, names: tuple[str, ...], duration: float, start: float, frame: str | None, euler: str | None) -> Path:
    """A path of joints, or of a frame."""
    if frame is not None:
        return frame_path(motion, names, duration, start, frame, euler)
    if euler is not None:
        raise ArgumentError("is the sequence of a frame's Euler angles; a path of joints has none", argument="euler")
    return JointPath(duration, motion=motion, names=names or None, start=start)


@public
def read(file: str | os.PathLike[str], *, frame: str | None = None, degree: int | None = None, ends: str = "free") -> Path:
    """From a CSV file whose first row names its columns: t, then coordinates of joints; or x, y, z, qw, qx, qy, qz of `frame`.

    Whether a mechanism has such coordinates is seen when it follows the path. `degree` and `ends` as for `recorded`.
    """
    names, rows = read_table(file)
    times, values = rows[:, 0], rows[:, 1:]
    for name in names if frame is not None else ():
        if name not in CARTESIAN:
            raise ArgumentError(f"{file}: a path of frame {frame!r} has columns {', '.join(CARTESIAN)}; there is {name!r}")
    if frame is None:
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
        turn = Turning.through(knots, np.array(turned).T / size[:, None], position.degree, position.ends)
    return CartesianPath(
        float(knots[-1]),
        position=position,
        frame=frame,
        directions=(DIRECTIONS[:3] if turned else ()) + led,
        orientation=turn,
        start=float(times[0]),
        corners=tuple(float(x) for x in times[1:-1]),
    )


@public
def dwell(path: Path, duration: float) -> Path:
    """A rest where a path ends, to go on from."""
    seconds(duration, "duration")
    if not isinstance(path, (JointPath, CartesianPath)):
        raise ArgumentError(f"a rest follows a path, such as paths.line(...); {shown(path)} is none", concerns="path")

    speed = float(np.abs(path(path.end)[1]).max())
    if speed > MEET:
        raise ArgumentError(
            f"a rest follows a path that ends at rest; this one still moves at its end, at {speed:.3g} a second", concerns="path"
        )

    def still(motion: Any) -> Any:
        x, v, _ = motion(np.array([path.duration]))

        def motion_there(t: np.ndarray) -> Any:
            return np.repeat(x, len(t), axis=0), np.zeros((len(t), v.shape[1])), np.zeros((len(t), v.shape[1]))

        return motion_there

    common: dict[str, Any] = {"duration": float(duration), "start": path.end, "breaks": (), "corners": ()}
    if isinstance(path, JointPath):
        return replace(path, motion=still(path.motion), **common)
    turn = None if path.orientation is None else still(path.orientation)
    return replace(path, position=still(path.position), orientation=turn, **common)


def _begin(duration: Any, start: Any) -> float:
    """When a path begins, its duration checked."""
    seconds(duration, "duration")
    if not is_number(start):
        raise ArgumentError(f"is {shown(start)}", argument="start", remedy="a number of seconds is needed")
    return float(start)
