"""Prescribed motion and dead centres with dry friction, by every integrator, and at tight tolerances."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from tests.motion.machines import energy_error, formula, slider
from tests.motion.test_coupled_friction import compiled_slider_crank, obeys, slider_crank, slider_crank_reduced, steps_of

# the symplectic one is for mechanisms without friction, and says so
METHODS = ["dop853", "dp5", "verner9", "rodas5p", "rk4"]


def how(method: str) -> dict[str, Any]:
    return {"method": method, "rtol": 1e-9, "atol": 1e-11} | ({"step": 1e-3} if method == "rk4" else {})


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("lead", ["0.5*t^2", "1 - cos(t)"])
def test_a_led_block(lead: str, method: str) -> None:
    """A kilogram with 3 N of friction needs a + 3 sgn v: 4 N from the start on, and the other sign after a reversal."""
    led = slider(
        1.0, constraints=[lg.HolonomicConstraint("lead", formula(f"x - ({lead})", "x"))], friction=lg.Friction(coulomb=3.0)
    )
    motion = lg.simulate(led, 6.0, t_eval=61, **how(method))
    slides = np.abs(motion.qd[:, 0]) > 1e-6
    expected = (np.ones_like(motion.t) if lead == "0.5*t^2" else np.cos(motion.t)) + 3 * np.sign(motion.qd[:, 0])
    assert slides.sum() >= 59
    np.testing.assert_allclose(motion.multipliers[slides, 0], expected[slides], atol=1e-6)


@pytest.mark.parametrize("rtol", [1e-6, 1e-11, 1e-13])
@pytest.mark.parametrize(("friction", "motor"), [(5.0, 0.0), (0.1, 0.0), (20.0, 1.5)])
def test_slider_crank_at_every_tolerance(friction: float, motor: float, rtol: float) -> None:
    dyn = compiled_slider_crank((("x", friction),))
    motion = lg.simulate(dyn, 1.0, {"theta": 0.3}, {"theta": 12.0}, {"theta": str(motor)}, rtol=rtol, atol=1e-2 * rtol)
    expected = slider_crank_reduced({"x": friction}, motor).motion((0.3, 12.0), motion.t)
    np.testing.assert_allclose(motion.q[:, 0], expected[:, 0], rtol=0, atol=1e-7)
    assert energy_error(motion) < 1e-8
    assert steps_of(motion) < 1000
    obeys(motion, {"x": friction})


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_a_crank_driven_from_its_dead_centre(method: str) -> None:
    """At 12 rad/s: the drive gives what the reduced equation needs, with R what the slider's friction takes of it."""
    motion = lg.simulate(slider_crank({"x": 20.0}, "theta - 12*t"), 0.5, {"theta": 0.0}, {"theta": 12.0}, **how(method))
    reference, angle = slider_crank_reduced({"x": 20.0}), 12 * motion.t
    slope = np.array([(reference.inertia(a + 1e-5) - reference.inertia(a - 1e-5)) / 2e-5 for a in angle])
    expected = 0.5 * slope * 144 + np.array([reference.friction(a) for a in angle])
    slides = np.abs(np.sin(angle)) > 1e-3
    np.testing.assert_allclose(motion.multipliers[slides, -1], expected[slides], atol=1e-4)
    assert {e.name for e in motion.events} == {"x reverses"}
    assert math.isclose(motion.q[-1, 0], 6.0, abs_tol=1e-8)
