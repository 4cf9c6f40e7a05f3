"""The same equations, solved by SUNDIALS (Hindmarsh et al. 2005): an independent code to compare a run with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.errors import ArgumentError
from lagrangian.kernels.kernel import Kernel

if TYPE_CHECKING:
    from lagrangian.motion.record import Record, Stretch


def _right(course: Record, stretch: Stretch, rates: Kernel) -> Any:
    nq = stretch.solver.problem.nq

    def right(t: float, y: np.ndarray, slope: np.ndarray) -> None:
        slope[:] = rates(y[:nq], y[nq:], course.inputs_at(stretch, t, y), np.array([t]))

    return right


def second_opinion(course: Record, t: np.ndarray, rtol: float, atol: float, method: str = "BDF") -> np.ndarray:
    """States at times of the run by CVODE, started anew wherever the run was; constraints are kept by its own tolerance."""
    try:
        from sksundae.cvode import CVODE
    except ImportError:
        raise ArgumentError("SUNDIALS is not installed; pip install scikit-sundae, or lagrangian[sundials]") from None
    found = np.empty((len(t), course.problem.size))
    for stretch, mine in course.by_stretch(t):
        problem = stretch.solver.problem
        rates = Kernel(problem.all_rates())
        start = stretch.steps[0, 0]
        times = np.unique(np.concatenate([[start], t[mine], [stretch.until]]))

        solver = CVODE(_right(course, stretch, rates), rtol=rtol, atol=atol, method=method, max_num_steps=1_000_000)
        solution = solver.solve(times, stretch.steps[0, 2:].copy())
        if not solution.success:
            raise ArgumentError(f"SUNDIALS did not get through: {solution.message}")
        found[mine] = solution.y[np.searchsorted(times, t[mine])]
    return found
