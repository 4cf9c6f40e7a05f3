"""Routines for other values of their parameters, against kernels of the mechanism with these values."""

from __future__ import annotations

from dataclasses import replace

import pytest

import lagrangian as lg
from lagrangian.exports.reference_values import evaluate_routine, routine_inputs, sample_states
from lagrangian.functions.catalogue import package
from tests.exports.reference import applicable, expected_results, relative_error

NAMES = ("two_r", "four_bar", "rolling_disc", "slider_crank", "cart_pendulum", "flyball_governor", "puma560", "geared_link")
LEFT_OUT = ("step", "project", "torque", "forward_dynamics_derivatives", "inverse_dynamics_derivatives")

ARM = """
name = "odd"
gravity = [0, 0, "-g"]
parameters = {{ g = 9.81, a = 0.3, n = 2, z = 0, l = 0.4 }}
[[body]]
name = "b1"
mass = 1.2
center = [0.1, 0.05, 0.02]
inertia = [0.01, 0.02, 0.03]
[[joint]]
name = "j1"
child = "b1"
{joint}
[[body]]
name = "b2"
mass = 0.8
center = ["l", 0, 0.1]
inertia = [0.01, 0.02, 0.015]
[[joint]]
name = "j2"
type = "revolute"
parent = "b1"
child = "b2"
xyz = ["l", 0, 0]
axis = "y"
{more}
"""


def odd(joint: str = 'type = "revolute"\naxis = "x"', more: str = "") -> lg.Mechanism:
    return lg.loads(ARM.format(joint=joint, more=more))


DAMPER = """
[[spring]]
name = "s"
a = "ground"
a_point = [0, 0, 1]
b = "b2"
b_point = [0.1, 0.2, 0.3]
stiffness = 3
damping = "z"
"""

# a description, and the parameters that directions, profiles and exponents in it depend on
FIXED = {
    "axis": (odd('type = "revolute"\naxis = ["sin(a)", 0, "cos(a)"]'), {"a"}),
    "cam": (odd('type = "cam"\naxis = "z"\nadvance = "0.1*a*sin(angle) + z"'), {"a", "z"}),
    "wall": (
        odd(more='[[wall]]\nname = "w"\nbody = "b2"\nposition = [0, 0, 2]\nnormal = ["sin(a)", 0, "cos(a)"]\nstiffness = 50'),
        {"a"},
    ),
    "exponent": (odd(more='[[constraint]]\nname = "c"\nequation = "j2 = l*(2 + j1)^n"'), {"n"}),
    "torque": (odd(more='[initial]\ntorque = { j1 = "l*(2 + j2)^n" }'), {"n"}),
    "damping": (odd(more=DAMPER), set()),
}


def compare(m: lg.Mechanism) -> None:
    """All functions, with every parameter a tenth larger."""
    generated = package(m, [name for name in applicable(m) if name not in LEFT_OUT])
    other = {p.name: 1.1 * p.value + (0.13 if p.value == 0 else 0.0) for p in generated.parameters}
    generated = replace(generated, parameters=tuple(replace(p, value=other[p.name]) for p in generated.parameters))
    dyn = lg.compile(m.with_parameters(other))
    state = next(iter(sample_states(m, 1)))
    for routine in generated.routines:
        inputs = routine_inputs(routine, state)
        assert (
            relative_error(evaluate_routine(generated, routine, inputs), expected_results(dyn, routine.name, inputs)) < 1e-11
        ), routine.name


@pytest.mark.parametrize("name", NAMES)
def test_parameters_of_the_library(name: str) -> None:
    compare(lg.library(name))


@pytest.mark.parametrize("what", FIXED)
def test_what_cannot_stay_adjustable_is_reported_and_the_rest_is_right(what: str) -> None:
    m, fixed = FIXED[what]
    functions = ["torque"] if what == "torque" else ["inverse_dynamics"]
    generated = package(m, functions)
    assert fixed.isdisjoint(p.name for p in generated.parameters)
    assert all(any(name in note.partition(":")[0] for note in generated.notes) for name in fixed)
    for name in fixed:
        with pytest.raises(lg.ArgumentError, match=f"{name}' cannot stay adjustable"):
            package(m, functions, parameters=[name])
    if what != "torque":
        compare(m)


def test_a_damping_that_is_zero_for_now_is_in_the_friction() -> None:
    generated = package(FIXED["damping"][0], ["friction"])
    assert "z" in [p.name for p in generated.parameters]


def test_parameters_that_nothing_depends_on_are_left_out_or_told() -> None:
    m = lg.library("two_r")
    assert "l2" not in [p.name for p in package(m, ["gravity"]).parameters]
    generated = package(m, ["gravity"], parameters=["m2", "l2"])
    assert [p.name for p in generated.parameters] == ["m2", "l2"]
    assert "l2: no exported function depends on it." in generated.notes


def test_names_of_routines_are_distinct() -> None:
    m = lg.library("two_r").replace(frames=[lg.Frame("tool", "link2"), lg.Frame("dot_qd_tool", "link2", (0.1, 0, 0))])
    generated = package(m, ["jacobian", "jacobian_dot_qd"])
    assert len({routine.name for routine in generated.routines}) == 4


def test_what_a_reader_left_out_is_reported() -> None:
    m = lg.library("two_r").replace(notes=("mimic joint 'finger' moves on its own",))
    assert any("finger" in note for note in lg.export(m, "c").notes)
    assert "finger" in str(lg.export(m, "c").files["two_r.h"])


def test_functions_that_do_not_exist_everywhere_can_be_exported() -> None:
    for law in ("log(j2)", "acos(5*j2)", "exp(1e6*(j2 + 5))", "sqrt(j2)"):
        lg.export(odd(more=f'[initial]\ntorque = {{ j1 = "{law}" }}'), "c", functions=["torque"])
