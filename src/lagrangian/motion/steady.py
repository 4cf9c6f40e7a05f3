"""Small motions about a motion: which of them keep the constraints, and in which axes their equations do not change in time.

A small motion x = (dq, dqd), along the speeds, obeys x' = A(t) x. It keeps the constraints if it is in

    V = {H dq = 0, Psi dqd + R dq = 0},    H the rows of Psi that are holonomic, R = d(Psi qd + phi)/dq.

A motion is steady if it looks the same at all times to one who turns with some axes: a wheel that rolls, a coin that goes round a
circle, a top that sleeps. Then A(t) = exp(t W) A exp(-t W) with a constant W that turns the axes of ball, free and planar joints,
and in turning axes x' = (A - W) x (relative equilibria: Marsden and Ratiu, Introduction to Mechanics and Symmetry).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lagrangian.model.mechanism import Mechanism

RANK = 1e-9  # of the largest singular value
ZERO = 1e-8  # 1/s, and of the largest: below it a rate is taken for zero
STEADY = 1e-6  # of the size of A: what it may change by in a second


@dataclass(frozen=True)
class KeptMoves:
    """V by a basis: dq = positions z, dqd = follows z + speeds w, for x = (z, w)."""

    positions: np.ndarray
    speeds: np.ndarray
    follows: np.ndarray

    @classmethod
    def of(cls, holonomic: np.ndarray, psi: np.ndarray, slopes: np.ndarray) -> KeptMoves:
        """From the rows H, Psi and R."""
        positions, speeds = null_space(holonomic), null_space(psi)
        follows = -np.linalg.pinv(psi, rcond=RANK) @ slopes @ positions if len(psi) else np.zeros_like(positions)
        return cls(positions, speeds, follows)

    @property
    def columns(self) -> np.ndarray:
        """All of them, as columns of (dq, dqd)."""
        none = np.zeros((len(self.positions), self.speeds.shape[1]))
        return np.block([[self.positions, none], [self.follows, self.speeds]])

    def coordinates(self, x: np.ndarray) -> np.ndarray:
        """(z, w) of columns (dq, dqd) that keep the constraints."""
        n = len(self.positions)
        return np.vstack([self.positions.T @ x[:n], self.speeds.T @ x[n:]])

    def restricted(self, A: np.ndarray) -> np.ndarray:
        """A on V, and zero across it."""
        q, _ = np.linalg.qr(self.columns)
        projector = q @ q.T
        return np.asarray(projector @ A @ projector)


def null_space(rows: np.ndarray) -> np.ndarray:
    """An orthonormal basis of what the rows leave free; all of it, along the axes, if there are none."""
    if not len(rows) or not np.any(rows):
        return np.eye(rows.shape[1])
    _, s, v = np.linalg.svd(rows)
    return v[int(np.sum(s > RANK * s[0])) :].T


def turning(model: Mechanism, at: Callable[[float], tuple[np.ndarray, KeptMoves]], pace: float) -> np.ndarray | None:
    """W of a steady motion; None if it is not one. `at(s)` gives A and V at a time s later, `pace` is how fast it goes."""
    generators = _generators(model)
    h = 1e-3 / (1.0 + pace)
    weights = {1: 2 / 3, 2: -1 / 12}  # a difference of order four
    seen = {k: _restricted(at, k * h) for k in (-2, -1, 0, 1, 2)}
    rate = sum(w * (seen[k] - seen[-k]) for k, w in weights.items()) / h
    here, size = seen[0], 1.0 + float(np.abs(seen[0]).max())
    W = np.zeros_like(here)
    if generators:
        commutators = np.stack([(g @ here - here @ g).ravel() for g in generators], axis=1)
        found = np.linalg.lstsq(commutators, rate.ravel(), rcond=1e-8)[0]
        W = sum(c * g for c, g in zip(found, generators, strict=True))
    off = rate - (W @ here - here @ W)
    return W if float(np.abs(off).max()) <= STEADY * size * (1.0 + pace) else None


def _restricted(at: Callable[[float], tuple[np.ndarray, KeptMoves]], s: float) -> np.ndarray:
    A, kept = at(s)
    return kept.restricted(A)


def _generators(model: Mechanism) -> list[np.ndarray]:
    """Turns of the axes along which joints measure their speeds, of (dq, dqd)."""
    n, at, found = model.nv, 0, []
    for joint in model.joints:
        own = slice(at, at + joint.kind.nv)
        for turn in joint.kind.frame_rate_matrices:
            g = np.zeros((2 * n, 2 * n))
            g[own, own] = turn
            g[n:, n:] = g[:n, :n]
            found.append(g)
        at += joint.kind.nv
    return found


def eigenvalues(A: np.ndarray) -> np.ndarray:
    """Of A, those that are zero exactly so: small motions that only begin elsewhere, or go on a little faster, come many at a
    time, and a search for all roots at once would scatter them by the root of rounding."""
    zeros = 0
    while len(A):
        _, s, v = np.linalg.svd(A)
        rank = int(np.sum(s > ZERO * max(1.0, float(s[0])))) if len(s) else 0
        if rank == len(A):
            break
        kept = v[:rank].T  # across the null space, on which A acts as on the quotient
        zeros += len(A) - rank
        A = kept.T @ A @ kept
    return np.concatenate([np.zeros(zeros), np.linalg.eigvals(A)]) if len(A) else np.zeros(zeros, dtype=complex)
