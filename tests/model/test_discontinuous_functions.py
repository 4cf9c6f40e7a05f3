"""Functions that jump: what they are, how they are written, and that all their jumps and narrow places are found in time."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lagrangian.errors import DescriptionError
from lagrangian.model.expression import exact_text, functions, parse, switching_times, symbol
from lagrangian.model.expression.derivative import derivative
from lagrangian.model.expression.functions import TimeArray
from lagrangian.model.expression.intervals import DualInterval
from lagrangian.model.expression.pulses import pulse_times

NAMES = {"t": symbol("t"), "x": symbol("x")}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("floor(-1.5)", -2),
        ("ceil(-1.5)", -1),
        ("ceil(2)", 2),
        ("mod(7.5, 2)", 1.5),
        ("mod(-0.5, 2)", 1.5),
        ("piecewise(1 < 2, 3, 4)", 3),
        ("piecewise(2 < 2, 3, 2 <= 2, 5, 4)", 5),
        ("piecewise(2 > 2, 3, 2 >= 2, 5, 4)", 5),
        ("piecewise(2 > 3, 3, 2 >= 3, 5, 4)", 4),
    ],
)
def test_functions_have_their_values_at_jumps(text: str, value: float) -> None:
    assert float(parse(text)) == value


@pytest.mark.parametrize("at", [-2.5, -1.0, 0.0, 0.3, 1.0, 2.0, 3.7])
def test_of_a_variable_they_are_what_python_has(at: float) -> None:
    def value(text: str) -> float:
        return float(functions.evaluate(parse(text, NAMES), {"t": at, "x": 0.0}))

    assert value("floor(t)") == math.floor(at)
    assert value("ceil(t)") == math.ceil(at)
    assert value("mod(t, 0.75)") == pytest.approx(at % 0.75, abs=1e-15)
    assert value("piecewise(t < 0, -t, t <= 2, t^2, 9)") == (-at if at < 0 else at**2 if at <= 2 else 9)


@pytest.mark.parametrize("text", ["piecewise(t < 1, t^2, x > 3, -t, x)", "t - mod(x, 2)", "ceil(t) + floor(x/2)"])
def test_what_is_printed_reads_back(text: str) -> None:
    x = parse(text, NAMES)
    assert parse(exact_text(x), NAMES) == x


def test_derivatives_are_those_of_the_pieces() -> None:
    slope = derivative(parse("piecewise(t < 1, t^2, 3*t) + floor(t)", NAMES), "t")
    assert [float(functions.evaluate_univariate(slope, at)) for at in (0.5, 2.0)] == [1.0, 3.0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("piecewise(1, 2, 3)", "takes conditions, each with a value"),
        ("piecewise(t < 1, 2)", "',' is missing"),
        ("t < 1", "'<' is not expected here"),
        ("floor(1, 2)", "floor takes 1 argument"),
    ],
)
def test_wrong_functions_are_refused(text: str, said: str) -> None:
    with pytest.raises(DescriptionError, match=said):
        parse(text, NAMES)


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("sign(t - 5) - sign(t - 5.001)", [5.0, 5.001]),
        ("sign((t - 2)^2 - 1e-10)", [2 - 1e-5, 2 + 1e-5]),
        ("abs(sin(t))", [math.pi, 2 * math.pi, 3 * math.pi]),
        ("floor(t^2/10)", [math.sqrt(10 * k) for k in range(1, 10)]),
        ("ceil(-t/3)", [3.0, 6.0, 9.0]),
        ("max(min(t, 3), 1)", [1.0, 3.0]),
        ("piecewise(exp(-t) > 0.5, 1, t <= 7, 2, 3)", [math.log(2), 7.0]),
        ("sign(floor(t) - 2.5)", [float(k) for k in range(1, 10)]),  # it jumps over zero at 3
        ("sign(max(t - 2, 0))", [2.0]),  # zero until then
        ("max(x, 3*t) + sign(t - 1)", [1.0]),  # of the state, the other is watched
        ("sin(t)/(1 + x^2)", []),
    ],
)
def test_all_times_are_found(text: str, times: list[float]) -> None:
    actual = switching_times.switching_times([parse(text, NAMES)], 0.0, 10.0)
    assert actual == pytest.approx(times, rel=1e-12)


def test_what_the_state_decides() -> None:
    actual = switching_times.state_switches([parse("max(x, 3*t) + sign(t - 1) + abs(x - 2) + floor(x)", NAMES)])
    assert [str(x) for x in actual if "sin" not in str(x)] == ["x-2", "x-3*t"]
    (whole,) = (x for x in actual if "sin" in str(x))  # zero where x is a whole number
    assert abs(functions.evaluate_univariate(whole, 3.0)) < 1e-14 < abs(functions.evaluate_univariate(whole, 2.5))


TEXTS = [
    "t^3 - 2*t^2 + 0.1/(t + 0.5)",
    "sin(3*t)*cos(t^2) - tan(t/4)",
    "exp(-t)*log(1 + t) + sqrt(2 + sin(t))",
    "tanh(2*t - 3) + atan(t - 1) - asin(t/11) + acos(t/11)",
    "abs(t - 2) + max(t, 3) - min(t, 1) + sign(t - 4) + floor(t/3)",
    "(1 + t)^1.5 - 2^t + atan2(t, 3)",
]


@pytest.mark.parametrize("text", TEXTS)
def test_bounds_hold(text: str) -> None:
    """Values and slopes between lie within the bounds, of wide intervals and of narrow ones."""
    x = parse(text, NAMES)
    rng = np.random.default_rng(7)
    low = rng.uniform(0, 10, 200)
    high = np.minimum(low + 10.0 ** rng.uniform(-8, 0.5, 200), 10.0)
    bounds = functions.evaluate(x, {"t": DualInterval.from_times(low, high)})
    for part in rng.uniform(0, 1, 20):
        at = low + part * (high - low)
        value = np.asarray(functions.evaluate(x, {"t": TimeArray.from_values(at)}))
        slope = np.broadcast_to(np.asarray(functions.evaluate(derivative(x, "t"), {"t": TimeArray.from_values(at)})), at.shape)
        assert np.all((bounds.value[0] <= value) & (value <= bounds.value[1]))
        room = 1e-12 * (1 + np.abs(slope))
        assert np.all((bounds.slope[0] - room <= slope) & (slope <= bounds.slope[1] + room))
    # and they are no wider than needed where intervals are narrow
    narrow = high - low < 1e-6
    if "floor" not in text and "atan2" not in text:  # the latter is not bounded any closer
        assert np.median((bounds.value[1] - bounds.value[0])[narrow]) < 1e-4


@pytest.mark.parametrize(
    ("text", "pulses"),
    [
        ("1e4*exp(-((t-2.1)/1e-4)^2)", [2.1]),
        ("x*exp(-((t-2.1)/1e-4)^2) + sin(50*t)", [2.1]),
        ("1/(1 + ((t-2)/1e-5)^2) + tanh(1e5*(t-7))", [2.0, 7.0]),
        ("exp(-((mod(t, 2)-0.5)/1e-4)^2)", [0.5, 2.5, 4.5, 6.5, 8.5]),
        ("sin(20*t) + t^3", []),
        ("exp(-t/2)*sin(3*t)", []),
    ],
)
def test_narrow_places(text: str, pulses: list[float]) -> None:
    x = parse(text, NAMES)
    times = np.array(pulse_times([x], 0.0, 10.0, switching_times.switching_times([x], 0.0, 10.0)))
    for pulse in pulses:
        nearby = times[np.abs(times - pulse) < 0.01]
        assert nearby.min() < pulse < nearby.max()
        assert np.diff(nearby).max() < 1.2e-3
    assert all(np.abs(np.array(pulses) - t).min() < 0.02 for t in times)
