"""Springs through several points, of coordinates and with slack, and gravity compensation, in every layer."""

from itertools import pairwise

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.errors import ArgumentError, MechanismError

Q, QD, QDD = np.array([0.4, -0.9, 0.3]), np.array([0.7, 1.1, -0.5]), np.array([0.2, -0.4, 0.9])


def arm(*springs):
    """Two turns and a slide, in space."""
    bodies = [
        lg.Body("a", 2.0, (0.2, 0, 0.1), (0.1, 0, 0, 0.2, 0, 0.2)),
        lg.Body("b", 1.0, (0.1, 0.05, 0), (0.05, 0, 0, 0.06, 0, 0.07)),
        lg.Body("c", 0.5, (0, 0, 0.1), (0.01, 0, 0, 0.01, 0, 0.01)),
    ]
    joints = [
        lg.Joint("p", "revolute", "ground", "a", axis="y"),
        lg.Joint("r", "revolute", "a", "b", lg.Transform(position=(0.5, 0, 0)), axis="x"),
        lg.Joint("s", "prismatic", "b", "c", lg.Transform(position=(0.3, 0.1, 0)), axis="z"),
    ]
    return lg.Mechanism("arm", bodies, joints, springs=springs)


THROUGH = [("a", (0.3, 0.2, 0)), ("b", (0, 0, 0.3)), ("b", (0.1, 0, 0.3))]  # a piece of it is between points of one body
VIA = lg.PointSpring("via", "ground", "c", (0.4, 1, 0.2), (0, 0, 0.2), 30.0, 0.5, 2.0, via=THROUGH)
COUPLED = lg.CoordinateSpring("coupled", "2*p - r*s", 40.0, -0.1, 3.0)
CARRIED = lg.GravityCompensation("carried", "b", 0.8)
ALL = {"via": VIA, "coupled": COUPLED, "carried": CARRIED}


@pytest.fixture(scope="module")
def dynamics():
    return {name: lg.compile(arm(spring)) for name, spring in ALL.items()} | {"none": lg.compile(arm())}


def length(name, dyn, q):
    """Of a spring, from poses alone."""
    if name == "coupled":
        return 2 * q[0] - q[1] * q[2]
    points = [dyn.pose(q, body)[:3] @ [*point, 1] for body, point in VIA.points]
    return sum(np.linalg.norm(b - a) for a, b in pairwise(points))


def gradient(function, q, h=1e-6):
    return np.array([(function(q + h * e) - function(q - h * e)) / (2 * h) for e in np.eye(len(q))])


@pytest.mark.parametrize("name", ["via", "coupled"])
def test_energy_and_forces_are_those_of_the_length(name, dynamics):
    dyn, bare, spring = dynamics[name], dynamics["none"], ALL[name]
    k, rest, c = float(spring.stiffness), float(spring.rest), float(spring.damping)
    s = length(name, dyn, Q)
    slopes = gradient(lambda q: length(name, dyn, q), Q)
    assert dyn.potential_energy(Q) - bare.potential_energy(Q) == pytest.approx(0.5 * k * (s - rest) ** 2)
    np.testing.assert_allclose(dyn.gravity(Q) - bare.gravity(Q), k * (s - rest) * slopes, rtol=1e-7)
    tension = k * (s - rest) + c * slopes @ QD
    np.testing.assert_allclose(dyn.spring_forces(Q, QD), [tension], rtol=1e-7)
    np.testing.assert_allclose(dyn.friction(QD, q=Q) - bare.friction(QD), c * (slopes @ QD) * slopes, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(dyn.inverse_dynamics(Q, QD, QDD) - bare.inverse_dynamics(Q, QD, QDD), tension * slopes, rtol=1e-7)
    tau = dyn.inverse_dynamics(Q, QD, QDD)
    np.testing.assert_allclose(dyn.forward_dynamics(Q, QD, tau), QDD, rtol=1e-10)


def test_a_body_whose_weight_is_carried_feels_the_rest_of_it(dynamics):
    dyn, bare = dynamics["carried"], dynamics["none"]
    lighter = arm().replace(gravity=(0, 0, 0))
    weight = 0.8 * 1.0 * 9.81
    z = lambda q: (bare.pose(q, "b") @ [0.1, 0.05, 0, 1])[2]  # noqa: E731
    assert bare.potential_energy(Q) - dyn.potential_energy(Q) == pytest.approx(weight * z(Q))
    np.testing.assert_allclose(bare.gravity(Q) - dyn.gravity(Q), weight * gradient(z, Q), rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(dyn.spring_forces(Q, QD), [weight])
    whole = arm(*(lg.GravityCompensation(f"{b}!", b) for b in "abc"))
    np.testing.assert_allclose(lg.compile(whole).gravity(Q), lg.compile(lighter).gravity(Q), atol=1e-12)


@pytest.mark.parametrize("name", [*ALL])
def test_derivatives_are_those_of_differences(name, dynamics):
    dyn, tau = dynamics[name], np.array([1.0, -2.0, 0.5])
    by_q, by_qd, _ = dyn.forward_dynamics_derivatives(Q, QD, tau)
    np.testing.assert_allclose(by_q.T, gradient(lambda q: dyn.forward_dynamics(q, QD, tau), Q), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(by_qd.T, gradient(lambda x: dyn.forward_dynamics(Q, x, tau), QD), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", [*ALL])
def test_the_closed_form_has_them(name, dynamics):
    dyn, eom = dynamics[name], lg.derive(arm(ALL[name]))
    compiled = eom.compile()
    np.testing.assert_allclose(compiled.gravity(Q), dyn.gravity(Q), rtol=1e-10)
    assert compiled.potential_energy(Q) == pytest.approx(dyn.potential_energy(Q))
    np.testing.assert_allclose(compiled.inverse_dynamics(Q, QD, QDD), dyn.inverse_dynamics(Q, QD, QDD), rtol=1e-10)
    assert any(name in key for key in eom.potential_energies)
    assert eom.newton_euler().tau == eom.tau


def test_forces_of_a_polyline_and_of_weight_reach_the_joints_reactions():
    """Links in balance: what the first joint carries is all the weight, less what the ground itself holds."""
    m = arm(VIA, CARRIED)
    dyn = lg.compile(m)
    tau = dyn.inverse_dynamics(Q, 0 * Q, 0 * Q)
    assert np.abs(tau).max() > 0
    W = dyn.reactions(Q, 0 * Q, 0 * Q)[0]
    R = dyn.pose(Q, "a")[:3, :3]
    tension = dyn.spring_forces(Q, 0 * Q)[0]
    foot, first = np.array([0.4, 1, 0.2]), dyn.pose(Q, "a")[:3] @ [0.3, 0.2, 0, 1]
    pulled = tension * (foot - first) / np.linalg.norm(foot - first)
    np.testing.assert_allclose(R @ W[3:], [0, 0, 9.81 * (2 + 0.2 + 0.5)] - pulled, rtol=1e-9, atol=1e-9)


def test_slack_has_no_tension():
    m = arm(
        lg.CoordinateSpring("rope", "p", 40.0, -0.2, slack=0.5), lg.PointSpring("cord", "ground", "c", stiffness=9.0, slack=0.6)
    )
    dyn = lg.compile(m)
    for p, s, forces in ((0.1, 0.0, 0), (0.5, 0.0, 40 * 0.2), (-0.3, 0.0, -40 * 0.1)):
        q = np.array([p, 0, s])
        far = np.linalg.norm(dyn.pose(q, "c")[:3, 3])
        np.testing.assert_allclose(dyn.spring_forces(q, 0 * q), [forces, 9 * max(0, far - 0.6)], atol=1e-12)


def test_a_run_keeps_its_energy_where_slack_begins_and_ends():
    body = lg.Body("b", 1.0)
    joint = lg.Joint("x", "prismatic", "ground", "b", axis="x")
    m = lg.Mechanism("m", [body], [joint], springs=[lg.CoordinateSpring("rope", "x", 100.0, -0.1, slack=0.2)], gravity=(0, 0, 0))
    motion = lg.simulate(m, 5, {"x": 0.0}, {"x": 1.0})
    # half a swing beyond each end, and the way between them at a constant speed
    period = 2 * (np.pi / 10) + 4 * 0.1 / 1.0
    np.testing.assert_allclose(motion.q[:, 0].max(), 0.1 + 1 / 10, rtol=1e-4)
    turns = motion.t[1:][np.diff(np.sign(motion.q[:, 0])) > 0]
    np.testing.assert_allclose(np.diff(turns), period, atol=0.006)
    assert np.abs(motion.energy - motion.energy[0]).max() < 1e-7


def test_toml_reads_back_what_it_writes():
    springs = (VIA, COUPLED, lg.CoordinateSpring("rope", "p", 1.0, slack=0.3), CARRIED)
    again = lg.loads(lg.dumps(arm(*springs)))
    assert again.springs == springs


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: arm(lg.CoordinateSpring("c", "p - x", 1.0)), "coordinate 'x'"),
        (lambda: lg.CoordinateSpring("c", "3", 1.0), "an expression with a coordinate in it"),
        (lambda: lg.CoordinateSpring("c", "p", -1.0), "cannot be negative"),
        (lambda: arm(lg.GravityCompensation("c", "ground")), "no body 'ground'"),
        (lambda: arm(lg.PointSpring("c", "a", "b", via=[("d", (0, 0, 0))])), "no body 'd'"),
        (lambda: lg.PointSpring("c", "a", "b", via=["d"]), "a pair of a body and a point"),
        (lambda: lg.PointSpring("c", "a", "b", slack=-1), "cannot be negative"),
        (lambda: lg.derive(arm(lg.CoordinateSpring("c", "p", 1.0, slack=1.0))), "slack"),
    ],
)
def test_what_cannot_be_is_refused(make, says):
    with pytest.raises(MechanismError, match=says):
        make()


def test_certify_refuses_slack():
    with pytest.raises(ArgumentError, match="slack"):
        lg.certify(arm(lg.CoordinateSpring("c", "p", 1.0, slack=1.0)), 0.1)


def test_the_first_piece_may_be_between_points_of_one_body():
    spring = lg.PointSpring("s", "b", "ground", (0.3, 0, 0.2), (0, 0.4, 0), 20.0, 0.1, via=[("b", (0.1, 0, 0.2))])
    slider = lg.Mechanism("slider", [lg.Body("b", 1.0)], [lg.Joint("x", "prismatic", "ground", "b", axis="x")], springs=[spring])
    reach = np.sqrt((0.7 + 0.1) ** 2 + 0.4**2 + 0.2**2)
    tension = 20.0 * (0.2 + reach - 0.1)
    assert lg.compile(slider).gravity([0.7]) == pytest.approx([tension * 0.8 / reach])
