"""The same equations, solved by SUNDIALS (Hindmarsh et al. 2005): an independent code to compare a run with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.errors import ArgumentError, ArgumentName, unknown_name_message

if TYPE_CHECKING:
    from lagrangian.motion.run.trajectory import Trajectory
    from lagrangian.motion.solver.segment import Segment


METHODS = ("bdf", "adams")


def _right(trajectory: Trajectory, segment: Segment) -> Any:
    system, rates = segment.solver.system, segment.solver.programs.rates
    nq = system.nq

    def right(t: float, y: np.ndarray, slope: np.ndarray) -> None:
        slope[:] = rates(y[:nq], y[nq:], trajectory.supply.inputs_at(segment.u, system, t, y), np.array([t]))

    return right


def second_opinion(run: Trajectory, t: np.ndarray, rtol: float, atol: float, method: str = "BDF") -> np.ndarray:
    """States at times of the run by CVODE, started anew wherever the run was; constraints are kept by its own tolerance."""
    try:
        from sksundae.cvode import CVODE
    except ImportError:
        raise ArgumentError("SUNDIALS is not installed; pip install 'lagrangian[sundials]'") from None
    if not isinstance(method, str) or method.lower() not in METHODS:
        raise ArgumentError(unknown_name_message("method", method, METHODS), where=ArgumentName("method"))
    found = np.empty((len(t), run.system.size))
    for segment, mine in run.by_segment(t):
        times = np.unique(np.concatenate([[segment.start], t[mine], [segment.until]]))
        solver = CVODE(_right(run, segment), rtol=rtol, atol=atol, method=method, max_num_steps=1_000_000)
        solution = solver.solve(times, segment.steps[0, 2:].copy())
        if not solution.success:
            raise ArgumentError(f"SUNDIALS failed: {solution.message}")
        found[mine] = solution.y[np.searchsorted(times, t[mine])]
    return found
