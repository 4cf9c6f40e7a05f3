"""Singular configurations against the conditions that are known for them."""

from __future__ import annotations

import numpy as np
import pytest

import lagrangian as lg
from tests.design.linkages import five_bar


def smallest(dyn: lg.Dynamics, q: np.ndarray, frame: str, rows: list[int]) -> float:
    return float(np.linalg.svd(np.asarray(dyn.jacobian(q, frame))[rows], compute_uv=False)[-1])


def test_a_planar_arm_is_singular_where_it_is_straight_or_folded() -> None:
    singularities = lg.singularities("two_r", {"theta2": (-1.0, 4.0)})
    np.testing.assert_allclose(singularities.values[:, 0], [0.0, np.pi], atol=1e-9)
    assert singularities.directions == ("x", "y")
    assert list(singularities.kind) == [1, 1]
    # with q1 = -pi/2 the arm lies along y, in which it cannot move
    assert singularities[0].description == "'tip' cannot move along y"
    np.testing.assert_allclose(singularities.dyn.jacobian(singularities[0].q, "tip")[3:] @ singularities[0].motion, 0, atol=1e-9)


def test_orientation_counts_where_there_is_freedom_for_it() -> None:
    """Of a 3R arm with its orientation sin(theta2) = 0 is singular; its position alone is lost where all links align."""
    with_turn = lg.singularities("three_r", {"theta2": (-1.0, 4.0)})
    assert with_turn.directions == ("wz", "x", "y")
    np.testing.assert_allclose(with_turn.values[:, 0], [0.0, np.pi], atol=1e-9)
    aligned = lg.singularities("three_r", {"theta2": (-1.0, 1.0)}, directions=("x", "y"), q0={"theta3": 0.0})
    np.testing.assert_allclose(aligned.values, [[0.0]], atol=1e-9)
    bent = lg.singularities("three_r", {"theta2": (-1.0, 1.0)}, directions=("x", "y"), q0={"theta3": 0.4})
    assert len(bent) == 0


def test_wrist_elbow_and_shoulder_of_a_puma() -> None:
    dyn = lg.compile("puma560")
    wrist = lg.singularities(dyn, {"q5": (-1.0, 1.0)}, q0="qn")
    np.testing.assert_allclose(wrist.values, [[0.0]], atol=1e-9)
    elbow = lg.singularities(dyn, {"q3": (-1.0, 2.0)}, q0=[0.1, 0.3, 0.2, 0.4, 0.6, 0.5])
    a3, d4 = 0.0203, 0.4318
    assert np.abs(np.tan(elbow.values[:, 0]) + d4 / a3).min() < 1e-6  # the forearm's offset shifts the straight arm
    for actual in (*wrist, *elbow):
        assert smallest(dyn, actual.q, "tool", [0, 1, 2, 3, 4, 5]) < 1e-10


def test_a_five_bar() -> None:
    """Type 1 where an arm is straight or folded, type 2 where the far links are in one line."""
    m = five_bar(1.0, 0.6, 0.9)
    q0 = lg.assemble(m, [1.8, -1.0, 1.0, 1.0], fixed=("q1", "q2"))
    singularities = lg.singularities(m, {"q1": (-np.pi, np.pi)}, q0=q0)
    assert set(singularities.kind) == {1, 2}
    for s in singularities:
        q1, p1, q2, p2 = s.q
        assert q2 == pytest.approx(q0[2], abs=1e-12)
        if s.kind == 1:
            assert min(abs(np.sin(p1)), abs(np.sin(p2))) < 1e-9
        else:
            assert abs(np.sin((q1 + p1) - (q2 + p2))) < 1e-9
            np.testing.assert_allclose(s.motion[[0, 2]], 0.0, atol=1e-8)


@pytest.fixture(scope="module")
def rrr() -> lg.Dynamics:
    return lg.compile("three_rrr")


def lines(dyn: lg.Dynamics, q: np.ndarray) -> np.ndarray:
    """The lines of the three lower links in the plane: direction, and moment about the origin."""
    results = []
    for k in "123":
        pose = np.asarray(dyn.pose(q, f"lower{k}"))
        d, p = pose[:2, 0], pose[:2, 3]
        results.append([d[0], d[1], p[0] * d[1] - p[1] * d[0]])
    return np.array(results)


def test_a_planar_3rrr(rrr: lg.Dynamics) -> None:
    """Type 1 where an arm is straight or folded, type 2 where the lines of the lower links meet (Gosselin and Angeles)."""
    singularities = lg.singularities(rrr, {"theta1": (-3.0, 3.0)})
    assert (singularities.kind == 1).sum() >= 1
    assert (singularities.kind == 2).sum() >= 1
    for s in singularities:
        if s.kind == 1:
            assert np.abs(np.sin(s.q[[1, 3, 5]])).min() < 1e-9
        else:
            assert abs(np.linalg.det(lines(rrr, s.q))) < 1e-9
        assert np.abs(rrr.closure(s.q)).max() < 1e-12


def test_a_map_of_two_coordinates(rrr: lg.Dynamics) -> None:
    singularities = lg.singularities(rrr, {"theta1": (-2.0, 0.0), "theta2": (0.0, 1.5)}, lines=4)
    assert len(singularities) >= 4
    for s in singularities:
        off = np.abs(np.sin(s.q[[1, 3, 5]])).min() if s.kind == 1 else abs(np.linalg.det(lines(rrr, s.q)))
        assert off < 1e-9
    low, high = np.array([(-2.0, 0.0), (0.0, 1.5)]).T
    assert ((singularities.values >= low - 1e-9) & (singularities.values <= high + 1e-9)).all()
    flat = lg.singularities("two_r", {"theta1": (-1.0, 1.0), "theta2": (-1.0, 1.0)}, lines=5)
    np.testing.assert_allclose(flat.values[:, 1], 0.0, atol=1e-9)
    np.testing.assert_allclose(np.unique(np.round(flat.values[:, 0], 6)), np.linspace(-1, 1, 5), atol=1e-6)


def test_a_parallelogram_loses_both_where_it_is_flat() -> None:
    singularities = lg.singularities("five_bar", {"q1": (0.0, 6.0)})
    np.testing.assert_allclose(singularities.values[:, 0], [np.pi / 6, 7 * np.pi / 6], atol=1e-8)
    assert list(singularities.kind) == [3, 3]


def test_dead_centres_are_singular(rrr: lg.Dynamics) -> None:
    """Of a linkage the input's limit positions are its singularities of type 2."""
    m = lg.library("slider_crank")
    pushed = lg.singularities(m, {"theta": (-1.0, 4.0)}, "slider")
    np.testing.assert_allclose(pushed.values[:, 0], [0.0, np.pi], atol=1e-9)
    assert list(pushed.kind) == [1, 1]


def test_a_configuration_in_which_several_directions_are_lost_at_once() -> None:
    """Level cranks: the determinant has a triple zero, to which interpolation alone does not converge."""
    singularities = lg.singularities("parallelogram", {"theta0": (-1.0, 4.0)})
    np.testing.assert_allclose(singularities.values[:, 0], [0.0, np.pi], atol=1e-9)
    assert list(singularities.kind) == [3, 3]
    assert all(s.description.count("can still move") == 1 for s in singularities)
