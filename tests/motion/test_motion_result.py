"""What a run gives: interpolation, forces that balance every body, energies and work, and how it tells about itself."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from tests.motion.machines import G, chain, energy_error, four_bar, pendulum, slider
from tests.motion.test_random_mechanisms import closed_chain


@pytest.fixture(scope="module")
def swing() -> lg.Motion:
    return lg.simulate(pendulum(), 3.0, [1.2], [0.7], rtol=1e-11, atol=1e-12)


@pytest.fixture(scope="module")
def linkage() -> lg.Motion:
    """A four-bar, driven and with friction, for two seconds."""
    mechanism = four_bar()
    q0 = lg.assemble(mechanism, [0.8, 0.3, 1.9], fixed=["theta1"])
    torque = {"theta1": "2 - 0.5*qd_theta1"}
    return lg.simulate(mechanism, (1.0, 3.0), q0, {"theta1": 1.0}, torque=torque, rtol=1e-11, atol=1e-12, t_eval=401)


# -- interpolation ---------------------------------------------------------------------------------------------------


def test_interpolation_at_rows_is_the_rows(linkage: lg.Motion) -> None:
    q, qd = linkage(linkage.t)
    np.testing.assert_allclose(q, linkage.q, rtol=0, atol=1e-13)
    np.testing.assert_allclose(qd, linkage.qd, rtol=0, atol=1e-12)


def test_interpolation_at_one_time_and_at_many(linkage: lg.Motion) -> None:
    times = np.array([2.71, 1.0, 1.5, 1.4999999, 3.0, 1.234])  # in any order
    q, qd = linkage(times)
    assert q.shape == qd.shape == (6, 3)
    for k, t in enumerate(times):
        one, speed = linkage(t)
        assert one.shape == speed.shape == (3,)
        np.testing.assert_allclose(one, q[k], rtol=0, atol=1e-14)
        np.testing.assert_allclose(speed, qd[k], rtol=0, atol=1e-13)


def test_interpolation_is_as_accurate_as_the_steps(linkage: lg.Motion) -> None:
    """On the constraints, and where a run whose step ends there is."""
    mechanism = linkage.mechanism
    for t in (1.61803, 2.71828):
        other = lg.simulate(
            mechanism, (1.0, t), linkage.q[0], linkage.qd[0], torque={"theta1": "2 - 0.5*qd_theta1"}, rtol=1e-13, atol=1e-14
        )
        q, qd = linkage(t)
        np.testing.assert_allclose(q, other.q[-1], rtol=0, atol=1e-8)
        np.testing.assert_allclose(qd, other.qd[-1], rtol=0, atol=1e-8)
        assert np.abs(lg.compile(mechanism).closure(q)).max() < 1e-14


def test_speeds_are_the_slopes_of_coordinates(swing: lg.Motion) -> None:
    h = 1e-5
    t = np.linspace(0.1, 2.9, 50)
    slope = (swing(t + h)[0] - swing(t - h)[0]) / (2 * h)
    np.testing.assert_allclose(slope, swing(t)[1], rtol=0, atol=1e-7)


@pytest.mark.parametrize(
    "t",
    [-0.1, 3.1, [0.5, 4.0], math.nan],
)
def test_times_outside_the_run(swing: lg.Motion, t: Any) -> None:
    with pytest.raises(lg.ArgumentError, match="outside the motion, which lasts from 0 to 3 s"):
        swing(t)


def test_resampling_changes_the_rows_alone(linkage: lg.Motion) -> None:
    fewer = linkage.resample(5)
    assert fewer.t == pytest.approx([1, 1.5, 2, 2.5, 3])
    np.testing.assert_allclose(fewer.q, linkage.q[::100], rtol=0, atol=1e-12)
    np.testing.assert_allclose(fewer.multipliers, linkage.multipliers[::100], rtol=1e-12)
    np.testing.assert_allclose(fewer.work["torque"], linkage.work["torque"][::100], rtol=0, atol=1e-13)
    more = linkage.resample(np.linspace(1, 3, 801))
    np.testing.assert_allclose(more.q[::2], linkage.q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(more.qdd[::2], linkage.qdd, rtol=1e-10, atol=1e-9)
    assert more.drift.max() < 1e-14
    assert energy_error(more) < 1e-9
    assert (more.success, more.message) == (linkage.success, linkage.message)


@pytest.mark.parametrize("times", [[0.0, 2.0], [1.0, 3.5], [2.0, 1.5], [1.5, 1.5]])
def test_resample_outside_the_run(linkage: lg.Motion, times: list[float]) -> None:
    with pytest.raises(lg.ArgumentError, match="times must increase, from 1 to 3 s"):
        linkage.resample(times)


def test_rows_at_times_given() -> None:
    times = [0.0, 0.1, 0.7, 1.0]
    motion = lg.simulate(pendulum(), 1.0, [1.0], t_eval=times)
    assert list(motion.t) == times
    assert motion.q.shape == motion.qd.shape == motion.qdd.shape == motion.tau.shape == (4, 1)


@pytest.mark.parametrize("how", ["t_eval", "resample"])
def test_balance_of_rows_that_begin_later(how: str) -> None:
    mechanism = pendulum(friction=lg.Friction(viscous=0.5))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if how == "t_eval":
            motion = lg.simulate(mechanism, 2.0, [1.0], t_eval=[1.0, 1.5, 2.0])
        else:
            motion = lg.simulate(mechanism, 2.0, [1.0]).resample([1.0, 1.5, 2.0])
    assert np.abs(motion.energy_balance).max() < 1e-6


def test_interpolation_before_the_first_row() -> None:
    motion = lg.simulate(pendulum(), 2.0, [1.0], t_eval=[1.0, 1.5, 2.0])
    assert motion(0.0)[0] == pytest.approx([1.0])


# -- forces ----------------------------------------------------------------------------------------------------------


def test_bearing_of_a_pendulum(swing: lg.Motion) -> None:
    """Along the bar m g cos + m w^2 l/2, across it m g sin/4; no moment."""
    a, w = swing.q[:, 0], swing.qd[:, 0]
    wrench = swing.reactions
    assert wrench.shape == (len(swing.t), 1, 6)
    np.testing.assert_allclose(wrench[:, 0, :3], 0, atol=1e-9)
    np.testing.assert_allclose(wrench[:, 0, 3], G * np.sin(a) / 4, rtol=0, atol=1e-9)
    np.testing.assert_allclose(wrench[:, 0, 4], G * np.cos(a) + w**2 / 2, rtol=0, atol=1e-9)
    np.testing.assert_allclose(wrench[:, 0, 5], 0, atol=1e-12)


def newton_euler(motion: lg.Motion, loops: dict[str, np.ndarray]) -> float:
    """The worst residual of force and moment about the centre of mass, of any body at any row, over the largest force.

    `loops` holds for every loop the force on its body a, (rows, 3), along the world's axes.
    """
    mechanism, rows = motion.mechanism, len(motion.t)
    assert mechanism is not None
    frames = [lg.Frame(f"center of {b.name}", b.name, lg.Transform(position=b.center)) for b in mechanism.bodies]
    joints = [lg.Frame(f"joint {j.name}", j.child, j.child_placement) for j in mechanism.joints]
    ends = [
        lg.Frame(f"{side} of {loop.name}", getattr(loop, side), getattr(loop, f"{side}_placement"))
        for loop in mechanism.loops
        for side in "ab"
    ]
    dyn = lg.compile(mechanism.replace(frames=[*frames, *joints, *ends]))
    pose = {f.name: dyn.pose(motion.q, f.name) for f in (*frames, *joints, *ends)}
    force = {b.name: np.tile(float(b.mass) * np.array(mechanism.gravity, dtype=float), (rows, 1)) for b in mechanism.bodies}
    moment = {b.name: np.zeros((rows, 3)) for b in mechanism.bodies}

    def act(body: str, F: np.ndarray, M: np.ndarray, at: np.ndarray) -> None:
        if body == "ground":
            return
        force[body] = force[body] + F
        moment[body] = moment[body] + M + np.cross(at - pose[f"center of {body}"][:, :3, 3], F)

    largest = 0.0
    for k, joint in enumerate(mechanism.joints):
        T = pose[f"joint {joint.name}"]
        M, F = (np.einsum("sij,sj->si", T[:, :3, :3], motion.reactions[:, k, part]) for part in (slice(0, 3), slice(3, 6)))
        largest = max(largest, np.abs(F).max())
        act(joint.child, F, M, T[:, :3, 3])
        act(joint.parent, -F, -M, T[:, :3, 3])
    for loop in mechanism.loops:
        F = loops[loop.name]
        act(loop.a, F, np.zeros_like(F), pose[f"a of {loop.name}"][:, :3, 3])
        act(loop.b, -F, np.zeros_like(F), pose[f"b of {loop.name}"][:, :3, 3])
    worst = 0.0
    for body, frame in zip(mechanism.bodies, frames, strict=True):
        twist, rate = dyn.velocity(motion.q, motion.qd, frame.name), dyn.acceleration(motion.q, motion.qd, motion.qdd, frame.name)
        R = pose[frame.name][:, :3, :3]
        I = np.einsum("sij,jk,slk->sil", R, body.inertia_matrix, R)
        w, alpha = twist[:, :3], rate[:, :3]
        spin = np.einsum("sij,sj->si", I, alpha) + np.cross(w, np.einsum("sij,sj->si", I, w))
        worst = max(
            worst, np.abs(float(body.mass) * rate[:, 3:] - force[body.name]).max(), np.abs(spin - moment[body.name]).max()
        )
    return worst / largest


def test_every_body_of_a_four_bar_is_in_balance(linkage: lg.Motion) -> None:
    """Newton's and Euler's laws for each bar alone, from the wrenches of its joints and the force at the loop."""
    assert linkage.constraint_names == ("closure0.x", "closure0.y")
    force = np.column_stack([linkage.multipliers, np.zeros(len(linkage.t))])
    assert newton_euler(linkage, {"closure0": force}) < 1e-10


def test_every_body_of_a_spatial_loop_is_in_balance() -> None:
    mechanism, q = closed_chain(["revolute", "ball", "prismatic"], "ball", 3)
    q0 = lg.assemble(mechanism, q)
    qd0 = lg.consistent_speeds(mechanism, q0, np.linspace(-1, 1, mechanism.nv))
    motion = lg.simulate(mechanism, 0.5, q0, qd0, rtol=1e-10, atol=1e-12, t_eval=21)
    assert newton_euler(motion, {"close0": motion.multipliers}) < 1e-10


def test_along_free_axes_reactions_are_the_joint_forces(linkage: lg.Motion) -> None:
    """tau less friction about each axis; here torque at the crank, nothing at the other two."""
    np.testing.assert_allclose(linkage.reactions[:, :, 2], linkage.tau, rtol=0, atol=1e-9)
    np.testing.assert_allclose(linkage.tau[:, 0], 2 - 0.5 * linkage.qd[:, 0], rtol=0, atol=1e-12)


def test_constraint_forces_do_no_work(linkage: lg.Motion) -> None:
    power = np.einsum("sn,sn->s", linkage.constraint_forces, linkage.qd)
    assert np.abs(power).max() < 1e-11 * np.abs(linkage.constraint_forces * linkage.qd).max()
    psi = lg.compile(linkage.mechanism).constraint_jacobian(linkage.q)
    np.testing.assert_allclose(linkage.constraint_forces, np.einsum("smn,sm->sn", psi, linkage.multipliers), rtol=0, atol=1e-12)


# -- energies, drift, statistics -------------------------------------------------------------------------------------


def test_energies_are_in_closed_form(swing: lg.Motion) -> None:
    a, w = swing.q[:, 0], swing.qd[:, 0]
    np.testing.assert_allclose(swing.kinetic_energy, w**2 / 6, rtol=1e-12)
    np.testing.assert_allclose(swing.potential_energy, -G / 2 * np.cos(a), rtol=0, atol=1e-12)
    np.testing.assert_allclose(swing.energy, swing.energy[0], rtol=0, atol=1e-9)
    assert swing.energy_scale == pytest.approx(swing.kinetic_energy.max(), rel=0.2)


def test_work_and_balance(linkage: lg.Motion) -> None:
    assert set(linkage.work) == {"torque", "friction", "constraints"}
    assert np.abs(linkage.work["torque"][0]).max() < 1e-15
    assert np.abs(linkage.work["torque"][:, 1:]).max() == 0
    assert np.abs(linkage.work["constraints"]).max() < 1e-12
    change = linkage.energy - linkage.energy[0]
    np.testing.assert_allclose(linkage.work["torque"][:, 0], change, rtol=0, atol=1e-9 * linkage.energy_scale)
    np.testing.assert_allclose(linkage.energy_balance, change - linkage.total_work, rtol=0, atol=1e-15)


def test_drift_is_the_residual_of_the_loops(linkage: lg.Motion) -> None:
    dyn = lg.compile(linkage.mechanism)
    np.testing.assert_allclose(linkage.drift, np.abs(dyn.closure(linkage.q)).max(axis=1), rtol=0, atol=1e-16)
    np.testing.assert_allclose(linkage.rate_drift, np.abs(dyn.constraint_rate(linkage.q, linkage.qd)).max(axis=1), atol=1e-16)
    assert linkage.drift.max() < 1e-14
    assert linkage.statistics["drift_at_steps"] < 1e-14
    assert 0 < linkage.statistics["drift_between_steps"] < 1e-9


def test_nothing_to_drift(swing: lg.Motion) -> None:
    assert np.all(swing.drift == 0)
    assert swing.multipliers.shape == (len(swing.t), 0)
    assert swing.constraint_names == ()
    assert np.all(swing.constraint_forces == 0)


def test_statistics_count_steps_and_evaluations(linkage: lg.Motion) -> None:
    s = linkage.statistics
    assert (s["method"], s["rtol"], s["atol"]) == ("DOP853", 1e-11, 1e-12)
    assert s["accepted"] == sum(len(segment.steps) for segment in linkage.trajectory.segments)
    assert s["evaluations"] >= 12 * s["accepted"]
    assert 0 < s["independence"] <= 1


def test_texts_show_rows_span_and_drift(swing: lg.Motion, linkage: lg.Motion) -> None:
    assert repr(swing) == "<Motion of 'bar_pendulum': 1001 rows, 0 to 3 s; reached t = 3 s>"
    lines = str(linkage).splitlines()
    assert lines[0] == "four_bar: reached t = 3 s"
    assert lines[1].startswith("401 rows, ")
    assert lines[1].endswith(" of DOP853, rtol 1e-11")
    assert lines[2].startswith("energy balance: off by ")
    assert lines[3].startswith("constraint drift: ")
    assert linkage.summary() == str(linkage)
    assert "constraint drift" not in str(swing)


def test_limits_passed_are_reported() -> None:
    """A block of 1 kg pushed by 3 N for 2 s goes at 6 m/s."""
    push = {"t_eval": 3, "torque": [3.0]}
    message = str(lg.simulate(slider(limits=lg.JointLimits(speed=5.0, effort=2.0)), 2.0, **push))
    assert "x reaches 6 m/s; its limit is 5 m/s" in message
    assert "x is driven with 3 N; its limit is 2 N" in message
    assert "saturate=True" in message
    assert "its limit" not in str(lg.simulate(slider(limits=lg.JointLimits(speed=7.0, effort=3.0)), 2.0, **push))


def test_names_are_those_of_the_mechanism(linkage: lg.Motion) -> None:
    assert linkage.coordinate_names == linkage.speed_names == ("theta1", "phi2", "phi3")
    assert linkage.name == "four_bar"
    assert linkage.mechanism is not None


def test_same_input_same_bits(swing: lg.Motion) -> None:
    again = lg.simulate(pendulum(), 3.0, [1.2], [0.7], rtol=1e-11, atol=1e-12)
    assert np.array_equal(again.q, swing.q)
    assert np.array_equal(again.qdd, swing.qdd)


def test_dynamics_may_be_given_instead_of_a_mechanism(swing: lg.Motion) -> None:
    dyn = lg.compile(pendulum())
    motion = lg.simulate(dyn, 3.0, [1.2], [0.7], rtol=1e-11, atol=1e-12)
    assert np.array_equal(motion.q, swing.q)


def test_warns_of_what_is_worse_than_promised() -> None:
    """Of drift, where nothing is done against it."""
    mechanism = four_bar()
    q0 = lg.assemble(mechanism, [0.8, 0.3, 1.9], fixed=["theta1"])
    with pytest.warns(lg.SimulationWarning, match=r"constraints drift by up to .*use stabilisation='projection'"):
        lg.simulate(mechanism, 200.0, q0, {"theta1": 2.0}, stabilisation="none", method="dp5", rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", ["two_r", "four_bar", "stewart", "chaplygin_sleigh", "parallelogram"])
def test_good_runs_say_nothing(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motion = lg.simulate(lg.library(name), t_eval=11)
    assert motion.success
    assert motion.message.startswith("reached t = ")


def test_nothing_moves_nothing_is_reported() -> None:
    """A chain that hangs at rest."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motion = lg.simulate(chain(2), 5.0, [0.0, 0.0])
    assert np.all(motion.q == 0)
    assert np.abs(motion.energy_balance).max() == 0


def test_a_closed_loop_at_rest_is_no_reason_to_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motion = lg.simulate(lg.library("parallelogram"), 1.0, "hanging", [0.0] * 5)
    np.testing.assert_allclose(motion.q, np.tile(motion.q[0], (len(motion.t), 1)), rtol=0, atol=1e-9)


# -- motions with nothing in them ------------------------------------------------------------------------------------


def test_empty_motion() -> None:
    """Stopped before the first row that was asked for."""
    motion = lg.simulate(slider(), 3.0, [0.0], [1.0], events="x - 1", t_eval=[2.0, 3.0])
    assert motion.last == pytest.approx(1.0)
    assert "stopped by event" in motion.message
    if not len(motion.t):
        assert motion.q.shape == motion.qd.shape == (0, 1)
        assert motion.energy_balance.shape == (0,)
        assert "nothing" in repr(motion)
    assert "stopped by event" in str(motion)
    assert len(motion.reactions) == len(motion.t)
    with pytest.raises(lg.ArgumentError, match="outside the motion"):
        motion(2.5)


def test_mechanism_that_cannot_move() -> None:
    """A truss: three bars and a brace, as many equations as speeds. It stays, and carries its weight."""
    mechanism = four_bar()
    q0 = lg.assemble(mechanism, [0.8, 0.3, 1.9], fixed=["theta1"])
    end = lg.compile(mechanism).pose(q0, "coupler") @ np.array([0.4, 0, 0, 1])
    length = float(np.hypot(end[0] - 0.2, end[1] + 1))
    brace = lg.LoopJoint("brace", "distance", "coupler", "ground", (0.4, 0, 0), (0.2, -1, 0), length=length)
    mechanism = mechanism.replace(loops=[*mechanism.loops, brace])
    assert lg.mobility(mechanism, q0).degrees == 0
    motion = lg.simulate(mechanism, 1.0, q0, t_eval=5)
    assert np.abs(motion.q - q0).max() < 1e-12
    weight = lg.compile(mechanism).gravity(q0)
    np.testing.assert_allclose(motion.constraint_forces, [weight] * 5, rtol=0, atol=1e-9)


def test_mechanism_without_joints_that_move() -> None:
    mechanism = lg.Mechanism("stone", [lg.Body("stone", 1.0)], [lg.Joint("glued", "fixed", "ground", "stone")])
    motion = lg.simulate(mechanism, 1.0, t_eval=3)
    assert motion.q.shape == (3, 0)
    assert "energy balance: nothing moved" in str(motion)
    assert "off by" not in str(motion)


def test_a_run_without_a_tolerance_has_a_summary() -> None:
    motion = lg.simulate("pendulum", 0.05, t_eval=5, atol=1e200)
    assert "nothing moved" in motion.summary()
