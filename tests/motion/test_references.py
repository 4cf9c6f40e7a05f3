"""Every reference problem that moves, within its stated tolerance; the 3-RRR's forces to 1e-11 of the largest."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.motion.result.accuracy import promised
from tests.motion.machines import G, chain, energy_error, formula, n_four_bar, particle, reference

TWO_R, DEPLOYABLE, A02 = reference("two_r"), reference("deployable_four_bar"), reference("n_four_bar_a02")
PROVEN = reference("two_r_proven")
A01, NONHOLONOMIC, FREE, RRR = (reference(name) for name in ("pendulum_a01", "nonholonomic", "free_body_and_chains", "three_rrr"))


def times(table: dict[str, Any]) -> list[str]:
    """The entries of a table that are times."""
    return [key for key in table if key.replace(".", "").isdigit()]


def numbers(row: list[Any]) -> np.ndarray:
    return np.array([float(x) for x in row])


# -- open chains -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "rtol"), [("dop853", 1e-12), ("verner9", 1e-13), ("dp5", 1e-12)])
def test_double_pendulum(method: str, rtol: float) -> None:
    table = TWO_R["reference"]["double_pendulum"]
    motion = lg.simulate(lg.library("two_r"), method=method, rtol=rtol, atol=rtol, t_eval=[float(k) for k in table])
    values = np.hstack([motion.q, motion.qd])
    np.testing.assert_allclose(values, list(table.values()), rtol=0, atol=TWO_R["tolerance"]["pendulum_10s"])
    np.testing.assert_allclose(motion.energy, TWO_R["reference"]["E0"], rtol=1e-11)
    proven = np.array([numbers(row) for row in PROVEN["states"].values()])
    assert np.abs(values[1:] - proven).max() < promised(rtol, motion.statistics["accepted"])


def test_pendulum_for_two_thousand_seconds() -> None:
    """844 periods; the file's own rows have six digits, the elliptic functions all."""
    table = A01["reference"]["exact_elliptic"]
    motion = lg.simulate(
        lg.library("pendulum"), (0, 2000), method="verner9", rtol=1e-14, atol=1e-14, t_eval=[float(k) for k in table]
    )
    values = np.hstack([np.cos(motion.q), np.sin(motion.q)])
    expected = np.array([numbers(row) for row in table.values()])
    assert np.abs(values - expected).max() < A01["tolerance"]["file_digits"]
    assert np.abs(values - expected).max() < 5e-9
    assert np.abs(values - expected)[:-2].max() < 2e-12  # until 10 s
    assert energy_error(motion) < 1e-11


@pytest.mark.parametrize("kind", ["ball", "free"])
def test_torque_free_body(kind: str) -> None:
    table = FREE["reference"]["dzhanibekov"]
    keys = times(table)
    body = lg.Body("body", 1.0, (0, 0, 0), tuple(FREE["parameters"]["dzhanibekov"]["I"]))
    mechanism = lg.Mechanism("body", [body], [lg.Joint("turn", kind, "ground", "body")], gravity=(0, 0, 0))
    qd0 = np.zeros(mechanism.nv)
    qd0[:3] = FREE["initial"]["dzhanibekov"]["omega"]
    t, expected = np.array([float(k) for k in keys]), [numbers(table[k]) for k in keys]
    errors = []
    for rtol in np.linspace(1e-12, 1.2e-12, 9):
        motion = lg.simulate(mechanism, (0, 50), qd0=qd0, method="verner9", rtol=rtol, atol=1e-14, t_eval=t)
        errors.append(np.abs(motion.qd[:, :3] - expected).max(axis=1))
    tolerance = FREE["tolerance"]["dzhanibekov"]
    assert np.max(errors, axis=0)[t <= 30].max() < 0.01 * tolerance
    # by the second turn over, roundings have been multiplied by a million, and one run in five is beyond the tolerance
    assert np.median(errors, axis=0).max() < tolerance
    assert np.max(errors) < 5 * tolerance
    assert np.abs(np.linalg.norm(motion.q[:, :4], axis=1) - 1).max() < 1e-15
    # angular momentum is constant in the world
    momentum = np.array([rotation(q) @ (np.array([1, 2, 3]) * w) for q, w in zip(motion.q[:, :4], motion.qd[:, :3], strict=True)])
    assert np.abs(momentum - momentum[0]).max() < 1e-11


def rotation(q: np.ndarray) -> np.ndarray:
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


@pytest.mark.parametrize("n", [1, 2, 3, 5, 10])
def test_chains_move_as_in_the_reference(n: int) -> None:
    table = FREE["reference"]["chains"][f"chain_{n}"]
    q0 = np.zeros(n)
    q0[0] = math.pi / 2
    motion = lg.simulate(chain(n), (0, 3), q0=q0, method="verner9", rtol=1e-13, atol=1e-13, t_eval=[float(k) for k in table])
    angles, rates = np.cumsum(motion.q, axis=1), np.cumsum(motion.qd, axis=1)
    tolerance = FREE["tolerance"]["chain"]
    np.testing.assert_allclose(angles, [row["theta"] for row in table.values()], rtol=0, atol=tolerance)
    np.testing.assert_allclose(rates, [row["omega"] for row in table.values()], rtol=0, atol=tolerance)


# -- closed loops ----------------------------------------------------------------------------------------------------

LINKAGE, TOLERANCE = DEPLOYABLE["reference"], DEPLOYABLE["tolerance"]
SAMPLES = LINKAGE["samples (theta1, coupler absolute, rocker, and their rates)"]
FORCES = LINKAGE["multipliers (force on link 2's end, world x and y)"]


def absolute(q: np.ndarray) -> list[float]:
    """Crank, coupler and rocker, as the reference has them: the coupler's angle, or its rate, from the world's axes."""
    theta1, phi1, phi2 = q
    return [theta1, theta1 + phi2, phi1]


def test_deployable_four_bar_is_that_of_the_reference() -> None:
    mechanism, data = lg.library("deployable_four_bar"), DEPLOYABLE["parameters"]
    assert {name: float(x) for name, x in mechanism.parameters.items()} == {k: data[k] for k in mechanism.parameters}
    assert mechanism.coordinate_names == ("theta1", "phi1", "phi2")
    start = [DEPLOYABLE["initial"][name] for name in mechanism.coordinate_names]
    assert mechanism.initial.q == pytest.approx(start, abs=1e-16)


@pytest.mark.parametrize(("method", "rtol"), [("auto", 1e-10), ("auto", 1e-12)])
def test_deployable_four_bar_locks(method: str, rtol: float) -> None:
    """It stops by itself where links 2 and 3 align: the time, the angle, the rates, and the way there; `auto` is two methods."""
    times = sorted({*map(float, SAMPLES), *map(float, FORCES)})
    motion = lg.simulate(lg.library("deployable_four_bar"), method=method, rtol=rtol, atol=1e-2 * rtol, t_eval=times)
    assert motion.status is lg.Status.STOPPED_BY_EVENT
    (event,) = motion.events
    assert event.name == "locked"
    assert event.t == pytest.approx(LINKAGE["t_lock"], abs=TOLERANCE["t_lock"])
    assert math.degrees(event.q[0]) == pytest.approx(LINKAGE["theta1_lock_deg"], abs=TOLERANCE["theta1_lock_deg"])
    rates = LINKAGE["rates_at_lock (theta1, coupler absolute, rocker)"]
    assert absolute(event.qd) == pytest.approx(rates, abs=TOLERANCE["samples"])
    for key, row in SAMPLES.items():
        k = times.index(float(key))
        assert [*absolute(motion.q[k]), *absolute(motion.qd[k])] == pytest.approx(row, abs=TOLERANCE["samples"])
    for key, force in FORCES.items():
        actual = motion.multipliers[times.index(float(key))]
        assert actual == pytest.approx(force, abs=1e-7 * np.linalg.norm(force))
    assert motion.drift.max() < 1e-14


def test_deployable_four_bar_as_the_lecture_reads_it() -> None:
    """150.2 degrees at 12.25 s; multipliers of 0.1 N half way, which grow to 1504.7 N: by four orders of magnitude."""
    motion = lg.simulate(lg.library("deployable_four_bar"), rtol=1e-12, atol=1e-14)
    assert math.degrees(motion(12.25)[0][0]) == pytest.approx(150.2, abs=0.05)
    size = np.linalg.norm(motion.multipliers, axis=1)
    assert float(np.interp(6, motion.t, size)) == pytest.approx(0.1, abs=0.05)
    assert np.abs(motion.multipliers[-1]).max() == pytest.approx(1504.7, abs=0.05)


def test_deployable_four_bar_held_where_it_locks() -> None:
    motion = lg.simulate(lg.library("deployable_four_bar"), 13, rtol=1e-10, events={"locked": lg.LockJoints("phi2", "phi1")})
    assert motion.status is lg.Status.FINISHED
    after = motion.t > next(e.t for e in motion.events if e.name == "locked")
    np.testing.assert_allclose(np.degrees(motion.q[after, 0]), LINKAGE["theta1_lock_deg"], atol=1e-8)
    assert np.abs(motion.qd[after]).max() < 1e-12
    # all that the spring has given is lost in the impact
    assert motion.work["impacts"][-1] == pytest.approx(-motion.work["torque"][-1, 0], rel=1e-9)


@pytest.mark.parametrize(
    ("n", "rtol", "accuracy"), [(2, 1e-8, 1e-4), (2, 1e-10, 1e-6), pytest.param(40, 1e-8, 1e-4, marks=pytest.mark.slow)]
)
def test_n_four_bar(n: int, rtol: float, accuracy: float) -> None:
    """Ten turns, twenty times through the position where the rank of the loops falls: it stays a row of parallelograms."""
    table = A02["reference"]["exact_elliptic"][f"N={n}"]
    keys = times(table)
    q0, qd0 = [math.pi / 2, -math.pi / 2] * n + [math.pi / 2], [-1.0, 1.0] * n + [-1.0]
    motion = lg.simulate(n_four_bar(n), (0, 20), q0, qd0, method="dop853", rtol=rtol, atol=rtol, t_eval=[float(k) for k in keys])
    assert motion.success, motion.message
    c, s, w = np.cos(motion.q[:, 0]), np.sin(motion.q[:, 0]), motion.qd[:, 0]
    error = np.abs(np.array([c, s, -s * w, c * w]).T - [numbers(table[k]) for k in keys])
    assert error.max() < A02["tolerance"]["spec_high"]
    assert error.max() < accuracy
    assert np.abs(motion.q[:, 1::2] + motion.q[:, ::2][:, :-1]).max() < 1e-9  # couplers level
    assert motion.drift.max() < 1e-13
    assert energy_error(motion) < 10 * rtol


def test_n_four_bar_at_other_tolerances() -> None:
    """Whether, and how well, it passes the singular position must not depend on where its steps happen to fall."""
    table = A02["reference"]["exact_elliptic"]["N=2"]
    q0, qd0 = [math.pi / 2, -math.pi / 2] * 2 + [math.pi / 2], [-1.0, 1.0] * 2 + [-1.0]
    for rtol in (1e-9, 1e-10, 1e-11, 1e-12, 1e-13):
        motion = lg.simulate(n_four_bar(2), (0, 10), q0, qd0, rtol=rtol, atol=rtol, t_eval=101)
        assert motion.success, motion.message
        actual = [math.cos(motion.q[-1, 0]), math.sin(motion.q[-1, 0])]
        assert actual == pytest.approx(numbers(table["10"][:2]), abs=1e3 * rtol + 1e-10)


def rrr() -> lg.Mechanism:
    """The 3-RRR whose driven joints are made to follow the reference's path of the platform."""
    mechanism = lg.library("three_rrr")
    p = RRR["parameters"]["rrr"]
    driven = []
    for k, degrees in enumerate(p["base_angles_deg"]):
        a = repr(math.radians(degrees))
        x = f"0.05*cos(2*pi*t) + {p['rp']}*cos({a} + 0.2*sin(2*pi*t)) - {p['rb']}*cos({a})"
        y = f"0.05*sin(2*pi*t) + {p['rp']}*sin({a} + 0.2*sin(2*pi*t)) - {p['rb']}*sin({a})"
        # both links are of one length: the elbow's angle is twice that whose cosine is half the chord over a link
        turn = f"atan2({y}, {x}) + acos(sqrt(({x})^2 + ({y})^2)/{2 * p['l1']})"
        driven.append(lg.HolonomicConstraint(f"drive{k + 1}", formula(f"sin(theta{k + 1} - ({turn}))", f"theta{k + 1}")))
    return mechanism.replace(constraints=driven)


def test_three_rrr_torques_and_multipliers() -> None:
    """What drives a prescribed motion are the multipliers of what prescribes it."""
    mechanism = rrr()
    q0 = lg.assemble(mechanism, mechanism.poses["start"])
    assert q0[-3:] == pytest.approx([0.05, 0, 0], abs=1e-12)
    keys = list(RRR["reference"]["rrr"])
    motion = lg.simulate(mechanism, (0, 0.75), q0, {}, rtol=1e-12, atol=1e-13, t_eval=[float(k) for k in keys])
    table = RRR["reference"]["rrr"]
    scale = 15.0  # newtons and newton metres
    for row, key in enumerate(keys):
        np.testing.assert_allclose(motion.multipliers[row, 6:], table[key]["tau"], rtol=0, atol=1e-11 * scale)
        np.testing.assert_allclose(motion.multipliers[row, :6], table[key]["lam"], rtol=0, atol=1e-11 * scale)
    t = motion.t
    path = np.array([0.05 * np.cos(2 * np.pi * t), 0.05 * np.sin(2 * np.pi * t), 0.2 * np.sin(2 * np.pi * t)]).T
    np.testing.assert_allclose(motion.q[:, -3:], path, rtol=0, atol=1e-12)
    assert energy_error(motion) < 1e-10  # work is done through the moving constraints


# -- non-holonomic and rheonomic -------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["pfaffian", "knife edge", "function"])
def test_chaplygin_sleigh(form: str) -> None:
    mechanism = lg.library("chaplygin_sleigh")
    if form == "knife edge":
        mechanism = mechanism.replace(constraints=[lg.KnifeEdgeConstraint("knife", "sleigh", (0, 1, 0))])
    elif form == "function":
        sideways = lg.PfaffianFunctionConstraint("knife", lambda t, q, qd: qd[1] * np.cos(q[2]) - qd[0] * np.sin(q[2]))
        mechanism = mechanism.replace(constraints=[sideways])
    table = NONHOLONOMIC["reference"]["chaplygin"]
    a = NONHOLONOMIC["parameters"]["chaplygin"]["a"]
    tolerance = NONHOLONOMIC["tolerance"]["chaplygin"]
    motion = lg.simulate(mechanism, method="dop853", rtol=1e-14, atol=1e-14, t_eval=[float(k) for k in table])
    x, y, theta = motion.q.T
    v = motion.qd[:, 0] * np.cos(theta) + motion.qd[:, 1] * np.sin(theta)
    values = np.array([v, motion.qd[:, 2], theta]).T
    np.testing.assert_allclose(values, [[r["v"], r["omega"], r["theta"]] for r in table.values()], rtol=0, atol=tolerance)
    # positions grow to 12 m, and the reference's come from a quadrature: the last is off by 2.1e-12 itself
    com = np.array([x + a * np.cos(theta), y + a * np.sin(theta)]).T
    np.testing.assert_allclose(com, [r["com"] for r in table.values()], rtol=tolerance, atol=tolerance)
    assert motion.rate_drift.max() < 1e-15
    assert energy_error(motion) < 1e-12


def test_knife_edge_on_an_incline() -> None:
    p, table = NONHOLONOMIC["parameters"]["knife_incline"], NONHOLONOMIC["reference"]["knife"]
    slope = math.radians(p["alpha_deg"])
    body = lg.Body("skate", 1.3, (0, 0, 0), (0.05, 0.05, 0.1))
    mechanism = lg.Mechanism(
        "incline",
        [body],
        [lg.Joint("skate", "planar", "ground", "skate")],
        constraints=[lg.KnifeEdgeConstraint("edge", "skate", (0, 1, 0))],
        gravity=(p["g"] * math.sin(slope), 0, -p["g"] * math.cos(slope)),
    )
    motion = lg.simulate(
        mechanism,
        (0, 5),
        [0, 0, 0],
        [0, 0, p["omega"]],
        method="dop853",
        rtol=1e-13,
        atol=1e-14,
        t_eval=[float(k) for k in table],
    )
    np.testing.assert_allclose(motion.q[:, :2], list(table.values()), rtol=0, atol=NONHOLONOMIC["tolerance"]["knife"])
    # the edge's force: m (y'' cos - (x'' - g sin alpha) sin), from the closed form
    t, g = motion.t, p["g"] * math.sin(slope)
    xdd, ydd = g * np.cos(2 * t), g * np.sin(2 * t)
    np.testing.assert_allclose(motion.multipliers[:, 0], 1.3 * (ydd * np.cos(t) - (xdd - g) * np.sin(t)), atol=1e-10)


HOOP = NONHOLONOMIC["parameters"]["hoop"]


def turning_hoop() -> lg.Mechanism:
    """A hoop that turns at a given rate, and a bead whose angle on it is counted from below."""
    bodies = [lg.Body("hoop", 1.0, (0, 0, 0), (1, 1, 1)), lg.Body("bead", 1.0, (0, 0, -HOOP["R"]))]
    joints = [
        lg.Joint("spin", "revolute", "ground", "hoop"),
        lg.Joint("theta", "revolute", "hoop", "bead", axis=(0, -1, 0)),
    ]
    turn = lg.HolonomicConstraint("turn", formula(f"spin - {HOOP['Omega']}*t", "spin"))
    return lg.Mechanism("hoop", bodies, joints, constraints=[turn])


def hoop_of_speeds() -> lg.Mechanism:
    """The same, its rate prescribed as a Pfaffian equation with phi."""
    mechanism = turning_hoop()
    return mechanism.replace(constraints=[lg.PfaffianConstraint("turn", (("spin", 1.0),), -HOOP["Omega"])])


def cartesian_hoop() -> lg.Mechanism:
    """The bead alone, held in a turning plane and on a sphere."""
    R, rate = HOOP["R"], HOOP["Omega"]
    plane = lg.HolonomicConstraint("plane", formula(f"x*sin({rate}*t) - y*cos({rate}*t)", "x y z"))
    return particle([plane, lg.HolonomicConstraint("ring", formula(f"(x^2 + y^2 + z^2 - {R}^2)/(2*{R})", "x y z"))])


@pytest.mark.parametrize("form", ["angle", "speed", "cartesian"])
def test_bead_on_a_turning_hoop(form: str) -> None:
    table, R, rate = NONHOLONOMIC["reference"]["hoop"], HOOP["R"], HOOP["Omega"]
    keys = times(table)
    theta0 = NONHOLONOMIC["initial"]["hoop"]["theta"]
    options = {"method": "dop853", "rtol": 1e-13, "atol": 1e-14, "t_eval": [float(k) for k in keys]}
    if form == "cartesian":
        q0 = [R * math.sin(theta0), 0, -R * math.cos(theta0)]
        motion = lg.simulate(cartesian_hoop(), (0, 5), q0, [0, rate * q0[0], 0], **options)
        t, (x, y, z), (xd, yd, zd) = motion.t, motion.q.T, motion.qd.T
        out = x * np.cos(rate * t) + y * np.sin(rate * t)
        theta, thetad = np.arctan2(out, -z), (xd * np.cos(rate * t) + yd * np.sin(rate * t)) / -z
        np.testing.assert_allclose(zd, out * thetad, rtol=0, atol=1e-13)
    else:
        mechanism = turning_hoop() if form == "angle" else hoop_of_speeds()
        motion = lg.simulate(mechanism, (0, 5), [0, theta0], [rate, 0], **options)
        theta, thetad = motion.q[:, 1], motion.qd[:, 1]
    expected = np.array([[table[k]["theta"], table[k]["thetad"]] for k in keys])
    np.testing.assert_allclose(np.array([theta, thetad]).T, expected, rtol=0, atol=NONHOLONOMIC["tolerance"]["hoop"])
    # what the drive gives is what the bead gains: dE = torque * Omega dt
    assert energy_error(motion) < 1e-10
    jacobi = 0.5 * R**2 * (thetad**2 - (rate * np.sin(theta)) ** 2) - G * R * np.cos(theta)
    assert np.ptp(jacobi) < 1e-12
    assert motion.drift.max() < 1e-14


def test_bead_on_a_turning_wire() -> None:
    """r = r0 cosh wt, the wire's force N = 2 m w^2 r0 sinh wt."""
    m, w, r0 = 2.0, 3.0, 0.1
    bodies = [lg.Body("wire", 1.0, (0, 0, 0), (0.1, 0.1, 0.1)), lg.Body("bead", m)]
    joints = [
        lg.Joint("phi", "revolute", "ground", "wire"),
        lg.Joint("r", "prismatic", "wire", "bead", axis=(1, 0, 0)),
    ]
    turn = lg.HolonomicConstraint("turn", formula(f"phi - {w}*t", "phi"))
    mechanism = lg.Mechanism("wire", bodies, joints, constraints=[turn], gravity=(0, 0, 0))
    motion = lg.simulate(mechanism, (0, 2), [0, r0], [w, 0], rtol=1e-12, atol=1e-13)
    r, N = r0 * np.cosh(w * motion.t), 2 * m * w**2 * r0 * np.sinh(w * motion.t)
    np.testing.assert_allclose(motion.q[:, 1], r, rtol=1e-11)
    np.testing.assert_allclose(motion.multipliers[:, 0], N * r, rtol=1e-10, atol=1e-10)  # the torque that keeps it turning
    np.testing.assert_allclose(motion.reactions[:, 1, 4], N, rtol=1e-10, atol=1e-10)


def test_differential_drive_runs_along_an_arc() -> None:
    """Wheels at constant rates: v = r (wR + wL)/2, w = r (wR - wL)/b, an arc of radius v/w."""
    mechanism = lg.library("differential_drive")
    r, b = float(mechanism.parameters["r"]), float(mechanism.parameters["b"])
    right, left = 5.0, 3.0
    drives = [
        lg.HolonomicConstraint("right", formula(f"right - {right}*t", "right")),
        lg.HolonomicConstraint("left", formula(f"left - {left}*t", "left")),
    ]
    mechanism = mechanism.replace(constraints=[*mechanism.constraints, *drives])
    v, w = r * (right + left) / 2, r * (right - left) / b
    motion = lg.simulate(mechanism, (0, 10), [0] * 5, [v, 0, w, right, left], torque=0, rtol=1e-11, atol=1e-12)
    arc = np.array([v / w * np.sin(w * motion.t), v / w * (1 - np.cos(w * motion.t)), w * motion.t]).T
    np.testing.assert_allclose(motion.q[:, :3], arc, rtol=0, atol=1e-9)
    # the drives only replace what friction takes
    np.testing.assert_allclose(motion.multipliers[:, 3:], [[0.05 * right, 0.05 * left]] * len(motion.t), atol=1e-9)
