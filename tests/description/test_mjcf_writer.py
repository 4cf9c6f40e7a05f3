"""Mechanisms written as MJCF and read again."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.description.robot_file_round_trips import again, assert_same_dynamics, bare, differences, off, quadruped_mechanism
from tests.mechanisms import random_mechanism, seeds, two_chains

import lagrangian as lg

HELD = ["ball", "continuous", "fixed", "free", "gimbal", "planar", "prismatic", "revolute", "universal"]


def without_losses(m):
    """What MJCF holds of a mechanism: dry friction is the same both ways."""
    joints = []
    for j in m.joints:
        dry = (float(j.friction.coulomb) + float(j.friction.coulomb_negative)) / 2
        joints.append(replace(j, friction=lg.Friction(j.friction.viscous, dry)))
    return bare(m, joints=joints, constraints=())


UNREAL = ("puma560",)  # whose parameters are not those of real bodies


@pytest.mark.parametrize("name", [name for name in lg.library() if name not in UNREAL])
def test_the_library_has_the_same_dynamics(name):
    m = lg.library(name)
    r, conversion = again(m, "mjcf")
    assert_same_dynamics(without_losses(m).replace(loops=()), r.replace(loops=(), constraints=()), conversion.coordinates)
    assert r.gravity == tuple(map(float, m.gravity))
    if m.loops:
        assert_same_dynamics(
            without_losses(m).replace(initial=lg.InitialState(q=m.initial.q)), r, conversion.coordinates, loops=True
        )


def upright(m):
    """Free joints at the world's own frame, as MuJoCo has them; without dry friction in planes and at free joints."""
    joints = []
    for j in m.joints:
        if j.type == "free" and j.parent == "ground":
            j = replace(j, placement=lg.Transform())
        if j.type in ("free", "planar"):
            viscous = 0 if j.type == "free" and j.parent != "ground" else j.friction.viscous
            j = replace(j, friction=lg.Friction(viscous))
        joints.append(j)
    return m.replace(joints=joints)


@given(st.lists(st.sampled_from(HELD), min_size=1, max_size=5), seeds)
@settings(max_examples=6)
def test_random_trees(types, seed):
    m = upright(random_mechanism(types, seed, passive=True))
    r, conversion = again(m, "mjcf")
    assert len(r.springs) == 1
    assert_same_dynamics(without_losses(m), r, conversion.coordinates, seed=seed)


def test_the_start_is_the_pose_that_is_written():
    m = lg.library("four_bar")
    r, _ = again(m, "mjcf")
    np.testing.assert_allclose(r.initial.q, lg.assemble(m), atol=1e-12)
    assert set(r.poses) >= set(m.poses)
    quad = quadruped_mechanism().replace(initial=lg.InitialState(q=(1, 0, 0, 0, 0.1, 0.2, 0.5, *([0.1] * 12))))
    np.testing.assert_allclose(again(quad, "mjcf")[0].initial.q, quad.initial.q, atol=1e-15)


def test_speeds_of_the_start_are_a_keyframe():
    m = lg.library("heavy_top")
    r, conversion = again(m, "mjcf", keyframe="initial")
    assert any("load(path, keyframe='initial')" in note for note in conversion.notes)
    np.testing.assert_allclose(r.initial.q, m.initial.q, atol=1e-15)
    np.testing.assert_allclose(r.initial.qd, m.initial.qd, atol=1e-15)


def test_several_joints_are_in_one_body():
    m = lg.library("gantry_crane")
    text = lg.convert(m, "mjcf").text
    assert text.count("<body ") == len(m.bodies)
    # as they are when such a file is read: bodies without mass between joints are not written
    r, _ = again(m, "mjcf")
    assert lg.convert(r, "mjcf").text.count("<body ") == len(m.bodies)


@pytest.mark.parametrize("kind", ["helical", "cam"])
def test_screws_are_a_hinge_and_a_slide(kind):
    m = random_mechanism(["revolute", kind], 5, chain=True)
    if kind == "cam":
        m = m.replace(
            joints=[m.joints[0], replace(m.joints[1], type_entries=(("axis", m.joints[1].axis), ("advance", POLYNOMIAL)))]
        )
    m = m.replace(initial=lg.InitialState(q=(0.3, 0.7)))
    r, _ = again(m, "mjcf")
    a, b = lg.compile(m), lg.compile(r)
    q, qd, tau = np.array([0.3, 0.7]), np.array([1.1, -0.8]), np.array([2.0, 3.0])
    at = [r.coordinate_names.index(name) for name in ("j0", "j1", "j1.advance")]
    rise = 0.3 if kind == "helical" else 0.1 + 0.4 * 0.7
    advance = 0.3 * 0.7 if kind == "helical" else 0.05 + 0.07 + 0.2 * 0.49
    p, v, f = np.zeros(3), np.zeros(3), np.zeros(3)
    p[at], v[at], f[at] = [*q, advance], [*qd, rise * qd[1]], [*tau, 0.0]
    assert np.abs(b.closure(p)).max() < 1e-12
    assert off(b.forward_dynamics(p, v, f)[at[:2]], a.forward_dynamics(q, qd, tau)) < 1e-10


POLYNOMIAL = lg.Joint("j", "cam", "ground", "b", advance="0.05 + 0.1*angle + 0.2*angle^2").advance


def test_a_cam_that_is_no_polynomial_is_refused():
    with pytest.raises(lg.DescriptionError, match="joint 'j0': a cam joint of this form cannot be written as MJCF"):
        lg.convert(random_mechanism(["cam"], 1), "mjcf")


@pytest.mark.parametrize("kind", ["ball", "fixed", "revolute", "distance"])
def test_loops_are_read_back(kind):
    m = two_chains(["revolute", "universal", "revolute"], ["free"], kind, 9)
    m = m.replace(joints=[replace(j, placement=lg.Transform()) if j.type == "free" else j for j in m.joints])
    r, conversion = again(m, "mjcf")
    assert max(differences(m, r, conversion.coordinates, loops=True).values()) < 1e-9


@pytest.mark.parametrize("kind", ["prismatic", "cylindrical", "planar", "universal"])
def test_loops_that_mjcf_has_not(kind):
    m = two_chains(["revolute", "universal", "revolute"], ["free"], kind, 9)
    assert any("loop 'close' is left out" in x and f"no {kind} loops" in x for x in lg.convert(m, "mjcf").warnings)


EQUATIONS = ["2*j0 + 5*j1 - 0.3", "j1 - 0.2*j0^3 + j0 - 0.1", "j0 - 0.4", "j0 + 2*j1 - 3*j2 + 0.1"]


@pytest.mark.parametrize("equation", EQUATIONS)
def test_couplings_are_read_back(equation):
    m = random_mechanism(["revolute", "revolute", "prismatic"], 2).replace(
        constraints=[lg.HolonomicConstraint("gear", equation)], initial=lg.InitialState(q=(0.2, 0.1, -0.1))
    )
    r, conversion = again(m, "mjcf")
    assert not conversion.warnings
    a, b = lg.compile(m), lg.compile(r)
    q = np.array([0.3, -0.4, 0.2])
    ours, theirs = a.constraint_jacobian(q)[0], b.constraint_jacobian(q)[0]
    factor = ours @ theirs / (theirs @ theirs)
    np.testing.assert_allclose(ours, factor * theirs, atol=1e-12)
    np.testing.assert_allclose(a.closure(q), factor * b.closure(q), atol=1e-12)


def test_equations_that_mjcf_has_not():
    m = random_mechanism(["revolute", "revolute"], 2).replace(constraints=[lg.HolonomicConstraint("odd", "sin(j0) - cos(j1)")])
    assert any("constraint 'odd' is left out" in x for x in lg.convert(m, "mjcf").warnings)


def test_springs_and_compensation():
    m = random_mechanism(["revolute", "revolute"], 3)
    m = m.replace(
        springs=[
            lg.PointSpring("stay", "ground", "b1", (0.1, 0, 0), (0, 0.2, 0), 5.0, 0.3, 0.1, via=[("b0", (0, 0, 0.1))]),
            lg.CoordinateSpring("across", "j0 - 2*j1 + 0.1", 4.0, -0.9, 0.2),
            lg.GravityCompensation("lift", "b1", 0.5),
        ]
    )
    r, conversion = again(m, "mjcf")
    assert not conversion.warnings
    assert_same_dynamics(m, r, conversion.coordinates)


def test_what_is_left_out_is_reported():
    wall = lg.Wall("floor", "b0", stiffness=1e4)
    m = random_mechanism(["revolute"], 4).replace(springs=[wall])
    m = m.replace(joints=[replace(m.joints[0], friction=lg.Friction(0.1, 0.2, 0.3, static=0.5))])
    warned = "\n".join(lg.convert(m, "mjcf").warnings)
    for part in ("wall 'floor' is left out", "different dry friction", "static friction"):
        assert part in warned


def test_actuators_are_read_back():
    m = random_mechanism(["revolute", "prismatic", "revolute"], 4)
    joints = [replace(m.joints[0], limits=lg.JointLimits(-1, 2, 3.0, 7.0)), m.joints[1], replace(m.joints[2], actuated=False)]
    m = m.replace(joints=joints, initial=lg.InitialState(torque=(("j1", lg.parameter("k", 3.0) * 2),)))
    r, conversion = again(m, "mjcf")
    assert not conversion.warnings
    assert sorted(r.parameters) == ["ctrl_j0", "ctrl_j1"]
    assert float(dict(r.initial.torque)["j1"]) == 6.0
    assert r.joint("j0").limits == lg.JointLimits(-1, 2, math.inf, 7.0)
    assert any("speed limit" in note for note in conversion.notes)


def test_what_is_no_real_body_is_made_one_with_a_warning():
    m = lg.library("puma560")
    r, conversion = again(m, "mjcf")
    assert any("bodies 'link1', 'link3' have an inertia that no real body can have" in x for x in conversion.warnings)
    for body in r.bodies:
        a, b, c = body.principal_inertia()[0]
        assert a + b >= c * (1 - 1e-12)


def test_a_body_called_world_has_another_name_in_the_file() -> None:
    """MuJoCo keeps that name for the fixed world."""
    bodies = [
        lg.Body("world", mass=1.0, center=(0.2, 0, 0), inertia=(0.1, 0.1, 0.1)),
        lg.Body("tip", mass=1.0, inertia=(1, 1, 1)),
    ]
    joints = [lg.Joint("a", "revolute", "ground", "world"), lg.Joint("b", "revolute", "world", "tip", (0.4, 0, 0))]
    written = lg.convert(lg.Mechanism("m", bodies, joints), "mjcf")
    assert "body 'world' is called 'world_body' in the file" in written.notes
    again = lg.loads(written.text, "mjcf")
    assert [(j.parent, j.child) for j in again.joints] == [("ground", "world_body"), ("world_body", "tip")]
