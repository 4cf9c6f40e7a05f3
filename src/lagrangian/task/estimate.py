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
SAFE, DEFICIENT = 1e-5, 1e-9  # of the largest singular value, columns scaled alike


@dataclass(frozen=True)
class Factors:
    """Of each equation and block: R of [Y | z], and the number of rows it stands for."""

    R: np.ndarray  # (equations, blocks, p + 1, p + 1)
    rows: np.ndarray  # (equations, blocks)

    @classmethod
    def of(cls, Y: np.ndarray, z: np.ndarray, used: np.ndarray, blocks: int) -> Factors:
        """`Y` is (rows, equations, parameters), `z` and the flags `used` (rows, equations); blocks are stretches of time."""
        n, m, p = Y.shape
        edges = np.linspace(0, n, blocks + 1).round().astype(int)
        R, rows = np.zeros((m, blocks, p + 1, p + 1)), np.zeros((m, blocks))
        for i in range(m):
            acting = [*np.flatnonzero(Y[:, i].any(axis=0)), p]  # an outer joint feels few of the parameters
            table = np.column_stack([Y[:, i], z[:, i]])[:, acting]
            for b, (first, end) in enumerate(zip(edges[:-1], edges[1:], strict=True)):
                chosen = table[first:end][used[first:end, i]]
                found = triangle(chosen)
                R[i, b, : len(found), acting] = found.T
                rows[i, b] = len(chosen)
        return cls(R, rows)

    def without(self, block: int) -> Factors:
        kept = [b for b in range(self.blocks) if b != block]
        return Factors(self.R[:, kept], self.rows[:, kept])

    def only(self, block: int) -> Factors:
        return Factors(self.R[:, [block]], self.rows[:, [block]])

    @property
    def blocks(self) -> int:
        return self.R.shape[1]

    @property
    def merged(self) -> np.ndarray:
        """Of each equation one R."""
        m, _, size, _ = self.R.shape
        return np.array([triangle(R.reshape(-1, size)) for R in self.R]).reshape(m, -1, size)

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


def triangle(A: np.ndarray) -> np.ndarray:
    """R of a tall matrix, from pieces of it: of small matrices many are done in the time that threads need to meet over one."""
    p = A.shape[1]
    while len(A) > 4 * p:
        whole = np.zeros((-(-len(A) // (3 * p)) * 3 * p, p))
        whole[: len(A)] = A
        A = np.linalg.qr(whole.reshape(-1, 3 * p, p), mode="r").reshape(-1, p)
    return np.linalg.qr(A, mode="r")


def fit(factors: Factors, names: tuple[str, ...], statistics: bool = True) -> Fit:
    """Estimates of the parameters called `names`; without `statistics` no condition number."""
    R = factors.merged
    m, p = len(R), R.shape[-1] - 1
    rows = factors.rows.sum(axis=1)
    noise = np.ones(m)
    floor = QUIET * np.sqrt((factors.sizes / np.maximum(rows, 1)).max())
    if not floor:
        raise ArgumentError("no force acts in the record but what is known: nothing can be identified from it")
    for turn in range(PASSES):
        T = triangle((R / noise[:, None, None]).reshape(-1, p + 1))
        root, z = T[:p, :p], T[:p, p]
        size = np.linalg.norm(root, axis=0)
        if not turn:
            _check(root, size, names)
        scaled = root / size
        values = np.linalg.solve(scaled, z) / size
        inverse = np.linalg.inv(scaled) / size[:, None]
        # what each equation spends on the parameters: its share of the hat matrix' trace
        spent = np.sum((R[:, :, :p] @ inverse) ** 2, axis=(1, 2)) / noise**2
        before, noise = noise, np.sqrt(factors.squares(values) / np.maximum(rows - spent, 1.0))
        noise = np.maximum(noise, floor)
        if np.allclose(noise, before, rtol=1e-6, atol=0):
            break
    condition = float(np.linalg.cond(root / size)) if statistics else np.nan
    return Fit(values, inverse @ inverse.T, root, noise, condition, float(rows.sum()) - p)


def _check(root: np.ndarray, size: np.ndarray, names: tuple[str, ...]) -> None:
    """An error names the parameters of which the record says nothing."""
    largest = size.max(initial=0.0)
    silent = [name for name, x in zip(names, size, strict=True) if x <= 1e-12 * largest]
    if silent:
        raise ArgumentError(_missing("no effect in it at all", silent))
    if np.abs(np.diag(root / size)).min() > SAFE:  # then it is not needed to look closer
        return
    _, singular, directions = np.linalg.svd(root / size)
    null = directions[singular <= DEFICIENT * singular[0]]
    if len(null):
        shares = np.abs(null).max(axis=0)
        order = [names[k] for k in np.argsort(-shares) if shares[k] > 0.05]
        raise ArgumentError(_missing(f"only {len(singular) - len(null)} of {len(singular)} combinations acting apart", order))


def _missing(what: str, names: list[str]) -> str:
    shown = ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
    return (
        f"the record does not excite all parameters: {what}: {shown}. Record a motion of all joints at once, such as "
        f"lagrangian.exciting_path(mechanism) gives, or identify fewer (friction=False, joints=[...])"
    )
