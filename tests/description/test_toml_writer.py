"""What is written reads back to the same mechanism: every part of it, and its dynamics to the last bit."""

import math
import re
import warnings
from dataclasses import fields, replace
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.mechanisms import joint_lists, random_loop, random_mechanism, seeds, state, two_chains

import lagrangian as lg
from lagrangian.errors import ArgumentError, ReaderWarning
from lagrangian.model.body import Visual
from lagrangian.model.expression import free_symbols, parse, symbol
from lagrangian.model.expression import parameters as parameters_in
from lagrangian.model.joints import TYPES
from lagrangian.model.loops import TYPES as LOOP_TYPES

LIBRARY = sorted(p.stem for p in (Path(lg.__file__).parent / "library").glob("*.toml"))
EXAMPLES = re.findall(r"```toml\n(.*?)```", (Path(__file__).parents[2] / "docs" / "toml.md").read_text("utf-8"), re.DOTALL)
CARRIED = [f.name for f in fields(lg.Mechanism) if f.name not in ("file", "notes")]


def again(mechanism):
    return lg.loads(lg.dumps(mechanism))


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


def assert_same(one, other):
    for name in CARRIED:
        assert getattr(one, name) == getattr(other, name), name
    for name in ("poses", "parameters"):
        assert list(getattr(one, name)) == list(getattr(other, name))


def assert_same_dynamics(one, other, seed=1):
    q, qd, qdd, _ = state(one, seed)
    a, b = lg.compile(one), lg.compile(other)
    np.testing.assert_array_equal(a.mass_matrix(q), b.mass_matrix(q))
    np.testing.assert_array_equal(a.inverse_dynamics(q, qd, qdd), b.inverse_dynamics(q, qd, qdd))
    np.testing.assert_array_equal(a.friction(qd, q=q), b.friction(qd, q=q))
    if one.equations:
        np.testing.assert_array_equal(a.constraint_jacobian(q), b.constraint_jacobian(q))


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
def test_urdf(file, floating):
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


def test_mjcf():
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
    m = lg.Mechanism.from_dh(rows, convention=convention, base=lg.Placement.from_rpy((0, 0, a), (0, b, 0.3)))
    read = again(m)
    assert set(read.parameters) == {"a", "alpha"}
    for x, y in zip(m.joints, read.joints, strict=True):
        for one, other in ((x.placement, y.placement), (x.child_placement, y.child_placement)):
            np.testing.assert_array_equal(one.matrix(), other.matrix())
            for p, r in zip((*one.position, *sum(one.rotation, ())), (*other.position, *sum(other.rotation, ())), strict=True):
                assert parameters_in(p) == parameters_in(r)
    assert m.bodies == read.bodies
    assert_same_dynamics(m, read)


def test_identified():
    arm = lg.library("scara")
    rng = np.random.default_rng(0)
    t = np.linspace(0, 4, 200)
    phase, rate = rng.uniform(0, 6, 4), np.array([2.0, 3.0, 1.7, 2.3])
    q, qd = np.sin(rate * t[:, None] + phase), rate * np.cos(rate * t[:, None] + phase)
    qdd = -(rate**2) * q
    tau = lg.compile(arm).inverse_dynamics(q, qd, qdd)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = lg.identify(arm, t, q, tau, qd, qdd, rotors=True).mechanism
    read = again(found)
    assert_same(found, read)
    assert_same_dynamics(found, read)
    assert found != arm
    with pytest.raises(ArgumentError, match=r"not Identification; it has one, as \.mechanism"):
        lg.dumps(lg.identify(arm, t, q, tau, qd, qdd))


def test_sized():
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


def test_directions():
    loop = random_loop(np.random.default_rng(0), "close", "point", "b0", "b1", directions=("z", "x"))
    m = replace(random_mechanism(["revolute", "revolute"], 1), loops=[loop])
    assert again(m).loops[0].directions == ("z", "x")


@given(st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda w: np.linalg.norm(w) > 0.1))
@settings(max_examples=100, deadline=None)
def test_rotations_are_exact(wxyz):
    m = lg.library("pendulum")
    m = replace(m, frames=[lg.Frame("f", "ground", lg.Placement.from_quaternion((1 / 3, 0, 1e-300), wxyz))])
    assert again(m).frames == m.frames


@given(st.tuples(*[st.integers(-4, 4).map(lambda n: n * math.pi / 4) | st.floats(-3, 3).map(lambda x: round(x, 3))] * 3))
@settings(max_examples=100, deadline=None)
def test_rotations_by_angles_are_exact(rpy):
    m = lg.library("pendulum")
    m = replace(m, frames=[lg.Frame("f", "ground", lg.Placement.from_rpy((0, 0, 0), rpy))])
    assert again(m).frames == m.frames


def test_angles_are_written_as_a_person_would():
    for rpy, text in {
        (0, math.pi / 2, 0): '[0, "pi/2", 0]',
        (math.pi, 0, 0.3): '["pi", 0, 0.3]',
        (parse("deg(30)"), 0, 0): '["30*pi/180", 0, 0]',
        (lg.parameter("beta", 0.2), 0, 0.1): '["beta", 0, 0.1]',
    }.items():
        m = replace(lg.library("pendulum"), frames=[lg.Frame("f", "ground", lg.Placement.from_rpy((0, 0, 0), rpy))])
        assert f"\nrpy = {text}\n" in lg.dumps(m)
        assert again(m).frames == m.frames


# -- everything else a mechanism has ---------------------------------------------------------------------------------------

TEXTS = [
    'quotes " and \' and """three"""',
    "back\\slash \\n \\u0041",
    "lines\nof\n\ntext\n",
    "\nfirst line empty",
    "crlf\r\nand cr\r",
    "tab\tbell\x07 del\x7f nul\x00",
    "ünïcödé 中文 🦾 \u2028 \u0085",
    "# no comment [table] = 3",
    "trailing backslash\\\n next",
    "spaces   \n   around  ",
    ". " * 40,
]


@pytest.mark.parametrize("text", TEXTS)
def test_texts(text):
    m = replace(lg.library("pendulum"), description=text, source=text)
    read = again(m)
    assert (read.description, read.source) == (text, text)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
@settings(max_examples=150, deadline=None)
def test_any_text(text):
    m = replace(lg.library("pendulum"), description=text, poses={text: (0.5,)})
    read = again(m) if text not in ("name", "description", "source", "gravity") else m
    assert (read.description, read.poses) == (m.description, m.poses)


def test_names_that_need_quotes():
    m = lg.Mechanism(
        'ä "b"',
        [lg.Body("link 1", 1.0, (0.1, 0, 0), (1, 1, 1)), lg.Body("a'\"]\\", 1.0)],
        [lg.Joint("elbow-1.x", "revolute", "ground", "link 1"), lg.Joint("2 d", "planar", "link 1", "a'\"]\\")],
        poses={"a.b": (1, 2, 3, 4), "": (0, 0, 0, 0)},
        constraints=[lg.Pfaffian("c c", (("2 d.vx", 1), ("elbow-1.x", 0.5)), 0)],
        initial=lg.Initial(torque=(("2 d.w", 3.5), ("elbow-1.x", parse("sin(t)", {"t": symbol("t")})))),
    )
    assert_same(m, again(m))


def everything():
    k = lg.parameter("k", 3e-7)
    body = lg.Body(
        "b", 2.0, (0.1, 0.2, 0.3), (0.5, 0.01, -0.02, 0.6, 0.03, 0.7), visuals=(Visual("mesh", (1, 1, 2), file="a b.stl"),)
    )
    light = lg.Body("e", -0.1, (0, 0, 0), (0.1, 0, 0, -0.3, 0, 1), effective=True)
    names = {"j": symbol("j"), "t": symbol("t"), "qd_j": symbol("qd_j"), "k": k}
    return lg.Mechanism(
        "all",
        [body, light, lg.Body("w", 1.0, (0, 0, 0), (1, 1, 1))],
        [
            lg.Joint(
                "j",
                "helical",
                "ground",
                "b",
                axis=(1, 2, 3),
                pitch=-0.01,
                friction=lg.Friction(0.1, 0.2, k),
                rotor=lg.Rotor(1e-7, -100),
                spring=lg.JointSpring(-2.0, 0.1),
                limits=lg.Limits(-math.inf, 3, effort=2.5),
                actuated=False,
            ),
            lg.Joint("u", "universal", "b", "e", axis="x", axis2="-z", friction=lg.Friction(0, k, 0)),
            lg.Joint("w", "free", "ground", "w", friction=lg.Friction(0.5)),
        ],
        [lg.LoopJoint("rod", "distance", "e", "w", length=0.5 * k)],
        [
            lg.Holonomic("gear", "j = 2*u.1 - (0.1 + (0.2 + t))"),
            lg.Pfaffian("p", (("u.2", "cos(j)/3"), ("j", 1)), "sin(t)^2"),
            lg.Rolling("tyre", "w", 0.3, (0, 0, 0.1), (0, 1, 1), "b", "x", (1, 2, 3)),
            lg.Rolling("sphere", "e", 0.1),
            lg.KnifeEdge("blade", "w", (0.6, 0.8, 0.3), (0, 0, 1)),
        ],
        [
            lg.PointSpring("s", "ground", "e", (0, 0, 1), (1, 0, k), 5, 0.1, 0.2),
            lg.Wall("floor", "w", (0, 0, 1), "b", (0.1, 0, 0), (1, 1, 0), 1e5, k),
        ],
        [lg.Frame("tip", "e", lg.Placement.from_rpy((k, 0, 0), (0.1, 0.2, 0.3)))],
        gravity=(0, 0.1 + 0.2, -9.80665),
        poses={"p": (0.1, 1 / 3, -0.0, 1, 0, 0, 0, 1, 2, 3)},
        initial=lg.Initial(
            (0.0,) * 3 + (1.0,) + (0.0,) * 6,
            tuple(np.linspace(0, 1, 9)),
            (0.5, 2),
            (("j", parse("-k*(j-(t-qd_j))", names)), ("w.vx", 2)),
        ),
        parameters={"twice": 2 * k, "k": k, "unused": lg.parameter("unused", 5)},
    )


def test_everything():
    m = everything()
    read = again(m)
    for name in CARRIED:
        assert getattr(m, name) == getattr(read, name), name  # parameters in an order in which they can be read
    assert list(read.parameters) == ["k", "twice", "unused"]
    assert free_symbols(dict(read.initial.torque)["j"]) == {"j", "t", "qd_j"}
    assert_same_dynamics(m, read)


def test_sums_keep_their_order():
    """a + (b + c) and (a + b) + c differ in the last bit."""
    a, b, c = (lg.parameter(n, x) for n, x in (("a", 0.1), ("b", 0.2), ("c", 0.3)))
    one, other = a + (b + c), (a + b) + c
    assert float(one) != float(other)
    for mass in (one, other, a * (b * c), a / (b / c), a - (b - c), (-a) ** 2 * -b, -((a * b) ** (c**2))):
        m = lg.Mechanism("m", [lg.Body("b", mass, effective=True)], [lg.Joint("j", "prismatic", "ground", "b")])
        assert again(m).bodies == m.bodies


# -- what cannot be written ------------------------------------------------------------------------------------------------


def arm(**changes):
    return replace(lg.library("pendulum"), **changes)


def test_long_expressions_are_written_by_their_values():
    a = lg.parameter("a", 0.1)
    long = sum([a * a] * 200, a)
    m = arm(gravity=(0, long, 0))
    with pytest.warns(ReaderWarning, match="1 expression"):
        read = again(m)
    assert read.gravity == (0, float(long), 0)


def test_walls_before_springs():
    wall, spring = lg.Wall("w", "bob", stiffness=1e3), lg.PointSpring("s", "ground", "bob", stiffness=1.0)
    with pytest.warns(ReaderWarning, match="order"):
        assert again(arm(springs=(wall, spring))).springs == (spring, wall)


def ball(**more):
    return lg.Mechanism(
        "m", [lg.Body("b", 1.0, (0, 0, 0), (1, 1, 1))], [lg.Joint("j", more.pop("type", "ball"), "ground", "b", **more)]
    )


def test_limits_of_a_ball():
    with pytest.warns(ReaderWarning, match="limits of j"):
        assert again(ball(limits=lg.Limits(effort=3))).joints[0].limits == lg.Limits()


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [
        (
            arm(constraints=[lg.PfaffianFunction("f", lambda t, q, qd: qd[0])]),
            "pendulum: .*constraint 'f': it is a Python function",
        ),
        (ball(type="free", rotor=lg.Rotor(1.0)), "joint 'j': a free joint has no rotor"),
        (arm(name="two\nlines"), "cannot be a name"),
        (arm(poses={"gravity": (0.0,)}), "'gravity' belongs to the whole file"),
        (arm(description="\ud800"), "not Unicode"),
        (arm(gravity=(0, lg.parameter("x.y", 1), 0)), "'x.y' cannot be a name"),
        (arm(gravity=(0, lg.parameter("c", 1), lg.parameter("c", 2))), "'c' is 2.0 in one place and 1.0 in another"),
        (ball().replace(poses={"p": (2, 0, 0, 0)}), "has length 2; it must be 1"),
        (lg.Mechanism("m", [lg.Body("b", 1.0)], [lg.Joint("t", "prismatic", "ground", "b")]), "call the joint otherwise"),
        (lg.Mechanism("m", [], []), "describes no joints"),
        ("pendulm", "neither a file nor a mechanism of the library"),
        (None, "not NoneType"),
    ],
)
def test_errors(mechanism, message):
    with pytest.raises(ArgumentError, match=message):
        lg.dumps(mechanism)


def test_files(tmp_path):
    m = lg.library("pendulum")
    for path, message in {
        tmp_path / "a.urdf": "give the file the ending .toml",
        tmp_path / "a": "give the file the ending .toml",
        tmp_path / "no" / "a.toml": "there is no folder",
    }.items():
        with pytest.raises(ArgumentError, match=message):
            lg.save(m, path)
    (tmp_path / "d.toml").mkdir()
    with pytest.raises(ArgumentError, match="this is a folder"):
        lg.save(m, tmp_path / "d.toml")
    with pytest.raises(ArgumentError, match="a path to a file is needed"):
        lg.save(m, 3)
    file = lg.save(lg.library("two_r"), str(tmp_path / "a.toml"))
    with pytest.raises(ArgumentError, match="Python function"):
        lg.save(arm(constraints=[lg.PfaffianFunction("f", lambda t, q, qd: qd[0])]), file)
    assert lg.load(file).name == "two_r"  # what cannot be written leaves the file alone
    lg.save(m, file)
    assert lg.load(file).name == "pendulum"
    assert b"\r" not in file.read_bytes()
