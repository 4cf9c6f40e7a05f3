"""The variational equations along a run: S' = A(t) S + B(t), with A = df/dy and B = df/dp at the states that the run passed.

They are linear, so that collocation at Gauss's nodes (Hairer, Lubich and Wanner, Geometric Numerical Integration, II.1.3) takes
one linear solution a step, for all steps at once; what is left is a product of matrices from step to step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import legendre

from lagrangian.motion.quadrature import rule, running_integrals

NODES = 7


@dataclass(frozen=True)
class Variation:
    """S at Gauss's nodes in every step, and what is needed to have it at any time."""

    starts: np.ndarray  # of the steps
    lengths: np.ndarray
    first: np.ndarray  # S at the beginning of every step, and at the end of the last: (steps + 1, n, columns)
    rates: np.ndarray  # S' at the nodes: (steps, nodes, n, columns)

    @property
    def at_nodes(self) -> np.ndarray:
        """S at the nodes: (steps, nodes, n, columns)."""
        _, integrals = running_integrals(NODES)
        inner = np.einsum("jl,slnc->sjnc", integrals[:NODES], self.rates)
        found: np.ndarray = self.first[:-1, None] + self.lengths[:, None, None, None] * inner
        return found

    def at(self, times: np.ndarray) -> np.ndarray:
        """S at any times of the run: (times, n, columns)."""
        which = np.clip(np.searchsorted(self.starts, times, side="right") - 1, 0, len(self.starts) - 1)
        theta = (times - self.starts[which]) / self.lengths[which]
        _, fit, integral = rule(NODES)
        weights = 0.5 * legendre.legvander(2 * theta - 1, NODES) @ integral.T @ fit  # (times, nodes)
        inner = np.einsum("tl,tlnc->tnc", weights, self.rates[which])
        found: np.ndarray = self.first[which] + self.lengths[which][:, None, None] * inner
        return found


def varied(starts: np.ndarray, lengths: np.ndarray, A: np.ndarray, B: np.ndarray, start: np.ndarray) -> Variation:
    """From S at the start; A (steps, nodes, n, n) and B (steps, nodes, n, columns) are given at the nodes."""
    steps, nodes, n, columns = B.shape
    _, integrals = running_integrals(nodes)
    # K_j = A_j (S + h sum_l a_jl K_l) + B_j
    matrix = np.einsum("s,sjnm,jl->sjnlm", -lengths, A, integrals[:nodes]).reshape(steps, nodes * n, nodes * n)
    matrix += np.eye(nodes * n)
    right = np.concatenate([A.reshape(steps, nodes * n, n), B.reshape(steps, nodes * n, columns)], axis=2)
    K = np.linalg.solve(matrix, right).reshape(steps, nodes, n, n + columns)
    first = np.empty((steps + 1, n, columns))
    first[0] = start
    rates = np.empty((steps, nodes, n, columns))
    for s in range(steps):
        rates[s] = K[s, :, :, :n] @ first[s] + K[s, :, :, n:]
        first[s + 1] = first[s] + lengths[s] * np.einsum("l,lnc->nc", integrals[nodes], rates[s])
    return Variation(starts, lengths, first, rates)
