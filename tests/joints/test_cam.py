"""A cam: a screw whose advance is any function of its angle, so that its motion subspace changes with it."""

import math

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.configuration.poses import body_poses
from lagrangian.errors import DescriptionError, MechanismError
from lagrangian.posing.posture import Posture

MASS, INERTIA, G = 2.0, 0.3, 9.81

TOML = """
name = "follower"
[parameters]
h = 0.05
m = 2.0
I = 0.3
[[body]]
name = "disc"
mass = "m"
inertia = [0.2, 0.2, "I"]
[[joint]]
name = "turn"
type = "cam"
child = "disc"
axis = "z"
advance = "h*cos(2*angle) + 0.01*angle"
"""


def f(q):
    return 0.05 * math.cos(2 * q) + 0.01 * q


def slope(q):
    return -0.1 * math.sin(2 * q) + 0.01


def curvature(q):
    return -0.2 * math.cos(2 * q)


@pytest.fixture(scope="module")
def follower():
    return lg.loads(TOML)


@pytest.fixture(scope="module")
def dyn(follower):
    return lg.compile(follower)


def test_lagranges_equation(dyn):
    """L = (I + m f'^2) qd^2 / 2 - m g f: the equation of motion of one body on a cam about the vertical, by hand."""
    rng = np.random.default_rng(1)
    for q, qd, qdd in rng.normal(size=(20, 3)):
        inertia = INERTIA + MASS * slope(q) ** 2
        coriolis = MASS * slope(q) * curvature(q) * qd
        weight = MASS * G * slope(q)
        assert dyn.mass_matrix([q])[0, 0] == pytest.approx(inertia, rel=1e-14)
        assert dyn.coriolis_matrix([q], [qd])[0, 0] == pytest.approx(coriolis, rel=1e-12, abs=1e-15)
        assert dyn.gravity([q])[0] == pytest.approx(weight, rel=1e-13)
        torque = inertia * qdd + coriolis * qd + weight
        assert dyn.inverse_dynamics([q], [qd], [qdd])[0] == pytest.approx(torque, rel=1e-12)
        assert dyn.forward_dynamics([q], [qd], [torque])[0] == pytest.approx(qdd, rel=1e-11, abs=1e-12)


def test_the_closed_form_is_the_same_and_proved(follower, dyn):
    eom = lg.derive(follower)
    certificate = eom.prove()
    assert certificate.proved
    q, qd = np.array([0.7]), np.array([1.3])
    assert eom.M.evaluate(q) == pytest.approx(dyn.mass_matrix(q), rel=1e-14)
    assert eom.C.evaluate(q, qd) == pytest.approx(dyn.coriolis_matrix(q, qd), rel=1e-12)
    assert eom.G.evaluate(q) == pytest.approx(dyn.gravity(q), rel=1e-12)


def test_an_advance_that_is_no_polynomial(dyn):
    """Functions of the angle beside sine and cosine have closed forms too."""
    body = lg.Body("disc", 1.5, (0.1, 0, 0), (0.2, 0.2, 0.3))
    m = lg.Mechanism("spiral", [body], [lg.Joint("turn", "cam", "ground", "disc", axis="x", advance="0.1*exp(0.3*angle)")])
    eom, code = lg.derive(m), lg.compile(m)
    q, qd = np.array([0.4]), np.array([-0.9])
    rise = 0.03 * math.exp(0.12)
    assert code.mass_matrix(q)[0, 0] == pytest.approx(0.2 + 1.5 * rise**2, rel=1e-14)
    assert eom.M.evaluate(q) == pytest.approx(code.mass_matrix(q), rel=1e-13)
    assert eom.C.evaluate(q, qd) == pytest.approx(code.coriolis_matrix(q, qd), rel=1e-12)


def test_a_constant_rise_is_a_helical_joint():
    """Whose forms are compared with Pinocchio's elsewhere."""
    rng = np.random.default_rng(4)
    bodies = [lg.Body("a", 1.2, (0.1, 0.2, 0.3), (0.3, 0.4, 0.5)), lg.Body("b", 0.7, (0, 0.3, 0), (0.1, 0.2, 0.2))]
    at = lg.Transform.from_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))

    def arm(kind, **own):
        joints = [
            lg.Joint("j", kind, "ground", "a", at, axis=(1, 2, 2), **own),
            lg.Joint("k", "revolute", "a", "b", at, axis="x"),
        ]
        return lg.compile(lg.Mechanism("arm", bodies, joints))

    cam, screw = arm("cam", advance="0.2*angle"), arm("helical", pitch=0.2)
    q, qd, qdd = rng.normal(size=(3, 10, 2))
    assert cam.inverse_dynamics(q, qd, qdd) == pytest.approx(screw.inverse_dynamics(q, qd, qdd), rel=1e-12, abs=1e-12)
    assert cam.pose(q, "b") == pytest.approx(screw.pose(q, "b"), abs=1e-14)


def test_small_oscillations_and_energy(follower, dyn):
    """At rest in a minimum of f it swings at sqrt(m g f'' / I); far from it the energy stays."""
    lowest = lg.loads(TOML.replace("+ 0.01*angle", ""))
    rest = math.pi / 2
    mode = lg.linearise(lowest, [rest]).modes()[0]
    assert mode.frequency == pytest.approx(math.sqrt(MASS * G * 0.2 / INERTIA) / (2 * math.pi), rel=1e-9)
    motion = lg.simulate(follower, 5, q0=[0.3], qd0=[4.0], rtol=1e-10)
    energy = np.array(
        [
            0.5 * (INERTIA + MASS * slope(q) ** 2) * v**2 + MASS * G * f(q)
            for q, v in zip(motion.q[:, 0], motion.qd[:, 0], strict=True)
        ]
    )
    assert energy == pytest.approx(energy[0], rel=1e-8)
    assert np.ptp(motion.q) > 2


def test_jacobians_change_with_the_angle(dyn):
    """J' qd is the derivative of J along the motion."""
    q, qd, h = np.array([0.5]), np.array([0.8]), 1e-6
    moved = (dyn.jacobian(q + h * qd, "disc") - dyn.jacobian(q - h * qd, "disc")) / (2 * h)
    assert dyn.jacobian_dot_qd(q, qd, "disc") == pytest.approx(moved @ qd, abs=1e-8)


def test_a_loop_through_a_cam_keeps_closed():
    """A follower that is pushed along a rail by a cam: x = f(angle), and the forces do no work."""
    cam = lg.loads(TOML)
    slider = lg.Body("slider", 0.5)
    joints = [*cam.joints, lg.Joint("x", "prismatic", "ground", "slider", axis="z", actuated=False)]
    loop = lg.LoopJoint("touch", "planar", "disc", "slider", axis="z")
    m = lg.Mechanism("pushed", [*cam.bodies, slider], joints, [loop], gravity=(0, 0, -G))
    motion = lg.simulate(m, 2, q0={"turn": 0.4}, qd0={"turn": 3.0}, rtol=1e-9)
    assert motion.q[:, 1] == pytest.approx([f(q) for q in motion.q[:, 0]], abs=1e-9)
    both = MASS + 0.5
    total = [
        0.5 * (INERTIA + both * slope(q) ** 2) * v**2 + both * G * f(q)
        for q, v in zip(motion.q[:, 0], motion.qd[:, 0], strict=True)
    ]
    assert total == pytest.approx(np.full(len(total), total[0]), rel=1e-7)


def test_it_is_drawn_and_moved_by_hand_where_it_is(follower, dyn, tmp_path):
    q = np.array([[0.2], [1.9]])
    assert body_poses(follower, q)["disc"] == pytest.approx(dyn.pose(q, "disc"), abs=1e-14)
    follower.draw(tmp_path / "cam.png", q=[0.5], size=(160, 120))
    assert (tmp_path / "cam.png").stat().st_size > 500
    hand = Posture(follower)
    hand.drag("turn", 0.6)
    assert hand.q == pytest.approx([0.6])


def test_it_is_written_and_reported(follower, tmp_path):
    again = lg.loads(lg.dumps(follower))
    assert again.joints == follower.joints
    assert "h*cos(2*angle)+0.01*angle m" in str(follower)
    lg.simulate(follower, 0.1, q0=[0.1]).report(tmp_path / "cam.html")
    assert "cam" in (tmp_path / "cam.html").read_text()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TOML.replace("cos(2*angle)", "cos(2*theta)"), "theta"),
        (
            TOML.replace('advance = "h*cos(2*angle) + 0.01*angle"', ""),
            "'advance' is missing; a cam joint needs `advance`, its displacement in metres",
        ),
        (TOML.replace("cam", "revolute"), "advance: a revolute joint has no advance; only cam have one"),
    ],
)
def test_wrong_cams_are_refused(text, message):
    with pytest.raises((DescriptionError, MechanismError), match=message):
        lg.loads(text)


def test_an_advance_of_something_else_is_refused():
    with pytest.raises(MechanismError, match="advance: it may depend on 'angle' and on parameters, but not on 'x'"):
        lg.Joint("j", "cam", "ground", "a", advance=lg.parameter("h", 1.0) * lg.model.expression.symbol("x"))
