"""A run of a robot that nothing holds says that there is no ground."""

import warnings

import pytest

import lagrangian as lg
from lagrangian.motion.falling import falling

BASE = '<body name="torso" pos="0 0 1"><freejoint name="base"/><geom size=".1"/>{}</body>'


def robot(inside="", after="", before=""):
    text = (
        f"<mujoco>{before}<worldbody>{BASE.format(inside)}<body name='post'><geom size='.1'/></body></worldbody>{after}</mujoco>"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m = lg.loads(text, "mjcf")
    return m.replace(file="robot.xml")


def test_a_free_base_that_falls_is_reported():
    m = robot('<body name="leg"><joint/><geom size=".1"/></body>')
    assert falling(m) == ["torso"]
    with pytest.warns(lg.SimulationWarning, match="nothing holds 'torso': there is no ground"):
        lg.simulate(m, 0.01)


LEGS = "".join(f'<body name="{x}"><joint name="j{x}"/><geom size=".1"/></body>' for x in "lr")


@pytest.mark.parametrize(
    "coupled",
    [
        {"constraints": [lg.HolonomicConstraint("mirrored", "jl = jr")]},
        {"springs": [lg.CoordinateSpring("tendon", "jl - jr", 10.0)]},
        {"springs": [lg.GravityCompensation("carried", "torso"), lg.GravityCompensation("left", "l")]},
        {"springs": [lg.GravityCompensation(f"{x} by half", x, 0.5) for x in ("torso", "l", "r")]},
    ],
)
def test_what_acts_within_a_robot_does_not_hold_it(coupled):
    assert falling(robot(LEGS).replace(**coupled)) == ["torso"]


@pytest.mark.parametrize(
    "held",
    [
        robot(after='<equality><connect body1="torso" anchor="0 0 0"/></equality>'),
        robot(before='<option gravity="0 0 0"/>'),
        robot().replace(springs=[lg.Wall("floor", "torso", stiffness=1e4)]),
        robot().replace(springs=[lg.PointSpring("cord", "ground", "torso", stiffness=10.0)]),
        robot().replace(springs=[lg.GravityCompensation("carried", "torso")]),
        robot(LEGS).replace(springs=[lg.GravityCompensation(f"{x} is carried", x) for x in ("torso", "l", "r")]),
        robot().replace(constraints=[lg.HolonomicConstraint("height", "base.z = 1")]),
        robot().replace(constraints=[lg.RollingConstraint("rolls", "torso", 0.1)]),
        robot().replace(file="robot.toml"),
        lg.library("free_body"),
    ],
)
def test_what_is_held_or_meant_to_fly_is_not(held):
    assert not falling(held)


def test_forces_from_outside_may_hold_it():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lg.simulate(robot(), 0.01, wrenches={"torso": (0, 0, 0, 0, 0, 40)})
