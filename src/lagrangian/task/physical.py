"""Inertial parameters that real bodies can have, as near as may be to what was estimated and to what was described.

A body is real if its 4x4 pseudo-inertia P = integral of r r^T dm is positive definite (Wensing, Kim and Slotine 2018, Linear matrix
inequalities for physically consistent inertial parameter identification). The estimate b of the base parameters K phi, with
information W^T W, is completed to full parameters by

    minimise  1/2 |W (K phi - b)|^2 + weight * sum over bodies of D(P, P0),   D = tr(P0^-1 P) - log det(P0^-1 P) - 4,

where P0 is the described body: D is the entropic divergence of Lee, Wensing and Park (2019), zero at P0, convex in phi and infinite
where P would no longer be positive definite. So the problem is convex with one solution inside, and Newton's method with a line
search finds it. Rotor inertias and friction are kept positive by the same divergence in one dimension. With P = L L^T a Newton step
is a linear least-squares problem in delta = L^-1 dP L^-T, which is how it is solved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

BASIS = np.zeros((10, 4, 4))  # of P, by the ten parameters
BASIS[0, 3, 3] = 1
for _k in range(3):
    BASIS[1 + _k, _k, 3] = BASIS[1 + _k, 3, _k] = 1
for _k, (_i, _j) in enumerate([(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]):
    if _i == _j:
        BASIS[4 + _k, range(3), range(3)] = 0.5
        BASIS[4 + _k, _i, _i] -= 1
    else:
        BASIS[4 + _k, _i, _j] = BASIS[4 + _k, _j, _i] = -1
UPPER = np.triu_indices(4)
TWICE = np.where(UPPER[0] == UPPER[1], 1.0, np.sqrt(2.0))  # so that lengths of vectors are those of the symmetric matrices
SETTLED = 1e-10


def pseudo_inertia(ten: np.ndarray) -> np.ndarray:
    """P of (m, h, I about the frame's origin)."""
    found: np.ndarray = np.tensordot(ten, BASIS, axes=1)
    return found


def parameters_of(P: np.ndarray) -> np.ndarray:
    """The ten parameters of a pseudo-inertia."""
    S = P[:3, :3]
    I = np.trace(S) * np.eye(3) - S
    return np.array([P[3, 3], *P[:3, 3], *I[np.triu_indices(3)]])


def nearest_real(ten: np.ndarray, length: float, least: float = 1e-3, mass: float = 0.0) -> np.ndarray:
    """Of described parameters, which may be regrouped or a point's, those of a body that can be: for use as P0.

    Eigenvalues of P, lengths measured by `length`, are raised to `least` of the largest; a body without mass gets `mass`.
    """
    scale = np.array([1 / length, 1 / length, 1 / length, 1.0])
    P = pseudo_inertia(ten) * np.outer(scale, scale)
    P[3, 3] = max(P[3, 3], mass)
    values, axes = np.linalg.eigh(P)
    top = max(values[-1], 1e-12)
    P = (axes * np.maximum(values, least * top)) @ axes.T / np.outer(scale, scale)
    return parameters_of(P)


@dataclass
class _Body:
    """At the present P: how small changes of its parameters look from inside, and the divergence."""

    P0: np.ndarray

    def at(self, ten: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """(d delta / d ten, the gradient of D by delta, D); D is infinite outside."""
        P = pseudo_inertia(ten)
        try:
            L = np.linalg.cholesky(P)
        except np.linalg.LinAlgError:
            return np.zeros((10, 10)), np.zeros(10), np.inf
        back = np.linalg.inv(L)
        inner = back @ BASIS @ back.T
        towards = np.linalg.solve(self.P0, L)
        pull = L.T @ towards
        D = np.trace(pull) - np.linalg.slogdet(pull)[1] - 4
        return (inner[:, UPPER[0], UPPER[1]] * TWICE).T, (pull - np.eye(4))[UPPER] * TWICE, float(D)


@dataclass
class _Positive:
    """A positive number, in the same way."""

    x0: float

    def at(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        if not x[0] > 0:
            return np.zeros((1, 1)), np.zeros(1), np.inf
        r = x[0] / self.x0
        return np.array([[1 / x[0]]]), np.array([r - 1]), float(r - 1 - np.log(r))


def consistent(
    K: np.ndarray, b: np.ndarray, root: np.ndarray, bodies: Sequence[np.ndarray], positive: np.ndarray, free: int, weight: float
) -> np.ndarray:
    """phi: ten parameters for each of the described `bodies`, then numbers that stay `positive` (given as described), then `free`
    ones. `root` is W above. The weight is lowered in steps: each solution is the start of the next.
    """
    parts = [*(_Body(pseudo_inertia(x)) for x in bodies), *(_Positive(x) for x in positive)]
    widths = [10] * len(bodies) + [1] * len(positive)
    edges = np.cumsum([0, *widths])
    phi = np.concatenate([*bodies, positive, np.zeros(free)])
    A, z = root @ K, root @ b
    count = edges[-1]
    for mu in _schedule(weight):
        phi = _newton(A, z, parts, edges, count, phi, mu)
    return phi


def _schedule(weight: float) -> list[float]:
    steps = max(0, int(np.ceil(np.log10(1e4 / weight))))
    return [weight * 10.0**k for k in range(steps, -1, -1)]


def _newton(
    A: np.ndarray, z: np.ndarray, parts: Sequence[_Body | _Positive], edges: np.ndarray, count: int, phi: np.ndarray, mu: float
) -> np.ndarray:
    def value(x: np.ndarray) -> float:
        inside = sum(part.at(x[edges[k] : edges[k + 1]])[2] for k, part in enumerate(parts))
        return 0.5 * float(np.sum((A @ x - z) ** 2)) + mu * inside

    now = value(phi)
    for _ in range(60):
        # d phi = B delta: near the boundary steps are short in the directions that lead out
        B = np.eye(len(phi))
        gradient = np.zeros(count)
        for k, part in enumerate(parts):
            where = slice(edges[k], edges[k + 1])
            inner, gradient[where], _ = part.at(phi[where])
            B[where, where] = np.linalg.inv(inner)
        ridge = np.zeros((count, len(phi)))
        ridge[:, :count] = np.eye(count)
        left = np.vstack([A @ B, np.sqrt(mu) * ridge])
        right = np.concatenate([z - A @ phi, -np.sqrt(mu) * gradient])
        delta = np.linalg.lstsq(left, right, rcond=1e-15)[0]
        step = B @ delta
        slope = -float(np.sum((left @ delta) ** 2))
        length = 1.0
        while length > 1e-12:
            trial = value(phi + length * step)
            if trial <= now + 1e-4 * length * slope:
                break
            length *= 0.5
        else:
            return phi  # rounding is reached
        phi, now = phi + length * step, trial
        if length == 1.0 and float(np.abs(delta[:count]).max(initial=0.0)) < SETTLED:
            break
    return phi
