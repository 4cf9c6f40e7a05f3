"""A gimbal: three successive turns with angles of their own."""

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.configuration.poses import body_poses
from lagrangian.errors import MechanismError
from lagrangian.posing.posture import Posture

BODY = lg.Body("top", 1.3, (0.1, -0.2, 0.4), (0.05, 0.06, 0.04))
TIP = lg.Body("tip", 0.4, (0.2, 0.1, 0.0), (0.01, 0.02, 0.02))
AT, BACK = lg.Transform.from_rpy((0.1, 0.2, 0.3), (0.2, -0.4, 0.7)), lg.Transform.from_rpy((0.0, 0.1, -0.2), (0.5, 0.1, 0.0))

TOML = """
name = "gyroscope"
[[body]]
name = "top"
mass = 1.3
center = [0, 0, 0.2]
inertia = [0.05, 0.05, 0.03]
[[joint]]
name = "g"
type = "gimbal"
child = "top"
axis = "z"
axis2 = "x"
axis3 = "z"
friction = { viscous = 0.01 }
"""


def arm(joints):
    middle = [lg.Body(name) for name in ("outer", "inner") if any(j.child == name for j in joints)]
    hinge = lg.Joint("k", "revolute", "top", "tip", AT, axis=(1, 1, 0))
    return lg.Mechanism("arm", [*middle, BODY, TIP], [*joints, hinge])


@pytest.fixture(scope="module")
def gimbal():
    return arm([lg.Joint("g", "gimbal", "ground", "top", AT, BACK)])


@pytest.fixture(scope="module")
def dyn(gimbal):
    return lg.compile(gimbal)


def test_it_is_three_revolute_joints(dyn):
    """About z, y and x, with massless bodies between."""
    three = lg.compile(
        arm(
            [
                lg.Joint("yaw", "revolute", "ground", "outer", AT, axis="z"),
                lg.Joint("pitch", "revolute", "outer", "inner", axis="y"),
                lg.Joint("roll", "revolute", "inner", "top", lg.Transform(), BACK, axis="x"),
            ]
        )
    )
    q, qd, qdd = np.random.default_rng(3).normal(size=(3, 20, 4))
    assert dyn.inverse_dynamics(q, qd, qdd) == pytest.approx(three.inverse_dynamics(q, qd, qdd), rel=1e-12, abs=1e-12)
    assert dyn.coriolis_matrix(q, qd) == pytest.approx(three.coriolis_matrix(q, qd), rel=1e-11, abs=1e-12)
    assert dyn.pose(q, "tip") == pytest.approx(three.pose(q, "tip"), abs=1e-14)


def test_dynamics_are_those_of_pinocchios_spherical_zyx(gimbal, dyn):
    """Its own joint of three angles, SphericalZYX, whose motion subspace depends on them."""
    pin = pytest.importorskip("pinocchio")

    def se3(at):
        T = at.matrix()
        return pin.SE3(T[:3, :3], T[:3, 3])

    def inertia(body):
        return pin.Inertia(float(body.mass), np.array(body.center, dtype=float), body.inertia_matrix)

    model = pin.Model()
    model.gravity.linear = np.array([0, 0, -9.81])
    first = model.addJoint(0, pin.JointModelSphericalZYX(), se3(AT), "g")
    model.appendBodyToJoint(first, inertia(BODY), se3(BACK.inverse()))
    axis = np.array([1, 1, 0]) / np.sqrt(2)
    second = model.addJoint(first, pin.JointModelRevoluteUnaligned(axis), se3(BACK.inverse() @ AT), "k")
    model.appendBodyToJoint(second, inertia(TIP), pin.SE3.Identity())
    data = model.createData()
    for q, qd, qdd in np.random.default_rng(5).normal(size=(20, 3, 4)):
        assert dyn.inverse_dynamics(q, qd, qdd) == pytest.approx(pin.rnea(model, data, q, qd, qdd), rel=1e-11, abs=1e-12)
        assert dyn.forward_dynamics(q, qd, qdd) == pytest.approx(pin.aba(model, data, q, qd, qdd), rel=1e-8, abs=1e-9)


def test_a_heavy_top_keeps_its_momenta():
    """z-x-z angles are Euler's: the momenta of precession and of spin are constant, and so is the energy."""
    top = lg.loads(TOML.replace("friction = { viscous = 0.01 }", ""))
    motion = lg.simulate(top, 2, q0=[0.1, 0.5, 0.2], qd0=[1.0, 0.5, 30.0], rtol=1e-11)
    dyn = lg.compile(top)
    momenta = np.einsum("sij,sj->si", dyn.mass_matrix(motion.q), motion.qd)
    assert momenta[:, 0] == pytest.approx(momenta[0, 0], rel=1e-8)
    assert momenta[:, 2] == pytest.approx(momenta[0, 2], rel=1e-8)
    energy = dyn.kinetic_energy(motion.q, motion.qd) + dyn.potential_energy(motion.q)
    assert energy == pytest.approx(energy[0], rel=1e-9)


def test_the_closed_form_is_the_textbooks_and_proved():
    """Goldstein: I1 (phi'^2 sin^2 theta + theta'^2) / 2 + I3 (psi' + phi' cos theta)^2 / 2, with I1 about the fixed point."""
    top = lg.loads(TOML)
    eom = lg.derive(top)
    assert eom.prove().proved
    I1, I3 = 0.05 + 1.3 * 0.2**2, 0.03
    for phi, theta, psi in np.random.default_rng(2).normal(size=(5, 3)):
        c, s = np.cos(theta), np.sin(theta)
        M = [[I1 * s * s + I3 * c * c, 0, I3 * c], [0, I1, 0], [I3 * c, 0, I3]]
        assert eom.M.evaluate([phi, theta, psi]) == pytest.approx(np.array(M), abs=1e-14)
        assert eom.G.evaluate([phi, theta, psi]) == pytest.approx(np.array([0, -1.3 * 9.81 * 0.2 * s, 0]), abs=1e-13)


def test_it_is_drawn_and_moved_by_hand_where_it_is(gimbal, dyn, tmp_path):
    q = np.random.default_rng(6).normal(size=(3, 4))
    for body, poses in body_poses(gimbal, q).items():
        if body != "ground":
            assert poses == pytest.approx(dyn.pose(q, body), abs=1e-14)
    gimbal.draw(tmp_path / "gimbal.png", q=q[0], size=(160, 120))
    assert (tmp_path / "gimbal.png").stat().st_size > 500
    hand = Posture(gimbal)
    hand.drag("g.2", 0.4)
    assert hand.q == pytest.approx([0, 0.4, 0, 0])


def test_it_is_written_and_reported(tmp_path):
    top = lg.loads(TOML)
    assert lg.loads(lg.dumps(top)).joints == top.joints
    assert top.coordinate_names == ("g.1", "g.2", "g.3")
    lg.simulate(top, 0.1, q0=[0, 0.3, 0]).report(tmp_path / "top.html")
    assert "gimbal" in (tmp_path / "top.html").read_text()


@pytest.mark.parametrize(("own", "pair"), [({"axis2": "z"}, "axis and axis2"), ({"axis3": "y"}, "axis2 and axis3")])
def test_axes_that_follow_each_other_are_perpendicular(own, pair):
    with pytest.raises(MechanismError, match=f"{pair} of a gimbal must be perpendicular"):
        lg.Joint("g", "gimbal", "ground", "a", **own)
