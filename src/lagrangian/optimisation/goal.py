"""The base class of the goals of an optimisation, and what its subclasses share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from lagrangian.arguments import check_attribute_names
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.parameters import scalar_at
from lagrangian.motion.sensitivity.quantities import Slopes
from lagrangian.motion.sensitivity.start import coordinate_change, least_change
from lagrangian.motion.settings import Stabilisation
from lagrangian.motion.system.system import System
from lagrangian.motion.torque import Torque


class Goal(ABC):
    """What `optimise` minimises: the base class of all goals.

    The functions of `lagrangian.goals` make goals. For a goal of your own, derive a class from this one and write `evaluate`. The
    optimiser minimises the sum of the squares of the residuals; if the class sets `scalar_objective = True`, there is one
    residual, and it is minimised itself.

    Examples
    --------
    A goal of your own finds the length at which a pendulum has a period of two seconds:

    >>> import lagrangian as lg
    >>> import numpy as np
    >>> class TwoSeconds(lg.goals.Goal):
    ...     def evaluate(self, mechanism, names, unknowns):
    ...         L, g = (float(mechanism.parameters[name]) for name in ("L", "g"))
    ...         period = 2 * np.pi * np.sqrt(L / g)
    ...         return np.array([period - 2.0]), np.array([[period / (2 * L)]])
    >>> optimum = lg.optimise("pendulum", {"L": (0.5, 2.0)}, TwoSeconds())
    >>> print(round(optimum.parameters["L"], 4))
    0.994
    """

    scalar_objective = False  # whether the residual itself is minimised, and not a sum of squares

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        check_attribute_names(cls, {"total": "scalar_objective"})

    @abstractmethod
    def evaluate(self, mechanism: Mechanism, names: Sequence[str], unknowns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the residuals and their derivatives.

        Parameters
        ----------
        mechanism : Mechanism
            The mechanism with trial values of its parameters.
        names : list of str
            The parameters that the search varies.
        unknowns : ndarray
            Trial values of the goal's own unknowns.

        Returns
        -------
        residuals : ndarray
            The residuals.
        derivatives : ndarray
            Their derivatives, one column for each of `names` and then one for each of `unknowns`.
        """

    def unknowns(self, mechanism: Mechanism) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the start and the bounds of unknowns that the goal itself has; none by default.

        Parameters
        ----------
        mechanism : Mechanism
            The mechanism where the search begins.

        Returns
        -------
        start, lower, upper : ndarray
            The start, the lower and the upper bounds.
        """
        return np.zeros(0), np.zeros(0), np.zeros(0)


def system_at_rest(dyn: Dynamics) -> System:
    """The equations of motion of a mechanism without torques, for states at rest."""
    return System(dyn.mechanism, dyn.tree, Torque(), Stabilisation(), redundant=True)


def parameter_values(mechanism: Mechanism, names: Sequence[str]) -> dict[str, float]:
    """The values of parameters, or of numbers at paths such as "link2.mass"."""
    return {n: float(mechanism.parameters[n] if n in mechanism.parameters else scalar_at(mechanism, n)) for n in names}


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
