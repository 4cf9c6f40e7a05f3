"""`[[payload]]`: what a frame carries, against the same body written by hand."""

from __future__ import annotations

import numpy as np
import pytest

import lagrangian as lg

ARM = """
name = "arm"
gravity = [0, "-g", 0]
[parameters]
g = 9.81
m = 2.0
L = 0.5
mp = 0.0
[[body]]
name = "link"
mass = "m"
center = ["L/2", 0, 0]
inertia = [0, "m*L^2/12", "m*L^2/12"]
[[joint]]
name = "theta"
type = "revolute"
child = "link"
[[frame]]
name = "tip"
body = "link"
xyz = ["L", 0, 0]
rpy = [0, 0, "pi/2"]
"""
PAYLOAD = """
[[payload]]
frame = "tip"
mass = "mp"
center = [0.1, 0, 0]
inertia = [0.01, 0.01, 0.02]
"""


def test_a_payload_is_a_body_on_a_frame() -> None:
    """About the joint: m L^2/3, and mp (L^2 + 0.1^2) + 0.02 of what is beside the tip."""
    arm = lg.loads(ARM.replace("mp = 0.0", "mp = 1.0") + PAYLOAD)
    dyn = lg.compile(arm.with_parameters(mp=1.5))
    assert dyn.mass_matrix([0.0])[0, 0] == pytest.approx(2 * 0.25 / 3 + 1.5 * (0.25 + 0.01) + 0.02, rel=1e-14)
    assert dyn.gravity([0.0])[0] == pytest.approx(9.81 * (2 * 0.25 + 1.5 * 0.5), rel=1e-14)


def test_its_mass_is_a_parameter_also_where_it_is_zero_in_the_file() -> None:
    arm = lg.loads(ARM + PAYLOAD.replace("inertia = [0.01, 0.01, 0.02]", ""))
    for mass in (0.0, 1.5):
        gravity = lg.compile(arm.with_parameters(mp=mass)).gravity([0.0])[0]
        assert gravity == pytest.approx(9.81 * (2 * 0.25 + mass * 0.5), rel=1e-14)


def test_it_is_the_payload_of_python() -> None:
    written = lg.loads(ARM.replace("mp = 0.0", "mp = 1.5") + PAYLOAD)
    added = lg.loads(ARM.replace("mp = 0.0", "mp = 1.5")).with_payload("tip", 1.5, (0.1, 0, 0), (0.01, 0.01, 0.02))
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 1))
    actual, expected = (lg.compile(m).inverse_dynamics(q, qd, qdd) for m in (written, added))
    assert actual == pytest.approx(expected, rel=1e-13)
    again = lg.loads(lg.dumps(written))
    assert lg.compile(again).inverse_dynamics(q, qd, qdd) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"tip"\nmass', '"tup"\nmass', "[[payload]] 1: there is no frame or body 'tup'. Did you mean 'tip'"),
        ('mass = "mp"\n', "", "[[payload]] 1: mass: it has no mass"),
        ('"mp"', "-1", "[[payload]] 1: payload: body 'payload': mass is -1 kg"),
        ('"tip"\nmass', '"ground"\nmass', "it is fixed to the ground"),
        ("center", "centre", "there is no entry 'centre'. Did you mean 'center'"),
    ],
)
def test_what_is_wrong_is_reported_with_its_place(old: str, new: str, message: str) -> None:
    with pytest.raises(lg.LagrangianError) as error:
        lg.loads(ARM + PAYLOAD.replace(old, new))
    assert message in str(error.value)


def test_nothing_that_carries_nothing() -> None:
    bare = ARM.replace('mass = "m"\ncenter = ["L/2", 0, 0]\ninertia = [0, "m*L^2/12", "m*L^2/12"]', "")
    with pytest.raises(lg.MechanismError, match="neither the payload nor 'link', which carries it, has a mass"):
        lg.loads(bare + PAYLOAD.replace("inertia = [0.01, 0.01, 0.02]", ""))
