"""Warnings and endings say what is so: they advise nothing that is on already, blame nothing that is not there."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.motion.result import accuracy
from tests.motion.machines import chain, pendulum, slider


@pytest.fixture
def quiet() -> object:
    """Any warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_no_alarm_where_next_to_nothing_moves(quiet: object) -> None:
    """Speeds of 1e-23 m/s are right to atol = 1e-10 m/s, whatever part of them is wrong."""
    motion = lg.simulate(slider(), 10, [0.0], [0.0], {"x": "1e-22*sin(40*t)"})
    assert motion.energy_scale < 1e-40
    assert "nothing moved" in motion.summary()


def test_a_motion_between_the_rows_counts_as_moved(quiet: object) -> None:
    """Led out and back within milliseconds, at rest at every row: energy is lost in the digits of the 7 kJ between."""
    led = slider(2.0, constraints=[lg.HolonomicConstraint("lead", "x - 0.1*exp(-((t-1.3)/1e-3)^2)")])
    motion = lg.simulate(led, 3, t_eval=7)
    assert motion.kinetic_energy.max() == 0
    _, qd = motion(np.linspace(1.295, 1.305, 101))
    assert np.abs(qd).max() > 80


def test_projection_is_not_advised_where_it_is_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accuracy, "promised", lambda *_: 1e-18)
    mechanism = lg.library("four_bar")
    with pytest.warns(lg.SimulationWarning) as caught_warnings:
        lg.simulate(mechanism, 1.0, t_eval=50)
    drift = next(str(w.message) for w in caught_warnings if "drift" in str(w.message))
    assert "stabilisation" not in drift
    assert "max_step" in drift
    balance = next(str(w.message) for w in caught_warnings if "balance" in str(w.message))
    assert "smooth" not in balance  # no function acts that could be rough
    with pytest.warns(lg.SimulationWarning, match="use stabilisation='projection', or a smaller rtol"):
        lg.simulate(mechanism, 1.0, t_eval=50, stabilisation="none")


def test_what_python_functions_do_is_blamed_where_there_are_any(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accuracy, "promised", lambda *_: 1e-18)
    with pytest.warns(lg.SimulationWarning, match="a function of torques, wrenches or events may not be smooth"):
        lg.simulate(slider(), 3, [0.0], [0.0], lambda t, q, qd: [abs(math.sin(9 * t))])


@pytest.mark.parametrize(("method", "advised"), [("dp5", True), ("rodas5p", False)])
def test_a_method_for_stiff_systems_is_not_advised_where_it_is_used(method: str, advised: bool) -> None:
    with pytest.warns(lg.EndedEarlyWarning) as caught_warnings:
        motion = lg.simulate(slider(), 3, [0.0], [0.0], {"x": "sqrt(1 - t)"}, method=method)
    assert motion.status.value == "step too small"
    ended = [str(w.message) for w in caught_warnings if "stopped at" in str(w.message)]
    assert ("rodas5p" in ended[0]) == advised


def test_equations_that_follow_from_others_are_no_singularity() -> None:
    arm = chain(2)
    twice = arm.replace(constraints=[lg.HolonomicConstraint("straight", "a1"), lg.HolonomicConstraint("again", "2*a1")])
    with pytest.warns(lg.EndedEarlyWarning):
        motion = lg.simulate(twice, 3, [0.1, 0.0], [0.0, 0.0], {"a0": "sqrt(1 - t)"}, method="dp5")
    assert motion.status.value == "step too small"


def test_a_start_at_a_limit_is_not_outside_it_by_rounding(quiet: object) -> None:
    stopped = pendulum(limits=lg.JointLimits(lower=-1.2, upper=0.3))
    motion = lg.simulate(stopped, 0.2, [np.nextafter(0.3, 1.0)], t_eval=5)
    assert motion.q.max() <= 0.3 + 1e-12
