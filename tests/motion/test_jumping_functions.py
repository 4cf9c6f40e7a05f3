"""Python functions that jump or are noisy: a run that gets nowhere ends, and says why and what to do."""

from __future__ import annotations

import numpy as np
import pytest

import lagrangian as lg

RNG = np.random.default_rng(3)
SLIDER = lg.Mechanism(
    "slider",
    [lg.Body("block", mass=1.0)],
    [lg.Joint("x", "prismatic", "ground", "block", axis=(1, 0, 0))],
    frames=[lg.Frame("face", "block")],
)
CASES = {
    "friction": ({"torque": lambda t, q, qd: -3 * np.sign(qd)}, r"the torque of 'x'.* jumps between -?3 and -?3.*`friction`"),
    "noise": ({"torque": lambda t, q, qd: [RNG.normal()]}, "the torque of 'x'.* differs from call to call.*Sampled"),
    "wrench": (
        {"wrenches": {"face": lambda t, q, qd: [0, 0, 0, -3 * np.sign(qd[0]), 0, 0]}},
        "the wrench on 'face'.* jumps between -?3 and -?3",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_run_that_gets_nowhere_ends(name: str) -> None:
    """A block with 1.5 m/s and a force of 3 N against its motion stops after half a second, and a run cannot go on there."""
    options, said = CASES[name]
    with pytest.warns(lg.EndedEarlyWarning, match=said):
        motion = lg.simulate(SLIDER, 10, [0.0], [1.5], **options)
    assert motion.status is lg.Status.CHATTERING
    assert motion.statistics["accepted"] + motion.statistics["rejected"] < 5000
    if name != "noise":
        assert motion.last == pytest.approx(0.5, abs=1e-3)
        assert motion.q[-1, 0] == pytest.approx(0.375, abs=1e-6)


def test_steps_that_are_short_for_a_reason_go_on() -> None:
    """A stiff torque is smooth: the run makes as many steps as it may."""
    with pytest.warns(lg.EndedEarlyWarning, match="2500 steps were made; max_steps allows more"):
        motion = lg.simulate(SLIDER, 1e6, [0.0], [1.0], torque=lambda t, q, qd: 1e3 * (np.cos(t) - qd), max_steps=2500)
    assert motion.status is lg.Status.TOO_MANY_STEPS


def test_jumps_that_are_passed_are_no_reason_to_end() -> None:
    """A square wave of 1 N on 1 kg, at 5 Hz: after each whole period the speed is zero, and the way is T^2/4 longer."""
    motion = lg.simulate(SLIDER, 1.0, [0.0], torque=lambda t, q, qd: [1.0 if t * 5 % 1 < 0.5 else -1.0], rtol=1e-10)
    assert motion.success
    np.testing.assert_allclose([motion.q[-1, 0], motion.qd[-1, 0]], [5 * 0.2**2 / 4, 0.0], rtol=0, atol=1e-8)
