"""Loops of a URDF, in it (URDF+) and in a YAML file beside it, against Pinocchio's matrices."""

import numpy as np
import pytest
from tests.description.urdf_models import quiet

import lagrangian as lg
from lagrangian.description.urdf import reader as urdf
from lagrangian.errors import ArgumentError, AssemblyError, DescriptionError, ReaderWarning

INERTIA = (
    '<inertial><origin xyz="0.2 0.01 0"/><mass value="{0}"/>'
    '<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial>'
)
LIMIT = '<limit lower="-4" upper="4" effort="9" velocity="9"/>'


def link(name, mass):
    return f'<link name="{name}">{INERTIA.format(mass)}</link>'


def joint(name, parent, child, x, y=0.0, kind="revolute", rpy="0 0 0"):
    return (
        f'<joint name="{name}" type="{kind}"><origin xyz="{x} {y} 0" rpy="{rpy}"/><parent link="{parent}"/>'
        f'<child link="{child}"/><axis xyz="0 0 1"/>{LIMIT if kind == "revolute" else ""}</joint>'
    )


# a four-bar: crank 0.3 and coupler 0.5 from the left, rocker 0.4 from the right of a base of 0.6
TREE = "".join(
    [
        '<link name="base"/>',
        link("crank", 1.0),
        link("coupler", 2.0),
        link("rocker", 1.5),
        joint("j1", "base", "crank", 0.0),
        joint("j2", "crank", "coupler", 0.3),
        joint("j3", "base", "rocker", 0.6),
    ]
)
TIPS = '<link name="tip_a"/><link name="tip_b"/>' + joint("tip_a_frame", "coupler", "tip_a", 0.5, kind="fixed")
END = joint("tip_b_frame", "rocker", "tip_b", 0.4, kind="fixed")
PIN = joint("pin", "rocker", "tip_b", 0.4)  # turns, so that the frames can be welded
PLUS = """<loop name="loop" type="revolute"><predecessor link="coupler"><origin xyz="0.5 0 0"/></predecessor>
<successor link="rocker"><origin xyz="0.4 0 0"/></successor><axis xyz="0 0 1"/></loop>"""


def robot(*parts):
    return f'<robot name="four_bar">{"".join(parts)}</robot>'


def files(tmp_path, urdf_text, yaml):
    (tmp_path / "robot.urdf").write_text(urdf_text)
    (tmp_path / "robot.yaml").write_text(yaml)
    return tmp_path / "robot.urdf"


def four_bar(tmp_path, how):
    """The same mechanism, described in three ways: its pin in the URDF, as a point, and as a weld behind a joint."""
    if how == "plus":
        file = tmp_path / "robot.urdf"
        file.write_text(robot(TREE, PLUS))
        return file
    kind, end = ("3d", END) if how == "3d" else ("6D", PIN)
    return files(tmp_path, robot(TREE, TIPS, end), f"closed_loop: [[tip_a, tip_b]]\ntype: ['{kind}']\nname_mot: [j1]\n")


def dense(model_text, names, q, v, tau):
    """Accelerations of the tree of `names`, held together at the tips, from Pinocchio's matrices."""
    pin = pytest.importorskip("pinocchio")
    model = pin.buildModelFromXML(model_text)
    data, a, b = model.createData(), model.getFrameId("tip_a"), model.getFrameId("tip_b")
    at = [model.joints[model.getJointId(name)].idx_v for name in names]
    Q, V, T = np.zeros(model.nv), np.zeros(model.nv), np.zeros(model.nv)
    Q[at], V[at], T[at] = q, v, tau
    pin.computeJointJacobians(model, data, Q)
    pin.updateFramePlacements(model, data)
    J = [pin.getFrameJacobian(model, data, f, pin.LOCAL_WORLD_ALIGNED)[:2] for f in (a, b)]
    J = (J[0] - J[1]).copy()
    pin.forwardKinematics(model, data, Q, V, 0 * V)
    c = [pin.getFrameClassicalAcceleration(model, data, f, pin.LOCAL_WORLD_ALIGNED).linear[:2] for f in (a, b)]
    M = pin.crba(model, data, Q)
    M = np.triu(M) + np.triu(M, 1).T
    n = model.nv
    K = np.block([[M, J.T], [J, np.zeros((2, 2))]])
    solution = np.linalg.solve(K, np.r_[T - pin.nonLinearEffects(model, data, Q, V), c[1] - c[0]])
    return solution[:n][at], J[:, at]


@pytest.mark.parametrize("how", ["plus", "3d", "6d"])
def test_a_four_bar_agrees_with_a_dense_system(tmp_path, how):
    m = quiet(four_bar(tmp_path, how))
    assert lg.mobility(m).nearby == 1
    q = lg.assemble(m, {"j1": 1.1})
    names = ["j1", "j2", "j3"]
    at = [m.speed_names.index(name) for name in names]
    _, J = dense(robot(TREE, TIPS, END), names, q[at], np.zeros(3), np.zeros(3))
    v = np.linalg.svd(J)[2][-1]
    speeds = lg.consistent_speeds(m, q, {"j1": v[0]})
    np.testing.assert_allclose(speeds[at], v, atol=1e-12)
    tau = np.zeros(m.nv)
    tau[at] = [0.7, 0.0, -0.3]
    expected, _ = dense(robot(TREE, TIPS, END), names, q[at], v, tau[at])
    compiled_dynamics = lg.compile(m).forward_dynamics(q, speeds, tau)[at]
    np.testing.assert_allclose(compiled_dynamics, expected, rtol=1e-9, atol=1e-9)


def test_the_file_beside_is_found_noted_and_left_out(tmp_path):
    file = four_bar(tmp_path, "6d")
    m = lg.load(file)
    assert [(x.type, x.a, x.b) for x in m.loops] == [("fixed", "tip_a", "tip_b")]
    assert [j.name for j in m.joints if j.actuated and j.kind.nv] == ["j1"]
    assert any("closed loop (1: tip_a): read from robot.yaml beside the URDF; load(path, loops=False)" in x for x in m.notes)
    assert lg.load(file, loops=False).loops == ()
    other = tmp_path / "else.yaml"
    (tmp_path / "robot.yaml").rename(other)
    unread = lg.load(file)
    assert unread.loops == ()
    message = "file beside the URDF (1: else.yaml): describes closed loops, but is not read because it has another name;"
    assert any(note.startswith(message) and note.endswith("load(path, loops=...) reads it") for note in unread.notes)
    assert not any("else.yaml" in note for m in (lg.load(file, loops=False), lg.load(file, loops=other)) for note in m.notes)
    (tmp_path / "else.urdf").write_text(file.read_text())  # whose file it is
    assert not any("else.yaml" in note for note in lg.load(file).notes)
    assert len(lg.load(file, loops=other).loops) == 1
    with pytest.raises(ArgumentError, match="loops is True"):
        lg.load(file, loops=True)
    (tmp_path / "robot.yaml").write_text("robot:\n  closed_loops: 3\n")  # somebody else's settings
    assert lg.load(file).loops == ()


def test_joints_are_made_others(tmp_path):
    yaml = """closed_loop: [["tip_a", "pin"]]   # a frame may be called by its joint
joint_name: [j2, j3, j1]
joint_type:
  - SPHERICAL
  - UJOINT_ZX
  - FIXED
"""
    m = lg.load(files(tmp_path, robot(TREE, TIPS, PIN), yaml))
    assert [(j.name, j.type) for j in m.joints[1:4]] == [("j1", "fixed"), ("j2", "ball"), ("j3", "universal")]
    assert (m.joints[3].axis, m.joints[3].axis2) == ((0, 0, 1), (1, 0, 0))
    assert (m.loops[0].type, m.loops[0].b) == ("fixed", "tip_b")  # 6d, where nothing is said
    assert all(j.actuated for j in m.joints)
    assert any("that robot.yaml makes another (3: j1, j2, j3): ignored" in note for note in m.notes)


def test_a_type_for_a_joint_that_is_not_there_is_warned_of(tmp_path):
    yaml = "closed_loop: [[tip_a, tip_b]]\njoint_name: [jj2]\njoint_type: [SPHERICAL]\n"
    with pytest.warns(ReaderWarning, match=r"robot.yaml:2 \(1: jj2\): there is no such joint.* .did you mean 'j2'"):
        lg.load(files(tmp_path, robot(TREE, TIPS, PIN), yaml))


def test_other_entries_are_warned_of(tmp_path):
    with pytest.warns(ReaderWarning, match=r"'armature' in .*robot.yaml:2 \(1\): ignored"):
        lg.load(files(tmp_path, robot(TREE, TIPS, PIN), "closed_loop: [[tip_a, tip_b]]\narmature: [1, 2]\n"))


LOOP = "closed_loop: [[tip_a, tip_b]]\n"


@pytest.mark.parametrize(
    ("yaml", "line", "says"),
    [
        ("closed_loop: [[tip_a, tip_c]]", 1, "no link or joint 'tip_c'. Did you mean 'tip_"),
        ("closed_loop: [tip_a, tip_b]", 1, "closed_loop must be a list of lists of 2 names"),
        ("closed_loop: [[tip_a, tip_b, base]]", 1, "lists of 2 names"),
        (f"{LOOP}type: [5d]", 2, "no type of loop '5d'"),
        (f"{LOOP}type: [6d, 6d]", 2, "type has 2 entries for 1 loops"),
        (f"{LOOP}type: 6d", 2, "type must be a list of names"),
        (f"{LOOP}name_mot: [j9]", 2, "no joint 'j9'"),
        (f"{LOOP}joint_name: [j1]", 0, "joint_type has 0 entries for 1 in joint_name"),
        (f"{LOOP}joint_name: [j1]\njoint_type: [UJOINT_XX]", 3, "no joint type 'UJOINT_XX'"),
        (f"{LOOP}typ: [6d]", 2, "no entry 'typ'. Did you mean 'type'"),
        (f"{LOOP}{LOOP}", 2, "'closed_loop' is given twice"),
        ("closed_loop: &a [[tip_a, tip_b]]\ntype: *a", 2, "alias"),
        ("closed_loop: !!python/object/apply:os.system [id]", 1, "tags are not allowed"),
        ("closed_loop: [[tip_a, tip_b]", 1, "not YAML"),
        ("closed_loop: [[tip_a, tip_a]]", 1, "joins body 'tip_a' to itself"),
        ("- closed_loop\n", 1, "a mapping is needed"),
    ],
)
def test_mistakes_in_the_file_beside_say_where(tmp_path, yaml, line, says):
    file = files(tmp_path, robot(TREE, TIPS, PIN), yaml)
    with pytest.raises(lg.LagrangianError, match=says) as error:
        lg.load(file, loops=tmp_path / "robot.yaml")
    assert str(error.value).startswith(f"{tmp_path / 'robot.yaml'}:{line}: " if line else str(tmp_path / "robot.yaml"))


def test_deep_yaml_is_no_matter(tmp_path):
    with pytest.raises(DescriptionError, match="nested too deeply"):
        lg.load(files(tmp_path, robot(TREE), "closed_loop: " + 200_000 * "[" + 200_000 * "]"))


def test_a_file_beside_that_cannot_be_read_is_reported(tmp_path, monkeypatch):
    file = files(tmp_path, robot(TREE), "closed_loop: []")

    def deny(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(tmp_path), "read_text", deny)
    with pytest.raises(DescriptionError, match=r"robot.yaml: the file may close loops.*Permission denied.*loops=False"):
        lg.load(file)


# -- the right way round -----------------------------------------------------------------------------------------------


def test_a_weld_is_never_closed_by_half_a_turn(tmp_path):
    """With its frames half a turn apart at the start, the equations of a weld are met the wrong way round."""
    turned = '<link name="tip_a"/><link name="tip_b"/>' + joint(
        "tip_a_frame", "coupler", "tip_a", 0.5, 0, "fixed", "0 0 3.14159265"
    )
    file = files(tmp_path, robot(TREE, turned, PIN), LOOP)
    m = quiet(file)
    q = lg.assemble(m)
    from lagrangian.configuration.poses import body_poses

    poses = body_poses(m, q)
    np.testing.assert_allclose(poses["tip_a"], poses["tip_b"], atol=1e-9)


def test_a_weld_that_fits_only_by_half_a_turn_is_not_assembled(tmp_path):
    turned = '<link name="tip_a"/><link name="tip_b"/>' + joint(
        "tip_a_frame", "coupler", "tip_a", 0.5, 0, "fixed", "3.14159265358979 0 0"
    )
    with pytest.raises(AssemblyError):
        lg.assemble(quiet(files(tmp_path, robot(TREE, turned, PIN), LOOP)))


# -- couplings ---------------------------------------------------------------------------------------------------------

COUPLING = '<coupling name="belt"><predecessor link="coupler"/><successor link="rocker"/><ratio value="{0}"/></coupling>'


def test_a_coupling_is_of_the_sums_from_the_common_ancestor():
    m = urdf.read_text(robot(TREE, COUPLING.format(2)))
    assert [c.name for c in m.constraints] == ["belt"]
    q = lg.assemble(m, {"j1": 0.2, "j2": 0.3})
    assert q[m.coordinate_names.index("j3")] == pytest.approx(2 * (0.2 + 0.3))
    text = robot(TREE.replace('name="j1" type="revolute"', 'name="j1" type="revolute" independent="true"'), COUPLING.format(2))
    assert any("'independent' of a <joint> (1: j1)" in note for note in urdf.read_text(text).notes)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (COUPLING.replace('<ratio value="{0}"/>', ""), "has no ratio"),
        (COUPLING.format(1).replace("rocker", "base"), "a joint on each side"),
        (COUPLING.format(1).replace("rocker", "rocket"), "no link 'rocket'. Did you mean 'rocker'"),
        (PLUS.replace('"revolute"', '"revolut"'), "no loop type 'revolut'. Did you mean 'revolute'"),
        (PLUS.replace("successor", "sucessor"), "no element in <loop> 'sucessor'"),
        (PLUS.replace('link="rocker"', 'link="coupler"'), "joins body 'coupler' to itself"),
        (PLUS.replace(' type="revolute"', ""), "needs the attribute 'type'"),
    ],
)
def test_mistakes_in_loops(more, says):
    with pytest.raises(lg.LagrangianError, match=says):
        urdf.read_text(robot(TREE, more))
