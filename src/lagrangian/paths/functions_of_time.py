"""Paths that are given: by formulas, functions and files; and rests."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import floats
from lagrangian.errors import ArgumentError, is_number, shown
from lagrangian.model.expression import Expression
from lagrangian.model.loop import DIRECTIONS
from lagrangian.paths import curves
from lagrangian.paths.argument_checks import different
from lagrangian.paths.formulas import motion_of
from lagrangian.paths.frame_functions import frame_path
from lagrangian.paths.joint_paths import recorded
from lagrangian.paths.orientation import Turning
from lagrangian.paths.path import MEET, CartesianPath, JointPath
from lagrangian.paths.smoothness import check_derivatives
from lagrangian.paths.table import CARTESIAN, read_table
from lagrangian.paths.timing import seconds
from lagrangian.public import public


@public
def formula(
    expressions: Mapping[str, str | float | Expression],
    duration: float,
    *,
    frame: str | None = None,
    euler: str | None = None,
    parameters: Mapping[str, float] | None = None,
    start: float = 0.0,
) -> JointPath | CartesianPath:
    """Make a path from expressions of the time.

    The package differentiates the expressions exactly.

    Parameters
    ----------
    expressions : mapping
        Names and expressions of `t`, such as {"x": "1.2 + 0.2*cos(2*pi*t/10)"}. Without `frame` the names are joint coordinates.
        With it they are x, y, z, and an orientation as Euler angles alpha, beta, gamma, as a quaternion qw, qx, qy, qz, or as the
        entries r11 to r33 of a rotation matrix; an entry that is not named is zero.
    duration : float
        How long the path takes, in seconds.
    frame : str, optional
        The frame that is led. Without it the path is one of joints.
    euler : str, optional
        The sequence of the Euler angles, such as "ZYX".
    parameters : mapping, optional
        Values of names in the expressions.
    start : float
        The time at which the path begins, in seconds. The expressions see this time.

    Returns
    -------
    JointPath or CartesianPath
        A path of joints, or of the frame.

    Raises
    ------
    ArgumentError
        If a position or a speed jumps, if an expression has unknown names, or if a value is not finite.

    Examples
    --------
    >>> import lagrangian as lg
    >>> path = lg.paths.formula({"theta1": "a*sin(t)", "theta2": "t^2/2"}, 2.0, parameters={"a": 0.5})
    >>> q, qd, qdd = path(1.0)
    >>> q.round(6), qdd.round(6)
    (array([0.420735, 0.5     ]), array([-0.420735,  1.      ]))
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
    values: Callable[[np.ndarray], tuple[ArrayLike, ArrayLike, ArrayLike]],
    duration: float,
    *,
    names: Sequence[str] | None = None,
    frame: str | None = None,
    euler: str | None = None,
    start: float = 0.0,
) -> JointPath | CartesianPath:
    """Make a path from a Python function of the time.

    The function returns the coordinates with their speeds and accelerations. The package checks that these are derivatives of
    each other.

    Parameters
    ----------
    values : callable
        A function of an array of n times that returns (q, qd, qdd), three arrays of the shape (n, columns).
    duration : float
        How long the path takes, in seconds.
    names : sequence of str, optional
        The coordinate of each column. The default is all coordinates of a mechanism, in its order. With `frame` every column
        needs a name: x, y, z, or part of an orientation as for `formula`.
    frame : str, optional
        The frame that is led. Without it the path is one of joints.
    euler : str, optional
        The sequence of the Euler angles alpha, beta and gamma, such as "ZYX".
    start : float
        The time at which the path begins, in seconds. The function sees this time.

    Returns
    -------
    JointPath or CartesianPath
        A path of joints, or of the frame.

    Raises
    ------
    ArgumentError
        If the function returns other shapes, numbers that are not finite, or speeds that are not the derivatives.

    Examples
    --------
    >>> import lagrangian as lg
    >>> import numpy as np
    >>> def wave(t):
    ...     s, c = np.sin(t)[:, None], np.cos(t)[:, None]
    ...     return np.hstack([s, 2 * s]), np.hstack([c, 2 * c]), np.hstack([-s, -2 * s])
    >>> path = lg.paths.function(wave, duration=3.0)
    >>> path(0.0)[1]
    array([1., 2.])
    """
    begin = _begin(duration, start)
    if not callable(values):
        raise ArgumentError(f"a function of times is needed, not {shown(values)}", concerns="values")

    def motion(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        try:
            q, qd, qdd = (floats(x) for x in values(t + begin))
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"the path's function must return three arrays, q, qd and qdd: {error}") from error
        if q.ndim != 2 or len(q) != len(t) or not q.shape == qd.shape == qdd.shape:
            raise ArgumentError(f"the path's function returned the shapes {q.shape}, {qd.shape}, {qdd.shape} for {len(t)} times")
        bad = ~np.isfinite(np.hstack([q, qd, qdd])).all(axis=1)
        if bad.any():
            raise ArgumentError(
                f"the path's function returned a number that is not finite at t = {t[np.argmax(bad)] + begin:g} s"
            )
        return q, qd, qdd

    led = different(names, "names") or ()
    check_derivatives(
        motion, float(duration), begin, lambda k: f"the path's function, {repr(led[k]) if k < len(led) else f'column {k + 1}'}"
    )
    if frame is not None and len(led) != motion(np.zeros(1))[0].shape[1]:
        raise ArgumentError(f"a path of frame {frame!r} needs a name for every column of its function", concerns="names")
    return _led(motion, led, float(duration), begin, frame, euler)


def _led(
    motion: Any, names: tuple[str, ...], duration: float, start: float, frame: str | None, euler: str | None
) -> JointPath | CartesianPath:
    """A path of joints, or of a frame."""
    if frame is not None:
        return frame_path(motion, names, duration, start, frame, euler)
    if euler is not None:
        raise ArgumentError("is the sequence of a frame's Euler angles; a path of joints has none", argument="euler")
    return JointPath(duration, motion=motion, names=names or None, start=start)


@public
def read(
    file: str | os.PathLike[str], *, frame: str | None = None, degree: int | None = None, ends: str = "free"
) -> JointPath | CartesianPath:
    r"""Read a path from a CSV file.

    The first row names the columns: `t`, and then joint coordinates; or x, y, z, qw, qx, qy, qz for a path of a frame. Columns
    are separated by commas, semicolons or tabs. Lines that start with # are comments.

    Parameters
    ----------
    file : str or path
        The file.
    frame : str, optional
        The frame that is led. Without it the path is one of joints.
    degree : {3, 5}, optional
        The degree of the spline through the rows, as for `recorded`.
    ends : {"free", "natural", "clamped", "periodic"}
        The end conditions of the spline.

    Returns
    -------
    JointPath or CartesianPath
        A path of joints, or of the frame.

    Raises
    ------
    DescriptionError
        If the file cannot be read as a table; the message names the line and the column.
    ArgumentError
        If the columns do not describe a path of the frame.

    Examples
    --------
    >>> import lagrangian as lg
    >>> from pathlib import Path
    >>> file = Path("joints.csv")
    >>> _ = file.write_text("t,theta1,theta2\n0,0,0\n0.5,0.2,0.1\n1,0.5,0.3\n")
    >>> lg.paths.read(file)
    <JointPath of theta1, theta2: 0 to 1 s>
    """
    names, rows = read_table(file)
    times, values = rows[:, 0], rows[:, 1:]
    for name in names if frame is not None else ():
        if name not in CARTESIAN:
            raise ArgumentError(
                f"{file}: column {name!r} is unknown; a path of frame {frame!r} has the columns {', '.join(CARTESIAN)}"
            )
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
def dwell(path: JointPath | CartesianPath, duration: float) -> JointPath | CartesianPath:
    """Wait at the end of a path.

    Parameters
    ----------
    path : JointPath or CartesianPath
        A path that ends at rest.
    duration : float
        How long to wait, in seconds.

    Returns
    -------
    JointPath or CartesianPath
        A path of the same kind that begins when `path` ends and stays there.

    Raises
    ------
    ArgumentError
        If the path still moves at its end.

    See Also
    --------
    sequence : Join paths end to end.

    Examples
    --------
    >>> import lagrangian as lg
    >>> there = lg.paths.joint_line([0.0, 0.0], [1.0, -0.5], 1.0)
    >>> path = lg.paths.sequence(there, lg.paths.dwell(there, 0.5))
    >>> path.duration
    1.5
    """
    seconds(duration, "duration")
    if not isinstance(path, (JointPath, CartesianPath)):
        raise ArgumentError(f"is {shown(path)}", argument="path", remedy="a path is needed, such as paths.line(...)")

    speed = float(np.abs(path(path.end)[1]).max())
    if speed > MEET:
        raise ArgumentError(
            f"the path still moves at its end, with a speed of {speed:.3g}; paths.dwell needs a path that ends at rest",
            concerns="path",
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
