"""What a mechanism is checked for, and what it knows of itself."""

import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from lagrangian.errors import MechanismError
from lagrangian.model.body import Body
from lagrangian.model.constraint import PfaffianConstraint
from lagrangian.model.expression import parameter, parse, symbol
from lagrangian.model.frame import Frame
from lagrangian.model.initial_state import InitialState
from lagrangian.model.joint import Friction, Joint, JointLimits, JointSpring, Rotor
from lagrangian.model.joints import TYPES
from lagrangian.model.loop import LoopJoint
from lagrangian.model.loops import TYPES as LOOP_TYPES
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Transform
from lagrangian.model.shapes import box, sphere
from lagrangian.model.spring import PointSpring, Wall

A, B = Body("a", 1.0), Body("b", 1.0)
JA, JB = Joint("qa", "revolute", "ground", "a"), Joint("qb", "revolute", "a", "b")


def make(bodies=(A, B), joints=(JA, JB), **more):
    return Mechanism("test", bodies, joints, **more)


def test_a_good_one():
    m = make(frames=[Frame("tip", "b")], poses={"zero": (0.0, 0.0)}, initial=InitialState((0.0, 0.0), (1.0, 0.0), (0, 1)))
    assert (m.nq, m.nv, m.gruebler) == (2, 2, 2)
    assert isinstance(m.frames, tuple)
    with pytest.raises(FrozenInstanceError):
        m.name = "other"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gravity": (0, 0)}, "gravity is .* three numbers are needed"),
        ({"gravity": (0, math.nan, 0)}, "gravity is nan; finite numbers"),
        ({"bodies": [A, A]}, "the name of body 'a'"),
        ({"joints": [JA, Joint("qa", "revolute", "a", "b")]}, "the name of joint 'qa'"),
        ({"frames": [Frame("a", "b")]}, "the name of frame 'a'"),
        ({"bodies": [A, Body("")]}, "a body has no name"),
        ({"bodies": [A, Body("ground")], "joints": [JA, Joint("q", "revolute", "a", "ground")]}, "name of the fixed world"),
        ({"joints": [JA, Joint("qb", "revolute", "aa", "b")]}, "joint 'qb': parent: there is no body 'aa'. Did you mean 'a'"),
        ({"joints": [JA, Joint("qb", "revolute", "a", "c")]}, "joint 'qb': child: there is no body 'c'"),
        ({"joints": [JA, JB, Joint("back", "revolute", "b", "ground")]}, "cannot be a child; swap"),
        ({"joints": [JA, Joint("qb", "revolute", "b", "b")]}, "joins body 'b' to itself"),
        ({"joints": [JA, JB, Joint("qc", "revolute", "ground", "b")]}, r"child of two joints, 'qb' and 'qc'.*loop joint"),
        ({"joints": [JA]}, "body 'b' has no joint"),
        ({"joints": [Joint("qa", "revolute", "b", "a"), JB]}, "the joints form a cycle: a -> b -> a"),
        ({"loops": [LoopJoint("l", "point", "a", "x")]}, "loop 'l': there is no body 'x'"),
        ({"springs": [PointSpring("s", "x", "a")]}, "spring 's': there is no body 'x'"),
        ({"springs": [Wall("w", "a", on="x", stiffness=1)]}, "wall 'w': there is no body 'x'"),
        (
            {"springs": [3]},
            "springs has 3 in it; it may hold only PointSpring or CoordinateSpring or GravityCompensation or Wall",
        ),
        ({"frames": [Frame("f", "x")]}, "frame 'f': there is no body 'x'"),
        ({"loops": [LoopJoint("l", "point", "a", "b")] * 2}, "the name of loop, constraint, spring or wall 'l'"),
        ({"constraints": [PfaffianConstraint("c", (("qx", 1),))]}, "constraint 'c': there is no speed 'qx'"),
        ({"constraints": [PfaffianConstraint("c", (("qa", symbol("z")),))]}, "there is no coordinate 'z'"),
        ({"constraints": [PfaffianConstraint("c", (("qa", 1),), symbol("qa"))]}, "phi may depend on t only"),
        ({"poses": {"p": (0.0,)}}, r"pose 'p': it has 1 number; it must have 2: qa, qb"),
        ({"poses": {"p": (0.0, math.inf)}}, "not all of its numbers are finite"),
        ({"initial": InitialState(q=(0.0,))}, r"\[initial\] q: it has 1 number"),
        ({"initial": InitialState(qd=(0.0, 0.0, 0.0))}, r"\[initial\] qd: it has 3 numbers"),
    ],
)
def test_wrong_mechanisms_are_refused(change, message):
    with pytest.raises(MechanismError, match=message):
        make(**change)


def test_errors_name_the_file():
    with pytest.raises(MechanismError, match=r"^arm\.toml: body 'b' has no joint"):
        make(joints=[JA], file="arm.toml")


@pytest.mark.parametrize(
    ("make_part", "message"),
    [
        (lambda: Joint("j", "hinge", "a", "b"), "no joint type 'hinge'"),
        (lambda: Joint("j", "revolut", "a", "b"), "Did you mean 'revolute'"),
        (lambda: Joint("j", "revolute", "a", "b", axis=(0, 0, 0)), "needs a finite direction"),
        (lambda: Joint("j", "revolute", "a", "b", axis=(0, math.nan, 0)), "needs a finite direction"),
        (lambda: Joint("j", "universal", "a", "b", axis=(0, 0, 1), axis2=(0, 1, 1)), "must be perpendicular"),
        (lambda: Joint("j", "helical", "a", "b", pitch=math.inf), "finite numbers are needed"),
        (lambda: Joint("j", "revolute", "a", "b", Transform(position=(math.nan, 0, 0))), "finite numbers are needed"),
        (lambda: Joint("j", "revolute", "a", "b", spring=JointSpring(math.nan)), "finite numbers are needed"),
        (lambda: Joint("j", "revolute", "a", "b", limits=JointLimits(1, -1)), "lower limit, 1, exceeds the upper limit, -1"),
        (
            lambda: Joint("j", "free", "a", "b", spring=JointSpring(1.0)),
            "a free joint has no spring; .* use a spring between points",
        ),
        (
            lambda: Joint("j", "fixed", "a", "b", friction=Friction(1.0)),
            "joint 'j': friction: a fixed joint has no friction; only",
        ),
        (lambda: Joint("j", "fixed", "a", "b", limits=(-1, 1)), "joint 'j': limits: a fixed joint has no limits"),
        (lambda: Joint("j", "free", "a", "b", rotor={"inertia": 0.1}), "joint 'j': rotor: a free joint has no rotor"),
        (lambda: Joint("j", "ball", "a", "b", limits=JointLimits(effort=3.0)), "joint 'j': limits: a ball joint has no limits"),
        (lambda: Friction(viscous=-1), "viscous is -1"),
        (lambda: Friction(coulomb_negative=math.nan), "coulomb_negative is nan"),
        (lambda: Friction(coulomb=-2), "coulomb is -2"),
        (lambda: Rotor(inertia=-1), "inertia is -1"),
        (lambda: Rotor(ratio=0), "rotor: ratio is 0; the gear ratio"),
        (lambda: LoopJoint("l", "hook", "a", "b"), "no loop joint type 'hook'"),
        (lambda: LoopJoint("l", "point", "a", "b", directions=("x", "x")), "each must be one of x, y, z"),
        (lambda: LoopJoint("l", "point", "a", "b", directions=()), "each must be one of x, y, z"),
        (lambda: LoopJoint("l", "point", "a", "b", directions=("w",)), "each must be one of x, y, z"),
        (lambda: PointSpring("s", "a", "b", damping=-1), "cannot be negative"),
        (lambda: Wall("w", "a"), "wall 'w': stiffness is 0 N/m; it must be positive"),
        (lambda: Wall("w", "a", stiffness=math.inf), "wall 'w': stiffness is inf; finite numbers are needed"),
        (lambda: Wall("w", "a", stiffness="hard"), "wall 'w': stiffness is 'hard'; a number is needed"),
        (lambda: Wall("w", "a", stiffness=1, damping=-1), "wall 'w': damping is -1 N s/m\\^2; it cannot be negative"),
        (lambda: Wall("w", "a", stiffness=1, normal="u"), "wall 'w': normal: there is no axis 'u'"),
        (lambda: Wall("w", "a", stiffness=1, normal=(0, 0, 0)), "wall 'w': normal is .*finite direction"),
        (lambda: Wall("w", "a", (0, math.nan, 0), stiffness=1), "wall 'w': point is nan"),
        (lambda: Wall("w", "a", on="a", stiffness=1), "it needs two bodies"),
        (lambda: Transform.from_quaternion((0, 0, 0), (0, 0, 0, 0)), "has length zero"),
    ],
)
def test_errors_of_the_parts(make_part, message):
    with pytest.raises(MechanismError, match=message):
        make_part()


@pytest.mark.parametrize("kind", TYPES)
def test_every_joint_type_counts_and_names_its_coordinates(kind):
    own = {"helical": {"pitch": 0.1}, "cam": {"advance": "0.1*sin(angle)"}}.get(kind, {})
    m = make(joints=[JA, Joint("j", kind, "a", "b", **own)])
    several = {"universal": (2, 2), "gimbal": (3, 3), "ball": (4, 3), "planar": (3, 3), "free": (7, 6), "fixed": (0, 0)}
    expected = several.get(kind, (1, 1))
    assert (m.nq - 1, m.nv - 1) == expected
    assert len(m.coordinate_names) == m.nq == len(m.neutral())
    assert len(m.speed_names) == m.nv
    assert len(set(m.coordinate_names)) == m.nq
    q = m.random_configuration(3)
    assert q.shape == (m.nq,)
    if kind in ("ball", "free"):
        assert np.linalg.norm(q[1:5]) == pytest.approx(1)
        assert m.neutral()[1] == 1
        assert np.count_nonzero(m.neutral()) == 1


def test_random_configurations_keep_to_the_limits():
    m = make(joints=[Joint("qa", "revolute", "ground", "a", limits=JointLimits(0.1, 0.2)), JB])
    rng = np.random.default_rng(0)
    assert all(0.1 <= m.random_configuration(rng)[0] <= 0.2 for _ in range(50))


@pytest.mark.parametrize("kind", LOOP_TYPES)
def test_loops_take_away_freedom(kind):
    freedom = {"point": 3, "ball": 3, "universal": 2, "cylindrical": 2, "revolute": 1, "prismatic": 1, "fixed": 0, "planar": 3}
    freedom |= {"distance": 5}
    flying = [Joint("fa", "free", "ground", "a"), Joint("fb", "free", "ground", "b")]
    m = make(joints=flying, loops=[LoopJoint("l", kind, "a", "b", **({"length": 1.0} if kind == "distance" else {}))])
    assert m.gruebler == 6 + freedom[kind]


def test_a_planar_point_closes_two_directions():
    m = make(loops=[LoopJoint("l", "point", "ground", "b", directions=("x", "y"))])
    assert (m.equation_count, m.gruebler) == (2, 0)


def test_frames_by_name():
    m = make(frames=[Frame("tip", "b", Transform(position=(1, 0, 0)))])
    assert m.frame("tip").placement.position == (1, 0, 0)
    assert m.frame("a") == Frame("a", "a")
    assert m.frame("ground").body == "ground"
    with pytest.raises(MechanismError, match=r"no frame or body 'tipp'. Did you mean 'tip'"):
        m.frame("tipp")


def test_axes_are_made_units():
    assert Joint("j", "revolute", "a", "b", axis=(0, 0, -1)).axis == (0, 0, -1)  # exact, not divided
    assert Joint("j", "revolute", "a", "b", axis=(3, 0, 4)).axis == pytest.approx((0.6, 0, 0.8))


def test_the_table_shows_what_there_is():
    l1 = parameter("l1", 0.5)
    m = make(
        bodies=[Body("a", parameter("m1", 2.0), (l1, 0, 0)), B],
        joints=[JA, Joint("qb", "revolute", "a", "b", axis=(0, -1, 0), limits=JointLimits(-1, 2))],
        loops=[LoopJoint("closure", "point", "ground", "b", directions=("x", "y"))],
        constraints=[PfaffianConstraint("roll", (("qa", parse("2*l1", {"l1": l1})),), symbol("t"))],
        springs=[PointSpring("stay", "a", "b", stiffness=50), Wall("floor", "b", on="a", normal="-y", stiffness=1e4)],
        frames=[Frame("tip", "b")],
        poses={"zero": (0.0, 0.0)},
        source="somewhere",
        description="what it is",
        notes=("a mesh was left out",),
    )
    text = str(m)
    for part in (
        "test: 2 bodies, 2 coordinates, 2 speeds, 3 constraint equations",
        "Grübler's formula: -1 degrees of freedom, if all equations are independent",
        "what it is",
        "source: somewhere",
        "m1",
        "(l1, 0, 0)",
        "-y",
        "-1 .. 2",
        "loop closure: point, ground – b",
        "spring stay: a – b, 50 N/m",
        "wall floor: stops b on a, through (0, 0, 0), normal -y, 10000 N/m",
        "constraint roll: (2*l1) qa' + t = 0",
        "frames: tip",
        "poses: zero",
        "note: a mesh was left out",
    ):
        assert part in text
    assert repr(m) == "<Mechanism 'test': 2 bodies, 2 speeds, 3 constraint equations>"


def test_long_expressions_are_shown_by_their_values():
    a, b = parameter("width", 0.5), parameter("height", 0.25)
    long = a * a * b + b * b * a + a * b + a
    m = Mechanism("plates", bodies=[Body("a", long, (a + b, 0, 0))], joints=[Joint("j", "revolute", "ground", "a")])
    text = str(m)
    assert f"{float(long):.4g}" in text
    assert "(width+height, 0, 0)" in text
    assert max(len(line) for line in text.splitlines()) < 130


def test_the_table_of_a_long_chain_stays_short():
    bodies = [Body(f"b{i}", 1.0) for i in range(200)]
    joints = [Joint(f"q{i}", "revolute", f"b{i - 1}" if i else "ground", f"b{i}") for i in range(200)]
    text = str(Mechanism("chain", bodies, joints))
    assert "... and 180 more joints" in text
    assert text.count("\n") < 60


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda: {"frames": [Frame("f", "b", (math.nan, 0, 0))]}, "frame 'f': placement: the position is nan"),
        (lambda: {"springs": [PointSpring("s", "ground", "b", (math.inf, 0, 0))]}, "spring 's': a_point is inf"),
        (
            lambda: {"loops": [LoopJoint("l", "ball", "ground", "b", (0, math.nan, 0))]},
            "loop 'l': a_placement: the position is nan",
        ),
        (lambda: {"poses": {"p": (0, 0, 0, 0)}}, "pose 'p': the quaternion of joint 'j' is zero"),
        (lambda: {"initial": InitialState(t_span=(1.0, 0.0))}, r"t_span is \(1, 0\); it must be two finite times"),
        (lambda: {"initial": InitialState(torque=(("k", 1.0),))}, "torque: there is no joint or speed 'k'"),
        (lambda: {"gravity": -9.81}, r"gravity is -9.81; three numbers are needed, such as \(0, 0, -9.81\)"),
        (lambda: {"frames": Frame("f", "b")}, "frames is one Frame; a list of them is needed"),
        (lambda: {"loops": ["l"]}, "loops has 'l' in it; it may hold only LoopJoint"),
    ],
)
def test_numbers_that_are_not_the_bodies(change, message):
    with pytest.raises(MechanismError, match=message):
        Mechanism("m", [Body("b", 1.0)], [Joint("j", "ball", "ground", "b")], **change())


TURN = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


def test_lists_and_arrays_serve_as_vectors():
    joint = Joint("j", "revolute", "ground", "b", Transform(TURN, np.array([1, 2, 3])), axis=[0, -1, 0], limits=(-1, 1))
    assert joint == Joint(
        "j",
        "revolute",
        "ground",
        "b",
        Transform(tuple(map(tuple, TURN.tolist())), (1, 2, 3)),
        axis="-y",
        limits=JointLimits(-1, 1),
    )
    assert Joint("j", "fixed", "ground", "b", [1, 2, 3]).placement == Transform(position=(1, 2, 3))
    homogeneous = np.eye(4)
    homogeneous[:3, :3] = TURN
    np.testing.assert_array_equal(Joint("j", "fixed", "ground", "b", homogeneous).placement.matrix(), homogeneous)
    assert Joint("j", "revolute", "ground", "b", friction={"viscous": 0.1}, rotor={"inertia": 2}).friction == Friction(0.1)
    body = Body("b", np.float64(2), [1, 2, 3], np.diag([0.1, 0.2, 0.25]))
    assert body == Body("b", 2.0, (1, 2, 3), (0.1, 0.2, 0.25)) == Body("b", 2.0, (1, 2, 3), (0.1, 0, 0, 0.2, 0, 0.25))
    assert hash(make()) == hash(make())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: Joint("j", "revolute", "ground", "b", axis="w"), "axis: there is no axis 'w'"),
        (lambda: Joint("j", "revolute", "ground", "b", axis=(0, 1)), r"axis is \(0, 1\); three numbers"),
        (lambda: Joint("j", "revolute", "ground", "b", 3), "placement is 3; a Transform is needed, such as"),
        (lambda: Joint("j", "revolute", "ground", "b", Transform((0, 0, 1))), "a row of the rotation is 0; three numbers"),
        (lambda: Joint("j", "revolute", "ground", "b", Transform(2 * np.eye(3))), "not a rotation: its rows"),
        (lambda: Joint("j", "revolute", "ground", "b", Transform(np.diag([1, 1, -1]))), "is a reflection"),
        (lambda: Joint("j", "revolute", "ground", "b", np.ones((4, 4))), "not a rotation: its rows"),
        (lambda: Joint("j", "revolute", "ground", "b", Transform(position=(0, 0))), "the position is .* three numbers"),
        (lambda: Joint("j", "revolute", "ground", "b", friction=0.1), r"friction is 0.1; Friction\(viscous=..., coulomb=...\)"),
        (lambda: Joint("j", "revolute", "ground", "b", rotor={"inertias": 1}), "Did you mean 'inertia'"),
        (lambda: Joint("j", "revolute", "ground", "b", spring=3), "spring is 3"),
        (lambda: Joint("j", "helical", "ground", "b"), "'pitch' is missing; a helical joint needs `pitch`, its advance"),
        (lambda: Body("b", "1"), "mass is '1'; a number is needed"),
        (lambda: Body("b", 1, (1, 0)), r"center is \(1, 0\); three numbers are needed"),
        (lambda: Body("b", 1, inertia=(1, 1)), "three principal values, a 3x3 matrix, or the six entries"),
        (lambda: Body("b", 1, inertia=((1, 0.5, 0), (0, 1, 0), (0, 0, 1))), "not symmetric"),
        (lambda: Body.from_shapes("b", box((1, 1, 1), mass=1)), "shapes is one Shape; a list of them is needed"),
        (lambda: box(0.1, mass=1), "box: size is 0.1; three numbers are needed"),
        (lambda: sphere(0.1, mass=1, at=3), "sphere: at is 3; a Transform is needed"),
        (lambda: Transform.from_matrix(np.eye(3)), r"a homogeneous matrix has the shape \(4, 4\), not \(3, 3\)"),
        (lambda: Transform.from_quaternion((0, 0, 0), (1, 0, 0)), r"four numbers \(w, x, y, z\), not 3"),
        (lambda: Mechanism("m", A, JA), "bodies is one Body; a list of them is needed"),
        (lambda: Mechanism("m", [JA], [A]), "bodies has Joint.* only Body"),
        (lambda: make().frame("qa"), "'qa' is a joint; the body it moves is 'a'"),
        (lambda: make().frame(np.zeros(2)), "not by a ndarray"),
        (lambda: make().body("c"), "there is no body 'c'"),
        (lambda: make().joint("a"), "there is no joint 'a'"),
        (lambda: make().replace(gravty=(0, 0, 0)), "Did you mean 'gravity'"),
        (lambda: Mechanism.from_dh([{"a": "x"}], convention="standard"), "DH row 1: a is 'x'; a number is needed"),
        (lambda: Mechanism.from_dh([{}], convention="Craig"), "'modified' .proximal: Craig"),
        (lambda: Mechanism.from_dh([{"rotor": {"j": 1}}], convention="standard"), "DH row 1: rotor: there is no entry 'j'"),
    ],
)
def test_what_cannot_be_is_refused_with_what_would_be_right(wrong, message):
    with pytest.raises(MechanismError, match=message):
        wrong()


def test_replacing_keeps_the_other_parts():
    moon = make().replace(gravity=[0, 0, -1.62])
    assert moon.gravity == (0, 0, -1.62)
    assert moon.body("a") is A
    assert moon.joint("qb") is JB


def test_a_number_is_a_parameter():
    held = make(parameters={"k": 30.0})
    assert held.parameters["k"] == parameter("k", 30.0)
    assert float(held.with_parameters(k=60).parameters["k"]) == 60.0
