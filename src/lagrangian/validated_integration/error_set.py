"""Sets of errors: parallelepipeds that move with the solutions, so that no box need be put around a turned box.

Their edges are propagated exactly, until they have become so nearly parallel that they no longer serve as axes; then a
rectangular set is put around the set (Lohner 1987; Nedialkov, Jackson and Corliss 1999).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb, arb_mat

MAX_CONDITION = 2.0**12  # of the edges' directions, beyond which they are made rectangular


def abs_upper(x: Any) -> Any:
    """The largest absolute value in a ball, as an exact number."""
    return arb(x.abs_upper())


@dataclass
class ErrorSet:
    """The vectors Q x with |x_i| <= r_i."""

    Q: Any
    r: list[Any]

    @staticmethod
    def from_radii(radii: list[Any]) -> ErrorSet:
        return ErrorSet(identity(len(radii)), radii)

    @property
    def box(self) -> list[Any]:
        """Bounds of the entries."""
        return abs_uppers(matrix_bounds(self.Q) * column(self.r))

    def propagate(self, growth: Any, added: list[Any]) -> ErrorSet:
        """The set multiplied by a matrix of balls, with errors of at most `added` besides."""
        new_edges = growth * self.Q
        Q = _axes(new_edges, self.r)
        inverse = Q.inv()
        r = matrix_bounds(inverse * new_edges) * column(self.r) + matrix_bounds(inverse) * column(added)
        return ErrorSet(Q, abs_uppers(r))

    def with_added(self, added: list[Any]) -> ErrorSet:
        """The set with errors of at most `added` besides."""
        return ErrorSet(self.Q, abs_uppers(column(self.r) + matrix_bounds(self.Q.inv()) * column(added)))


def _axes(new_edges: Any, r: list[Any]) -> Any:
    """Directions for a propagated set: its own edges, or axes at right angles, the first along the longest edge."""
    n = len(r)
    edges = np.array([[float(x.mid()) for x in row] for row in new_edges.tolist()])
    lengths = np.linalg.norm(edges, axis=0)
    if not np.isfinite(edges).all() or not lengths.all():
        return identity(n)
    edges /= lengths
    if np.linalg.cond(edges) > MAX_CONDITION:
        sizes = [-math.inf if x == 0 else float(x.log()) for x in r]
        longest = np.argsort(-(np.array(sizes) + np.log(lengths)), kind="stable")
        edges, _ = np.linalg.qr(edges[:, longest])
    return arb_mat(n, n, [float(x) for x in edges.ravel()])


def identity(n: int) -> Any:
    return arb_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])


def matrix_bounds(A: Any) -> Any:
    return arb_mat(A.nrows(), A.ncols(), [abs_upper(x) for x in A.entries()])


def column(x: list[Any]) -> Any:
    return arb_mat(len(x), 1, x)


def abs_uppers(x: Any) -> list[Any]:
    return [abs_upper(c) for c in x.entries()]
