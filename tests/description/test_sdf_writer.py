"""Mechanisms written as SDF and read again."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.description.robot_file_round_trips import again, assert_same_dynamics, bare, differences, quadruped_mechanism
from tests.mechanisms import random_mechanism, seeds, two_chains

import lagrangian as lg

UNREAL = ("puma560",)  # whose parameters are not those of real bodies
HELD = ["ball", "continuous", "fixed", "free", "gimbal", "helical", "planar", "prismatic", "revolute", "universal"]


def without_losses(m):
    """What SDF holds of a mechanism: dry friction is the same both ways, and nothing but it sits at a ball joint."""
    joints = []
    for j in m.joints:
        dry = (float(j.friction.coulomb) + float(j.friction.coulomb_negative)) / 2
        at = {"spring": lg.JointSpring(), "rotor": lg.Rotor()} if j.type == "ball" else {}
        joints.append(replace(j, friction=lg.Friction(j.friction.viscous, dry), **at))
    return bare(m, joints=joints, constraints=())


@pytest.mark.parametrize("name", [name for name in lg.library() if name not in UNREAL])
def test_the_library_has_the_same_dynamics(name):
    m = lg.library(name)
    r, conversion = again(m, "sdf")
    own = {"offsets": conversion.offsets}
    assert_same_dynamics(without_losses(m).replace(loops=()), r.replace(loops=(), constraints=()), conversion.coordinates, **own)
    np.testing.assert_allclose(r.gravity, [float(x) for x in m.gravity], atol=0)
    if m.loops:
        m = without_losses(m).replace(initial=lg.InitialState(q=m.initial.q))
        assert_same_dynamics(m, r, conversion.coordinates, loops=True, **own)


def upright(m):
    """Free joints at the world's own frame, and without friction, as SDF has them."""
    joints = []
    for j in m.joints:
        if j.type == "free":
            j = replace(j, friction=lg.Friction(), placement=lg.Transform() if j.parent == "ground" else j.placement)
        joints.append(replace(j, friction=lg.Friction(j.friction.viscous)) if j.type == "planar" else j)
    return m.replace(joints=joints)


@given(st.lists(st.sampled_from(HELD), min_size=1, max_size=5), seeds)
@settings(max_examples=6)
def test_random_trees(types, seed):
    m = upright(random_mechanism(types, seed, passive=True))
    r, conversion = again(m, "sdf")
    names = conversion.coordinates
    assert_same_dynamics(without_losses(m), r, names, seed=seed)


@pytest.mark.parametrize("kind", ["ball", "fixed", "revolute", "prismatic", "universal", "distance"])
def test_loops_are_read_back(kind):
    m = two_chains(["revolute", "universal", "revolute"], ["prismatic", "revolute", "gimbal"], kind, 9)
    r, conversion = again(m, "sdf")
    assert [loop.type for loop in r.loops] == [kind]
    assert max(differences(m, r, conversion.coordinates, loops=True, offsets=conversion.offsets).values()) < 1e-9


@pytest.mark.parametrize("kind", ["cylindrical", "planar"])
def test_loops_that_sdf_has_not(kind):
    m = two_chains(["revolute", "universal", "revolute"], ["prismatic", "revolute", "gimbal"], kind, 9)
    assert any("loop 'close' is left out" in x for x in lg.convert(m, "sdf").warnings)


def test_gears_are_written_as_mimic():
    m = random_mechanism(["revolute", "prismatic"], 2).replace(constraints=[lg.HolonomicConstraint("gear", "2*j0 + 5*j1 - 0.3")])
    r, conversion = again(m, "sdf")
    assert not conversion.warnings
    assert np.abs(lg.compile(r).closure(np.array([0.2, (0.3 - 0.4) / 5]))).max() < 1e-15
    m = m.replace(constraints=[lg.HolonomicConstraint("odd", "sin(j0) - j1")])
    assert any("'odd' is left out" in x for x in lg.convert(m, "sdf").warnings)


def test_springs_between_points_are_drakes():
    m = random_mechanism(["revolute", "revolute"], 3)
    m = m.replace(springs=[lg.PointSpring("stay", "ground", "b1", (0.1, 0, 0), (0, 0.2, 0), 5.0, 0.3, 0.1)])
    r, conversion = again(m, "sdf")
    assert "only Drake reads" in conversion.warnings[0]
    assert_same_dynamics(m, r, conversion.coordinates)
    slack = m.replace(springs=[replace(m.springs[0], slack=0.1), lg.GravityCompensation("half", "b0", 0.5)])
    warned = lg.convert(slack, "sdf").warnings
    assert any("spring 'stay' is left out" in x for x in warned)
    assert any("gravity compensation 'half' is left out" in x for x in warned)


def test_a_link_without_weight():
    m = random_mechanism(["revolute", "revolute"], 3).replace(springs=[lg.GravityCompensation("all", "b1")])
    r, conversion = again(m, "sdf")
    assert not conversion.warnings
    assert_same_dynamics(m, r, conversion.coordinates)


def test_what_is_at_joints_is_kept():
    m = quadruped_mechanism()
    m = m.replace(joints=[replace(j, rotor=lg.Rotor(1e-4, 9.0)) if j.type == "revolute" else j for j in m.joints])
    m = m.replace(initial=lg.InitialState(q=(1, 0, 0, 0, 0.1, 0.2, 0.5, *([0.0] * 12))))
    r, conversion = again(m, "sdf")
    assert not conversion.warnings
    assert r.joint("lf_knee").limits == lg.JointLimits(-2.6, 0.1, 12.0, 40.0)
    assert r.joint("lf_knee").rotor == lg.Rotor(1e-4, 9.0)
    assert r.joint("lf_hip").type == "universal"
    assert r.frame("foot").body == "lf_shank"
    np.testing.assert_allclose(r.initial.q, m.initial.q, atol=1e-15)
    passive = m.replace(joints=[replace(j, actuated=False, rotor=lg.Rotor()) if j.type == "revolute" else j for j in m.joints])
    assert not again(passive, "sdf")[0].joint("rh_knee").actuated


def test_a_cam_is_refused_unless_it_rises_evenly():
    with pytest.raises(lg.DescriptionError, match="joint 'j0': a cam joint of this form cannot be written as SDF"):
        lg.convert(random_mechanism(["cam"], 1), "sdf")
    m = lg.Mechanism("screw", [lg.Body("nut", 1.0)], [lg.Joint("a", "cam", "ground", "nut", advance="0.02*angle")])
    assert float(again(m, "sdf")[0].joint("a").pitch) == pytest.approx(0.02, abs=1e-16)
