"""The Jacobian of the constraints at a configuration, checked to be finite."""

from __future__ import annotations

import numpy as np

from lagrangian.errors import AssemblyError
from lagrangian.kernels.catalogue import relative_jacobian
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.kernel import suppress_finite_checks


def finite_jacobian(dyn: Dynamics, q: np.ndarray, t: float | np.ndarray = 0.0) -> np.ndarray:
    """Psi, as `relative_jacobian` returns it; an error names a constraint with an entry that is not finite."""
    with suppress_finite_checks():
        psi = relative_jacobian(dyn, q, t)
    check_finite(dyn, psi if psi.ndim == 3 else psi[None], q if q.ndim == 2 else q[None], "slope")
    return psi


def check_finite(dyn: Dynamics, values: np.ndarray, q: np.ndarray, noun: str) -> None:
    """Raise an error if values of constraints at configurations, (rows, equations, ...), are not finite."""
    if np.isfinite(values).all():
        return
    row, equation = np.argwhere(~np.isfinite(values))[0][:2]
    names = dyn.mechanism.coordinate_names
    place = ", ".join(f"{n} = {x:.6g}" for n, x in zip(names[:8], q[min(int(row), len(q) - 1)], strict=False))
    raise AssemblyError(
        f"{dyn.mechanism.name}: constraint {dyn.constraint_names[equation]!r} has no finite {noun} at {place}; a function may be "
        f"outside its domain there, or at its end"
    )
