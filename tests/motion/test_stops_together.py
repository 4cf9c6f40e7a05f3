"""Stops that several joints meet at once, or that throw each other's joints off: no impact gains energy, and runs get on."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import lagrangian as lg


@pytest.fixture(scope="module")
def folded_arm() -> lg.Mechanism:
    """Two links that turn about parallel axes, with stops at zero."""
    bodies = [lg.Body(name, mass=1.0, center=(0.25, 0, 0), inertia=(0.01, 0, 0, 0.02, 0, 0.02)) for name in ("a", "b")]
    limits, elbow = lg.JointLimits(0, 1), lg.Transform(position=(0.5, 0, 0))
    joints = [
        lg.Joint("p", "revolute", "ground", "a", axis="z", limits=limits),
        lg.Joint("r", "revolute", "a", "b", elbow, axis="z", limits=limits),
    ]
    return lg.Mechanism("folded", bodies, joints, gravity=(0, 0, 0))


def against_both(
    folded_arm: lg.Mechanism, speeds: tuple[float, float], before: float, after: float, restitution: float
) -> lg.Motion:
    """A run that meets both stops at the same instant: the way from them, backwards."""
    away = lg.simulate(folded_arm, before, [0.0, 0.0], speeds, limits=False)
    return lg.simulate(folded_arm, before + after, away.q[-1], -away.qd[-1], restitution=restitution)


@pytest.mark.parametrize("speeds", [(1.75, 1.03), (0.5, 1.9), (1.2, 0.4), (0.9, 0.9)])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.9, 1.0])
def test_no_impact_gains_energy(folded_arm: lg.Mechanism, speeds: tuple[float, float], restitution: float) -> None:
    motion = against_both(folded_arm, speeds, 0.1, 0.1, restitution)
    assert motion.success
    energy = motion.kinetic_energy
    assert all(change <= 1e-12 * energy[0] for _, change in motion.trajectory.impacts)
    if restitution == 1.0:
        assert energy[-1] == pytest.approx(energy[0], rel=1e-8)
    assert motion.q.min() > -1e-9


def test_both_rest_after_an_impact_without_bounce(folded_arm: lg.Mechanism) -> None:
    motion = against_both(folded_arm, (1.0, 0.8), 0.2, 0.05, 0.0)
    assert motion.success
    assert len(motion.events) < 10


def test_joints_that_meet_their_stops_at_the_same_instant_both_bounce() -> None:
    joints = [lg.Joint(n, "prismatic", "ground", f"body_{n}", axis="x", limits=lg.JointLimits(0, 10)) for n in "xy"]
    bodies = [lg.Body(f"body_{n}", mass=1.0) for n in "xy"]
    motion = lg.simulate(lg.Mechanism("two", bodies, joints, gravity=(-10, 0, 0)), 1.5, [1.0, 1.0], restitution=0.5)
    fall = np.sqrt(0.2)  # from 1 m at 10 m/s^2; the first bounce takes as long again, and is a quarter as high
    assert motion(1.5 * fall)[0] == pytest.approx([0.25, 0.25], abs=1e-7)
    after = 1.1 - 2 * fall  # of the second bounce
    expected = 10 * fall * 0.25 * after - 5 * after**2
    assert motion(1.1)[0] == pytest.approx([expected, expected], abs=1e-7)


def test_joints_that_throw_each_other_off_come_to_rest() -> None:
    """Each impact throws the other joint off its stop: flights without end, ever shorter, within a finite time."""
    joints = [
        lg.Joint("x", "prismatic", "ground", "carriage", axis="x", limits=lg.JointLimits(1, 5)),
        lg.Joint("y", "prismatic", "carriage", "ram", axis="x", limits=lg.JointLimits(-5, -1)),
    ]
    bodies = [lg.Body("carriage", mass=1.0), lg.Body("ram", mass=1.0)]
    pair = lg.Mechanism("pair", bodies, joints, gravity=(-10, 0, 0))
    motion = lg.simulate(pair, 8.0, [2.0, -1.0], torque=[0, 40.0])
    assert motion.success
    assert motion.q[-1] == pytest.approx([1.0, -1.0], abs=1e-9)
    assert motion.qd[-1] == pytest.approx([0.0, 0.0], abs=1e-12)


def test_rounding_does_not_lift_a_joint_off_its_stop() -> None:
    """The fingers of a gripper slide across the plane in which its arm swings: nothing but rounding pushes them."""
    turn = Rotation.from_euler("xyz", [0.3, 0.7, 0.2])
    ground = lg.Transform(rotation=tuple(map(tuple, turn.as_matrix().tolist())))
    wrist = lg.Transform(position=(0.3, 0, 0))
    joints = [
        lg.Joint("shoulder", "revolute", "ground", "arm", ground, axis="y", friction=lg.Friction(0.2)),
        lg.Joint("wrist", "revolute", "arm", "hand", wrist, axis="y", friction=lg.Friction(0.2)),
        lg.Joint("left", "prismatic", "hand", "left", wrist, axis=(0, 1, 0), limits=lg.JointLimits(0, 0.05)),
        lg.Joint("right", "prismatic", "hand", "right", wrist, axis=(0, -1, 0), limits=lg.JointLimits(0, 0.05)),
    ]
    bodies = [lg.Body(name, mass=1.0, center=(0.1, 0, 0)) for name in ("arm", "hand", "left", "right")]
    gripper = lg.Mechanism("gripper", bodies, joints, gravity=tuple(turn.apply([9.81, 0, 0]).tolist()))
    motion = lg.simulate(gripper, 1.0, torque={"wrist": 0.1})
    assert motion.success
    assert not motion.events
    assert not motion.q[:, 2:].any()
