"""Quaternions against scipy's rotations, and at the corners: no turn, half turns, tiny turns."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from lagrangian.model.rotation import quaternion as quat

rng = np.random.default_rng(0)
Q = rng.normal(size=(200, 4))
Q /= np.linalg.norm(Q, axis=1, keepdims=True)
W = rng.normal(size=(200, 3))


def scipys(q):
    return Rotation.from_quat(np.roll(q, -1, axis=-1))


def test_matrix_and_back():
    R = quat.matrix(Q)
    np.testing.assert_allclose(R, scipys(Q).as_matrix(), rtol=0, atol=1e-14)
    back = quat.from_matrix(R)
    assert (back[:, 0] >= 0).all()
    np.testing.assert_allclose(back, Q * np.where(Q[:, :1] < 0, -1, 1), rtol=0, atol=1e-14)
    np.testing.assert_allclose(quat.matrix(7.3 * Q), R, rtol=0, atol=1e-14)  # the length does not matter


@pytest.mark.parametrize("axis", [*np.eye(3), (1, 1, 0), (0, -1, 1), (1, 2, 3)])
@pytest.mark.parametrize("angle", [0, 1e-12, 1e-5, np.pi / 2, np.pi - 1e-9, np.pi])
def test_corners_of_the_matrix(axis, angle):
    w = np.array(axis) / np.linalg.norm(axis) * angle
    R = Rotation.from_rotvec(w).as_matrix()
    q = quat.from_matrix(R)
    np.testing.assert_allclose(quat.matrix(q), R, rtol=0, atol=1e-15)
    np.testing.assert_allclose(quat.matrix(quat.exponential(w)), R, rtol=0, atol=4e-16)
    actual = quat.logarithm(q)
    assert min(np.abs(actual - w).max(), np.abs(actual + w).max() if angle > 3 else np.inf) < 2e-15 + 1e-15 * angle


def test_product_turns_b_then_a():
    P = np.roll(Q, 7, axis=0)
    np.testing.assert_allclose(quat.matrix(quat.product(Q, P)), quat.matrix(Q) @ quat.matrix(P), rtol=0, atol=1e-14)
    np.testing.assert_allclose(quat.product(Q, quat.conjugate(Q)), np.tile([1, 0, 0, 0], (200, 1)), rtol=0, atol=1e-15)
    one = quat.product(Q[0], P[0])
    assert one.shape == (4,)
    np.testing.assert_array_equal(one, quat.product(Q, P)[0])


def test_exponential_and_logarithm():
    np.testing.assert_allclose(quat.matrix(quat.exponential(W)), Rotation.from_rotvec(W).as_matrix(), rtol=0, atol=1e-14)
    np.testing.assert_allclose(quat.logarithm(Q), scipys(Q).as_rotvec(), rtol=0, atol=1e-14)
    np.testing.assert_allclose(quat.logarithm(-Q), quat.logarithm(Q), rtol=0, atol=0)  # both stand for one turn
    for size in (1e-3, 1e-9, 1e-160, 0.0):
        np.testing.assert_allclose(quat.logarithm(quat.exponential(size * W)), size * W, rtol=1e-12, atol=0)
    assert np.linalg.norm(quat.logarithm(Q), axis=1).max() <= np.pi


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-7, 1e-3, 1.0, 3.0, np.pi - 1e-4, np.pi - 1e-7, np.pi])
def test_rotation_vectors_of_one_matrix(angle):
    for w in W[:20]:
        R = Rotation.from_rotvec(angle * w / np.linalg.norm(w)).as_matrix()
        actual, expected = quat.rotation_vector(R), quat.logarithm(quat.from_matrix(R))
        off = min(np.abs(actual - expected).max(), np.abs(actual + expected).max() if angle == np.pi else np.inf)
        assert off < 1e-9
        if angle < 1:
            np.testing.assert_allclose(actual, angle * w / np.linalg.norm(w), rtol=0, atol=1e-15)


def test_the_skew_matrix_multiplies_as_the_cross_product():
    a, b = W[0], W[1]
    np.testing.assert_allclose(quat.skew(a) @ b, np.cross(a, b), rtol=0, atol=1e-15)
