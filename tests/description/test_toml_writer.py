"""Mechanisms of every origin, written as TOML and read again."""

import math
import re
import warnings
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.description.toml_round_trips import (
    again,
    assert_same,
    assert_same_dynamics,
)
from tests.mechanisms import joint_lists, random_loop, random_mechanism, seeds, two_chains

import lagrangian as lg
from lagrangian.errors import ArgumentError, ReaderWarning
from lagrangian.model.expression import parameters as parameters_in
from lagrangian.model.expression import parse
from lagrangian.model.joints import TYPES
from lagrangian.model.loops import TYPES as LOOP_TYPES

LIBRARY = sorted(lg.library())


DOCS = Path(__file__).parents[2] / "docs" / "reference" / "toml.md"
EXAMPLES = re.findall(r"```toml\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)


def meaningful(joint):
    """A joint without the entries that its type does not use."""
    default = lg.Joint("j", "fixed", "a", "b")
    unused = {
        "limits": joint.type not in ("fixed", "ball", "free"),
        "friction": joint.type != "fixed",
        "rotor": joint.type != "fixed",
        "spring": joint.type != "fixed",
        "actuated": joint.type != "fixed",
    }
    return replace(joint, **{k: getattr(default, k) for k, used in unused.items() if not used})


# -- mechanisms of every origin --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LIBRARY)
def test_the_library(name, tmp_path):
    m = lg.library(name)
    file = lg.save(m, tmp_path / "written.toml")
    assert file == tmp_path / "written.toml"
    read = lg.load(file)
    assert_same(m, read)
    assert read.file == str(file)
    for x, y in zip(m.joints, read.joints, strict=True):  # what == takes for equal is so to the last bit
        np.testing.assert_array_equal(x.placement.matrix(), y.placement.matrix())
        np.testing.assert_array_equal(x.child_placement.matrix(), y.child_placement.matrix())


@pytest.mark.parametrize("name", LIBRARY)
def test_dynamics_of_the_library(name):
    m = lg.library(name)
    assert_same_dynamics(m, again(m))


@pytest.mark.parametrize("text", EXAMPLES)
def test_the_documented_examples(text):
    m = lg.loads(text)
    assert_same(m, again(m))
    assert lg.dumps(again(m)) == lg.dumps(m)


def test_other_values_of_parameters_are_kept():
    m = lg.library("two_r", parameters={"l1": 1.25})
    assert "l1 = 1.25\n" in lg.dumps(m)
    assert_same(m, again(m))
    longer = lg.loads(lg.dumps(m), parameters={"l1": 2.0})
    assert float(longer.joints[1].placement.position[0]) == 2.0


def quiet(path, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReaderWarning)
        return lg.load(path, **options)


def robots():
    try:
        files = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        return []
    chosen = ("panda.urdf", "ur5_robot.urdf", "anymal.urdf", "talos_reduced.urdf", "double_pendulum.urdf", "kinova.urdf")
    return [Path(str(f.locate())) for f in files if f.name in chosen]


@pytest.mark.parametrize("file", robots(), ids=lambda file: file.stem)
@pytest.mark.parametrize("floating", [False, True])
def test_mechanisms_from_urdf_are_read_back(file, floating):
    m = quiet(file, floating=floating)
    read = again(m)
    assert_same(replace(m, joints=[meaningful(j) for j in m.joints]), read)
    for x, y in zip(m.joints, read.joints, strict=True):
        np.testing.assert_array_equal(x.placement.matrix(), y.placement.matrix())


MJCF = """
<mujoco model="two">
  <default><joint armature="0.01" damping="0.3" frictionloss="0.2"/></default>
  <worldbody>
    <body name="base" pos="0 .1 .2" quat=".3 .5 -.2 .7"><freejoint name="base"/><geom size=".1" rgba="1 .5 0 1"/>
      <body name="upper-arm" euler="10 20 30">
        <joint name="shoulder" type="ball"/>
        <geom type="capsule" size=".02 .2" pos="0 0 .2"/>
        <body name="fore.arm" pos="0 0 .4">
          <joint name="elbow" axis="1 2 3" range="-90 90" stiffness="3" springref="10"/>
          <geom type="box" size=".02 .03 .2" pos=".1 0 .2" euler="0 45 0"/>
          <site name="hand" pos="0 0 .4" euler="0 30 0"/>
        </body>
      </body>
    </body>
    <body name="post" pos="1 0 0"><joint name="slide" type="slide" axis="0 1 1"/><geom size=".1"/></body>
  </worldbody>
  <equality><connect name="tie" body1="fore.arm" body2="post" anchor="0 0 .4"/></equality>
</mujoco>
"""


def test_mechanisms_from_mjcf_are_read_back():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReaderWarning)
        m = lg.loads(MJCF, format="mjcf")
    assert any(b.visuals for b in m.bodies)
    m = replace(m, joints=[replace(j, rotor=lg.Rotor()) if j.type == "free" else meaningful(j) for j in m.joints])
    read = again(m)
    assert_same(m, read)
    assert_same_dynamics(m, read)


def test_notes_are_comments():
    m = replace(lg.library("pendulum"), notes=("two\nlines \x07", "x = [broken"))
    assert lg.dumps(m).startswith("# two\n# lines\n# x = [broken\nname = ")
    assert again(m).notes == ()


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_dh_with_names(convention):
    """Some angles named, some numbers: what the rows stand for has the names too."""
    a, b = lg.parameter("a", 0.4), lg.parameter("alpha", 0.3)
    rows = [
        {"a": a, "alpha": b, "d": 0.1, "mass": 1, "inertia": (1, 1, 1)},
        {"a": 0.2, "alpha": parse("deg(30)"), "theta": 0.25, "mass": a * 2, "center": (a / 3, 0, 0), "inertia": (1, 1, 1)},
        {"joint": "P", "alpha": b, "theta": 0.7, "mass": 1, "inertia": (1, 1, 1)},
    ]
    m = lg.Mechanism.from_dh(rows, convention=convention, base=lg.Transform.from_rpy((0, 0, a), (0, b, 0.3)))
    read = again(m)
    assert set(read.parameters) == {"a", "alpha"}
    for x, y in zip(m.joints, read.joints, strict=True):
        for one, other in ((x.placement, y.placement), (x.child_placement, y.child_placement)):
            np.testing.assert_array_equal(one.matrix(), other.matrix())
            for p, r in zip((*one.position, *sum(one.rotation, ())), (*other.position, *sum(other.rotation, ())), strict=True):
                assert parameters_in(p) == parameters_in(r)
    assert m.bodies == read.bodies
    assert_same_dynamics(m, read)


def test_identified_mechanisms_are_read_back():
    arm = lg.library("scara")
    rng = np.random.default_rng(0)
    t = np.linspace(0, 4, 200)
    phase, rate = rng.uniform(0, 6, 4), np.array([2.0, 3.0, 1.7, 2.3])
    q, qd = np.sin(rate * t[:, None] + phase), rate * np.cos(rate * t[:, None] + phase)
    qdd = -(rate**2) * q
    tau = lg.compile(arm).inverse_dynamics(q, qd, qdd)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        identification = lg.identify(arm, t, q, tau, qd, qdd, rotors=True).mechanism
    read = again(identification)
    assert_same(identification, read)
    assert_same_dynamics(identification, read)
    assert identification != arm
    with pytest.raises(ArgumentError, match=r"not Identification; use its attribute \.mechanism"):
        lg.dumps(lg.identify(arm, t, q, tau, qd, qdd))


def test_mechanisms_with_sized_motors_are_read_back():
    arm = lg.library("two_r")
    motion = lg.inverse(arm, lg.paths.circle((1.2, 1.2), 0.2, duration=4), frame="tip", q0={"theta2": -0.8})
    sized = lg.size_actuators(arm, motion).mechanism
    assert any(float(j.rotor.inertia) > 0 for j in sized.joints)
    read = again(sized)
    assert_same(sized, read)
    assert_same_dynamics(sized, read)


# -- random mechanisms -----------------------------------------------------------------------------------------------------


@given(joint_lists, seeds)
@settings(max_examples=60, deadline=None)
def test_random_trees(types, seed):
    m = random_mechanism(types, seed, passive=True)
    m = replace(m, joints=[replace(j, rotor=lg.Rotor()) if j.type == "free" else j for j in m.joints])
    assert_same(replace(m, joints=[meaningful(j) for j in m.joints]), again(m))


def test_dynamics_of_a_random_tree():
    m = random_mechanism([t for t in TYPES if t != "free"], 3, passive=True)
    assert_same_dynamics(m, again(m))


@pytest.mark.parametrize("kind", LOOP_TYPES)
def test_every_loop(kind):
    m = two_chains(["revolute", "ball"], ["prismatic", "universal"], kind, 4)
    read = again(m)
    assert_same(replace(m, joints=[meaningful(j) for j in m.joints]), read)
    if kind in ("universal", "point"):
        assert_same_dynamics(m, read)


def test_directions_of_a_loop_are_read_back():
    loop = random_loop(np.random.default_rng(0), "close", "point", "b0", "b1", directions=("z", "x"))
    m = replace(random_mechanism(["revolute", "revolute"], 1), loops=[loop])
    assert again(m).loops[0].directions == ("z", "x")


@given(st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda w: np.linalg.norm(w) > 0.1))
@settings(max_examples=100, deadline=None)
def test_rotations_are_exact(wxyz):
    m = lg.library("pendulum")
    m = replace(m, frames=[lg.Frame("f", "ground", lg.Transform.from_quaternion((1 / 3, 0, 1e-300), wxyz))])
    assert again(m).frames == m.frames


@given(st.tuples(*[st.integers(-4, 4).map(lambda n: n * math.pi / 4) | st.floats(-3, 3).map(lambda x: round(x, 3))] * 3))
@settings(max_examples=100, deadline=None)
def test_rotations_by_angles_are_exact(rpy):
    m = lg.library("pendulum")
    m = replace(m, frames=[lg.Frame("f", "ground", lg.Transform.from_rpy((0, 0, 0), rpy))])
    assert again(m).frames == m.frames


def test_angles_are_written_as_a_person_would():
    for rpy, text in {
        (0, math.pi / 2, 0): '[0, "pi/2", 0]',
        (math.pi, 0, 0.3): '["pi", 0, 0.3]',
        (parse("deg(30)"), 0, 0): '["30*pi/180", 0, 0]',
        (lg.parameter("beta", 0.2), 0, 0.1): '["beta", 0, 0.1]',
    }.items():
        m = replace(lg.library("pendulum"), frames=[lg.Frame("f", "ground", lg.Transform.from_rpy((0, 0, 0), rpy))])
        assert f"\nrpy = {text}\n" in lg.dumps(m)
        assert again(m).frames == m.frames
