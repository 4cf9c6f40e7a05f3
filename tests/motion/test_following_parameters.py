"""What follows a parameter otherwise than by a number: batches make such motions one at a time, derivatives are refused."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import lagrangian as lg


def same(mechanism, name, values, duration=0.5, **options):
    """Motions at once, against each by itself."""
    many = lg.simulate(mechanism, duration, parameters={name: np.array(values)}, **options)
    for k, value in enumerate(values):
        one = lg.simulate(mechanism, duration, parameters={name: float(value)}, **options)
        np.testing.assert_allclose(many.q_end[k], one.q[-1], rtol=1e-12, atol=1e-12, err_msg=str(value))
    assert np.ptp(many.q_end, axis=0).max() > 1e-6  # it makes a difference
    return many


def test_times_at_which_torques_jump():
    same("two_r", "l1", [0.2, 1.0, 2.0], torque={"theta1": "piecewise(t < l1, 50, 0)"})
    same("two_r", "l1", [0.2, 1.0, 2.0], torque={"theta1": "20*max(t - l1/4, 0)"})


CAM = """
name = "cam"
gravity = [0, 0, -9.81]
parameters = { a = 0.05, p = 0.01 }
body = [{ name = "b", mass = 1, center = [0.1, 0, 0], inertia = [0.01, 0.01, 0.01] }]
joint = [{ name = "th", type = "cam", axis = [0, 0, 1], advance = "a*sin(angle) + p*angle^2", child = "b" }]
initial = { q = [0.3], qd = [2.0] }
"""


def test_profiles_of_cams():
    cam = lg.loads(CAM)
    same(cam, "a", [0.01, 0.05, 0.2])
    with pytest.raises(lg.ArgumentError, match="'advance' of 'th' depends"):
        _ = lg.sensitivities(cam, 0.2, over=["a"]).dq


SLED = """
name = "sled"
gravity = [0, 0, 0]
parameters = { a = 0.2 }
body = [{ name = "s", mass = 1, inertia = [0.1, 0.1, 0.1] }]
joint = [{ name = "p", type = "planar", axis = [0, 0, 1], child = "s" }]
constraint = [{ name = "edge", type = "knife_edge", body = "s", direction = ["sin(a)", "cos(a)", 0], point = [0.1, 0, 0] }]
[initial.qd]
"p.1" = 1.0
"""


def test_directions_of_constraints():
    try:
        sled = lg.loads(SLED)
    except lg.LagrangianError:  # names of a planar joint's speeds are its own affair: take them as they are
        names = lg.loads(SLED.replace('[initial.qd]\n"p.1" = 1.0\n', "")).speed_names
        sled = lg.loads(SLED.replace('"p.1"', f'"{names[-1]}"'))
    many = lg.simulate(sled, 0.5, parameters={"a": np.array([0.1, 0.2, 0.5])})
    for k, a in enumerate((0.1, 0.2, 0.5)):
        np.testing.assert_allclose(many.q_end[k], lg.simulate(sled, 0.5, parameters={"a": a}).q[-1], atol=1e-12)
    with pytest.raises(lg.ArgumentError, match="'direction' of 'edge'"):
        _ = lg.sensitivities(sled, 0.2, over=["a"]).dq


def test_limits_and_friction():
    text = """
        name = "slide"
        gravity = [0, 0, 0]
        parameters = { u = 0.5, a = 0.5 }
        body = [{ name = "b", mass = 1 }]
        joint = [{ name = "x", type = "prismatic", axis = [1, 0, 0], child = "b", WHAT }]
    """
    stopped = lg.loads(text.replace("WHAT", 'limits = { lower = -5, upper = "u" }'))
    many = same(stopped, "u", [0.4, 0.7, 1.0], q0=[0.3], qd0=[2.0])
    assert many.q_end[2, 0] == pytest.approx(1.0)
    rough = lg.loads(text.replace("WHAT", 'friction = { coulomb = "4*a*(1 - a)" }'))
    many = same(rough, "a", [0.5, 0.0, 1.0], q0=[0.0], qd0=[1.0])
    np.testing.assert_allclose(many.q_end[:, 0], [0.375, 0.5, 0.5], atol=1e-9)


def test_starts_that_follow_are_refused_or_follow():
    arm = lg.library("two_r")
    with pytest.raises(lg.ArgumentError, match="depends on 'l1', which varies"):
        lg.simulate(arm, 0.1, q0={"theta1": "l1"}, parameters={"l1": np.array([0.9, 1.1])})


def test_rotations_that_are_quarter_turns_in_some_samples():
    """The same slots as a single mechanism has, whatever the nominal angle is."""
    text = """
        name = "turned"
        gravity = [0, -9.81, 0]
        parameters = { a = 0.0 }
        body = [{ name = "b", mass = 1, center = [0.2, 0, 0], inertia = [0.01, 0.01, 0.01] }]
        joint = [{ name = "th", type = "revolute", child = "b", rpy = [0, 0, "a"] }]
        spring = [{ name = "s", a = "ground", b = "b", a_point = [0.3, 0.3, 0], b_point = [0.1, 0, 0], stiffness = 5 }]
    """
    same(lg.loads(text), "a", [0.0, np.pi / 2, 0.5, np.pi], q0=[0.3])
    sensitivities = lg.sensitivities(lg.loads(text), 0.3, [0.3], over=["a"])
    ends = [lg.simulate(lg.loads(text), 0.3, [0.3], parameters={"a": s}, rtol=1e-12, atol=1e-14).q[-1, 0] for s in (-1e-4, 1e-4)]
    assert sensitivities.dq[-1, 0, 0] == pytest.approx((ends[1] - ends[0]) / 2e-4, rel=1e-5)


def test_derivatives_along_a_start_that_is_given_by_name():
    linkage = lg.library("four_bar")
    for begin in ({"theta1": 0.5}, "level"):
        sensitivities = lg.sensitivities(linkage, 0.1, begin, over=["l1"], t_eval=2).dq[-1, :, 0]
        ends = []
        for step in (-1e-5, 1e-5):
            run = lg.simulate(linkage, 0.1, begin, parameters={"l1": 0.3 + step}, rtol=1e-12, atol=1e-14, t_eval=2)
            ends.append(run.q[-1])
        np.testing.assert_allclose(sensitivities, (ends[1] - ends[0]) / 2e-5, rtol=1e-5, atol=1e-6)


def test_derivatives_along_a_start_that_is_written_with_a_parameter():
    """The name of the parameter ends as a unit does."""
    slide = lg.loads("""
        name = "slide"
        gravity = [0, 0, 0]
        parameters = { m = 2.0 }
        body = [{ name = "b", mass = 1 }]
        joint = [{ name = "x", type = "prismatic", axis = [1, 0, 0], child = "b" }]
    """)
    assert lg.sensitivities(slide, 0.5, {"x": "3*m"}, over=["m"]).dq[-1, 0, 0] == pytest.approx(3.0)


def test_parameters_that_cannot_change_in_a_run():
    text = """
        name = "slide"
        gravity = [0, 0, 0]
        parameters = { c = 0.3, f = 2.0 }
        body = [{ name = "b", mass = 1 }]
        joint = [{ name = "x", type = "prismatic", axis = [1, 0, 0], child = "b", friction = { coulomb = "c" } }]
    """
    slide = lg.loads(text)
    event = lg.Event("t - 0.1", lg.SetParameters({"c": 0.0}))
    with pytest.raises(lg.SimulationError, match="the dry friction of joint 'x' depends"):
        lg.simulate(slide, 1.0, [0.0], [2.0], events=[event])
    free = lg.loads(text.replace(', friction = { coulomb = "c" }', ""))
    event = lg.Event("t - 0.5", lg.SetParameters({"f": 6.0}))
    motion = lg.simulate(free, 1.0, [0.0], [0.0], wrenches={"b": (0, 0, 0, "f", 0, 0)}, events=[event])
    assert motion.qd[-1, 0] == pytest.approx(1.0 + 3.0, rel=1e-9)


def test_whole_exponents_and_divisions_that_are_named():
    text = """
        name = "slide"
        gravity = [0, 0, 0]
        parameters = { n = 2.0, T = 0.5 }
        body = [{ name = "b", mass = 1 }]
        joint = [{ name = "x", type = "prismatic", axis = [1, 0, 0], child = "b" }]
    """
    slide = lg.loads(text)
    motion = lg.simulate(slide, 2.0, [0.5], [-1.0], torque={"x": "-x^n"})
    assert motion.success
    assert motion.q[-1, 0] < 0
    with pytest.raises(lg.LagrangianError):
        lg.simulate(slide, 0.1, torque={"x": "1/T - 1/T*t"}, parameters={"T": 0.0})


@pytest.mark.parametrize(
    ("joint", "message"),
    [
        ('type = "helical", pitch = "p"', "the pitch of a helical joint"),
        ('type = "revolute", rotor = { inertia = 0.01, ratio = "p" }', "the gear ratio cannot be 0"),
    ],
    ids=["screw", "gear"],
)
def test_pitches_and_ratios_of_zero(joint, message):
    """A sample that no mechanism can have fails as a single run does; the others have its bits."""
    screw = lg.loads(f"""
        name = "screw"
        gravity = [0, 0, -9.81]
        parameters = {{ p = 0.1 }}
        body = [{{ name = "nut", mass = 1, center = [0.1, 0, 0], inertia = [0.01, 0.01, 0.01] }}]
        joint = [{{ name = "th", axis = [0.6, 0, 0.8], child = "nut", {joint} }}]
        initial = {{ q = [0.3], qd = [2.0] }}
    """)
    values = np.array([-0.3, -1e-3, 0.0, 1e-3, 0.1, 0.3])
    with pytest.warns(lg.EndedEarlyWarning, match="motion 2 of 6 ended early"):
        many = lg.simulate(screw, 0.5, parameters={"p": values})
    with pytest.raises(lg.LagrangianError, match=message):
        lg.simulate(screw, 0.5, parameters={"p": 0.0})
    assert many.success.tolist() == [True, True, False, True, True, True]
    assert message in many.message(2)
    for k in np.flatnonzero(many.success):
        one = lg.simulate(screw, 0.5, parameters={"p": values[k]})
        assert np.array_equal(many.q_end[k], one.trajectory.y[:1])
        assert np.array_equal(many.qd_end[k], one.trajectory.y[1:])


SERVO = """
name = "servo"
gravity = [0, 0, 0]
parameters = { m = 1.0, kp = 4.0, w = "sqrt(kp/m)", x0 = 1.0 }
body = [{ name = "block", mass = "m" }]
joint = [{ name = "x", type = "prismatic", axis = [1, 0, 0], child = "block" }]
[initial]
q = [1.0]
"""


@pytest.mark.parametrize("what", ["torque", "wrenches", "events"])
@pytest.mark.parametrize(("name", "values"), [("kp", [4.0, 6.0, 9.0]), ("w", [2.0, 2.5, 3.0]), ("x0", [1.0, 1.2, 1.4])])
def test_expressions_follow_as_their_texts_do(what, name, values):
    """x'' = -kp x by an object made of the mechanism's parameters: the same motions as by its text, one by one and together."""
    m = lg.loads(SERVO)
    p = m.parameters
    forms = {
        "torque": ({"torque": {"x": -p["kp"] * _x() - p["w"] * p["x0"]}}, {"torque": {"x": "-kp*x - w*x0"}}),
        "wrenches": (
            {"wrenches": {"block": (0, 0, 0, -p["w"] * p["w"] * _x() - p["x0"], 0, 0)}},
            {"wrenches": {"block": (0, 0, 0, "-w*w*x - x0", 0, 0)}},
        ),
        "events": (
            {"torque": {"x": "-kp*x"}, "events": [lg.Event(_x() - p["x0"] * 0.4 + p["w"] / 100, "stop")]},
            {"torque": {"x": "-kp*x"}, "events": [lg.Event("x - x0*0.4 + w/100", "stop")]},
        ),
    }
    objects, texts = forms[what]
    single = [[lg.simulate(m, 0.7, parameters={name: value}, **form).q[-1, 0] for value in values] for form in (objects, texts)]
    np.testing.assert_allclose(*single, rtol=1e-12)
    assert np.ptp(single[0]) > 1e-4
    many = lg.simulate(m, 0.7, parameters={name: np.array(values)}, **objects)
    np.testing.assert_allclose(many.q_end[:, 0], single[1], rtol=1e-9)
    assert many[2].q[-1, 0] == pytest.approx(single[1][2], rel=1e-12)


def _x():
    from lagrangian.model.expression import symbol

    return symbol("x")


def test_expressions_follow_in_studies_and_derivatives(tmp_path):
    m = lg.loads(SERVO)
    torque = {"x": -m.parameters["kp"] * _x()}
    study = lg.study(m, {"kp": [4.0, 9.0]}, {"t_span": 1, "torque": torque}, ["end(x)"], folder=tmp_path / "s", workers=1)
    np.testing.assert_allclose(study["end(x)"], np.cos([2.0, 3.0]), rtol=1e-6)
    # one that follows from others is known to be used, too
    torque, folder = {"x": -m.parameters["w"] * m.parameters["w"] * _x()}, tmp_path / "w"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study = lg.study(m, {"w": [2.0, 3.0]}, {"t_span": 1, "torque": torque}, ["end(x)"], folder=folder, workers=2)
    np.testing.assert_allclose(study["end(x)"], np.cos([2.0, 3.0]), rtol=1e-6)
    torque = {"x": -m.parameters["kp"] * _x()}
    sensitivities = lg.sensitivities(m, 1.0, torque=torque, over=["kp"], parameters={"kp": 9.0})
    assert sensitivities.end("x")[1][0] == pytest.approx(-np.sin(3.0) / 6, rel=1e-8)
