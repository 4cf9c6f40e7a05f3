"""Weighted least squares on triangular factors, with its statistics.

Every equation (of one joint force) and block of time is reduced once to the R of [Y | z] = Q R. All that is asked later, fits with
other weights, with some blocks left out, errors on a block, covariances, follows from these small matrices alone.

The errors of the equations are taken as independent from row to row, of zero mean and of a variance of each equation's own, which
is estimated from the residuals: first from the unweighted fit, then from the weighted one, until it settles.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lagrangian.errors import ArgumentError

PASSES = 20
QUIET = 1e-9  # of the largest force: a residual below is rounding, and no measure of noise
DEFICIENT = 1e-9  # of the largest singular value, columns scaled alike


@dataclass(frozen=True)
class Factors:
    """Of each equation and block: R of [Y | z], and the number of rows it stands for."""

    R: np.ndarray  # (equations, blocks, p + 1, p + 1)
    rows: np.ndarray  # (blocks,)

    @classmethod
    def of(cls, Y: np.ndarray, z: np.ndarray, blocks: int) -> Factors:
        """`Y` is (rows, equations, parameters), `z` (rows, equations); blocks are stretches of time."""
        n, m, p = Y.shape
        edges = np.linspace(0, n, blocks + 1).round().astype(int)
        R = np.zeros((m, blocks, p + 1, p + 1))
        for i in range(m):
            for b, (first, end) in enumerate(zip(edges[:-1], edges[1:], strict=True)):
                found = np.linalg.qr(np.column_stack([Y[first:end, i], z[first:end, i]]), mode="r")
                R[i, b, : len(found)] = found
        return cls(R, np.diff(edges))

    def without(self, block: int) -> Factors:
        kept = [b for b in range(len(self.rows)) if b != block]
        return Factors(self.R[:, kept], self.rows[kept])

    def only(self, block: int) -> Factors:
        return Factors(self.R[:, [block]], self.rows[[block]])

    @property
    def merged(self) -> np.ndarray:
        """Of each equation one R."""
        m, _, size, _ = self.R.shape
        return np.array([np.linalg.qr(R.reshape(-1, size), mode="r") for R in self.R]).reshape(m, -1, size)

    def squares(self, x: np.ndarray) -> np.ndarray:
        """Of each equation the sum of squared residuals."""
        return np.sum((self.R @ np.append(x, -1.0)) ** 2, axis=(1, 2))

    @property
    def sizes(self) -> np.ndarray:
        """Of each equation the sum of squares of z."""
        return np.sum(self.R[..., -1] ** 2, axis=(1, 2))


@dataclass(frozen=True)
class Fit:
    """Estimates with their covariance; `root` is a square root of the information: root^T root = covariance^-1."""

    values: np.ndarray
    covariance: np.ndarray
    root: np.ndarray
    noise: np.ndarray  # standard deviation of each equation
    condition: float  # of the weighted regressor, its columns scaled to length one
    freedom: float


def fit(factors: Factors, names: tuple[str, ...]) -> Fit:
    """Estimates of the parameters called `names`."""
    R = factors.merged
    m, p = len(R), R.shape[-1] - 1
    rows = float(factors.rows.sum())
    noise = np.ones(m)
    floor = QUIET * np.sqrt(factors.sizes.max() / rows)
    if not floor:
        raise ArgumentError("no force acts in the record but what is known: nothing can be identified from it")
    for _ in range(PASSES):
        T = np.linalg.qr((R / noise[:, None, None]).reshape(-1, p + 1), mode="r")
        root, z = T[:p, :p], T[:p, p]
        size = np.linalg.norm(root, axis=0)
        condition = _conditioned(root, size, names)
        scaled = root / size
        values = np.linalg.solve(scaled, z) / size
        inverse = np.linalg.inv(scaled) / size[:, None]
        # what each equation spends on the parameters: its share of the hat matrix' trace
        spent = np.sum((R[:, :, :p] @ inverse) ** 2, axis=(1, 2)) / noise**2
        before, noise = noise, np.sqrt(factors.squares(values) / np.maximum(rows - spent, 1.0))
        noise = np.maximum(noise, floor)
        if np.allclose(noise, before, rtol=1e-6, atol=0):
            break
    return Fit(values, inverse @ inverse.T, root, noise, condition, rows * m - p)


def _conditioned(root: np.ndarray, size: np.ndarray, names: tuple[str, ...]) -> float:
    """The condition number; an error names the parameters of which the record says nothing."""
    largest = size.max(initial=0.0)
    silent = [name for name, x in zip(names, size, strict=True) if x <= 1e-12 * largest]
    if silent:
        raise ArgumentError(_missing("no effect in it at all", silent))
    _, singular, directions = np.linalg.svd(root / size)
    null = directions[singular <= DEFICIENT * singular[0]]
    if len(null):
        shares = np.abs(null).max(axis=0)
        order = [names[k] for k in np.argsort(-shares) if shares[k] > 0.05]
        raise ArgumentError(_missing(f"only {len(singular) - len(null)} of {len(singular)} combinations acting apart", order))
    return float(singular[0] / singular[-1])


def _missing(what: str, names: list[str]) -> str:
    shown = ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
    return (
        f"the record does not excite all parameters: {what}: {shown}. Record a motion of all joints at once, such as "
        f"lagrangian.exciting_path(mechanism) gives, or identify fewer (friction=False, joints=[...])"
    )
