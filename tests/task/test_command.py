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
    end = lg.Placement(position=(0.4, 0, 0))
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
    with pytest.warns(lg.PathWarning, match="do not command"):
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
    assert len(motion.follower._series.coefficients) < 100
    assert len(motion.torque.series.coefficients) < 100
