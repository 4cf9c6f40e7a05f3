"""What a URDF has that the format does not know, or has twice: an error if misspelt, else said; never passed over."""

import warnings

import numpy as np
import pytest

from lagrangian.description import xml
from lagrangian.description.notes import ReaderNotes
from lagrangian.description.schema import check_urdf_schema
from lagrangian.description.urdf import reader as urdf
from lagrangian.errors import DescriptionError, ReaderWarning

INERTIA = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
INERTIAL = f'<inertial>\n<mass value="1"/>{INERTIA}</inertial>'
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'


def robot(joint=LIMIT, link=INERTIAL, more="", how="", ends='<parent link="a"/><child link="b"/>'):
    return (
        f'<robot name="r"{how}>\n<link name="a"/><link name="b">{link}</link>'
        f'<joint name="j" type="revolute">{ends}{joint}</joint>{more}</robot>'
    )


def silent(text):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return urdf.read_text(text)


MISSPELT = {
    "dynamics": (robot(LIMIT + '<dynamics fricton="3"/>'), "fricton", "friction"),
    "damping": (robot(LIMIT + '<dynamics Damping="3" friction="1"/>'), "Damping", "damping"),
    "limit": (robot('<limit lower="0" uper="1" effort="1" velocity="1"/>'), "uper", "upper"),
    "required limit": (robot('<limit lower="0" upper="1" efort="1" velocity="1"/>'), "efort", "effort"),
    "axis": (robot(LIMIT + '<axis xzy="0 0 1"/>'), "xzy", "xyz"),
    "origin": (robot(LIMIT + '<origin xyz="0 0 1" rpyy="1 0 0"/>'), "rpyy", "rpy"),
    "quaternion": (robot(LIMIT + '<origin quat_xyz="1 0 0 0"/>'), "quat_xyz", "quat_xyzw"),
    "mass": (robot(link=INERTIAL.replace("value", "vale")), "vale", "value"),
    "parent": (robot(ends='<parent lnk="a"/><child link="b"/>'), "lnk", "link"),
    "child": (robot(ends='<parent link="a"/><child ink="b"/>'), "ink", "link"),
    "joint": (robot().replace('type="', 'typ="'), "typ", "type"),
    "link": (robot().replace('link name="a"', 'link nme="a"'), "nme", "name"),
    "inertial origin": (robot(link=INERTIAL.replace("<mass", '<origin xyx="1 0 0"/><mass')), "xyx", "xyz"),
    "element of a link": (robot(link=INERTIAL.replace("inertial", "inertail")), "inertail", "inertial"),
    "element of an inertial": (robot(link=INERTIAL.replace("<mass", '<orgin xyz="0 0 1"/><mass')), "orgin", "origin"),
    "element of a joint": (robot(LIMIT + '<axes xyz="0 0 1"/>'), "axes", "axis"),
    "dynamic": (robot(LIMIT + '<dynamic damping="1"/>'), "dynamic", "dynamics"),
    "element of the robot": (robot(more='<Joint name="k" type="fixed"/>'), "Joint", "joint"),
}


@pytest.mark.parametrize("case", MISSPELT)
def test_what_is_misspelt_is_an_error(case):
    text, wrong, right = MISSPELT[case]
    with pytest.raises(DescriptionError, match=f"'{wrong}'. Did you mean '{right}'.*Known: ") as error:
        urdf.read_text(text, "r.urdf")
    assert str(error.value).startswith("r.urdf:")
    assert "<" in str(error.value)


def test_all_is_well_without_mistakes():
    assert silent(robot()).notes == ()


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (
            robot('<limit lower="0" upper="1" effort="1" velocity="1" command_effort="3"/>'),
            "'command_effort' of a <limit> (1: j)",
        ),
        (robot().replace('"revolute"', '"revolute" dont_collapse="true"'), "'dont_collapse' of a <joint> (1: j)"),
        (robot().replace('<link name="a"', '<link drake_ignore="true" name="a"'), "'drake_ignore' of a <link> (1: a)"),
        (robot().replace('name="r"', 'name="r" author="me"'), "'author' of a <robot> (1: r)"),
        (robot(link=INERTIAL + "<contact/>"), "<contact> of a <link> (1: b)"),
        (robot(link="<collision_checking/>" + INERTIAL), "<collision_checking> of a <link> (1: b)"),
        (robot(LIMIT + "<hardware/>"), "<hardware> of a <joint> (1: j)"),
        (robot(LIMIT + '<safety_controller k_velocity="1"/>'), "<safety_controller> of a <joint> (1: j)"),
        (robot(more='<sensor name="eye"/>'), "<sensor> (1: eye)"),
        (robot(link=INERTIAL.replace("<mass", "<density/><mass")), "<density> of a <inertial> (1: b)"),
        (robot(more='<material name="m"><texture filename="t.png"/></material>'), "<texture> of a material (1: m)"),
        (robot().replace("revolute", "continuous"), "<limit> lower and upper of a continuous joint (1: j)"),
        (
            robot(link=INERTIAL + '<visual name="v"><geometry><sphere radius="1"/><box size="1 1 1"/></geometry></visual>'),
            "<geometry> with several shapes (1: v)",
        ),
    ],
)
def test_extensions_are_noted(text, note):
    assert [line.partition(": ignored")[0].partition(": only")[0] for line in silent(text).notes] == [note]


@pytest.mark.parametrize("kind", ["acceleration", "deceleration", "jerk"])
def test_limits_of_urdf_1_2_are_noted(kind):
    m = silent(robot(LIMIT.replace("/>", f' {kind}="3"/>'), how=' version="1.2"'))
    assert m.notes == (f"'{kind}' of a <limit> (1: j): ignored: only position, speed and force have limits",)


@pytest.mark.parametrize("tag", ["loop_joint", "loop_constraint"])
def test_elements_that_would_join_bodies_are_warned_of(tag):
    with pytest.warns(ReaderWarning, match=rf"<{tag}> \(1: x in line 3\): ignored: the links that it connects move freely"):
        urdf.read_text(robot(more=f'<{tag} name="x"/>'))


class Counted(list):
    """A list that counts what is taken from it."""

    taken = 0

    def __iter__(self):
        for x in super().__iter__():
            Counted.taken += 1
            yield x

    def __reversed__(self):
        Counted.taken += len(self)
        return super().__reversed__()


@pytest.mark.parametrize("tag", ["extension", "extension{0}"], ids=["of one kind", "of many"])
def test_many_unknown_elements_are_looked_at_a_few_times_each(tag):
    work = []
    for n in (100, 400):
        root = xml.read_text(robot(more="".join(f"<{tag.format(k)}/>" for k in range(n))))
        root.children, Counted.taken = Counted(root.children), 0
        check_urdf_schema(root, ReaderNotes("r.urdf"))
        work.append(Counted.taken / n)
    assert work[1] < 1.1 * work[0]
    assert work[1] < 10


def test_unknown_attributes_of_dynamics_are_warned_of():
    with pytest.warns(ReaderWarning, match=r"'mu_coulomb' of a <dynamics> \(1: j in line 3\): ignored"):
        m = urdf.read_text(robot(LIMIT + '<dynamics damping="1" mu_coulomb="3"/>'))
    assert m.joints[1].friction.viscous == 1


TWICE = {
    "inertial": robot(link=INERTIAL + INERTIAL.replace('value="1"', 'value="9"')),
    "mass": robot(link=INERTIAL.replace("<inertia ", '<mass value="9"/><inertia ')),
    "inertia": robot(link=INERTIAL.replace("</inertial>", INERTIA.replace("1", "9") + "</inertial>")),
    "origin": robot(LIMIT + '<origin xyz="1 2 3"/><origin xyz="9 9 9"/>'),
    "axis": robot(LIMIT + '<axis xyz="0 0 1"/><axis xyz="0 1 0"/>'),
    "limit": robot(LIMIT + LIMIT.replace("1", "9")),
    "dynamics": robot(LIMIT + '<dynamics damping="1"/><dynamics damping="9"/>'),
    "parent": robot(ends='<parent link="a"/><parent link="b"/><child link="b"/>'),
}


@pytest.mark.parametrize("case", TWICE)
def test_of_an_element_given_twice_the_first_counts_as_in_urdfdom(case):
    with pytest.warns(
        ReaderWarning, match=rf"second <{case}> of a <\w+> \(1: [bj] in line [23]\): ignored: the first one counts"
    ) as caught:
        m = urdf.read_text(TWICE[case])
    assert len(caught) == 1
    pin = pytest.importorskip("pinocchio")
    model = pin.buildModelFromXML(TWICE[case])
    joint, body = m.joints[1], m.bodies[1]
    assert body.mass == model.inertias[1].mass
    np.testing.assert_array_equal(body.inertia_matrix, model.inertias[1].inertia)
    np.testing.assert_array_equal(np.array(joint.placement.position, float), model.jointPlacements[1].translation)
    assert joint.limits.upper == model.upperPositionLimit[0]
    assert joint.friction.viscous == (case == "dynamics")
    np.testing.assert_array_equal(joint.axis, {"JointModelRX": (1, 0, 0), "JointModelRZ": (0, 0, 1)}[model.joints[1].shortname()])


# -- quaternions -------------------------------------------------------------------------------------------------------

QUATERNION = '<origin xyz="1 2 3" quat_xyzw="{0}"/>'


@pytest.mark.parametrize(
    "quat", ["0 0 0.7071067811865476 0.7071067811865476", "0 0 0 1", "0.1 -0.2 0.3 0.4", "1 0 0 0", "0 0 0 -2"]
)
def test_quaternions_agree_with_urdfdom(quat):
    pin = pytest.importorskip("pinocchio")
    origin = QUATERNION.format(quat)
    text = robot(
        LIMIT + origin, INERTIAL.replace("<mass", origin + "<mass").replace('izz="1"', 'izz="1.5"'), how=' version="1.1"'
    )
    m, model = silent(text), pin.buildModelFromXML(text)
    np.testing.assert_allclose(m.joints[1].placement.matrix(), model.jointPlacements[1].homogeneous, atol=1e-15)
    np.testing.assert_allclose(m.bodies[1].inertia_matrix, model.inertias[1].inertia, atol=1e-14)
    np.testing.assert_allclose(m.bodies[1].center, model.inertias[1].lever)


@pytest.mark.parametrize("how", ["", ' version="1.0"'])
def test_a_quaternion_in_an_older_file_is_read_and_warned_of(how):
    with pytest.warns(ReaderWarning, match=r'quat_xyzw \(1: j in line 3\): accepted; .*version="1.1"'):
        m = urdf.read_text(robot(LIMIT + QUATERNION.format("1 0 0 0"), how=how))
    np.testing.assert_array_equal(np.array(m.joints[1].placement.rotation, float), np.diag([1, -1, -1]))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (robot(LIMIT + '<origin rpy="0 0 0" quat_xyzw="0 0 0 1"/>', how=' version="1.1"'), "has rpy and quat_xyzw"),
        (robot(LIMIT + QUATERNION.format("0 0 0 0"), how=' version="1.1"'), "of length 0; the identity is 0 0 0 1"),
        (robot(LIMIT + QUATERNION.format("0 0 0"), how=' version="1.1"'), "quat_xyzw needs 4 numbers"),
        (robot(how=' version="2.0"'), "version is '2.0'; the versions are 1.0, 1.1, 1.2"),
    ],
)
def test_quaternions_that_are_refused(text, says):
    with pytest.raises(DescriptionError, match=says):
        urdf.read_text(text)
