"""One reading of q0: wherever a configuration is given, the same one is meant."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.cli.commands.simulate import simulate_with_progress
from lagrangian.configuration import state_arguments
from lagrangian.posing.posture import Posture
from lagrangian.viewer.scene.poses import drawn_configuration

MECHANISMS = ("two_r", "four_bar", "five_bar", "slider_crank", "stewart", "free_body")


def without_initial(name: str) -> lg.Mechanism:
    """Of the library, without a start of its own; its poses stay."""
    return lg.library(name).replace(initial=lg.InitialState())


def simulated_start(m: lg.Mechanism, q0: Any) -> np.ndarray:
    return lg.simulate(m, 1e-4, q0=q0, qd0=None, torque=0, limits=False, t_eval=2).q[0]


def linearised_start(m: lg.Mechanism, q0: Any) -> np.ndarray:
    return lg.linearise(m, q0, qd=np.zeros(m.nv), torque=0).q


def inverse_kinematics_start(m: lg.Mechanism, q0: Any) -> np.ndarray:
    """Inverse kinematics that is asked for nothing new stays where it begins."""
    dyn = lg.compile(m)
    body = m.bodies[0].name
    return lg.inverse_kinematics(m, dyn.pose(lg.assemble(m, q0), body), body, q0, limits=False)


STARTS: dict[str, Callable[[lg.Mechanism, Any], np.ndarray]] = {
    "simulate": simulated_start,
    "draw": drawn_configuration,
    "linearise": linearised_start,
    "inverse_kinematics": inverse_kinematics_start,
    "view": lambda m, q0: Posture(m, q0).q,
    "command": lambda m, q0: simulate_with_progress(m, 1e-4, q0=q0, torque=0, limits=False, t_eval=2).q[0],
}


def alike(m: lg.Mechanism, a: np.ndarray, b: np.ndarray) -> None:
    """The same bodies in the same places: angles may differ by whole turns, quaternions by their sign."""
    dyn = lg.compile(m)
    for body in m.bodies:
        np.testing.assert_allclose(dyn.pose(a, body.name), dyn.pose(b, body.name), atol=1e-8)


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("name", MECHANISMS)
def test_everything_begins_at_the_mechanisms_own_start(name: str, start: str) -> None:
    m = lg.library(name)
    alike(m, STARTS[start](m, None), lg.assemble(m))


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("name", ["two_r", "four_bar", "free_body"])
def test_without_a_start_it_is_neutral_and_closed_and_not_the_first_pose(name: str, start: str) -> None:
    m = without_initial(name)
    alike(m, STARTS[start](m, None), lg.assemble(m, m.neutral()))


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(("name", "q0"), [("four_bar", {"theta1": 0.9}), ("two_r", {"theta2": 0.4}), ("five_bar", {"q1": 2.0})])
def test_coordinates_by_name_keep_their_values(name: str, q0: dict[str, float], start: str) -> None:
    m = lg.library(name)
    q = STARTS[start](m, q0)
    ((coordinate, value),) = q0.items()
    assert q[m.coordinate_names.index(coordinate)] == pytest.approx(value, abs=1e-9)
    if m.equation_count:
        assert np.abs(lg.compile(m).closure(q)).max() < 1e-9
    alike(m, q, lg.assemble(m, fixed=q0))


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(("name", "pose"), [("four_bar", "upright"), ("two_r", "upright"), ("stewart", "tilted")])
def test_poses_by_name(name: str, pose: str, start: str) -> None:
    m = lg.library(name)
    alike(m, STARTS[start](m, pose), lg.assemble(m, pose))


def test_some_coordinates_of_a_quaternion_by_name() -> None:
    """They cannot be held one by one, but where nothing is to be closed they are as they were given."""
    m = lg.library("free_body")
    joint = m.joints[0].name
    values = {f"{joint}.w": 0.0, f"{joint}.x": 2.0, f"{joint}.y": 0.0, f"{joint}.z": 0.0, f"{joint}.pz": 0.3}
    for q in (simulated_start(m, values), drawn_configuration(m, values), lg.assemble(m, values)):
        assert q[[0, 1, 6]] == pytest.approx([0, 1, 0.3])


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(
    ("q0", "said"),
    [
        ("upside", "there is no pose 'upside'"),
        ({"theta9": 1.0}, "there is no coordinate 'theta9'"),
        ({"theta1": np.nan}, "'theta1': nan is not a finite number"),
        ([1.0], r"is \[1\.0\]; 3 finite numbers are needed: theta1, phi2, phi3"),
        ([1.0, np.inf, 0.0], "3 finite numbers are needed"),
        (object(), "3 finite numbers are needed"),
        ({"theta1": "30degrees"}, "'theta1': '30degrees' is not understood; write a number such as 0.5, pi/4, 30deg or 250mm"),
    ],
)
def test_the_same_is_refused_everywhere(q0: Any, said: str, start: str) -> None:
    with pytest.raises(lg.ArgumentError, match=said):
        STARTS[start](lg.library("four_bar"), q0)


def test_a_pose_that_leaves_loops_open() -> None:
    """A simulation refuses it; a picture is of the nearest that closes them, and says so."""
    m = lg.library("four_bar").replace(poses={"rough": (1.5, -1.2, 1.9)})
    with pytest.raises(lg.ArgumentError, match="pose 'rough' does not close the loops: closure"):
        simulated_start(m, "rough")
    with pytest.warns(
        lg.MechanismWarning,
        match="pose 'rough' does not close the loops: .*; the picture shows the nearest",
    ):
        q = drawn_configuration(m, "rough")
    np.testing.assert_allclose(q, lg.assemble(m, "rough"), atol=1e-12)


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(
    "q0", [{"theta1": "90deg", "theta2": "-pi/4"}, ["pi/2", "-45 deg"], "theta1=90deg, theta2=-pi/4", "pi/2, -45deg"]
)
def test_texts_with_units(q0: Any, start: str) -> None:
    assert STARTS[start](lg.library("two_r"), q0) == pytest.approx([np.pi / 2, -np.pi / 4], abs=1e-12)


def test_texts_may_use_parameters() -> None:
    m = lg.library("two_r")
    assert lg.assemble(m, {"theta1": "l1/2"})[0] == pytest.approx(float(m.parameters["l1"]) / 2)


def test_what_was_given_is_known() -> None:
    m = lg.library("stewart")
    own = state_arguments.as_configuration(m)
    assert not own.complete
    assert own.where == "[initial] q"
    assert state_arguments.as_configuration(m, own) is own
    assert state_arguments.as_configuration(m, "tilted").where == "pose 'tilted'"
    assert state_arguments.as_configuration(m, own.q).complete
    assert state_arguments.as_configuration(without_initial("two_r")).given_names == ()
    leg = next(j for j in m.joints if j.kind.nq == 1)
    ball = next(j for j in m.joints if j.kind.nq != j.kind.nv)
    assert state_arguments.as_configuration(m, {leg.name: 0.1, ball.coordinate_names[0]: 0.5}).fixed_coordinates == (leg.name,)


@pytest.mark.parametrize("angle", [4.5, -4.0, 7.0, 1.0])
def test_a_fixed_angle_stays_as_it_was_given(angle: float) -> None:
    """Whichever turn it is on; the others are those of the same angle within half a turn."""
    bar = lg.library("four_bar")
    actual = lg.assembly_modes(bar, fixed={"theta1": angle}, starts=20)
    within = lg.assembly_modes(bar, fixed={"theta1": math.remainder(angle, math.tau)}, starts=20)
    assert [q[0] for q in actual] == [angle, angle]
    assert sorted(q[1] for q in actual) == pytest.approx(sorted(q[1] for q in within), abs=1e-9)
    assert all(np.abs(q[1:]).max() <= math.pi for q in actual)


def test_a_screw_is_not_turned_back() -> None:
    """After a whole turn a screw has moved on: it is another configuration, in which the nut is elsewhere."""
    bodies = [lg.Body("nut", 1.0, (0, 0, 0), (1, 1, 1)), lg.Body("slide", 1.0, (0, 0, 0), (1, 1, 1))]
    joints = [
        lg.Joint("screw", "helical", "ground", "nut", axis=(0, 0, 1), pitch=0.01),
        lg.Joint("slide", "prismatic", "ground", "slide", axis=(0, 0, 1)),
    ]
    m = lg.Mechanism("press", bodies, joints, loops=[lg.LoopJoint("held", "point", "nut", "slide", directions=("z",))])
    for q in lg.assembly_modes(m, fixed={"slide": 0.1}, starts=20):
        assert q[0] * 0.01 == pytest.approx(0.1, abs=1e-9)


def test_gears_keep_their_turns() -> None:
    """The second of a pair that turns three times as fast: 4 rad of the first are 12 of it, not 12 less a turn or two."""
    bodies = [lg.Body(n, 1.0, (0, 0, 0), (1, 1, 1)) for n in ("a", "b")]
    joints = [lg.Joint(n, "revolute", "ground", n) for n in ("a", "b")]
    m = lg.Mechanism("gears", bodies, joints, constraints=[lg.HolonomicConstraint("mesh", "b - 3*a")])
    for q in lg.assembly_modes(m, fixed={"a": 4.0}, starts=5):
        assert np.abs(lg.compile(m).closure(q)).max() < 1e-9
        assert q == pytest.approx([4.0, 12.0])


def test_a_start_of_a_parameter_set_is_its_own() -> None:
    m = lg.library("four_bar")
    longer = m.replace(initial=replace(m.initial, q=None))
    assert np.abs(lg.compile(longer).closure(drawn_configuration(longer))).max() < 1e-9
