"""Events that change a payload or parameters in a run."""

from __future__ import annotations

import numpy as np
import pytest

import lagrangian as lg

GRIP = lg.Event("t - 0.5", lg.SetPayload("tip", 3.0, center=(0.05, 0, 0)), name="grip")
RELEASE = lg.Event("t - 1.1", lg.SetPayload("tip", 0.0), name="release")


def test_the_run_is_made_of_runs_with_and_without_it():
    arm = lg.library("two_r")
    whole = lg.simulate(arm, 2.0, events=[GRIP, RELEASE], rtol=1e-11, atol=1e-13)
    loaded = arm.with_payload("tip", 3.0, center=(0.05, 0, 0))
    q, qd, t = np.array(arm.initial.q, dtype=float), np.zeros(2), 0.0
    for mechanism, until in ((arm, 0.5), (loaded, 1.1), (arm, 2.0)):
        part = lg.simulate(mechanism, (t, until), q, qd, rtol=1e-11, atol=1e-13, t_eval=2)
        q, qd, t = part.q[-1], part.qd[-1], until
    np.testing.assert_allclose(whole.q[-1], q, atol=1e-8)
    np.testing.assert_allclose(whole.qd[-1], qd, atol=1e-8)
    assert [e.name for e in whole.events] == ["grip", "release"]
    # the energy that the payload brings and takes is in the balance
    assert np.abs(whole.energy_balance).max() < 1e-6 * whole.energy_scale
    assert np.abs(whole.work["payloads"][-1]) > 1.0
    middle = np.searchsorted(whole.t, 0.8)
    dyn = lg.compile(loaded)
    assert whole.kinetic_energy[middle] == pytest.approx(dyn.kinetic_energy(whole.q[middle], whole.qd[middle]), rel=1e-12)
    reaction = dyn.reactions(whole.q[middle], whole.qd[middle], whole.qdd[middle])
    np.testing.assert_allclose(whole.reactions[middle], reaction, rtol=1e-9, atol=1e-9)


def test_what_is_a_part_of_the_mechanism_is_not_released_without_a_word():
    arm = lg.library("two_r").with_payload("tip", 3.0)
    with pytest.warns(lg.SimulationWarning, match="releases the payload at 'tip', but no event has gripped one"):
        lg.simulate(arm, 2.0, events=[RELEASE])


def test_a_pendulum_that_picks_up_a_mass_where_it_is():
    """At rest, at the turning point, the period changes and nothing else: the amplitude stays."""
    rod = lg.Body("rod", 1.0, (0, -0.5, 0), (1 / 12, 0, 1 / 12))
    joint, end = lg.Joint("q", "revolute", "ground", "rod"), lg.Frame("end", "rod", (0, -1, 0))
    pendulum = lg.Mechanism("pendulum", (rod,), (joint,), frames=(end,), gravity=(0, -9.81, 0))
    grip = lg.Event("qd_q", lg.SetPayload("end", 2.0), "falling", name="grip")
    motion = lg.simulate(pendulum, 4.0, [-0.3], [0.0], events=[grip], rtol=1e-10, atol=1e-12)
    turning = motion.events[0].t
    assert motion.q[np.searchsorted(motion.t, turning + 0.01) :, 0].max() == pytest.approx(0.3, abs=1e-4)


def test_parameters_that_change_take_torques_with_them():
    slide = lg.loads("""
        name = "slide"
        gravity = [0, 0, 0]
        parameters = { m = 2.0, f = 4.0 }
        body = [{ name = "block", mass = "m" }]
        joint = [{ name = "x", type = "prismatic", axis = [1, 0, 0], child = "block" }]
        initial = { q = [0], t_span = [0, 2], torque = { x = "f" } }
    """)
    heavier = lg.Event("t - 1", lg.SetParameters({"m": 4.0, "f": 1.0}), name="change")
    motion = lg.simulate(slide, 2.0, events=[heavier])
    assert motion.qd[-1, 0] == pytest.approx(2.0 + 0.25, rel=1e-9)
    assert motion.tau[-1, 0] == pytest.approx(1.0)
    assert motion.tau[0, 0] == pytest.approx(4.0)
    # 2 kg more at 2 m/s; nothing was struck
    assert motion.work["parameters"][-1] == pytest.approx(4.0, rel=1e-9)
    assert "impacts" not in motion.work


def test_a_plot_names_what_the_energy_comes_from():
    from lagrangian.plots.quantities import QUANTITIES, CurveSelection

    motion = lg.simulate("two_r", 1.0, events=[GRIP])
    (panel,) = QUANTITIES["energy"](CurveSelection(motion, None, None, "degrees", "auto"))
    assert "added by payloads" in panel.names
    assert not any("impacts" in name for name in panel.names)


def test_what_cannot_be_is_refused():
    with pytest.raises(lg.ArgumentError, match="'hand'"):
        lg.simulate("two_r", 1.0, events=[lg.Event("t - 0.5", lg.SetPayload("hand", 1.0))])
    with pytest.raises(lg.ArgumentError, match="'l9'"):
        lg.simulate("two_r", 1.0, events=[lg.Event("t - 0.5", lg.SetParameters({"l9": 1.0}))])
    with pytest.raises(lg.SimulationError, match="loops would open"):
        lg.simulate("four_bar", 1.0, events=[lg.Event("t - 0.5", lg.SetParameters({"l2": 1.0}))])
