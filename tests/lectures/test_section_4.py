"""Closed loops and other constraints, as MECHANICS.md lists them in section 4, and its rows 12 to 14 of worked examples.

Matrices come from the package one by one; what they give together is computed here by numpy from the lecture's formulas.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lagrangian as lg
from tests.mechanisms import advance
from tests.motion.machines import formula

PARALLEL = ["four_bar", "three_rrr", *(pytest.param(x, marks=pytest.mark.slow) for x in ("three_rpr", "delta", "stewart"))]


def consistent(dyn: lg.Dynamics, seed: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The configuration in which it begins, speeds that its constraints allow, and torques."""
    model, rng = dyn.mechanism, np.random.default_rng(seed)
    q = lg.assemble(dyn)
    return q, lg.consistent_speeds(dyn, q, rng.normal(size=model.nv)), rng.normal(size=model.nv)


def by_the_lecture(
    dyn: lg.Dynamics, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, t: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """lambda and q'' by (16), (17) of G27, or (19), (20) where phi depends on time."""
    M, psi = dyn.mass_matrix(q), dyn.constraint_jacobian(q, t)
    f = tau - dyn.coriolis_matrix(q, qd) @ qd - dyn.gravity(q) - dyn.friction(qd, q=q)
    bias = dyn.constraint_bias(q, qd, t)  # Psi' q', and phi'
    inverse = np.linalg.inv(M)
    multipliers = -np.linalg.solve(psi @ inverse @ psi.T, bias + psi @ inverse @ f)
    return multipliers, inverse @ (f + psi.T @ multipliers)


def close(actual: np.ndarray, expected: np.ndarray, tolerance: float = 1e-9) -> None:
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * max(1.0, float(np.abs(expected).max())))


# -- the statements ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PARALLEL)
def test_row_12_parallel_manipulators(name: str) -> None:
    """lambda = -(Psi M^-1 Psi^T)^-1 {Psi' q' + Psi M^-1 f}, M q'' = f + Psi^T lambda; Psi = d(eta)/dq = [K | K*]."""
    dyn = lg.compile(lg.library(name))
    q, qd, tau = consistent(dyn)
    multipliers, accelerations = by_the_lecture(dyn, q, qd, tau)
    close(dyn.multipliers(q, qd, tau), multipliers)
    close(dyn.forward_dynamics(q, qd, tau), accelerations)
    psi, step = dyn.constraint_jacobian(q), 1e-6
    after, before = (dyn.closure(advance(dyn.mechanism, q, qd, h)) for h in (step, -step))
    close((after - before) / (2 * step), psi @ qd, 1e-8)
    driven_or_not = [joint.actuated for joint in dyn.mechanism.joints for _ in range(joint.kind.nv)]
    passive = [k for k, driven in enumerate(driven_or_not) if not driven]
    if len(passive) == len(psi):  # K* is square: the passive speeds follow from the driven ones, phi' = -K*^-1 K theta'
        driven = [k for k in range(len(qd)) if k not in passive]
        close(-np.linalg.solve(psi[:, passive], psi[:, driven] @ qd[driven]), qd[passive])


def momentum(dyn: lg.Dynamics, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Of all bodies, linear."""
    total = np.zeros(3)
    for body in dyn.mechanism.bodies:
        twist, center = dyn.velocity(q, qd, body.name), dyn.pose(q, body.name)[:3, :3] @ np.array(body.center, dtype=float)
        total += float(body.mass) * (twist[3:] + np.cross(twist[:3], center))
    return total


def test_constraint_forces_do_no_work_and_size_bearings() -> None:
    """(Psi^T lambda)^T q' = 0; and what the bearings on the ground carry changes the momentum of the whole, as Newton has it."""
    dyn = lg.compile(lg.library("four_bar"))
    q, qd, tau = consistent(dyn)
    forces = dyn.constraint_jacobian(q).T @ dyn.multipliers(q, qd, tau)
    assert abs(forces @ qd) < 1e-10 * np.abs(forces).max()
    qdd, step = dyn.forward_dynamics(q, qd, tau), 1e-5
    after, before = (momentum(dyn, q + h * qd, qd + h * qdd) for h in (step, -step))
    mass = sum(float(body.mass) for body in dyn.mechanism.bodies)
    bearings = np.zeros(3)
    reactions = dyn.reactions(q, qd, qdd, multipliers=dyn.multipliers(q, qd, tau))
    for joint, wrench in zip(dyn.mechanism.joints, reactions, strict=True):
        if joint.parent == "ground":
            bearings += dyn.pose(q, joint.child)[:3, :3] @ wrench[3:]
    close(bearings, (after - before) / (2 * step) - mass * np.array(dyn.mechanism.gravity, dtype=float), 1e-7)


def test_pfaffian_constraints_carry_the_rate_of_phi() -> None:
    """phi(t) + Psi(q) q' = 0: the equations of motion and lambda have phi'(t), (19) and (20)."""
    robot = lg.library("differential_drive")
    led = lg.PfaffianConstraint("led", (("chassis.w", 1.0),), formula("-0.4*sin(3*t)", ""))
    dyn = lg.compile(robot.replace(constraints=[*robot.constraints, led]))
    p = {name: float(x) for name, x in robot.parameters.items()}
    t, angle, v = 0.3, 0.7, 0.6
    w = 0.4 * math.sin(3 * t)
    wheels = (v + p["b"] / 2 * w) / p["r"], (v - p["b"] / 2 * w) / p["r"]
    q, qd = np.array([0.2, -0.1, angle, 0.4, 0.5]), np.array([v * math.cos(angle), v * math.sin(angle), w, *wheels])
    tau = np.array([0.1, -0.2, 0.3, 0.4, -0.5])
    assert dyn.constraint_rate(q, qd, t) == pytest.approx(np.zeros(4), abs=1e-13)
    multipliers, accelerations = by_the_lecture(dyn, q, qd, tau, t)
    close(dyn.multipliers(q, qd, tau, t=t), multipliers)
    close(dyn.forward_dynamics(q, qd, tau, t=t), accelerations)
    assert accelerations[2] == pytest.approx(1.2 * math.cos(3 * t), rel=1e-12)  # -phi'


def test_row_13_mobile_robot() -> None:
    """Wheels that roll: -x' sin + y' cos = 0 across, x' cos + y' sin +- b/2 w = r times the wheel's rate along: no eta."""
    robot = lg.library("differential_drive")
    eom = lg.derive(robot)
    rows = [[str(eom.Psi[i, j]) for j in range(5)] for i in range(3)]
    assert rows == [["-s3", "c3", "0", "0", "0"], ["c3", "s3", "b/2", "-r", "0"], ["c3", "s3", "-b/2", "0", "-r"]]
    assert len(eom.closure) == 0
    dyn = lg.compile(robot)
    q = np.array([0.2, -0.1, 0.7, 0.4, 0.5])
    qd = lg.consistent_speeds(dyn, q, [0.3, 0.2, 0.5, 1.0, 2.0])
    tau = np.array([0, 0, 0, 0.4, -0.5])
    multipliers, accelerations = by_the_lecture(dyn, q, qd, tau)
    close(dyn.multipliers(q, qd, tau), multipliers)
    close(dyn.forward_dynamics(q, qd, tau), accelerations)


@pytest.mark.slow
@pytest.mark.parametrize("n", [500, 1000])
def test_row_14_chains_of_500_and_1000_links(n: int) -> None:
    """The recursions invert each other; gravity of a straight chain is a sum in closed form."""
    bodies = [lg.Body(f"b{k}", 1.0, (0.5, 0, 0), (0, 1 / 12, 1 / 12)) for k in range(n)]
    joints = [lg.Joint(f"j{k}", "revolute", f"b{k - 1}" if k else "ground", f"b{k}", (1.0 if k else 0.0, 0, 0)) for k in range(n)]
    dyn = lg.compile(lg.Mechanism("many", bodies, joints, gravity=(0, -9.81, 0)))
    k = np.arange(n)
    # the links from k on hang at (k' - k) + 1/2 of joint k
    expected = 9.81 * (n - k) ** 2 / 2
    np.testing.assert_allclose(dyn.gravity(np.zeros(n)), expected, rtol=1e-11)
    rng = np.random.default_rng(n)
    q, qd = rng.uniform(-0.1, 0.1, n), rng.uniform(-0.1, 0.1, n)
    qdd = rng.uniform(-1, 1, n)
    tau = dyn.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(dyn.forward_dynamics(q, qd, tau), qdd, rtol=0, atol=1e-5)


# -- simulation --------------------------------------------------------------------------------------------------------------


def test_first_order_form() -> None:
    """X' = g(X, tau) with X = (q, q'), given to another solver: the same motion."""
    dyn = lg.compile(lg.library("four_bar"))
    q, qd, tau = consistent(dyn)
    n = len(q)

    def g(t: float, x: np.ndarray) -> np.ndarray:
        return np.concatenate([x[n:], dyn.forward_dynamics(x[:n], x[n:], tau)])

    theirs = solve_ivp(g, (0, 0.5), np.concatenate([q, qd]), "RK45", rtol=1e-9, atol=1e-11)
    ours = lg.simulate(dyn, 0.5, q, qd, torque=tau, method="dp5", rtol=1e-9, atol=1e-11, limits=False)
    np.testing.assert_allclose(np.concatenate([ours.q[-1], ours.qd[-1]]), theirs.y[:, -1], rtol=0, atol=1e-6)


@pytest.mark.parametrize("method", ["dp5", "dop853", "rodas5p"])
def test_explicit_and_stiff_solvers_agree(method: str) -> None:
    """The lecture's ODE45 is dp5, an embedded pair; for its ODE15s and ODE23s stands rodas5p. All reach the same angle."""
    motion = lg.simulate(lg.library("deployable_four_bar"), 6, method=method, rtol=1e-9, atol=1e-11, t_eval=[0, 6])
    assert motion.q[-1, 0] == pytest.approx(0.6563498387857608, abs=2e-8)


def test_starting_at_a_singular_configuration_is_reported() -> None:
    """theta1 = phi1 = 0, from which the lecture cannot start: the links of the four-bar lie on each other."""
    with warnings.catch_warnings(record=True) as caught_warnings:
        warnings.simplefilter("always")
        try:
            motion = lg.simulate(lg.library("deployable_four_bar"), 1.0, [0.0, 0.0, 0.0], t_eval=3)
            texts = [motion.message, *(str(w.message) for w in caught_warnings)]
        except lg.LagrangianError as error:
            texts = [str(error)]
    assert any("singular" in text for text in texts)


@pytest.mark.parametrize(("action", "status"), [("stop", "stopped by event"), (lg.LockJoints("phi1", "phi2"), "finished")])
def test_running_into_the_lock_stops_or_locks_as_chosen(action: object, status: str) -> None:
    """The event has its time and configuration: links 2 and 3 in line."""
    motion = lg.simulate(lg.library("deployable_four_bar"), 13, events={"locked": action}, t_eval=[0, 13])
    assert motion.status.value == status
    event = next(e for e in motion.events if e.name == "locked")
    assert event.t == pytest.approx(12.282995609629952, abs=1e-6)
    theta1, phi1, phi2 = event.q
    assert math.sin(theta1 + phi2 - phi1) == pytest.approx(0, abs=1e-9)
    if status == "finished":
        assert np.abs(motion.qd[-1]).max() < 1e-12
