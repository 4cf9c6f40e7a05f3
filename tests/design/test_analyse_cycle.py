"""Turns of linkages against closed forms and identities of mechanics."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import lagrangian as lg
from tests.design.linkages import five_bar, four_bar, offset_slider_crank, scissor

R, L, E = 0.1, 0.35, 0.04


@pytest.fixture(scope="module")
def crank() -> lg.CycleAnalysis:
    return lg.analyse_cycle(m := offset_slider_crank(R, L, E), q0=near(m, [1.0, -1.0, 0.4]), speed=3.0)


@pytest.fixture(scope="module")
def bars() -> lg.CycleAnalysis:
    return lg.analyse_cycle("four_bar", speed=4.0, rows=257)


def near(m: lg.Mechanism, q: list[float]) -> np.ndarray:
    """A configuration of the assembly that q is nearly in, with the first coordinate as it is."""
    return lg.assemble(m, q, fixed=m.coordinate_names[:1])


def derivative(values: np.ndarray) -> np.ndarray:
    """Of rows over a whole turn, both ends included, by their Fourier series."""
    n = len(values) - 1
    k = 1j * np.fft.fftfreq(n, 1 / n)
    k[n // 2] = 0
    result = np.real(np.fft.ifft(k[:, None] * np.fft.fft(values[:-1].reshape(n, -1), axis=0), axis=0))
    return np.vstack([result, result[:1]]).reshape(values.shape)


def test_an_offset_slider_crank_in_closed_form(crank: lg.CycleAnalysis) -> None:
    x, names = crank.x, crank.mechanism.coordinate_names
    rod = (R * np.sin(x) - E) / L  # sine of the rod's inclination
    np.testing.assert_allclose(crank.q[:, names.index("x")], R * np.cos(x) + L * np.sqrt(1 - rod**2), atol=1e-12)
    ratio = -R * np.sin(x) - R * np.cos(x) * rod / np.sqrt(1 - rod**2)
    np.testing.assert_allclose(crank.output_ratio, ratio, atol=1e-12)
    assert crank.transmission_angle is not None
    np.testing.assert_allclose(crank.transmission_angle, np.pi / 2 - np.abs(np.arcsin(rod)), atol=1e-7)
    assert (crank.turns, crank.output, crank.units) == (1, "x", ("rad", "m"))


def test_dead_centres_of_an_offset_slider_crank(crank: lg.CycleAnalysis) -> None:
    """Crank and rod are in one line: asin(e / (l + r)) and pi + asin(e / (l - r))."""
    actual = [d.input_value for d in crank.dead_centres]
    np.testing.assert_allclose(actual, [math.asin(E / (L + R)), math.pi + math.asin(E / (L - R))], atol=1e-10)
    assert {d.kind for d in crank.dead_centres} == {"output"}
    np.testing.assert_allclose(crank.dead_centres[0].q[2], math.sqrt((L + R) ** 2 - E**2), atol=1e-12)


def test_a_slider_that_drives_a_crank_goes_from_one_dead_centre_to_the_other() -> None:
    turn = lg.analyse_cycle(m := offset_slider_crank(R, L, E), "x", q0=near(m, [1.0, -1.0, 0.4]))
    ends = math.sqrt((L - R) ** 2 - E**2), math.sqrt((L + R) ** 2 - E**2)
    np.testing.assert_allclose(turn.range, ends, atol=1e-10)
    assert (turn.turns, turn.ends, turn.output) == (0, ("dead centre", "dead centre"), "theta")
    assert [d.kind for d in turn.dead_centres] == ["input", "input"]
    assert turn.transmission_angle is not None
    assert turn.output_ratio is not None
    phi = turn.q[:, 1]  # between crank and rod
    np.testing.assert_allclose(np.sin(turn.transmission_angle), np.abs(np.sin(phi)), atol=1e-9)
    assert np.isinf(turn.output_ratio[[0, -1]]).all()
    assert np.isnan(turn.torque[[0, -1]]).all()
    assert np.isfinite(turn.torque[1:-1]).all()


@pytest.mark.parametrize("lengths", [(1.0, 0.3, 0.9, 0.6), (1.0, 0.35, 1.2, 0.8), (2.0, 0.5, 1.7, 1.4)])
def test_a_crank_rocker_in_closed_form(lengths: tuple[float, ...]) -> None:
    """Transmission angles are extreme with the crank along the ground; the rocker turns back where crank and coupler align."""
    l0, l1, l2, l3 = lengths
    turn = lg.analyse_cycle(m := four_bar(*lengths), q0=near(m, [1.0, 0.0, 1.5]))
    assert turn.four_bar is not None
    assert turn.transmission_angle is not None
    assert (turn.four_bar.kind, turn.turns) == ("crank-rocker", 1)
    np.testing.assert_allclose(
        [turn.four_bar.ground, turn.four_bar.input, turn.four_bar.coupler, turn.four_bar.output], lengths, rtol=1e-12
    )
    cosine = (l2**2 + l3**2 - l0**2 - l1**2 + 2 * l0 * l1 * np.cos(turn.x)) / (2 * l2 * l3)
    mu = np.arccos(cosine)
    np.testing.assert_allclose(turn.transmission_angle, np.minimum(mu, np.pi - mu), atol=1e-7)
    assert turn.transmission_angle.min() == pytest.approx(min(mu[0], np.pi - mu[180], np.pi - mu[0], mu[180]), abs=1e-9)
    long = math.acos((l0**2 + (l2 + l1) ** 2 - l3**2) / (2 * l0 * (l2 + l1)))
    short = math.pi + math.acos((l0**2 + (l2 - l1) ** 2 - l3**2) / (2 * l0 * (l2 - l1)))
    actual = np.sort([d.input_value for d in turn.dead_centres])
    above = np.sort([long, short])
    below = np.sort([2 * math.pi - long, 2 * math.pi - short])
    assert min(np.abs(actual - above).max(), np.abs(actual - below).max()) < 1e-10


@pytest.mark.parametrize(
    ("lengths", "kind", "fully"),
    [
        ((1.0, 0.3, 0.9, 0.6), "crank-rocker", True),
        ((1.0, 0.6, 0.9, 0.3), "rocker-crank", False),
        ((0.3, 0.9, 0.6, 1.0), "double-crank", True),
        ((1.0, 0.6, 0.3, 0.9), "double-rocker", False),
        ((1.0, 0.5, 0.6, 0.55), "triple-rocker", False),
    ],
)
def test_grashofs_rule_tells_whether_the_input_turns(lengths: tuple[float, ...], kind: str, fully: bool) -> None:
    turn = lg.analyse_cycle(m := four_bar(*lengths), q0=near(m, [1.0, 0.3, 1.4]))
    assert turn.four_bar is not None
    assert (turn.four_bar.kind, turn.turns > 0) == (kind, fully)
    assert turn.four_bar.grashof == (kind != "triple-rocker")
    if not fully:  # where coupler and output link align
        l0, l1, l2, l3 = lengths
        cosines = [(l0**2 + l1**2 - reach**2) / (2 * l0 * l1) for reach in (l2 + l3, l2 - l3)]
        limits = [math.acos(c) for c in cosines if abs(c) < 1]
        for end in turn.range:
            assert min(abs(abs(end) - limit) for limit in limits) < 1e-10


def test_ratios_are_slopes_of_positions(bars: lg.CycleAnalysis) -> None:
    wound = bars.q - bars.x[:, None] * np.round((bars.q[-1] - bars.q[0]) / (2 * np.pi))
    whole = np.round((bars.q[-1] - bars.q[0]) / (2 * np.pi))
    np.testing.assert_allclose(bars.velocity_ratios, derivative(wound) + whole, atol=1e-9)
    np.testing.assert_allclose(bars.acceleration_ratios, derivative(bars.velocity_ratios), atol=1e-8)
    assert np.abs(np.diff(bars.q, axis=0)).max() < 0.1  # no jump from one branch to another


def test_torque_is_the_slope_of_energy(bars: lg.CycleAnalysis) -> None:
    """At a constant speed the input's power is what kinetic and potential energy gain."""
    dyn = bars.dyn
    np.testing.assert_allclose(bars.static_torque, derivative(np.asarray(dyn.potential_energy(bars.q))), atol=1e-8)
    T = np.asarray(dyn.kinetic_energy(bars.q, bars.qd))
    np.testing.assert_allclose(bars.inertial_torque + bars.friction_torque, derivative(T), atol=1e-7)
    np.testing.assert_allclose(bars.torque, bars.static_torque + bars.inertial_torque + bars.friction_torque, atol=1e-12)


def test_constraint_forces_are_those_of_the_equations_of_motion(bars: lg.CycleAnalysis) -> None:
    tau = np.zeros_like(bars.qd)
    tau[:, 0] = bars.torque
    np.testing.assert_allclose(bars.dyn.forward_dynamics(bars.q, bars.qd, tau), bars.qdd, atol=1e-8)
    np.testing.assert_allclose(bars.multipliers, bars.dyn.multipliers(bars.q, bars.qd, tau), atol=1e-8)
    along = bars.reactions[:, 0, 2]  # what the crank's motor gives, about its axis
    np.testing.assert_allclose(along, bars.torque, atol=1e-8)


def test_mechanical_advantage_is_the_power_balance() -> None:
    """A moment on the rocker is held by the crank with that moment over the mechanical advantage."""
    free = lg.analyse_cycle("four_bar", speed=0.0, rows=91)
    loaded = lg.analyse_cycle("four_bar", speed=0.0, rows=91, wrenches={"rocker": (0, 0, 7.0, 0, 0, 0)})
    assert free.mechanical_advantage is not None
    np.testing.assert_allclose((free.static_torque - loaded.static_torque) * free.mechanical_advantage, 7.0, rtol=1e-9)


def test_a_frame_as_output() -> None:
    turn = lg.analyse_cycle("four_bar", output="C", rows=91)
    along = lg.analyse_cycle("four_bar", output=("C", "x"), rows=91)
    v = np.asarray(turn.dyn.velocity(turn.q, turn.velocity_ratios, "C"))
    np.testing.assert_allclose(turn.output_ratio, np.linalg.norm(v[:, 3:], axis=1), atol=1e-12)
    np.testing.assert_allclose(along.output_ratio, v[:, 3], atol=1e-12)
    assert turn.transmission_angle is None
    assert (turn.output, along.output) == ("C", "C.x")


def test_a_scissor() -> None:
    """x = l cos(theta): the slider stands still where the bars lie flat; a height l sin(theta) changes by -cot(theta) of x."""
    turn = lg.analyse_cycle(scissor(0.8), output=("top", "y"), q0={"x": 0.5})
    assert turn.range[1] == pytest.approx(0.8, abs=1e-10)
    assert turn.output_ratio is not None
    theta = turn.q[1:-1, 0]
    np.testing.assert_allclose(turn.output_ratio[1:-1] * np.sin(theta) + np.cos(theta), 0.0, atol=1e-9)


def test_a_parallelogram_stays_on_its_branch() -> None:
    """It folds flat twice in a turn, where it could become an antiparallelogram."""
    turn = lg.analyse_cycle("parallelogram", rows=181)
    np.testing.assert_allclose(np.abs(turn.velocity_ratios), 1.0, atol=1e-8)
    np.testing.assert_allclose(turn.acceleration_ratios, 0.0, atol=1e-5)
    assert turn.turns == 1


def test_an_antiparallelogram_is_back_after_a_turn_with_the_product_of_its_ratios() -> None:
    """Of a contra-parallelogram the rocker goes round the other way, with (a + b)/(a - b) times the speed at most."""
    turn = lg.analyse_cycle(m := four_bar(1.0, 0.4, 1.0, 0.4), q0=near(m, [1.0, -1.5, -1.5]), rows=181)
    assert turn.output_ratio is not None
    assert turn.output_ratio.max() < 0
    assert np.abs(turn.output_ratio).max() == pytest.approx(1.4 / 0.6, rel=1e-6)
    assert np.abs(turn.output_ratio).min() == pytest.approx(0.6 / 1.4, rel=1e-6)


def test_a_range_and_limits_end_the_turn() -> None:
    turn = lg.analyse_cycle("four_bar", over=(0.5, 1.5), rows=11)
    np.testing.assert_allclose(turn.x, np.linspace(0.5, 1.5, 11), atol=1e-12)
    assert turn.ends == ("end of the range", "end of the range")
    both = lg.analyse_cycle("four_bar", over=(0.0, 4 * np.pi), rows=41)
    np.testing.assert_allclose(both.q[0], both.q[20] - [2 * np.pi, -2 * np.pi, 0], atol=1e-10)
    m = lg.library("four_bar")
    limited = m.replace(joints=tuple(replace(j, limits=lg.JointLimits(1.6, 2.4)) if j.name == "phi3" else j for j in m.joints))
    turn = lg.analyse_cycle(limited)
    assert turn.ends == ("limit of phi3", "limit of phi3")
    np.testing.assert_allclose(np.sort(turn.q[[0, -1], 2]), [1.6, 2.4], atol=1e-10)
    assert lg.analyse_cycle(limited, limits=False).turns == 1


def test_one_of_two_freedoms_is_held() -> None:
    m = five_bar(1.0, 0.6, 0.9)
    q0 = lg.assemble(m, [1.8, -1.0, 1.0, 1.0], fixed=("q1", "q2"))
    turn = lg.analyse_cycle(m, "q1", q0=q0, fixed=("q2",), rows=61)
    np.testing.assert_allclose(turn.q[:, 2], q0[2], atol=1e-12)
    other = lg.analyse_cycle(m, "q1", q0=q0, fixed={"q2": 1.2}, rows=61)
    np.testing.assert_allclose(other.q[:, 2], 1.2, atol=1e-12)
    P = np.asarray(turn.dyn.pose(turn.q, "P"))[:, :2, 3]
    elbow = [1 + 0.6 * math.cos(q0[2]), 0.6 * math.sin(q0[2])]
    np.testing.assert_allclose(np.linalg.norm(P - elbow, axis=1), 0.9, atol=1e-11)


def test_joints_swing_from_dead_centre_to_dead_centre(bars: lg.CycleAnalysis, crank: lg.CycleAnalysis) -> None:
    """The rocker's limits by the law of cosines, with crank and coupler in one line; of the slider, by Pythagoras."""
    l0, l1, l2, l3 = 1.0, 0.3, 0.9, 0.6
    angle = [math.pi - math.acos((l0**2 + l3**2 - reach**2) / (2 * l0 * l3)) for reach in (l2 + l1, l2 - l1)]
    rocker = bars.travels["phi3"]
    np.testing.assert_allclose([rocker.low, rocker.high], np.sort(angle), atol=1e-12)
    np.testing.assert_allclose([rocker.input_at_low, rocker.input_at_high], [d.input_value for d in bars.dead_centres], atol=1e-7)
    assert (bars.travels["phi2"].turns, rocker.turns) == (-1, 0)
    stroke = math.sqrt((L + R) ** 2 - E**2) - math.sqrt((L - R) ** 2 - E**2)
    assert crank.travels["x"].extent == pytest.approx(stroke, abs=1e-12)
    message = (
        f"phi3 swings by {math.degrees(rocker.extent):.6g} deg: from {math.degrees(rocker.low):.6g} deg at theta1 = 29.9264 deg"
    )
    assert message in str(bars)
    rod = crank.travels["phi"]  # the crank turns back under it, but for its inclination, which is least and most upright
    assert rod.turns == -1


def test_a_coupler_point_travels(bars: lg.CycleAnalysis) -> None:
    """No finer row goes beyond what it travels, and some come as near as rows are apart."""
    fine = lg.analyse_cycle("four_bar", rows=20001)
    path = np.asarray(fine.dyn.pose(fine.q, "C"))[:, :3, 3]
    actual = bars.travel("C")
    for k, axis in enumerate("xy"):
        assert actual[axis].low == pytest.approx(path[:, k].min(), abs=1e-7)
        assert actual[axis].high == pytest.approx(path[:, k].max(), abs=1e-7)
        assert actual[axis].low <= path[:, k].min() + 1e-12
        assert actual[axis].high >= path[:, k].max() - 1e-12
    assert actual["z"].is_fixed


def test_the_time_ratio_of_a_quick_return(crank: lg.CycleAnalysis, bars: lg.CycleAnalysis) -> None:
    """(180 + alpha) / (180 - alpha), alpha between the crank's lines at the two dead centres."""
    alpha = math.asin(E / (L - R)) - math.asin(E / (L + R))
    assert crank.time_ratio == pytest.approx((math.pi + alpha) / (math.pi - alpha), abs=1e-9)
    assert f"time ratio {crank.time_ratio:.4g}" in str(crank)
    assert lg.analyse_cycle("slider_crank", rows=19).time_ratio == pytest.approx(1.0, abs=1e-9)
    assert lg.analyse_cycle("slider_crank", "x", rows=19).time_ratio is None
    assert bars.strokes is not None
    assert sum(bars.strokes) == pytest.approx(2 * math.pi)


@pytest.mark.parametrize(("name", "change", "output"), [("four_bar", {"l1": 0.0}, "phi3"), ("slider_crank", {"r": 0.0}, "x")])
def test_a_crank_without_length_moves_nothing(name: str, change: dict[str, float], output: str) -> None:
    """No numbers are invented from rounding: the output stands still, and there is nothing to transmit."""
    turn = lg.analyse_cycle(lg.library(name).with_parameters(change), rows=19)
    assert turn.output_is_fixed
    assert turn.travels[output].is_fixed
    assert (turn.dead_centres, turn.transmission_angle, turn.time_ratio) == ([], None, None)
    assert f"does not move {output}" in str(turn)
    assert "dead centre" not in str(turn)
    moved = turn.coupler_curve({"four_bar": "rocker", "slider_crank": "slider"}[name])
    assert (moved.length, len(moved.cusps), len(moved.double_points)) == (0.0, 0, 0)
    assert "stands still at" in str(moved)


def test_an_input_that_stands_still_is_refused() -> None:
    with pytest.raises(lg.ArgumentError, match=r"'phi3', which cannot move.*give one of theta1, phi2"):
        lg.analyse_cycle(lg.library("four_bar").with_parameters(l1=0.0), "phi3")


def test_a_four_bar_without_a_length_is_reported() -> None:
    turn = lg.analyse_cycle(lg.library("four_bar").with_parameters(l1=0.0), rows=19)
    assert turn.four_bar is not None
    assert turn.four_bar.kind == "degenerate"
    assert "the input has no length" in str(turn)


@pytest.mark.parametrize(
    ("lengths", "message"),
    [
        ((1.0, 0.3, 0.9, 0.6), "the input turns fully"),
        ((1.0, 0.6, 0.9, 0.3), "a link turns fully, but not the input"),
        ((1.0, 0.5, 0.6, 0.55), "no link turns fully"),
    ],
)
def test_grashofs_rule_in_words(lengths: tuple[float, ...], message: str) -> None:
    assert str(lg.FourBar(*lengths)).endswith(message)
