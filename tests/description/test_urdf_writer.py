"""Mechanisms written as URDF and read again."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.description.robot_file_round_trips import again, assert_same_dynamics, bare, differences, off, quadruped_mechanism
from tests.mechanisms import random_mechanism, seeds, two_chains

import lagrangian as lg

BALLS = ("heavy_top",)
HELD = ["continuous", "fixed", "free", "gimbal", "planar", "prismatic", "revolute", "universal"]


def without_losses(m):
    """What URDF holds of a mechanism, by the warnings that it gives."""
    joints = []
    for j in m.joints:
        f = j.friction
        dry = (float(f.coulomb) + float(f.coulomb_negative)) / 2
        joints.append(replace(j, rotor=lg.Rotor(), spring=lg.JointSpring(), friction=lg.Friction(f.viscous, dry)))
    pull = np.array(m.gravity, dtype=float)
    size = np.linalg.norm(pull)
    gravity = tuple(pull * 9.81 / size) if size else (0, 0, 0)
    return bare(m, joints=joints, springs=(), gravity=gravity, constraints=())


def read(m, **options):
    r, conversion = again(m, "urdf", **options)
    return (r if any(float(x) for x in m.gravity) else r.replace(gravity=(0, 0, 0))), conversion


@pytest.mark.parametrize("name", [name for name in lg.library() if name not in BALLS])
def test_the_library_has_the_same_dynamics(name):
    m = lg.library(name)
    r, conversion = read(m)
    assert_same_dynamics(without_losses(m).replace(loops=()), r.replace(loops=()), conversion.coordinates)


@pytest.mark.parametrize("name", ["four_bar", "stewart", "bricard", "delta"])
def test_loops_are_held(name):
    m = lg.library(name)
    r, conversion = read(m)
    assert len(r.loops) == len(m.loops)
    m = without_losses(m).replace(initial=lg.InitialState(q=m.initial.q))
    assert_same_dynamics(m, r, conversion.coordinates, loops=True)


@given(st.lists(st.sampled_from(HELD), min_size=1, max_size=5), seeds)
@settings(max_examples=6)
def test_random_trees(types, seed):
    m = random_mechanism(types, seed, passive=True)
    r, conversion = read(m)
    assert_same_dynamics(without_losses(m), r, conversion.coordinates, seed=seed)


def test_what_is_left_out_is_reported():
    m = random_mechanism(["revolute", "prismatic"], 4, passive=True)
    warned = "\n".join(lg.convert(m, "urdf").warnings)
    for part in ("spring 'stay' is left out", "rotor", "a spring, which is left out", "gravity is", "different dry friction"):
        assert part in warned
    with pytest.warns(lg.WriterWarning, match="spring 'stay'"):
        lg.dumps(m, "urdf")


def test_what_urdf_holds_is_written_without_a_warning():
    m = lg.library("panda").replace(joints=[replace(j, rotor=lg.Rotor()) for j in lg.library("panda").joints])
    with warnings.catch_warnings():
        warnings.simplefilter("error", lg.WriterWarning)
        lg.dumps(m, "urdf")


def test_limits_and_names_are_kept():
    m = quadruped_mechanism()
    r, _ = read(m)
    assert r.joint("lf_knee").limits == lg.JointLimits(-2.6, 0.1, 12.0, 40.0)
    assert r.joint("lf_knee").friction == lg.Friction(0.05)
    assert r.joint("floating").type == "free"
    assert r.frame("foot")
    assert lg.dumps(r, "urdf") == lg.dumps(read(r)[0], "urdf")


def test_a_joint_without_limits_of_position_has_none_when_read():
    body = lg.Body("cart", 1.0)
    m = lg.Mechanism("cart", [body], [lg.Joint("x", "prismatic", "ground", "cart", axis="x", limits=lg.JointLimits(upper=2.0))])
    r, _ = read(m)
    assert r.joint("x").limits == lg.JointLimits(upper=2.0)


def test_a_helical_joint_is_a_slide_that_mimics_a_turn():
    m = random_mechanism(["revolute", "helical"], 5, chain=True).replace(gravity=(0, 0, -9.81))
    r, conversion = read(m, mimic=True)
    assert "mimic=True" in conversion.warnings[0]
    a, b = lg.compile(m), lg.compile(r)
    q, qd, tau = np.array([0.3, 0.7]), np.array([1.1, -0.8]), np.array([2.0, 3.0])
    at = [r.coordinate_names.index(name) for name in ("j0", "j1", "j1.advance")]
    p, v, f = np.zeros(3), np.zeros(3), np.zeros(3)
    p[at], v[at], f[at] = [*q, 0.3 * q[1]], [*qd, 0.3 * qd[1]], [*tau, 0.0]
    assert off(b.forward_dynamics(p, v, f)[at[:2]], a.forward_dynamics(q, qd, tau)) < 1e-10


def test_a_ball_joint_is_written_as_angles_with_a_warning():
    m = lg.library("heavy_top")
    r, conversion = read(m)
    assert "are singular at" in conversion.warnings[0]
    a, b = lg.compile(bare(m)), lg.compile(r)
    # where the angles are small the speeds are the same
    np.testing.assert_allclose(b.mass_matrix(np.zeros(3))[::-1, ::-1], a.mass_matrix(np.array([1.0, 0, 0, 0])), atol=1e-12)


def test_a_cam_is_refused():
    m = random_mechanism(["cam"], 1)
    with pytest.raises(lg.DescriptionError, match=r"joint 'j0': a cam joint of this form cannot be written as URDF; .*TOML"):
        lg.convert(m, "urdf")


def test_gears_are_written_as_mimic():
    m = random_mechanism(["revolute", "revolute"], 2).replace(
        constraints=[lg.HolonomicConstraint("gear", "2*j0 + 5*j1 - 0.3")], gravity=(0, 0, -9.81)
    )
    r, conversion = read(m, mimic=True)
    assert any("'gear' is written by <mimic>" in warning for warning in conversion.warnings)
    q = np.array([0.2, (0.3 - 0.4) / 5])
    assert np.abs(lg.compile(r).closure(q)).max() < 1e-15
    # one that URDF does not hold
    m = m.replace(constraints=[lg.HolonomicConstraint("odd", "sin(j0) - j1")])
    assert any("'odd' is left out" in note for note in lg.convert(m, "urdf").warnings)


# -- loops beside it -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["ball", "fixed", "revolute"])
def test_loops_in_a_yaml_file(kind, tmp_path):
    m = two_chains(["revolute", "ball", "universal"], ["free"], kind, 9).replace(gravity=(0, 0, -9.81))
    with warnings.catch_warnings():
        warnings.simplefilter("error", lg.WriterWarning)
        file = lg.save(m, tmp_path / "robot.urdf", loops="yaml")
    assert (tmp_path / "robot.yaml").is_file()
    r = lg.load(file)
    names = lg.convert(m, "urdf", loops="yaml").coordinates
    assert {loop.type for loop in r.loops} == {"fixed" if kind == "fixed" else "ball"}
    actual = differences(m, r, names)
    assert max(actual[x] for x in ("mass matrix", "gravity", "torques")) < 1e-10
    assert max(differences(m, r, names, loops=True).values()) < 1e-9


def test_motors_are_in_the_yaml_file(tmp_path):
    m = lg.library("four_bar")
    with pytest.warns(lg.WriterWarning):
        r = lg.load(lg.save(m, tmp_path / "robot.urdf", loops="yaml"))
    assert [j.name for j in r.joints if j.actuated and j.kind.nv] == [j.name for j in m.joints if j.actuated]


def test_loops_are_left_out_where_that_is_requested(tmp_path):
    with pytest.warns(lg.WriterWarning, match="loop 'closure' is left out because loops=False"):
        assert not lg.loads(lg.dumps(lg.library("four_bar"), "urdf", loops=False), "urdf").loops
    with pytest.raises(lg.ArgumentError, match="urdf\\+, yaml"):
        lg.dumps("four_bar", "urdf", loops="json")


def test_a_yaml_file_of_earlier_is_warned_of(tmp_path):
    with pytest.warns(lg.WriterWarning):
        lg.save("four_bar", tmp_path / "robot.urdf", loops="yaml")
    with pytest.warns(lg.WriterWarning, match="robot.yaml beside the file closes loops"):
        lg.save("panda", tmp_path / "robot.urdf")
