"""Paths to follow (`lagrangian.paths`): lines, circles, arcs and splines of joints or of a frame, formulas, tables, files.

Every path is given a `duration`, or limits of `speed` and `acceleration`, and it then takes as long as it must. `timing` is
"quintic" or "trapezoidal", from rest to rest, or "uniform", at constant speed from the first moment on.
"""

from __future__ import annotations

from typing import Any

from lagrangian.paths.frame_paths import arc, circle, line, spline
from lagrangian.paths.functions_of_time import dwell, formula, function, read
from lagrangian.paths.joint_paths import joint_line, joint_spline, recorded
from lagrangian.paths.path import CartesianPath, JointPath
from lagrangian.paths.path import sequence as _sequence

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


def sequence(*paths: Any) -> Any:
    """Paths one after the other, as one. Each begins where, and as fast as, the one before ends."""
    return _sequence(paths[0] if len(paths) == 1 and isinstance(paths[0], (list, tuple)) else paths)
