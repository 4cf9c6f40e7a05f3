"""Jumps, kinks and narrow pulses of what acts: none is stepped over, whatever the integrator; against exact integrals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from tests.motion.machines import slider

PULSE = "1000*(sign(t-5) - sign(t-5.001))/2"  # 1 N s
STEPS = {"rk4": 0.03, "symplectic": 0.03}


@pytest.fixture(scope="module")
def rail() -> lg.Dynamics:
    """A block of 2 kg."""
    return lg.compile(slider(2.0))


def end(rail: lg.Dynamics, torque: Any, span: Any = 10, **options: Any) -> tuple[float, float]:
    """Where a block of 2 kg is, and how fast, that was at rest at 0."""
    values = {"x": torque} if isinstance(torque, str) else torque
    motion = lg.simulate(rail, span, [0.0], [0.0], values, t_eval=2, **options)
    return float(motion.q[-1, 0]), float(motion.qd[-1, 0])


@pytest.mark.parametrize(
    "method",
    [
        "dop853",
        "rodas5p",
        "rk4",
        pytest.param("dp5", marks=pytest.mark.slow),
        pytest.param("verner9", marks=pytest.mark.slow),
        pytest.param("symplectic", marks=pytest.mark.slow),
    ],
)
def test_a_pulse_is_not_stepped_over(rail: lg.Dynamics, method: str) -> None:
    x, v = end(rail, PULSE, method=method, step=STEPS.get(method))
    assert v == pytest.approx(0.5, rel=1e-11)
    assert x == pytest.approx(0.5 * (10 - 5.0005), rel=1e-11)


@pytest.mark.parametrize(
    ("torque", "v", "x"),
    [
        ("floor(t)", 45 / 2, 71.25),
        ("piecewise(t < 1, 0, t <= 1.001, 2000, 0)", 1.0, 8.9995),
        ("mod(t, 1)", 2.5, 145 / 12),
        ("max(0, abs(t - 4) - 3)", 2.5, 14 / 3),
    ],
)
def test_exact_integrals(rail: lg.Dynamics, torque: str, v: float, x: float) -> None:
    assert end(rail, torque) == pytest.approx((x, v), rel=1e-11)


@pytest.mark.parametrize(
    "method", ["dop853", pytest.param("dp5", marks=pytest.mark.slow), pytest.param("rodas5p", marks=pytest.mark.slow)]
)
def test_a_narrow_smooth_pulse(rail: lg.Dynamics, method: str) -> None:
    """Of a bell of height 1e4 N and width 1e-4 s, from rest, the impulse is sqrt(pi) N s."""
    x, v = end(rail, "1e4*exp(-((t-2.1)/1e-4)^2)", method=method)
    assert v == pytest.approx(math.sqrt(math.pi) / 2, rel=2e-8)
    assert x == pytest.approx(7.9 * math.sqrt(math.pi) / 2, rel=2e-8)


def test_a_pulse_of_another_kind_and_one_that_the_state_weighs(rail: lg.Dynamics) -> None:
    _, v = end(rail, "1e3/(1 + ((t-2)/1e-3)^2) + 0*x")
    assert v == pytest.approx((math.atan(8e3) + math.atan(2e3)) / 2, rel=2e-8)
    # a bell that pulls back by 2 kg/s: v falls by exp(-impulse/m), but for the width of the bell
    motion = lg.simulate(rail, 10, [0.0], [1.0], {"x": "-qd_x*2e4*exp(-((t-2.1)/1e-4)^2)"}, t_eval=2)
    assert motion.qd[-1, 0] == pytest.approx(math.exp(-math.sqrt(math.pi)), rel=1e-7)


@pytest.mark.parametrize(
    "method", ["dp5", pytest.param("verner9", marks=pytest.mark.slow), pytest.param("rk4", marks=pytest.mark.slow)]
)
def test_tables_may_jump(rail: lg.Dynamics, method: str) -> None:
    """A time given twice has a value before and one after; also at the table's ends."""
    table = np.array([[1, 0], [1, 2], [5, 2], [5, 1000], [5.001, 1000], [5.001, 0], [8, 3], [8, 0]])
    x, v = end(rail, (table[:, 0], table[:, 1]), method=method, step=STEPS.get(method))
    assert v == pytest.approx((2 * 4 + 1 + 3 * (8 - 5.001) / 2) / 2, rel=1e-11)
    before = end(rail, (table[:, 0], table[:, 1]), span=1, method=method, step=STEPS.get(method))
    assert before == (0.0, 0.0)
    assert x > 0


def test_wrenches_and_torques_that_saturate(rail: lg.Dynamics) -> None:
    push = {"block": (0, 0, 0, PULSE, 0, 0)}
    assert end(rail, 0, wrenches=push)[1] == pytest.approx(0.5, rel=1e-11)
    bounded = lg.compile(slider(2.0, limits=lg.JointLimits(effort=100.0)))
    tent = "1e6*max(0, 1e-3 - abs(t - 5))"  # it reaches 1000 N, and is cut at 100 N: 0.2 N s less the two tips
    assert end(bounded, tent, saturate=True)[1] == pytest.approx((0.2 - 2 * 0.5e-4 * 100) / 2 + 0, rel=1e-10)


def test_steps_of_smooth_torques_are_not_broken(rail: lg.Dynamics) -> None:
    from lagrangian.motion.breaks import with_breaks
    from lagrangian.motion.torque import source

    for text in ("sin(3*t) + t^2*cos(5*t)", "exp(-t/3)*sin(2*t)", "tanh(t - 5)", "1/(1 + t^2)", "x*sin(t)", "exp(sin(3*t))"):
        driven, kinks = with_breaks(source({"x": text}, rail.mechanism), rail.mechanism, [], (0.0, 10.0))
        assert (driven.breaks, kinks) == ((), []), text


@pytest.mark.parametrize(
    "method", ["dop853", pytest.param("dp5", marks=pytest.mark.slow), pytest.param("rk4", marks=pytest.mark.slow)]
)
def test_what_a_constraint_leads_may_jump_in_its_acceleration(method: str) -> None:
    led = slider(2.0, constraints=[lg.HolonomicConstraint("lead", "x - max(0, t - 1)^2")])
    motion = lg.simulate(led, 3, t_eval=np.linspace(0, 3, 13), method=method, step=STEPS.get(method))
    np.testing.assert_allclose(motion.multipliers[:, 0], np.where(motion.t < 1, 0.0, 4.0), atol=1e-9)
    np.testing.assert_allclose(motion.q[:, 0], np.maximum(0, motion.t - 1) ** 2, atol=1e-9)


def test_what_a_constraint_leads_may_jump_in_its_speed() -> None:
    """That is an impact: a cart led at 1, then at 3 m/s; what hangs on it gets its impulse through the joint alone."""
    cart = lg.Mechanism(
        "cart",
        [lg.Body("cart", 5.0), lg.Body("bob", 1.0, (0, 0, -1.0))],
        [
            lg.Joint("x", "prismatic", "ground", "cart", axis=(1, 0, 0)),
            lg.Joint("angle", "revolute", "cart", "bob", axis=(0, 1, 0)),
        ],
        constraints=[lg.HolonomicConstraint("lead", "x - t - max(0, 2*(t - 1))")],
        gravity=(0, 0, 0),
    )
    motion = lg.simulate(cart, 2, {"angle": 0.0}, {"x": 1.0, "angle": 0.0}, t_eval=5)
    # without gravity a point mass that hangs straight is struck across: it stays where it is going, the joint moves on by 2 m/s
    np.testing.assert_allclose(motion.qd[-1], [3.0, motion.qd[-1, 1]], atol=1e-9)
    assert abs(motion.qd[-1, 1]) == pytest.approx(2.0, rel=1e-8)
    assert np.abs(motion.energy_balance).max() < 1e-7
    assert motion.work["impacts"][-1] == pytest.approx(5 / 2 * (9 - 1), rel=1e-7)  # all of it the cart's


def test_a_place_that_jumps_is_refused() -> None:
    with pytest.raises(lg.SimulationError, match=r"constraint 'lead': it requires a jump of the configuration, by 2, at t = 1 s"):
        lg.simulate(slider(2.0, constraints=[lg.HolonomicConstraint("lead", "x = sign(t - 1)")]), 3)


@pytest.mark.parametrize(
    "method", ["dop853", pytest.param("dp5", marks=pytest.mark.slow), pytest.param("verner9", marks=pytest.mark.slow)]
)
def test_a_force_that_jumps_with_the_state(rail: lg.Dynamics, method: str) -> None:
    """-sign(x - 1) N on 2 kg from rest at 0: arcs of parabolas, a quarter of a period in 2 s."""
    motion = lg.simulate(rail, 10, [0.0], [0.0], {"x": "-sign(x - 1)"}, method=method, t_eval=[4.0, 8.0, 9.0])
    np.testing.assert_allclose(motion.q[:, 0], [2.0, 0.0, 0.25], atol=1e-6)
    np.testing.assert_allclose(motion.qd[:, 0], [0.0, 0.0, 0.5], atol=1e-6)


@pytest.mark.parametrize("where", ["abs(x - 7) < 0.0005", "(x - 7)^2 < 0.0005^2"])
def test_a_narrow_place_is_not_stepped_over(rail: lg.Dynamics, where: str) -> None:
    """A hill of 1000 N over 1 mm takes 1 J of the 4 J that the block has, wherever the steps fall."""
    hill = {"x": f"-piecewise({where}, 1000, 0)"}
    motion = lg.simulate(rail, 10, [0.0], [2.0], hill, t_eval=2)
    assert motion.qd[-1, 0] == pytest.approx(math.sqrt(3.0), rel=1e-6)


def test_a_force_that_pushes_back_from_both_sides_is_reported(rail: lg.Dynamics) -> None:
    with pytest.warns(
        lg.EndedEarlyWarning, match="'qd_x' changes its sign again and again.*tanh in place of sign"
    ) as caught_warnings:
        lg.simulate(rail, 1, [0.0], [0.0], {"x": "-3*sign(qd_x) + sin(t)"})
    assert not any("stick" in str(w.message) or "nan" in str(w.message) for w in caught_warnings)


def test_events_of_time_alone_are_not_stepped_over(rail: lg.Dynamics) -> None:
    motion = lg.simulate(rail, 10, [0.0], [1.0], 0, events=[lg.Event("(t - 5)*(t - 5.0001)", name="twice")])
    assert [e.t for e in motion.events] == pytest.approx([5.0, 5.0001], abs=1e-12)


def test_what_changes_too_often_is_reported(rail: lg.Dynamics) -> None:
    with pytest.warns(lg.SimulationWarning, match=r"'sin\(1e\+08\*t\)' changes its sign.*limit their length by max_step"):
        lg.simulate(rail, 10, [0.0], [0.0], {"x": "sign(sin(1e8*t))"}, max_steps=1000)
