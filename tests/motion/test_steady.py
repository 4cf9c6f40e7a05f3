"""Small motions about a motion, constraints kept: published eigenvalues, critical speeds from the textbooks, and runs."""

from __future__ import annotations

import math

import numpy as np
import pytest

import lagrangian as lg
from tests.motion.machines import G
from tests.motion.test_linearise import assert_poles, difference


def test_a_loop_in_motion() -> None:
    """A against differences of the accelerations at neighbouring states that keep the loop closed: it is that of the instant."""
    dyn = lg.compile(lg.library("four_bar"))
    q = lg.assemble(dyn)
    qd = lg.consistent_speeds(dyn, q, None, {"theta1": 5.0})
    linear_model = lg.linearise(dyn, q, qd, torque=0)
    assert not linear_model.steady
    assert "not steady" in str(linear_model)
    assert linear_model.A.shape == (2, 2)

    def acceleration(s: float, move: np.ndarray, change: float) -> np.ndarray:
        """With the crank a little further on, or a little faster, and the others as the loop has them."""
        there = lg.assemble(dyn, q + s * move, fixed={"theta1": q[0] + s * move[0]})
        speeds = lg.consistent_speeds(dyn, there, None, {"theta1": qd[0] + s * change})
        return dyn.forward_dynamics(there, speeds, np.zeros(3))

    move = linear_model.basis[:, 0]
    follows, faster = linear_model.follows[:, 0], linear_model.speeds[:, 0]
    by_move = difference(lambda s: acceleration(s, move, follows[0]), 1e-3)
    by_speed = difference(lambda s: acceleration(s, 0 * move, faster[0]), 1e-3)
    expected = [[move @ follows, move @ faster], [faster @ by_move, faster @ by_speed]]
    np.testing.assert_allclose(linear_model.A, expected, rtol=1e-6, atol=1e-6)


# -- steady motions ----------------------------------------------------------------------------------------------------------


def test_the_bicycle_s_published_eigenvalues() -> None:
    """At 5 m/s: weave, capsize and castering (Meijaard et al. 2007); what else moves is carried on for ever."""
    bicycle = lg.library("bicycle", parameters={"v0": 5.0, "p0": 0.0})
    linear_model = lg.linearise(bicycle, "upright", bicycle.initial.qd)
    assert linear_model.steady
    weave = -0.77534188219585 + 4.46486771378823j
    assert_poles(linear_model, [weave, weave.conjugate(), -0.32286642900409, -14.07838969279822, *[0] * 6], 1e-9)
    assert linear_model.stable
    assert not lg.linearise(bicycle, "upright", np.array(bicycle.initial.qd) * 0.8).stable  # 4 m/s: weave grows


@pytest.mark.parametrize(("C", "A"), [(0.5, 0.25), (1.0, 0.5)], ids=["disc", "hoop"])
def test_the_critical_speed_of_a_rolling_disc(C: float, A: float) -> None:
    """Upright it leans at lambda^2 = (A m g r - C (C + m r^2) w^2)/(A (A + m r^2)): v^2 = g r/3 of a disc, g r/4 of a hoop."""
    r, m = 0.2, 1.3
    body = lg.Body("disc", m, (0, 0, 0), (A * m * r**2, C * m * r**2, A * m * r**2))
    rolling = lg.RollingConstraint("floor", "disc", r, axis=(0, 1, 0))
    dyn = lg.compile(lg.Mechanism("coin", [body], [lg.Joint("j", "free", "ground", "disc")], (), [rolling]))
    q = [1, 0, 0, 0, 0, 0, r]
    critical = math.sqrt(G * r / {0.5: 3, 1.0: 4}[C])
    for v in (0.6 * critical, 0.99 * critical, 1.01 * critical, 2 * critical):
        w = v / r
        linear_model = lg.linearise(dyn, q, [0, w, 0, v, 0, 0])
        assert linear_model.steady
        square = (A * G / r - C * (C + 1) * w**2) / (A * (A + 1))
        root = complex(square) ** 0.5
        assert_poles(linear_model, [root, -root, *[0] * 6], 1e-7)
        assert linear_model.stable == (v > critical)


def test_a_disc_that_goes_round_a_circle() -> None:
    """It nods at the frequency that a run shows; a place elsewhere is seen to go round, in axes that turn with the disc."""
    disc = lg.library("rolling_disc", parameters={"n": 0})
    linear_model = lg.linearise(disc, None, disc.initial.qd)
    assert linear_model.steady
    assert linear_model.stable
    p = float(disc.parameters["p"])
    frequencies = [mode.frequency for mode in linear_model.modes() if mode.frequency]
    assert frequencies[0] == pytest.approx(abs(p) / (2 * math.pi), rel=1e-7)
    nodding = lg.simulate(lg.library("rolling_disc", parameters={"n": 1e-3}), 10, rtol=1e-11, atol=1e-13, events=None)
    heights = nodding.q[:, 6] - np.mean(nodding.q[:, 6])
    # zeros of the height of its middle, each half a period after the last
    at = np.flatnonzero(np.diff(np.sign(heights)))
    times = nodding.t[at] - heights[at] * np.diff(nodding.t)[at] / np.diff(heights)[at]
    period = 2 * (times[-1] - times[0]) / (len(times) - 1)
    assert frequencies[1] == pytest.approx(1 / period, rel=1e-3)
