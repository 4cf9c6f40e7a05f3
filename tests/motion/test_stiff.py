"""The method for stiff systems: its order, its exact Jacobian, what it is for, and when it is chosen."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lagrangian as lg
from lagrangian.kernels.kernel import Kernel
from lagrangian.motion import torque as torque_of
from lagrangian.motion.settings import Stabilisation
from lagrangian.motion.system.holdable import frictional
from lagrangian.motion.system.programs import Programs, program
from lagrangian.motion.system.system import System
from tests.mechanisms import random_mechanism, state
from tests.motion.machines import chain, pendulum


@pytest.fixture(scope="module")
def governor() -> lg.Mechanism:
    return lg.library("flyball_governor")


def elastic(stiffness: float, damping: float) -> lg.Mechanism:
    """A point mass in the vertical plane, hung from the origin by a spring of 1 m and its damper: almost a pendulum."""
    bodies = [lg.Body("along"), lg.Body("bob", 1.0)]
    joints = [
        lg.Joint("x", "prismatic", "ground", "along", axis=(1, 0, 0)),
        lg.Joint("y", "prismatic", "along", "bob", axis=(0, 1, 0)),
    ]
    spring = lg.PointSpring("rod", "ground", "bob", stiffness=stiffness, rest=1.0, damping=damping)
    return lg.Mechanism("elastic_pendulum", bodies, joints, springs=[spring], gravity=(0, -9.81, 0))


def radau(mechanism: lg.Mechanism, y0: np.ndarray, times: np.ndarray, rtol: float) -> np.ndarray:
    """States by SciPy, from the functions of the mechanism."""
    dyn = lg.compile(mechanism)
    n = mechanism.nv
    none = np.zeros(n)

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[n:], dyn.forward_dynamics(y[:n], y[n:], none)])

    def jacobian(t: float, y: np.ndarray) -> np.ndarray:
        byq, byqd, _ = dyn.forward_dynamics_derivatives(y[:n], y[n:], none)
        return np.block([[np.zeros((n, n)), np.eye(n)], [byq, byqd]])

    solution = solve_ivp(rates, (times[0], times[-1]), y0, "Radau", times, rtol=rtol, atol=1e-2 * rtol, jac=jacobian)
    assert solution.success
    return solution.y.T


def states(motion: lg.Motion) -> np.ndarray:
    return np.hstack([motion.q, motion.qd])


# -- order -----------------------------------------------------------------------------------------------------------


def in_steps(mechanism: lg.Mechanism, steps: int, end: float, **options: Any) -> np.ndarray:
    """The end of a run in equal steps: with so loose a tolerance every one is the longest allowed."""
    h = end / steps
    motion = lg.simulate(mechanism, end, method="rodas5p", rtol=0.9, atol=1e6, step=h, max_step=h, t_eval=2, **options)
    assert motion.statistics["accepted"] == steps
    return states(motion)[-1]


def ball_chain(n: int) -> lg.Mechanism:
    bodies = [lg.Body(f"b{i}", 1.0, (0, 0, -0.3), (0.03, 0.04, 0.02)) for i in range(n)]
    joints = [lg.Joint(f"j{i}", "ball", f"b{i - 1}" if i else "ground", f"b{i}", (0, 0, -0.6 if i else 0)) for i in range(n)]
    return lg.Mechanism("balls", bodies, joints)


def masses(n: int) -> lg.Mechanism:
    """On parallel rails, each tied to the next by a spring across them."""
    bodies = [lg.Body(f"m{i}", 1.0) for i in range(n)]
    joints = [lg.Joint(f"x{i}", "prismatic", "ground", f"m{i}", (0, 0.5 * i, 0), axis=(1, 0, 0)) for i in range(n)]
    springs = [lg.PointSpring(f"s{i}", f"m{i}", f"m{i + 1}", stiffness=30.0, rest=0.4, damping=0.5) for i in range(n - 1)]
    return lg.Mechanism("masses", bodies, joints, springs=springs)


CHAIN = {"q0": [0.5, 0.3], "qd0": [0.4, -0.2], "torque": {"a0": "2*sin(3*t)*cos(a1)", "a1": "t^2 - 0.5*qd_a1"}}
# each goes through another part of the linear algebra: halved or whole, inverted or by substitution
ORDERS: dict[str, tuple[Callable[[], lg.Mechanism], dict[str, Any], int]] = {
    "driven": (lambda: chain(2), CHAIN, 64),
    "many speeds": (lambda: masses(13), {"q0": 0.1 * np.cos(np.arange(13)), "torque": {"x5": "3*sin(2*t)"}}, 32),
    "quaternion": (lambda: ball_chain(1), {"qd0": [1, 2, 3], "torque": {"j0.wx": "0.3*sin(5*t)"}}, 64),
    "quaternions": (lambda: ball_chain(2), {"qd0": [1, 0.5, 0.3, -0.5, 1, 0.2]}, 64),
    "ggl": (lambda: lg.library("four_bar"), {"torque": {"theta1": "2*cos(4*t)"}, "stabilisation": "ggl"}, 128),
}


@pytest.mark.parametrize("name", ORDERS)
def test_errors_fall_with_the_fifth_order(name: str) -> None:
    make, options, steps = ORDERS[name]
    mechanism = make()
    exact = states(lg.simulate(mechanism, 1.0, method="dop853", rtol=1e-13, atol=1e-14, t_eval=2, **options))[-1]
    errors = [float(np.linalg.norm(in_steps(mechanism, n, 1.0, **options) - exact)) for n in (steps, 2 * steps)]
    assert errors[1] > 1e-12  # more than rounding is seen
    assert math.log2(errors[0] / errors[1]) == pytest.approx(5, abs=0.4)


# -- derivatives -----------------------------------------------------------------------------------------------------


def system_of(mechanism: lg.Mechanism, torque: Any, kind: str = "projection", friction: bool = False) -> System:
    dyn = lg.compile(mechanism)
    source = torque_of.source(torque, mechanism)
    holdable = frictional(mechanism) if friction else ()
    return System(mechanism, dyn.tree, source, Stabilisation(kind, 3.0, 4.0), holdable=holdable, redundant=bool(holdable))


def check_jacobian(system: System, y: np.ndarray, u: np.ndarray, t: float) -> None:
    """d rates / dy and d rates / dt against differences of order eight."""
    n, nq = system.size, system.nq
    first = nq if system.second_order else 0
    rows = n - first
    size = rows * n + rows
    result = Kernel(program(system, "jacobian", size, system.jacobian))(y[:nq], y[nq:], u, [t])
    rates = Programs(system).rates

    def f(z: np.ndarray) -> np.ndarray:
        return rates(z[:nq], z[nq:n], u, z[n:])[first:]

    z, h = np.append(y, t), 2e-3
    weights = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
    columns = [sum(w * (f(z + k * h * e) - f(z - k * h * e)) for k, w in enumerate(weights, 1)) / h for e in np.eye(len(z))]
    expected = np.stack(columns, axis=1)
    scale = max(1.0, float(np.abs(expected).max()))
    np.testing.assert_allclose(result[: rows * n].reshape(rows, n), expected[:, :n], rtol=0, atol=1e-9 * scale)
    np.testing.assert_allclose(result[rows * n :], expected[:, n], rtol=0, atol=1e-9 * scale)


TORQUE = {"a0": "2*sin(3*t)*cos(a1)*qd_a0", "a1": "exp(-t)*a0^2 - tanh(qd_a1)"}


@pytest.mark.parametrize("kind", ["projection", "baumgarte", "ggl"])
def test_jacobian_of_a_loop(kind: str) -> None:
    mechanism = lg.library("four_bar")
    system = system_of(mechanism, {"theta1": "sin(2*t)*phi2 - qd_theta1*t"}, kind)
    assert system.second_order == (kind != "ggl")
    y = np.array([*mechanism.initial.q, 0.7, -0.4, 0.9], dtype=float)
    y[:3] += np.array([0.02, -0.03, 0.01])  # off the constraints, as the stages of a step are
    check_jacobian(system, y, np.zeros(system.inputs.size), 0.6)


def test_jacobian_of_second_order() -> None:
    system = system_of(chain(2), TORQUE)
    assert system.second_order
    check_jacobian(system, np.array([0.5, -0.8, 0.7, 1.1]), np.zeros(system.inputs.size), 0.4)


def test_jacobian_with_quaternions() -> None:
    """By the coordinates as they stand, each for itself: the interpolants between them are not of length one either."""
    mechanism = random_mechanism(["free", "ball"], 2, passive=True)
    system = system_of(mechanism, {"j1.wx": "t*j1.w + j0.px^2"})
    assert not system.second_order
    q, qd, _, _ = state(mechanism, 1)
    check_jacobian(system, np.concatenate([q, qd]), np.zeros(system.inputs.size), 0.3)


@pytest.mark.parametrize("held", [0.0, 1.0])
def test_jacobian_with_held_joints(held: float) -> None:
    """Dry friction: a joint that sticks, or slips under a constant force; and torques from outside that grow."""
    mechanism = chain(2, friction=lg.Friction(viscous=0.2, coulomb=0.5))
    system = system_of(mechanism, (np.array([0.0, 1.0]), np.ones((2, 2))), friction=True)
    u = np.zeros(system.inputs.size)
    u[: 2 * system.nv + 1] = 0.3, -0.2, 1.5, 0.7, 0.1
    u[system.inputs.joint(0)] = u[system.inputs.joint(0) + 1] = held
    u[system.inputs.joint(1) + 4] = 0.5
    check_jacobian(system, np.array([0.5, -0.8, 0.0 if held else 0.4, 1.1]), u, 0.4)


# -- stiff problems --------------------------------------------------------------------------------------------------


def test_a_stiff_spring() -> None:
    """Against another implicit method, and against the pendulum it nearly is; with far fewer steps than stability would need."""
    mechanism = elastic(1e6, 2e5)
    y0 = np.array([math.sin(1.0), -math.cos(1.0), 0.0, 0.0])
    options = {"rtol": 1e-8, "atol": 1e-10, "t_eval": 31}
    motion = lg.simulate(mechanism, 1.5, y0[:2], y0[2:], method="rodas5p", **options)
    np.testing.assert_allclose(states(motion), radau(mechanism, y0, motion.t, 1e-9), rtol=0, atol=3e-6)
    explicit = lg.simulate(mechanism, 1.5, y0[:2], y0[2:], method="dop853", **options)
    np.testing.assert_allclose(states(motion), states(explicit), rtol=0, atol=3e-6)
    assert motion.statistics["accepted"] < explicit.statistics["accepted"] / 20
    rigid = lg.simulate(lg.library("pendulum"), 1.5, [1.0 - math.pi / 2], t_eval=31)
    angle = np.arctan2(motion.q[:, 1], motion.q[:, 0])
    # the rod is longer by at most (m g + m v^2/l)/k
    np.testing.assert_allclose(angle, rigid.q[:, 0], rtol=0, atol=1e-4)
    assert 1e-6 < np.abs(np.hypot(*motion.q.T) - 1).max() < 2.5e-5


def test_a_governor_keeps_its_energy_balance(governor: lg.Mechanism) -> None:
    y0 = np.array([*governor.initial.q, *governor.initial.qd], dtype=float)
    motion = lg.simulate(governor, 1.0, method="rodas5p", rtol=1e-8, atol=1e-10, t_eval=21)
    np.testing.assert_allclose(states(motion), radau(governor, y0, motion.t, 1e-9), rtol=0, atol=1e-6)
    np.testing.assert_allclose(motion.q[:, 1], motion.q[:, 2], rtol=0, atol=1e-9)
    assert np.abs(motion.energy_balance).max() < 1e-6 * motion.energy_scale


def stiff_loop() -> lg.Mechanism:
    """The four-bar with a rocker that turns in something like tar."""
    plain = lg.library("four_bar")
    joints = [replace(j, friction=lg.Friction(viscous=3e3)) if j.name == "phi3" else j for j in plain.joints]
    return lg.Mechanism("creeping", plain.bodies, joints, plain.loops, gravity=plain.gravity)


def test_closed_loops_with_projection() -> None:
    mechanism = stiff_loop()
    q0 = lg.library("four_bar").initial.q
    options = {"rtol": 1e-8, "atol": 1e-11, "t_eval": 21}
    motion = lg.simulate(mechanism, 2.0, q0, method="rodas5p", **options)
    explicit = lg.simulate(mechanism, 2.0, q0, method="dop853", **options)
    assert np.ptp(motion.q[:, 0]) > 1e-3  # it creeps
    np.testing.assert_allclose(states(motion), states(explicit), rtol=0, atol=1e-7)
    assert motion.statistics["drift_at_steps"] < 1e-13
    assert motion.drift.max() < 1e-13
    assert motion.rate_drift.max() < 1e-10
    assert motion.statistics["accepted"] < explicit.statistics["accepted"] / 10


def test_python_torques() -> None:
    """Of a Python function no derivative is known: steps become short, but what comes out is right."""
    options: dict[str, Any] = {"q0": [0.5, 0.3], "method": "rodas5p", "rtol": 1e-6, "atol": 1e-8, "t_eval": 5}
    with pytest.warns(lg.SimulationWarning, match="rodas5p needs the derivatives"):
        called = lg.simulate(chain(2), 0.5, torque=lambda t, q, qd: [2 * math.sin(3 * t) - 3 * q[0] - qd[0], 0], **options)
    compiled = lg.simulate(chain(2), 0.5, torque={"a0": "2*sin(3*t) - 3*a0 - qd_a0"}, **options)
    np.testing.assert_allclose(states(called), states(compiled), rtol=0, atol=2e-5)


# -- who notices -----------------------------------------------------------------------------------------------------


def test_auto_changes_to_it(governor: lg.Mechanism) -> None:
    motion = lg.simulate(governor, 10.0, rtol=1e-7, atol=1e-9, t_eval=21)
    assert motion.statistics["method"] == "Rodas5P"
    assert 0 < motion.statistics["stiff_since"] < 1
    chosen = lg.simulate(governor, 10.0, method="rodas5p", rtol=1e-7, atol=1e-9, t_eval=21)
    np.testing.assert_allclose(states(motion), states(chosen), rtol=0, atol=1e-6)
    # it is the same run at any time, before and after the change
    times = np.linspace(0, 3 * motion.statistics["stiff_since"], 50)
    np.testing.assert_allclose(motion(times)[0], chosen(times)[0], rtol=0, atol=1e-8)


def test_auto_changes_in_a_loop() -> None:
    motion = lg.simulate(stiff_loop(), 40.0, lg.library("four_bar").initial.q, rtol=1e-6, atol=1e-9, t_eval=21)
    assert motion.statistics["method"] == "Rodas5P"
    assert motion.drift.max() < 1e-13


@pytest.mark.parametrize("name", ["two_r", "four_bar", "furuta", "slider_crank", "geared_link"])
def test_auto_stays_explicit(name: str) -> None:
    """The library's mechanisms over their own time."""
    motion = lg.simulate(lg.library(name), t_eval=2)
    assert motion.success
    assert "stiff_since" not in motion.statistics
    assert motion.statistics["method"] == "DOP853"


def test_auto_does_not_change_for_the_last_few_steps(governor: lg.Mechanism) -> None:
    """Compiling the other method's code would take longer than these steps do."""
    motion = lg.simulate(governor, 0.5, rtol=1e-7, atol=1e-9, t_eval=11)
    assert motion.statistics["method"] == "DOP853"
    chosen = lg.simulate(governor, 0.5, method="rodas5p", rtol=1e-7, atol=1e-9, t_eval=11)
    np.testing.assert_allclose(states(motion), states(chosen), rtol=0, atol=1e-6)


def test_auto_changes_where_max_steps_would_not_do() -> None:
    """So few steps are not worth the other method's code, but for where even fewer are allowed."""
    flap = pendulum(friction=lg.Friction(viscous=300.0))
    explicit = lg.simulate(flap, 3.0, [1.0], t_eval=2)
    assert explicit.statistics["method"] == "DOP853"
    motion = lg.simulate(flap, 3.0, [1.0], t_eval=2, max_steps=explicit.statistics["accepted"] * 2 // 3)
    assert motion.success
    assert motion.statistics["method"] == "Rodas5P"
    np.testing.assert_allclose(states(motion), states(explicit), rtol=0, atol=1e-7)


def test_a_method_that_is_named_is_kept() -> None:
    motion = lg.simulate(pendulum(friction=lg.Friction(viscous=300.0)), 1.0, [1.0], method="dp5", rtol=1e-5, t_eval=2)
    assert motion.statistics["method"] == "Dormand-Prince 5(4)"
    assert "stiff_since" not in motion.statistics
    assert motion.statistics["accepted"] > 100


# -- another code ----------------------------------------------------------------------------------------------------


def test_second_opinion(governor: lg.Mechanism) -> None:
    pytest.importorskip("sksundae")
    for mechanism in (lg.library("two_r"), lg.library("four_bar"), governor):
        motion = lg.simulate(mechanism, 1.0, t_eval=11)
        assert motion.error_against(1e-10, 1e-12) < 1e-6


def test_second_opinion_sees_what_is_wrong() -> None:
    pytest.importorskip("sksundae")
    motion = lg.simulate(lg.library("two_r"), 1.0, t_eval=11)
    motion.qd[7, 1] += 1e-4
    assert motion.error_against(1e-10, 1e-12) == pytest.approx(1e-4, rel=1e-2)
