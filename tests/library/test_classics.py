"""Mechanisms of the library against what is known of them: closed forms, published numbers, reference motions."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

import lagrangian as lg

DATA = Path(__file__).parents[1] / "data"


def values(mechanism: lg.Mechanism) -> dict[str, float]:
    return {name: float(x) for name, x in mechanism.parameters.items()}


def path(motion: lg.Motion, frame: str) -> np.ndarray:
    return np.array(lg.compile(motion.mechanism).pose(motion.q, frame)[..., :3, 3])


def reference(name: str) -> dict:
    return json.loads((DATA / f"{name}.json").read_text())["reference"]


# -- pendulums and free bodies ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "n"), [("double_pendulum", 2), ("chain", 10)])
def test_chains_follow_their_reference(name: str, n: int) -> None:
    """Its angles are from the vertical."""
    rows = reference("free_body_and_chains")["chains"][f"chain_{n}"]
    times = [float(t) for t in rows]
    motion = lg.simulate(lg.library(name), times[-1], rtol=1e-12, atol=1e-13, t_eval=times)
    np.testing.assert_allclose(np.cumsum(motion.q, axis=1), [row["theta"] for row in rows.values()], rtol=0, atol=2e-11)
    np.testing.assert_allclose(np.cumsum(motion.qd, axis=1), [row["omega"] for row in rows.values()], rtol=0, atol=2e-11)


def test_the_free_plate_turns_over() -> None:
    """The rates are Jacobi's elliptic functions; the angular momentum stays, in the world's axes."""
    mechanism = lg.library("free_body")
    rows = reference("free_body_and_chains")["dzhanibekov"]
    times = [float(t) for t in rows if t != "period"]
    motion = lg.simulate(mechanism, times[-1], rtol=1e-11, atol=1e-13, t_eval=times)
    np.testing.assert_allclose(motion.qd[:, :3], [[float(x) for x in rows[t]] for t in rows if t != "period"], rtol=0, atol=1e-9)
    R = lg.compile(mechanism).pose(motion.q, "plate")[:, :3, :3]
    momentum = np.einsum("nij,nj->ni", R, motion.qd[:, :3] * [1, 2, 3])
    np.testing.assert_allclose(momentum, np.tile(momentum[0], (len(times), 1)), rtol=0, atol=1e-10)
    assert "27.53 s" in mechanism.description  # half a period
    assert float(rows["period"]) / 2 == pytest.approx(27.53, abs=5e-3)


def test_the_plate_has_the_moments_of_a_plate() -> None:
    p = values(lg.library("free_body"))
    assert p["m"] / 12 * p["b"] ** 2 == pytest.approx(1)
    assert p["m"] / 12 * p["a"] ** 2 == pytest.approx(2)


def test_what_the_heavy_top_keeps() -> None:
    mechanism = lg.library("heavy_top")
    p, motion = values(mechanism), lg.simulate(mechanism, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(motion.qd[:, 1], p["w"], rtol=1e-9)
    R = lg.compile(mechanism).pose(motion.q, "top")[:, :3, :3]
    across = p["A"] + p["m"] * p["h"] ** 2
    vertical = np.einsum("ni,ni->n", R[:, 2], motion.qd * [across, p["C"], across])
    np.testing.assert_allclose(vertical, vertical[0], rtol=2e-9)


def test_the_acrobot_swings_up() -> None:
    """By its elbow alone: it comes to stand higher than the bar by more than its upper link, from below."""
    motion = lg.simulate(lg.library("acrobot"))
    tip = path(motion, "tip")[:, 1]
    assert tip[0] < -2
    assert tip.max() > 2
    assert np.abs(motion.q[:, 1]).max() < 0.8 * math.pi / 2
    assert not motion.tau[:, 0].any()


def test_the_acrobot_obeys_spongs_equations() -> None:
    """d11 q1'' + d12 q2'' + h1 + phi1 = 0 and d12 q1'' + d22 q2'' + h2 + phi2 = tau, with the terms of Spong (1995)."""
    mechanism = lg.library("acrobot")
    p, motion = values(mechanism), lg.simulate(mechanism)
    l1, lc1, lc2, m1, m2, I1, I2, g = (p[name] for name in ("l1", "lc1", "lc2", "m1", "m2", "I1", "I2", "g"))
    (q1, q2), (qd1, qd2), (qdd1, qdd2) = motion.q.T, motion.qd.T, motion.qdd.T
    d11 = m1 * lc1**2 + m2 * (l1**2 + lc2**2 + 2 * l1 * lc2 * np.cos(q2)) + I1 + I2
    d12, d22 = m2 * (lc2**2 + l1 * lc2 * np.cos(q2)) + I2, m2 * lc2**2 + I2
    h1 = -m2 * l1 * lc2 * np.sin(q2) * (qd2**2 + 2 * qd1 * qd2)
    h2 = m2 * l1 * lc2 * np.sin(q2) * qd1**2
    phi2 = m2 * lc2 * g * np.cos(q1 + q2)
    phi1 = (m1 * lc1 + m2 * l1) * g * np.cos(q1) + phi2
    tau = p["k"] * (p["alpha"] * np.arctan(qd1) - q2) - p["c"] * qd2
    np.testing.assert_allclose(d11 * qdd1 + d12 * qdd2 + h1 + phi1, 0, atol=1e-12)
    np.testing.assert_allclose(d12 * qdd1 + d22 * qdd2 + h2 + phi2, tau, rtol=0, atol=1e-12)


def test_the_crane_lifts_its_load() -> None:
    mechanism = lg.library("gantry_crane")
    p, motion = values(mechanism), lg.simulate(mechanism)
    np.testing.assert_allclose(motion.q[:, 4], p["l0"] - p["v"] * motion.t, atol=0.08)
    x = path(motion, "hook")
    drop = motion.q[:, 4] * np.cos(motion.q[:, 2]) * np.cos(motion.q[:, 3])
    np.testing.assert_allclose(x[:, 2], p["h"] - drop, atol=1e-12)
    assert np.abs(motion.q[:, 2:4]).max(axis=0) == pytest.approx([0.3, 0.3], abs=0.25)


def test_the_crane_obeys_newton() -> None:
    """Along x and y, drives and friction alone change the momentum; along the rope, the hoist and gravity alone move the load."""
    mechanism = lg.library("gantry_crane")
    p, motion = values(mechanism), lg.simulate(mechanism, rtol=1e-10, atol=1e-12)
    (x, y, a, b, l), (xd, yd, ad, bd, ld), (xdd, ydd, _, _, ldd) = motion.q.T, motion.qd.T, motion.qdd.T
    rope = np.stack([-np.sin(b), np.cos(b) * np.sin(a), -np.cos(b) * np.cos(a)])  # its direction, down to the load
    load_x = xd + ld * rope[0] - l * np.cos(b) * bd
    load_y = yd + ld * rope[1] - l * np.sin(b) * np.sin(a) * bd - l * rope[2] * ad
    for q, momentum, start in (
        (x, (p["mb"] + p["mt"]) * xd + p["ml"] * load_x, 0.0),
        (y, p["mt"] * yd + p["ml"] * load_y, p["T"]),
    ):
        push = [_half_sines(p, t - start) - _half_sines(p, -start) for t in (2.4, 8.0)]
        rows = np.searchsorted(motion.t, (2.4, 8.0))
        np.testing.assert_allclose(momentum[rows] + p["c"] * q[rows], push, rtol=0, atol=1e-8)
    along = ldd - l * (ad**2 * np.cos(b) ** 2 + bd**2) + xdd * rope[0] + ydd * rope[1]
    np.testing.assert_allclose(p["ml"] * (along + p["g"] * rope[2]), motion.tau[:, 4], rtol=0, atol=1e-11)


def _half_sines(p: dict[str, float], until: float) -> float:
    """The impulse of a push and the braking after it, from long before to `until` after it began."""

    def force(t: float) -> float:
        return p["F"] * math.sin(math.pi * t / p["T"]) * (math.tanh(50 * t) - math.tanh(50 * (t - 2 * p["T"]))) / 2

    turns = [t for t in (-0.5, 0.0, 0.5, 1.5, 2.0, 2.5) if t < until]
    return float(quad(force, -1.0, until, points=turns or None, epsabs=1e-12, limit=400)[0])


# -- linkages --------------------------------------------------------------------------------------------------------------


def test_peaucellier_draws_a_straight_line() -> None:
    mechanism = lg.library("peaucellier")
    p, motion = values(mechanism), lg.simulate(mechanism)
    P = path(motion, "P")
    np.testing.assert_allclose(P[:, 0], (p["a"] ** 2 - p["b"] ** 2) / (2 * p["c"]), atol=1e-12)
    assert np.ptp(P[:, 1]) > 0.5


def test_jansens_leg_walks() -> None:
    """The crank goes round; on the ground the foot is level to a hundredth of its step, and it is lifted back."""
    mechanism = lg.library("jansen")
    motion = lg.simulate(mechanism)
    theta, foot = motion.q[:, 0], path(motion, "foot")
    assert theta[-1] > 4 * math.pi
    turn = foot[(theta > 2 * math.pi) & (theta < 4 * math.pi)]
    low = turn[turn[:, 1] < turn[:, 1].min() + 0.01]
    assert np.ptp(low[:, 0]) > 0.45
    assert np.ptp(turn[:, 1]) == pytest.approx(0.22, abs=0.02)
    # every rod keeps its length
    p = values(mechanism)
    for rod, length in (("upper", "d"), ("leg", "i")):
        x, y = p["dx" if rod == "upper" else "ix"], p["dy" if rod == "upper" else "iy"]
        assert math.hypot(x, y) == pytest.approx(p[length])
    assert math.hypot(p["dx"] - p["b"], p["dy"]) == pytest.approx(p["e"])
    assert math.hypot(p["ix"] - p["g"], p["iy"]) == pytest.approx(p["h"])
    np.testing.assert_allclose(foot[:, :2], _jansens_foot(p, theta), rtol=0, atol=1e-12)


def _meeting(P: np.ndarray, r: float, Q: np.ndarray, s: float, side: int) -> np.ndarray:
    """Where the circle of radius r about P meets that of radius s about Q: to the left of PQ, or to the right."""
    distance = np.linalg.norm(Q - P, axis=1, keepdims=True)
    u = (Q - P) / distance
    along = (distance**2 + r**2 - s**2) / (2 * distance)
    return P + along * u + side * np.sqrt(r**2 - along**2) * np.stack([-u[:, 1], u[:, 0]], axis=1)


def _jansens_foot(p: dict[str, float], theta: np.ndarray) -> np.ndarray:
    """By compass, from Jansen's thirteen lengths."""
    left, right = 1, -1
    pin = p["m"] * np.stack([np.cos(theta), np.sin(theta)], axis=1)
    pivot = np.tile([-p["a"], -p["l"]], (len(theta), 1))
    shoulder = _meeting(pin, p["j"], pivot, p["b"], right)
    knee = _meeting(pin, p["k"], pivot, p["c"], left)
    corner = _meeting(pivot, p["d"], shoulder, p["e"], left)
    hip = _meeting(corner, p["f"], knee, p["g"], right)
    return _meeting(knee, p["i"], hip, p["h"], left)


def test_andrews_squeezer_against_the_published_solution() -> None:
    """At 30 ms, from the test set for initial value problem solvers (Mazzia and Magherini)."""
    published = {
        "beta": 15.81077119629904,
        "theta": -15.75637105984298,
        "gamma": 0.04082224013073101,
        "phi": -0.5347301163226948,
        "delta": 0.5244099658805304,
        "omega": 0.5347301163226948,
        "epsilon": 1.048080741042263,
    }
    motion = lg.simulate(lg.library("andrews_squeezer"), rtol=1e-11, atol=1e-13)
    entries = dict(zip(motion.coordinate_names, motion.q[-1], strict=True))
    assert entries == pytest.approx(published, abs=5e-9)


def test_the_spatial_slider_crank_closes() -> None:
    """The slider is a rod's length from the pin throughout, and two turns on it is where it was."""
    mechanism = lg.library("spatial_slider_crank")
    p, motion = values(mechanism), lg.simulate(mechanism)
    slider = np.stack([motion.q[:, 1], *np.zeros((2, len(motion.t)))], axis=1)
    np.testing.assert_allclose(np.linalg.norm(path(motion, "pin") - slider, axis=1), p["l"], atol=1e-12)
    theta = motion.q[:, 0]
    y, z = p["y0"] - p["r"] * np.sin(theta), p["z0"] + p["r"] * np.cos(theta)
    np.testing.assert_allclose(motion.q[:, 1], np.sqrt(p["l"] ** 2 - y**2 - z**2), atol=1e-12)
    assert theta[-1] > 4 * math.pi


def test_the_governors_steady_angle() -> None:
    """With the rods stretched by what they carry, nothing accelerates at the rate that the description gives."""
    mechanism = lg.library("flyball_governor")
    p, theta = values(mechanism), 0.7
    l, s, c = p["l"], math.sin(theta), math.cos(theta)

    def lean(rod: float) -> float:
        return math.asin(l * s / rod)

    # the rods, stretched, carry the sleeve; about the hinge, they and gravity balance the centrifugal force
    rod = brentq(lambda r: 2 * p["k"] * (r - l) * math.cos(lean(r)) - p["ms"] * p["g"], l, 1.01 * l, xtol=1e-15)
    weights = p["g"] * s * (p["mb"] + p["mr"] / 2) + p["k"] * (rod - l) * math.sin(theta + lean(rod))
    w = math.sqrt(weights / (l * s * c * (p["mb"] + p["mr"] / 3)))
    described = math.sqrt(p["g"] * (p["mb"] + p["mr"] / 2 + p["ms"]) / (l * c * (p["mb"] + p["mr"] / 3)))
    assert w == pytest.approx(described, rel=1e-4)  # which leaves the stretch out
    q = np.array([0, theta, theta, p["h"] - l * c - rod * math.cos(lean(rod))])
    dyn = lg.compile(mechanism)
    qdd = dyn.forward_dynamics(q, np.array([w, 0, 0, 0]), np.zeros(4))
    np.testing.assert_allclose(qdd, 0, atol=1e-9)
    assert np.abs(dyn.forward_dynamics(q, np.array([1.1 * w, 0, 0, 0]), np.zeros(4))).max() > 1


# -- rolling ---------------------------------------------------------------------------------------------------------------


def test_the_disc_rolls_steadily_round_a_circle() -> None:
    """Without the nodding its lean stays, and its middle goes round at the rate p about the vertical."""
    mechanism = lg.library("rolling_disc", parameters={"n": 0})
    p, motion = values(mechanism), lg.simulate(mechanism, rtol=1e-10, atol=1e-12)
    x = path(motion, "center")
    np.testing.assert_allclose(x[:, 2], p["r"] * math.cos(p["a"]), rtol=0, atol=1e-11)
    radius = -p["r"] * p["w"] / p["p"]
    middle = np.array([0, -radius])
    np.testing.assert_allclose(np.linalg.norm(x[:, :2] - middle, axis=1), radius, rtol=0, atol=1e-10)
    angle = np.unwrap(np.arctan2(*(x[:, :2] - middle).T[::-1]))
    np.testing.assert_allclose(angle - angle[0], p["p"] * motion.t, rtol=0, atol=1e-9)


def test_the_disc_stays_on_the_plane() -> None:
    """Its lowest point, along the projection of the plane's normal onto the disc."""
    mechanism = lg.library("rolling_disc")
    motion = lg.simulate(mechanism)
    T = lg.compile(mechanism).pose(motion.q, "disc")
    height = values(mechanism)["r"] * np.sqrt(1 - T[:, 2, 1] ** 2)
    np.testing.assert_allclose(T[:, 2, 3], height, atol=1e-12)
    assert np.ptp(height) > 0.005


def test_the_bicycle_at_rest() -> None:
    """Its published rates: it falls over, and the front end flops."""
    at_rest = lg.linearise(lg.library("bicycle"), q="upright", qd=np.zeros(9))
    rates = np.linalg.eigvals(at_rest.A)
    for published in (3.13164324790656, 5.53094371765393):
        for sign in (1, -1):
            assert np.abs(rates - sign * published).min() < 1e-12


def test_the_bicycle_obeys_the_published_equations() -> None:
    """M q'' + v C1 q' + (g K0 + v^2 K2) q = 0 of lean and steer (Meijaard et al. 2007), for a small push at 5 m/s."""
    M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
    K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
    K2 = np.array([[0, 76.59734589573222], [0, 2.65431523794604]])
    C1 = np.array([[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
    v = 5.0
    mechanism = lg.library("bicycle", parameters={"v0": v, "p0": 1e-4})
    motion = lg.simulate(mechanism, 1.0, rtol=1e-12, atol=1e-14)
    lean = np.arcsin(lg.compile(mechanism).pose(motion.q, "frame")[:, 2, 1])
    steer = -motion.q[:, mechanism.coordinate_names.index("steer")]  # the benchmark's is positive to the right
    k = mechanism.speed_names.index("steer")
    q = np.array([lean, steer])
    qd = np.array([motion.qd[:, 0], -motion.qd[:, k]])
    qdd = np.array([motion.qdd[:, 0], -motion.qdd[:, k]])
    terms = [M @ qdd, v * C1 @ qd, (9.81 * K0 + v**2 * K2) @ q]
    for row in range(2):
        assert np.abs(sum(terms)[row]).max() < 5e-9 * max(np.abs(term[row]).max() for term in terms)


@pytest.mark.slow
def test_the_snake_glides_forwards() -> None:
    """No force acts along the ground but that of its wheels, across them: none of them slips, and it gets on."""
    mechanism = lg.library("snake_chain")
    motion = lg.simulate(mechanism, 4.0)
    assert motion.q[-1, 0] > 1.0
    dyn = lg.compile(mechanism)
    for i in (1, 5, 11):
        J = dyn.jacobian(motion.q, f"link{i}")
        velocity = np.einsum("nij,nj->ni", J[:, 3:], motion.qd)
        across = dyn.pose(motion.q, f"link{i}")[:, :3, 1]
        np.testing.assert_allclose(np.einsum("ni,ni->n", velocity, across), 0, atol=1e-9)
