"""The numbered equations of Ghosal's lecture 27, (1) to (23), as they stand there, against the functions that compute them.

Derivatives are differences, inverses are numpy's: nothing here knows how the package computes what it computes. Where the print
has a slip, (12), (18) and (23), the right equation is tested.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from tests.mechanisms import random_mechanism, state

ARM = random_mechanism(["revolute", "prismatic", "revolute", "revolute"], 3, chain=True)
Q, QD, QDD, TAU = state(ARM, 5)
N = len(Q)
STEP = 1e-3


@pytest.fixture(scope="module")
def arm() -> lg.Dynamics:
    return lg.compile(ARM)


def close(a: object, b: object, tolerance: float = 1e-9) -> None:
    np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * max(1.0, float(np.abs(np.asarray(b)).max(initial=0))))


def slope(function: Callable[[float], np.ndarray]) -> np.ndarray:
    """The derivative at 0, by differences of sixth order."""
    weights = {1: 45, 2: -9, 3: 1}
    return sum(w * (function(k * STEP) - function(-k * STEP)) for k, w in weights.items()) / (60 * STEP)


def partial(function: Callable[[np.ndarray], np.ndarray], x: np.ndarray, k: int) -> np.ndarray:
    return slope(lambda h: np.asarray(function(x + h * np.eye(len(x))[k])))


def links(dyn: lg.Dynamics, q: np.ndarray, qd: np.ndarray) -> list[tuple[Any, ...]]:
    """Of every link: the body, its rotation, its angular velocity, and place and velocity of its centre of mass."""
    results = []
    for body in dyn.mechanism.bodies:
        T, twist = dyn.pose(q, body.name), dyn.velocity(q, qd, body.name)
        center = T[:3, :3] @ np.array(body.center, dtype=float)
        results.append((body, T[:3, :3], twist[:3], T[:3, 3] + center, twist[3:] + np.cross(twist[:3], center)))
    return results


def kinetic(dyn: lg.Dynamics, q: np.ndarray, qd: np.ndarray) -> float:
    """(1), summed over the links, along the links' own axes."""
    total = 0.0
    for body, R, w, _, v in links(dyn, q, qd):
        w, v = R.T @ w, R.T @ v
        total += 0.5 * float(body.mass) * v @ v + 0.5 * w @ body.inertia_matrix @ w
    return total


def potential(dyn: lg.Dynamics, q: np.ndarray) -> float:
    """(3), summed over the links."""
    gravity = np.array([float(g) for g in dyn.mechanism.gravity])
    return sum(-float(body.mass) * gravity @ p for body, _, _, p, _ in links(dyn, q, 0 * q))


def lagrangian(dyn: lg.Dynamics, q: np.ndarray, qd: np.ndarray) -> float:
    """(4)."""
    return kinetic(dyn, q, qd) - potential(dyn, q)


def test_equation_1(arm: lg.Dynamics) -> None:
    close(kinetic(arm, Q, QD), arm.kinetic_energy(Q, QD), 1e-13)


def test_equation_2(arm: lg.Dynamics) -> None:
    """omega from R' R^T, v = d p / dt."""
    for body, R, w, _, v in links(arm, Q, QD):
        spin = slope(lambda h, name=body.name: arm.pose(Q + h * QD, name)[:3, :3]) @ R.T
        close(spin, [[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        c = np.array([*body.center, 1.0], dtype=float)
        close(slope(lambda h, name=body.name, c=c: arm.pose(Q + h * QD, name)[:3] @ c), v)


def test_equation_3(arm: lg.Dynamics) -> None:
    """To a constant, which derivatives do not see."""
    other = Q + QD
    close(potential(arm, other) - potential(arm, Q), arm.potential_energy(other) - arm.potential_energy(Q), 1e-13)


def test_equation_4() -> None:
    eom = lg.derive(lg.library("two_r"))
    assert (eom.lagrangian - eom.kinetic_energy + eom.potential_energy).is_zero
    dyn, q, qd = lg.compile(lg.library("two_r")), np.array([0.3, -0.8]), np.array([1.2, 0.4])
    close(eom.lagrangian.evaluate(q, qd), lagrangian(dyn, q, qd), 1e-13)


@pytest.fixture(scope="module")
def generalised_forces(arm: lg.Dynamics) -> np.ndarray:
    """d/dt dL/dq' - dL/dq along a motion."""

    def momentum(h: float) -> np.ndarray:
        q, qd = Q + h * QD + h * h / 2 * QDD, QD + h * QDD
        return np.array([partial(lambda x: lagrangian(arm, q, x), qd, k) for k in range(N)])

    return slope(momentum) - np.array([partial(lambda x: lagrangian(arm, x, QD), Q, k) for k in range(N)])


def test_equation_5(arm: lg.Dynamics, generalised_forces: np.ndarray) -> None:
    """Q_i are all generalised forces: with a wrench on the last link, the joints give what it does not."""
    last, wrench = ARM.bodies[-1].name, np.array([0.3, -0.5, 0.2, 2.0, 1.0, -3.0])
    tau = arm.inverse_dynamics(Q, QD, QDD, wrenches={last: wrench})
    close(generalised_forces, tau + arm.jacobian(Q, last).T @ wrench, 1e-7)


def test_equation_6(arm: lg.Dynamics, generalised_forces: np.ndarray) -> None:
    """The joints' torques and forces alone."""
    close(generalised_forces, arm.inverse_dynamics(Q, QD, QDD), 1e-7)


def test_equation_7(arm: lg.Dynamics) -> None:
    M, C, G = arm.mass_matrix(Q), arm.coriolis_matrix(Q, QD), arm.gravity(Q)
    close(M @ QDD + C @ QD + G, arm.inverse_dynamics(Q, QD, QDD), 1e-12)
    close(arm.forward_dynamics(Q, QD, TAU), np.linalg.solve(M, TAU - C @ QD - G), 1e-10)


def test_equation_8(arm: lg.Dynamics) -> None:
    """And what follows from it: M is symmetric and positive definite."""
    M = arm.mass_matrix(Q)
    close(0.5 * QD @ M @ QD, kinetic(arm, Q, QD), 1e-13)
    close(M, M.T, 1e-15)
    assert np.linalg.eigvalsh(M).min() > 0


def test_equation_9(arm: lg.Dynamics) -> None:
    D = np.array([partial(arm.mass_matrix, Q, k) for k in range(N)])  # D[k, i, j] = dM_ij / dq_k
    C = 0.5 * sum((D[k] + D[:, :, k].T - D[:, k, :]) * QD[k] for k in range(N))
    close(C, arm.coriolis_matrix(Q, QD))


def test_equation_10(arm: lg.Dynamics) -> None:
    close([partial(lambda x: potential(arm, x), Q, k) for k in range(N)], arm.gravity(Q))


# -- closed loops ----------------------------------------------------------------------------------------------------

BAR = lg.library("four_bar")


@pytest.fixture(scope="module")
def bar() -> lg.Dynamics:
    return lg.compile(BAR)


@pytest.fixture(scope="module")
def closed_state() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A configuration that closes the loop, speeds that keep it closed, and a torque at the crank."""
    q = lg.assemble(BAR, fixed={"theta1": 1.1})
    return q, lg.consistent_speeds(BAR, q, fixed={"theta1": 2.0}), np.array([3.0, 0.0, 0.0])


def multipliers(dyn: lg.Dynamics, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, rate: np.ndarray, t: float = 0.0) -> np.ndarray:
    """(16) and (20): `rate` is Phi' + Psi' q'."""
    M, Psi = dyn.mass_matrix(q), dyn.constraint_jacobian(q, t)
    f = tau - dyn.coriolis_matrix(q, qd) @ qd - dyn.gravity(q)
    inverse = np.linalg.inv(M)
    return -np.linalg.inv(Psi @ inverse @ Psi.T) @ (rate + Psi @ inverse @ f)


def accelerating(
    dyn: lg.Dynamics, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, rate: np.ndarray, t: float = 0.0
) -> np.ndarray:
    """The right side of (17) and (19), f less what the constraints take."""
    Psi, inverse = dyn.constraint_jacobian(q, t), np.linalg.inv(dyn.mass_matrix(q))
    f = tau - dyn.coriolis_matrix(q, qd) @ qd - dyn.gravity(q)
    return f - Psi.T @ np.linalg.inv(Psi @ inverse @ Psi.T) @ (Psi @ inverse @ f + rate)


def psi_rate(dyn: lg.Dynamics, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Psi'."""
    return slope(lambda h: dyn.constraint_jacobian(q + h * qd))


def test_equation_11(bar: lg.Dynamics, closed_state: tuple[np.ndarray, ...]) -> None:
    """eta of the loop is the distance between the two ends that it joins."""
    p = {name: float(x) for name, x in BAR.parameters.items()}
    for q in (closed_state[0], np.array([0.4, -0.9, 1.7])):
        coupler = [p["l1"] * f(q[0]) + p["l2"] * f(q[0] + q[1]) for f in (np.cos, np.sin)]
        rocker = [p["l0"] + p["l3"] * np.cos(q[2]), p["l3"] * np.sin(q[2])]
        close(bar.closure(q), np.subtract(coupler, rocker), 1e-13)
    close(bar.closure(closed_state[0]), [0, 0], 1e-12)


def left_side(dyn: lg.Dynamics, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, forces: np.ndarray) -> np.ndarray:
    """d/dt dL/dq' - dL/dq of the Lagrangian (12), L + sum lambda eta."""

    def augmented_lagrangian(x: np.ndarray, xd: np.ndarray) -> float:
        return lagrangian(dyn, x, xd) + forces @ dyn.closure(x)

    def momentum(h: float) -> np.ndarray:
        at, rate = q + h * qd + h * h / 2 * qdd, qd + h * qdd
        return np.array([partial(lambda x: augmented_lagrangian(at, x), rate, k) for k in range(3)])

    return slope(momentum) - np.array([partial(lambda x: augmented_lagrangian(x, qd), q, k) for k in range(3)])


def test_equation_12(bar: lg.Dynamics, closed_state: tuple[np.ndarray, ...]) -> None:
    """Lagrange's equations of L + lambda eta are those of the loop, with the plus of (13); with a minus they are not."""
    q, qd, tau = closed_state
    qdd, forces = bar.forward_dynamics(q, qd, tau), bar.multipliers(q, qd, tau)
    close(left_side(bar, q, qd, qdd, forces), tau, 1e-7)
    assert np.abs(left_side(bar, q, qd, qdd, -forces) - tau).max() > 1


def test_equation_13(bar: lg.Dynamics, closed_state: tuple[np.ndarray, ...]) -> None:
    """d/dt dL/dq' - dL/dq = tau + sum lambda d eta / dq."""
    q, qd, tau = closed_state
    qdd, forces = bar.forward_dynamics(q, qd, tau), bar.multipliers(q, qd, tau)
    right = tau + np.array([forces @ partial(bar.closure, q, k) for k in range(3)])
    close(left_side(bar, q, qd, qdd, 0 * forces), right, 1e-7)


def test_equation_14(bar: lg.Dynamics, closed_state: tuple[np.ndarray, ...]) -> None:
    """With Psi = d eta / dq."""
    q, qd, tau = closed_state
    Psi = bar.constraint_jacobian(q)
    close(np.column_stack([partial(bar.closure, q, k) for k in range(3)]), Psi)
    left = bar.mass_matrix(q) @ bar.forward_dynamics(q, qd, tau) + bar.coriolis_matrix(q, qd) @ qd + bar.gravity(q)
    close(left, tau + Psi.T @ bar.multipliers(q, qd, tau), 1e-11)


def test_equation_15(bar: lg.Dynamics, closed_state: tuple[np.ndarray, ...]) -> None:
    q, qd, tau = closed_state
    close(psi_rate(bar, q, qd) @ qd, bar.constraint_bias(q, qd))
    close(bar.constraint_jacobian(q) @ bar.forward_dynamics(q, qd, tau) + bar.constraint_bias(q, qd), [0, 0], 1e-10)


def test_equation_16(bar: lg.Dynamics, closed_state: tuple[np.ndarray, ...]) -> None:
    q, qd, tau = closed_state
    close(multipliers(bar, q, qd, tau, psi_rate(bar, q, qd) @ qd), bar.multipliers(q, qd, tau))


def test_equation_17(bar: lg.Dynamics, closed_state: tuple[np.ndarray, ...]) -> None:
    q, qd, tau = closed_state
    right = accelerating(bar, q, qd, tau, psi_rate(bar, q, qd) @ qd)
    close(bar.mass_matrix(q) @ bar.forward_dynamics(q, qd, tau), right)


T = 0.4
PSI = np.array([[1 + Q[1] ** 2, 0, np.cos(Q[0]), -2]])
KEPT = QD - PSI[0] * (PSI @ QD + 0.3 * np.sin(2 * T)) / (PSI @ PSI.T)[0]  # speeds that keep (18)
RATE = np.array([2 * Q[1] * KEPT[1] * KEPT[0] - np.sin(Q[0]) * KEPT[0] * KEPT[2] + 0.6 * np.cos(2 * T)])  # Phi' + Psi' q'


@pytest.fixture(scope="module")
def led_arm() -> lg.Dynamics:
    """The arm with one Pfaffian constraint, Phi(t) + Psi(q) q' = 0."""
    row = lg.PfaffianConstraint("row", {"j0": "1 + j1^2", "j2": "cos(j0)", "j3": "-2"}, "0.3*sin(2*t)")
    return lg.compile(ARM.replace(constraints=[row]))


def test_equation_18(led_arm: lg.Dynamics) -> None:
    """And its derivative, with the term Psi q'' that the print lacks."""
    close(led_arm.constraint_jacobian(Q, T), PSI, 1e-15)
    close(led_arm.constraint_rate(Q, KEPT, T), [0], 1e-13)
    close(led_arm.constraint_rate(Q, QD, T), PSI @ QD + 0.3 * np.sin(2 * T), 1e-13)
    close(PSI @ led_arm.forward_dynamics(Q, KEPT, TAU, t=T) + RATE, [0], 1e-10)


def test_equation_19(led_arm: lg.Dynamics) -> None:
    close(led_arm.mass_matrix(Q) @ led_arm.forward_dynamics(Q, KEPT, TAU, t=T), accelerating(led_arm, Q, KEPT, TAU, RATE, T))


def test_equation_20(led_arm: lg.Dynamics) -> None:
    close(led_arm.multipliers(Q, KEPT, TAU, t=T), multipliers(led_arm, Q, KEPT, TAU, RATE, T))


# -- friction and Cartesian space ------------------------------------------------------------------------------------


def test_equation_21() -> None:
    """Coulomb's constant by the sign of the speed, and a viscous term, at each joint."""
    rough = random_mechanism(["revolute", "prismatic", "revolute", "revolute"], 3, chain=True, passive=True).replace(springs=())
    dyn = lg.compile(rough)
    F = []
    for speed, joint in zip(QD, rough.joints, strict=True):
        dry = joint.friction.coulomb if speed > 0 else joint.friction.coulomb_negative
        F.append(joint.friction.viscous * speed + np.sign(speed) * dry)
    close(dyn.friction(QD), F, 1e-15)
    rest = dyn.mass_matrix(Q) @ QDD + dyn.coriolis_matrix(Q, QD) @ QD + dyn.gravity(Q)
    close(dyn.inverse_dynamics(Q, QD, QDD), rest + F, 1e-12)


TWO_Q, TWO_QD, TWO_QDD = np.array([0.4, 1.1]), np.array([0.7, -1.3]), np.array([0.2, 0.9])


@pytest.fixture(scope="module")
def two() -> lg.Dynamics:
    return lg.compile(lg.library("two_r"))


def tip(two: lg.Dynamics) -> tuple[np.ndarray, np.ndarray]:
    """J of the tip, along x and y, and J'."""
    return two.jacobian(TWO_Q, "tip")[3:5], slope(lambda h: two.jacobian(TWO_Q + h * TWO_QD, "tip")[3:5])


def test_equation_22(two: lg.Dynamics) -> None:
    """The force at the tip that moves it so, found by Newton-Euler as the wrench under which the joints need no torques."""
    x, (J, rate) = two.cartesian(TWO_Q, TWO_QD, "tip", ("x", "y")), tip(two)
    force = x.M_x @ (J @ TWO_QDD + rate @ TWO_QD) + x.C_x + x.G_x
    wrench = np.array([0, 0, 0, *force, 0])
    close(two.inverse_dynamics(TWO_Q, TWO_QD, TWO_QDD, wrenches={"tip": wrench}), [0, 0], 1e-7)


def test_equation_23(two: lg.Dynamics) -> None:
    """C_x = J^-T (C q' - M J^-1 J' q'): the bracket that the print lacks. And tau = J^T F."""
    x, (J, rate) = two.cartesian(TWO_Q, TWO_QD, "tip", ("x", "y")), tip(two)
    inverse, M, G = np.linalg.inv(J), two.mass_matrix(TWO_Q), two.gravity(TWO_Q)
    C = two.coriolis_matrix(TWO_Q, TWO_QD) @ TWO_QD
    close(x.M_x, inverse.T @ M @ inverse, 1e-12)
    close(x.C_x, inverse.T @ (C - M @ inverse @ rate @ TWO_QD))
    close(x.G_x, inverse.T @ G, 1e-12)
    force = x.M_x @ (J @ TWO_QDD + rate @ TWO_QD) + x.C_x + x.G_x
    close(J.T @ force, two.inverse_dynamics(TWO_Q, TWO_QD, TWO_QDD))
