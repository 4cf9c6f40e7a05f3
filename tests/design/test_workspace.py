"""Workspaces against areas and volumes in closed form."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.design.workspace_samples import sample_configurations, sampling_bounds
from tests.design.linkages import body, frame, joint, pan_tilt_arm

PI = np.pi


@pytest.fixture(scope="module")
def annulus() -> lg.Workspace:
    return lg.workspace(lg.library("two_r", parameters={"l2": 0.6}), "tip", samples=1000, resolution=20)


def test_an_annulus(annulus: lg.Workspace) -> None:
    assert annulus.area is not None
    assert annulus.area == pytest.approx(PI * (1.6**2 - 0.4**2), rel=1e-6)
    assert abs(annulus.area - PI * (1.6**2 - 0.4**2)) < 10 * annulus.error
    assert (annulus.kind, annulus.holes, len(annulus.boundary)) == ("plane", 1, 2)
    radii = sorted((np.linalg.norm(p, axis=1) for p in annulus.boundary), key=np.mean)
    np.testing.assert_allclose(radii[0], 0.4, atol=1e-8)
    np.testing.assert_allclose(radii[1], 1.6, atol=1e-8)
    assert "one hole" in str(annulus)


def test_the_boundary_is_where_its_configurations_are(annulus: lg.Workspace) -> None:
    for points, q in zip(annulus.boundary, annulus.boundary_q, strict=True):
        np.testing.assert_allclose(np.asarray(annulus.dyn.pose(q, "tip"))[:, :3, 3], points, atol=1e-9)
        np.testing.assert_allclose(np.sin(q[:, 1]), 0.0, atol=1e-3)  # the arm is straight or folded there
    np.testing.assert_allclose(np.asarray(annulus.dyn.pose(annulus.q, "tip"))[:, :3, 3], annulus.points, atol=1e-12)


@pytest.mark.slow
def test_a_disc_without_a_hole() -> None:
    workspace = lg.workspace("three_r", samples=1000, resolution=20)
    assert workspace.area == pytest.approx(PI * 1.15**2, rel=1e-6)
    assert (workspace.holes, len(workspace.boundary)) == (0, 1)


@pytest.mark.slow
def test_limits_cut_the_area() -> None:
    """For an elbow that bends one way, each distance is reached at one bend: dA = r dr dtheta1. It has a spike of 8.6 degrees."""
    spans = {"theta1": (0.0, PI / 2), "theta2": (0.3, 2.5)}
    workspace = lg.workspace("two_r", over=spans, samples=1000, resolution=20)
    exact = PI / 2 * (np.cos(0.3) - np.cos(2.5))
    assert workspace.area == pytest.approx(exact, rel=1e-6)
    assert workspace.holes == 0
    corners = [[np.cos(a) + np.cos(a + b), np.sin(a) + np.sin(a + b), 0] for a in (0.0, PI / 2) for b in (0.3, 2.5)]
    for corner in corners:
        assert np.linalg.norm(workspace.boundary[0] - corner, axis=1).min() < 1e-9
    low, high = np.array(list(spans.values())).T
    for q in (workspace.q, *workspace.boundary_q):
        assert ((q >= low - 1e-9) & (q <= high + 1e-9)).all()


@pytest.mark.slow
def test_a_crescent_that_two_branches_share() -> None:
    """A distance with the bend t is reached bent one way over an angle of 2, and up to t = 0.5 the other way, too: over 2 + t."""
    exact = 2 * (1 - np.cos(2.5)) + np.sin(0.5) - 0.5 * np.cos(0.5)
    for resolution, off in ((40, 5e-3), (64, 1e-5)):  # its tail is thinner than the coarse grid, which the error tells
        workspace = lg.workspace("two_r", over={"theta1": (0.0, 2.0), "theta2": (-2.5, 0.5)}, resolution=resolution)
        assert workspace.area == pytest.approx(exact, rel=off)
        assert abs(workspace.area - exact) < workspace.error


@pytest.mark.slow
def test_both_bends_of_a_limited_elbow() -> None:
    """The union of two sectors of a ring, one mirrored: all of the ring where the shoulder turns fully."""
    m = lg.library("two_r", parameters={"l2": 0.8})
    workspace = lg.workspace(m, "tip", over={"theta2": (-2.0, 1.0)}, samples=1000, resolution=20)
    inner2 = 1 + 0.64 + 1.6 * np.cos(2.0)
    assert workspace.area == pytest.approx(PI * (1.8**2 - inner2), rel=1e-6)
    assert workspace.holes == 1


@pytest.mark.slow
def test_limits_of_the_description_and_without() -> None:
    m = lg.library("scara")
    sector = lg.workspace(m, samples=1500, resolution=12)
    whole = lg.workspace(m, limits=False, over={"d3": (0.0, 0.21)}, samples=1500, resolution=12)
    assert sector.volume is not None
    assert whole.volume is not None
    ring = PI * (0.55**2 - 0.1**2) * 0.21
    assert whole.volume == pytest.approx(ring, abs=2 * whole.error)
    assert sector.volume < whole.volume


@pytest.mark.slow
def test_loops_in_all_assemblies() -> None:
    """The five-bar's tip is 0.4 m along q2 from 0.5 m along q1: a ring."""
    workspace = lg.workspace("five_bar", samples=200, resolution=16)
    assert workspace.area == pytest.approx(PI * (0.9**2 - 0.1**2), rel=1e-5)
    assert workspace.holes == 1
    assert np.abs(workspace.dyn.closure(np.vstack(workspace.boundary_q))).max() < 1e-8


@pytest.mark.slow
def test_a_parallel_manipulator() -> None:
    """No leg is longer than l1 + l2, so that the platform's centre is within l1 + l2 + rp of each base joint, and gets there."""
    workspace = lg.workspace("three_rrr", samples=300, resolution=12)
    base = [0.5 * np.array([np.cos(a), np.sin(a), 0]) for a in (PI / 2, 7 * PI / 6, 11 * PI / 6)]
    for pivot in base:
        away = np.linalg.norm(np.vstack(workspace.boundary) - pivot, axis=1)
        assert away.max() == pytest.approx(0.82, abs=1e-8)
    assert workspace.area == pytest.approx(0.40830, abs=2e-4)  # at four times the resolution


@pytest.mark.parametrize(("fore", "voids"), [pytest.param(1.0, 0, marks=pytest.mark.slow), (0.5, 1)])
def test_a_ball_and_a_shell(fore: float, voids: int) -> None:
    workspace = lg.workspace(pan_tilt_arm(1.0, fore), "tip", samples=1500, resolution=16)
    exact = 4 / 3 * PI * ((1 + fore) ** 3 - (1 - fore) ** 3)
    assert workspace.volume == pytest.approx(exact, abs=2 * workspace.error)
    assert workspace.error < 0.02 * exact
    assert (workspace.kind, workspace.holes) == ("space", voids)
    radius = np.linalg.norm(workspace.boundary[0], axis=1)
    near = np.minimum(np.abs(radius - 1 - fore), np.abs(radius - 1 + fore))
    assert near.max() < 1e-4
    assert workspace.faces.max() < len(workspace.vertices)


def sector(low: tuple[float, ...], high: tuple[float, ...]) -> lg.Mechanism:
    """A turret, a column and a boom: it reaches part of a hollow cylinder."""
    text = "name = 'crane'\n" + body("turret") + body("column") + body("boom")
    text += joint("yaw", "ground", "turret", driven=True)
    text += joint("lift", "turret", "column", kind="prismatic", driven=True)
    text += joint("reach", "column", "boom", kind="prismatic", axis="x", driven=True)
    m = lg.loads(text + frame("tip", "boom", (0, 0, 0)))
    limits = [lg.JointLimits(a, b) for a, b in zip(low, high, strict=True)]
    return m.replace(joints=tuple(replace(j, limits=x) for j, x in zip(m.joints, limits, strict=True)))


def test_rims_and_corners_of_a_workspace_in_space() -> None:
    """Vertices lie on the boundary, on its rims too, and next to every corner; the volume is that of the hollow sector."""
    low, high = (-1.1, -0.2, 0.3), (1.4, 0.5, 0.8)
    workspace = lg.workspace(sector(low, high), "tip", samples=500, resolution=16)
    corners = np.array([[r * np.cos(a), r * np.sin(a), z] for a, z, r in product(*zip(low, high, strict=True))])
    away = np.linalg.norm(workspace.vertices[None] - corners[:, None], axis=2).min(axis=1)
    assert away.max() < 0.015  # a sixth of a cell
    x, y, z = workspace.vertices.T
    at = np.stack([np.arctan2(y, x), z, np.hypot(x, y)], axis=1)
    off = np.minimum(np.abs(at - low), np.abs(at - high)) * [0.55, 1, 1]
    assert off.min(axis=1).max() < 5e-3
    assert workspace.volume == pytest.approx((1.4 + 1.1) / 2 * (0.8**2 - 0.3**2) * 0.7, rel=1e-3)


def test_a_curved_surface_has_points_alone() -> None:
    workspace = lg.workspace(pan_tilt_arm(1.0, 0.5), "wrist", samples=500)
    assert (workspace.kind, workspace.area, workspace.volume, workspace.boundary) == ("surface", None, None, [])
    np.testing.assert_allclose(np.linalg.norm(workspace.points, axis=1), 1.0, atol=1e-12)
    assert "surface" in str(workspace)


@pytest.mark.slow
def test_a_plane_that_is_askew() -> None:
    """The area does not depend on how the plane of the arm lies."""
    m = lg.library("two_r", parameters={"l2": 0.6})
    first = m.joints[0]
    tilted = lg.Joint(
        first.name, "revolute", first.parent, first.child, placement=lg.Transform.from_rpy((0.1, 0.2, 0.3), (0.4, 0.7, -0.2))
    )
    workspace = lg.workspace(m.replace(joints=(tilted, *m.joints[1:])), "tip", samples=1000, resolution=16)
    assert workspace.area == pytest.approx(PI * (1.6**2 - 0.4**2), rel=1e-5)
    np.testing.assert_allclose(np.linalg.norm(workspace.boundary[0] - [0.1, 0.2, 0.3], axis=1).max(), 1.6, atol=1e-8)


def test_the_same_seed_gives_the_same(annulus: lg.Workspace) -> None:
    bounds = sampling_bounds(annulus.dyn, None, True)
    np.testing.assert_array_equal(sample_configurations(annulus.dyn, bounds, 1000, 0, None), annulus.q)
    assert not np.array_equal(sample_configurations(annulus.dyn, bounds, 1000, 1, None), annulus.q)


@pytest.mark.slow
def test_a_scara_is_a_plane_times_its_stroke() -> None:
    """The volume is the area that the two turning joints reach, times the stroke of the slide."""
    scara = lg.library("scara")
    plane = lg.library("two_r", parameters={"l1": 0.325, "l2": 0.225})
    limits = [(joint.limits.lower, joint.limits.upper) for joint in scara.joints[:2]]
    area = lg.workspace(plane, "tip", over=dict(zip(("theta1", "theta2"), limits, strict=True))).area
    slide = next(joint for joint in scara.joints if joint.type == "prismatic").limits
    workspace = lg.workspace(scara, resolution=28)
    assert area is not None
    assert workspace.volume == pytest.approx(area * (slide.upper - slide.lower), abs=workspace.error)
    assert workspace.volume == pytest.approx(area * (slide.upper - slide.lower), rel=0.01)
