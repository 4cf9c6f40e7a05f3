"""What constraints and locks leave free of a mechanism in one configuration: how forces and impulses at joints move it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from lagrangian.algorithms import singular_mass
from lagrangian.algorithms.constraints.constrained_dynamics import ROUNDING_TOLERANCE
from lagrangian.kernels.least_squares import RANK_TOLERANCE


class Freedom:
    """With M = L L^T and the rows of Psi: the columns of B are L^-1 e_k of some speeds, less what Psi does not let move.

    They are divided by `size`, the lengths they would have without constraints. So a joint that cannot move at all, or that is at
    a dead centre, has a column of zeros, whatever its units. Columns that are to be measured `together` have the longest's size.
    """

    def __init__(self, mass: np.ndarray, psi: np.ndarray, speeds: list[int], together: Iterable[tuple[int, ...]] = ()) -> None:
        self.L, self.speeds = singular_mass.cholesky_factor(mass, psi), speeds
        columns = np.linalg.solve(self.L, np.eye(len(mass))[:, speeds])
        self.size = np.linalg.norm(columns, axis=0)
        for k in map(list, together):
            self.size[k] = self.size[k].max()
        self.B = columns / self.size
        fixed = self._fixed(psi) if len(psi) else columns[:, :0]
        for _ in range(2 if fixed.shape[1] else 0):  # the second time takes what rounding left
            self.B -= fixed @ (fixed.T @ self.B)

    def _fixed(self, psi: np.ndarray) -> np.ndarray:
        """Directions along which Psi lets nothing move, of length one and perpendicular to each other."""
        says = (
            np.linalg.norm(psi, axis=1) > ROUNDING_TOLERANCE
        )  # a row of rounding alone, made as long as the others, would fix anything
        half = np.linalg.solve(self.L, psi[says].T)
        half = half / np.maximum(np.linalg.norm(half, axis=0), 1e-300)
        U, s, _ = np.linalg.svd(half, full_matrices=False)
        found: np.ndarray = U[:, s > RANK_TOLERANCE]
        return found

    @property
    def fixed(self) -> np.ndarray:
        """Which of the joints cannot move."""
        found: np.ndarray = np.linalg.norm(self.B, axis=0) < RANK_TOLERANCE
        return found

    def measured(self, x: np.ndarray) -> float:
        """The length of speeds or accelerations, by M."""
        return float(np.linalg.norm(self.L.T @ x))

    def accelerated(self, forces: np.ndarray) -> float:
        """The length, by M, of what forces would accelerate without constraints."""
        return float(np.linalg.norm(np.linalg.solve(self.L, forces)))

    def moved(self, s: np.ndarray) -> np.ndarray:
        """The change of speeds by impulses (of accelerations by forces) at the joints, times their `size`."""
        found: np.ndarray = np.linalg.solve(self.L.T, self.B @ s)
        return found


def corrected(mass: np.ndarray, psi: np.ndarray, residual: np.ndarray) -> np.ndarray:
    """The smallest change of speeds, by M, that takes the residual away: Psi x = -residual."""
    L = singular_mass.cholesky_factor(mass, psi)
    half = np.linalg.solve(L, psi.T).T
    found: np.ndarray = np.linalg.solve(L.T, np.linalg.lstsq(half, -residual, rcond=RANK_TOLERANCE)[0])
    return found
