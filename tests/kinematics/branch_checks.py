"""Checks of the branches that inverse kinematics finds."""

import itertools

import numpy as np

import lagrangian as lg
from lagrangian.kinematics.analytic import analytic_inverse_kinematics
from tests.kinematics.arms import apart, pose

PUMA = lg.library("puma560")


def sound(arm, T, actual, frame="tip", tolerance=1e-11):
    """Each solution meets the pose, is within half a turn of zero, and differs from the others; they are in order."""
    for q in actual:
        assert np.abs(pose(arm, q, frame) - T).max() < tolerance
        assert ((q > -np.pi) & (q <= np.pi)).all()
    for a, b in itertools.pairwise(actual):
        first = np.flatnonzero(np.abs(a - b) > 1e-6)[0]
        assert a[first] < b[first]
    assert all(apart(a, b) > 1e-7 for a, b in itertools.combinations(actual, 2))
    return actual


def holds(arm, q, frame="tip"):
    """Solves the pose at q: the solutions are sound, and q is one of them."""
    T = pose(arm, q, frame)
    result = sound(arm, T, analytic_inverse_kinematics(arm, T, frame), frame)
    assert min(apart(q, b) for b in result) < 1e-6
    return result
