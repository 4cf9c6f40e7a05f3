"""Derivatives of motions: against analytic ones, differences of thirty digits, and differences along closed mechanisms."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import lagrangian as lg

SLIDE = """
name = "slide"
gravity = ["g", 0, 0]
parameters = { m = 2.0, g = 3.0, k = 8.0, c = 0.0 }
body = [{ name = "block", mass = "m" }]
joint = [{ name = "x", type = "prismatic", axis = [1, 0, 0], child = "block", spring = { stiffness = "k" } }]
initial = { q = [0.5], qd = [0.0], t_span = [0, 2] }
"""


@pytest.fixture(scope="module")
def slide():
    return lg.loads(SLIDE)


def test_a_spring_and_a_mass(slide):
    """x = x0 cos w t + g m/k (1 - cos w t), with w^2 = k/m."""
    sensitivities = lg.sensitivities(slide, 2.0, over=["k", "m", "g", "x", "qd_x"], t_eval=21)
    t, (k, m, g, x0) = sensitivities.motion.t, (8.0, 2.0, 3.0, 0.5)
    w = np.sqrt(k / m)
    c, s = np.cos(w * t), np.sin(w * t)
    dw = np.array([w / (2 * k), -w / (2 * m)])
    dk = -(x0 - g * m / k) * s * t * dw[0] - g * m / k**2 * (1 - c)
    dm = -(x0 - g * m / k) * s * t * dw[1] + g / k * (1 - c)
    expected = np.stack([dk, dm, m / k * (1 - c), c, s / w], axis=1)
    np.testing.assert_allclose(sensitivities.dq[:, 0], expected, atol=1e-10)
    value, slopes = sensitivities.of("m*qd_x^2/2")
    speed = -(x0 - g * m / k) * w * s
    np.testing.assert_allclose(value, m * speed**2 / 2, atol=1e-9)
    np.testing.assert_allclose(slopes[:, 4], m * speed * c, atol=1e-9)


def test_integrals_and_ends(slide):
    """The integral of x^2 of a free oscillation over a period, and where a fall ends that an event stops."""
    free = slide.with_parameters(g=0.0)
    period = np.pi  # w = 2
    value, gradient = lg.sensitivities(free, period, over=["x"]).integral("x^2")
    assert value == pytest.approx(0.5**2 * period / 2, rel=1e-10)
    assert gradient[0] == pytest.approx(0.5 * period, rel=1e-9)
    # over a fixed time the phase moves with k: d/dk of x0^2/2 (t + sin(2 w t)/(2 w))
    _, gradient = lg.sensitivities(free, period, over=["k"]).integral("x^2")
    assert gradient[0] == pytest.approx(0.125 * period / 16, rel=1e-9)
    falling = slide.with_parameters(k=0.0)
    stop = lg.Event("x - 2", action="stop", name="there")
    sensitivities = lg.sensitivities(falling, 5.0, [0.0], [0.0], events=[stop], over=["g"])
    time, slope = sensitivities.end("t")
    assert time == pytest.approx(np.sqrt(4 / 3), rel=1e-9)
    assert slope[0] == pytest.approx(-0.5 * np.sqrt(4) * 3 ** (-1.5), rel=1e-8)
    speed, slope = sensitivities.end("qd_x")  # sqrt(4 g)
    assert speed == pytest.approx(np.sqrt(12), rel=1e-9)
    assert slope[0] == pytest.approx(1 / np.sqrt(3), rel=1e-8)
    _, slope = sensitivities.integral("1")
    assert slope[0] == pytest.approx(sensitivities.end("t")[1][0], rel=1e-8)


@pytest.mark.parametrize("parameter", ["l1", "m2"])
def test_differences_of_thirty_digits(parameter):
    arm, h, t = lg.library("two_r"), 2.0**-22, 0.5
    sensitivities = lg.sensitivities(arm, t, over=[parameter])
    value = float(arm.parameters[parameter])
    ends = []
    for step in (-h, h):
        state = lg.certify(arm.with_parameters({parameter: value + step}), t, digits=30)
        ends.append([Fraction(str(x).split("e")[0]) for x in (*state.q, *state.qd)])
        assert min(x.digits for x in (*state.q, *state.qd)) >= 25
    expected = [float((b - a) / Fraction(2 * h)) for a, b in zip(*ends, strict=True)]
    np.testing.assert_allclose([*sensitivities.dq[-1, :, 0], *sensitivities.dqd[-1, :, 0]], expected, rtol=1e-8, atol=1e-9)


def differences(mechanism, name, duration, h=1e-3):
    """Of the fourth order, along a parameter."""
    value = float(mechanism.parameters[name])
    h = h * abs(value)

    def end(step):
        run = lg.simulate(mechanism, duration, parameters={name: value + step}, rtol=1e-13, atol=1e-15, t_eval=2)
        return np.concatenate([run.q[-1], run.qd[-1]])

    return (8 * (end(h) - end(-h)) - (end(2 * h) - end(-2 * h))) / (12 * h)


@pytest.mark.parametrize("name", ["l1", "l3", "m2"])
def test_a_linkage_whose_start_follows_its_lengths(name):
    linkage = lg.library("four_bar")
    sensitivities = lg.sensitivities(linkage, 1.0, over=[name], rtol=1e-12, atol=1e-14, t_eval=2)
    expected = differences(linkage, name, 1.0)
    got = np.concatenate([sensitivities.dq[-1, :, 0], sensitivities.dqd[-1, :, 0]])
    np.testing.assert_allclose(got, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max())


def test_a_start_that_is_found():
    """Given the crank's angle alone, the others follow, and their derivatives too; along the crank's own start as well."""
    linkage, start = lg.library("four_bar"), {"theta1": 1.0}
    sensitivities = lg.sensitivities(linkage, 0.5, start, over=["l2", "theta1"], rtol=1e-12, atol=1e-14, t_eval=2)

    def end(length, angle):
        run = lg.simulate(linkage, 0.5, {"theta1": angle}, parameters={"l2": length}, rtol=1e-13, atol=1e-15, t_eval=2)
        return np.concatenate([run.q[-1], run.qd[-1]])

    h = 1e-4
    by_length = (8 * (end(0.9 + h, 1.0) - end(0.9 - h, 1.0)) - (end(0.9 + 2 * h, 1.0) - end(0.9 - 2 * h, 1.0))) / (12 * h)
    by_angle = (8 * (end(0.9, 1 + h) - end(0.9, 1 - h)) - (end(0.9, 1 + 2 * h) - end(0.9, 1 - 2 * h))) / (12 * h)
    got = np.concatenate([sensitivities.dq[-1], sensitivities.dqd[-1]])
    np.testing.assert_allclose(got, np.stack([by_length, by_angle], axis=1), rtol=1e-7, atol=1e-7)


def test_frames_torques_and_gains():
    arm = lg.library("two_r")
    arm = arm.replace(parameters={**arm.parameters, "kp": lg.parameter("kp", 90.0)})
    torque = {"theta1": "-kp*theta1 - 20*qd_theta1", "theta2": "-kp*(theta2 - 0.2) - 5*qd_theta2"}
    options = {"frames": ["tip"], "rtol": 1e-12, "atol": 1e-14}
    sensitivities = lg.sensitivities(arm, 0.4, [0.1, 0.2], torque=torque, over=["kp", "l1"], **options)

    def ends(expression, name, step):
        other = arm.with_parameters({name: float(arm.parameters[name]) + step})
        return lg.sensitivities(other, 0.4, [0.1, 0.2], torque=torque, over=["kp"], **options).end(expression)[0]

    for expression in ("tip.x", "tau_theta1^2", "tip.y*kp"):
        value, gradient = sensitivities.end(expression)
        for k, (name, h) in enumerate((("kp", 1e-2), ("l1", 1e-4))):
            sides = [ends(expression, name, step) for step in (-h, h)]
            assert gradient[k] == pytest.approx((sides[1] - sides[0]) / (2 * h), rel=2e-5, abs=1e-7), (expression, name)
        assert np.isfinite(value)


def test_an_end_that_is_written_with_parameters(slide):
    """x = cos(2 t) until T: the end moves with T, and the integral of x^2 by x(T)^2."""
    text = SLIDE.replace("t_span = [0, 2]", 't_span = [0, "2*T"]').replace("c = 0.0", "T = 0.7").replace("g = 3.0", "g = 0.0")
    sensitivities = lg.sensitivities(lg.loads(text), over=["T", "x"])
    assert sensitivities.end("x")[0] == pytest.approx(0.5 * np.cos(2.8), rel=1e-9)
    np.testing.assert_allclose(sensitivities.end("x")[1], [-2 * np.sin(2.8), np.cos(2.8)], atol=1e-9)
    assert sensitivities.integral("x^2")[1][0] == pytest.approx(2 * 0.25 * np.cos(2.8) ** 2, rel=1e-9)
    with pytest.raises(lg.ArgumentError, match="depends on a parameter that varies"):
        lg.simulate(lg.loads(text), parameters={"T": np.array([0.5, 0.7])})
    late = lg.loads(text.replace('[0, "2*T"]', '["T", 2]'))
    with pytest.raises(lg.SimulationError, match="the time at which the motion begins depends"):
        lg.sensitivities(late, over=["T"]).end("x")


def test_what_has_no_derivatives_is_refused():
    arm = lg.library("two_r")
    with pytest.raises(lg.SimulationError, match="Python function"):
        lg.sensitivities(arm, 0.1, torque=lambda t, q, qd: [0, 0], over=["l1"])
    with pytest.raises(lg.ArgumentError, match="'l9'"):
        lg.sensitivities(arm, 0.1, over=["l9"])
    with pytest.raises(lg.ArgumentError, match="'theta9'"):
        lg.sensitivities(arm, 0.1, over=["l1"]).end("theta9")
    rough = lg.loads(SLIDE.replace('spring = { stiffness = "k" }', "friction = { coulomb = 0.5 }"))
    with pytest.raises(lg.SimulationError, match="stick"):
        lg.sensitivities(rough, 0.5, over=["m"])


def test_a_frame_that_is_moved_on_its_body():
    """Its own place is a number as any other."""
    sensitivities = lg.sensitivities("two_r", 0.1, over=["tip.placement.position.x", "l2"], frames=["tip"], t_eval=2)
    _, (by_place, by_length) = sensitivities.end("tip.x")
    angle = sensitivities.motion.q[-1].sum()
    assert by_place == pytest.approx(np.cos(angle))
    assert by_length == 0  # which the frame no longer follows
