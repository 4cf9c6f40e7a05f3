"""Static friction above that of sliding: joints break loose at the one and slide against the other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from tests.motion.machines import energy_error, formula, slider
from tests.motion.test_friction import pulled_mass

STATIC, SLIDING, STIFFNESS, SPEED, MASS = 2.0, 1.2, 4.0, 0.5, 1.5


def stick_slip(end: float) -> list[tuple[str, float]]:
    """Of a mass that is pulled by a spring whose end goes steadily.

    It sticks until the spring pulls by the static force, and slips with D = (static - sliding)/k more than its mean extension:
    v (1 - cos ws) + D w sin ws is zero again at ws = 2 (pi - atan(D w/v)), with as much less; so it sticks for 2 D/v.
    """
    D, w = (STATIC - SLIDING) / STIFFNESS, math.sqrt(STIFFNESS / MASS)
    slips = 2 / w * (math.pi - math.atan(D * w / SPEED))
    t, results = STATIC / (STIFFNESS * SPEED), []
    while t < end:
        results += [("x slips", t), ("x comes to rest", t + slips)]
        t += slips + 2 * D / SPEED
    return [x for x in results if x[1] < end]


def mass(**friction: float) -> lg.Mechanism:
    return slider(MASS, friction=lg.Friction(coulomb=SLIDING, static=STATIC, **friction))


@pytest.mark.parametrize("method", ["dop853", "dp5", "verner9", "rodas5p", "rk4", "led"])
def test_stick_slip_of_a_mass_on_a_spring(method: str) -> None:
    more: dict[str, Any] = {"rtol": 1e-9, "atol": 1e-11}
    if method == "led":
        model = pulled_mass(STIFFNESS, 0.0, SPEED, MASS)
        rubs = lg.Friction(coulomb=SLIDING, static=STATIC)
        joint = lg.Joint("x", "prismatic", "ground", "block", axis=(1, 0, 0), friction=rubs)
        motion = lg.simulate(model.replace(joints=[joint, model.joints[1]]), 20.0, [0.0, 1.0], [0.0, SPEED], **more)
    else:
        more |= {"method": method} | ({"step": 2e-3} if method == "rk4" else {})
        motion = lg.simulate(mass(), 20.0, [0.0], torque={"x": f"{STIFFNESS}*({SPEED}*t - x)"}, **more)
    expected = stick_slip(20.0)
    assert len(expected) > 8
    assert [(e.name, e.t) for e in motion.events] == [(name, pytest.approx(t, abs=1e-6)) for name, t in expected]
    slides, rests = np.abs(motion.qd[:, 0]) > 1e-6, np.abs(motion.qd[:, 0]) < 1e-12
    np.testing.assert_allclose(motion.friction[slides, 0], SLIDING, rtol=1e-9)
    assert np.abs(motion.friction[rests, 0]).max() > 1.9
    assert np.abs(motion.friction[rests, 0]).max() <= STATIC * (1 + 1e-9)
    assert energy_error(motion) < 1e-7


def test_both_ways() -> None:
    """Backwards it breaks loose at another force, and slides against another."""
    model = mass(coulomb_negative=0.5, static_negative=0.8)
    motion = lg.simulate(model, 2.0, [0.0], torque={"x": "-t"}, rtol=1e-10, atol=1e-12)
    assert motion.events[0].t == pytest.approx(0.8, abs=1e-8)
    # m x'' = 0.5 - t from there on
    s = 1.2
    assert motion.qd[-1, 0] == pytest.approx(-(0.3 * s + s**2 / 2) / MASS, abs=1e-8)


def test_joints_that_are_coupled_break_loose_together() -> None:
    """Two blocks, one bar between them: both hold until all that they can give is used, then both slide."""
    joints = [
        lg.Joint(n, "prismatic", "ground", f"body_{n}", axis="x", friction=lg.Friction(coulomb=c, static=s))
        for n, c, s in (("x", 1.0, 1.5), ("y", 0.3, 2.0))
    ]
    bodies = [lg.Body("body_x", 1.0), lg.Body("body_y", 3.0)]
    bar = lg.HolonomicConstraint("bar", formula("x - y", "x y"))
    pair = lg.Mechanism("pair", bodies, joints, constraints=[bar], gravity=(0, 0, 0))
    motion = lg.simulate(pair, 5.0, [0.0, 0.0], torque={"x": "t"}, rtol=1e-10, atol=1e-12)
    assert sorted(e.name for e in motion.events) == ["x slips", "y slips"]
    assert [e.t for e in motion.events] == pytest.approx([3.5, 3.5], abs=1e-8)
    s = motion.t[-1] - 3.5
    assert motion.qd[-1] == pytest.approx([((3.5 - 1.3) * s + s**2 / 2) / 4] * 2, abs=1e-8)


@pytest.mark.parametrize(("below", "above"), [(1.5, 2.5), (2.5, 1.5)])
def test_of_blocks_on_each_other_the_weaker_slips(below: float, above: float) -> None:
    """The upper one is pushed. If it breaks loose, it drags the lower one less than before, which stays."""
    slides = 0.5
    joints = [
        lg.Joint("x", "prismatic", "ground", "lower", axis="x", friction=lg.Friction(coulomb=slides, static=below)),
        lg.Joint("y", "prismatic", "lower", "upper", axis="x", friction=lg.Friction(coulomb=slides, static=above)),
    ]
    stack = lg.Mechanism("stack", [lg.Body("lower", 1.0), lg.Body("upper", 1.0)], joints, gravity=(0, 0, 0))
    motion = lg.simulate(stack, 2.0, [0.0, 0.0], torque={"x": "t", "y": "t"}, rtol=1e-10, atol=1e-12)
    s = 0.5  # from 1.5 s on
    gained = (1.5 - slides) * s + s**2 / 2
    assert motion.events[0].t == pytest.approx(1.5, abs=1e-8)
    assert motion.qd[-1] == pytest.approx([gained / 2, 0.0] if below < above else [0.0, gained], abs=1e-8)


def test_with_no_friction_of_sliding() -> None:
    """It sticks, and once it is loose nothing takes from it: 1 N held, then a = t/m."""
    model = slider(1.0, friction=lg.Friction(static=1.0))
    motion = lg.simulate(model, 2.0, [0.0], torque={"x": "t"}, rtol=1e-10, atol=1e-12)
    assert motion.qd[-1, 0] == pytest.approx(1.5, abs=1e-8)


def test_below_the_friction_of_sliding_is_refused() -> None:
    with pytest.raises(lg.MechanismError, match=r"static is 0.5; it must not be less than .*`coulomb`, which is 1"):
        lg.Friction(coulomb=1.0, static=0.5)
    with pytest.raises(lg.MechanismError, match="`coulomb_negative`, which is 3"):
        lg.Friction(coulomb=1.0, coulomb_negative=3.0, static=2.0)


def test_files_have_it() -> None:
    text = """
    name = "block"
    [parameters]
    F = 0.7
    [[body]]
    name = "block"
    mass = 1
    [[joint]]
    name = "x"
    type = "prismatic"
    child = "block"
    axis = "x"
    friction = { coulomb = 0.5, static = "F", static_negative = 0.9 }
    """
    read = lg.loads(text)
    assert [float(x) for x in read.joints[0].friction.breakaway] == [0.7, 0.9]
    again = lg.loads(lg.dumps(read))
    assert again.joints[0].friction == read.joints[0].friction
    assert "static +F -0.9" in str(read)
    # once it moves, what inverse dynamics needs is the friction of sliding
    assert lg.compile(read).inverse_dynamics([0.0], [1.0], [0.0]) == pytest.approx([0.5])
