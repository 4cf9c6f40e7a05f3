"""Springs and dampers of tendons, gravity compensation and springdampers of MJCF, against MuJoCo."""

import numpy as np
import pytest
from tests.description.mjcf_dynamics import compare
from tests.description.mjcf_models import BALL, model, no_log, quiet  # noqa: F401

import lagrangian as lg
from lagrangian.description.mjcf import reader as mjcf
from lagrangian.errors import DescriptionError, ReaderWarning

ARM = (
    f'<body name="a" pos="0 0 1"><joint name="p" axis="0 1 0" ref="20"/>{BALL}<site name="on_a" pos="0 .1 .2"/>'
    f'<body name="b" pos=".5 0 0" gravcomp=".7"><joint name="r" axis="1 1 0" damping=".2"/>{BALL}'
    f'<body name="c" pos=".5 0 .1"><joint name="s" type="slide" axis="0 1 0" ref=".3"/><geom size=".1" pos=".1 0 .2"/>'
    f'<site name="on_c"/><body name="tip" pos="0 0 .2" gravcomp="2"><geom size=".05" pos="0 .1 0"/></body></body></body></body>'
    f'<body name="d" pos="1 1 1"><freejoint/>{BALL}<site name="on_d" pos="0 0 .4"/></body><site name="fixed" pos="0 1 2"/>'
)


def with_tendons(tendons, before=""):
    return model(ARM, before, f"<tendon>{tendons}</tendon>")


def fixed_tendon(how):
    return f'<fixed name="t" {how}><joint joint="p" coef=".5"/><joint joint="s" coef="-2"/></fixed>'


def spatial(how, *sites):
    return f'<spatial name="t" {how}>{"".join(f"<site site={site!r}/>" for site in sites)}</spatial>'


TENDONS = {
    "a fixed spring": fixed_tendon('stiffness="30"'),
    "a fixed spring with a damper": fixed_tendon('stiffness="30" damping="2" springlength=".1"'),
    "a fixed spring with play": fixed_tendon('stiffness="30" springlength="-.1 .1"'),
    "a damper": fixed_tendon('damping="3"'),
    "a spring between sites": spatial('stiffness="30" damping="1"', "on_a", "on_d"),
    "a rope": spatial('stiffness="30" springlength="0 .3"', "on_c", "on_d"),
    "through several bodies": spatial('stiffness="30" damping="2" springlength=".4"', "fixed", "on_a", "on_c", "on_d"),
}


@pytest.mark.parametrize("kind", TENDONS)
def test_tendons_pull_as_mujocos_do(kind):
    m = compare(with_tendons(TENDONS[kind]), seed=4, scale=0.5)
    assert len(m.springs) == 3
    assert not [note for note in m.notes if "tendon" in note]


def test_bodies_feel_a_part_of_gravity():
    m = compare(with_tendons(""))
    assert [(x.body, x.factor) for x in m.springs] == [("b", 0.7), ("tip", 2.0)]
    dyn, still = lg.compile(m), lg.compile(m.replace(gravity=(0, 0, 0)))
    q = np.linspace(0.1, 1, m.nq)
    assert np.abs(dyn.gravity(q)).max() > 1
    assert not np.abs(still.gravity(q)).max()  # what is not there need not be carried


def test_a_time_constant_gives_spring_and_damper():
    text = model(
        f'<body><joint name="p" springdamper=".3 .8" stiffness="3"/>{BALL}<body pos=".4 .1 0"><joint name="r" axis="1 0 0" '
        f'springdamper=".1 1" armature=".2" springref="30"/>{BALL}</body></body>',
        after='<actuator><motor joint="p" armature=".1" gear="2"/></actuator>',
    )
    m = compare(text)
    assert m.joint("p").spring.stiffness != 3
    assert not [note for note in m.notes if "springdamper" in note]


@pytest.mark.parametrize(
    ("tendon", "says"),
    [
        (fixed_tendon('frictionloss="1"'), "frictionloss of a tendon.*t"),
        (fixed_tendon('armature="1"'), "armature of a tendon.*t"),
        (fixed_tendon('range="-1 1"'), "range of a tendon.*t"),
        (fixed_tendon('stiffness="1 2"'), "nonlinear stiffness.*t"),
        (
            '<spatial name="t" stiffness="1"><site site="on_a"/><pulley divisor="2"/><site site="on_c"/>'
            '<site site="on_d"/></spatial>',
            "over a pulley.*t",
        ),
    ],
)
def test_what_of_a_tendon_is_left_out_is_reported(tendon, says):
    with pytest.warns(ReaderWarning, match=says):
        mjcf.read_text(with_tendons(tendon))


@pytest.mark.parametrize(
    ("tendon", "says"),
    [
        (fixed_tendon('springlength="2 1"  stiffness="1"'), "springlength"),
        (fixed_tendon('stiffnes="1"'), "stiffnes"),
        ('<fixed name="t"/>', "no joint"),
        ('<fixed name="t"><joint joint="z" coef="1"/></fixed>', "'z'"),
        ('<fixed name="t"><site site="on_a"/></fixed>', "site"),
        (spatial("", "nowhere"), "nowhere"),
        ('<rope name="t"/>', "fixed"),
        (fixed_tendon("") + fixed_tendon(""), "there are two tendons"),
    ],
)
def test_mistakes_are_refused(tendon, says):
    with pytest.raises(DescriptionError, match=says):
        mjcf.read_text(with_tendons(tendon))


BALLS = (
    f'<body name="a" pos="0 0 1"><joint name="b" type="ball" pos=".1 0 .2" stiffness="7" damping=".3" armature=".2"/>{BALL}'
    f'<body pos=".5 0 .2" euler="20 30 40"><joint name="c" type="ball" springdamper=".5 .8"/>{BALL}</body></body>'
)


@pytest.mark.parametrize("seed", range(3))
def test_springs_of_ball_joints(seed):
    m = compare(model(BALLS), seed=seed)
    assert m.joint("b").spring == lg.JointSpring(7.0)
    assert m.joint("c").spring.stiffness > 0
    assert not [note for note in m.notes if "stiffness" in note or "springdamper" in note]


def test_armature_of_free_joints():
    text = model(
        f'<body pos="1 2 3" euler="10 20 30"><joint type="free" armature="2" damping=".4"/><geom size=".2" pos=".1 .2 .3"/>'
        f'<body pos=".5 0 .2"><joint axis="1 1 0"/>{BALL}</body></body>',
        '<compiler settotalmass="5"/>',
    )
    m = compare(text, seed=2)
    assert sum(body.mass for body in m.bodies) == pytest.approx(7.0)


def test_the_margin_of_a_limit_is_noted():
    m = quiet(model(f'<body><joint name="x" range="-30 60" margin=".1"/>{BALL}</body>'))
    assert any("margin" in note for note in m.notes)


def test_a_tendon_of_one_joint_is_at_that_joint():
    """Its armature is in MuJoCo's mass matrix; dry friction and stops are those of the joint, by the lever."""

    def lever(how, coefficient, joint="p"):
        return f'<fixed {how}><joint joint="{joint}" coef="{coefficient}"/></fixed>'

    m = compare(with_tendons(lever('armature="3" stiffness="20"', -2)), seed=3)
    assert m.joint("p").rotor.inertia == 12
    tendons = [lever('frictionloss="4" range="-1 .5"', -2), lever('frictionloss="2" range="-3 .25"', 0.5)]
    m = mjcf.read_text(with_tendons("".join([*tendons, lever('range="-.1 9"', 0.1, "s")])))
    p, s = m.joint("p"), m.joint("s")
    assert (p.friction.coulomb, p.friction.coulomb_negative) == (9, 9)
    assert (p.type, p.limits.lower, p.limits.upper) == ("revolute", -0.25, 0.5)
    assert (s.limits.lower, s.limits.upper) == (-1, 90)
    assert not [note for note in m.notes if "of a tendon" in note]
    with pytest.raises(DescriptionError, match="none of which is within"):
        mjcf.read_text(with_tendons(lever('range="1 2"', 1) + lever('range="3 4"', 1)))


def test_a_tendon_of_hundreds_of_joints():
    """Its length was nested too deeply to be compiled."""
    count, k, x = 600, 2.0, 0.1
    bodies = "".join(f'<body><joint name="j{i}" axis="0 0 1"/><geom size=".1"/></body>' for i in range(count))
    joints = "".join(f'<joint joint="j{i}" coef="1"/>' for i in range(count))
    tendon = f'<tendon><fixed name="t" stiffness="{k}" springlength="0">{joints}</fixed></tendon>'
    m = mjcf.read_text(f"<mujoco><worldbody>{bodies}</worldbody>{tendon}</mujoco>")
    assert lg.compile(m).gravity(np.full(count, x)) == pytest.approx(k * count * x)
