"""URDF against Pinocchio on every robot of example-robot-data, and against the format's own rules."""

import math
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from lagrangian.description.urdf import reader as urdf
from lagrangian.errors import DescriptionError, ReaderWarning


def robots():
    """The files of the package example-robot-data, which lie beside Pinocchio."""
    try:
        import pinocchio
    except ImportError:
        return []
    share = Path(pinocchio.__file__).parents[4] / "share" / "example-robot-data" / "robots"
    return sorted(share.rglob("*.urdf"))


ROBOTS = robots()


def quiet(path, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReaderWarning)
        return urdf.read(path, **options)


# -- kinematics in plain numpy, independent of the package's own ---------------------------------------------------------


def motion(joint, q):
    T = np.eye(4)
    axis = np.array(joint.axis, dtype=float) if joint.axes else None
    if joint.type in ("revolute", "continuous"):
        T[:3, :3] = Rotation.from_rotvec(q[0] * axis).as_matrix()
    elif joint.type == "prismatic":
        T[:3, 3] = q[0] * axis
    elif joint.type == "free":
        T[:3, :3] = Rotation.from_quat([*q[1:4], q[0]]).as_matrix()
        T[:3, 3] = q[4:7]
    elif joint.type == "planar":
        assert joint.axis == (0, 0, 1)
        T[:3, :3] = Rotation.from_rotvec([0, 0, q[2]]).as_matrix()
        T[:2, 3] = q[:2]
    return T


def coordinates(m, q):
    ends = np.cumsum([j.kind.nq for j in m.joints])
    return {j.name: q[end - j.kind.nq : end] for j, end in zip(m.joints, ends, strict=True)}


def world_poses(m, q):
    part = coordinates(m, q)
    by_child = {j.child: j for j in m.joints}
    poses = {"ground": np.eye(4)}
    for body in m.bodies:
        path = []
        at = body.name
        while at not in poses:
            path.append(at)
            at = by_child[at].parent
        for name in reversed(path):
            j = by_child[name]
            relative = j.placement.matrix() @ motion(j, part[j.name]) @ np.linalg.inv(j.child_placement.matrix())
            poses[name] = poses[j.parent] @ relative
    return poses


def to_pinocchio(pin, model, part):
    q = pin.neutral(model)
    for jid in range(1, model.njoints):
        joint, own = model.joints[jid], part[model.names[jid]]
        if joint.nq == 7:
            values = [*own[4:7], *own[1:4], own[0]]
        elif joint.nq == 4:
            values = [*own[:2], math.cos(own[2]), math.sin(own[2])]
        elif joint.nq == 2:
            values = [math.cos(own[0]), math.sin(own[0])]
        else:
            values = own
        q[joint.idx_q : joint.idx_q + joint.nq] = values
    return q


def second_moments(inertia):
    """The 4x4 integral of r r^T dm of a Pinocchio inertia."""
    about = inertia.inertia + inertia.mass * (
        np.dot(inertia.lever, inertia.lever) * np.eye(3) - np.outer(inertia.lever, inertia.lever)
    )
    J = np.zeros((4, 4))
    J[:3, :3] = 0.5 * np.trace(about) * np.eye(3) - about
    J[:3, 3] = J[3, :3] = inertia.mass * inertia.lever
    J[3, 3] = inertia.mass
    return J


def lumped(m):
    """Per moving joint, the second moments of all that is rigidly on it, in the joint's frame."""
    by_child = {j.child: j for j in m.joints}
    total = {}
    for body in m.bodies:
        T, at = np.eye(4), body.name
        while at != "ground" and by_child[at].type == "fixed":
            T = by_child[at].placement.matrix() @ T
            at = by_child[at].parent
        on = by_child[at].name if at != "ground" else "universe"
        total[on] = total.get(on, np.zeros((4, 4))) + T @ body.pseudo_inertia() @ T.T
    return total


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("path", ROBOTS, ids=lambda p: f"{p.parent.parent.name}-{p.stem}")
def test_robot_agrees_with_pinocchio(path, floating):
    pin = pytest.importorskip("pinocchio")
    try:
        model = pin.buildModelFromUrdf(str(path), *([pin.JointModelFreeFlyer()] if floating else []))
    except (ValueError, RuntimeError):
        with pytest.raises(DescriptionError):
            quiet(path, floating=floating)
        return
    m = quiet(path, floating=floating)
    assert m.joints[0].name == "root_joint"
    assert {j.name for j in m.joints if j.kind.nv} == set(model.names) - {"universe"}
    assert m.nv == model.nv
    assert sum(b.mass for b in m.bodies) == pytest.approx(sum(i.mass for i in model.inertias), rel=1e-12)

    ours = lumped(m)
    for jid, name in enumerate(model.names):
        theirs = second_moments(model.inertias[jid])
        np.testing.assert_allclose(ours.get(name, np.zeros((4, 4))), theirs, atol=1e-10 * max(1, abs(theirs).max()), err_msg=name)

    q = m.random_configuration(np.random.default_rng(len(path.stem)))
    poses = world_poses(m, q)
    data = model.createData()
    pin.framesForwardKinematics(model, data, to_pinocchio(pin, model, coordinates(m, q)))
    for frame, placement in zip(model.frames, data.oMf, strict=True):
        if frame.type == pin.FrameType.BODY and frame.name != "universe":
            name = "ground_link" if frame.name == "ground" else frame.name  # our name of the fixed world
            np.testing.assert_allclose(poses[name], placement.homogeneous, atol=1e-9, err_msg=name)

    for j in m.joints:
        jid = model.getJointId(j.name)
        if j.type in ("revolute", "prismatic"):
            at, speed = model.joints[jid].idx_q, model.joints[jid].idx_v
            assert (j.limits.lower, j.limits.upper) == (model.lowerPositionLimit[at], model.upperPositionLimit[at])
            assert j.limits.speed == model.upperVelocityLimit[speed]
            assert j.limits.effort == model.upperEffortLimit[speed]
            assert j.friction.viscous == model.damping[speed]


def test_all_robots_are_there():
    pytest.importorskip("pinocchio")
    assert len(ROBOTS) > 60


# -- a small robot with everything ---------------------------------------------------------------------------------------

FULL = """<?xml version="1.0"?>
<robot name="full">
  <material name="blue"><color rgba="0 0 1 1"/></material>
  <link name="tip"><inertial><mass value="0"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <joint name="last" type="fixed"><parent link="slider"/><child link="tip"/><axis xyz="0 0 0"/></joint>
  <joint name="turn" type="revolute">
    <origin xyz="0.1 0.2 0.3" rpy="0.3 -0.4 0.5"/><parent link="base"/><child link="arm"/><axis xyz="0 3 4"/>
    <limit lower="-1" upper="2" effort="10" velocity="3"/><dynamics damping="0.5" friction="0.2"/>
    <safety_controller k_velocity="1"/><calibration rising="0"/>
  </joint>
  <joint name="wheel" type="continuous"><parent link="base"/><child link="disc"/><limit effort="4" velocity="5"/></joint>
  <joint name="slide" type="prismatic"><parent link="arm"/><child link="slider"/>
    <limit lower="0" upper="0.5" effort="1" velocity="1"/><mimic joint="turn" multiplier="2"/></joint>
  <joint name="fly" type="floating"><parent link="base"/><child link="bird"/><origin xyz="0 0 1"/></joint>
  <joint name="float" type="planar"><parent link="base"/><child link="puck"/><axis xyz="0 0 1"/><origin xyz="1 0 0"/></joint>
  <link name="base"/>
  <link name="arm">
    <inertial><origin xyz="0.1 0 0" rpy="0.1 0.2 0.3"/><mass value="2"/>
      <inertia ixx="0.03" ixy="0.001" ixz="0.002" iyy="0.04" iyz="-0.001" izz="0.05"/></inertial>
    <visual><origin xyz="0 0 1"/><geometry><box size="1 2 3"/></geometry><material name="blue"/></visual>
    <visual><geometry><cylinder radius="0.1" length="0.7"/></geometry></visual>
    <visual><geometry><sphere radius="0.2"/></geometry><material name="r"><color rgba="1 0 0 0.5"/></material></visual>
    <visual><geometry><mesh filename="package://x/y.dae" scale="1 1 2"/></geometry></visual>
    <visual><geometry><mesh filename="z.stl"/></geometry></visual>
    <collision><geometry><box size="1 2 3"/></geometry></collision>
  </link>
  <link name="disc"/><link name="slider"/><link name="bird"/><link name="puck"/>
  <transmission name="t1"/><transmission name="t2"/><gazebo reference="arm"><a x="${whatever}"/></gazebo>
  <sensor name="s"/>
</robot>"""


@pytest.fixture
def write(tmp_path):
    def written(text, name="robot.urdf"):
        file = tmp_path / name
        file.write_text(text)
        return file

    return written


@pytest.fixture
def full(write):
    return quiet(write(FULL))


def test_joints_in_the_order_of_the_file(full):
    assert [j.name for j in full.joints] == ["root_joint", "last", "turn", "wheel", "slide", "fly", "float"]
    assert [j.type for j in full.joints] == ["fixed", "fixed", "revolute", "continuous", "prismatic", "free", "planar"]
    assert (full.joints[0].parent, full.joints[0].child) == ("ground", "base")
    assert all(j.child_placement.is_identity for j in full.joints)
    assert full.gravity == (0, 0, -9.81)
    assert full.name == "full"


def test_axis_limits_and_friction(full):
    joints = {j.name: j for j in full.joints}
    assert joints["turn"].axis == pytest.approx((0, 0.6, 0.8))
    assert joints["wheel"].axis == (1, 0, 0)  # the format's default
    turn = joints["turn"]
    assert (turn.limits.lower, turn.limits.upper, turn.limits.speed, turn.limits.effort) == (-1, 2, 3, 10)
    assert (turn.friction.viscous, turn.friction.coulomb, turn.friction.coulomb_negative) == (0.5, 0.2, 0.2)
    assert joints["wheel"].limits.lower == -math.inf
    assert joints["wheel"].limits.effort == 4


def test_inertia_is_turned_into_the_link_frame(full):
    arm = full.bodies[full.body_index["arm"]]
    R = Rotation.from_euler("xyz", [0.1, 0.2, 0.3]).as_matrix()
    own = np.array([[0.03, 0.001, 0.002], [0.001, 0.04, -0.001], [0.002, -0.001, 0.05]])
    np.testing.assert_allclose(arm.inertia_matrix, R @ own @ R.T, atol=1e-15)
    assert (arm.mass, arm.center) == (2, (0.1, 0, 0))


def test_visuals(full):
    visuals = full.bodies[full.body_index["arm"]].visuals
    assert [x.kind for x in visuals] == ["box", "cylinder", "sphere", "mesh", "mesh"]
    assert [x.size for x in visuals] == [(1, 2, 3), (0.1, 0.7), (0.2,), (1, 1, 2), (1, 1, 1)]
    assert [x.color for x in visuals] == [(0, 0, 1, 1), (), (1, 0, 0, 0.5), (), ()]
    assert [x.file for x in visuals] == ["", "", "", "package://x/y.dae", "z.stl"]
    assert visuals[0].placement.position == (0, 0, 1)


def test_floating_root(write):
    m = quiet(write(FULL), floating=True)
    assert (m.joints[0].name, m.joints[0].type, m.joints[0].child) == ("root_joint", "free", "base")


def test_what_is_not_carried_is_noted_once_a_kind(full):
    text = "\n".join(full.notes)
    for what in ("transmission> (2", "gazebo> (1)", "safety_controller", "calibration", "sensor", "collision> (1)", "mimic"):
        assert sum(what in note for note in full.notes) == 1, (what, text)


def test_only_what_changes_the_dynamics_warns(write):
    with pytest.warns(ReaderWarning) as caught:
        urdf.read(write(FULL))
    assert len(caught) == 1
    assert "mimic" in str(caught[0].message)
    assert "slide" in str(caught[0].message)
    assert caught[0].filename == __file__


def test_mimic_joints_follow_if_asked(write):
    given = FULL.replace('multiplier="2"', 'multiplier="2" offset="0.1"')
    coupled = quiet(write(given), mimic=True)
    assert [str(c.equation) for c in coupled.constraints] == ["slide-2*turn-0.1"]
    assert not any("mimic" in note for note in coupled.notes)
    assert quiet(write(given)).constraints == ()
    with pytest.raises(DescriptionError, match=r"mimic.*there is no other joint of one coordinate called 'fly'"):
        quiet(write(FULL.replace('mimic joint="turn"', 'mimic joint="fly"')), mimic=True)


def link(name, inertial=""):
    return f'<link name="{name}">{inertial}</link>'


def inertial(mass=1, ixx=1, iyy=1, izz=1):
    return f'<inertial><mass value="{mass}"/><inertia ixx="{ixx}" ixy="0" ixz="0" iyy="{iyy}" iyz="0" izz="{izz}"/></inertial>'


@pytest.mark.parametrize(("mass", "izz"), [(1, 2.5), (1, -0.5), (0, 1)], ids=["triangle", "negative", "massless"])
def test_an_impossible_inertia_is_kept_noted_and_warned_of(write, mass, izz):
    with pytest.warns(ReaderWarning, match="odd_one"):
        m = urdf.read(write(f'<robot name="r">{link("odd_one", inertial(mass, izz=izz))}</robot>'))
    assert m.bodies[0].effective
    assert m.bodies[0].inertia == (1, 0, 0, 1, 0, izz)
    assert any("odd_one" in note for note in m.notes)


def test_a_link_without_inertial_has_no_mass_and_does_not_warn(write):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m = urdf.read(write(f'<robot name="r">{link("a")}</robot>'))
    assert m.bodies[0].mass == 0
    assert not m.bodies[0].effective


def test_names_that_are_taken(write):
    joint = '<joint name="root_joint" type="fixed"><parent link="ground"/><child link="b"/></joint>'
    m = quiet(write(f'<robot name="r">{link("ground")}{link("b")}{joint}</robot>'))
    assert [b.name for b in m.bodies] == ["ground_link", "b"]
    assert m.joints[0].parent == "ground"
    assert m.joints[0].child == "ground_link"
    assert m.joints[1].parent == "ground_link"
    assert len({j.name for j in m.joints}) == 2
    assert len(m.notes) == 2


def test_a_chain_of_ten_thousand_links(write):
    n = 10_000
    links = "".join(link(f"l{i}") for i in range(n))
    joint = '<joint name="j{0}" type="continuous"><parent link="l{0}"/><child link="l{1}"/></joint>'
    m = quiet(write(f'<robot name="long">{links}{"".join(joint.format(i, i + 1) for i in range(n - 1))}</robot>'))
    assert m.nv == n - 1


def test_limits_left_out_are_zero_as_in_urdfdom(write):
    joint = '<joint name="j" type="revolute"><parent link="a"/><child link="b"/><limit effort="1" velocity="1"/></joint>'
    m = quiet(write(f'<robot name="r">{link("a")}{link("b")}{joint}</robot>'))
    assert (m.joints[1].limits.lower, m.joints[1].limits.upper) == (0, 0)
    assert any("lower" in note for note in m.notes)


def test_infinite_limits_are_read(write):
    limit = '<limit lower="-inf" upper="inf" effort="1" velocity="inf"/>'
    joint = f'<joint name="j" type="revolute"><parent link="a"/><child link="b"/>{limit}</joint>'
    m = quiet(write(f'<robot name="r">{link("a")}{link("b")}{joint}</robot>'))
    assert m.joints[1].limits.upper == math.inf


# -- bad input ---------------------------------------------------------------------------------------------------------


def joint(name, parent, child, inside="", kind="fixed"):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>\n'


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
    "empty name": ('<robot name="r">\n<link name=""/></robot>', 2, "name is empty"),
    "same link": (f'<robot name="r">{AB}{link("a")}</robot>', 3, r'<link name="a">: a link of this name is already in line 1'),
    "same joint": (f'<robot name="r">{AB}{joint("j", "a", "b")}{joint("j", "b", "a")}</robot>', 4, "already in line 3"),
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
    "limits swapped": (
        f'<robot name="r">{AB}{joint("j", "a", "b", LIMIT.format(1, -1), "revolute")}</robot>',
        3,
        "above the upper",
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
    "no mass": ('<robot name="r"><link name="a">\n<inertial/></link></robot>', 2, "<mass value="),
    "no inertia": ('<robot name="r"><link name="a"><inertial><mass value="1"/></inertial></link></robot>', 1, "<inertia ixx="),
    "no izz": (
        f'<robot name="r">{link("a", inertial()).replace("izz", "zzz")}</robot>',
        1,
        "no attribute 'zzz'. Did you mean 'izz'",
    ),
    "visual": ('<robot name="r"><link name="a"><visual/></link></robot>', 1, "<geometry>"),
    "box": (
        '<robot name="r"><link name="a"><visual><geometry><box size="1"/></geometry></visual></link></robot>',
        1,
        "size needs 3",
    ),
    "xacro tag": (XACRO.format('\n<xacro:property name="m" value="1"/>'), 2, "run xacro first"),
    "xacro value": (XACRO.format('\n<link name="${prefix}base"/>'), 2, "run xacro first"),
    "xacro no name": ('<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="a"/></robot>', 1, "run xacro"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_where_and_what(write, case):
    text, line, says = BAD[case]
    file = write(text)
    with pytest.raises(DescriptionError, match=says) as error:
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
