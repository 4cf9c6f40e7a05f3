"""URDF files with mistakes."""

import numpy as np
import pytest
from tests.description.urdf_models import (
    FULL,
    coordinates,
    inertial,
    joint,
    link,
    quiet,
    to_pinocchio,
    world_poses,
)

from lagrangian.description.urdf import reader as urdf
from lagrangian.errors import DescriptionError, MechanismError

AB = link("a") + "\n" + link("b") + "\n"


LIMIT = '<limit lower="{0}" upper="{1}" effort="1" velocity="1"/>'


XACRO = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{0}</robot>'


BAD = {
    "not urdf": ("<mujoco/>", 1, "MuJoCo"),
    "sdf": ("<sdf/>", 1, "SDF"),
    "other root": ("<html/>", 1, "starts with <robot"),
    "no name": ("<robot/>", 1, "needs the attribute 'name'"),
    "no links": ('<robot name="r"/>', 1, "has no link"),
    "link name": ('<robot name="r">\n<link/></robot>', 2, "needs the attribute 'name'"),
    "link empty": (f'<robot name="r">{AB}<joint name="j" type="fixed"><parent/><child link="b"/></joint></robot>', 3, "'link'"),
    "same link": (
        f'<robot name="r">{AB}{link("a")}</robot>',
        3,
        r'<link name="a">: a link of this name is already used in line 1',
    ),
    "same joint": (f'<robot name="r">{AB}{joint("j", "a", "b")}{joint("j", "b", "a")}</robot>', 4, "already used in line 3"),
    "unknown link": (f'<robot name="r">{AB}{joint("j", "a", "bb")}</robot>', 3, "there is no link 'bb'. Did you mean 'b'"),
    "no parent": (f'<robot name="r">{AB}<joint name="j" type="fixed"><child link="b"/></joint></robot>', 3, "<parent link="),
    "no child": (f'<robot name="r">{AB}<joint name="j" type="fixed"><parent link="b"/></joint></robot>', 3, "<child link="),
    "itself": (f'<robot name="r">{AB}{joint("j", "a", "a")}</robot>', 3, "to itself"),
    "two parents": (
        f'<robot name="r">{AB}{link("c")}{joint("j", "a", "c")}{joint("k", "b", "c")}</robot>',
        4,
        r'"k">: link .c. is already the child of <joint name="j"> in line 3',
    ),
    "cycle": (
        f'<robot name="r">{AB}{joint("j", "a", "b")}{joint("k", "b", "a")}</robot>',
        4,
        "cycle: (a -> b -> a|b -> a -> b);",
    ),
    "side cycle": (
        f'<robot name="r">{AB}{link("root")}{joint("j", "a", "b")}{joint("k", "b", "a")}</robot>',
        4,
        "cycle",
    ),
    "two roots": (f'<robot name="r">{AB}</robot>', 1, r"2 root links: 'a' \(line 1\), 'b' \(line 2\)"),
    "type": (f'<robot name="r">{AB}{joint("j", "a", "b", kind="revolut")}</robot>', 3, "Did you mean 'revolute'"),
    "no type": (f'<robot name="r">{AB}<joint name="j"/></robot>', 3, "parent"),
    "no limit": (f'<robot name="r">{AB}{joint("j", "a", "b", kind="revolute")}</robot>', 3, 'needs <limit.*"continuous"'),
    "no effort": (
        f'<robot name="r">{AB}{joint("j", "a", "b", "<limit velocity=" + chr(34) + "1" + chr(34) + "/>", "prismatic")}</robot>',
        3,
        "'effort'",
    ),
    "limit nan": (f'<robot name="r">{AB}{joint("j", "a", "b", LIMIT.format("nan", 1), "revolute")}</robot>', 3, "finite"),
    "axis zero": (
        f'<robot name="r">{AB}{joint("j", "a", "b", "<axis xyz=" + chr(34) + "0 0 0" + chr(34) + "/>", "continuous")}</robot>',
        3,
        "direction",
    ),
    "axis empty": (
        f'<robot name="r">{AB}{joint("j", "a", "b", "<axis/>", "continuous")}</robot>',
        3,
        "needs the attribute 'xyz'",
    ),
    "origin": (
        f'<robot name="r">{AB}{joint("j", "a", "b", "<origin xyz=" + chr(34) + "0 0" + chr(34) + "/>")}</robot>',
        3,
        "xyz needs 3 numbers, got '0 0'",
    ),
    "damping": (
        f'<robot name="r">{AB}{joint("j", "a", "b", "<dynamics damping=" + chr(34) + "-1" + chr(34) + "/>")}</robot>',
        3,
        "cannot be negative",
    ),
    "negative mass": (f'<robot name="r">{link("a", inertial(-1))}</robot>', 1, "mass is -1 kg; it cannot be negative"),
    "mass text": (f'<robot name="r">{link("a", inertial("heavy"))}</robot>', 1, "'heavy', which is not a number"),
    "mass inf": (f'<robot name="r">{link("a", inertial("inf"))}</robot>', 1, "finite"),
    "izz left out": (
        f'<robot name="r">{link("a", inertial()).replace("izz=", "q=")}</robot>',
        1,
        "needs the attribute 'izz'",
    ),
    "no izz": (
        f'<robot name="r">{link("a", inertial()).replace("izz", "zzz")}</robot>',
        1,
        "no attribute 'zzz'. Did you mean 'izz'",
    ),
    "xacro tag": (XACRO.format('\n<xacro:property name="m" value="1"/>'), 2, "run xacro first"),
    "xacro value": (XACRO.format('\n<link name="${prefix}base"/>'), 2, "run xacro first"),
    "xacro no name": ('<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="a"/></robot>', 1, "run xacro"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_where_and_what(write, case):
    text, line, says = BAD[case]
    file = write(text)
    with pytest.raises((DescriptionError, MechanismError), match=says) as error:
        quiet(file)
    assert str(error.value).startswith(f"{file}:{line}: <"), error.value


def test_bad_files(tmp_path):
    with pytest.raises(DescriptionError, match="cannot be read"):
        urdf.read(tmp_path / "none.urdf")
    with pytest.raises(DescriptionError, match="directory"):
        urdf.read(tmp_path)


def test_an_expanded_xacro_may_keep_its_namespace(write):
    assert quiet(write(XACRO.format(link("a")))).nv == 0


def test_planar_agrees_with_pinocchio(write):
    pin = pytest.importorskip("pinocchio")
    file = write(FULL)
    model = pin.buildModelFromUrdf(str(file))
    m = quiet(file)
    q = m.random_configuration(3)
    data = model.createData()
    pin.framesForwardKinematics(model, data, to_pinocchio(pin, model, coordinates(m, q)))
    poses = world_poses(m, q)
    for name in ("puck", "bird", "slider", "tip", "disc"):
        np.testing.assert_allclose(poses[name], data.oMf[model.getFrameId(name)].homogeneous, atol=1e-12)
