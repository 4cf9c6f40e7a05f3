"""Where the actuated joints lose command of a mechanism: named, also between rows, but not where nothing pushes."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import lagrangian as lg
from tests.motion.machines import bar


def symmetric_five_bar(gravity: float = -9.81) -> lg.Mechanism:
    """Cranks of 0.3 m, 0.3 m apart, rods of 0.4 m that meet in the tip."""
    bodies = [bar("c1", 1.0, 0.3), bar("c2", 1.0, 0.3), bar("r1", 1.0, 0.4), bar("r2", 1.0, 0.4)]
    joints = [
        lg.Joint("a1", "revolute", "ground", "c1"),
        lg.Joint("b1", "revolute", "c1", "r1", (0.3, 0, 0), actuated=False),
        lg.Joint("a2", "revolute", "ground", "c2", (0.3, 0, 0)),
        lg.Joint("b2", "revolute", "c2", "r2", (0.3, 0, 0), actuated=False),
    ]
    end = lg.Transform(position=(0.4, 0, 0))
    loop = lg.LoopJoint("tip", "point", "r1", "r2", end, end, directions=("x", "y"))
    frame = lg.Frame("tip", "r1", end)
    return lg.Mechanism("five", bodies, joints, [loop], frames=[frame], gravity=(0, gravity, 0))


@pytest.mark.parametrize("rows", [11, 1001, 1010])
def test_rods_in_line_are_named_whatever_the_rows(rows: int) -> None:
    """On the axis of symmetry the rods are in line when each crank's end is as high as the tip: 0.15 + 0.3 |cos a| = 0.4."""
    path = lg.paths.line((0.15, 0.5), (0.15, 0.02), 1.0)
    with pytest.raises(lg.ActuationError, match="b1, b2 can still move") as caught:
        lg.inverse(symmetric_five_bar(), path, "tip", {"a1": 2.1, "a2": 0.99}, t_eval=rows)
    height = path(caught.value.t)[0][1, 3]
    assert height == pytest.approx(0.3 * np.sqrt(1 - (0.25 / 0.3) ** 2), abs=1e-9)


def test_dead_centre_of_a_driven_slider() -> None:
    crank = lg.library("slider_crank")
    crank = crank.replace(joints=[replace(j, actuated=j.name == "x") for j in crank.joints])
    with pytest.raises(lg.ActuationError) as caught:
        lg.inverse(crank, lg.paths.formula({"theta": "pi/2 + 2*pi*t"}, 1.0), t_eval=1000)
    assert caught.value.t == pytest.approx(0.25, abs=1e-9)


def test_near_such_a_place_is_warned_of() -> None:
    high = 0.3 * np.sqrt(1 - (0.25 / 0.3) ** 2)
    path = lg.paths.line((0.15, 0.4), (0.15, high + 1e-3), 1.0)
    with pytest.warns(lg.PathWarning, match="do not control"):
        lg.inverse(symmetric_five_bar(), path, "tip", {"a1": 2.1, "a2": 0.99})


def test_where_nothing_pushes_the_path_may_pass() -> None:
    """Without weight, and so slow that inertia is none: torques stay what they are, nothing."""
    path = lg.paths.line((0.15, 0.5), (0.15, 0.02), 1e9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lg.PathWarning)
        motion = lg.inverse(symmetric_five_bar(0.0).replace(name="weightless"), path, "tip", {"a1": 2.1, "a2": 0.99}, t_eval=100)
    assert np.abs(motion.tau).max() < 1e-9


def test_symmetric_poses_cost_no_more() -> None:
    """Joints that stay at rounding's size are not resolved to its last digit."""
    panda = lg.library("panda")
    q = np.array([0, -0.785, 0, -2.356, 0, 1.571, 0.785])
    pose = lg.compile(panda).pose(q, "tool")
    goal = pose.copy()
    goal[2, 3] -= 0.1
    motion = lg.inverse(panda, lg.paths.line(pose, goal, 1.0), "tool", q0=q, t_eval=11)
    assert motion.follower is not None
    assert len(motion.follower._coordinate_series.coefficients) < 100
    assert len(motion.torque.series.coefficients) < 100


@pytest.mark.slow
def test_dry_friction_never_exceeds_what_it_has() -> None:
    """Under a controller whose torques jump as its path sets out, in a loop with two dry joints."""
    five = symmetric_five_bar()
    dry = {"a1": 1.0, "b1": 0.2}
    five = five.replace(joints=[replace(j, friction=lg.Friction(coulomb=dry.get(j.name, 0.0))) for j in five.joints], name="dry")
    path = lg.paths.line((0.15, 0.5), (0.2, 0.45), 0.5, frame="tip")
    q0 = lg.inverse_kinematics(five, (0.15, 0.5), "tip", {"a1": 2.1, "a2": 0.99})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lg.SimulationWarning)  # of coupled dry friction
        motion = lg.simulate(five, 0.03, q0=q0, torque=lg.control.OperationalSpace(five, path), t_eval=31)
    assert (np.abs(motion.friction).max(axis=0) <= [1.0 + 1e-9, 0.2 + 1e-9, 0, 0]).all()
    tip = lg.compile(five).pose(motion.q, "tip")[:, :2, 3]
    assert np.abs(tip - path(motion.t)[0][:, :2, 3]).max() < 1e-4


def test_square_but_dependent_equations() -> None:
    """One freedom led, and one redundant row: as many equations as speeds, but not of full rank."""
    five = symmetric_five_bar()
    end = lg.Transform(position=(0.4, 0, 0))
    more = lg.LoopJoint("again", "point", "r1", "r2", end, end, directions=("x",))
    path = lg.paths.joint_line({"a1": 2.1}, {"a1": 1.9}, 1.0)
    q0 = lg.inverse_kinematics(five, {"a1": 2.1, "a2": 0.99}, q0={"b1": -1.4, "b2": 1.4})
    once = lg.inverse(five, path, q0=q0, t_eval=21)
    twice = lg.inverse(five.replace(loops=(*five.loops, more), name="twice"), path, q0=q0, t_eval=21)
    np.testing.assert_allclose(twice.q, once.q, atol=1e-8)
    np.testing.assert_allclose(twice.tau, once.tau, atol=1e-6)
