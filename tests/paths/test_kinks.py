"""Paths of formulas with kinks: their accelerations jump, and whoever follows them knows when."""

from __future__ import annotations

import numpy as np
import pytest

import lagrangian as lg
from tests.motion.machines import slider


def test_discontinuities_of_a_formula() -> None:
    """At rest, then with a constant acceleration; at a break the path is what it is afterwards."""
    path = lg.paths.formula({"x": "max(0, t - 1)^2"}, 3.0)
    assert path.discontinuities == (1.0,)
    _, _, qdd = path(np.array([1.0 - 1e-9, 1.0, 2.0]))
    np.testing.assert_allclose(qdd[:, 0], [0.0, 2.0, 2.0])
    assert path.with_start_time(5.0).discontinuities == (6.0,)


def test_narrow_jumps_are_refused() -> None:
    """Also those that few places along the path would not show."""
    with pytest.raises(lg.ArgumentError, match=r"the formula of 'x': its value jumps from 0 to 1 at t = 1.2345 s"):
        lg.paths.formula({"x": "piecewise(t < 1.2345, 0, t < 1.2346, 1, 0)"}, 3.0)
    with pytest.raises(lg.ArgumentError, match=r"its speed jumps from -1 to 1 at t = 0.7 s"):
        lg.paths.formula({"x": "abs(t - 0.7)"}, 3.0)


@pytest.mark.parametrize("t_eval", [7, 1001])
def test_inverse_and_back(t_eval: int) -> None:
    """Led by a formula with a kink, pushed by a pulse: work and energy balance, and the torques lead it again."""
    block, path = slider(2.0), lg.paths.formula({"x": "max(0, t - 1)^2 + t"}, 3.0)
    pulse = {"block": (0, 0, 0, "1000*(sign(t-2) - sign(t-2.001))/2", 0, 0)}
    motion = lg.inverse(block, path, wrenches=pulse, t_eval=t_eval)
    # 1 N s at a speed of about 3 m/s: the block moves by x(2.001) - x(2) meanwhile
    assert motion.work["wrenches"][-1] == pytest.approx(1000 * (1.001**2 + 2.001 - 3), rel=1e-9)
    assert np.abs(motion.energy_balance).max() < 1e-9
    again = lg.simulate(block, torque=motion.torque, wrenches=pulse, rtol=1e-10, atol=1e-12, **motion.start)
    assert again.q[-1, 0] == pytest.approx(7.0, rel=1e-9)
    assert again.qd[-1, 0] == pytest.approx(5.0, rel=1e-9)


def test_a_controller_steps_to_the_kinks_of_its_reference() -> None:
    block = slider(2.0)
    controller = lg.control.ComputedTorque(block, lg.paths.formula({"x": "max(0, t - 1)^2"}, 3.0))
    assert 1.0 in controller.discontinuities
    motion = lg.simulate(block, 3, [0.0], [0.0], controller, t_eval=7)
    np.testing.assert_allclose(motion.q[:, 0], np.maximum(0, motion.t - 1) ** 2, atol=1e-8)
