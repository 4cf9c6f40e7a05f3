"""Controllers of a frame: motion, impedance, force; against exact solutions, and against walls."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.control.impedance import damping_matrix
from lagrangian.control.reference import pose_error
from tests.control.test_control import heavier, second_order

TWO = lg.library("two_r")
DYN = lg.compile(TWO)
BENT = np.array([-0.4, 1.3])


def tip(motion: lg.Motion) -> np.ndarray:
    return DYN.pose(motion.q, "tip")[:, :2, 3]


# -- motion ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("zeta", [1.0, 0.5])
def test_error_dynamics_of_a_frame(zeta: float) -> None:
    """A straight line back to the set-point, each direction by its own linear equation: the analytic solution."""
    at = DYN.pose(BENT, "tip")[:2, 3]
    expected, w = at + np.array([0.15, -0.2]), np.array([6.0, 10.0])
    controller = lg.control.OperationalSpace(TWO, expected, frame="tip", frequency=w, damping=zeta)
    motion = lg.simulate(TWO, 0.8, q0=BENT, torque=controller, t_eval=41, rtol=1e-10)
    for k in range(2):
        exact = second_order(motion.t, expected[k] - at[k], w[k], zeta)
        np.testing.assert_allclose(expected[k] - tip(motion)[:, k], exact, atol=1e-8)


def test_orientation_error_dynamics() -> None:
    """About one axis the rotation vector obeys the linear equation too, however large it is."""
    arm = lg.library("three_r")
    dyn = lg.compile(arm)
    start = np.array([0.2, 0.9, 0.8])
    pose = dyn.pose(start, "tip")
    angle = -0.7
    turned = pose.copy()
    turned[:3, :3] = [[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]] @ pose[:3, :3]
    controller = lg.control.OperationalSpace(arm, turned, frame="tip", directions=("wz", "x", "y"), frequency=8.0)
    motion = lg.simulate(arm, 0.5, q0=start, torque=controller, t_eval=21, rtol=1e-10)
    errors = np.array([pose_error(turned, x) for x in dyn.pose(motion.q, "tip")])
    np.testing.assert_allclose(errors[:, 2], second_order(motion.t, angle, 8.0, 1.0), atol=1e-8)
    np.testing.assert_allclose(errors[:, [0, 1, 3, 4, 5]], 0, atol=1e-8)


def test_pose_error_takes_one_to_the_other() -> None:
    rng = np.random.default_rng(0)
    from lagrangian.model.rotation import quaternion

    for size in (1e-9, 0.3, 2.0, np.pi - 1e-9):
        w = rng.normal(size=3)
        w *= size / np.linalg.norm(w)
        R = quaternion.matrix(quaternion.exponential(rng.normal(size=3)))
        a, b = np.eye(4), np.eye(4)
        a[:3, :3], b[:3, :3] = R, quaternion.matrix(quaternion.exponential(w)) @ R
        np.testing.assert_allclose(pose_error(b, a)[:3], w, atol=1e-7 * size + 1e-15)


@pytest.mark.slow
def test_redundant_arm_with_posture() -> None:
    """Seven joints, six directions: the tool follows its path, the elbow goes where the posture draws it."""
    arm = lg.library("panda")
    dyn = lg.compile(arm)
    start = np.array([0.0, 0.3, 0.0, -1.8, 0.0, 2.0, 0.5])
    pose = dyn.pose(start, "tool")
    end = pose.copy()
    end[:3, 3] += [-0.1, -0.1, 0.1]
    path = lg.paths.line(pose, end, 0.4, frame="tool")
    posture = start + 0.6 * np.linalg.svd(dyn.jacobian(start, "tool"))[2][-1]
    left = []
    for value in (None, posture):
        controller = lg.control.OperationalSpace(arm, path, posture=value, posture_frequency=10.0)
        motion = lg.simulate(arm, 0.6, q0=start, torque=controller, t_eval=7, limits=False)
        np.testing.assert_allclose(dyn.pose(motion.q, "tool"), path(np.minimum(motion.t, 0.4))[0], atol=1e-8)
        q = motion.q[-1]
        consistent = np.eye(7) - dyn.cartesian(q, np.zeros(7), "tool").J_bar @ dyn.jacobian(q, "tool")
        left.append(np.abs(consistent @ (posture - q)).max())  # what the tool would let it move further
    assert left[0] > 0.1
    assert left[1] < 0.02


def test_platform_of_a_parallel_mechanism() -> None:
    arm = lg.library("three_rrr")
    path = lg.paths.line((0.05, 0.0), (0.0, 0.05), 0.4, frame="platform")
    controller = lg.control.OperationalSpace(arm, path)
    motion = lg.simulate(arm, 0.4, torque=controller, t_eval=11)
    np.testing.assert_allclose(motion.q[:, 6:8], path(motion.t)[0][:, :2, 3], atol=1e-8)
    assert not motion.tau[:, [1, 3, 5, 6, 7, 8]].any()


def test_puma_follows_a_line_with_wrong_masses_too() -> None:
    arm = lg.library("puma560")
    dyn = lg.compile(arm)
    start = np.array(arm.poses["qn"], dtype=float)
    pose = dyn.pose(start, "link6")
    end = pose.copy()
    end[:3, 3] += [0.1, 0.15, 0.1]
    path = lg.paths.line(pose, end, 0.5, frame="link6")

    def worst(model: lg.Mechanism, frequency: float) -> float:
        controller = lg.control.OperationalSpace(model, path, frequency=frequency).with_sampling(2e-3)
        motion = lg.simulate(arm, 0.5, q0=start, torque=controller, t_eval=26)
        return float(np.abs(dyn.pose(motion.q, "link6")[:, :3, 3] - path(motion.t)[0][:, :3, 3]).max())

    right, wrong, stiffer = worst(arm, 20.0), worst(heavier(arm, 1.2), 20.0), worst(heavier(arm, 1.2), 40.0)
    assert right < 2e-4
    assert wrong > 5 * right
    assert wrong / stiffer > 2.5


def test_out_of_reach() -> None:
    """A path that goes beyond the arm's reach: it stretches, says so, and stays tame."""
    path = lg.paths.line((1.4, 0.0), (2.2, 0.0), 1.0, frame="tip")
    bend = np.arccos(0.7)
    controller = lg.control.OperationalSpace(TWO, path, frequency=10.0)
    with pytest.warns(lg.SingularWarning, match=r"<OperationalSpace of 'two_r'>: 'tip' came near a singular configuration"):
        motion = lg.simulate(TWO, 1.5, q0=[-bend, 2 * bend], torque=controller.with_sampling(1e-3), t_eval=31)
    assert motion.success
    assert np.abs(motion.qd).max() < 60
    reach = np.linalg.norm(tip(motion), axis=1)
    assert reach[-1] > 1.9
    assert np.isfinite(motion.tau).all()


# -- impedance -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "stiffness", [*(pytest.param(k, marks=pytest.mark.slow) for k in (400.0, [300.0, 800.0])), [[500.0, 200.0], [200.0, 900.0]]]
)
def test_deflection_under_a_force(stiffness: Any) -> None:
    """A constant force moves the frame by K^-1 F."""
    K = np.asarray(stiffness) if np.ndim(stiffness) == 2 else np.diag(np.broadcast_to(stiffness, 2))
    at = DYN.pose(BENT, "tip")[:2, 3]
    controller = lg.control.Impedance(TWO, at, frame="tip", stiffness=stiffness)
    force = np.array([20.0, -35.0])
    motion = lg.simulate(TWO, 8.0, q0=BENT, torque=controller, wrenches={"tip": (0, 0, 0, *force, 0)}, t_eval=3)
    np.testing.assert_allclose(tip(motion)[-1] - at, np.linalg.solve(K, force), atol=1e-7)


def test_impedance_of_constant_masses() -> None:
    """A Cartesian arm's masses do not change: m e'' + d e' + k e = 0 of each direction, the analytic solution."""
    arm = lg.library("cartesian_pp")
    dyn = lg.compile(arm)
    start = np.array([0.3, 0.2])
    expected = dyn.pose(start, "link2")[:3, 3] + np.array([0, 0.1, -0.2])
    k = np.array([40.0, 90.0])
    controller = lg.control.Impedance(arm, expected, frame="link2", directions=("y", "z"), stiffness=k, damping=0.3)
    motion = lg.simulate(arm, 1.0, q0=start, torque=controller, t_eval=21)
    masses = np.diag(dyn.cartesian(start, np.zeros(2), "link2", ("y", "z")).M_x)
    actual = expected[1:] - dyn.pose(motion.q, "link2")[:, 1:3, 3]
    for j in range(2):
        exact = second_order(motion.t, actual[0, j], float(np.sqrt(k[j] / masses[j])), 0.3)
        np.testing.assert_allclose(actual[:, j], exact, atol=1e-8)


def test_every_mode_is_damped_alike() -> None:
    rng = np.random.default_rng(3)
    A, B = rng.normal(size=(2, 4, 4))
    M, K = A @ A.T + np.eye(4), 100 * (B @ B.T + np.eye(4))
    D = damping_matrix(M, K, 0.3)
    np.testing.assert_allclose(D, D.T, atol=1e-10)
    inverse = np.linalg.inv(M)
    poles = np.linalg.eigvals(np.block([[np.zeros((4, 4)), np.eye(4)], [-inverse @ K, -inverse @ D]]))
    np.testing.assert_allclose(-poles.real / np.abs(poles), 0.3, atol=1e-9)
    assert np.isfinite(damping_matrix(np.diag([1.0, 0.0]), np.eye(2), 1.0)).all()


def test_impedance_with_wrong_masses() -> None:
    """What gravity it does not know deflects the spring: K e = the missing weight along the directions."""
    wrong = heavier(TWO, 0.9)
    at = DYN.pose(BENT, "tip")[:2, 3]
    controller = lg.control.Impedance(wrong, at, frame="tip", stiffness=2000.0)
    motion = lg.simulate(TWO, 6.0, q0=BENT, torque=controller, t_eval=3)
    q = motion.q[-1]
    J = DYN.jacobian(q, "tip")[3:5]
    missing = np.linalg.solve(J.T, DYN.gravity(q) - lg.compile(wrong).gravity(q))
    np.testing.assert_allclose(2000 * (at - tip(motion)[-1]), missing, rtol=1e-5)


def test_impedance_follows_a_path() -> None:
    at = DYN.pose(BENT, "tip")[:2, 3]
    path = lg.paths.line(at, at + np.array([-0.3, 0.2]), 0.5, frame="tip")
    motion = lg.simulate(TWO, 0.5, q0=BENT, torque=lg.control.Impedance(TWO, path, stiffness=50.0), t_eval=11)
    np.testing.assert_allclose(tip(motion), path(motion.t)[0][:, :2, 3], atol=1e-8)


# -- force -----------------------------------------------------------------------------------------------------------

TOUCHING = np.array([-0.4, 1.3])
X = float(DYN.pose(TOUCHING, "tip")[0, 3])
Y = float(DYN.pose(TOUCHING, "tip")[1, 3])
WALLED = TWO.replace(
    springs=(lg.Wall("wall", "link2", (1, 0, 0), position=(X, 0, 0), normal=(-1, 0, 0), stiffness=1e5, damping=1e5),)
)
PLANT = lg.compile(WALLED)


def contact_force(t: float, q: np.ndarray, qd: np.ndarray) -> float:
    """What the tip exerts on the wall, along x."""
    return float(PLANT.spring_forces(q, qd)[0])


def force_controller(model: lg.Mechanism, path: Any = (0.0, Y), **more: Any) -> Any:
    arguments = {"force": {"x": 10.0}, "measured": contact_force, "frame": "tip", "kv": 300.0} | more
    return lg.control.HybridForceMotion(model, path, directions=("y",), **arguments)


def test_holds_ten_newtons() -> None:
    """Against 1e5 N/m, from the moment of touch: 10 N, and at rest exactly so."""
    motion = lg.simulate(WALLED, 0.17, q0=TOUCHING, torque=force_controller(TWO), t_eval=18, method="dp5", rtol=1e-6)
    actual = PLANT.spring_forces(motion.q, motion.qd)[:, 0]
    np.testing.assert_allclose(actual[15:], 10, rtol=1e-7)


def test_presses_while_it_moves_along_the_wall() -> None:
    path = lg.paths.line((X, Y), (X, Y + 0.1), 0.4, frame="tip")
    motion = lg.simulate(WALLED, 0.6, q0=TOUCHING, torque=force_controller(TWO, path).with_sampling(1e-3), t_eval=61)
    actual = PLANT.spring_forces(motion.q, motion.qd)[:, 0]
    assert np.abs(actual[30:] - 10).max() < 0.1
    np.testing.assert_allclose(tip(motion)[-1, 1], Y + 0.1, atol=1e-4)


def test_force_with_wrong_masses() -> None:
    """Without an integral the force is off by the weight it does not know over 1 + kf; with one it is right within 1 %."""
    wrong = heavier(TWO, 1.1, "link2")
    motion = lg.simulate(WALLED, 1.0, q0=TOUCHING, torque=force_controller(wrong, kf=3.0).with_sampling(1e-3), t_eval=11)
    q = motion.q[-1]
    actual = contact_force(0.0, q, motion.qd[-1])
    x = DYN.cartesian(q, np.zeros(2), "tip", ("x", "y"))
    extra = x.J_bar.T @ (lg.compile(wrong).gravity(q) - DYN.gravity(q))
    # along y the spring of the motion takes it, which by the believed inertia acts along x too
    M_x = lg.compile(wrong).cartesian(q, np.zeros(2), "tip", ("x", "y")).M_x
    np.testing.assert_allclose(actual - 10, (extra[0] - M_x[0, 1] / M_x[1, 1] * extra[1]) / 4, rtol=1e-3)
    sampled = force_controller(wrong, kf=1.0, ki=30.0).with_sampling(1e-3, 2e-4)
    held = lg.simulate(WALLED, 0.8, q0=TOUCHING, torque=sampled, t_eval=[0.1, 0.8])
    assert abs(contact_force(0.0, held.q[-1], held.qd[-1]) - 10) < 0.1
    # a second run with the same controller begins anew
    again = lg.simulate(WALLED, 0.1, q0=TOUCHING, torque=sampled, t_eval=[0.1])
    np.testing.assert_allclose(again.q[0], held.q[0], rtol=1e-12)


def test_force_over_time_and_as_six_numbers() -> None:
    """A ramp of force; what is measured given as moment and force."""

    def six(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return np.array([0, 0, 0, contact_force(t, q, qd), 0, 0])

    controller = force_controller(TWO, force={"x": lambda t: 5.0 + 10.0 * t}, measured=six)
    motion = lg.simulate(WALLED, 0.5, q0=TOUCHING, torque=controller.with_sampling(1e-3), t_eval=11)
    assert abs(contact_force(0.0, motion.q[-1], motion.qd[-1]) - 10) < 0.2


def test_integral_needs_samples() -> None:
    controller = force_controller(TWO, ki=5.0)
    with pytest.raises(lg.SimulationError, match=r"controller\.with_sampling\(period\), or ki=0"):
        lg.simulate(WALLED, 0.1, q0=TOUCHING, torque=controller)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda c: c.OperationalSpace(TWO, (1.0, 0.5)), "the path does not name a frame"),
        (lambda c: c.OperationalSpace(TWO, (1.0, 0.5), frame="tipp"), "Did you mean 'tip'"),
        (lambda c: c.OperationalSpace(TWO, (1.0, 0.5), frame="tip", directions=("x", "z")), "the path leads x, y"),
        (lambda c: c.OperationalSpace(TWO, lg.paths.joint_line([0, 0], [1, 1], 1.0), frame="tip"), "needs a path of a frame"),
        (lambda c: c.OperationalSpace(TWO, "tip", frame="tip"), "a point"),
        (lambda c: c.OperationalSpace(TWO, (1.0, 0.5), frame="tip", posture=[0.0]), "posture has 1 coordinates; 2 are needed"),
        (lambda c: c.Impedance(TWO, (1.0, 0.5), frame="tip", stiffness=[[1, 2], [3, 4]]), "positive semidefinite matrix"),
        (lambda c: c.Impedance(TWO, (1.0, 0.5), frame="tip", stiffness=-3), "stiffness is -3"),
        (lambda c: c.HybridForceMotion(TWO, (1.0, 0.5), frame="tip", force=10.0), "a mapping of directions to newtons"),
        (lambda c: c.HybridForceMotion(TWO, (1.0, 0.5), frame="tip", force={"u": 10.0}), "no direction 'u'"),
        (
            lambda c: c.HybridForceMotion(TWO, (1.0, 0.5), frame="tip", force={"x": "ten"}),
            "a finite number, or a function of time",
        ),
        (lambda c: c.HybridForceMotion(TWO, (1.0, 0.5), frame="tip", force={"x": 1.0}, ki=1.0), "`measured`"),
        (lambda c: c.HybridForceMotion(TWO, (1.0, 0.5), frame="tip", force={"x": 1.0}, measured=3.0), "measured is 3.0"),
    ],
)
def test_bad_arguments(make: Any, message: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(lg.LagrangianError, match=message):
            make(lg.control)


def test_too_many_directions() -> None:
    controller = lg.control.OperationalSpace(TWO, np.eye(4), frame="tip")
    with pytest.raises(lg.ArgumentError, match=r"directions=\('x', 'y'\)"):
        controller(0.0, BENT, np.zeros(2))
