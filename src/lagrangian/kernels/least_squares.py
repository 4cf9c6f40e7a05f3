"""Linear algebra of equations that may depend on each other, for one matrix (m, n) or many (..., m, n).

Rows of length one make equations in metres and in radians alike: then one tolerance tells which of them depend on each other.
"""

from __future__ import annotations

import numpy as np

from lagrangian.algorithms.constraints.constrained_dynamics import ROUNDING_TOLERANCE

# singular values of a matrix, its rows of length one, below which rows are dependent
RANK_TOLERANCE = 1e-8


def unit_rows(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of length one, whatever their units, but for those that are rounding; and what they were divided by."""
    size = np.linalg.norm(A, axis=-1)
    size = np.where(size > ROUNDING_TOLERANCE, size, 1.0)
    return A / size[..., None], size


def pseudoinverse_factors(A: np.ndarray, full_matrices: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """U, 1/s and V^T of A = U diag(s) V^T, 1/s zero where s is none; `full_matrices` has all rows of V^T, the null space last."""
    fine, bad = mask_not_finite(A)
    U, s, Vt = np.linalg.svd(fine, full_matrices=full_matrices)
    is_nonzero = s > RANK_TOLERANCE
    inverse = np.where(is_nonzero, 1 / np.where(is_nonzero, s, 1.0), 0.0)
    return U, inverse if bad is None else np.where(bad[..., 0], np.nan, inverse), Vt


def mask_not_finite(A: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """Matrices with zeros in place of those that are not finite, of which LAPACK warns, or fails; and which these are."""
    if np.isfinite(A).all():
        return A, None
    bad = ~np.isfinite(A).all(axis=(-2, -1), keepdims=True)
    return np.where(bad, 0.0, A), bad


def minimum_norm_solution(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The smallest x with A x = b, rows as they are; in the least squares where there is none."""
    U, inverse, Vt = pseudoinverse_factors(A)
    solution: np.ndarray = np.einsum("...kj,...k->...j", Vt, inverse * np.einsum("...ik,...i->...k", U, b))
    return solution


def scaled_minimum_norm_solution(A: np.ndarray, b: np.ndarray, full_rank: bool = False) -> np.ndarray:
    """The smallest x with A x = b, whatever the rows' units; where they depend on each other, or contradict, in least squares.

    `full_rank` says that the A are of full rank, so that square ones have one x alone, which is sooner found.
    """
    if full_rank and A.shape[-1] == A.shape[-2]:
        try:
            x = np.linalg.solve(A, b[..., None])[..., 0]
            if np.isfinite(x).all():
                return x
        except np.linalg.LinAlgError:  # some of them are not, after all
            pass
    rows, size = unit_rows(A)
    return minimum_norm_solution(rows, b / size)


def null_space(A: np.ndarray) -> np.ndarray:
    """A basis of the x with A x = 0 as columns, for many A of as many as the A of the largest rank has."""
    _, inverse, Vt = pseudoinverse_factors(unit_rows(A)[0], full_matrices=True)
    rank = int((inverse > 0).sum(axis=-1).max())
    basis: np.ndarray = np.swapaxes(Vt[..., rank:, :], -1, -2)
    return basis


def minimum_norm_multipliers(psi: np.ndarray, multipliers: np.ndarray) -> np.ndarray:
    """The smallest of all multipliers with the same Psi^T lambda.

    Multipliers that are found by leaving out dependent rows are only one choice of many.
    """
    fine, bad = mask_not_finite(psi)
    if bad is not None:  # what is not a number has no rank, and must not hide those that are
        return np.where(bad[..., 0], np.nan, minimum_norm_multipliers(fine, multipliers))
    rows, size = unit_rows(psi)
    combinations, inverse, _ = pseudoinverse_factors(rows, full_matrices=True)
    dependent = np.ones(combinations.shape[:-1], dtype=bool)
    dependent[..., : inverse.shape[-1]] = inverse == 0
    if not dependent.any():
        return multipliers
    # combinations of multipliers that exert no force: their part is taken off
    null_combinations = combinations * dependent[..., None, :] / size[..., None]
    null_part = np.einsum("...km,...m->...k", np.linalg.pinv(null_combinations), multipliers)
    smallest: np.ndarray = multipliers - np.einsum("...mk,...k->...m", null_combinations, null_part)
    return smallest
