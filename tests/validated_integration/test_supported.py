"""What has no proven digits is refused with a sentence that names the place."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import lagrangian as lg
from tests.validated_integration.exact import pendulum, slider


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [
        ("four_bar", "loop 'closure': it closes a loop"),
        ("rolling_disc", "constraint 'floor': it is a constraint"),
        (slider(friction={"coulomb": 1}), "joint 'x': its dry friction jumps"),
        (slider(friction={"static": 3}), "joint 'x': its dry friction jumps"),
        (slider(friction={"static_negative": 3}), "joint 'x': its dry friction jumps"),
        (slider(0), "joint 'x': the bodies that it moves have no inertia"),
        (
            lg.Mechanism(
                "wall",
                [lg.Body("ball", 1)],
                [lg.Joint("z", "prismatic", "ground", "ball", axis="z")],
                springs=[lg.Wall("floor", "ball", stiffness=1e4)],
            ),
            "wall 'floor': its force is not smooth",
        ),
        (slider().replace(events=[lg.Event("x - 1", name="end")]), "event 'end': what happens at an event is not smooth"),
    ],
)
def test_unsupported_mechanisms_are_refused(mechanism: Any, message: str) -> None:
    with pytest.raises(lg.ArgumentError, match=message) as caught:
        lg.certify(mechanism, 1)
    assert caught.value.argument == "mechanism"


@pytest.mark.parametrize(
    ("torque", "message"),
    [
        ({"x": "abs(x)"}, r"torque of 'x': 'abs\(x\)' is not smooth, because of abs"),
        ({"x": "2*sign(t - 1)"}, "because of sign"),
        ({"x": "max(x, 0)"}, "because of max"),
        (lambda t, q, qd: [0.0], "torque is a Python function"),
        (([0, 1], [[0], [1]]), "torque is a table"),
        (lg.Sampled(lambda t, q, qd: [0.0], 0.1), "torque is a sampled controller"),
        (lg.Traced(lambda t, q, qd: [q[0]]), "torque is a Python function"),
    ],
)
def test_unsupported_torques_are_refused(torque: Any, message: str) -> None:
    with pytest.raises(lg.ArgumentError, match=message):
        lg.certify(slider(), 1, torque=torque)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"t": 0}, "t is 0; a time after 0"),
        ({"t": [2, 1]}, "several that increase"),
        ({"t": "never"}, "t is 'never'; a finite time"),
        ({"t": float("nan")}, "a finite time"),
        ({"digits": 0}, "digits is 0"),
        ({"digits": 2.5}, "digits is 2.5"),
        ({"q0": [1, 2]}, "1 finite numbers are needed"),
        ({"q0": {"y": 1}}, "Did you mean|unknown coordinate|no coordinate"),
        ({"wrenches": {"block": lambda t, q, qd: [0] * 6}}, "wrenches on 'block' is a Python function"),
        ({"progress": 3}, "progress is 3"),
    ],
)
def test_wrong_arguments_are_refused(value: dict[str, Any], message: str) -> None:
    with pytest.raises(lg.ArgumentError, match=message):
        lg.certify(slider(), **({"t": 1} | value))


def test_limits_must_surely_not_be_reached() -> None:
    joint = pendulum().joints[0]
    for upper, reached in ((1.01, False), (0.99, True)):
        limited = pendulum().replace(
            joints=[lg.Joint("theta", "revolute", "ground", "bob", axis=joint.axis, limits=(-upper, upper))]
        )
        if reached:
            with pytest.raises(lg.SimulationError, match="it cannot be excluded that theta reaches its limit"):
                lg.certify(limited, 1, q0=[0.5], qd0=["sqrt(2*14.014285714285714*(cos(0.5)-cos(1)))"], digits=10)
            assert lg.certify(limited, 1, q0=[0.5], qd0=[3.0], digits=10, limits=False).digits >= 10
        else:
            assert lg.certify(limited, 1, q0=["1"], digits=10).digits >= 10


def test_a_function_that_ends_is_reported() -> None:
    """The root of what becomes negative: there is no motion beyond, and no digits."""
    with pytest.raises(lg.SimulationError, match=r"slider: no .* t = 1 s"):
        lg.certify(slider(), 2, torque={"x": "sqrt(1 - t)"}, digits=5)


@pytest.mark.parametrize("torque", ["sqrt(x)", "x^0.5", "sqrt((x - 1)^2)", "1/x", "log(x)", "1/(x - 1)"])
def test_functions_without_derivatives_at_the_start(torque: str) -> None:
    start = 1 if "- 1" in torque else 0
    with pytest.raises(lg.SimulationError, match=r"slider: a function .* is not finite, or has no derivatives, at t = 0 s"):
        lg.certify(slider(), 1, [start], [0], {"x": torque}, digits=5)


def test_a_motion_that_escapes_is_given_up() -> None:
    """x'' = 2 x^3 from 1 with speed 1 is 1/(1 - t), which is infinite at 1 s."""
    with pytest.raises(lg.SimulationError, match=r"slider: no step is short enough .* near t = 0\.9999\d* s"):
        lg.certify(slider(1), 10**6, [1], [1], {"x": "2*x^3"}, digits=5, limit=None)


def test_proven_numbers() -> None:
    number = lg.BoundedNumber(Fraction("1.2344996"), Fraction("1.2344999"))
    assert (str(number), number.digits) == ("1.234500", 7)
    assert number.bounds == ("1.234499600", "1.234499900")
    assert Fraction("1.2344997") in number
    assert 1.2345 not in number
    assert number.lower <= float(number) <= number.upper
    assert number.distance(1.0) == pytest.approx(0.2344999)
    small = lg.BoundedNumber(Fraction(-1, 10**9), Fraction(1, 10**8))
    assert (str(small), small.digits) == ("0.0000000", 7)
    large = lg.BoundedNumber(Fraction(-123460), Fraction(-123440))
    assert (str(large), large.digits) == ("-123000", 3)  # to hundreds the bounds round to -123500 and to -123400
    assert str(lg.BoundedNumber(Fraction(-1), Fraction(2))) == "between -1 and 2"
    exact = lg.BoundedNumber(Fraction(5, 2), Fraction(5, 2), max_digits=4)
    assert str(exact) == "2.500"


def test_a_proof_that_would_take_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock of its own: two seconds for every step, or a minute after the run that looks how errors grow."""
    clock = [0.0]
    monkeypatch.setattr("lagrangian.validated_integration.certify.perf_counter", lambda: clock[0])

    def slow(done: float, total: float) -> None:
        clock[0] += 2.0

    with pytest.raises(lg.CostLimitError, match=r"t = 1e\+09 s would take .* or more; the limit is 10 minutes") as caught:
        lg.certify("pendulum", 1e9, digits=10, progress=slow)
    assert caught.value.seconds > caught.value.limit == 600

    def late(done: float, total: float) -> None:
        clock[0] += 60.0 * (done > 0.2 * total)

    with pytest.raises(lg.CostLimitError, match="given up after 60 s"):
        lg.certify("pendulum", 3, digits=10, limit=30, progress=late)
    with pytest.raises(lg.ArgumentError, match="limit is -1"):
        lg.certify("pendulum", 1, limit=-1)
