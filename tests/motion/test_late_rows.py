"""Rows are made for several steps at once: bit for bit what every step gives by itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.kernels.llvm import target
from lagrangian.motion.solver import places
from lagrangian.motion.solver.stepper import Stepper

MECHANISMS = {"two_r": 3.0, "four_bar": 2.0}
# a step that is made again begins with slopes at its state: after a projection they had other roundings
EXACTLY = {"two_r": 0.0, "four_bar": 1e-10}


def simulate_named(name: str, method: str, t_eval: int, events: tuple[lg.Event, ...] = ()) -> lg.Motion:
    return lg.simulate(lg.library(name), MECHANISMS[name], method=method, t_eval=t_eval, events=list(events))


def steps_of(motion: lg.Motion, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The states at these times, each from its step made once more by itself; and the steps, and the places in them."""
    trajectory = motion.trajectory
    assert trajectory is not None
    (segment,) = trajectory.segments
    begins = segment.steps[:, 0]
    of = np.searchsorted(begins, t, side="left") - 1  # a row at the end of a step is that step's
    of[t == begins[0]] = 0
    theta = (t - begins[of]) * (1.0 / segment.steps[of, 1])
    alone = replace(segment, dense=None)
    return segment.solver.replay(alone, of, theta, trajectory.settings.rtol, trajectory.settings.atol), of, theta


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("method", ["dop853", "verner9"])
@pytest.mark.parametrize("rows", [401, 13])
def test_rows_are_those_of_single_steps(name: str, method: str, rows: int) -> None:
    motion = simulate_named(name, method, rows)
    actual, _, _ = steps_of(motion, motion.t)
    trajectory = motion.trajectory
    assert trajectory is not None  # its rows are as they were made: those of the motion have their loops closed
    assert np.abs(trajectory.rows - actual).max() <= EXACTLY[name]


@pytest.mark.parametrize("name", MECHANISMS)
def test_interpolants_that_are_kept_are_those_of_single_steps(name: str) -> None:
    motion = simulate_named(name, "dop853", 401)
    _, of, theta = steps_of(motion, motion.t)
    trajectory = motion.trajectory
    assert trajectory is not None
    (segment,) = trajectory.segments
    assert segment.dense is not None
    assert np.isfinite(segment.dense).all()  # there are rows in every step
    again = [segment.solver.replay(replace(segment, dense=d), of, theta, 1e-8, 1e-10) for d in (segment.dense, None)]
    assert np.abs(again[0] - again[1]).max() <= EXACTLY[name]


def test_rows_before_an_event_that_stops() -> None:
    stop = lg.Event("theta1 + pi/2", action="stop", name="down")
    motion = simulate_named("two_r", "dop853", 401, (stop,))
    assert motion.status is lg.Status.STOPPED_BY_EVENT
    actual, _, _ = steps_of(motion, motion.t[:-1])
    assert np.array_equal(np.hstack([motion.q, motion.qd])[:-1], actual)


def test_a_caller_finds_all_rows_made() -> None:
    """However few steps it asks for at a time."""
    motion = simulate_named("two_r", "dop853", 401)
    trajectory = motion.trajectory
    assert trajectory is not None
    (segment,) = trajectory.segments
    first = segment.steps[0, 2:]
    stepper = Stepper(segment.solver, 0.0, first, segment.u, motion.t, 1e-8, 1e-10)
    expected = np.hstack([motion.q, motion.qd])
    stepper._budget = 3
    assert target.current().width == 1 or segment.solver.workspace.sizes["late_y"]
    for end in (0.4, 1.1, 3.0):
        assert stepper.to(end) == places.DONE
        assert stepper.c[places.LATE] == 0
        filled = stepper.rows_filled
        assert filled == np.searchsorted(motion.t, end, side="right")
        assert np.abs(stepper.rows[:filled] - expected[:filled]).max() < 1e-7
