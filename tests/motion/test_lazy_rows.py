"""What a motion computes when it is asked for is what it was in the run, whatever has happened in between."""

import numpy as np
import pytest

import lagrangian as lg

MECHANISM = lg.library("two_r")
START = {"q0": [0.3, 0.4], "qd0": [0.0, 0.0]}


def test_torques_of_functions_are_those_of_the_run():
    """A loop's variable that a function sees changes after the run."""
    runs = []
    for k in (1.0, 2.0):
        runs.append(lg.simulate(MECHANISM, 0.2, torque=lambda t, q, qd: [k, 0.0], **START))  # noqa: B023
    assert (runs[0].tau[:, 0] == 1.0).all()
    assert (runs[1].tau[:, 0] == 2.0).all()
    assert abs(runs[0].energy_balance).max() < 1e-4


def test_wrenches_of_functions_are_those_of_the_run():
    force = {"now": 3.0}
    wrenches = {"tip": lambda t, q, qd: [0, 0, 0, force["now"], 0, 0]}
    motion = lg.simulate(MECHANISM, 0.2, wrenches=wrenches, **START)
    force["now"] = 0.0
    assert (motion.wrenches["tip"][:, 3] == 3.0).all()


def test_arrays_that_are_changed_change_nothing_else():
    times = np.linspace(0, 0.5, 6)
    motion, other = (
        lg.simulate(MECHANISM, 0.5, t_eval=value, torque={"theta1": "sin(t)"}, **START) for value in (times, times.copy())
    )
    times *= 0.5
    motion.t[:] *= 1000
    motion.q[:] = np.degrees(motion.q)
    assert (motion.tau == other.tau).all()
    assert (motion.potential_energy == other.potential_energy).all()
    assert (motion.qdd == other.qdd).all()


def test_a_motion_stays_readable_when_its_dynamics_are_closed():
    """Everything that has not been asked for yet is as it is of a motion whose dynamics are open."""
    bar = lg.library("four_bar")
    options = {"torque": {"theta1": "sin(t)"}, "t_eval": 21}
    with lg.compile(bar) as dyn:
        motion = lg.simulate(dyn, 0.5, **options)
    other = lg.simulate(bar, 0.5, **options)
    for name in ("q", "qdd", "tau", "multipliers", "constraint_forces", "kinetic_energy", "energy_balance", "drift", "reactions"):
        assert np.array_equal(getattr(motion, name), getattr(other, name)), name
    assert np.array_equal(motion.resample(5).qd, other.resample(5).qd)
    with pytest.raises(lg.DynamicsClosedError, match="were closed; compile the mechanism again"):
        lg.simulate(dyn, 0.5)
