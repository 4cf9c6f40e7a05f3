"""`with_parameters` gives the mechanism that its file would give with those numbers written in it."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.model.expression import Expression

NAMES = sorted(lg.library())


def numbers(x, at=""):
    """Every number of a mechanism, by its place."""
    if isinstance(x, (Expression, int, float)) and not isinstance(x, bool):
        try:
            return {at: float(x)}
        except lg.DescriptionError:  # of coordinates: with the numbers in it
            return {at: [float(n) for n in _leaves(x)]}
    if isinstance(x, dict):
        items = x.items()
    elif isinstance(x, (tuple, list)):
        items = enumerate(x)
    elif is_dataclass(x) and not isinstance(x, type):
        items = [(f.name, getattr(x, f.name)) for f in fields(x)]
    else:
        return {}
    return {place: number for key, value in items for place, number in numbers(value, f"{at}.{key}").items()}


def _leaves(x):
    if not isinstance(x, Expression):
        return [x]
    if x.value is not None:
        return [x.value]
    return [leaf for a in x.arguments for leaf in _leaves(a)]


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_as_if_it_were_written_in_the_file(name):
    mechanism = lg.library(name)
    for parameter, item in mechanism.parameters.items():
        value = float(item) * 1.01 if float(item) else 0.01
        try:
            expected = lg.library(name, parameters={parameter: value})
        except lg.LagrangianError:  # a value that the mechanism cannot have is refused by both
            with pytest.raises(lg.LagrangianError):
                mechanism.with_parameters({parameter: value})
            continue
        changed = mechanism.with_parameters({parameter: value})
        a, b = numbers(changed), numbers(expected)
        assert a.keys() == b.keys(), parameter
        for place in a:
            assert np.allclose(a[place], b[place], rtol=1e-13, atol=1e-15, equal_nan=True), (parameter, place, a[place], b[place])


def test_what_does_not_depend_on_a_parameter_is_the_same_object():
    arm = lg.library("two_r")
    longer = arm.with_parameters(l1=2.0)
    assert longer.bodies[0] is arm.bodies[0]
    assert float(longer.joint("theta2").placement.position[0]) == 2.0
    assert arm.with_parameters(l1=1.0) is arm


def test_a_parameter_that_follows_from_others_can_be_given_too():
    linkage = lg.library("four_bar").with_parameters(e=1.1)
    angle = math.pi / 2
    assert linkage.initial.q[1] == pytest.approx(
        math.atan2(-0.3, 1.0) + math.acos((0.81 + 1.21 - 0.36) / (2 * 0.9 * 1.1)) - angle
    )
    # and the length that it follows from changes the rest alone
    assert float(linkage.with_parameters(l1=0.31).parameters["e"]) == 1.1


def test_parameters_of_parameters():
    a = lg.parameter("a", 2.0)
    body = lg.Body("link", a * 3, (a / 4, 0, 0), (0, 0, 0, a, 0, a))
    joint = lg.Joint("turn", "revolute", "ground", "link", limits=lg.JointLimits(-a, a))
    arm = lg.Mechanism("arm", (body,), (joint,), parameters={"a": a}).with_parameters(a=4)
    assert float(arm.bodies[0].mass) == 12
    assert (arm.joints[0].limits.lower, arm.joints[0].limits.upper) == (-4, 4)


def test_impossible_values_are_refused_where_they_matter():
    with pytest.raises(lg.MechanismError, match=r"link1.*mass"):
        lg.library("two_r").with_parameters(m1=-1)
    with pytest.raises(lg.MechanismError, match=r"no parameter 'l7'.*path"):
        lg.library("two_r").with_parameters(l7=1)
    with pytest.raises(lg.MechanismError, match="a finite number is needed"):
        lg.library("two_r").with_parameters(l1="long")


def test_numbers_without_names_have_paths():
    robot = lg.library("panda") if "panda" in NAMES else lg.library("puma560")
    body, joint = robot.bodies[2].name, robot.joints[3].name
    changed = robot.with_parameters({f"{body}.mass": 2.5, f"{body}.center.x": 0.01, f"{joint}.friction.viscous": 0.2})
    assert float(changed.body(body).mass) == 2.5
    assert float(changed.body(body).center[0]) == 0.01
    assert float(changed.joint(joint).friction.viscous) == 0.2
    assert changed.with_parameters({"gravity": (0, 0, -1.62)}).gravity == (0, 0, -1.62)
    assert changed.with_parameters({"gravity.z": -3.7}).gravity[2] == -3.7
    moved = robot.with_parameters({f"{joint}.placement.position": (0.1, 0.2, 0.3)})
    assert moved.joint(joint).placement.position == (0.1, 0.2, 0.3)
    with pytest.raises(lg.MechanismError, match="no entry 'weight'"):
        robot.with_parameters({f"{body}.weight": 1})
    with pytest.raises(lg.MechanismError, match="a number is needed"):
        robot.with_parameters({f"{body}.mass": "heavy"})
    with pytest.raises(lg.MechanismError, match="mass"):
        robot.with_parameters({f"{body}.mass": -2.0} if not robot.body(body).effective else {f"{body}.mass": math.nan})


def test_a_payload_adds_its_inertia_by_the_parallel_axis_theorem():
    arm = lg.library("two_r")
    loaded = arm.with_payload("tip", 2.0, center=(0.1, 0.2, 0.0), inertia=(0.3, 0.4, 0.5))
    body = loaded.body("link2")
    both = arm.body("link2").pseudo_inertia()
    # the pseudo-inertia of bodies that are one is the sum of theirs, about the same origin
    payload = lg.Body("payload", 2.0, (1.1, 0.2, 0.0), (0.3, 0.4, 0.5)).pseudo_inertia()
    assert np.allclose(body.pseudo_inertia(), both + payload, atol=1e-14)
    assert float(body.mass) == pytest.approx(14.456)
    assert arm.with_payload("tip", 0.0).body("link2") == arm.body("link2")
    with pytest.raises(lg.MechanismError, match=r"payload.*mass"):
        arm.with_payload("tip", -1.0)
    with pytest.raises(lg.MechanismError, match="ground"):
        arm.with_payload("ground", 1.0)


def test_a_pose_that_cannot_be_is_none_and_hinders_nothing(tmp_path):
    """With l1 = l0 the four-bar's pose 'level' divides by zero; it runs all the same, alone, in a batch, and read from a file."""
    bars = lg.library("four_bar")
    alone = lg.simulate(bars, 0.2, parameters={"l1": 1.0}).q[-1]
    together = lg.simulate(bars, 0.2, parameters={"l1": np.array([0.3, 1.0, 1.0])})
    np.testing.assert_allclose(together.q_end[1], alone, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(together[1].q[-1], alone)
    np.testing.assert_array_equal(lg.simulate(lg.library("four_bar", parameters={"l1": 1.0}), 0.2).q[-1], alone)
    assert list(bars.with_parameters(l1=1.0).poses) == ["upright"]
    with pytest.raises(lg.ArgumentError, match="'level'"):
        lg.simulate(bars, 0.2, "level", parameters={"l1": 1.0})
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(lg.dumps(bars).replace("[pose]", '[pose]\nodd = ["1/0", 0, 0]'))
    for value in (None, {"l1": 0.4}):  # a file that is wrong by itself is refused with any values
        with pytest.raises(lg.DescriptionError, match="odd"):
            lg.load(wrong, parameters=value)


@pytest.mark.parametrize("carried", [0.0, 0.3])
def test_a_point_payload_has_no_inertia_by_rounding(carried: float) -> None:
    """m c / m is not c, and the square of their difference would be an inertia, which generated code has as a parameter."""
    center = (0.01, -0.07, 0.0823 + 0.05)
    tool = lg.Body("tool", mass=carried, center=center)
    arm = lg.Mechanism("arm", [tool], [lg.Joint("j", "revolute", "ground", "tool")])
    loaded = arm.with_payload("tool", 3.0, center=center).body("tool")
    assert not any(loaded.inertia)
    assert loaded.center == pytest.approx(center, rel=1e-15)
    assert carried or loaded.center == center
