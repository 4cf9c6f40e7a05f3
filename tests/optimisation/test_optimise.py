"""Designs whose best is known: balanced springs, linkages that were made to pass through points, gains."""

from __future__ import annotations

import numpy as np
import pytest

import lagrangian as lg

ARM = """
name = "arm with counterweights"
gravity = [0, "-g", 0]
parameters = { l1 = 0.5, l2 = 0.4, m1 = 3.0, m2 = 2.0, g = 9.81, c1 = 1.0, c2 = 0.0, k = 0.0, a = 0.3 }

[[body]]
name = "upper"
shapes = [
    { shape = "rod", start = [0, 0, 0], end = ["l1", 0, 0], mass = "m1" },
    { shape = "point", mass = "c1", xyz = [-0.2, 0, 0] },
]

[[body]]
name = "lower"
mass = "m2 + c2"
center = ["(m2*l2/2 - c2*0.1)/(m2 + c2)", 0, 0]

[[joint]]
name = "theta1"
type = "revolute"
child = "upper"

[[joint]]
name = "theta2"
type = "revolute"
parent = "upper"
child = "lower"
xyz = ["l1", 0, 0]

[[spring]]
name = "post"
a = "ground"
b = "upper"
a_point = [0, "a", 0]
b_point = ["l1", 0, 0]
stiffness = "k"
"""


def poses_of(arm):
    return [[a, b] for a in np.linspace(-1, 1.5, 5) for b in np.linspace(-1.5, 1.5, 5)]


def test_counterweights_that_balance_an_arm_exactly():
    """m2 l2/2 = c2 r2, and m1 l1/2 + (m2 + c2) l1 = c1 r1; parameters may begin at 0 and at 1."""
    arm = lg.loads(ARM)
    optimum = lg.optimise(arm, {"c1": (0, 100), "c2": (0, 100)}, lg.goals.holding_torque(poses_of(arm)))
    assert optimum.success
    assert optimum.parameters["c2"] == pytest.approx(2.0 * 0.2 / 0.1, rel=1e-9)
    assert optimum.parameters["c1"] == pytest.approx((3.0 * 0.25 + (2.0 + 4.0) * 0.5) / 0.2, rel=1e-9)
    assert optimum.value < 1e-9 < optimum.initial_value
    assert np.abs(lg.compile(optimum.mechanism).gravity(poses_of(arm))).max() < 1e-8
    assert "c1 = " in str(optimum)


def test_a_spring_that_balances_a_link_exactly():
    """A spring without rest length from a post above the joint: k a b = m g r (Herder, Energy-free systems, 2001)."""
    arm = lg.loads(ARM).with_parameters(c1=0.0, m2=1e-6)
    poses = [[a, 0.0] for a in np.linspace(-1.2, 1.2, 9)]
    optimum = lg.optimise(arm, {"k": (0, 1000)}, lg.goals.holding_torque(poses, joints=["theta1"]))
    moment = 3.0 * 0.25 + 1e-6 * (0.5 + 0.2)
    assert optimum.parameters["k"] == pytest.approx(moment * 9.81 / (0.3 * 0.5), rel=1e-8)
    assert optimum.value < 1e-8


def test_the_best_springs_are_the_best():
    """Of a whole arm, which one spring cannot balance: no small change of it makes the torques smaller."""
    arm = lg.loads(ARM).with_parameters(c1=0.5)
    poses = poses_of(arm)
    optimum = lg.optimise(arm, {"k": (0, 1000), "a": (0.05, 0.4)}, lg.goals.holding_torque(poses))

    def torque(**change):
        return np.sqrt(np.mean(lg.compile(optimum.mechanism.with_parameters(change)).gravity(poses) ** 2))

    assert torque() == pytest.approx(optimum.value, rel=1e-9)
    for name in ("k", "a"):
        for factor in (0.99, 1.01):
            assert torque(**{name: optimum.parameters[name] * factor}) > optimum.value * (1 - 1e-9)


def coupler_points(linkage, angles):
    """Where the coupler's middle is, by the law of cosines, with the coupler above the diagonal."""
    l0, l1, l2, l3 = (float(linkage.parameters[name]) for name in ("l0", "l1", "l2", "l3"))
    end = l1 * np.exp(1j * angles)
    diagonal = l0 - end
    e = np.abs(diagonal)
    turned = np.angle(diagonal) + np.arccos((l2**2 + e**2 - l3**2) / (2 * l2 * e))
    middle = end + l2 / 2 * np.exp(1j * turned)
    return np.stack([middle.real, middle.imag], axis=1)


@pytest.mark.parametrize("timed", [True, False])
def test_a_four_bar_through_given_points(timed):
    linkage, names = lg.library("four_bar"), ("l1", "l2", "l3")
    expected = {"l1": 0.35, "l2": 1.0, "l3": 0.7}
    angles = np.pi / 2 + np.linspace(0, 4.5, 9)
    points = coupler_points(linkage.with_parameters(expected), angles)
    goal = lg.goals.path_points("C", points, "theta1", angles if timed else None)
    over = {"l1": (0.2, 0.5), "l2": (0.6, 1.4), "l3": (0.4, 1.0)}
    optimum = lg.optimise(linkage, over, goal)
    assert optimum.value < (1e-10 if timed else 1e-6)
    if timed:
        assert [optimum.parameters[n] for n in names] == pytest.approx([expected[n] for n in names], rel=1e-8)


def test_inequalities_are_kept():
    """The crank of a linkage that must turn all round: Grashof's condition as an inequality, with some room."""
    linkage = lg.library("four_bar")
    angles = np.pi / 2 + np.linspace(0, 4.5, 9)
    points = coupler_points(linkage.with_parameters(l1=0.4, l2=0.85, l3=0.62), angles)
    goal = lg.goals.path_points("C", points, "theta1", angles)
    over = {"l1": (0.2, 0.5), "l2": (0.6, 1.4), "l3": (0.4, 1.0)}
    optimum = lg.optimise(linkage, over, goal, subject_to="l0 + l1 <= l2 + l3 - 0.2")
    p = optimum.parameters
    assert p["l2"] + p["l3"] - 0.2 - 1.0 - p["l1"] >= -1e-9
    assert p["l2"] + p["l3"] - 0.2 - 1.0 - p["l1"] == pytest.approx(0, abs=1e-6)  # it holds the result back
    assert optimum.value < optimum.initial_value


def test_gradients_of_goals():
    linkage, names = lg.library("four_bar"), ["l1", "l3"]
    goal = lg.goals.path_points("C", np.zeros((4, 2)), "theta1", np.pi / 2 + np.array([0, 0.5, 1.0, 2.0]))
    r, J = goal.evaluate(linkage, names, np.zeros(0))
    for k, name in enumerate(names):
        value, h = float(linkage.parameters[name]), 1e-6
        sides = [goal.evaluate(linkage.with_parameters({name: value + s}), names, np.zeros(0))[0] for s in (-h, h)]
        np.testing.assert_allclose(J[:, k], (sides[1] - sides[0]) / (2 * h), atol=1e-8)
    assert len(r) == 8


def test_the_gains_of_a_controller():
    """A mass on a spring-like controller: of k with c fixed the integral of x^2 has its least where it can be computed."""
    slide = lg.loads("""
        name = "servo"
        gravity = [0, 0, 0]
        parameters = { m = 1.0, kp = 4.0, kd = 1.0 }
        body = [{ name = "block", mass = "m" }]
        joint = [{ name = "x", type = "prismatic", axis = [1, 0, 0], child = "block" }]
        [initial]
        q = [1.0]
        t_span = [0, 30]
        torque = { x = "-kp*x - kd*qd_x" }
    """)
    # of x'' + d x' + k x = 0 from (1, 0): the integral of x^2 over all times is (d^2 + k) / (2 d k), least at d = sqrt(k)
    optimum = lg.optimise(slide, {"kd": (0.3, 10.0)}, lg.goals.integral("x^2"))
    assert optimum.parameters["kd"] == pytest.approx(2.0, rel=1e-4)
    assert optimum.value == pytest.approx((4.0 + 4.0) / (2 * 2 * 4), rel=1e-6)


def test_an_inequality_that_cannot_be_kept_is_reported():
    arm = lg.loads(ARM)
    optimum = lg.optimise(arm, {"k": (0, 100)}, lg.goals.holding_torque(poses_of(arm)), subject_to="k <= -3")
    assert not optimum.success
    assert optimum.violated == ("k <= -3",)
    assert "k <= -3 does not hold" in str(optimum)
    assert "No optimum was found" in str(optimum)


def test_starts_begin_where_it_was_and_bounds_are_reported():
    arm = lg.loads(ARM).with_parameters(c1=0.5)
    goal = lg.goals.holding_torque(poses_of(arm))
    one, several = (lg.optimise(arm, {"k": (0, 20)}, goal, starts=n) for n in (1, 4))
    assert one.initial_value == several.initial_value
    assert one.at_bound == ("k",)
    assert "k = 20 (at its bound)" in str(one)


def test_what_makes_no_sense_is_refused():
    linkage = lg.library("four_bar")
    goal = lg.goals.path_points("C", [[0, 0]], "theta1", [1.6])
    with pytest.raises(lg.ArgumentError, match="'l9'"):
        lg.optimise(linkage, {"l9": (0, 1)}, goal)
    with pytest.raises(lg.ArgumentError, match="lower, upper"):
        lg.optimise(linkage, {"l1": 0.3}, goal)
    with pytest.raises(lg.ArgumentError, match=r"one of lagrangian\.goals"):
        lg.optimise(linkage, {"l1": (0.1, 0.5)}, lambda m: 0)
    with pytest.raises(lg.ArgumentError, match="<= or >="):
        lg.optimise(linkage, {"l1": (0.1, 0.5)}, goal, subject_to="l1 < 2")
    with pytest.raises(lg.ArgumentError, match="closes the loops"):
        lg.optimise(linkage, {"l1": (0.1, 0.5)}, lg.goals.holding_torque([[0, 0, 0]]))
    with pytest.raises(lg.ArgumentError, match="not finite"):
        lg.goals.holding_torque([[np.nan, 0]])
    with pytest.raises(lg.ArgumentError, match="starts"):
        lg.optimise(linkage, {"l1": (0.1, 0.5)}, goal, starts=0)
    with pytest.raises(lg.ArgumentError, match="parameters with their bounds"):
        lg.optimise(linkage, ["l1"], goal)
    with pytest.raises(lg.ArgumentError, match="'theta7'"):
        lg.optimise(linkage, {"l1": (0.1, 0.5)}, lg.goals.path_points("C", [[0, 0]], "theta7"))
