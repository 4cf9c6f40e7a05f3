"""Sets of errors: parallelepipeds that are carried along with the solutions, so that no box need be put around a turned box.

Their edges are taken along exactly, until they have become so nearly parallel that they no longer serve as axes; then a
rectangular one is put around it (Lohner 1987; Nedialkov, Jackson and Corliss 1999).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb, arb_mat

SKEWED = 2.0**12  # condition of the edges' directions beyond which they are made rectangular


def upper(x: Any) -> Any:
    """The largest absolute value in a ball, as an exact number."""
    return arb(x.abs_upper())


@dataclass
class Errors:
    """The vectors Q x with |x_i| <= r_i."""

    Q: Any
    r: list[Any]

    @staticmethod
    def of(radii: list[Any]) -> Errors:
        return Errors(identity(len(radii)), radii)

    @property
    def box(self) -> list[Any]:
        """Bounds of the entries."""
        return uppers(absolute(self.Q) * column(self.r))

    def after(self, growth: Any, added: list[Any]) -> Errors:
        """The set multiplied by a matrix of balls, with errors of at most `added` besides."""
        moved = growth * self.Q
        Q = _axes(moved, self.r)
        inverse = Q.inv()
        r = absolute(inverse * moved) * column(self.r) + absolute(inverse) * column(added)
        return Errors(Q, uppers(r))

    def with_more(self, added: list[Any]) -> Errors:
        """The set with errors of at most `added` besides."""
        return Errors(self.Q, uppers(column(self.r) + absolute(self.Q.inv()) * column(added)))


def _axes(moved: Any, r: list[Any]) -> Any:
    """Directions for a moved set: its own edges, or axes at right angles, the first along the longest edge."""
    n = len(r)
    edges = np.array([[float(x.mid()) for x in row] for row in moved.tolist()])
    lengths = np.linalg.norm(edges, axis=0)
    if not np.isfinite(edges).all() or not lengths.all():
        return identity(n)
    edges /= lengths
    if np.linalg.cond(edges) > SKEWED:
        sizes = [-math.inf if x == 0 else float(x.log()) for x in r]
        longest = np.argsort(-(np.array(sizes) + np.log(lengths)), kind="stable")
        edges, _ = np.linalg.qr(edges[:, longest])
    return arb_mat(n, n, [float(x) for x in edges.ravel()])


def identity(n: int) -> Any:
    return arb_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])


def absolute(A: Any) -> Any:
    return arb_mat(A.nrows(), A.ncols(), [upper(x) for x in A.entries()])


def column(x: list[Any]) -> Any:
    return arb_mat(len(x), 1, x)


def uppers(x: Any) -> list[Any]:
    return [upper(c) for c in x.entries()]
