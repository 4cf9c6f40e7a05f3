"""Small motions: frequencies, damping, poles and shapes against what theory says, and against runs; and equilibria."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

import lagrangian as lg
from tests.motion.machines import G, chain, slider

WEIGHTS = (4 / 5, -1 / 5, 4 / 105, -1 / 280)


def difference(f: Callable[[float], np.ndarray], h: float = 0.01) -> np.ndarray:
    """df/ds at s = 0, of order eight."""
    return sum(w * (f(k * h) - f(-k * h)) for k, w in enumerate(WEIGHTS, 1)) / h


def poles(actual: lg.Linearisation) -> np.ndarray:
    return np.sort_complex(actual.eigenvalues())


def assert_poles(actual: lg.Linearisation, expected: Any, tolerance: float = 1e-9) -> None:
    reference = np.sort_complex(np.asarray(expected, dtype=complex))
    mine = poles(actual)
    # in pairs, whichever order rounding gave them
    for value in reference:
        assert np.abs(mine - value).min() < tolerance * (1 + abs(value)), f"{value} is not among {mine}"
    assert len(mine) == len(reference)


# -- frequencies -----------------------------------------------------------------------------------------------------


def test_a_pendulum_in_closed_form() -> None:
    linear_model = lg.linearise(lg.library("pendulum"), [-math.pi / 2])
    (mode,) = linear_model.modes()
    assert mode.frequency == pytest.approx(math.sqrt(G) / (2 * math.pi), rel=1e-14)
    assert mode.damping == pytest.approx(0, abs=1e-14)
    assert mode.stable
    assert linear_model.stable
    np.testing.assert_allclose(linear_model.A, [[0, 1], [-G, 0]], atol=1e-13)
    np.testing.assert_allclose(linear_model.B, [[0], [1]], atol=1e-13)


def double(l: float = 0.7, m: float = 1.3) -> lg.Mechanism:
    bodies = [lg.Body("one", m, (0, -l, 0)), lg.Body("two", m, (0, -l, 0))]
    joints = [lg.Joint("a", "revolute", "ground", "one"), lg.Joint("b", "revolute", "one", "two", (0, -l, 0))]
    return lg.Mechanism("double_pendulum", bodies, joints, gravity=(0, -G, 0))


def test_double_pendulum() -> None:
    """Equal masses and lengths: omega^2 = (2 -+ sqrt 2) g/l, the absolute angles in the ratio 1 : +-sqrt 2."""
    linear_model = lg.linearise(double())
    slow, fast = linear_model.modes()
    for mode, sign in ((slow, 1), (fast, -1)):
        assert mode.frequency == pytest.approx(math.sqrt((2 - sign * math.sqrt(2)) * G / 0.7) / (2 * math.pi), rel=1e-12)
        first, second = mode.shape
        assert (first + second) / first == pytest.approx(sign * math.sqrt(2), rel=1e-12)
        assert mode.names == ("a", "b")
    assert np.abs(slow.shape).max() == pytest.approx(1)


def test_chain_frequencies() -> None:
    """Four bars: M and dG/dq of the hanging chain give the same as the exact derivatives do."""
    dyn = lg.compile(chain(4))
    rest = np.zeros(4)
    K = np.stack([difference(lambda s, e=e: dyn.gravity(s * e)) for e in np.eye(4)], axis=1)
    omega2 = np.sort(np.linalg.eigvals(np.linalg.solve(dyn.mass_matrix(rest), K)).real)
    actual = [mode.frequency for mode in lg.linearise(dyn).modes()]
    np.testing.assert_allclose(actual, np.sqrt(omega2) / (2 * math.pi), rtol=1e-9)


@pytest.mark.parametrize(("k", "c", "m"), [(50.0, 0.0, 2.0), (50.0, 1.5, 2.0), (4.0, 9.0, 1.0), (0.0, 3.0, 1.5)])
def test_spring_mass_damper(k: float, c: float, m: float) -> None:
    mechanism = slider(m, spring=lg.JointSpring(k, 0.2), friction=lg.Friction(viscous=c))
    linear_model = lg.linearise(mechanism, lg.equilibrium(mechanism, [0.5]) if k else [0.5])
    assert_poles(linear_model, np.roots([m, c, k]), 1e-7)
    critical = 2 * math.sqrt(k * m)
    if c < critical:
        (mode,) = linear_model.modes()
        assert mode.damping == pytest.approx(c / critical, abs=1e-12)
        assert mode.frequency == pytest.approx(math.sqrt(k / m) * math.sqrt(1 - (c / critical) ** 2) / (2 * math.pi), rel=1e-12)
    else:
        assert [mode.frequency for mode in linear_model.modes()] == [0, 0]
        assert all(mode.damping in (0, pytest.approx(1)) for mode in linear_model.modes())
    assert linear_model.stable


def test_springs_between_points() -> None:
    """A level bar on a pivot, its end hung from a spring with a damper: J a'' = -c l^2 a' - k l^2 a."""
    k, c, l, m = 300.0, 4.0, 0.8, 2.0
    body = lg.Body("bar", m, (l / 2, 0, 0), (0, m * l**2 / 12, m * l**2 / 12))
    height = 2.0
    stay = lg.PointSpring(
        "stay", "ground", "bar", (l, height, 0), (l, 0, 0), stiffness=k, rest=height - m * G / (2 * k), damping=c
    )
    mechanism = lg.Mechanism("bar", [body], [lg.Joint("a", "revolute", "ground", "bar")], springs=[stay], gravity=(0, -G, 0))
    q = lg.equilibrium(mechanism, [0.1])
    np.testing.assert_allclose(q, [0], atol=1e-10)
    # the bar's end moves along the spring: its tension adds nothing
    assert_poles(lg.linearise(mechanism, q), np.roots([m * l**2 / 3, c * l**2, k * l**2]), 1e-9)


def test_cart_and_pole() -> None:
    """Upright: (M + m) x'' + b x' - m l f'' = u, (I + m l^2) f'' - m l x'' - m g l f = 0, with f the lean."""
    mechanism = lg.library("cart_pendulum")
    p = {name: float(value) for name, value in mechanism.parameters.items()}
    M, m, l, I, b, g = (p[name] for name in ("M", "m", "l", "I", "b", "g"))
    J = I + m * l * l
    linear_model = lg.linearise(mechanism, [0, math.pi])
    s2 = np.polymul([M + m, b, 0], [J, 0, -m * g * l])
    assert_poles(linear_model, np.roots(np.polysub(s2, [m * m * l * l, 0, 0, 0, 0])), 1e-8)
    assert not linear_model.stable
    assert sum(not mode.stable for mode in linear_model.modes()) == 1
    # without friction the unstable pole is known in closed form
    free = lg.Mechanism(
        "cart", mechanism.bodies, [replace(j, friction=lg.Friction()) for j in mechanism.joints], gravity=(0, -g, 0)
    )
    unstable = max(lg.linearise(free, [0, math.pi]).eigenvalues().real)
    assert unstable == pytest.approx(math.sqrt((M + m) * m * g * l / ((M + m) * J - (m * l) ** 2)), rel=1e-10)
    assert linear_model.inputs == ("x",)
    assert linear_model.B.shape == (4, 1)
    assert "growing" in str(linear_model)
    assert str(linear_model).startswith("4 states; inputs: x")


def linkage() -> lg.Mechanism:
    """The four-bar with a spring at its crank, so that it hangs somewhere and stays."""
    plain = lg.library("four_bar")
    joints = [replace(j, spring=lg.JointSpring(12.0, 0.9)) if j.name == "theta1" else j for j in plain.joints]
    return lg.Mechanism("sprung", plain.bodies, joints, plain.loops, gravity=plain.gravity)


@pytest.fixture(scope="module")
def sprung() -> tuple[lg.Dynamics, np.ndarray]:
    dyn = lg.compile(linkage())
    return dyn, lg.equilibrium(dyn, lg.library("four_bar").initial.q)


def test_loop_against_its_run(sprung: tuple[lg.Dynamics, np.ndarray]) -> None:
    """The frequency of a small oscillation, from its zero crossings over many periods."""
    dyn, q = sprung
    (mode,) = lg.linearise(dyn, q).modes()
    assert mode.stable
    np.testing.assert_allclose(dyn.constraint_jacobian(q) @ mode.shape.real, 0, atol=1e-13)
    start = lg.assemble(dyn, q + 1e-3 * mode.shape.real)
    event = lg.Event(f"theta1 - {float(q[0])!r}", direction="rising")
    motion = lg.simulate(dyn, 20 / mode.frequency, start, events=[event], rtol=1e-10, atol=1e-13)
    times = [e.t for e in motion.events]
    assert len(times) == 20
    measured = (len(times) - 1) / (times[-1] - times[0])
    assert measured == pytest.approx(mode.frequency, rel=1e-6)


def test_loop_of_one_degree_by_hand(sprung: tuple[lg.Dynamics, np.ndarray]) -> None:
    """Through the energy: omega^2 = V''/m of the crank's angle."""
    dyn, q = sprung

    def at(angle: float) -> np.ndarray:
        return lg.assemble(dyn, q, {"theta1": angle})

    slope = lg.consistent_speeds(dyn, q, None, {"theta1": 1.0})
    mass = 2 * dyn.kinetic_energy(q, slope)
    bend = difference(lambda s: difference(lambda r: np.array(dyn.potential_energy(at(q[0] + s + r)))))
    (mode,) = lg.linearise(dyn, q).modes()
    assert mode.frequency == pytest.approx(math.sqrt(bend / mass) / (2 * math.pi), rel=1e-8)


# -- torques and inputs ----------------------------------------------------------------------------------------------


def test_gains_move_the_poles() -> None:
    """Pendulum: s^2 + kd s + kp + g cos(a) = 0; the torque that holds it elsewhere is part of the expression."""
    mechanism = chain(1)
    inertia, weight = 1 / 3, G / 2
    for kp, kd, a in ((0.0, 0.0, 0.4), (8.0, 0.0, 0.4), (8.0, 1.5, -0.7), (30.0, 9.0, 2.5)):
        torque = {"a0": f"{weight * math.sin(a)} - {kp}*(a0 - ({a})) - {kd}*qd_a0"}
        q = lg.equilibrium(mechanism, [a + 0.05], torque)
        assert q[0] == pytest.approx(a, abs=1e-9)
        linear_model = lg.linearise(mechanism, q, torque=torque)
        assert_poles(linear_model, np.roots([inertia, kd, kp + weight * math.cos(a)]), 1e-7)
    traced = lg.linearise(
        mechanism, q, torque=lg.Traced(lambda t, q, qd: [weight * np.sin(2.5) - 30.0 * (q[0] - 2.5) - 9.0 * qd[0]])
    )
    np.testing.assert_allclose(traced.A, linear_model.A, atol=1e-12)


def test_gains_of_an_arm() -> None:
    """Two joints: M^-1 (K + dG/dq) and M^-1 D; the time an expression is taken at counts."""
    arm = lg.library("two_r")
    dyn = lg.compile(arm)
    q = np.array([0.4, -0.9])
    hold = [float(x) for x in dyn.gravity(q)]
    torque = {
        "theta1": f"{hold[0]!r} - t*400*(theta1 - 0.4) - 30*qd_theta1",
        "theta2": f"{hold[1]!r} - t*100*(theta2 + 0.9) - 10*qd_theta2 + 5*qd_theta1",
    }
    M = dyn.mass_matrix(q)
    K = np.stack([difference(lambda s, e=e: dyn.gravity(q + s * e)) for e in np.eye(2)], axis=1)
    for t in (1.0, 2.5):
        linear_model = lg.linearise(arm, q, torque=torque, t=t)
        np.testing.assert_allclose(
            linear_model.A[2:, :2], -np.linalg.solve(M, K + t * np.diag([400, 100])), rtol=1e-10, atol=1e-9
        )
        np.testing.assert_allclose(linear_model.A[2:, 2:], -np.linalg.solve(M, [[30, 0], [-5, 10]]), rtol=1e-10, atol=1e-12)
        assert linear_model.stable


def test_gains_of_a_loop(sprung: tuple[lg.Dynamics, np.ndarray]) -> None:
    """A controller at the crank of the four-bar: of one degree, s^2 (m) + kd s + (k + kp) = 0 in the crank's angle."""
    dyn, q = sprung
    (free,) = lg.linearise(dyn, q).modes()
    mass = 2 * dyn.kinetic_energy(q, lg.consistent_speeds(dyn, q, None, {"theta1": 1.0}))
    stiffness = mass * (2 * math.pi * free.frequency) ** 2
    kp, kd = 25.0, 2.0
    linear_model = lg.linearise(dyn, q, torque={"theta1": f"-{kp}*(theta1 - {float(q[0])!r}) - {kd}*qd_theta1"})
    assert_poles(linear_model, np.roots([mass, kd, stiffness + kp]), 1e-9)


def test_python_functions_are_refused() -> None:
    """Their slopes are not known."""
    with pytest.raises(lg.ArgumentError, match="numbers, expressions or Traced"):
        lg.linearise(chain(1), [0.0], torque=lambda t, q, qd: -q)
    with pytest.raises(lg.ArgumentError, match="numbers, expressions or Traced"):
        lg.equilibrium(chain(1), [0.1], torque=(np.array([0.0, 1.0]), np.zeros((2, 1))))


@pytest.mark.parametrize("name", ["furuta", "four_bar"])
def test_inputs_are_the_actuated_joints(name: str) -> None:
    """B against differences of the accelerations, open and closed."""
    mechanism = lg.library(name)
    dyn = lg.compile(mechanism)
    linear_model = lg.linearise(dyn, mechanism.initial.q)
    names = [j.name for j in mechanism.joints if j.actuated]
    assert linear_model.inputs == tuple(names)
    n = linear_model.basis.shape[1]
    assert linear_model.B.shape == (2 * n, len(names))
    for column, joint in zip(linear_model.B.T, names, strict=True):
        e = np.eye(mechanism.nv)[mechanism.speed_names.index(joint)]
        slope = difference(lambda s, e=e: dyn.forward_dynamics(linear_model.q, linear_model.qd, s * e))
        np.testing.assert_allclose(column, [*np.zeros(n), *linear_model.basis.T @ slope], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(linear_model.basis @ column[n:], slope, rtol=1e-9, atol=1e-9 * np.abs(slope).max())


def test_open_arm_in_motion() -> None:
    """At any state of an arm without ball joints A is the derivative of its rates."""
    arm = lg.library("two_r")
    dyn = lg.compile(arm)
    y = np.array([0.5, -1.1, 0.8, 1.7])
    linear_model = lg.linearise(arm, y[:2], y[2:])

    def rates(z: np.ndarray) -> np.ndarray:
        return np.concatenate([z[2:], dyn.forward_dynamics(z[:2], z[2:], np.zeros(2))])

    expected = np.stack([difference(lambda s, e=e: rates(y + s * e)) for e in np.eye(4)], axis=1)
    np.testing.assert_allclose(linear_model.A, expected, rtol=0, atol=1e-9)


def test_moves_keep_the_constraints(sprung: tuple[lg.Dynamics, np.ndarray]) -> None:
    for mechanism in (linkage(), lg.library("three_rrr")):
        linear_model = lg.linearise(mechanism)
        dyn = lg.compile(mechanism)
        free = mechanism.nv - mechanism.equation_count
        assert linear_model.basis.shape == (mechanism.nv, free)
        assert linear_model.A.shape == (2 * free, 2 * free)
        np.testing.assert_allclose(dyn.constraint_jacobian(linear_model.q) @ linear_model.basis, 0, atol=1e-12)
        np.testing.assert_allclose(linear_model.basis.T @ linear_model.basis, np.eye(free), atol=1e-12)


def test_a_ball_that_hangs() -> None:
    """A spherical pendulum: twice the plane one's frequency, and a spin that nothing brings back."""
    m, l, I, Iz = 1.5, 0.6, 0.05, 0.02
    body = lg.Body("bob", m, (0, 0, -l), (I, I, Iz))
    mechanism = lg.Mechanism("spherical", [body], [lg.Joint("s", "ball", "ground", "bob")], gravity=(0, 0, -G))
    q = lg.equilibrium(mechanism, [0.99, 0.1, 0.05, 0.02])
    linear_model = lg.linearise(mechanism, q)
    omega = math.sqrt(m * G * l / (I + m * l * l))
    np.testing.assert_allclose(np.sort(np.abs(linear_model.eigenvalues())), [0, 0, *[omega] * 4], atol=1e-6)


@pytest.mark.parametrize("n", [30.0, 60.0])
def test_a_top_that_sleeps(n: float) -> None:
    """Upright it is stable if it spins fast enough: it turns at w with A w^2 - C n w + m g l = 0, in the body at w - n."""
    m, l, I, C = 1.0, 0.5, 0.1, 0.08
    body = lg.Body("top", m, (0, 0, l), (I, I, C))
    mechanism = lg.Mechanism("top", [body], [lg.Joint("s", "ball", "ground", "top")], gravity=(0, 0, -G))
    linear_model = lg.linearise(mechanism, [1, 0, 0, 0], [0, 0, n])
    A = I + m * l * l
    turning = 1j * (np.roots([A, -C * n, m * G * l]) - n)
    assert_poles(linear_model, [0, 0, *turning, *-turning], 1e-6)
    assert linear_model.stable == ((C * n) ** 2 > 4 * A * m * G * l)


# -- equilibria ------------------------------------------------------------------------------------------------------


def test_equilibrium_of_an_open_chain() -> None:
    """The nearest minimum of the potential energy, found another way."""
    mechanism = chain(3, spring=lg.JointSpring(9.0, 0.6))
    dyn = lg.compile(mechanism)
    expected = minimize(
        lambda q: dyn.potential_energy(q), np.full(3, 0.2), jac=lambda q: dyn.gravity(q), method="BFGS", tol=1e-10
    )
    q = lg.equilibrium(dyn, np.full(3, 0.2))
    np.testing.assert_allclose(q, expected.x, rtol=0, atol=1e-7)
    assert np.abs(dyn.gravity(q)).max() < 1e-8
    assert lg.linearise(dyn, q).stable


def test_equilibrium_of_a_loop(sprung: tuple[lg.Dynamics, np.ndarray]) -> None:
    dyn, q = sprung
    assert np.abs(dyn.closure(q)).max() < 1e-12

    def energy(angle: float) -> float:
        return float(dyn.potential_energy(lg.assemble(dyn, q, {"theta1": angle})))

    expected = minimize_scalar(energy, bounds=(q[0] - 0.5, q[0] + 0.5), method="bounded", options={"xatol": 1e-10})
    assert q[0] == pytest.approx(expected.x, abs=1e-6)
    assert np.abs(dyn.forward_dynamics(q, np.zeros(3), np.zeros(3))).max() < 1e-8


def test_unstable_equilibria_are_found_too() -> None:
    dyn = lg.compile(lg.library("two_r"))
    for q0, stable in (([-1.5, 0.1], True), ([1.5, 0.1], False), ([-1.5, 3.1], False)):
        q = lg.equilibrium(dyn, q0)
        assert np.abs(dyn.gravity(q)).max() < 1e-7
        np.testing.assert_allclose(np.abs(q - q0), 0, atol=0.2)
        assert lg.linearise(dyn, q).stable == stable


def test_equilibrium_under_torques() -> None:
    arm = lg.library("two_r")
    dyn = lg.compile(arm)
    tau = np.array([60.0, -20.0])
    q = lg.equilibrium(dyn, [-1.5, 0.0], torque=tau)
    np.testing.assert_allclose(dyn.gravity(q), tau, atol=1e-7)
    q = lg.equilibrium(dyn, [-1.5, 0.0], torque={"theta1": "30*t", "theta2": "-5*theta1"}, t=2.0)
    np.testing.assert_allclose(dyn.gravity(q), [60.0, -5 * q[0]], atol=1e-7)


def test_the_mechanism_s_own_torques() -> None:
    """Those of [initial] act unless others are given, as in a run."""
    mechanism = lg.library("four_bar")
    own, value, none = (lg.linearise(mechanism, torque=torque) for torque in (None, {"theta1": "2 - 0.5*qd_theta1"}, 0.0))
    np.testing.assert_allclose(own.A, value.A, rtol=1e-12, atol=1e-12)
    assert own.A[1, 1] < -0.1
    assert none.A[1, 1] == pytest.approx(0, abs=1e-12)
    assert "with the mechanism's own torques (theta1); torque=0 leaves them out" in str(own)
    assert "own torques" not in str(value) + str(none)


def test_no_equilibrium_is_reported() -> None:
    """A block on a slope slides, and a torque larger than the weight turns a pendulum for ever."""
    sliding = slider(gravity=(2.0, 0, -9.0))
    with pytest.raises(
        lg.AssemblyError,
        match=r"found near q0; at the closest configuration 'x' still accelerates at 2",
    ):
        lg.equilibrium(sliding, [0.0])
    with pytest.raises(lg.AssemblyError, match="found near q0; at the closest configuration 'a0' still accelerates"):
        lg.equilibrium(chain(1), [0.3], torque=[6.0])


def test_bad_arguments() -> None:
    with pytest.raises(lg.ArgumentError, match=r"q is .*; 2 finite numbers are needed: a0, a1"):
        lg.linearise(chain(2), [0, 0, 0])
    with pytest.raises(lg.ArgumentError, match=r"qd is \[0\]; 2 finite numbers are needed: a0, a1"):
        lg.linearise(chain(2), [0, 0], [0])
    with pytest.raises(lg.ArgumentError, match="there is no joint or speed 'a7'"):
        lg.linearise(chain(2), [0, 0], torque={"a7": "1"})
