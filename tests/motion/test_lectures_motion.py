"""The lectures' examples that move, against what is known of their motion in closed form."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lagrangian as lg
from tests.motion.machines import G, energy_error, formula


def values(mechanism: lg.Mechanism) -> dict[str, float]:
    return {name: float(x) for name, x in mechanism.parameters.items()}


@pytest.fixture(autouse=True)
def _quiet() -> None:
    """None of these runs has anything to warn about."""
    warnings.simplefilter("error", lg.SimulationWarning)


# -- planar linkages and particles -----------------------------------------------------------------------------------


def test_geared_link() -> None:
    """(r^2 J_m + J_l) theta'' + M g l sin theta = r u: small swings about the angle that the torque holds."""
    mechanism = lg.library("geared_link")
    p = values(mechanism)
    inertia, weight = p["r"] ** 2 * p["J_m"] + p["J_l"], p["M"] * p["g"] * p["l"]
    torque, amplitude = 0.4 * weight, 1e-5
    rest = math.asin(torque / weight)
    motion = lg.simulate(mechanism, (0, 3), [rest + amplitude], [0], torque=[torque], rtol=1e-11, atol=1e-15)
    rate = math.sqrt(weight * math.cos(rest) / inertia)
    np.testing.assert_allclose(motion.q[:, 0] - rest, amplitude * np.cos(rate * motion.t), atol=2e-4 * amplitude)


def test_five_bar_decouples() -> None:
    """d11 q1'' + phi1 = tau1, d22 q2'' + phi2 = tau2: each driven link is a pendulum of its own."""
    mechanism = lg.library("five_bar")
    p = values(mechanism)
    assert p["m3"] * p["l2"] * p["lc3"] == pytest.approx(p["m4"] * p["l1"] * p["lc4"])
    d11 = p["m1"] * p["lc1"] ** 2 + p["m3"] * p["lc3"] ** 2 + p["m4"] * p["l1"] ** 2 + p["I1"] + p["I3"]
    d22 = p["m2"] * p["lc2"] ** 2 + p["m3"] * p["l2"] ** 2 + p["m4"] * p["lc4"] ** 2 + p["I2"] + p["I4"]
    g1 = p["g"] * (p["m1"] * p["lc1"] + p["m3"] * p["lc3"] + p["m4"] * p["l1"])
    g2 = p["g"] * (p["m2"] * p["lc2"] + p["m3"] * p["l2"] - p["m4"] * p["lc4"])
    tau = (0.7, -0.3)

    def rates(t: float, y: np.ndarray) -> list[float]:
        return [y[2], y[3], (tau[0] - g1 * math.cos(y[0])) / d11, (tau[1] - g2 * math.cos(y[1])) / d22]

    # until just before the links lie flat, where another branch begins
    motion = lg.simulate(mechanism, (0, 0.25), torque={"q1": tau[0], "q2": tau[1]}, rtol=1e-11, atol=1e-12, t_eval=41)
    start = [motion.q[0, 0], motion.q[0, 1], 0, 0]
    expected = solve_ivp(rates, (0, 0.25), start, "DOP853", motion.t, rtol=1e-12, atol=1e-13).y.T
    np.testing.assert_allclose(np.hstack([motion.q[:, :2], motion.qd[:, :2]]), expected, rtol=0, atol=1e-8)
    np.testing.assert_allclose(motion.q[:, 2], motion.q[:, 0] - motion.q[:, 1], atol=1e-12)  # it stays a parallelogram
    # the torque of one drive moves the other link by nothing
    other = lg.simulate(mechanism, (0, 0.25), torque={"q1": -2.0, "q2": tau[1]}, rtol=1e-11, atol=1e-12, t_eval=41)
    np.testing.assert_allclose(other.q[:, 1], motion.q[:, 1], rtol=0, atol=1e-9)
    assert np.abs(other.q[:, 0] - motion.q[:, 0]).max() > 0.05


def test_two_particles_on_a_wire() -> None:
    """The centre of mass flies a parabola, the wire turns at a constant rate, its tension is m1 m2/(m1 + m2) l w^2."""
    mechanism = lg.library("wire_particles")
    p = values(mechanism)
    m1, m2, l, w = p["m1"], p["m2"], p["l"], p["w"]
    motion = lg.simulate(mechanism, rtol=1e-11, atol=1e-12)
    q, t = motion.q, motion.t
    center = (m1 * q[:, :2] + m2 * q[:, 2:]) / (m1 + m2)
    parabola = np.array([m2 / (m1 + m2) * l + t, p["v"] * t - p["g"] * t**2 / 2]).T
    np.testing.assert_allclose(center, parabola, rtol=0, atol=1e-10)
    wire = l * np.array([np.cos(w * t), np.sin(w * t)]).T
    np.testing.assert_allclose(q[:, 2:] - q[:, :2], wire, rtol=0, atol=1e-9)
    # the force on particle 1 along the line from 2 to 1: a tension pulls the other way
    np.testing.assert_allclose(motion.multipliers[:, 0], -m1 * m2 / (m1 + m2) * l * w**2, rtol=1e-9)
    forces = motion.constraint_forces
    np.testing.assert_allclose(forces[:, :2], -forces[:, 2:], rtol=0, atol=1e-12)  # action and reaction
    np.testing.assert_allclose(np.linalg.norm(forces[:, :2], axis=1), np.abs(motion.multipliers[:, 0]), rtol=1e-12)


def test_mobile_robot_tends_to_a_circle() -> None:
    """Each wheel tends to tau/c, the robot to a circle of radius b/2 (tau_r + tau_l)/(tau_r - tau_l)."""
    mechanism = lg.library("differential_drive")
    p = values(mechanism)
    motion = lg.simulate(mechanism, (0, 400), rtol=1e-10, atol=1e-11)
    rates = np.array([p["tau_r"], p["tau_l"]]) / p["c"]
    np.testing.assert_allclose(motion.qd[-1, 3:], rates, rtol=1e-8)
    v = p["r"] * rates.sum() / 2
    w = p["r"] * (rates[0] - rates[1]) / p["b"]
    radius = p["b"] / 2 * (p["tau_r"] + p["tau_l"]) / (p["tau_r"] - p["tau_l"])
    assert v / w == pytest.approx(radius)
    late = motion.t > 380
    x, y, angle = motion.q[late, :3].T
    middle = np.array([x - radius * np.sin(angle), y + radius * np.cos(angle)]).T
    assert np.ptp(middle, axis=0).max() < 1e-7
    # how fast it starts: equal torques push m_eff v' = (tau_r + tau_l)/r
    mass = p["m"] + 2 * p["mw"] + 2 * p["Iw"] / p["r"] ** 2
    assert motion.qdd[0, 0] == pytest.approx((p["tau_r"] + p["tau_l"]) / p["r"] / mass, rel=1e-12)
    assert motion.rate_drift.max() < 1e-12
    assert energy_error(motion) < 1e-8


# -- rolling ---------------------------------------------------------------------------------------------------------

M, R = 3.0, 0.2
Z = np.array([0, 0, 1.0])


def sphere(gravity: tuple[float, float, float]) -> lg.Mechanism:
    body = lg.Body("sphere", M, (0, 0, 0), (0.4 * M * R**2,) * 3)
    return lg.Mechanism(
        "sphere",
        [body],
        [lg.Joint("free", "free", "ground", "sphere")],
        (),
        [lg.RollingConstraint("roll", "sphere", R)],
        gravity=gravity,
    )


def disc() -> lg.Mechanism:
    """Its axis is its own z."""
    body = lg.Body("disc", M, (0, 0, 0), (M * R**2 / 4, M * R**2 / 4, M * R**2 / 2))
    rolling = lg.RollingConstraint("roll", "disc", R, axis=(0, 0, 1))
    return lg.Mechanism("disc", [body], [lg.Joint("free", "free", "ground", "disc")], (), [rolling])


def leaning(lean: float, omega: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The state of a disc whose axis is tilted by `lean` from the vertical, rolling with angular velocity omega (world)."""
    turn = np.array([[1, 0, 0], [0, math.cos(lean), -math.sin(lean)], [0, math.sin(lean), math.cos(lean)]])
    up = turn @ np.array([0, 1.0, 0])  # in the disc's plane, from the contact to the centre
    q = np.array([math.cos(lean / 2), math.sin(lean / 2), 0, 0, 0, 0, R * math.sin(lean)])
    return q, np.concatenate([turn.T @ omega, turn.T @ np.cross(omega, R * up)])


def test_sphere_on_an_incline() -> None:
    """a = 5/7 g sin alpha, and friction 2/7 m g sin alpha, whichever way the sphere is turned."""
    slope = math.radians(20)
    down = G * math.sin(slope)
    start = [0.5, -0.5, 0.1, 0.7, 0, 0, R]
    motion = lg.simulate(sphere((down, 0, -G * math.cos(slope))), (0, 3), start, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(motion.q[:, 4], 5 / 14 * down * motion.t**2, rtol=0, atol=1e-9)
    np.testing.assert_allclose(motion.q[:, 5:], [[0, R]] * len(motion.t), atol=1e-12)
    force = [M * G * math.cos(slope), -2 / 7 * M * down, 0]
    np.testing.assert_allclose(motion.multipliers, [force] * len(motion.t), rtol=1e-8, atol=1e-8)
    assert np.ptp(motion.energy) < 1e-9 * motion.energy_scale
    assert motion.rate_drift.max() < 1e-13


def test_sphere_on_a_turntable() -> None:
    """It goes round in circles at 2/7 of the table's rate, wherever it is put (Neimark and Fufaev 1972)."""
    rate = 2.1
    table = lg.Body("table", 5.0, (0, 0, 0), (1, 1, 2))
    ball = lg.Body("ball", M, (0, 0, 0), (0.4 * M * R**2,) * 3)
    joints = [lg.Joint("turn", "revolute", "ground", "table"), lg.Joint("free", "free", "ground", "ball")]
    constraints = [
        lg.HolonomicConstraint("rate", formula(f"turn - {rate}*t", "turn")),
        lg.RollingConstraint("roll", "ball", R, on="table"),
    ]
    mechanism = lg.Mechanism("turntable", [table, ball], joints, (), constraints)
    q0 = [0, 1, 0, 0, 0, 0.4, 0.1, R]
    qd0 = lg.consistent_speeds(mechanism, q0, [rate, 0, 0, 0, 0.3, 0.2, 0])
    motion = lg.simulate(mechanism, (0, 10), q0, qd0, rtol=1e-11, atol=1e-12)
    circling = 2 / 7 * rate
    place, velocity = motion.q[:, 5:7], np.gradient(motion.q[:, 5:7], motion.t, axis=0, edge_order=2)
    middle = place[0] + np.array([-velocity[0, 1], velocity[0, 0]]) / circling
    turned = np.array([np.cos(circling * motion.t), np.sin(circling * motion.t)])
    away = place[0] - middle
    circle = middle + np.array([away[0] * turned[0] - away[1] * turned[1], away[0] * turned[1] + away[1] * turned[0]]).T
    np.testing.assert_allclose(place, circle, rtol=0, atol=1e-4)  # as well as differences give the first velocity
    # exactly: the acceleration is across the velocity, 2/7 of the rate times it
    speed = np.array([rotation(q) @ v for q, v in zip(motion.q[:, 1:5], motion.qd[:, 4:7], strict=True)])
    step = 1e-3
    ahead, behind = (motion(motion.t[1:-1] + sign * step) for sign in (1, -1))
    vectors = [np.array([rotation(a) @ b for a, b in zip(q[:, 1:5], v[:, 4:7], strict=True)]) for q, v in (ahead, behind)]
    acceleration = (vectors[0] - vectors[1]) / (2 * step)
    across = circling * np.cross(Z, speed[1:-1])
    np.testing.assert_allclose(acceleration, across, rtol=0, atol=1e-6)
    assert energy_error(motion) < 1e-9


def rotation(q: np.ndarray) -> np.ndarray:
    w, v = q[0], q[1:]
    skew = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * (w * skew + skew @ skew)


@pytest.fixture(scope="module")
def coin() -> lg.Dynamics:
    return lg.compile(disc())


def test_disc_rolls_straight(coin: lg.Dynamics) -> None:
    q0, qd0 = leaning(math.pi / 2, 7.0 * np.array([0, -1.0, 0]))
    motion = lg.simulate(coin, (0, 5), q0, qd0, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(motion.q[:, 4], -7.0 * R * motion.t, rtol=0, atol=1e-9)
    np.testing.assert_allclose(motion.q[:, 5:], [[0, R]] * len(motion.t), atol=1e-9)
    np.testing.assert_allclose(motion.multipliers, [[M * G, 0, 0]] * len(motion.t), atol=1e-8)
    assert np.ptp(motion.kinetic_energy) < 1e-8


def steady_spin(lean: float, precession: float) -> float:
    """The spin about its axis with which a thin disc precesses steadily.

    k m R^2 precession^2 sin cos + ... of the gyroscope about the contact: (6 spin + 5 precession cos) precession sin =
    -4 (g/R) cos, with the spin counted besides the precession (Milne 1948; here moments m R^2/2 and m R^2/4).
    """
    return (-4 * G / R * math.cos(lean) / (precession * math.sin(lean)) - 5 * precession * math.cos(lean)) / 6


@pytest.mark.parametrize(("lean", "precession"), [(60, 3.0), (75, -2.0), (30, 9.0)])
def test_disc_precesses_steadily(coin: lg.Dynamics, lean: float, precession: float) -> None:
    """With the spin that belongs to its lean and rate the disc goes round a circle for ever, and its lean stays."""
    tilt = math.radians(lean)
    axis = np.array([0, -math.sin(tilt), math.cos(tilt)])
    omega = precession * Z + steady_spin(tilt, precession) * axis
    q0, qd0 = leaning(tilt, omega)
    motion = lg.simulate(coin, (0, 3), q0, qd0, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(motion.q[:, 6], R * math.sin(tilt), rtol=0, atol=1e-8)
    velocity = rotation(q0[:4]) @ qd0[3:]
    middle = np.cross(Z, velocity)[:2] / precession
    away = -middle
    c, s = np.cos(precession * motion.t), np.sin(precession * motion.t)
    circle = middle + np.array([away[0] * c - away[1] * s, away[0] * s + away[1] * c]).T
    np.testing.assert_allclose(motion.q[:, 4:6], circle, rtol=0, atol=1e-7)
    # a little more spin, and it does not
    q0, qd0 = leaning(tilt, omega + 0.5 * axis)
    assert np.ptp(lg.simulate(coin, (0, 3), q0, qd0, t_eval=101).q[:, 6]) > 1e-3


def test_wobbling_disc_keeps_its_energy(coin: lg.Dynamics) -> None:
    q0, qd0 = leaning(math.radians(60), np.array([0.5, 6.0, -2.0]))
    motion = lg.simulate(coin, (0, 10), q0, qd0, rtol=1e-11, atol=1e-12)
    assert np.ptp(motion.q[:, 6]) > 0.01
    assert np.ptp(motion.energy) < 1e-9 * motion.energy_scale
    assert motion.drift.max() < 1e-14
    assert motion.rate_drift.max() < 1e-13


# -- parallel manipulators -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["stewart", "delta"])
def test_parallel_manipulators_move(name: str) -> None:
    """Under their drives, with friction: all work is accounted for, nothing drifts, constraint forces do no work."""
    motion = lg.simulate(lg.library(name), rtol=1e-10, atol=1e-12)
    assert motion.success
    assert np.ptp(motion.q, axis=0).max() > 0.05
    assert energy_error(motion) < 1e-9
    assert np.abs(motion.work["torque"]).max() > 0.1 * motion.energy_scale
    assert np.all(np.diff(motion.work["friction"].sum(axis=1)) <= 1e-12 * motion.energy_scale)
    assert motion.drift.max() < 1e-13
    assert motion.statistics["drift_at_steps"] < 1e-13
    assert motion.statistics["drift_between_steps"] < 1e-9
    power = np.einsum("sn,sn->s", motion.constraint_forces, motion.qd)
    assert np.abs(power).max() < 1e-12 * np.abs(motion.constraint_forces * motion.qd).max()
