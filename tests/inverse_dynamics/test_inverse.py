"""Torques along paths: against references, Pinocchio, energy, virtual work; simulated again, they give the path back."""

import json
import pickle
import warnings
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from lagrangian import paths
from lagrangian.inverse_dynamics.path_motion import PathMotion
from lagrangian.motion.motion import Motion

DATA = Path(__file__).parents[1] / "data"
CIRCLE = paths.circle((1.2, 1.2), 0.2, 10.0, timing="uniform", frame="tip")
TWO_R = lg.library("two_r")


def rates(x, t):
    """By differences of sixth order, of rows at equal steps; three rows are lost at either end."""
    n = len(t)
    return sum(c * (x[3 + k : n - 3 + k] - x[3 - k : n - 3 - k]) for k, c in ((1, 0.75), (2, -0.15), (3, 1 / 60))) / (t[1] - t[0])


def consistent(motion, tolerance):
    """Speeds and accelerations are the derivatives of the coordinates."""
    scale = 1 + np.abs(motion.qdd).max()
    np.testing.assert_allclose(rates(motion.q, motion.t), motion.qd[3:-3], rtol=0, atol=tolerance * scale)
    np.testing.assert_allclose(rates(motion.qd, motion.t), motion.qdd[3:-3], rtol=0, atol=tolerance * scale)


# -- references ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("branch", "q0"), [("elbow theta2>0", [0.3, 0.8]), ("elbow theta2<0", {"theta2": -0.8})])
def test_the_lectures_circle(branch, q0):
    reference = json.loads((DATA / "two_r.json").read_text())["reference"][branch]
    motion = lg.inverse(TWO_R, CIRCLE, q0=q0, t_eval=10001)
    for name, row in (("theta0", motion.q), ("thetad0", motion.qd), ("thetadd0", motion.qdd)):
        np.testing.assert_allclose(row[0], reference[name], rtol=0, atol=1e-12)
    for t, tau in reference["tau_at"].items():
        k = round(float(t) * 1000)
        assert motion.t[k] == pytest.approx(float(t), abs=1e-12)
        np.testing.assert_allclose(motion.tau[k], tau, rtol=0, atol=1e-10)
    tau1, tau2 = motion.tau.T
    found = [tau1.min(), tau1.max(), tau2.min(), tau2.max()]
    np.testing.assert_allclose(found, [reference[n] for n in ("tau1_min", "tau1_max", "tau2_min", "tau2_max")], rtol=1e-6)
    assert motion.t[np.argmax(tau1)] == pytest.approx(reference["t_tau1_max"], abs=0.0021)
    assert motion.t[np.argmin(tau1)] == pytest.approx(reference["t_tau1_min"], abs=0.0021)


PLATFORM = {"platform.x": "0.05*cos(2*pi*t)", "platform.y": "0.05*sin(2*pi*t)", "platform.angle": "0.2*sin(2*pi*t)"}


def test_three_rrr_torques_and_multipliers():
    reference = json.loads((DATA / "three_rrr.json").read_text())["reference"]["rrr"]
    motion = lg.inverse(lg.library("three_rrr"), paths.formula(PLATFORM, 1.0), t_eval=[float(t) for t in reference])
    driven = [motion.speed_names.index(f"theta{k}") for k in (1, 2, 3)]
    for row, values in enumerate(reference.values()):
        np.testing.assert_allclose(motion.tau[row, driven], values["tau"], rtol=0, atol=1e-12)
        np.testing.assert_allclose(motion.multipliers[row], values["lam"], rtol=0, atol=1e-12)
    assert not np.delete(motion.tau, driven, axis=1).any()
    assert motion.drift.max() < 1e-14
    open_tree = lg.compile(motion.mechanism).inverse_dynamics(motion.q, motion.qd, motion.qdd)
    np.testing.assert_allclose(motion.tau + motion.constraint_forces, open_tree, rtol=0, atol=1e-12)


def test_against_pinocchio():
    pin = pytest.importorskip("pinocchio")
    files = metadata.files("example-robot-data") or []
    urdf = next((str(f.locate()) for f in files if f.name == "ur5_robot.urdf"), None)
    if urdf is None:
        pytest.skip("example-robot-data has no ur5_robot.urdf")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arm = lg.load(urdf)
    model = pin.buildModelFromUrdf(urdf)
    data = model.createData()
    q0, q1 = np.array([0.1, -0.8, 0.9, -0.3, 0.5, 0.2]), np.array([0.9, -1.4, 1.3, 0.4, -0.6, 1.0])
    names = list(model.names)[1:]
    order = [arm.coordinate_names.index(n) for n in names]
    path = paths.joint_line(dict(zip(names, q0, strict=True)), dict(zip(names, q1, strict=True)), 1.0)
    motion = lg.inverse(arm, path, t_eval=21, limits=False)
    for k in range(21):
        expected = pin.rnea(model, data, *(x[k, order] for x in (motion.q, motion.qd, motion.qdd)))
        np.testing.assert_allclose(motion.tau[k, order], expected, rtol=0, atol=1e-9)  # of 60 N m
    np.testing.assert_allclose(motion.q[-1, order], q1, atol=1e-14)


# -- and back --------------------------------------------------------------------------------------------------------

PUMA0 = np.array([0.1, -0.5, 0.4, 0.3, 0.2, 0.1])
PUMA1 = PUMA0 + np.array([0.5, 0.3, -0.4, 0.5, 0.4, -0.6])
THERE = paths.joint_line(PUMA0, PUMA1, 0.5, timing="trapezoidal")
HOME = lg.Placement.from_quaternion((0, 0, 2.0), (1, 0, 0, 0)).matrix()
AWAY = lg.Placement.from_quaternion((0.2, 0.1, 2.1), (1, 0.1, 0.05, -0.1)).matrix()
ROUND_TRIPS = {
    "two_r, quintic": ("two_r", paths.circle((1.2, 1.2), 0.2, 1.0), {"frame": "tip", "q0": [0.3, 0.8]}),
    "two_r, trapezoidal": ("two_r", paths.line((1.4, 1.0), (0.6, 1.2), 1.0, timing="trapezoidal"), {"frame": "tip"}),
    "puma560, there and back": ("puma560", paths.sequence(THERE, paths.joint_line(PUMA1, PUMA0, 0.5)), {}),
    "puma560, reversing": (
        "puma560",
        paths.formula({f"q{k + 1}": f"{x} + 0.3*sin(4*t + {k})" for k, x in enumerate(PUMA0)}, 1.0),
        {},
    ),
    "four_bar": ("four_bar", paths.formula({"theta1": "pi/2 + 1.5*sin(3*t)"}, 1.0, start=2.0).beginning(-1.0), {}),
    "five_bar": ("five_bar", paths.circle((-0.6, 0.25), 0.05, 1.0), {"frame": "tip"}),
    "three_rrr": ("three_rrr", paths.formula(PLATFORM, 0.5), {}),
    "delta": ("delta", paths.arc((0, 0, -1.0), (0.1, 0.1, -0.95), (0.2, 0, -1.0), 1.0), {"frame": "platform"}),
    "stewart": ("stewart", paths.line(HOME, AWAY, 1.0), {"frame": "platform"}),
}


@pytest.mark.parametrize("name", ROUND_TRIPS)
def test_simulated_again_it_is_the_path(name):
    which, path, more = ROUND_TRIPS[name]
    mechanism = lg.library(which)
    motion = lg.inverse(mechanism, path, t_eval=101, **more)
    assert motion.success
    assert np.abs(motion.balance).max() < 1e-10 * motion.energy_scale
    back = lg.simulate(mechanism, torque=motion.torque, rtol=1e-12, atol=1e-13, t_eval=motion.t, limits=False, **motion.start)
    np.testing.assert_allclose(back.q, motion.q, rtol=0, atol=1e-8)
    np.testing.assert_allclose(back.qd, motion.qd, rtol=0, atol=1e-7)
    moves = np.abs(motion.qd).min(axis=1) > 1e-6 if which == "puma560" else slice(None)  # at rest dry friction is anything
    np.testing.assert_allclose(back.tau[moves], motion.tau[moves], rtol=0, atol=1e-9 * np.abs(motion.tau).max())
    if mechanism.equations:
        scale = np.abs(motion.multipliers).max()
        np.testing.assert_allclose(back.multipliers, motion.multipliers, rtol=0, atol=1e-6 * scale)
    for what, done in motion.work.items():
        np.testing.assert_allclose(done[-1], back.work[what][-1], rtol=0, atol=1e-7 * motion.energy_scale)
    if "puma560, rev" in name:
        assert len(motion.torque.breaks) == 8  # where one of the six turns back, against dry friction
        for t in motion.torque.breaks:
            assert np.abs(motion(t)[1]).min() < 1e-9


@pytest.mark.parametrize("name", ["two_r, quintic", "four_bar", "delta", "stewart"])
def test_speeds_and_accelerations_are_derivatives(name):
    which, path, more = ROUND_TRIPS[name]
    motion = lg.inverse(lg.library(which), path, t_eval=1001, **more)
    if motion.q.shape[1] == motion.qd.shape[1]:
        consistent(motion, 1e-9)
    dyn = lg.compile(motion.mechanism)
    if dyn.mechanism.equations:
        assert motion.drift.max() < 1e-12
        assert motion.rate_drift.max() < 1e-11
    if "frame" in more:
        T, velocity, acceleration = path(motion.t)
        led = [("wx", "wy", "wz", "x", "y", "z").index(d) for d in path.directions]
        np.testing.assert_allclose(dyn.pose(motion.q, more["frame"])[:, :2, 3], T[:, :2, 3], rtol=0, atol=1e-11)
        reached = (
            dyn.velocity(motion.q, motion.qd, more["frame"]),
            dyn.acceleration(motion.q, motion.qd, motion.qdd, more["frame"]),
        )
        for found, wanted in zip(reached, (velocity, acceleration), strict=True):
            np.testing.assert_allclose(found[:, led], wanted[:, led], rtol=0, atol=1e-9 * (1 + np.abs(wanted).max()))


@pytest.mark.parametrize("name", ["four_bar", "delta", "stewart"])
def test_power_of_the_actuators_is_the_change_of_energy(name):
    """dE/dt = tau qd - F qd, with the energy's change by differences of the rows: multipliers do no work."""
    which, path, more = ROUND_TRIPS[name]
    motion = lg.inverse(lg.library(which), path, t_eval=2001, **more)
    power = ((motion.tau - motion.friction) * motion.qd).sum(axis=1)
    np.testing.assert_allclose(rates(motion.energy, motion.t), power[3:-3], rtol=0, atol=1e-8 * np.abs(power).max())
    assert np.abs(power).max() > 0.1


def test_few_rows_have_the_same_work():
    fine = lg.inverse(TWO_R, CIRCLE, q0=[0.3, 0.8])
    for rows in (2, 3, 7):
        few = lg.inverse(TWO_R, CIRCLE, q0=[0.3, 0.8], t_eval=rows)
        np.testing.assert_allclose(few.work["torque"][-1], fine.work["torque"][-1], rtol=0, atol=1e-9)
        assert np.abs(few.balance).max() < 1e-9
    dense = lg.inverse(TWO_R, CIRCLE, q0=[0.3, 0.8], t_eval=20_003)
    np.testing.assert_allclose(dense.work["torque"][-1], fine.work["torque"][-1], rtol=0, atol=1e-8)


# -- actuators -------------------------------------------------------------------------------------------------------


def actuated(mechanism, names):
    return replace(mechanism, joints=tuple(replace(j, actuated=j.name in names) for j in mechanism.joints))


def test_over_actuated_it_moves_the_same():
    all_four = actuated(lg.library("five_bar"), ("q1", "q2", "phi3", "phi4"))
    path, more = ROUND_TRIPS["five_bar"][1:]
    motion = lg.inverse(all_four, path, t_eval=21, **more)
    two = lg.inverse(lg.library("five_bar"), path, t_eval=21, **more)
    np.testing.assert_allclose(motion.q, two.q, rtol=0, atol=1e-12)
    assert (np.linalg.norm(motion.tau, axis=1) < np.linalg.norm(two.tau, axis=1)).all()
    np.testing.assert_allclose((motion.tau * motion.qd).sum(axis=1), (two.tau * two.qd).sum(axis=1), rtol=0, atol=1e-10)
    found = lg.compile(all_four).forward_dynamics(motion.q, motion.qd, motion.tau)
    np.testing.assert_allclose(found, motion.qdd, rtol=0, atol=1e-9 * np.abs(motion.qdd).max())


def test_under_actuated():
    cart = lg.library("cart_pendulum")
    with pytest.raises(lg.ActuationError, match="under-actuated: theta is passive") as error:
        lg.inverse(cart, paths.joint_line([0, 0], [1, 0.5], 1.0))
    assert 0 <= error.value.t <= 1
    two = actuated(lg.library("three_rrr"), ("theta1", "theta2"))
    with pytest.raises(lg.ActuationError, match=r"3 degrees of freedom, and of its joints 2 actuated \(theta1, theta2\)"):
        lg.inverse(two, paths.formula(PLATFORM, 0.5))


def test_under_actuated_motions_that_are_possible():
    """What the cart and its pendulum do by themselves under a force on the cart needs this force, and nothing else."""
    cart = lg.library("cart_pendulum")
    run = lg.simulate(cart, (0, 1), [0, 0.4], [0, 0], torque={"x": "3*sin(5*t)"}, rtol=1e-11, t_eval=201)
    motion = lg.inverse(cart, run)
    np.testing.assert_allclose(motion.tau, np.column_stack([3 * np.sin(5 * run.t), np.zeros(201)]), rtol=0, atol=1e-10)


# -- wrenches from outside -------------------------------------------------------------------------------------------


def test_wrenches_against_the_jacobian():
    puma = lg.library("puma560")
    wrench = np.array([1.0, -2, 3, 10, 20, -30])
    plain = lg.inverse(puma, THERE, t_eval=11)
    loaded = lg.inverse(puma, THERE, t_eval=11, wrenches={"link6": wrench})
    J = lg.compile(puma).jacobian(plain.q, "link6")
    np.testing.assert_allclose(loaded.tau, plain.tau - np.einsum("nij,i->nj", J, wrench), rtol=0, atol=1e-11)
    assert np.abs(loaded.balance).max() < 1e-10
    power = np.einsum("nij,nj,i->n", J, plain.qd, wrench)
    fine = lg.inverse(puma, THERE, t_eval=1001, wrenches={"link6": wrench})
    np.testing.assert_allclose(
        rates(fine.work["wrenches"], fine.t)[97::100], power[1:-1], rtol=0, atol=1e-5 * np.abs(power).max()
    )


def test_wrenches_of_time_and_state_on_a_loop():
    """Virtual work: what the actuators do less is what the wrench does."""
    mechanism = lg.library("five_bar")
    path, more = ROUND_TRIPS["five_bar"][1:]
    given = (0, 0, "2*t", "5*sin(3*t) - 2*qd_q1", "q2 + l1", 7)
    plain = lg.inverse(mechanism, path, t_eval=51, **more)
    loaded = lg.inverse(mechanism, path, t_eval=51, wrenches={"tip": given}, **more)
    t, names = plain.t, plain.coordinate_names
    wrench = np.zeros((51, 6))
    wrench[:, 2], wrench[:, 3] = 2 * t, 5 * np.sin(3 * t) - 2 * plain.qd[:, names.index("q1")]
    wrench[:, 4], wrench[:, 5] = plain.q[:, names.index("q2")] + 0.5, 7
    power = (lg.compile(mechanism).velocity(plain.q, plain.qd, "tip") * wrench).sum(axis=1)
    np.testing.assert_allclose(((loaded.tau - plain.tau) * plain.qd).sum(axis=1), -power, rtol=0, atol=1e-11)
    assert np.abs(power).max() > 0.5
    assert np.abs(loaded.balance).max() < 1e-10

    def function(t, q, qd):
        return 0, 0, 2 * t, 5 * np.sin(3 * t) - 2 * qd[names.index("q1")], q[names.index("q2")] + 0.5, 7

    asked = lg.inverse(mechanism, path, t_eval=51, wrenches={"tip": function}, **more)
    np.testing.assert_allclose(asked.tau, loaded.tau, rtol=0, atol=1e-12)
    np.testing.assert_allclose(asked.work["wrenches"], loaded.work["wrenches"], rtol=0, atol=1e-12)


class Push:
    """Ten newtons from a time on."""

    breaks = (3.3,)

    def __call__(self, t, q, qd):
        return (0, 0, 0, 10.0 * (t >= 3.3), 0, 0)


def test_wrenches_that_jump():
    motion = lg.inverse(TWO_R, CIRCLE, q0=[0.3, 0.8], t_eval=11, wrenches={"tip": Push()})
    x = lg.compile(TWO_R).pose(motion(np.array([3.3, 10.0]))[0], "tip")[:, 0, 3]
    np.testing.assert_allclose(motion.work["wrenches"][-1], 10 * (x[1] - x[0]), rtol=0, atol=1e-12)
    assert 3.3 in motion.torque.breaks
    before, after = motion.torque(3.3 - 1e-9), motion.torque(3.3)
    J = lg.compile(TWO_R).jacobian(motion(3.3)[0], "tip")
    np.testing.assert_allclose(after - before, -10 * J[3], rtol=0, atol=1e-6)


def test_reactions_carry_what_is_outside():
    """The first joint carries the mass times acceleration less gravity of all, less the force from outside."""
    force = np.array([11.0, -7, 0])
    frames = [lg.Frame(f"c{k}", f"link{k}", lg.Placement(position=(r, 0, 0))) for k, r in ((1, 0.773), (2, 0.583))]
    dyn = lg.compile(TWO_R)
    for wrenches, outside in ((None, np.zeros(3)), ({"tip": (0, 0, 0, *force)}, force)):
        motion = lg.inverse(TWO_R, CIRCLE, q0=[0.3, 0.8], t_eval=5, wrenches=wrenches)
        moved = sum(12.456 * (dyn.acceleration(motion.q, motion.qd, motion.qdd, f)[:, 3:] + (0, 9.81, 0)) for f in frames)
        turn = dyn.pose(motion.q, "link1")[:, :3, :3]  # reactions are along the child's axes
        carried = np.einsum("nij,nj->ni", turn, motion.reactions[:, 0, 3:])
        np.testing.assert_allclose(carried, moved - outside, rtol=0, atol=1e-10)
        np.testing.assert_allclose(motion.reactions[:, :, 2], motion.tau, rtol=0, atol=1e-10)


# -- redundant, rolling ----------------------------------------------------------------------------------------------


def test_a_redundant_arm():
    arm = lg.library("panda")
    dyn = lg.compile(arm)
    start = dyn.pose(np.array(arm.initial.q, dtype=float), "tool")
    end = start.copy()
    end[:3, 3] += (0.1, 0.1, -0.1)
    motion = lg.inverse(arm, paths.line(start, end, 1.0), "tool", t_eval=1001)
    consistent(motion, 1e-9)
    J = dyn.jacobian(motion.q, "tool")
    velocity = paths.line(start, end, 1.0)(motion.t)[1]
    np.testing.assert_allclose(motion.qd, np.einsum("nij,nj->ni", np.linalg.pinv(J), velocity), rtol=0, atol=1e-10)
    np.testing.assert_allclose(dyn.pose(motion.q[-1], "tool"), end, rtol=0, atol=1e-10)
    back = lg.simulate(arm, torque=motion.torque, rtol=1e-11, atol=1e-12, t_eval=5, limits=False, **motion.start)
    np.testing.assert_allclose(back.q, motion(back.t)[0], rtol=0, atol=1e-8)
    other = lg.inverse(arm, paths.line(start, end, 1.0), "tool", t_eval=[0.3, 0.7])  # the rows asked for change nothing
    np.testing.assert_allclose(other.q, motion(np.array([0.3, 0.7]))[0], rtol=0, atol=1e-10)


def test_rolling():
    drive = lg.library("differential_drive")
    b, r = (float(drive.parameters[n]) for n in ("b", "r"))
    motion = lg.inverse(drive, paths.formula({"right": "3*t^2", "left": "t^2"}, 1.0), t_eval=101)
    names = motion.coordinate_names
    turned = motion.q[-1, names.index("chassis.angle")] - motion.q[0, names.index("chassis.angle")]
    assert turned == pytest.approx(r * 2 / b, abs=1e-9)
    ahead = lg.Frame("ahead", "chassis", lg.Placement(position=(0.3, 0, 0)))
    path = paths.line((0.3, 0.0), (0.8, 0.4), 1.0)
    led = lg.inverse(drive, path, ahead, t_eval=401)
    dyn = lg.compile(drive)
    np.testing.assert_allclose(dyn.pose(led.q, ahead)[:, :2, 3], path(led.t)[0][:, :2, 3], rtol=0, atol=1e-9)
    consistent(led, 1e-8)
    assert led.rate_drift.max() < 1e-10
    for found in (motion, led):
        assert set(np.flatnonzero(np.abs(found.tau).max(axis=0))) == {names.index("right"), names.index("left")}
        back = lg.simulate(drive, torque=found.torque, rtol=1e-11, atol=1e-12, t_eval=found.t, **found.start)
        np.testing.assert_allclose(back.q, found.q, rtol=0, atol=1e-8)
    with pytest.raises(lg.ReachError, match=r"no speeds follow the path.*lead the wheels"):
        lg.inverse(drive, paths.circle((0, 1), 1.0, 2.0, start=(0, -1)), "chassis")


def test_a_constraint_that_moves():
    """Two sliders, the second led by the constraint: x = 0.3 sin 2t needs m2 x'' of it, and it does this force's work."""
    bodies = [lg.Body("a", 2.0), lg.Body("b", 3.0)]
    joints = [lg.Joint("x", "prismatic", "ground", "a", axis="x"), lg.Joint("y", "prismatic", "a", "b", axis="y", actuated=False)]
    for lead in (lg.Holonomic("lead", "y - 0.3*sin(2*t)"), lg.Pfaffian("lead", {"y": 1}, "-0.6*cos(2*t)")):
        sliders = lg.Mechanism("sliders", bodies, joints, constraints=[lead], gravity=(0, 0, 0))
        motion = lg.inverse(sliders, paths.formula({"x": "t^3"}, 1.0), q0=[0.0, 0.0], t_eval=101)
        t = motion.t
        np.testing.assert_allclose(motion.q, np.column_stack([t**3, 0.3 * np.sin(2 * t)]), rtol=0, atol=1e-9)
        np.testing.assert_allclose(motion.qd[:, 1], 0.6 * np.cos(2 * t), rtol=0, atol=1e-12)
        np.testing.assert_allclose(motion.tau, np.column_stack([5 * 6 * t, 0 * t]), rtol=0, atol=1e-9)
        np.testing.assert_allclose(motion.constraint_forces[:, 1], -3 * 1.2 * np.sin(2 * t), rtol=0, atol=1e-9)
        done = 0.5 * 3 * 0.36 * (np.cos(2 * t) ** 2 - 1)
        np.testing.assert_allclose(motion.work["constraints"], done, rtol=0, atol=1e-9)
        assert np.abs(motion.balance).max() < 1e-9


# -- what is in the way ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("timing", ["quintic", "uniform", "trapezoidal"])
@pytest.mark.parametrize("angle", [0.0, np.pi / 2, 0.7])
def test_leaving_the_reach_is_told_when(timing, angle):
    out = np.array([np.cos(angle), np.sin(angle)])
    path = paths.line(out, 2.5 * out, 1.5, timing=timing)
    times = np.linspace(0, 1.5, 150_001)
    edge = times[np.argmax(np.linalg.norm(path(times)[0][:, :2, 3], axis=1) >= 2)]
    with pytest.raises(lg.ReachError, match=r"leaves the mechanism's reach at t = .*misses by") as error:
        lg.inverse(TWO_R, path, "tip", [angle - 1.0, 2.0])
    assert error.value.t == pytest.approx(edge, abs=1e-4)


@pytest.mark.parametrize("timing", ["quintic", "uniform"])
@pytest.mark.parametrize("angle", [0.0, np.pi / 2, 0.7])
def test_a_path_to_or_from_the_stretched_arm(timing, angle):
    """Along the arm no finite accelerations lead there, whichever way the world's axes point."""
    out = np.array([np.cos(angle), np.sin(angle)])
    for a, b, when in ((1.2, 2.0, 1.5), (2.0, 1.2, 0.0)):
        for rows in (1001, 2):
            with pytest.raises(lg.ReachError, match="singular") as error:
                lg.inverse(TWO_R, paths.line(a * out, b * out, 1.5, timing=timing), "tip", [angle - 1.0, 2.0], t_eval=rows)
            assert error.value.t == pytest.approx(when, abs=1e-3)


def test_through_a_singularity():
    with pytest.raises(lg.ReachError, match=r"singularity at t = 0.5 s") as error:
        lg.inverse(TWO_R, paths.line((1.0, 0), (-1.0, 0), 1.0), "tip", [1.0, -2.0])
    assert error.value.t == pytest.approx(0.5, abs=1e-3)
    with pytest.warns(lg.PathWarning, match="near a singularity at t = 0.5"):
        lg.inverse(TWO_R, paths.line((1.0, 2e-4), (-1.0, 2e-4), 1.0), "tip", [1.0, -2.0])


def test_paths_that_cannot_begin():
    with pytest.raises(lg.ReachError, match="cannot be begun: two_r: out of reach") as error:
        lg.inverse(TWO_R, paths.line((3, 0), (1, 0), 1.0).beginning(7.0), "tip")
    assert error.value.t == 7.0
    with pytest.raises(lg.ReachError, match=r"closure.*misses by"):
        lg.inverse(lg.library("four_bar"), paths.formula({"theta1": "pi/2+t", "phi3": "2.5+t"}, 0.5))


def test_degrees_are_suspected():
    """A path of all joints has no branches to choose."""
    path = paths.joint_line([0] * 6, [90, 30, 20, 10, 10, 10], 1.0)
    with pytest.raises(lg.ReachError, match="Angles are in radians: are these degrees") as error:
        lg.inverse(lg.library("ur5"), path)
    assert "branch" not in str(error.value)


def test_more_led_than_fits():
    machine = lg.library("five_bar")
    q = np.array(machine.initial.q)
    told = "4 coordinates are led, of a mechanism with 2 degrees of freedom.*lead 2 of them"
    with pytest.raises(lg.ReachError, match=told):
        lg.inverse(machine, paths.joint_line(q, q + 0.1, 1.0))
    with pytest.raises(lg.ReachError, match=told):
        lg.inverse(machine, paths.joint_line(q + 0.1, q, 1.0))


def test_limits():
    first, second = TWO_R.joints
    arm = replace(TWO_R, joints=(replace(first, limits=lg.Limits(-1, 1, 2.0, 10.0)), second))
    path = paths.formula({"theta1": "1.2*sin(pi*t)", "theta2": "0*t"}, 1.0)
    when = np.arcsin(1 / 1.2) / np.pi
    for rows in (1001, 2):
        with pytest.raises(lg.ReachError, match="takes theta1 past its limits, -1 to 1") as error:
            lg.inverse(arm, path, t_eval=rows)
        assert error.value.t == pytest.approx(when, abs=2e-3)
    with pytest.warns(lg.PathWarning, match="theta1 needs .* N m at .*; its limit of effort is 10 N m"):
        assert np.abs(lg.inverse(arm, path, limits=False).q).max() > 1.19
    with pytest.warns(lg.PathWarning) as told:
        lg.inverse(arm, paths.formula({"theta1": "0.9*sin(pi*t)", "theta2": 0}, 1.0))
    assert any("a speed of 2.827 rad/s of theta1 at t = 0 s; its limit is 2 rad/s" in str(w.message) for w in told)
    assert all(w.filename == __file__ for w in told)


# -- the result ------------------------------------------------------------------------------------------------------


def test_partial_paths_in_any_order():
    path = paths.formula({"theta2": "0.3*t", "theta1": "0.5 - t"}, 1.0)
    motion = lg.inverse(TWO_R, path, t_eval=3)
    np.testing.assert_allclose(motion.q, [[0.5, 0], [0, 0.15], [-0.5, 0.3]], rtol=0, atol=1e-15)
    np.testing.assert_allclose(motion.qd, [[-1, 0.3]] * 3, rtol=0, atol=1e-15)
    expected = lg.compile(TWO_R).inverse_dynamics(motion.q, motion.qd, motion.qdd)
    np.testing.assert_allclose(motion.tau, expected, rtol=0, atol=1e-13)


def test_a_motion_in_place_of_a_path():
    run = lg.simulate(TWO_R, (0, 1), torque={"theta1": "3*sin(t)", "theta2": "-1"}, t_eval=101)
    motion = lg.inverse(TWO_R, run)
    np.testing.assert_allclose(motion.tau, run.tau, rtol=0, atol=1e-10)
    np.testing.assert_array_equal(motion.q, run.q)
    assert np.abs(motion.balance).max() < 1e-6 * motion.energy_scale
    with pytest.raises(lg.ArgumentError, match="of another motion, or of a file"):
        _ = motion.torque
    with pytest.raises(lg.ArgumentError, match="frame, q0 and t_eval go with paths"):
        lg.inverse(TWO_R, run, "tip")
    with pytest.raises(lg.ArgumentError, match="2 coordinates; 'puma560' has 6"):
        lg.inverse(lg.library("puma560"), run)


def test_saved_read_and_copied(tmp_path):
    which, path, more = ROUND_TRIPS["five_bar"]
    mechanism = lg.library(which)
    motion = lg.inverse(mechanism, path, t_eval=21, wrenches={"tip": (0, 0, 0, 1, 2, 0)}, **more)
    before = motion.reactions
    read = lg.read(motion.save(tmp_path / "path.nc"), mechanism)
    copy = pickle.loads(pickle.dumps(motion))
    for other in (read, copy):
        assert isinstance(other, Motion)
        for name in ("t", "q", "qd", "qdd", "tau", "multipliers", "kinetic_energy", "drift"):
            np.testing.assert_array_equal(getattr(other, name), getattr(motion, name))
        assert set(other.work) == {"torque", "friction", "wrenches", "constraints"}
        assert other.message == motion.message
        np.testing.assert_allclose(other(0.33)[0], motion(0.33)[0], rtol=0, atol=1e-4)  # interpolated rows
    assert isinstance(copy, PathMotion)
    np.testing.assert_array_equal(copy.reactions, before)
    with pytest.raises(lg.ArgumentError, match="or of a file"):
        copy.resample(5)


def test_other_rows_torques_and_joints_of_the_same_path():
    which, path, more = ROUND_TRIPS["five_bar"]
    path = path.beginning(-3.0)
    mechanism = lg.library(which)
    motion = lg.inverse(mechanism, path, t_eval=21, **more)
    finer = motion.resample(101)
    assert len(finer.t) == 101
    for name in ("q", "qd", "qdd", "tau", "multipliers"):
        np.testing.assert_allclose(getattr(finer, name)[::5], getattr(motion, name), rtol=0, atol=1e-11)
    some = [-2.9, -2.23]
    np.testing.assert_allclose(motion.resample(some).q, motion(np.array(some))[0], rtol=0, atol=1e-14)
    np.testing.assert_allclose([motion.torque(t) for t in finer.t], finer.tau, rtol=0, atol=1e-11 * np.abs(finer.tau).max())
    joints = motion.joint_path
    assert (joints.start, joints.end) == (path.start, path.end)
    for found, row in zip(joints(finer.t), (finer.q, finer.qd, finer.qdd), strict=True):
        np.testing.assert_allclose(found, row, rtol=0, atol=1e-10)
    again = lg.inverse(mechanism, joints, t_eval=21)
    np.testing.assert_allclose(again.tau, motion.tau, rtol=0, atol=1e-8)
    assert "q1: " in str(motion)
    assert "N m" in str(motion)
    assert repr(motion).startswith("<")
    with pytest.raises(lg.ArgumentError, match="nothing was integrated"):
        motion.second_opinion()
    with pytest.raises(lg.ArgumentError, match="at least 2 rows"):
        motion.resample(1)


def test_progress_is_told():
    told = []
    lg.inverse(TWO_R, CIRCLE, q0=[0.3, 0.8], t_eval=2, progress=lambda *x: told.append(x))
    assert told == sorted(told)
    assert told[-1] == (10.0, 10.0)


@pytest.mark.parametrize(
    ("path", "more", "say"),
    [
        (None, {}, "the path is a NoneType; one of lagrangian.paths"),
        (paths.circle((1.2, 1.2), 0.2, 1.0), {}, "which frame of 'two_r' follows the path.*tip"),
        (CIRCLE, {"frame": "tpi"}, "Did you mean 'tip'"),
        (paths.joint_line([0, 0], [1, 1], 1.0), {"frame": "tip"}, "the path leads joints, not frame 'tip'"),
        (paths.joint_line([0, 0, 0], [1, 1, 1], 1.0), {}, "3 coordinates; 'two_r' has 2: theta1, theta2"),
        (paths.formula({"thta1": "t"}, 1.0), {}, "no coordinate 'thta1'. Did you mean 'theta1'"),
        (CIRCLE, {"t_eval": 1}, "at least 2 rows"),
        (CIRCLE, {"t_eval": []}, "t_eval is needed"),
        (CIRCLE, {"t_eval": [1, 0]}, "times that increase"),
        (CIRCLE, {"t_eval": [0, 11]}, "t_eval must be within the path's 0 to 10 s; it goes to 11"),
        (CIRCLE, {"t_eval": "all"}, "t_eval is needed"),
        (CIRCLE, {"progress": 3}, "progress is 3"),
        (CIRCLE, {"q0": [0]}, "q0 is"),
        (CIRCLE, {"wrenches": [1]}, "wrenches is a list; a mapping of frames"),
        (CIRCLE, {"wrenches": {"tip": (1, 2, 3)}}, "wrench on 'tip' is .*six numbers or expressions"),
        (CIRCLE, {"wrenches": {"tpi": (0,) * 6}}, "Did you mean 'tip'"),
        (CIRCLE, {"wrenches": {"tip": (0, 0, 0, "foo", 0, 0)}}, "wrench on 'tip': fx.*no name 'foo'"),
        (CIRCLE, {"wrenches": {"tip": (0, 0, 0, 0, 0, np.nan)}}, "wrench on 'tip': fz is nan"),
        (CIRCLE, {"wrenches": {"tip": (0, 0, "1/t", 0, 0, 0)}}, "wrench on 'tip': mz is not finite at t = 0 s"),
        (CIRCLE, {"wrenches": {"tip": lambda t, q, qd: np.zeros(5)}}, r"the wrench on 'tip' returned shape \(5,\) at t = 0 s"),
        (
            CIRCLE,
            {"wrenches": {"tip": lambda t, q, qd: [1 / t] * 6}},
            "the wrench on 'tip' failed at t = 0 s: .*by zero",
        ),
    ],
)
def test_bad_arguments(path, more, say):
    with pytest.raises(lg.LagrangianError, match=say):
        lg.inverse(TWO_R, path, **more)


@pytest.mark.parametrize("timing", ["quintic", "trapezoidal"])
def test_dry_friction_of_rows_at_rest(timing: str) -> None:
    """Where a path starts and stops the torque is that of the moment beside it, not one without friction."""
    puma = lg.library("puma560")
    motion = lg.inverse(puma, lg.paths.joint_line("qz", "qn", 1.0, mechanism=puma, timing=timing))
    for row, beside in ((0, 1e-9), (-1, 1 - 1e-9)):
        np.testing.assert_allclose(motion.tau[row], motion.torque(beside), atol=1e-5)
    moving = np.array(puma.poses["qn"]) > 0
    coulomb = np.array([float(j.friction.coulomb) for j in puma.joints])
    np.testing.assert_allclose(motion.friction[0], np.where(moving, coulomb, 0.0), atol=1e-9)
    np.testing.assert_allclose(motion.friction[-1], np.where(moving, coulomb, 0.0), atol=1e-9)


def test_paths_of_many_points_are_cheap_to_drive_by() -> None:
    """Knots of a cubic spline are edges of the torques' series, which else would have to find them."""
    arm = lg.library("two_r")
    t = np.linspace(0.0, 2.0, 201)
    path = lg.paths.recorded(t, np.column_stack([np.sin(t), np.cos(2 * t)]), degree=3)
    torque = lg.inverse(arm, path).torque
    assert len(torque.series.coefficients) < 300
    dyn = lg.compile(arm)
    for x in (0.1234, 0.5, 1.7777):
        np.testing.assert_allclose(torque(x), dyn.inverse_dynamics(*path(x)), rtol=1e-11)
