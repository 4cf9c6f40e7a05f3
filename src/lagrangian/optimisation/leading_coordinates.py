"""Mechanisms with loops in which some coordinates lead: configurations at their values, and how the others follow changes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lagrangian.configuration.continuation import follow_to
from lagrangian.configuration.loop_closure import LoopClosure
from lagrangian.configuration.newton import ConfigurationEquations
from lagrangian.configuration.start import Start
from lagrangian.errors import AssemblyError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.motion.sensitivity.quantities import Slopes
from lagrangian.motion.sensitivity.start import coordinate_change, least_change


def assemble_along(dyn: Dynamics, leading: Sequence[str], values: np.ndarray) -> np.ndarray:
    """Configurations (rows, nq) with leading coordinates at rows of values, each reached from the one before in one assembly."""
    loops = LoopClosure(dyn, 0.0, tuple(leading))
    columns = [dyn.mechanism.coordinate_names.index(name) for name in leading]
    q, configurations = Start(dyn).close_loops(), list[np.ndarray]()

    def all_loops(part: np.ndarray, rows: np.ndarray) -> tuple[ConfigurationEquations, np.ndarray]:
        return loops, np.ones(len(rows), dtype=bool)

    for target in np.atleast_2d(values):
        solutions, converged = follow_to(all_loops, q[None], target[None], columns, loops.free, 0.0)
        if not converged[0]:
            pose = ", ".join(f"{name} = {x:.6g}" for name, x in zip(leading, target, strict=True))
            raise AssemblyError(
                f"{dyn.mechanism.name}: a configuration with {pose} cannot be reached from the start and the poses before: "
                "the loops do not close there, or a dead centre lies on the way"
            )
        q = solutions[0]
        configurations.append(q)
    return np.array(configurations)


def configuration_derivatives(
    dyn: Dynamics, q: np.ndarray, closure: Slopes, row: int, leading_changes: np.ndarray, leading_speeds: Sequence[int]
) -> np.ndarray:
    """The changes of all coordinates (nq, columns) with parameters and with leading coordinates.

    `leading_changes` are those of the leading coordinates; its first columns belong to the parameters by which `closure`, the
    violation of the loops at this row, has slopes. `leading_speeds` are the indices of the leading coordinates among the speeds.
    """
    count = closure.by_parameter.shape[2]
    residual_slopes = closure.by_state[row, :, : dyn.nq] @ leading_changes
    residual_slopes[:, :count] += closure.by_parameter[row]
    psi = dyn.constraint_jacobian(q)[dyn.holonomic]
    change: np.ndarray = leading_changes + coordinate_change(dyn, q, least_change(psi, residual_slopes, leading_speeds))
    return change
