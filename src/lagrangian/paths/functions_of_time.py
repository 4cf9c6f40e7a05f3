"""Paths from formulas, Python functions and CSV files, and paths that wait.

The derivatives that a function returns are checked against its values, and a file names the line and the column of an error.
"""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import distinct_names, floats
from lagrangian.errors import ArgumentError, DescriptionError, format_value, is_number
from lagrangian.model.expression import Expression
from lagrangian.model.frame import TWIST_COMPONENTS
from lagrangian.paths import curves
from lagrangian.paths.curves import QuaternionSpline
from lagrangian.paths.expressions import parse_time_expressions
from lagrangian.paths.frame_functions import frame_path
from lagrangian.paths.joint_paths import interpolate
from lagrangian.paths.path import JOIN_TOLERANCE, CartesianPath, JointPath
from lagrangian.paths.timing import as_seconds
from lagrangian.public import public

# for the check of derivatives
INTERVALS, HALVINGS, MAX_SUSPECTS = 400, 12, 8
NODES, WEIGHTS = np.polynomial.legendre.leggauss(4)
RELATIVE_TOLERANCE = 1e-3  # of the largest speed: the allowed error of a derivative, since functions may come from tables
# of a CSV file
FRAME_COLUMNS = ("x", "y", "z", "qw", "qx", "qy", "qz")


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
    start_time, names = _start_time(duration, start), distinct_names(tuple(expressions), "the formula's names") or ()
    motion = parse_time_expressions([expressions[n] for n in names], names, parameters or {}, start_time, float(duration))
    check_derivatives(motion, float(duration), start_time, [f"the formula of {n!r}" for n in names])
    return replace(_make_path(motion, names, float(duration), start_time, frame, euler), discontinuities=motion.discontinuities)


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
    start_time = _start_time(duration, start)
    if not callable(values):
        raise ArgumentError(f"a function of times is needed, not {format_value(values)}", concerns="values")

    def motion(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        try:
            q, qd, qdd = (floats(x) for x in values(t + start_time))
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"the path's function must return three arrays, q, qd and qdd: {error}") from error
        if q.ndim != 2 or len(q) != len(t) or not q.shape == qd.shape == qdd.shape:
            raise ArgumentError(f"the path's function returned the shapes {q.shape}, {qd.shape}, {qdd.shape} for {len(t)} times")
        not_finite = ~np.isfinite(np.hstack([q, qd, qdd])).all(axis=1)
        if not_finite.any():
            raise ArgumentError(
                f"the path's function returned a number that is not finite at t = {t[np.argmax(not_finite)] + start_time:g} s"
            )
        return q, qd, qdd

    column_names = distinct_names(names, "names") or ()
    check_derivatives(
        motion,
        float(duration),
        start_time,
        lambda k: f"the path's function, {repr(column_names[k]) if k < len(column_names) else f'column {k + 1}'}",
    )
    if frame is not None and len(column_names) != motion(np.zeros(1))[0].shape[1]:
        raise ArgumentError(f"a path of frame {frame!r} needs a name for every column of its function", concerns="names")
    return _make_path(motion, column_names, float(duration), start_time, frame, euler)


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
        The degree of the spline through the rows, as for `interpolate`.
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
        if name not in FRAME_COLUMNS:
            raise ArgumentError(
                f"{file}: column {name!r} is unknown; a path of frame {frame!r} has the columns {', '.join(FRAME_COLUMNS)}"
            )
    if frame is None:
        return interpolate(times, values, names=names, degree=degree, ends=ends)
    columns = dict(zip(names, values.T, strict=True))
    leading = tuple(d for d in TWIST_COMPONENTS[3:] if d in columns)
    quaternion_columns = [columns[c] for c in FRAME_COLUMNS[3:] if c in columns]
    if len(quaternion_columns) not in (0, 4):
        raise ArgumentError(f"{file}: an orientation needs all of qw, qx, qy, qz")
    points = np.array([columns.get(d, np.zeros(len(times))) for d in TWIST_COMPONENTS[3:]]).T
    knots, orientation = times - times[0], None
    if quaternion_columns:
        size = np.linalg.norm(quaternion_columns, axis=0)
        if size.min() < 0.9 or size.max() > 1.1:
            raise ArgumentError(f"{file}: a quaternion qw, qx, qy, qz has length {size[np.argmax(np.abs(size - 1))]:.3g}, not 1")
    position = curves.spline(points, knots, degree, ends)
    if quaternion_columns:
        orientation = QuaternionSpline.through(
            knots, np.array(quaternion_columns).T / size[:, None], position.degree, position.ends
        )
    return CartesianPath(
        float(knots[-1]),
        position=position,
        frame=frame,
        directions=(TWIST_COMPONENTS[:3] if quaternion_columns else ()) + leading,
        orientation=orientation,
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
    as_seconds(duration, "duration")
    if not isinstance(path, (JointPath, CartesianPath)):
        raise ArgumentError(f"is {format_value(path)}", argument="path", remedy="a path is needed, such as paths.line(...)")

    speed = float(np.abs(path(path.end)[1]).max())
    if speed > JOIN_TOLERANCE:
        raise ArgumentError(
            f"the path still moves at its end, with a speed of {speed:.3g}; paths.dwell needs a path that ends at rest",
            concerns="path",
        )

    def rest_at_end(motion: Any) -> Any:
        x, v, _ = motion(np.array([path.duration]))

        def motion_at_rest(t: np.ndarray) -> Any:
            return np.repeat(x, len(t), axis=0), np.zeros((len(t), v.shape[1])), np.zeros((len(t), v.shape[1]))

        return motion_at_rest

    changes: dict[str, Any] = {"duration": float(duration), "start": path.end, "discontinuities": (), "corners": ()}
    if isinstance(path, JointPath):
        return replace(path, motion=rest_at_end(path.motion), **changes)
    orientation = None if path.orientation is None else rest_at_end(path.orientation)
    return replace(path, position=rest_at_end(path.position), orientation=orientation, **changes)


def _make_path(
    motion: Any, names: tuple[str, ...], duration: float, start: float, frame: str | None, euler: str | None
) -> JointPath | CartesianPath:
    """The path of joints, or of a frame, with this motion."""
    if frame is not None:
        return frame_path(motion, names, duration, start, frame, euler)
    if euler is not None:
        raise ArgumentError("is the sequence of a frame's Euler angles; a path of joints has none", argument="euler")
    return JointPath(duration, motion=motion, names=names or None, start=start)


def _start_time(duration: Any, start: Any) -> float:
    """The time at which a path begins, after a check of its duration."""
    as_seconds(duration, "duration")
    if not is_number(start):
        raise ArgumentError(f"is {format_value(start)}", argument="start", remedy="a number of seconds is needed")
    return float(start)


# ---- derivatives


def check_derivatives(motion: Any, duration: float, start: float, labels: Sequence[str] | Callable[[int], str]) -> None:
    """Raise an error unless speeds and accelerations are the derivatives of coordinates and speeds, and these do not jump.

    By Gauss's quadrature x(b) - x(a) is the integral of x'. An interval in which it is not is halved until it is, or is tiny.
    A jump of x stays as large as it is, and a wrong derivative stays wrong in proportion; a jump of x' alone is no error.
    `labels` are the names of the columns, with which messages begin.
    """
    ends = np.linspace(0.0, duration, INTERVALS + 1)
    _, errors, allowed = _derivative_errors(motion, ends[:-1], ends[1:])
    suspects = np.argwhere(errors > allowed)
    for order, k, column in suspects[np.lexsort((-errors[errors > allowed], suspects[:, 0]))][
        :MAX_SUSPECTS
    ]:  # those of q first, and then the largest
        a, b, first_error = ends[k], ends[k + 1], errors[order, k, column]
        for _ in range(HALVINGS):
            low, high = np.array([a, (a + b) / 2]), np.array([(a + b) / 2, b])
            values, half_errors, half_allowed = _derivative_errors(motion, low, high)
            half = int(np.argmax(half_errors[order, :, column]))
            a, b = low[half], high[half]
        error, x, slopes = half_errors[order, half, column], *(values[order + d][half, :, column] for d in (0, 1))
        if error <= half_allowed[order, half, column] + (b - a) * np.ptp(slopes):
            continue
        name = labels[column] if not callable(labels) else labels(int(column))
        time_text = f"t = {start + (a + b) / 2:.6g} s"
        if error > 0.5 * first_error:
            jumps = "its speed jumps" if order else "its value jumps"
            before, after = motion(np.clip([2 * a - b, 2 * b - a], 0.0, duration))[order][:, column]
            raise ArgumentError(
                f"{name}: {jumps} from {before:.6g} to {after:.6g} at {time_text}; the position and the speed of a path must be "
                f"continuous"
            )
        variable, derivative = ("q", "qd") if not order else ("qd", "qdd")
        raise ArgumentError(
            f"{name}: {derivative} is not the derivative of {variable}: at {time_text} it is {slopes[0]:.6g}, and {variable} "
            f"changes by {(x[-1] - x[0]) / (b - a):.6g} per second"
        )


def _derivative_errors(motion: Any, a: np.ndarray, b: np.ndarray) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """The values of q, qd and qdd (intervals, nodes, columns), and the errors of q and qd over each interval with tolerances."""
    width = (b - a)[:, None]
    times = np.hstack([a[:, None], a[:, None] + width * (NODES + 1) / 2, b[:, None]])
    values = [x.reshape(*times.shape, -1) for x in motion(times.ravel())]
    errors, allowed = [], []
    for x, slope in pairwise(values):
        errors.append(np.abs(x[:, -1] - x[:, 0] - width / 2 * np.einsum("snc,n->sc", slope[:, 1:-1], WEIGHTS)))
        max_value, max_slope = (np.abs(y).max(axis=(0, 1)) for y in (x, slope))
        rounding = np.finfo(float).eps * (8 * max_value + 4 * np.abs(b).max() * max_slope)
        allowed.append(RELATIVE_TOLERANCE * width * max_slope + rounding)
    return values, np.array(errors), np.array(allowed)


# ---- CSV files


def read_table(file: str | os.PathLike[str]) -> tuple[tuple[str, ...], np.ndarray]:
    """Read the names of the columns without t, and the rows with t first, from a CSV file."""
    if not isinstance(file, (str, os.PathLike)):
        raise DescriptionError(f"the file of the path is {format_value(file)}; a file name is needed")
    source = Path(file)
    try:
        text = source.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DescriptionError(f"{source}: there is no such file") from None
    except (OSError, ValueError) as error:  # not UTF-8, or a name with a zero in it
        raise DescriptionError(f"{str(source)!r}: it cannot be read as text: {error}") from None
    lines = [(k, line) for k, line in enumerate(text.splitlines(), 1) if line.strip() and not line.lstrip().startswith("#")]
    if not lines:
        raise DescriptionError(f"{source}: the file is empty; a first row with the names of the columns is needed: t, q1, q2 ...")
    separator = max(",;\t", key=lines[0][1].count)
    rows = [_split_row(line, separator, f"{source}: line {k}") for k, line in lines]
    names = [name.strip() for name in rows[0]]
    if names[0] != "t" or len(names) < 2 or len(set(names)) != len(names) or not all(names):
        raise DescriptionError(
            f"{source}: line {lines[0][0]}: the first row must name the columns, t first and all different; "
            f"it is {format_value(lines[0][1], 80)}"
        )
    values = np.empty((len(rows) - 1, len(names)))
    for k, row in enumerate(rows[1:]):
        where = f"{source}: line {lines[k + 1][0]}"
        if len(row) != len(names):
            raise DescriptionError(f"{where}: there are {len(row)} numbers for {len(names)} columns")
        for c, cell in enumerate(row):
            values[k, c] = _parse_number(cell, f"{where}, column {names[c]!r}")
        if k and values[k, 0] <= values[k - 1, 0]:
            raise DescriptionError(f"{where}: times must increase; {values[k, 0]:g} s follows {values[k - 1, 0]:g} s")
    if len(values) < 2:
        raise DescriptionError(f"{source}: there are {len(values)} rows of numbers; at least two are needed")
    return tuple(names[1:]), values


def _split_row(line: str, separator: str, where: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator, strict=True))
    except csv.Error as error:
        raise DescriptionError(f"{where}: it cannot be read as a row of a table: {error}") from None


def _parse_number(cell: str, where: str) -> float:
    try:
        x = float(cell) if "_" not in cell else math.nan
    except ValueError:
        raise DescriptionError(f"{where}: {format_value(cell)} is not a number") from None
    if not math.isfinite(x):
        raise DescriptionError(f"{where}: {format_value(cell)} is not a finite number")
    return x
