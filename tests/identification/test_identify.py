"""Identification: exact without noise, and of loops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.configuration.record import follow_record
from lagrangian.identification import base_parameters
from lagrangian.identification.base_parameters import exact_grouping, numeric_grouping
from lagrangian.identification.identify import make_regression
from lagrangian.identification.projection import Projection, general_states
from tests.identification.records import (
    Record,
    excitation_path,
    in_errors,
    record,
)
from tests.mechanisms import random_body, random_mechanism

# -- without noise ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rotors", [False, True])
@pytest.mark.parametrize(("name", "count"), [("two_r", 6), ("scara", 8), ("stanford", 33), ("puma560", 36)])
def test_exact_without_noise(name: str, count: int, rotors: bool) -> None:
    """The base parameters as the closed form has them, by name and value."""
    arm = lg.library(name)
    identification = lg.identify(arm, *record(arm, excitation_path(name), 60), rotors=rotors)
    exact = lg.derive(arm).base_parameters()
    assert exact.count == count
    if not rotors:
        assert len(identification.base) == count
        values = exact.values()
        for estimate in identification.base:
            known = values[estimate.name.removesuffix("R")]
            assert estimate.value == pytest.approx(known, abs=1e-8)
            assert estimate.described == pytest.approx(known, abs=1e-10)
    assert np.abs(identification.values - identification.described).max() < 1e-8
    assert identification.residuals.percent_error.max() < 1e-8


def test_rotors_join_the_first_two_links_and_stand_alone_beyond() -> None:
    identification = lg.identify(lg.library("puma560"), *record(lg.library("puma560"), excitation_path(), 60), rotors=True)
    assert [e.name for e in identification.base if e.name.startswith("Ja")] == ["Ja3", "Ja4", "Ja5", "Ja6"]
    assert len(identification.base) == 40
    assert "Ja1" in identification["Iyy1R"].formula
    assert identification["Ja4"].value == pytest.approx(76.0364**2 * 33e-6)


@pytest.mark.parametrize("rotors", [False, True])
@pytest.mark.parametrize("name", ["puma560", "stanford", "panda", "lwr7", "furuta"])
def test_numbers_group_as_exact_elimination_does(name: str, rotors: bool) -> None:
    dyn = lg.compile(lg.library(name))
    regression = make_regression(dyn, True, False, rotors, None)
    exact = exact_grouping(regression)
    states = general_states(Projection(dyn, dyn.mechanism.neutral()), 150, np.zeros((1, dyn.nq)), np.random.default_rng(2))
    numeric = numeric_grouping(regression, regression.regressor(*states[:3]).reshape(-1, len(regression.terms)))
    assert exact is not None
    assert numeric.names == exact.names
    assert numeric.columns == exact.columns
    assert np.abs(numeric.matrix - exact.matrix).max() < 1e-10


def test_exact_base_parameters_of_a_slide_turned_by_a_named_angle() -> None:
    rows = [
        lg.DHParameters(d=-0.55, alpha=-0.56, theta=0.97 * lg.parameter("p", 1.3), joint="P", mass=1.0, inertia=(0.1, 0.1, 0.1))
    ]
    arm = lg.Mechanism.from_dh([*rows, lg.DHParameters(a=0.3, mass=1.0, inertia=(0.1, 0.1, 0.1))], convention="modified")
    regression = make_regression(lg.compile(arm), False, False, False, None)
    states = general_states(Projection(lg.compile(arm), arm.neutral()), 50, np.zeros((1, arm.nq)), np.random.default_rng(2))
    numeric = numeric_grouping(regression, regression.regressor(*states[:3]).reshape(-1, len(regression.terms)))
    exact = exact_grouping(regression)
    assert exact is not None
    assert exact.names == numeric.names


def test_a_record_without_forces_says_nothing() -> None:
    """But where a joint stands still, in rows that are not used."""
    body = lg.Body("b", 2.4, inertia=(0.01, 0.01, 0.02))
    plate = lg.Mechanism("plate", [body], [lg.Joint("j", "planar", "ground", "b", axis=(-1, -0.2, -0.104), actuated=False)])
    run = lg.simulate(plate, 0.1, t_eval=101)
    with pytest.raises(lg.ArgumentError, match="the record has only known forces"):
        lg.identify(plate, run)


def test_exact_base_parameters_that_take_too_long_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    regression = make_regression(lg.compile("two_r"), True, False, True, None)
    assert exact_grouping(regression) is not None
    monkeypatch.setattr(base_parameters, "check_cost", lambda *_: None)  # a forecast that was wrong
    monkeypatch.setattr(base_parameters, "MAX_EXACT_SECONDS", 0.0)
    assert exact_grouping(regression) is None


def test_friction_that_acts_as_a_parameter_does_is_grouped() -> None:
    """Of a vertical slide with a rotor: m (qdd + g), Ja qdd, and Coulomb forces whose difference is a constant, are dependent."""
    arm = lg.library("scara")
    identification = lg.identify(arm, *record(arm, excitation_path("scara"), 60), rotors=True)
    assert len(identification) == len(lg.identify(arm, *record(arm, excitation_path("scara"), 60))) + 2
    assert [name for name in identification.names if name.endswith("R") and name.startswith("F")] == ["Fc3+R"]


def test_what_is_not_identified_is_subtracted() -> None:
    """Rotors, friction, springs at joints and between points, as described."""
    arm = random_mechanism(["revolute", "prismatic", "helical"], 4, chain=True, passive=True)
    path = lg.excitation_trajectory(arm, iterations=0, friction=False)
    for friction in (False, "viscous", True):
        identification = lg.identify(arm, *record(arm, path, 50), friction=friction)
        assert np.abs(identification.values - identification.described).max() < 1e-8
    wrong = arm.replace(joints=tuple(replace(j, rotor=lg.Rotor(0.05, 10)) for j in arm.joints))
    assert lg.identify(wrong, *record(arm, path, 50), friction=False).residuals.percent_error.max() > 1


def test_joints_of_several_coordinates() -> None:
    arm = random_mechanism(["universal", "ball"], 2, chain=True)
    rng = np.random.default_rng(0)
    dyn = lg.compile(arm)
    q = np.array([arm.random_configuration(rng) for _ in range(200)])
    qd, qdd = rng.normal(size=(2, 200, arm.nv))
    t = np.arange(200.0)
    identification = lg.identify(arm, t, q, dyn.inverse_dynamics(q, qd, qdd), qd, qdd)
    assert np.abs(identification.values - identification.described).max() < 1e-8
    with pytest.raises(lg.ArgumentError, match="give qd and qdd"):
        lg.identify(arm, t, q, dyn.inverse_dynamics(q, qd, qdd))


def test_bodies_fixed_to_a_link_are_lumped_and_stay_real() -> None:
    rng = np.random.default_rng(3)
    bodies = [random_body(rng, name) for name in ("arm", "tool", "wrist", "gripper")]
    joints = [
        lg.Joint("j1", "revolute", "ground", "arm", axis=(0, 1, 0)),
        lg.Joint("f1", "fixed", "arm", "tool", lg.Transform.from_rpy((0.3, 0.1, 0), (0.1, 0, 0.2))),
        lg.Joint("j2", "revolute", "tool", "wrist", lg.Transform(position=(0.4, 0, 0)), axis=(1, 0, 0)),
        lg.Joint("f2", "fixed", "wrist", "gripper", lg.Transform(position=(0, 0, 0.2))),
    ]
    arm = lg.Mechanism("tooled", bodies, joints)
    path = lg.excitation_trajectory(arm, iterations=0)
    heavier = arm.replace(bodies=tuple(replace(b, mass=1.5 * float(b.mass)) for b in bodies))
    rows = record(heavier, path, 60)
    identification = lg.identify(arm, *rows)
    assert np.abs(identification.torque(rows[1], rows[3], rows[4]) - rows[2]).max() < 1e-8
    again = lg.compile(identification.mechanism).inverse_dynamics(rows[1], rows[3], rows[4])
    assert np.abs(again - rows[2]).max() < 1e-5
    assert all(np.linalg.eigvalsh(b.pseudo_inertia()).min() > 0 for b in identification.mechanism.bodies)


# -- loops -----------------------------------------------------------------------------------------------------------


def closed_record(mechanism: lg.Mechanism, amplitude: float) -> tuple[Record, Projection]:
    """A motion of the actuated joints and their forces: N^T of the tree's, with all constraint forces gone."""
    dyn = lg.compile(mechanism)
    start = lg.assemble(mechanism)
    projection = Projection(dyn, start)
    t = np.arange(0, 10, 0.02)
    rng = np.random.default_rng(0)
    w = 2 * np.pi / 10 * np.arange(1, 6)
    a, b = rng.normal(size=(2, 5, len(projection.names))) * amplitude / 3
    c, s = np.cos(np.outer(t, w)), np.sin(np.outer(t, w))
    first = [start[mechanism.coordinate_names.index(name)] for name in projection.names]
    driven = first + s @ a + (c - 1) @ b
    q = follow_record(dyn, driven, projection.names, t, start)
    qd, qdd = projection.full_rates(q, (c * w) @ a - (s * w) @ b, -(s * w * w) @ a - (c * w * w) @ b, t)
    assert np.abs(dyn.closure(q)).max() < 1e-9
    assert np.abs(dyn.constraint_rate(q, qd)).max() < 1e-9
    (tau,) = projection.project(q, t, np.array(dyn.inverse_dynamics(q, qd, qdd)))
    return (t, q, tau, qd, qdd, driven), projection


@pytest.mark.parametrize(("name", "amplitude"), [("four_bar", 0.5), ("five_bar", 0.3), ("three_rrr", 0.15)])
def test_loops_by_actuated_forces_alone(name: str, amplitude: float) -> None:
    mechanism = lg.library(name)
    (t, q, tau, qd, qdd, driven), projection = closed_record(mechanism, amplitude)
    assert set(projection.names) == {j.name for j in mechanism.joints if j.actuated}
    identification = lg.identify(mechanism, t, q, tau, qd, qdd)
    assert np.abs(identification.values - identification.described).max() < 1e-7
    assert len(identification.base) < lg.derive(mechanism).base_parameters().count  # loops group more than the tree
    # forward dynamics with the identified bodies: the actuated torques make the same motion
    full = np.zeros_like(qd)
    full[:, projection.independent] = tau
    again = lg.compile(identification.mechanism).forward_dynamics(q, qd, full)
    assert np.abs(again - qdd).max() < 1e-3 * np.abs(qdd).max()
    noise = 0.01 * tau.std(axis=0) * np.random.default_rng(1).normal(size=tau.shape)
    for rows in ((t, q, tau + noise, qd, qdd), (t, driven, tau + noise)):
        identification = lg.identify(mechanism, *rows, friction="viscous")
        assert np.abs(in_errors(identification)).max() < 4


def test_passive_joints_of_a_tree_have_no_force() -> None:
    arm = lg.library("cart_pendulum")
    rng = np.random.default_rng(0)
    motion = lg.simulate(
        arm, (0, 10), q0=[0.0, 0.5], torque={arm.joints[0].name: "4*sin(3*t) + 3*cos(5*t)"}, rtol=1e-10, atol=1e-12
    ).resample(1000)
    noisy = motion.tau[:, :1] + 0.05 * rng.normal(size=(1000, 1))
    identification = lg.identify(arm, motion.t, motion.q, noisy, motion.qd, motion.qdd, friction="viscous")
    assert np.abs(in_errors(identification)).max() < 4
    assert identification.residuals.error[1] < 1e-3
