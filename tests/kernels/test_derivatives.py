"""Derivatives of the equations of motion against differences of the equations themselves, and against Pinocchio's."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.configuration.coordinates import integrate
from lagrangian.model.expression import symbol
from tests.mechanisms import random_mechanism, state, two_chains

# central differences of order eight: with steps of a hundredth they are right to about 1e-12
WEIGHTS = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
STEP = 0.01
TOLERANCE = 1e-9


def difference(f: Callable[[float], np.ndarray], h: float = STEP) -> np.ndarray:
    """df/ds at s = 0."""
    return sum(w * (f(k * h) - f(-k * h)) for k, w in enumerate(WEIGHTS, 1)) / h


def close(actual: np.ndarray, expected: np.ndarray, what: str) -> None:
    scale = max(1.0, float(np.abs(expected).max()))
    worst = float(np.abs(actual - expected).max()) / scale
    assert worst < TOLERANCE, f"{what} is off by {worst:.1e}"


def check(
    mechanism: lg.Mechanism, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, tau: np.ndarray, t: float = 0.0, h: float = STEP
) -> None:
    """All six derivatives, by q along the speeds."""
    dyn = lg.compile(mechanism)
    along = np.eye(mechanism.nv)
    options = {"t": t} if t else {}

    def columns(f: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        return np.stack([difference(lambda s, e=e: f(s * e), h) for e in along], axis=1)

    result = dyn.inverse_dynamics_derivatives(q, qd, qdd)
    close(result[0], columns(lambda d: dyn.inverse_dynamics(integrate(mechanism, q, d), qd, qdd)), "dtau/dq")
    close(result[1], columns(lambda d: dyn.inverse_dynamics(q, qd + d, qdd)), "dtau/dqd")
    close(result[2], columns(lambda d: dyn.inverse_dynamics(q, qd, qdd + d)), "dtau/dqdd")
    result = dyn.forward_dynamics_derivatives(q, qd, tau, **options)
    close(result[0], columns(lambda d: dyn.forward_dynamics(integrate(mechanism, q, d), qd, tau, **options)), "dqdd/dq")
    close(result[1], columns(lambda d: dyn.forward_dynamics(q, qd + d, tau, **options)), "dqdd/dqd")
    close(result[2], columns(lambda d: dyn.forward_dynamics(q, qd, tau + d, **options)), "dqdd/dtau")


def away(qd: np.ndarray, least: float = 0.2) -> np.ndarray:
    """Speeds that keep their signs under differences: dry friction jumps at rest."""
    return qd + least * np.where(qd < 0, -1.0, 1.0)


@pytest.mark.parametrize("name", ["two_r", "puma560", "lwr7", "furuta"])
def test_arms_agree_with_differences(name: str) -> None:
    mechanism = lg.library(name)
    for seed in range(2):
        q, qd, qdd, tau = state(mechanism, seed)
        check(mechanism, q, away(qd), qdd, tau)


TREES = [
    ["ball", "prismatic"],
    ["free", "revolute"],
    ["helical", "planar"],
    ["continuous", "universal"],
]


@pytest.mark.parametrize("types", TREES, ids="-".join)
def test_trees_agree_with_differences(types: list[str]) -> None:
    """Joints of every type, with rotors, friction, springs, and a spring with a damper between points."""
    mechanism = random_mechanism(types, 5, passive=True)
    q, qd, qdd, tau = state(mechanism, 8)  # of no ball joint near half a turn, where its spring's torque jumps
    # light bodies at the end of a tree accelerate by hundreds and bend much in a hundredth
    check(mechanism, q, away(qd), qdd, tau, h=0.004)


@pytest.mark.parametrize("name", ["four_bar", "three_rrr", "stewart"])
def test_closed_loops_agree_with_differences(name: str) -> None:
    """With independent equations, accelerations are smooth functions of states off the constraints too."""
    mechanism = lg.library(name)
    q = lg.assemble(mechanism)
    rng = np.random.default_rng(1)
    qd = lg.consistent_speeds(mechanism, q, rng.normal(size=mechanism.nv))
    check(mechanism, q, qd, *rng.normal(size=(2, mechanism.nv)), h=0.004)


@pytest.mark.parametrize("kind", ["ball", "distance"])
def test_random_loops(kind: str) -> None:
    mechanism = two_chains(["ball"], ["revolute", "universal"], kind, seed=3)
    q = lg.assemble(mechanism)
    rng = np.random.default_rng(2)
    qd = lg.consistent_speeds(mechanism, q, rng.normal(size=mechanism.nv))
    check(mechanism, q, qd, *rng.normal(size=(2, mechanism.nv)), h=0.002)


def test_constraints_that_depend_on_time() -> None:
    t, x, a = symbol("t"), symbol("x"), symbol("a")
    arm = lg.library("cart_pendulum")
    joints = [lg.Joint("x", "prismatic", "ground", "cart", axis=(1, 0, 0)), lg.Joint("a", "revolute", "cart", "pendulum")]
    bent = lg.HolonomicConstraint("bent", x * x + 0.3 * a * x + a - t * t * x)
    mechanism = lg.Mechanism("driven", arm.bodies, joints, constraints=[bent], gravity=(0, -9.81, 0))
    q, qd, qdd, tau = state(mechanism, 4)
    check(mechanism, q, qd, qdd, tau, t=0.8)
    dyn = lg.compile(mechanism)
    early, late = (dyn.forward_dynamics_derivatives(q, qd, tau, t=at)[0] for at in (0.8, 1.6))
    assert np.abs(early - late).max() > 0.1
    times = np.array([0.8, 1.6])
    both = dyn.forward_dynamics_derivatives(np.stack([q, q]), qd, tau, t=times)
    np.testing.assert_allclose(both[0], [early, late], rtol=1e-12)


def test_rolling_agrees_with_differences() -> None:
    """Nonholonomic: equations of speeds that follow from no equation of coordinates."""
    ball = lg.Body("ball", 1.3, (0.05, 0.02, 0.01), (0.02, 0.03, 0.025))
    mechanism = lg.Mechanism(
        "rolls",
        [ball],
        [lg.Joint("at", "free", "ground", "ball")],
        constraints=[lg.RollingConstraint("floor", "ball", radius=0.3)],
    )
    q = lg.assemble(mechanism, [0.9, 0.1, 0.3, 0.2, 0.0, 0.0, 0.3])
    qd = lg.consistent_speeds(mechanism, q, [0.5, 1.0, -0.4, 0.3, 0.2, 0.1])
    check(mechanism, q, qd, *np.random.default_rng(0).normal(size=(2, 6)))


def test_redundant_equations() -> None:
    """Bricard's ring: one equation follows from the rest only while the loop is closed, so moves must keep it closed."""
    mechanism = lg.library("bricard")
    dyn = lg.compile(mechanism)

    def path(s: float) -> tuple[np.ndarray, np.ndarray]:
        """Its motion is known: two angles, a and b, with sin(a) sin(b) + sin(a) + sin(b) = 0."""
        a = np.pi / 4 + s
        b = -np.arcsin(np.sin(a) / (1 + np.sin(a)))
        slope = -np.cos(a) * (1 + np.sin(b)) / (np.cos(b) * (1 + np.sin(a)))
        rate = 1.3 + 0.7 * s
        return np.array([a, b, a, b, a]), rate * np.array([1, slope, 1, slope, 1])

    q, qd = path(0)
    np.testing.assert_allclose(q, mechanism.poses["quarter"], atol=1e-14)
    assert np.abs(dyn.constraint_rate(q, qd)).max() < 1e-14
    tau = np.random.default_rng(0).normal(size=mechanism.nv)
    way = qd / np.linalg.norm(qd)
    byq, byqd, bytau = dyn.forward_dynamics_derivatives(q, qd, tau)

    moves, changes = difference(lambda s: path(s)[0]), difference(lambda s: path(s)[1])
    assert np.abs(dyn.constraint_jacobian(q) @ moves).max() < 1e-10
    along = difference(lambda s: dyn.forward_dynamics(*path(s), tau))
    assert np.abs(along).max() > 1
    close(byq @ moves + byqd @ changes, along, "dqdd along a move")
    close(byqd @ way, difference(lambda s: dyn.forward_dynamics(q, qd + s * way, tau)), "dqdd by consistent speeds")
    for k, e in enumerate(np.eye(mechanism.nv)):
        close(bytau[:, k], difference(lambda s, e=e: dyn.forward_dynamics(q, qd, tau + s * e)), "dqdd/dtau")


def test_springs_are_in_it() -> None:
    """Not only do differences agree: springs, dampers and friction change the derivatives by what they are."""
    full = random_mechanism(["revolute", "universal"], 5, passive=True)
    bare_joints = [replace(j, friction=lg.Friction(), spring=lg.JointSpring()) for j in full.joints]
    plain = lg.Mechanism("plain", full.bodies, bare_joints, gravity=full.gravity)
    q, qd, qdd, _ = state(plain, 3)
    bare, loaded = (lg.compile(m).inverse_dynamics_derivatives(q, qd, qdd) for m in (plain, full))
    assert all(np.abs(a - b).max() > 0.1 for a, b in zip(bare[:2], loaded[:2], strict=True))
    viscous = [float(j.friction.viscous) for j in full.joints for _ in range(j.kind.nv)]
    without = lg.Mechanism("no springs", full.bodies, full.joints, gravity=full.gravity)
    damped = lg.compile(without).inverse_dynamics_derivatives(q, qd, qdd)
    np.testing.assert_allclose(damped[1] - bare[1], np.diag(viscous), atol=1e-12)
    stiffness = np.diag([float(j.spring.stiffness) for j in full.joints for _ in range(j.kind.nv)])
    np.testing.assert_allclose(damped[0] - bare[0], stiffness, atol=1e-11)


def test_inverse_of_each_other() -> None:
    """dqdd/dq = -M^-1 dtau/dq and so on, at the acceleration that tau makes."""
    mechanism = random_mechanism(["free", "revolute"], 5, passive=True)
    dyn = lg.compile(mechanism)
    q, qd, _, tau = state(mechanism, 2)
    qdd = dyn.forward_dynamics(q, qd, tau)
    byq, byqd, bytau = dyn.forward_dynamics_derivatives(q, qd, tau)
    tq, tqd, M = dyn.inverse_dynamics_derivatives(q, qd, qdd)
    np.testing.assert_allclose(M @ byq, -tq, atol=1e-9 * np.abs(tq).max())
    np.testing.assert_allclose(M @ byqd, -tqd, atol=1e-9 * np.abs(tqd).max())
    np.testing.assert_allclose(M @ bytau, np.eye(mechanism.nv), atol=1e-10)


@pytest.mark.parametrize("name", ["four_bar", "furuta"])
def test_batches_are_one_by_one(name: str) -> None:
    mechanism = lg.library(name)
    dyn = lg.compile(mechanism)
    rng = np.random.default_rng(0)
    q = np.array([lg.assemble(mechanism, mechanism.random_configuration(rng)) for _ in range(5)])
    qd, qdd, tau = rng.normal(size=(3, 5, mechanism.nv))
    n = mechanism.nv
    for method, arguments in (("inverse_dynamics_derivatives", (q, qd, qdd)), ("forward_dynamics_derivatives", (q, qd, tau))):
        function = getattr(dyn, method)
        many = function(*arguments)
        single = [function(*(a[k] for a in arguments)) for k in range(5)]
        one = function(*(a[:1] for a in arguments))
        for i in range(3):
            assert many[i].shape == (5, n, n)
            assert one[i].shape == (1, n, n)
            assert single[0][i].shape == (n, n)
            np.testing.assert_allclose(many[i], [s[i] for s in single], rtol=1e-10, atol=1e-12 * np.abs(many[i]).max())
        # a single row serves all
        mixed = function(arguments[0], arguments[1][0], arguments[2])
        np.testing.assert_allclose(mixed[0][0], many[0][0], rtol=1e-10, atol=1e-12 * np.abs(many[0]).max())


def test_shapes_are_checked() -> None:
    dyn = lg.compile(lg.library("two_r"))
    with pytest.raises(lg.ArgumentError, match=r"inverse_dynamics_derivatives: qd has shape \(3,\)"):
        dyn.inverse_dynamics_derivatives([0, 0], [0, 0, 0], [0, 0])
    with pytest.raises(lg.ArgumentError, match=r"forward_dynamics_derivatives: tau has shape"):
        dyn.forward_dynamics_derivatives([0, 0], [0, 0], 1.0)


def test_too_large() -> None:
    """Code that grows with the square of the speeds is not even begun."""
    mechanism = random_mechanism(["revolute"] * 41, 0, chain=True)
    q, qd, qdd, tau = state(mechanism, 0)
    dyn = lg.compile(mechanism)
    with pytest.raises(lg.ArgumentError, match="derivatives of random are not available: it has 41 speeds, and at most 40"):
        dyn.inverse_dynamics_derivatives(q, qd, qdd)
    with pytest.raises(lg.ArgumentError, match="41 speeds"):
        dyn.forward_dynamics_derivatives(q, qd, tau)


# -- Pinocchio -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("robot", "floating"), [("ur5_robot", False), ("robots-bolt", True), ("double_pendulum_continuous", True)]
)
def test_derivatives_are_those_of_pinocchio(robot: str, floating: bool) -> None:
    pin = pytest.importorskip("pinocchio")
    from tests.peers.test_pinocchio import Translator, name, robots

    paths = [path for path in robots() if name(path) == robot]
    if not paths:
        pytest.skip("example-robot-data is not installed")
    model = pin.buildModelFromUrdf(str(paths[0]), *([pin.JointModelFreeFlyer()] if floating else []))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lg.ReaderWarning)
        loaded = lg.load(paths[0], floating=floating)
    # Pinocchio uses no friction
    plain = [
        lg.Joint(j.name, j.type, j.parent, j.child, j.placement, j.child_placement, type_entries=j.type_entries)
        for j in loaded.joints
    ]
    mechanism = lg.Mechanism(loaded.name, loaded.bodies, plain)
    dyn, data, to = lg.compile(mechanism), model.createData(), Translator(model, mechanism)
    for seed in range(3):
        q, qd, qdd, _ = state(mechanism, seed)
        tau = dyn.inverse_dynamics(q, qd, qdd)
        theirs = to.q(q), to.v(qd), to.v(qdd)
        pin.computeRNEADerivatives(model, data, *theirs)
        upper = np.triu(data.M)
        M = to.matrix(upper + np.triu(upper, 1).T)
        for actual, expected in zip(
            dyn.inverse_dynamics_derivatives(q, qd, qdd), (to.matrix(data.dtau_dq), to.matrix(data.dtau_dv), M), strict=True
        ):
            np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-10 * max(1.0, np.abs(expected).max()))
        pin.computeABADerivatives(model, data, *theirs[:2], to.v(tau))
        upper = np.triu(data.Minv)
        inverse = to.matrix(upper + np.triu(upper, 1).T)
        actual = dyn.forward_dynamics_derivatives(q, qd, tau)
        # as far as the mass matrix lets any two agree
        slack = max(1e-10, 1e-15 * np.linalg.cond(M))
        for mine, expected in zip(actual, (to.matrix(data.ddq_dq), to.matrix(data.ddq_dv), inverse), strict=True):
            np.testing.assert_allclose(mine, expected, rtol=0, atol=slack * max(1.0, np.abs(expected).max()))
