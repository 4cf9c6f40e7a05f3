"""Steps of a run as they are kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from lagrangian.motion.solver.solver import Solver


@dataclass
class Segment:
    """Steps with one solver and one `u`: what is needed to compute anything of them again.

    `steps` holds t, h and y at the beginning of each; `dense` the coefficients of their interpolants, where they were kept.
    """

    solver: Solver
    u: np.ndarray
    steps: np.ndarray
    until: float
    dense: np.ndarray | None = None

    @property
    def start(self) -> float:
        return float(self.steps[0, 0])
