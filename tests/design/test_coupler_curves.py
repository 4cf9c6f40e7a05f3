"""Coupler curves of known linkages, with the properties for which they are known."""

from __future__ import annotations

import numpy as np
import pytest

import lagrangian as lg
from tests.design.linkages import four_bar


def curve(m: lg.Mechanism, q: list[float], name: str = "P") -> lg.CouplerCurve:
    return lg.analyse_cycle(m, q0=lg.assemble(m, q, fixed=m.coordinate_names[:1])).coupler_curve(name)


def distance(actual: lg.CouplerCurve, place: tuple[float, float]) -> float:
    """Of a place from the curve: from the nearest of its chords, which are short."""
    a, b = actual.points[:-1, :2], actual.points[1:, :2]
    d = b - a
    u = np.clip(((np.array(place) - a) * d).sum(axis=1) / (d * d).sum(axis=1), 0, 1)
    return float(np.linalg.norm(a + u[:, None] * d - place, axis=1).min())


def test_chebyshevs_linkage_draws_nearly_a_straight_line() -> None:
    """Ground 4, arms 5, coupler 2, crossed: its middle passes (0, 4), (2, 4) and (4, 4), and between them stays within 0.4 %."""
    m = four_bar(4.0, 5.0, 2.0, 5.0, (1.0, 0.0))
    coupler_curve = curve(m, [np.arctan2(4, 3), np.pi - np.arctan2(4, 3), np.pi - np.arctan2(4, 3)])
    assert coupler_curve.closed
    for place in ((0.0, 4.0), (2.0, 4.0), (4.0, 4.0)):
        assert distance(coupler_curve, place) < 1e-4
    x, y = coupler_curve.points[:, 0], coupler_curve.points[:, 1]
    straight = y[(x > 0) & (x < 4) & (y < 4.3)]
    assert len(straight) > 200
    assert np.abs(straight - 4.0).max() < 0.016


def test_roberts_linkage_passes_its_pivots() -> None:
    """Coupler half the ground, and a point as far from its ends as the arms are long: it is on the ground line thrice."""
    arm, ground = 1.2, 2.0
    down = np.sqrt(arm**2 - (ground / 4) ** 2)
    m = four_bar(ground, arm, ground / 2, arm, (ground / 4, float(-down)))
    lean = np.arccos((ground / 4) / arm)
    coupler_curve = curve(m, [lean, -lean, np.pi - lean])
    for place in ((0.0, 0.0), (1.0, 0.0), (2.0, 0.0)):
        assert distance(coupler_curve, place) < 1e-4


def test_watts_linkage_has_a_double_point_in_its_middle() -> None:
    """With the arms at right angles to the coupler its middle is a double point of the curve, which is a lemniscate's kind."""
    arm, coupler = 1.5, 0.8
    m = four_bar(float(np.hypot(2 * arm, coupler)), arm, coupler, arm, (coupler / 2, 0.0))
    lean = np.arctan2(coupler, 2 * arm)
    coupler_curve = curve(m, [lean, -np.pi / 2, np.pi + lean])
    middle = np.array([np.hypot(2 * arm, coupler) / 2, 0.0, 0.0])
    assert coupler_curve.closed
    assert np.linalg.norm(coupler_curve.double_points - middle, axis=1).min() < 1e-9
    assert "double point" in str(coupler_curve)


@pytest.mark.parametrize("angle", [0.7, 2.1])
def test_a_point_of_the_moving_centrode_has_a_cusp(angle: float) -> None:
    """Where the lines of crank and rocker meet is the coupler's centre of velocity: a point there stands still for an instant."""
    bare = four_bar(1.0, 0.3, 0.9, 0.6)
    q = lg.assemble(bare, [angle, 0.2, 1.5], fixed=("a",))
    crank, rocker = (np.array([np.cos(x), np.sin(x)]) for x in (q[0], q[2]))
    a, _ = np.linalg.solve(np.stack([crank, -rocker], axis=1), [1.0, 0.0])
    centre = a * crank
    turn = q[0] + q[1]
    R = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    at = R.T @ (centre - 0.3 * crank)
    coupler_curve = curve(four_bar(1.0, 0.3, 0.9, 0.6, (float(at[0]), float(at[1]))), list(q))
    assert len(coupler_curve.cusps)
    assert np.linalg.norm(coupler_curve.cusps[:, :2] - centre, axis=1).min() < 1e-8


def test_peaucelliers_line_is_straight() -> None:
    cycle = lg.analyse_cycle("peaucellier").coupler_curve("P")
    np.testing.assert_allclose(cycle.points[:, 0], (0.5**2 - 0.2**2) / 0.4, atol=1e-11)
    assert cycle.closed
    assert len(cycle.double_points) == 0  # it goes to and fro on one line


def test_a_circle_has_its_length() -> None:
    cycle = lg.analyse_cycle("slider_crank").coupler_curve("pin")
    assert cycle.length == pytest.approx(2 * np.pi * 0.1, rel=1e-9)
    np.testing.assert_allclose(np.linalg.norm(cycle.points, axis=1), 0.1, atol=1e-13)


def test_a_spatial_curve_has_no_double_points() -> None:
    cycle = lg.analyse_cycle("bricard").coupler_curve("P3")
    assert cycle.closed
    assert len(cycle.double_points) == 0
