"""What holds for every joint type, and for one that is added from outside: what a type does not provide is an error."""

from itertools import pairwise

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.errors import MechanismError
from lagrangian.model import joints, loops
from lagrangian.model.joints.displacement import displacement, step_frames
from lagrangian.model.joints.joint_type import JointLook, JointStep, JointType
from lagrangian.model.joints.screw import Screw
from lagrangian.model.loops.loop_type import AxisLoop, origin_on_axis
from lagrangian.model.loops.loop_type import LoopLook as LoopLook
from lagrangian.model.type_entries import EntryKind, TypeEntry
from tests.mechanisms import MOVING, own_entries, random_mechanism


@pytest.fixture(autouse=True)
def registries(monkeypatch):
    """Types that a test adds are gone after it."""
    monkeypatch.setattr(joints, "TYPES", dict(joints.TYPES))
    monkeypatch.setattr(loops, "TYPES", dict(loops.TYPES))


def a_joint(kind):
    rng = np.random.default_rng(2)
    return lg.Joint("j", kind, "ground", "b", **own_entries(joints.TYPES[kind], rng.normal(size=3), rng.normal(size=3)))


class Lift(Screw):
    """Turns by q and rises by sin(q) times its height; `wrong` makes a derivative of that wrong."""

    name = "lift"
    slides = (False,)
    units = ("rad",)
    look = JointLook.SCREW
    turns = True
    wrong = ""

    def advance(self, state):
        return state.s

    def advance_slope(self, state):
        return -state.c if self.wrong == "rise" else state.c

    def advance_curvature(self, state):
        return 0 if self.wrong == "rise_slope" else -state.s


@pytest.mark.parametrize("kind", list(joints.TYPES))
def test_labels_units_and_numbers_agree(kind):
    joint_type = joints.TYPES[kind]
    assert len(joint_type.coordinates) == len(joint_type.units) == len(joint_type.neutral) == joint_type.nq
    assert len(joint_type.speeds) == len(joint_type.slides) == joint_type.nv
    joint = a_joint(kind)
    assert sum(step.kind.nq for step in joint_type.steps(joint)) == joint_type.nq
    assert sum(step.kind.nv for step in joint_type.single_steps(joint)) == joint_type.nv
    assert set(joint_type.speed_combinations(joint)) == set(joint.speed_names)


@pytest.mark.parametrize("kind", list(joints.TYPES))
def test_the_neutral_configuration_moves_nothing(kind):
    """But for a cam, which may stand anywhere on its axis at the angle zero."""
    joint = a_joint(kind)
    assert displacement(joint, np.array([joint.kind.neutral])) == pytest.approx(np.eye(4)[None], abs=4e-15)


@pytest.mark.parametrize("kind", MOVING)
def test_columns_are_what_the_displacement_changes_by(kind):
    """The motion subspace, and how coordinates follow from speeds, by differences of the displacement."""
    joint, h = a_joint(kind), 1e-6
    joint_type = joint.kind
    rng = np.random.default_rng(5)
    q = np.array(joint_type.random(joint, rng))
    qd = rng.normal(size=joint_type.nv)
    ahead, behind = (displacement(joint, joint_type.integrate(q, s * h * qd)[None])[0] for s in (1, -1))
    rate = np.array(joint_type.coordinate_rates(list(q), list(qd)), dtype=float)
    assert (joint_type.integrate(q, h * qd) - joint_type.integrate(q, -h * qd)) / (2 * h) == pytest.approx(rate, abs=1e-8)
    turned = displacement(joint, q[None])[0]
    twist = np.linalg.inv(turned) @ (ahead - behind) / (2 * h)
    angular = np.array([twist[2, 1], twist[0, 2], twist[1, 0]])
    model = lg.Mechanism("one", [lg.Body("b", 1.0, inertia=(1, 1, 1))], [joint])
    J = lg.compile(model).jacobian(q, "b")
    R = turned[:3, :3]
    assert R @ angular == pytest.approx(J[:3] @ qd, abs=1e-8)
    assert R @ twist[:3, 3] == pytest.approx(J[3:] @ qd, abs=1e-8)


@pytest.mark.parametrize("kind", MOVING)
def test_normalised_and_random_configurations_are_the_same_place(kind):
    joint = a_joint(kind)
    q = np.array(joint.kind.random(joint, np.random.default_rng(1)))
    scaled = q.copy()
    if joint.kind.quaternion:
        scaled[:4] *= 3.0
    assert joint.kind.normalise_coordinates(list(scaled)) == pytest.approx(list(q), abs=1e-14)
    assert displacement(joint, scaled[None]) == pytest.approx(displacement(joint, q[None]), abs=1e-14)


def test_frames_of_steps_follow_each_other():
    joint = a_joint("planar")
    frames = step_frames(joint, np.array([[0.1, 0.2, 0.3]]))
    assert [step.label for step, _, _ in frames] == ["x", "y", "angle"]
    for (_, _, behind), (_, before, _) in pairwise(frames):
        assert behind == pytest.approx(before)


def test_a_type_that_owes_something_cannot_be_made():
    class Gimbal(JointType):
        name = "half"
        coordinates = speeds = ("1", "2", "3")

    with pytest.raises(TypeError, match=r"abstract.*steps"):
        Gimbal()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"look": None}, "joint type 'lift': it has no attribute `look`"),
        ({"units": ("rad", "m")}, "`units` has 2 entries; there must be one for each coordinate, 1 in total"),
        ({"slides": ()}, "`slides` has 0 entries; there must be one for each speed, 1 in total"),
        ({"name": "revolute"}, "there is a joint type 'revolute' already"),
    ],
)
def test_a_type_that_does_not_fit_is_refused(changes, message):
    joint_type = type("Lift", (Lift,), {k: x for k, x in changes.items() if x is not None})()
    if changes == {"look": None}:
        joint_type = type("Bare", (Screw,), {k: x for k, x in vars(Lift).items() if k != "look"})()
    with pytest.raises(MechanismError, match=message):
        joints.register(joint_type)


@pytest.mark.parametrize("wrong", ["", "rise", "rise_slope"])
def test_a_wrong_derivative_is_found_by_the_proof(wrong):
    joints.register(type("Lift", (Lift,), {"wrong": wrong})())
    body = lg.Body("b", 2.0, (0.1, 0, 0), (0.1, 0.2, 0.3))
    m = lg.Mechanism("m", [body], [lg.Joint("q", "lift", "ground", "b", axis="x")])
    assert lg.derive(m).prove().proved is (wrong == "")


def test_a_type_from_outside_in_a_random_tree():
    """Every algorithm, unrolled, agrees with every other: forward and inverse dynamics, M qdd + C qd + G, M' - 2C skew."""
    joints.register(Lift())
    m = random_mechanism(["lift", "revolute", "lift", "ball"], 3, chain=True)
    dyn, rng = lg.compile(m), np.random.default_rng(7)
    q, h = m.random_configuration(rng), 1e-6
    qd, qdd = rng.normal(size=(2, m.nv))
    tau = dyn.inverse_dynamics(q, qd, qdd)
    M, C = dyn.mass_matrix(q), dyn.coriolis_matrix(q, qd)
    assert tau == pytest.approx(M @ qdd + C @ qd + dyn.gravity(q), rel=1e-10, abs=1e-10)
    assert dyn.forward_dynamics(q, qd, tau) == pytest.approx(qdd, rel=1e-8, abs=1e-8)
    ahead, behind = (
        np.concatenate([j.kind.integrate(*part) for j, part in zip(m.joints, _parts(m, q, s * h * qd), strict=True)])
        for s in (1, -1)
    )
    rate = (dyn.mass_matrix(ahead) - dyn.mass_matrix(behind)) / (2 * h)
    assert rate - C - C.T == pytest.approx(np.zeros((m.nv, m.nv)), abs=1e-6)


def _parts(m, q, step):
    iq = iv = 0
    for joint in m.joints:
        yield q[iq : iq + joint.kind.nq], step[iv : iv + joint.kind.nv]
        iq, iv = iq + joint.kind.nq, iv + joint.kind.nv


def test_a_loop_type_from_outside():
    class Slot(AxisLoop):
        name = "slot"
        look = LoopLook.BALL
        constrained_freedoms = 2
        holds_point = False

        def equations(self, loop, a, b):
            return origin_on_axis(loop, a, b)

    loops.register(Slot())
    bodies = [lg.Body("crank", 1.0, (0.1, 0, 0), (0.0, 0.01, 0.01)), lg.Body("yoke", 3.0)]
    tree = [lg.Joint("theta", "revolute", "ground", "crank"), lg.Joint("x", "prismatic", "ground", "yoke", axis="x")]
    pin = lg.LoopJoint("pin", "slot", "yoke", "crank", b_placement=(0.2, 0, 0), axis="y")
    m = lg.Mechanism("yoke", bodies, tree, [pin], gravity=(0, 0, 0))
    q = np.array([0.4, 0.1])
    want = 0.1 - 0.2 * np.cos(0.4)
    assert abs(lg.compile(m).closure(q)).max() == pytest.approx(abs(want), rel=1e-12)
    assert abs(lg.derive(m).closure.evaluate(q)).max() == pytest.approx(abs(want), rel=1e-12)
    assert lg.loads(lg.dumps(m)).loops == m.loops
    with pytest.raises(MechanismError, match="there is a loop joint type"):
        loops.register(Slot())


def test_steps_and_equations_are_as_many_as_a_type_says():
    class Short(type(joints.TYPES["universal"])):
        name = "short"

        def steps(self, joint):
            return super().steps(joint)[:1]

    class Few(AxisLoop):
        name = "few"
        look = LoopLook.BALL
        constrained_freedoms = 3

        def equations(self, loop, a, b):
            return origin_on_axis(loop, a, b)

    class Plain(AxisLoop):
        name = "plain"
        constrained_freedoms = 3

        def equations(self, loop, a, b):
            return origin_on_axis(loop, a, b)

    with pytest.raises(MechanismError, match="it has no attribute `look`, which `LoopType` describes"):
        loops.register(Plain())
    joints.register(Short())
    loops.register(Few())
    with pytest.raises(MechanismError, match="the steps of type 'short' must have its 2 coordinates and 2 speeds"):
        lg.Joint("j", "short", "ground", "b")
    bodies = [lg.Body("a", 1.0, inertia=(1, 1, 1)), lg.Body("b", 1.0, inertia=(1, 1, 1))]
    flying = [lg.Joint("f", "free", "ground", "a"), lg.Joint("g", "free", "ground", "b")]
    m = lg.Mechanism("m", bodies, flying, [lg.LoopJoint("l", "few", "a", "b")])
    with pytest.raises(MechanismError, match="its type 'few' returns 2 equations, but its `equation_count` is 3"):
        lg.compile(m).closure(m.neutral())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"units": "rad"}, "`units` is 'rad'; a tuple is needed"),
        ({"units": ("mm",)}, "each must be 'rad', 'm', or ''"),
        ({"look": "pin"}, "its look is .pin."),
        (
            {"entries": (TypeEntry("friction", EntryKind.NUMBER, 0),)},
            "its entry 'friction' has the name of an entry that every type has",
        ),
        ({"entries": (TypeEntry("xyz", EntryKind.NUMBER, 0),)}, "its entry 'xyz' has the name of an entry that every type has"),
        (
            {"entries": (TypeEntry("height", EntryKind.NUMBER),)},
            "its entry 'height' has no default, so that it needs a `meaning`",
        ),
    ],
)
def test_more_that_does_not_fit(changes, message):
    with pytest.raises(MechanismError, match=message):
        joints.register(type("Lift", (Lift,), {"name": "odd", **changes})())


def test_classes_are_no_types():
    with pytest.raises(MechanismError, match="is not a joint type; it must be an instance"):
        joints.register(Lift)
    with pytest.raises(MechanismError, match=r"its kind is .*; a joint type is needed, such as Revolute\(\)"):
        JointStep("x", Lift)


def test_axes_of_steps_have_length_one():
    assert JointStep("x", Lift(), (0, 0, 2)).axis == (0, 0, 1)
    assert JointStep("x", Lift(), "y").axis == (0, 1, 0)


def test_cosines_are_for_what_turns():
    """A type that slides by cos(q) reads `state.c`, which only a turn has: nobody gets another number instead."""
    joints.register(type("Slider", (Lift,), {"name": "slider", "turns": False})())
    body = lg.Body("b", 2.0, (0.1, 0, 0), (0.1, 0.2, 0.3))
    m = lg.Mechanism("m", [body], [lg.Joint("q", "slider", "ground", "b")])
    for use in (lg.derive, lambda m: lg.compile(m).mass_matrix([0.1])):
        with pytest.raises(MechanismError, match="exist only with `turns = True`"):
            use(m)
