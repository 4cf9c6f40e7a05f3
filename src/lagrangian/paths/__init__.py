"""Paths that a mechanism can follow: lines, circles, arcs and splines of joints or of a frame, formulas, tables and files.

A path has a `duration`, or limits of `speed` and `acceleration` from which the duration follows. Its `timing` is "quintic" or
"trapezoidal", both from rest to rest, or "uniform", which has a constant speed from beginning to end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lagrangian.paths.frame_paths import arc, circle, line, spline
from lagrangian.paths.functions_of_time import dwell, formula, function, read
from lagrangian.paths.joint_paths import interpolate, joint_line, joint_spline
from lagrangian.paths.path import CartesianPath, JointPath
from lagrangian.paths.path import concatenate_paths as _sequence
from lagrangian.public import unknown_attribute

__all__ = [
    "CartesianPath",
    "JointPath",
    "arc",
    "circle",
    "dwell",
    "formula",
    "function",
    "interpolate",
    "joint_line",
    "joint_spline",
    "line",
    "read",
    "sequence",
    "spline",
]


def sequence(*paths: JointPath | CartesianPath | Sequence[JointPath | CartesianPath]) -> JointPath | CartesianPath:
    """Join paths end to end.

    All paths lead the same coordinates, or the same frame along the same directions. Each begins where the one before ends, and
    with the same speed; paths from rest to rest always join if their ends meet.

    Parameters
    ----------
    *paths : JointPath or CartesianPath
        The paths in order, or a list of them.

    Returns
    -------
    JointPath or CartesianPath
        A path of the same kind. It starts when the first path starts, and takes as long as all of them together.

    Raises
    ------
    ArgumentError
        If two paths do not meet, or do not lead the same coordinates or frame.

    See Also
    --------
    dwell : Wait where a path ends.

    Examples
    --------
    Go there, wait for half a second, and come back:

    >>> import lagrangian as lg
    >>> there = lg.paths.line((1.2, 0.4), (0.8, 0.9), 1.0, frame="tip")
    >>> back = lg.paths.line((0.8, 0.9), (1.2, 0.4), 2.0, frame="tip")
    >>> path = lg.paths.sequence(there, lg.paths.dwell(there, 0.5), back)
    >>> path
    <CartesianPath of 'tip' along x, y: 0 to 3.5 s>
    >>> path(1.2)[0][:3, 3]
    array([0.8, 0.9, 0. ])
    """
    return _sequence(paths[0] if len(paths) == 1 and isinstance(paths[0], (list, tuple)) else paths)


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        raise unknown_attribute("lagrangian.paths", name, __all__)
