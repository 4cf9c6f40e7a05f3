"""Parts of mechanisms from values that they are not meant for: an error that names the entry, or what the value stands for."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.errors import MechanismError

STRUCTURED = np.zeros(2, dtype=[("a", float), ("b", int)])
LARGE = 10**400
CIRCULAR: list[Any] = []
CIRCULAR.append(CIRCULAR)  # numpy's generators crash where they are given one


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lg.shapes.cylinder([None], 1.0, mass=1.0), "cylinder: radius is .*; a number is needed"),
        (lambda: lg.shapes.sphere(0.1, mass=STRUCTURED[0]), "sphere: mass is .*; a number is needed"),
        (lambda: lg.shapes.sphere({1: 2}, mass=1.0), "sphere: radius is "),
        (lambda: lg.shapes.sphere(0.1, density=np.nan), "sphere: density is nan; finite"),
        (lambda: lg.shapes.tube(0.2, {"a": 1}, 1.0, mass=1.0), "tube: inner is "),
        (lambda: lg.shapes.capsule(0.1, "1", mass=1.0), "capsule: length is '1'"),
        (lambda: lg.shapes.plate((1, 1, 0.1), mass="/"), "plate: mass is '/'"),
        (lambda: lg.shapes.plate((1, 1, 0.1), mass=1.0, holes=0.5), "plate: a hole is 0.5; three numbers"),
        (lambda: lg.shapes.plate((1, 1, 0.1), mass=1.0, holes=[(0, 0)]), "plate: a hole is .*; three numbers"),
        (lambda: lg.shapes.rod((0, 0, 0), (1, 0, 0), mass=np.datetime64("2020-01-01")), "rod: mass is "),
        (lambda: lg.shapes.disc([1], mass=1.0), "disc: radius is "),
        (lambda: lg.shapes.point_mass("a"), "point_mass: mass is 'a'"),
        (lambda: lg.Body("b", LARGE), "mass is an integer with more than 308 digits; numbers up to 1e"),
        (lambda: lg.Body("b", 1.0, (0, LARGE, 0)), "center is an integer with more than 308 digits"),
        (lambda: lg.Body("b", 1e60), r"mass is 1e\+60; numbers up to 1e\+30 are needed"),
        (lambda: lg.Joint("j", "revolute", "ground", "b", (0, 1e308, 0)), r"position is 1e\+308; numbers up to"),
        (lambda: lg.Rotor(1.0, 1e154), r"rotor: ratio is 1e\+154; numbers up to"),
        (lambda: lg.Body("b", Decimal(1)), "mass is "),
        (lambda: lg.Body("b", effective=np.zeros(2)), "effective is .*; True or False"),
        (lambda: lg.Body(np.zeros(2)), "name is .*; a string is needed"),
        (lambda: lg.Body("b", visuals=3), "visuals is 3; a list of Visual"),
        (lambda: lg.Body("b", center=np.array(0.5)), "center is .*; three numbers"),
        (lambda: lg.Joint("j", ["revolute"], "ground", "b"), "joint 'j': type is .*; a string"),
        (lambda: lg.Joint("j", "revolute", "ground", "b", actuated="no"), "actuated is 'no'; True or False"),
        (lambda: lg.Joint("j", "revolute", "ground", "b", type_entries=3), "type_entries is 3; pairs of a name and a value"),
        (lambda: lg.Joint("j", "revolute", "ground", "b", np.zeros(())), "placement is "),
        (lambda: lg.LoopJoint("l", "point", np.zeros(2), "b"), "loop 'l': a is .*; a string"),
        (lambda: lg.LoopJoint("l", "point", "a", "b", directions=[["x"]]), "directions are "),
        (lambda: lg.LoopJoint("l", "point", "a", "b", directions=3), "directions are "),
        (lambda: lg.RollingConstraint("r", np.zeros((2, 0)), 0.1), "constraint 'r': body is .*; a string"),
        (lambda: lg.HolonomicConstraint("h", "x = y", unilateral=[]), "unilateral is"),
        (lambda: lg.PfaffianConstraint("p", 3.0), "coefficients is 3.0; it must map speeds"),
        (lambda: lg.PfaffianConstraint("p", [1.0, 2.0]), "coefficients is"),
        (lambda: lg.Event("t - 1", direction=["rising"]), r"there is no direction \['rising'\]"),
        (lambda: lg.Transform.from_quaternion((0, 0, 0), (0, 0, 0, 0)), "length zero"),
        (lambda: lg.Transform.from_quaternion((0, 0, 0), 3.0), "four numbers"),
        (lambda: lg.Transform.from_rpy(rpy=(0, 0, np.inf)), "rpy is inf; finite numbers"),
        (lambda: lg.parameter(3, 1.0), "a parameter cannot be called 3"),
        (lambda: lg.parameter("p", "x"), "the parameter 'p' is 'x'; it must be a finite number"),
        (lambda: lg.InitialState(t_span=3.0), "t_span is 3.0; it must be two finite times"),
        (lambda: lg.InitialState(torque=[3.0]), r"torque is \[3.0\]; it must be pairs"),
        (lambda: lg.Mechanism("m", [], [], poses=[1]), "poses is .*; a mapping"),
        (lambda: lg.Mechanism("m", [], [], initial=3), "initial is 3; it must be an InitialState"),
        (lambda: lg.library("two_r").body([1]), r"there is no body \[1\]"),
        (lambda: lg.library("two_r").joint(np.zeros(2)), "there is no joint"),
        (lambda: lg.library("two_r").random_configuration(-1), "rng is -1; it must be a generator"),
        (lambda: lg.library("two_r").random_configuration(CIRCULAR), r"rng is \[.*; it must be a generator"),
        (lambda: lg.Mechanism("m", np.array(0.5), []), "bodies is .*; a list of Body"),
    ],
)
def test_what_is_wrong_is_named(call: Callable[[], Any], message: str) -> None:
    with pytest.raises((MechanismError, lg.ArgumentError, lg.DescriptionError), match=message):
        call()


def test_numbers_of_numpy_are_python_s_in_a_mechanism() -> None:
    """A long double would reach compiled code as something else."""
    friction = lg.Friction(np.longdouble("0.1"), np.float32(0.5))
    assert (type(friction.viscous), friction.viscous) == (float, 0.1)
    assert type(friction.coulomb) is float
    body = lg.Body("b", np.longdouble(2), np.array([0.1, 0, 0]), np.eye(3))
    assert [type(x) for x in (body.mass, *body.center)] == [float] * 4
    for value in (
        lg.Rotor(np.int64(2)).inertia,
        lg.JointSpring(np.array(3.0)).stiffness,
        lg.JointLimits(np.longdouble(-1)).lower,
    ):
        assert type(value) in (int, float)


@pytest.mark.parametrize("size", [1.0, 1e-200, 1e-300, 1e200])
def test_quaternions_of_any_length(size: float) -> None:
    half = np.sqrt(0.5)
    turned = lg.Transform.from_quaternion((0, 0, 0), (half * size, 0, 0, half * size))
    np.testing.assert_allclose(turned.matrix()[:3, :3], [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (lg.Body("a", 1e16, (0.1, 0, 0)), r"masses of 1e\+16 kg and of 1 kg, which are more than 14 digits apart"),
        (lg.Body("a", 1.0, (0, 0, 0), (1e22, 1e22, 1e22)), r"radii of gyration of 1e\+11 m"),
    ],
)
def test_what_sixteen_digits_do_not_hold_is_reported(body: lg.Body, message: str) -> None:
    bodies = [body, lg.Body("b", 1.0, (0.1, 0, 0))]
    joints = [lg.Joint("j", "revolute", "ground", "a", axis="y"), lg.Joint("k", "revolute", "a", "b", axis="y")]
    with pytest.warns(lg.MechanismWarning, match=message):
        lg.compile(lg.Mechanism("m", bodies, joints))


def test_masses_and_lengths_of_robots_are_no_cause_for_doubt(recwarn: pytest.WarningsRecorder) -> None:
    bodies = [lg.Body("a", 1e5, (30, 0, 0)), lg.Body("b", 1e-6, (1e-6, 0, 0))]
    joints = [lg.Joint("j", "revolute", "ground", "a", axis="y"), lg.Joint("k", "revolute", "a", "b", (50, 0, 0), axis="y")]
    lg.compile(lg.Mechanism("m", bodies, joints))
    assert not recwarn.list
