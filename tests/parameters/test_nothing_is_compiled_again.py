"""Other numbers need no other code: compilations are counted, and results are those of a mechanism written with the numbers."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import lagrangian as lg

NAMES = ("two_r", "four_bar", "puma560", "stewart", "andrews_squeezer", "bicycle")


@pytest.fixture
def compile_count(monkeypatch):
    """How many modules were compiled, or would have been: what is in the cache of objects counts, too."""
    count = [0]
    from lagrangian.kernels.llvm import object_cache

    original = object_cache.load_or_store

    def count_and_load(name, make):
        count[0] += 1
        return original(name, make)

    monkeypatch.setattr(object_cache, "load_or_store", count_and_load)
    return count


def parameters_of(mechanism):
    """Every named parameter; of a mechanism without names a mass, an inertia, a length and the friction by their paths."""
    if mechanism.parameters:
        return {name: float(x) for name, x in mechanism.parameters.items()}
    results = {}
    for body in mechanism.bodies:
        results[f"{body.name}.mass"] = float(body.mass)
        results |= {f"{body.name}.center.{c}": float(x) for c, x in zip("xyz", body.center, strict=True)}
    for joint in mechanism.joints:
        results |= {
            f"{joint.name}.placement.position.{c}": float(x) for c, x in zip("xyz", joint.placement.position, strict=True)
        }
        results[f"{joint.name}.friction.viscous"] = float(joint.friction.viscous)
    return {path: x for path, x in results.items() if x}


def used(mechanism, duration):
    """A run with all that a run computes, and functions at a state."""
    motion = lg.simulate(mechanism, duration, t_eval=11)
    dyn = lg.compile(mechanism)
    q, qd = motion.q[-1], motion.qd[-1]
    tau = np.zeros(mechanism.nv)
    return [
        motion.q,
        motion.qd,
        motion.qdd,
        motion.multipliers,
        motion.energy,
        dyn.mass_matrix(q),
        dyn.gravity(q),
        dyn.forward_dynamics(q, qd, tau),
        dyn.inverse_dynamics(q, qd, tau),
    ]


LONG = ("stewart", "andrews_squeezer")


@pytest.mark.parametrize("name", [pytest.param(x, marks=pytest.mark.slow) if x in LONG else x for x in NAMES])
def test_of_every_parameter(name, compile_count):
    mechanism = lg.library(name)
    duration = 0.01 if name == "andrews_squeezer" else 0.1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of parameters that are used nowhere, and of closely watched energies
        nominal = used(mechanism, duration)
        assert compile_count[0] > 0 or name != NAMES[0]
        tried = 0
        for parameter, value in parameters_of(mechanism).items():
            changed = value * 1.001 if value else 1e-3
            try:
                expected = used(written_with(name, parameter, changed), duration)
            except lg.LagrangianError:
                continue  # what the mechanism cannot be, or whose loops do not close, is refused either way
            before = compile_count[0]
            actual = used(mechanism.with_parameters({parameter: changed}), duration)
            assert compile_count[0] == before, parameter
            for a, b in zip(actual, expected, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12 * (1 + np.abs(b).max(initial=0)), err_msg=parameter)
            tried += any(not np.array_equal(a, b) for a, b in zip(actual, nominal, strict=True))
    assert tried >= 3  # and they made a difference


def written_with(name, parameter, value):
    """The mechanism as a file describes it that has this number written in it."""
    if parameter in lg.library(name).parameters:
        return lg.library(name, parameters={parameter: value})
    return lg.loads(lg.dumps(lg.library(name).with_parameters({parameter: value})))


def test_gains_and_constants_of_torques_and_events(compile_count):
    arm = lg.library("two_r")

    def run(gain, threshold, torque=None):
        torque = torque or {"theta1": f"-{gain}*theta1 - 3*qd_theta1", "theta2": f"{gain}*sin(2*t)"}
        return lg.simulate(arm, 1.0, torque=torque, events=[lg.Event(f"theta2 - {threshold}", action="stop", name="there")])

    run(20.0, 0.9)
    before = compile_count[0]
    stopped = run(35.0, 1.1)
    assert compile_count[0] == before
    assert stopped.q[-1, 1] == pytest.approx(1.1, abs=1e-9)
    # a Python function is code of its own
    again = run(35.0, 1.1, lambda t, q, qd: [-35.0 * q[0] - 3 * qd[0], 35.0 * np.sin(2 * t)])
    np.testing.assert_allclose([again.t[-1], *again.q[-1]], [stopped.t[-1], *stopped.q[-1]], atol=1e-7)


def test_a_zero_that_is_none_any_more_is_right():
    """It is another structure: code for it is compiled by itself."""
    arm = lg.library("two_r")
    lg.compile(arm).mass_matrix([0.1, 0.2])
    bent = arm.with_parameters({"link2.center.y": 0.2, "theta2.placement.position.y": 0.1})
    M = lg.compile(bent).mass_matrix([0.1, 0.2])
    # the arm as it is, with each centre and the second joint off the line between the joints
    m, I, r1, r2, l = 12.456, 1.042, 0.773, 0.583, 1.0
    p2 = np.array([l, 0.1])
    c2 = p2 + np.array([[np.cos(0.2), -np.sin(0.2)], [np.sin(0.2), np.cos(0.2)]]) @ [r2, 0.2]
    M22 = m * (r2**2 + 0.2**2) + I
    M12 = m * (c2 - p2) @ c2 + I
    M11 = m * r1**2 + I + m * c2 @ c2 + I
    np.testing.assert_allclose(M, [[M11, M12], [M12, M22]], rtol=1e-13)


def test_simulate_inverse_and_sizing_take_parameters(compile_count):
    arm = lg.library("two_r")
    path = lg.paths.joint_line([0.0, 0.0], [0.5, 0.5], 1.0)
    nominal = lg.inverse(arm, path)
    lg.simulate(arm, 0.2)
    sizing = lg.size_actuators(arm, nominal, catalogue=False)
    before = compile_count[0]
    heavier = lg.inverse(arm, path, parameters={"m2": 20.0})
    moved = lg.simulate(arm, 0.2, parameters={"m2": 20.0})
    asked = lg.size_actuators(arm, heavier, parameters={"m2": 20.0}, catalogue=False)
    assert compile_count[0] == before
    other = lg.library("two_r", parameters={"m2": 20.0})
    assert np.array_equal(heavier.tau, lg.inverse(other, path).tau)
    assert np.array_equal(moved.q, lg.simulate(other, 0.2).q)
    assert str(asked) != str(sizing)
    assert np.array_equal(lg.compile(arm).with_parameters(m2=20.0).gravity([0, 0]), lg.compile(other).gravity([0, 0]))


def test_gains_of_traced_functions(compile_count):
    """A function that is traced with other gains runs by the same code, as its expression does."""

    def servo(kp, kd, at):
        return lg.Traced(lambda t, q, qd: [kp * (at - q[0]) - kd * qd[0] + 2.5 * np.sin(t), -kd * qd[1]])

    gains = [(40.0, 3.0, 0.4), (55.0, 4.5, 0.7), (12.0, 0.5, -0.2)]
    lg.simulate("two_r", 1.0, torque=servo(*gains[0]), t_eval=5)
    before = compile_count[0]
    actual = [lg.simulate("two_r", 1.0, torque=servo(*gain), t_eval=5).q for gain in gains]
    assert compile_count[0] == before
    for (kp, kd, at), q in zip(gains, actual, strict=True):
        written = {"theta1": f"{kp}*({at} - theta1) - {kd}*qd_theta1 + 2.5*sin(t)", "theta2": f"-{kd}*qd_theta2"}
        np.testing.assert_allclose(q, lg.simulate("two_r", 1.0, torque=written, t_eval=5).q, atol=1e-12)
    assert np.abs(actual[0] - actual[1]).max() > 1e-3
