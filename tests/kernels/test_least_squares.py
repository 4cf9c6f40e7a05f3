"""Equations that depend on each other: against pseudo-inverses, whatever the rows' units, one matrix or many."""

import numpy as np
import pytest
from scipy.linalg import null_space as reference

from lagrangian.kernels import least_squares

RNG = np.random.default_rng(4)
UNITS = np.array([1.0, 1e3, 1e-4, 1.0, 20.0])[:, None]


def dependent(rank: int) -> np.ndarray:
    """Five equations of six unknowns, of some rank, in different units."""
    return UNITS * (RNG.normal(size=(5, rank)) @ RNG.normal(size=(rank, 6)))


@pytest.mark.parametrize("rank", [1, 3, 5])
def test_the_smallest_solution(rank: int) -> None:
    A, x = dependent(rank), RNG.normal(size=6)
    np.testing.assert_allclose(
        least_squares.scaled_minimum_norm_solution(A, A @ x), np.linalg.pinv(A / UNITS) @ (A @ x / UNITS[:, 0]), rtol=0, atol=1e-9
    )
    B = A / UNITS / 10
    b = RNG.normal(size=5)
    np.testing.assert_allclose(least_squares.minimum_norm_solution(B, b), np.linalg.pinv(B) @ b, rtol=1e-8, atol=1e-9)


def test_square_ones_have_one() -> None:
    A, b = RNG.normal(size=(3, 4, 4)), RNG.normal(size=(3, 4))
    exact = np.linalg.solve(A, b[..., None])[..., 0]
    np.testing.assert_allclose(least_squares.scaled_minimum_norm_solution(A, b, full_rank=True), exact, rtol=1e-12)
    np.testing.assert_allclose(least_squares.scaled_minimum_norm_solution(A, b), exact, rtol=1e-8)
    A[1, 3] = A[1, 2]  # of which one has none, after all
    b[1, 3] = b[1, 2]
    x = least_squares.scaled_minimum_norm_solution(A, b, full_rank=True)
    np.testing.assert_allclose(np.einsum("nij,nj->ni", A, x), b, atol=1e-9)


@pytest.mark.parametrize("rank", [1, 3, 5])
def test_the_null_space(rank: int) -> None:
    A = dependent(rank)
    N = least_squares.null_space(A)
    assert N.shape == (6, 6 - rank)
    expected = reference(A / UNITS, rcond=1e-10)
    np.testing.assert_allclose(N @ N.T, expected @ expected.T, atol=1e-8)
    many = np.array([A, 3 * A, A[::-1]])
    np.testing.assert_allclose(
        least_squares.null_space(many)[2] @ least_squares.null_space(many)[2].T, expected @ expected.T, atol=1e-8
    )


def test_rows_of_rounding_stay_so() -> None:
    rows, size = least_squares.unit_rows(np.array([[3.0, 4.0], [1e-17, 0.0], [0.0, 0.0], [0.0, 1e-9]]))
    np.testing.assert_array_equal(size, [5.0, 1.0, 1.0, 1e-9])
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0, 0], [0, 0], [0, 1]], atol=1e-16)


@pytest.mark.parametrize("rank", [2, 5])
def test_multipliers_are_the_smallest(rank: int) -> None:
    A, values = dependent(rank), RNG.normal(size=5)
    actual = least_squares.minimum_norm_multipliers(A, values)
    np.testing.assert_allclose(A.T @ actual, A.T @ values, atol=1e-9 * np.abs(A).max())
    idle = reference((A / UNITS).T, rcond=1e-10) / UNITS  # combinations that exert nothing
    if rank < 5:
        assert np.abs(np.linalg.qr(idle)[0].T @ actual).max() < 1e-8 * np.abs(values).max()
    with_nan = least_squares.minimum_norm_multipliers(np.array([A, np.full_like(A, np.nan)]), np.array([values, values]))
    np.testing.assert_allclose(with_nan[0], actual)
    assert np.isnan(with_nan[1]).all()
