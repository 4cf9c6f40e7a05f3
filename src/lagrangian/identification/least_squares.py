"""Weighted least squares from small matrices, with its statistics.

The regressor is first made nearly orthonormal, Y = U R, with the R of all equations together. Then the products U^T U, U^T r and
r^T r of every equation (of one joint force) and block of time, where r is the residual of a first solution, hold all that later
questions need, without loss of digits: fits with other weights, with blocks left out, errors on a block, covariances.

The errors of the equations are taken as independent from row to row, of zero mean and of a variance of each equation's own, which
is estimated from the residuals: first from the unweighted fit, then from the weighted one, until it settles.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from lagrangian.errors import ArgumentError

MAX_PASSES = 20
MIN_NOISE = 1e-9  # of an equation's force: a smaller residual is rounding, and no measure of noise
MIN_NOISE_SHARE = 1e-4  # of the noisiest equation's noise, both relative to their forces: no equation is trusted more
SAFE_PIVOT, RANK_TOLERANCE = 1e-5, 1e-9  # pivots, and singular values, of columns of length one


@dataclass(frozen=True)
class NormalEquations:
    """The products [U | r]^T [U | r] of each equation and block, with rows divided by the equation's `scale`; and row counts."""

    gram: np.ndarray  # (equations, blocks, p + 1, p + 1)
    rows: np.ndarray  # (equations, blocks)
    R: np.ndarray
    start: np.ndarray  # the first solution, x = R^-1 start
    scale: np.ndarray
    names: tuple[str, ...]

    @classmethod
    def from_regressor(
        cls, Y: np.ndarray, z: np.ndarray, used: np.ndarray, blocks: int, names: tuple[str, ...]
    ) -> NormalEquations:
        """Make the products from `Y` (rows, equations, parameters), `z` and `used` (rows, equations), in blocks of time."""
        n, m, p = Y.shape
        size = np.sqrt(np.sum(z * z, axis=0, where=used) / np.maximum(used.sum(axis=0), 1))
        scale = np.maximum(size, 1e-4 * size.max())
        weights = used / scale
        A = [Y[:, i] * weights[:, i, None] for i in range(m)]
        R = _triangular_factor(A, names)
        inverse = np.linalg.inv(R)
        U, z = [a @ inverse for a in A], (z * weights).T
        start = np.linalg.solve(sum(u.T @ u for u in U), sum(u.T @ x for u, x in zip(U, z, strict=True)))
        gram = np.zeros((m, blocks, p + 1, p + 1))
        edges = np.linspace(0, n, blocks + 1).round().astype(int)
        for i in range(m):
            augmented = np.column_stack([U[i], z[i] - U[i] @ start])
            for b, (first, end) in enumerate(pairwise(edges)):
                gram[i, b] = augmented[first:end].T @ augmented[first:end]
        rows = np.array([used[first:end].sum(axis=0) for first, end in pairwise(edges)]).T
        return cls(gram, rows, R, start, scale, names)

    @property
    def blocks(self) -> int:
        return self.gram.shape[1]

    def without_block(self, block: int) -> NormalEquations:
        other_blocks = [b for b in range(self.blocks) if b != block]
        return replace(self, gram=self.gram[:, other_blocks], rows=self.rows[:, other_blocks])

    def only_block(self, block: int) -> NormalEquations:
        return replace(self, gram=self.gram[:, [block]], rows=self.rows[:, [block]])

    def squared_residuals(self, x: np.ndarray) -> np.ndarray:
        """The sum of squared residuals of each equation."""
        return self._squared_residuals_of_step(self.R @ x - self.start) * self.scale**2

    def _squared_residuals_of_step(self, step: np.ndarray) -> np.ndarray:
        y = np.append(step, -1.0)
        return np.maximum(np.einsum("ibjk,j,k->i", self.gram, y, y), 0.0)


@dataclass(frozen=True)
class Fit:
    """Estimates with their covariance. `information_root` is W with W^T W = covariance^-1."""

    values: np.ndarray
    covariance: np.ndarray
    information_root: np.ndarray
    noise: np.ndarray  # standard deviation of each equation
    freedom: float

    @property
    def condition(self) -> float:
        """The condition number of the weighted regressor, with its columns scaled to length one."""
        return float(np.linalg.cond(self.information_root / np.linalg.norm(self.information_root, axis=0)))


def fit(products: NormalEquations) -> Fit:
    """Estimate all parameters and the noise of each equation."""
    gram, rows = products.gram.sum(axis=1), products.rows.sum(axis=1)
    UU, Ur = gram[:, :-1, :-1], gram[:, :-1, -1]
    noise = np.ones(len(gram))
    for _ in range(MAX_PASSES):
        H = np.tensordot(noise**-2, UU, axes=1)
        try:
            L = np.linalg.cholesky(H)
        except np.linalg.LinAlgError:
            raise ArgumentError("identify: this part of the record does not excite all parameters") from None
        inverse_factor = np.linalg.inv(L)
        step = inverse_factor.T @ (inverse_factor @ (noise**-2 @ Ur))
        # the share of each equation in the trace of the hat matrix: how many parameters it determines
        leverage = np.einsum("ijk,jk->i", UU, inverse_factor.T @ inverse_factor) / noise**2
        previous_noise, noise = noise, np.sqrt(products._squared_residuals_of_step(step) / np.maximum(rows - leverage, 1.0))
        noise = np.maximum(noise, max(MIN_NOISE, MIN_NOISE_SHARE * noise.max()))
        if np.allclose(noise, previous_noise, rtol=1e-6, atol=0):
            break
    inverse = np.linalg.solve(products.R, inverse_factor.T)
    values = np.linalg.solve(products.R, products.start + step)
    return Fit(values, inverse @ inverse.T, L.T @ products.R, noise * products.scale, float(rows.sum()) - len(values))


def _triangular_factor(A: list[np.ndarray], names: tuple[str, ...]) -> np.ndarray:
    """The factor R of all equations together; an error names the parameters that the record does not excite.

    By Cholesky's factors, which need products of matrices only, unless columns are so nearly dependent that these lose digits.
    """
    gram = sum(a.T @ a for a in A)
    size = np.sqrt(np.diag(gram))
    ineffective = [name for name, x in zip(names, size, strict=True) if x <= 1e-12 * size.max()]
    if ineffective:
        raise ArgumentError(_not_excited_message("these have no effect in it", ineffective))
    try:
        R = np.linalg.cholesky(gram / np.outer(size, size)).T
    except np.linalg.LinAlgError:
        R = np.zeros((1, 1))
    if np.diag(R).min() < SAFE_PIVOT:
        R = np.asarray(np.linalg.qr(np.vstack(A) / size, mode="r"))
        _, singular, directions = np.linalg.svd(R)
        null = directions[singular <= RANK_TOLERANCE * singular[0]]
        if len(null):
            shares = np.abs(null).max(axis=0)
            order = [names[k] for k in np.argsort(-shares) if shares[k] > 0.05]
            raise ArgumentError(
                _not_excited_message(f"only {len(singular) - len(null)} of {len(singular)} combinations act independently", order)
            )
    return R * size


def _not_excited_message(reason: str, names: list[str]) -> str:
    listed_names = ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
    return (
        f"identify: the record does not excite all parameters: {reason}: {listed_names}. Record a larger motion of all joints at "
        f"once (without loops, excitation_trajectory finds one), or identify less friction and fewer rotors (friction=False, "
        f"joints=[...])"
    )
