"""The symplectic integrator: order six, reversible, symplectic, and an energy that does not drift."""

from __future__ import annotations

import itertools
import math
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from tests.motion.machines import chain, pendulum

DYN = lg.compile(chain(2))


def run(q: Any, qd: Any, end: float, step: float, method: str = "symplectic", rows: Any = 2, **more: Any) -> lg.Motion:
    return lg.simulate(DYN, end, q, qd, method=method, step=step, t_eval=rows, **more)


def end_state(motion: lg.Motion) -> np.ndarray:
    return np.concatenate([motion.q[-1], motion.qd[-1]])


@pytest.mark.parametrize("torque", [None, {"a0": "2*sin(3*t)*cos(a1) - qd_a0", "a1": "t^2"}], ids=["free", "driven"])
def test_errors_fall_with_the_order_of_the_method(torque: Any) -> None:
    """Of the states at the end of steps; forces that depend on time and speeds do not spoil it."""
    start = ([0.5, 0.3], [0.4, -0.2])
    proven = lg.certify(chain(2), 2.0, *start, torque=torque, digits=16)
    errors = [np.linalg.norm(proven.error_bounds(run(*start, 2.0, 2.0 / n, torque=torque))) for n in (16, 32, 64)]
    orders = [math.log2(a / b) for a, b in itertools.pairwise(errors)]
    assert orders[-1] == pytest.approx(6, abs=0.3)
    assert errors[-1] > 1e-12  # it is not rounding that was measured


def test_between_steps() -> None:
    """The quintic between steps is good to its fifth order."""
    start = ([0.5, 0.3], [0.4, -0.2])
    errors = []
    for n in (32, 64):
        rows = (np.arange(n) + 0.4) / n * 2.0
        exact = lg.simulate(DYN, 2.0, *start, method="dop853", rtol=1e-14, atol=1e-15, max_step=0.02, t_eval=rows)
        motion = run(*start, 2.0, 2.0 / n, rows=rows)
        errors.append([np.abs(motion.q - exact.q).max(), np.abs(motion.qd - exact.qd).max()])
    assert np.all(np.log2(np.divide(*errors)) > 4.6)


@pytest.fixture(scope="module")
def long_runs() -> dict[str, np.ndarray]:
    """The energy of a double pendulum in regular motion, by both methods, over 100,000 steps."""
    results = {}
    for method in ("symplectic", "rk4"):
        motion = run([0.8, 0.3], [0, 0], 100_000 / 32, 1 / 32, method, rows=4001)
        assert motion.success
        assert motion.statistics["accepted"] == 100_000
        results[method] = (motion.energy - motion.energy[0]) / motion.energy_scale
    return results


def test_energy_stays_in_a_band(long_runs: dict[str, np.ndarray]) -> None:
    off = long_runs["symplectic"]
    parts = np.abs(off[1:]).reshape(10, -1).max(axis=1)
    assert 1e-9 < parts.max() < 1e-7
    assert parts[-1] < 2 * parts[0]
    # a straight line through it: over the whole run it rises by far less than the band is wide
    slope = np.polyfit(np.linspace(0, 1, len(off)), off, 1)[0]
    assert abs(slope) < 0.05 * np.ptp(off)


def test_energy_of_another_method_drifts(long_runs: dict[str, np.ndarray]) -> None:
    """So what stays is no matter of course."""
    off = long_runs["rk4"]
    parts = np.abs(off[1:]).reshape(10, -1).max(axis=1)
    assert parts[-1] > 5 * parts[0]
    slope = np.polyfit(np.linspace(0, 1, len(off)), off, 1)[0]
    assert abs(slope) > 0.9 * np.ptp(off)
    assert parts[-1] > 1e4 * np.abs(long_runs["symplectic"]).max()


def test_motion_is_reversible_to_rounding() -> None:
    """With the speeds turned round it goes back the way it came: to rounding, which the motion multiplies a little."""
    start = np.array([0.7, 0.4, 0.3, -0.5])
    there = end_state(run(start[:2], start[2:], 10.0, 0.05))
    assert np.abs(there - start).max() > 0.1
    back = end_state(run(there[:2], -there[2:], 10.0, 0.05))
    np.testing.assert_allclose([*back[:2], *-back[2:]], start, rtol=0, atol=1e-11)
    # a step of rk4 is not its own reverse
    there = end_state(run(start[:2], start[2:], 10.0, 0.05, "rk4"))
    back = end_state(run(there[:2], -there[2:], 10.0, 0.05, "rk4"))
    assert np.abs([*back[:2], *-back[2:]] - start).max() > 1e-7


def step_map(z: np.ndarray, h: float, method: str) -> np.ndarray:
    """One step in coordinates and momenta."""
    q, p = z[:2], z[2:]
    after = end_state(run(q, np.linalg.solve(DYN.mass_matrix(q), p), h, h, method))
    return np.concatenate([after[:2], DYN.mass_matrix(after[:2]) @ after[2:]])


def defect(z: np.ndarray, h: float, method: str) -> float:
    """S^T Omega S - Omega, with the Jacobian S of the step by differences of order eight."""
    weights, d = (4 / 5, -1 / 5, 4 / 105, -1 / 280), 5e-3
    columns = [
        sum(w * (step_map(z + k * d * e, h, method) - step_map(z - k * d * e, h, method)) for k, w in enumerate(weights, 1)) / d
        for e in np.eye(4)
    ]
    S = np.stack(columns, axis=1)
    omega = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.eye(2), np.zeros((2, 2))]])
    return float(np.abs(S.T @ omega @ S - omega).max())


def test_areas_in_phase_space_are_kept() -> None:
    """In every pair of directions areas are kept, in steps that are far from exact."""
    z = np.array([0.9, 0.6, 1.2, -0.3])
    h = 0.15
    q = z[:2]
    exact = lg.simulate(DYN, h, q, np.linalg.solve(DYN.mass_matrix(q), z[2:]), rtol=1e-13, atol=1e-14, t_eval=2)
    wrong = step_map(z, h, "symplectic")[:2] - exact.q[-1]
    assert np.abs(wrong).max() > 1e-8  # else any method would be symplectic
    assert defect(z, h, "symplectic") < 1e-9
    assert defect(z, h, "rk4") > 1e-6


# -- what it is not for ----------------------------------------------------------------------------------------------


def ball() -> lg.Mechanism:
    return lg.Mechanism("top", [lg.Body("b", 1.0, (0, 0, 0.1), (0.1, 0.1, 0.05))], [lg.Joint("j", "ball", "ground", "b")])


REFUSED = {
    "constraints": lambda: lg.library("four_bar"),
    "dry friction": lambda: pendulum(friction=lg.Friction(coulomb=0.1)),
    "dry friction one way": lambda: pendulum(friction=lg.Friction(coulomb_negative=0.1)),
    "ball": ball,
    "free": lambda: lg.Mechanism("body", [lg.Body("b", 1.0)], [lg.Joint("j", "free", "ground", "b")]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_mechanisms_that_it_cannot_integrate_are_refused(name: str) -> None:
    with pytest.raises(lg.ArgumentError, match=r"'symplectic' is for mechanisms without .*dop853 with projection"):
        lg.simulate(REFUSED[name](), 1.0, method="symplectic", step=0.01)


def test_what_holds_joints_is_refused() -> None:
    """Its equations of coordinates and momenta know no joint that is held, and ask no Python function."""
    message = "'symplectic' does not support joint limits, locks, or Python functions of torques or wrenches"
    limited = pendulum(limits=(0.2, 1.5))
    with pytest.raises(lg.ArgumentError, match=message):
        lg.simulate(limited, 1.0, [1.0], method="symplectic", step=0.01)
    with pytest.raises(lg.ArgumentError, match=message):
        run([0.5, 0.3], [0, 0], 1.0, 0.01, events=[lg.Event("t - 0.5", lg.LockJoints("a1"))])
    with pytest.raises(lg.ArgumentError, match=message):
        run([0.5, 0.3], [0, 0], 1.0, 0.01, torque=lambda t, q, qd: -q)
    free = lg.simulate(limited, 1.0, [1.0], method="symplectic", step=0.01, limits=False)
    assert free.q.min() < 0.2


def test_viscous_friction_and_other_torques() -> None:
    """What it does know: dampers, springs, expressions, traced functions, tables, and controllers at a fixed rate."""
    mechanism = chain(2, friction=lg.Friction(viscous=0.3), spring=lg.JointSpring(2.0, 0.1))
    T = np.linspace(0, 1, 11)
    for torque in (
        {"a0": "sin(t) - a1*qd_a0"},
        lg.Traced(lambda t, q, qd: [np.sin(t) - q[1] * qd[0], q[0]]),
        (T, np.stack([np.sin(T), np.cos(T)], axis=1)),
        lg.Sampled(lambda t, q, qd: -q, 0.1),
    ):
        fixed = lg.simulate(mechanism, 1.0, [0.5, 0.3], torque=torque, method="symplectic", step=0.01, t_eval=11)
        other = lg.simulate(mechanism, 1.0, [0.5, 0.3], torque=torque, rtol=1e-10, atol=1e-12, t_eval=11)
        np.testing.assert_allclose(fixed.q, other.q, rtol=0, atol=1e-9)
        np.testing.assert_allclose(fixed.qd, other.qd, rtol=0, atol=1e-8)
        np.testing.assert_allclose(fixed.work["friction"], other.work["friction"], rtol=0, atol=1e-8)


def test_a_step_is_needed() -> None:
    with pytest.raises(lg.ArgumentError, match=r"'symplectic' needs a fixed time step; give one, such as step=0\.001"):
        lg.simulate(DYN, 1.0, method="symplectic")


@pytest.mark.parametrize("step", [1.0, 3.0])
def test_a_step_too_long_is_reported(step: float) -> None:
    """Where the stages are not found by iteration nothing is made up."""
    with pytest.warns(lg.SimulationWarning, match=f"a step of {step:g} s is too long there"):
        motion = run([2.5, 0.9], [3.0, -4.0], 30.0, step)
    assert not motion.success
    assert motion.last < 30
    assert np.isfinite(motion.q).all()


def test_stages_are_found() -> None:
    """By an iteration whose changes do not fall at every turn, in steps that are long for the motion."""
    motion = run([0.5, 0.3], [0, 0], 5.0, 0.2)
    assert motion.success
    exact = lg.simulate(DYN, 5.0, [0.5, 0.3], rtol=1e-12, atol=1e-13, t_eval=2)
    np.testing.assert_allclose(end_state(motion), end_state(exact), rtol=0, atol=0.05)


def test_a_momentum_that_is_zero() -> None:
    """A cart without friction, at rest at first: its momentum stays zero, and what rounding makes of it does not count."""
    cart = lg.library("cart_pendulum")
    mechanism = lg.Mechanism("cart", cart.bodies, [replace(j, friction=lg.Friction()) for j in cart.joints], gravity=cart.gravity)
    motion = lg.simulate(mechanism, 5.0, [0, 1.0], method="symplectic", step=0.01, t_eval=51)
    assert motion.success
    dyn = lg.compile(mechanism)
    momenta = np.einsum("sij,sj->si", dyn.mass_matrix(motion.q), motion.qd)
    assert np.abs(momenta[:, 0]).max() < 1e-13
    assert np.abs(motion.energy_balance).max() < 1e-9 * motion.energy_scale


def test_the_last_step_is_cut() -> None:
    """The end is reached though it is no multiple of the step."""
    motion = run([0.5, 0.3], [0, 0], 1.003, 0.01)
    assert motion.statistics["accepted"] == 101
    exact = lg.simulate(DYN, 1.003, [0.5, 0.3], rtol=1e-12, atol=1e-13, t_eval=2)
    np.testing.assert_allclose(end_state(motion), end_state(exact), rtol=0, atol=1e-9)


def test_no_promise_is_broken() -> None:
    """A fixed step promises no accuracy: coarse ones give no warning of the balance."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motion = run([0.5, 0.3], [0, 0], 5.0, 0.2)
    assert motion.statistics["method"] == "Gauss 6"
