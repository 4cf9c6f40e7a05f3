"""URDF against Pinocchio, and every element of the format."""

import math
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.description.urdf_models import (
    FULL,
    coordinates,
    inertial,
    link,
    quiet,
    to_pinocchio,
    world_poses,
)

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


# -- kinematics in plain numpy, independent of the package's own ---------------------------------------------------------


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


def lumped_moments(m):
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

    ours = lumped_moments(m)
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
            theirs = (model.lowerPositionLimit[at], model.upperPositionLimit[at])
            unsaid = theirs == (0, 0) and any("<limit> without lower and upper" in note for note in m.notes)
            none = unsaid or theirs[1] >= 1e15  # as it is in SDF
            assert (j.limits.lower, j.limits.upper) in (theirs, (-math.inf, math.inf) if none else theirs)
            assert j.limits.speed == model.upperVelocityLimit[speed]
            assert j.limits.effort == model.upperEffortLimit[speed]
            assert j.friction.viscous == model.damping[speed]


def test_all_robots_are_there():
    pytest.importorskip("pinocchio")
    assert len(ROBOTS) > 60


# -- a small robot with everything ---------------------------------------------------------------------------------------


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


def test_visuals_have_shape_place_and_colour(full):
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
    text = FULL.replace('multiplier="2"', 'multiplier="2" offset="0.1"')
    coupled = quiet(write(text), mimic=True)
    assert [str(c.equation) for c in coupled.constraints] == ["slide-2*turn-0.1"]
    other = quiet(write(FULL.replace('multiplier="2"', 'multiplier="-1" offset="-0.1"')), mimic=True)
    assert [str(c.equation) for c in other.constraints] == ["slide+turn+0.1"]
    assert not any("mimic" in note for note in coupled.notes)
    assert quiet(write(text)).constraints == ()
    with pytest.raises(DescriptionError, match=r"mimic.*there is no other joint of one coordinate called 'fly'"):
        quiet(write(FULL.replace('mimic joint="turn"', 'mimic joint="fly"')), mimic=True)


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


def test_a_limit_left_out_is_zero_but_both_are_none(write):
    joint = '<joint name="j" type="revolute"><parent link="a"/><child link="b"/><limit {0}effort="1" velocity="1"/></joint>'
    text = f'<robot name="r">{link("a")}{link("b")}\n{joint}</robot>'
    m = quiet(write(text.format('lower="-1" ')))
    assert (m.joints[1].limits.lower, m.joints[1].limits.upper) == (-1, 0)
    with pytest.warns(ReaderWarning, match="without lower and upper .*j in line 2.*no limit; other programs read both as 0"):
        m = urdf.read(write(text.format("")))
    assert (m.joints[1].limits.lower, m.joints[1].limits.upper) == (-math.inf, math.inf)


def test_infinite_limits_are_read(write):
    limit = '<limit lower="-inf" upper="inf" effort="1" velocity="inf"/>'
    joint = f'<joint name="j" type="revolute"><parent link="a"/><child link="b"/>{limit}</joint>'
    m = quiet(write(f'<robot name="r">{link("a")}{link("b")}{joint}</robot>'))
    assert m.joints[1].limits.upper == math.inf
