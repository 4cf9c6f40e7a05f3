"""What a goal of an optimisation owes, and what goals have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.parts import scalar_at
from lagrangian.motion.settings import Stabilisation
from lagrangian.motion.system.system import System
from lagrangian.motion.torque import Torque


class Goal(ABC):
    """`at(mechanism, names)` gives residuals (m,) and their derivatives (m, names); `total` says that they are no squares."""

    total = False  # whether the goal is the sum itself, and not that of squares

    @abstractmethod
    def at(self, mechanism: Mechanism, names: Sequence[str], own: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For a mechanism, along its parameters `names`, and then along `own`, unknowns that the goal itself has."""

    def unknowns(self, mechanism: Mechanism) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where unknowns of the goal itself begin, and their bounds."""
        return np.zeros(0), np.zeros(0), np.zeros(0)


def system_of(dyn: Dynamics) -> System:
    """The equations of a mechanism at rest, without torques."""
    return System(dyn.mechanism, dyn.tree, Torque(), Stabilisation(), redundant=True)


def parameter_values(mechanism: Mechanism, names: Sequence[str]) -> dict[str, float]:
    """Parameters, or numbers by their paths, with their values."""
    return {n: float(mechanism.parameters[n] if n in mechanism.parameters else scalar_at(mechanism, n)) for n in names}
