"""The limits of joints along a path: a coordinate beyond them is an error, a speed beyond them a warning."""

from __future__ import annotations

import numpy as np

from lagrangian.configuration.coordinates import CoordinateBounds
from lagrangian.errors import ArgumentName, PathWarning, UnreachableError, warn
from lagrangian.kernels.dynamics import Dynamics


def check_limits(dyn: Dynamics, t: np.ndarray, q: np.ndarray, qd: np.ndarray, has_branches: bool = True) -> None:
    """Raise an error where a coordinate leaves its limits; warn where a speed does. A path of all joints has no branches."""
    units = ["m/s" if slides else "rad/s" for joint in dyn.mechanism.joints for slides in joint.slides]
    branch_hint = f"Another branch ({ArgumentName('q0')}) may keep them; " * has_branches
    bounds = CoordinateBounds(dyn.mechanism)
    exceeded = bounds.is_outside(q)
    if exceeded.any():
        j = int(np.argmax(exceeded.any(axis=0)))
        k, iq = int(np.argmax(exceeded[:, j])), bounds.iq[j]
        degrees = _degrees_hint(q[:, iq]) * (units[bounds.iv[j]] == "rad/s")
        raise UnreachableError(
            f"{dyn.mechanism.name}: the path moves {bounds.names[j]} beyond its limits, {bounds.low[j]:g} to {bounds.high[j]:g}, "
            f"at t = {t[k]:.6g} s, where it is {q[k, iq]:.6g}. {branch_hint}"
            f"{ArgumentName('limits', False)} ignores them{degrees}",
            t=float(t[k]),
        )
    speeds = {n: float(j.limits.speed) for j in dyn.mechanism.joints for n in j.speed_names}
    for iv, (name, unit) in enumerate(zip(dyn.mechanism.speed_names, units, strict=True)):
        fastest = int(np.argmax(np.abs(qd[:, iv])))
        if abs(qd[fastest, iv]) > speeds[name] * (1 + 1e-9):
            warn(
                f"{dyn.mechanism.name}: the path needs a speed of {abs(qd[fastest, iv]):.4g} {unit} of {name} at "
                f"t = {t[fastest]:.6g} s; its limit is {speeds[name]:g} {unit}",
                PathWarning,
            )


def _degrees_hint(q: np.ndarray) -> str:
    return ". Angles are in radians: are these degrees?" if np.abs(q).max() > 6 * np.pi else ""
