"""What cannot be is refused, and the error says what would be right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import lagrangian as lg
from tests.design.linkages import four_bar


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lg.workspace("two_r", "tipp"), "there is no frame or body 'tipp'. Did you mean 'tip'"),
        (lambda: lg.workspace("two_r", "ground"), "does not move"),
        (lambda: lg.workspace("four_bar"), "moves along a curve.*analyse_cycle"),
        (lambda: lg.workspace("cartesian_pp"), "has no limits.*over={'q1'"),
        (lambda: lg.workspace("two_r", over={"theta3": (0, 1)}), "over: there is no coordinate 'theta3'"),
        (lambda: lg.workspace("two_r", over={"theta2": (1, 0)}), "over is .*the smaller one first"),
        (
            lambda: lg.workspace("scara", over={"theta1": (-3, 0)}),
            r"'theta1': goes from -3 to 0, beyond .*limits=False",
        ),
        (lambda: lg.singularities("scara", {"theta2": (0, 3)}), r"'theta2': goes from 0 to 3, beyond the limits of the joint"),
        (lambda: lg.workspace("two_r", over=3), "over must map coordinates to ranges"),
        (lambda: lg.workspace("two_r", samples=3), "samples is 3"),
        (lambda: lg.workspace("two_r", resolution=2), "resolution is 2"),
        (lambda: lg.workspace("free_body"), "free|which frame"),
        (lambda: lg.workspace("rolling_disc"), "constraints of speeds|frame is needed"),
        (lambda: lg.workspace("puma560", frme="tool"), "Did you mean 'frame'"),
        (lambda: lg.analyse_cycle("two_r"), "input is needed for two_r: its actuated coordinates are theta1, theta2"),
        (lambda: lg.analyse_cycle("two_r", "theta1"), "has 2 degrees of freedom; one is needed.*fixed={'theta2'"),
        (lambda: lg.analyse_cycle("four_bar", "theta"), "input: there is no coordinate 'theta'. Did you mean 'theta1'"),
        (lambda: lg.analyse_cycle("four_bar", "crank"), "input: there is no coordinate 'crank'"),
        (lambda: lg.analyse_cycle("four_bar", fixed=("phi3",)), "cannot move with phi3 held"),
        (lambda: lg.analyse_cycle("four_bar", fixed=("theta1",)), "no joint of it is actuated|is needed"),
        (lambda: lg.analyse_cycle("four_bar", "phi3", fixed=("phi3",)), "is 'phi3', which `fixed` holds"),
        (lambda: lg.analyse_cycle("four_bar", output="theta1"), "output is 'theta1', which is the input"),
        (lambda: lg.analyse_cycle("four_bar", output="tip"), "output: there is no coordinate or frame 'tip'"),
        (lambda: lg.analyse_cycle("four_bar", output=("C", "q")), "output: there is no direction 'q'"),
        (lambda: lg.analyse_cycle("four_bar", output=3), "output is 3"),
        (lambda: lg.analyse_cycle("four_bar", over=(1.0, 1.0)), "over is .*the smaller one first"),
        (lambda: lg.analyse_cycle("four_bar", rows=1), "rows is 1"),
        (lambda: lg.analyse_cycle("four_bar", speed="fast"), "speed is 'fast'"),
        (lambda: lg.analyse_cycle("four_bar", wrenches={"cranc": (0,) * 6}), "cranc"),
        (
            lambda: lg.analyse_cycle("cart_pendulum", "x", fixed=("theta",)),
            "over is needed: 'x' has neither limits nor dead centres",
        ),
        (lambda: lg.analyse_cycle("rolling_disc"), "speeds|is needed"),
        (lambda: lg.analyse_cycle("four_bar").coupler_curve("D"), "there is no frame or body 'D'"),
        (lambda: lg.singularities("two_r", {}), "range of one coordinate, or of two.*theta1"),
        (lambda: lg.singularities("two_r", {"theta": (0, 1)}), "over: there is no coordinate 'theta'"),
        (lambda: lg.singularities("two_r", {"theta2": (1, 0)}), "the smaller one first"),
        (lambda: lg.singularities("puma560", {"q1": (0, 1), "q2": (0, 1), "q3": (0, 1)}), "one coordinate, or of two"),
        (lambda: lg.singularities("two_r", {"theta2": (0, 1)}, "hand"), "no frame or body 'hand'"),
        (lambda: lg.singularities("two_r", {"theta2": (0, 1)}, directions=("q",)), "direction 'q'"),
        (lambda: lg.singularities("two_r", {"theta2": (0, 1)}, fixed=("theta2",)), "fixed holds 'theta2'"),
        (lambda: lg.singularities("three_rrr", {"platform.x": (-0.1, 0.1)}), "3 degrees of freedom: beside platform.x, 2 coord"),
        (lambda: lg.singularities("two_r", {"theta2": (0, 1)}, lines=1), "lines is 1"),
    ],
)
def test_wrong_arguments(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(lg.LagrangianError, match=message):
        call()


def test_a_linkage_that_cannot_be_assembled() -> None:
    for call in (lg.analyse_cycle, lambda m: lg.singularities(m, {"a": (0.0, 1.0)}), lambda m: lg.workspace(m, "P")):
        with pytest.raises(lg.AssemblyError, match="no configuration was found that closes the loops"):
            call(four_bar(5.0, 1.0, 1.0, 1.0))


def test_a_start_beyond_the_limits() -> None:
    with pytest.raises(lg.ArgumentError, match=r"theta1 would start outside the limits of the joint.*limits=False"):
        lg.analyse_cycle("scara", "theta1", q0=[2.5, 0, 0.1, 0], fixed=("theta2", "d3", "theta4"))


def test_a_range_out_of_reach() -> None:
    with pytest.raises(lg.AssemblyError):
        lg.analyse_cycle("deployable_four_bar", over=(2.9, 3.1))
