"""Couplings of joints and tendons of MJCF, against MuJoCo with its constraints held exactly."""

import numpy as np
import pytest
from tests.description.mjcf_dynamics import compare
from tests.description.mjcf_models import BALL, check, model, mujoco, no_log, quiet  # noqa: F401

import lagrangian as lg
from lagrangian.description.mjcf import reader as mjcf
from lagrangian.errors import DescriptionError, ReaderWarning

ARM = (
    f'<body name="a" pos="0 0 1"><joint name="p" axis="0 1 0" ref="20"/>{BALL}'
    f'<body name="b" pos=".5 0 0"><joint name="r" axis="1 1 0" damping=".2"/>{BALL}<site name="on_b" pos=".1 .2 .3"/>'
    f'<body name="c" pos=".5 0 .1"><joint name="s" type="slide" axis="0 1 0" ref=".3"/>{BALL}<site name="on_c"/></body></body>'
    f"</body>"
    f'<body name="d" pos="1 1 1"><joint name="x" axis="1 0 0"/>{BALL}<site name="on_d" pos="0 0 .4"/></body>'
    f'<site name="fixed" pos="0 1 2"/>'
)
TENDONS = (
    '<tendon><fixed name="t"><joint joint="p" coef=".5"/><joint joint="x" coef="-2"/></fixed>'
    '<fixed name="u"><joint joint="s" coef="3"/></fixed><spatial name="w"><site site="on_d"/><site site="fixed"/></spatial>'
    '<spatial name="bent"><site site="on_d"/><site site="fixed"/><site site="on_c"/></spatial></tendon>'
)


def coupled_model(equalities, before=""):
    return model(ARM, before, f"{TENDONS}<equality>{equalities}</equality>")


@pytest.mark.parametrize(
    "equality",
    [
        '<joint name="e" joint1="p" joint2="r"/>',
        '<joint name="e" joint1="s" joint2="p" polycoef=".1 .5 -.3 .2 .05"/>',
        '<joint name="e" joint1="s" polycoef=".1"/><joint joint1="x" joint2="r" polycoef="0 -1"/>',
        '<tendon name="e" tendon1="t" tendon2="u" polycoef=".1 .4 .2 0 0"/>',
        '<tendon name="e" tendon1="t"/>',
        '<tendon name="e" tendon1="w" polycoef=".02 0 0 0 0"/><joint joint1="r" joint2="p"/>',
    ],
)
def test_couplings_hold_as_mujocos_do(equality):
    m = compare(coupled_model(equality), scale=0.3)
    assert m.equation_count == equality.count("name=") + equality.count("<joint joint1")
    assert not [note for note in m.notes if "ignored" in note and "equality" in note]


def test_a_coupling_holds_the_polynomial():
    m = quiet(coupled_model('<joint joint1="s" joint2="p" polycoef=".1 .5 -.3 .2 .05"/>'))
    q = lg.assemble(m, {"p": 0.9})
    x = q[m.coordinate_names.index("p")] - np.radians(20)
    assert q[m.coordinate_names.index("s")] - 0.3 == pytest.approx(0.1 + 0.5 * x - 0.3 * x**2 + 0.2 * x**3 + 0.05 * x**4)


def test_a_coupling_that_is_not_active_is_noted():
    m = quiet(coupled_model('<joint joint1="s" joint2="p" active="false"/>'))
    assert not m.constraints
    assert any("not active" in note for note in m.notes)


def test_a_bent_tendon_that_keeps_its_length_is_reported():
    with pytest.warns(ReaderWarning, match="spatial tendon.*e"):
        m = mjcf.read_text(coupled_model('<tendon name="e" tendon1="bent"/>'))
    assert not m.equation_count


def test_a_weld_between_parts_of_one_body_holds_nothing():
    two = (
        f'<body name="1"><freejoint/>{BALL}</body><body name="2"><freejoint/>{BALL}</body><body name="3">{BALL}</body>'
        f'<body name="4">{BALL}</body>'
    )
    m = quiet(model(two, after='<equality><weld body1="1" body2="2"/><weld body1="3" body2="4"/></equality>'))
    assert [(x.a, x.b) for x in m.loops] == [("1", "2")]
    assert any("welded together" in note for note in m.notes)
    assert lg.mobility(m).degrees == 6


@pytest.mark.parametrize(
    ("equality", "says"),
    [
        ('<joint joint1="q"/>', "joint1.*'q'"),
        ('<joint joint2="p"/>', "joint1"),
        ('<joint joint1="p" joint3="r"/>', "joint3"),
        ('<tendon tendon1="v"/>', "tendon1.*'v'"),
        ('<joint joint1="p" polycoef="1 2 3 4 5 6"/>', "polycoef"),
    ],
)
def test_mistakes_are_refused(equality, says):
    with pytest.raises(DescriptionError, match=says):
        mjcf.read_text(coupled_model(equality))


def test_a_tendon_that_names_a_joint_twice_is_refused_as_in_mujoco():
    joints = '<joint joint="j" coef="1"/><joint joint="j" coef="2"/>'
    text = model(f'<body><joint name="j"/>{BALL}</body>', after=f"<tendon><fixed name='t'>{joints}</fixed></tendon>")
    with pytest.raises(ValueError, match="repeated"):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(DescriptionError, match="joint 'j' is twice in this tendon; list it once, with the sum of its coeff"):
        mjcf.read_text(text)


def test_names_that_are_made_up_leave_those_that_are_given():
    fixed = '<fixed{}><joint joint="j" coef="1"/></fixed>'
    tendons = fixed.format("") + fixed.format(' name="tendon1"') + fixed.format("") + fixed.format(' name="tendon3"')
    actuator = '<actuator><general name="a" tendon="tendon3" lengthrange="0 1"/></actuator>'
    check(model(f'<body><joint name="j"/>{BALL}</body>', after=f"<tendon>{tendons}</tendon>{actuator}"))


@pytest.mark.parametrize(("off", "closes"), [(3e-8, True), (1e-3, False)])
def test_loops_that_decimals_leave_open_are_closed(off, closes):
    sites = (
        f'<body name="a"><joint axis="0 1 0"/>{BALL}<site name="on_a" pos=".2 0 .1"/></body>'
        f'<body name="b" pos=".5 0 0"><joint axis="0 1 0"/>{BALL}<site name="on_b" pos="{-0.3 + off} 0 .1"/></body>'
    )
    m = quiet(model(sites, after='<equality><connect site1="on_a" site2="on_b"/></equality>'))
    apart = np.abs(lg.compile(m).closure(m.neutral())).max()
    assert (apart < 1e-15) == closes
    assert closes or apart == pytest.approx(off)
