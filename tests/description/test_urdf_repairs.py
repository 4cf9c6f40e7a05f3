"""URDFs with faults whose meaning is clear: they load, and a warning names the line."""

import math
import re
import warnings

import numpy as np
import pytest
from tests.description.urdf_models import inertial, joint, link

import lagrangian as lg
from lagrangian.description.urdf import reader as urdf
from lagrangian.errors import DescriptionError, ReaderWarning

SIX = 'ixx="3" ixy="0.1" ixz="0.2" iyy="4" iyz="0.3" izz="5"'
LIMIT = '<limit lower="{0}" upper="{1}" effort="1" velocity="1"/>'


def body(inside):
    return (
        f'<robot name="r">{link("base")}\n<link name="a">\n{inside}</link>\n{joint("j", "base", "a", kind="continuous")}</robot>'
    )


def tensor(entries, mass='<mass value="2"/>'):
    return body(f"<inertial>{mass}\n<inertia {entries}/></inertial>")


def moving(inside, kind="revolute"):
    return f'<robot name="r">{link("base")}{link("a", inertial())}\n{joint("j", "base", "a", inside, kind)}</robot>'


def load_with_warning(text, says, line):
    with pytest.warns(ReaderWarning, match=says) as caught:
        m = urdf.read_text(text, "r.urdf")
    assert any(f"line {line}" in str(w.message) for w in caught)
    return m


NONE = (0, 0, 0, 0, 0, 0)
INERTIALS = {  # the file, what the warning says and its line, the mass, the inertia, and whether urdfdom reads the same
    "empty": (body("<inertial/>"), "without <mass>", 3, 0, NONE, True),
    "no mass": (tensor(SIX, ""), "without <mass>.*neither mass nor inertia", 3, 0, NONE, True),
    "no inertia": (body('<inertial><mass value="2"/></inertial>'), "without <inertia>", 3, 2, NONE, True),
    "no products": (tensor('ixx="3" iyy="4" izz="5"'), "without ixy", 4, 2, (3, 0, 0, 4, 0, 5), False),
    "one product": (tensor(SIX.replace('ixz="0.2"', "")), "without ixz", 4, 2, (3, 0.1, 0, 4, 0.3, 5), False),
    "lower": (tensor(SIX.replace("ixz", "izx")), "izx instead of ixz", 4, 2, (3, 0.1, 0.2, 4, 0.3, 5), False),
    "both": (tensor(f'{SIX} iyx="-0.1"'), "whose iyx is not its ixy.*: ixy counts", 4, 2, (3, 0.1, 0.2, 4, 0.3, 5), True),
    "unknown": (tensor(f'{SIX} unit="kg"'), "'unit' of a <inertia>", 4, 2, (3, 0.1, 0.2, 4, 0.3, 5), True),
}


@pytest.mark.parametrize("case", INERTIALS)
def test_unphysical_inertials_are_mended_with_a_warning(case):
    text, says, line, mass, inertia, same = INERTIALS[case]
    m = load_with_warning(text, says, line)
    assert (m.bodies[1].mass, m.bodies[1].inertia) == (mass, inertia)
    if same:
        pin = pytest.importorskip("pinocchio")
        theirs = pin.buildModelFromXML(text).inertias[1]
        assert theirs.mass == mass
        np.testing.assert_array_equal(m.bodies[1].inertia_matrix, theirs.inertia)


@pytest.mark.parametrize("entries", [f'{SIX} iyx="0.1" izx="0.2" izy="0.3"', SIX])
def test_a_whole_tensor_is_no_fault(entries):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert urdf.read_text(tensor(entries)).bodies[1].inertia == (3, 0.1, 0.2, 4, 0.3, 5)


def test_white_space_in_a_number_is_noted():
    """urdfdom takes the whole inertia as 0 then."""
    m = urdf.read_text(tensor(SIX.replace('"0.2"', '"0.2\n"')))
    assert m.bodies[1].inertia == (3, 0.1, 0.2, 4, 0.3, 5)
    assert any("white space in a number (1: a in line 4): accepted; urdfdom" in note for note in m.notes)


def test_limits_that_nothing_is_within_are_none():
    m = load_with_warning(moving(LIMIT.format(1, -1)), "lower is above its upper .*: read as no limit of position", 2)
    assert (m.joints[1].limits.lower, m.joints[1].limits.upper) == (-math.inf, math.inf)


def test_unknown_attributes_are_passed_over():
    m = load_with_warning(moving('<axis xyz="0 0 1" rpy="0 0 0"/>' + LIMIT.format(-1, 1)), "'rpy' of a <axis>", 2)
    assert m.joints[1].axis == (0, 0, 1)


def test_an_axis_that_means_nothing_may_be_misspelt():
    assert urdf.read_text(moving('<axis xzy="0 0 1"/>', "fixed")).joints[1].type == "fixed"
    with pytest.raises(DescriptionError, match=r"'xzy'\. Did you mean 'xyz'"):
        urdf.read_text(moving('<axis xzy="0 0 1"/>', "continuous"))


def test_empty_names():
    ends = joint("", "", "tip", kind="continuous")
    m = urdf.read_text(f'<robot name="">{link("")}{link("tip")}{ends}</robot>', "folder/arm.urdf")
    assert m.name == "arm"
    assert [b.name for b in m.bodies] == ["unnamed_link", "tip"]
    assert [(j.name, j.parent) for j in m.joints] == [("root_joint", "ground"), ("unnamed_joint", "unnamed_link")]
    assert sum("empty name" in note for note in m.notes) == 3


@pytest.mark.parametrize(
    ("visual", "note"),
    [
        ("<visual/>", "<visual> without geometry (1: a in line 3): not drawn"),
        ('<visual><geometry><box size="1"/></geometry></visual>', "not drawn: size needs 3 numbers, got '1'"),
        ('<visual><origin xyz="1"/><geometry><sphere radius="1"/></geometry></visual>', "not drawn: xyz needs 3 numbers"),
        ("<visual><geometry><mesh/></geometry></visual>", "not drawn: needs the attribute 'filename'"),
    ],
)
def test_what_cannot_be_drawn_is_noted(visual, note):
    m = urdf.read_text(body(visual))
    assert m.bodies[1].visuals == ()
    assert any(note in line for line in m.notes), m.notes


def test_a_bad_colour_is_noted():
    shape = '<geometry><sphere radius="1"/></geometry><material name="m"><color rgba="1 0"/></material>'
    m = urdf.read_text(body(f"<visual>{shape}</visual>"))
    assert m.bodies[1].visuals[0].color == ()
    assert any("rgba needs 4 numbers" in note for note in m.notes)


def test_a_scale_of_one_number_is_along_all_axes():
    m = urdf.read_text(body('<visual><geometry><mesh filename="a.stl" scale="0.001"/></geometry></visual>'))
    assert m.bodies[1].visuals[0].size == (0.001, 0.001, 0.001)


@pytest.mark.parametrize("before", ["\n", "  \r\n\n", "\ufeff\n", "\n\ufeff"])
def test_what_stands_before_the_declaration_is_passed_over(tmp_path, before):
    file = tmp_path / "r.urdf"
    file.write_bytes(f'{before}<?xml version="1.0"?>\n<robot name="r">\n{link("a")}\n<link/></robot>'.encode())
    with (
        pytest.warns(ReaderWarning, match=r"r.urdf:1: white space, a comment or a byte-order mark before the XML declaration"),
        pytest.raises(DescriptionError, match=rf"r.urdf:{before.count(chr(10)) + 4}: <link>"),
    ):
        lg.load(file)
    file.write_bytes(f'{before}<?xml version="1.0"?>\n<robot name="r">\n{link("a")}\n</robot'.encode())
    with (
        pytest.warns(ReaderWarning),
        pytest.raises(DescriptionError, match=rf"r.urdf:{before.count(chr(10)) + 4}: not XML"),
    ):
        lg.load(file)


def test_a_byte_order_mark_alone_is_as_it_should_be(tmp_path):
    file = tmp_path / "r.urdf"
    file.write_bytes(f'\ufeff<?xml version="1.0"?><robot name="r">{link("a")}</robot>'.encode())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert lg.load(file).bodies[0].name == "a"


def test_macros_that_xacro_left_are_warned_of():
    m = load_with_warning(
        f'<robot name="r">{link("a")}\n<xacro:imu name="x"/></robot>', "<xacro:imu> .*its content is missing", 2
    )
    assert len(m.bodies) == 1


def test_a_robot_without_a_name_in_a_file_of_an_odd_name(tmp_path):
    file = tmp_path / "two\nlines.urdf"
    try:
        file.write_text('<robot name=""><link name="a"/></robot>')
    except OSError:
        pytest.skip("the file system does not take this name")
    assert lg.load(file).name == "two lines"


def test_white_space_around_a_mass_is_noted():
    """urdfdom takes neither the mass nor the inertia then."""
    text = tensor(SIX)
    m = urdf.read_text(re.sub(r'(<mass value="[^"]*)"', r'\1 "', text))
    assert m.bodies[1].mass == urdf.read_text(text).bodies[1].mass > 0
    assert any("<mass> with white space in its number (1: a in line" in note for note in m.notes)


def test_negative_bounds_of_speed_and_force_are_none():
    limit = LIMIT.format(-2, 1).replace('effort="1"', 'effort="-1.0"').replace('velocity="1"', 'velocity="-1"')
    m = load_with_warning(moving(limit), "<limit> with a negative velocity .*: read as no limit", 2)
    limits = m.joints[1].limits
    assert (limits.lower, limits.upper, limits.speed, limits.effort) == (-2, 1, math.inf, math.inf)


def test_a_robot_without_any_mass_is_warned_of_once():
    joint = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>'
    with pytest.warns(ReaderWarning) as met:
        m = lg.loads(f'<robot name="r"><link name="a"/><link name="b"/>{joint}</robot>', "urdf")
    assert [str(w.message) for w in met] == [f"<text>: {m.notes[-1]}"]
    assert m.notes[-1].startswith("robot without mass (1): no link has an <inertial>")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lg.compile(m).mass_matrix([0.0])
        lg.loads('<robot name="r"><link name="a"/></robot>', "urdf")  # in which nothing moves
