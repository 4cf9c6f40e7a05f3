"""Sliders that an author names, those that are chosen where nobody does, and motions that a page does not compute."""

from __future__ import annotations

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.errors import ArgumentError
from lagrangian.page_motion import NotComputableError, compile_page
from tests.page_motion.motions import mechanism, motion


def labels(motion: lg.Motion, sliders=None) -> list[str]:
    return [x["label"] for x in compile_page(motion, sliders).plan["inputs"]]


def test_usual_sliders_are_starts_and_parameters():
    assert labels(motion("two_r"))[:4] == ["q0.theta1", "q0.theta2", "l1", "l2"]
    assert labels(motion("four_bar"))[:2] == ["q0.theta1", "l0"]
    assert labels(motion("puma560"))[:2] == ["frequency", "damping"]


def test_ranges_are_around_the_value_and_within_limits():
    for name in ("two_r", "scara", "puma560"):
        for x in compile_page(motion(name)).plan["inputs"]:
            assert x["min"] < x["value"] < x["max"], x
    (start,) = compile_page(motion("scara"), ["q0.theta1"]).plan["inputs"]
    limits = mechanism("scara").joint("theta1").limits
    assert start["min"] >= float(limits.lower)
    assert start["max"] <= float(limits.upper)


def test_an_author_names_sliders_and_their_ranges():
    (x, y) = compile_page(motion("two_r"), [("l1", 0.5, 2), "q0.theta2"]).plan["inputs"]
    assert (x["name"], x["min"], x["max"], x["value"]) == ("l1", 0.5, 2.0, 1.0)
    assert (y["kind"], y["name"], y["unit"], y["angle"]) == ("q0", "theta2", "rad", True)
    assert labels(motion("two_r"), []) == []


@pytest.mark.parametrize(
    ("sliders", "message"),
    [
        (["l3"], "l3"),
        ("l1", "a list of names is needed"),
        ([("l1", 2, 0.5)], "the smallest value comes first"),
        ([("l1", 2, 3)], "not between"),
        ([("l1", "a", 3)], "a list of names is needed"),
        (["q0.elbow"], "q0.theta1"),
        ([3], "a list of names is needed"),
    ],
)
def test_what_is_no_slider_is_refused(sliders, message):
    with pytest.raises(ArgumentError, match=message):
        compile_page(motion("two_r"), sliders)


def test_a_parameter_that_is_structure_is_no_slider():
    model = lg.loads(
        """
        name = "tilted"
        [parameters]
        a = 0.3
        m = 2.0
        [[body]]
        name = "link"
        mass = "m"
        center = [0.5, 0, 0]
        inertia = [0.1, 0.1, 0.1]
        [[joint]]
        name = "theta"
        type = "revolute"
        parent = "ground"
        child = "link"
        axis = ["sin(a)", 0, "cos(a)"]
        """
    )
    motion = lg.simulate(model, 1)
    assert "a" not in labels(motion)
    assert "m" in labels(motion)
    with pytest.raises(ArgumentError, match="direction"):
        compile_page(motion, ["a"])


class Weaker(lg.control.ComputedTorque):
    """A law of somebody's own."""

    def __call__(self, t, q, qd):
        return 0.5 * super().__call__(t, q, qd)


def test_what_python_decides_is_not_computed():
    model = mechanism("two_r")
    cases = {
        "Python": lg.simulate(model, 0.1, torque=lambda t, q, qd: np.zeros(2)),
        "Python: Weaker": lg.simulate(model, 0.1, torque=Weaker(model, [0.3, 0.3])),
        "changes the mechanism": lg.simulate(model, 0.1, events=[lg.Event("t - 0.05", lg.LockJoints("theta1"))]),
        "is a Python function": lg.simulate(model, 0.1, events=[lg.Event(lambda t, q, qd: t - 5.0)]),
    }
    for message, actual in cases.items():
        with pytest.raises(NotComputableError, match=message):
            compile_page(actual)


def test_a_motion_from_a_file_is_not_computed(tmp_path):
    path = motion("two_r").save(tmp_path / "m.nc")
    with pytest.raises(NotComputableError, match="not simulated"):
        compile_page(lg.read(path))


def test_dry_friction_in_loops_is_not_computed():
    model = mechanism("four_bar")
    rubbing = model.with_parameters({"theta1.friction.coulomb": 0.1})
    with pytest.raises(NotComputableError, match="dry friction"):
        compile_page(lg.simulate(rubbing, 0.1))
