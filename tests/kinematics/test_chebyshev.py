"""Pieces of Chebyshev's polynomials: as exact as the function is, whatever it does at its discontinuities."""

import time

import numpy as np

from lagrangian.kinematics.chebyshev import MAX_PIECES, ChebyshevSeries

T = np.linspace(-1.0, 3.0, 5001)


def off(function, discontinuities=()):
    series = ChebyshevSeries.interpolate(function, -1.0, 3.0, discontinuities)
    return np.abs(series.evaluate_many(T) - function(T)).max(), series


def test_smooth_functions_to_rounding():
    def two(t):
        return np.stack([1e3 * np.sin(20 * t), np.exp(-t) / (1 + t * t)], axis=1)

    error, series = off(two)
    assert error < 1e-10  # 1e-13 of 1e3
    assert np.abs(series.evaluate_many(T)[:, 1] - two(T)[:, 1]).max() < 2e-13
    np.testing.assert_allclose([series(t) for t in T[::500]], series.evaluate_many(T[::500]), rtol=1e-13, atol=1e-12)


def test_a_polynomial_needs_no_halving():
    error, series = off(lambda t: (t**7 - t)[:, None])
    assert error < 2e-11
    assert len(series.coefficients) == 16


def test_jumps_at_breaks():
    def jump(t):
        return np.where(t < 0.3, np.sin(t), 5 + np.cos(t))[:, None]

    error, series = off(jump, (0.3, 99.0))
    assert error < 1e-13
    assert len(series.coefficients) == 17
    assert abs(series(0.3)[0] - (5 + np.cos(0.3))) < 1e-13  # at the break, what comes after it
    assert abs(series.evaluate_many(np.array([0.3]))[0, 0] - (5 + np.cos(0.3))) < 1e-13
    assert abs(series(np.nextafter(0.3, 0))[0] - np.sin(0.3)) < 1e-13


def test_before_and_after_the_ends_hold():
    series = ChebyshevSeries.interpolate(lambda t: t[:, None], 0.0, 1.0)
    np.testing.assert_allclose([series(-5.0), series(7.0)], [[0.0], [1.0]], rtol=0, atol=1e-14)
    np.testing.assert_allclose(series.evaluate_many(np.array([-5.0, 7.0])), [[0.0], [1.0]], rtol=0, atol=1e-14)


def test_a_kink_is_closed_in_on():
    error, series = off(lambda t: np.abs(t - 0.123)[:, None])
    assert error < 1e-9
    assert len(series.coefficients) < 100


def test_rounding_of_the_function_is_not_chased():
    rng = np.random.default_rng(0)
    before = time.process_time()
    for noise in (1e-13, 1e-12, 1e-11):
        error, series = off(lambda t, noise=noise: (np.sin(t) * (1 + noise * rng.normal(size=len(t))))[:, None])
        assert error < 100 * noise
        assert len(series.coefficients) < 200
    assert len(off(lambda t: rng.normal(size=(len(t), 1)))[1].coefficients) <= MAX_PIECES
    assert time.process_time() - before < 5
