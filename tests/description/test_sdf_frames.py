"""Where SDF puts things: poses in other frames, frames on bodies, models in models, axes of all versions; by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from tests.description.sdf_models import body_poses, frame_pose, joint, link, model, quiet

import lagrangian as lg


def T(xyz=(0, 0, 0), rpy=(0, 0, 0)):
    out = np.eye(4)
    out[:3, :3] = Rotation.from_euler("xyz", rpy).as_matrix()
    out[:3, 3] = xyz
    return out


A, B, C = ((1, 2, 3), (0.1, 0.2, 0.3)), ((0.5, 0, -1), (-0.4, 0, 1)), ((0, 0.7, 0.2), (0, 1.1, 0))


def text(place):
    return " ".join(map(str, (*place[0], *place[1])))


def where(m, body):
    return body_poses(m, m.initial.q)[body]


def test_poses_in_other_frames():
    inside = (
        f"<pose>{text(A)}</pose>"
        + link("a", text(B))
        + link("b", text(C), relative_to="a")
        + f'<frame name="f" attached_to="b"><pose relative_to="a">{text(A)}</pose></frame>'
        + f'<frame name="g" attached_to="f"><pose>{text(B)}</pose></frame>'
        + f'<frame name="own"><pose>{text(C)}</pose></frame>'
        + link("c", text(A), relative_to="g")
        + link("d", text(B), relative_to="__model__")
    )
    m = quiet(model(inside))
    np.testing.assert_allclose(where(m, "a"), T(*A) @ T(*B), atol=1e-14)
    np.testing.assert_allclose(where(m, "b"), T(*A) @ T(*B) @ T(*C), atol=1e-14)
    np.testing.assert_allclose(frame_pose(m, "f", m.initial.q), T(*A) @ T(*B) @ T(*A), atol=1e-14)
    assert m.frame("f").body == m.frame("g").body == "b"
    assert m.frame("own").body == "a"  # the model's frame is on its first link
    np.testing.assert_allclose(where(m, "c"), T(*A) @ T(*B) @ T(*A) @ T(*B) @ T(*A), atol=1e-14)
    np.testing.assert_allclose(where(m, "d"), T(*A) @ T(*B), atol=1e-14)
    named = quiet(model(inside, attributes='canonical_link="d"'))
    assert named.frame("own").body == "d"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('<pose degrees="true">1 2 3 30 60 90</pose>', T((1, 2, 3), np.radians([30, 60, 90]))),
        ('<pose rotation_format="quat_xyzw">1 2 3 0 0 2 2</pose>', T((1, 2, 3), (0, 0, np.pi / 2))),
        ('<pose rotation_format="euler_rpy">1 2 3 0 0 1</pose>', T((1, 2, 3), (0, 0, 1))),
        ("<pose/>", T()),
        ("<pose>\n 1\t2 3   0 0 0 </pose>", T((1, 2, 3))),
    ],
)
def test_ways_to_write_a_pose(value, expected):
    m = quiet(model(f'{value}<link name="b"/>'))
    np.testing.assert_allclose(where(m, "b") if m.initial.q else np.eye(4), expected, atol=1e-14)


def test_a_joint_is_in_its_child_unless_it_says_otherwise():
    there = f'<pose relative_to="p">{text(B)}</pose>'
    links = link("p", text(A)) + link("c", text(C), relative_to="p")
    plain = quiet(model(links + joint("j", "p", "c", more=f"<pose>{text(B)}</pose>")))
    np.testing.assert_allclose(plain.joint("j").child_placement.matrix(), T(*B), atol=1e-14)
    np.testing.assert_allclose(plain.joint("j").placement.matrix(), T(*C) @ T(*B), atol=1e-14)
    other = quiet(model(links + joint("j", "p", "c", more=there)))
    np.testing.assert_allclose(other.joint("j").placement.matrix(), T(*B), atol=1e-14)
    np.testing.assert_allclose(other.joint("j").child_placement.matrix(), np.linalg.inv(T(*C)) @ T(*B), atol=1e-14)
    framed = quiet(model(links + '<frame name="f" attached_to="c"/>' + joint("j", "p", "f", more=there)))
    assert framed.joint("j").child == "c"
    np.testing.assert_allclose(framed.joint("j").child_placement.matrix(), np.linalg.inv(T(*C)) @ T(*B), atol=1e-14)


@pytest.mark.parametrize(
    ("version", "xyz", "more", "frame"),
    [
        ("1.4", "<xyz>0 1 0</xyz>", "", "model"),
        ("1.5", "<xyz>0 1 0</xyz>", "", "joint"),
        ("1.5", "<xyz>0 1 0</xyz>", "<use_parent_model_frame>1</use_parent_model_frame>", "model"),
        ("1.6", "<xyz>0 1 0</xyz>", "<use_parent_model_frame>0</use_parent_model_frame>", "joint"),
        ("1.7", "<xyz>0 1 0</xyz>", "", "joint"),
        ("1.7", '<xyz expressed_in="__model__">0 1 0</xyz>', "", "model"),
        ("1.12", '<xyz expressed_in="p">0 1 0</xyz>', "", "parent"),
    ],
)
def test_axes_of_all_versions(version, xyz, more, frame):
    inside = f"<pose>{text(B)}</pose><parent>p</parent><child>c</child><axis>{xyz}{more}</axis>"
    j = f'<joint name="j" type="revolute">{inside}</joint>'
    m = quiet(model(f"<pose>{text(C)}</pose>" + link("p", text(A)) + link("c", text(C)) + j, version))
    J = T(*C) @ T(*B)  # in the model
    turns = {"joint": np.eye(3), "model": J[:3, :3].T, "parent": J[:3, :3].T @ T(*A)[:3, :3]}
    np.testing.assert_allclose(m.joint("j").axis, turns[frame] @ [0, 1, 0], atol=1e-14)


def test_gravity_of_worlds_of_all_versions():
    one = '<model name="m"><link name="b"/></model>'
    of = "<gravity>0 0 -1.6</gravity>"
    assert quiet(f'<sdf version="1.9"><world name="w">{of}{one}</world></sdf>').gravity == (0, 0, -1.6)
    assert quiet(f'<sdf version="1.5"><world name="w"><physics>{of}</physics>{one}</world></sdf>').gravity == (0, 0, -1.6)
    assert quiet(f'<sdf version="1.9"><world name="w">{one}</world></sdf>').gravity == (0, 0, -9.8)
    assert quiet(f'<sdf version="1.9">{one}</sdf>').gravity == (0, 0, -9.81)


NESTED = (
    f"<pose>{text(A)}</pose>"
    + link("base")
    + f'<model name="hand" placement_frame="grip"><pose relative_to="base">{text(B)}</pose>'
    + link("palm", text(C))
    + f'<frame name="grip" attached_to="palm"><pose>{text(A)}</pose></frame>'
    + '<model name="finger">'
    + link("tip", text(B))
    + "</model>"
    + joint("knuckle", "palm", "finger::tip")
    + "</model>"
    + joint("wrist", "base", "hand::palm")
)


def test_models_in_models():
    m = quiet(model(NESTED))
    assert [b.name for b in m.bodies] == ["base", "hand::palm", "hand::finger::tip"]
    assert [j.name for j in m.joints] == ["root_joint", "hand::knuckle", "wrist"]
    # the pose of the hand is that of its frame `grip`
    hand = T(*A) @ T(*B) @ np.linalg.inv(T(*C) @ T(*A))
    np.testing.assert_allclose(frame_pose(m, "hand::grip", m.initial.q), T(*A) @ T(*B), atol=1e-14)
    np.testing.assert_allclose(where(m, "hand::palm"), hand @ T(*C), atol=1e-14)
    np.testing.assert_allclose(where(m, "hand::finger::tip"), hand @ T(*B), atol=1e-14)


def test_a_world_with_several_roots():
    world = f"""<sdf version="1.9"><world name="w">
      <frame name="shelf"><pose>{text(C)}</pose></frame>
      <model name="cube"><pose relative_to="shelf">{text(A)}</pose>{link("link")}</model>
      <model name="arm">{link("upper", text(B))}{joint("hinge", "world", "upper")}</model>
      <model name="floor"><static>true</static><pose>{text(A)}</pose>{link("a")}{link("b", text(B))}{joint("j", "a", "b")}</model>
      <joint name="rope" type="ball"><parent>arm::upper</parent><child>bob::link</child></joint>
      <model name="bob">{link("link")}</model>
    </world></sdf>"""
    m = quiet(world)
    assert [(j.name, j.type, j.parent) for j in m.joints] == [
        ("cube::root_joint", "free", "ground"),
        ("arm::hinge", "revolute", "ground"),
        ("rope", "ball", "arm::upper"),
        ("floor::a::root_joint", "fixed", "ground"),
        ("floor::b::root_joint", "fixed", "ground"),
    ]
    assert m.frame("shelf").body == "ground"
    np.testing.assert_allclose(where(m, "cube::link"), T(*C) @ T(*A), atol=1e-14)
    np.testing.assert_allclose(where(m, "floor::b"), T(*A) @ T(*B), atol=1e-14)
    motion = lg.simulate(m, 0.2)
    np.testing.assert_allclose(motion.q[-1][4:7], (T(*C) @ T(*A))[:3, 3] - [0, 0, 0.5 * 9.8 * 0.04], atol=1e-8)
    held = quiet(world, floating=False)
    assert held.joint("cube::root_joint").type == "fixed"
    np.testing.assert_allclose(body_poses(held)["cube::link"], T(*C) @ T(*A), atol=1e-14)


def test_a_saved_world_moves_alike(tmp_path):
    mimic = '<mimic joint="slide"><multiplier>2</multiplier></mimic>'
    m = quiet(
        f"""<sdf version="1.9"><world name="w"><model name="pend">{link("upper", center="0.5 0 0")}{link("box")}
        {joint("hinge", "world", "upper", xyz="0 1 0", axis=mimic)}{joint("slide", "upper", "box", "prismatic", "1 0 0")}</model>
        </world></sdf>"""
    )
    lg.save(m, tmp_path / "w.toml")
    again = lg.load(tmp_path / "w.toml")
    assert again.coordinate_names == ("pend::hinge", "pend::slide")
    state = [0.4, 0.2], [0.2, 0.1], [0, 0]
    np.testing.assert_allclose(lg.compile(again).forward_dynamics(*state), lg.compile(m).forward_dynamics(*state), rtol=1e-13)


# -- random trees ------------------------------------------------------------------------------------------------------

small = st.floats(-1, 1).map(lambda x: round(x, 3))
places = st.tuples(st.tuples(small, small, small), st.tuples(small, small, small))
axes = st.tuples(small, small, small).filter(lambda a: np.linalg.norm(a) > 0.1)


@st.composite
def trees(draw):
    """Links whose poses are given in any earlier link, joints in any frame; with what they are in the world."""
    count = draw(st.integers(1, 5))
    poses, parts, joints = [], [], []
    for k in range(count):
        base, place, center = draw(st.integers(-1, k - 1)), draw(places), draw(st.tuples(small, small, small))
        poses.append((np.eye(4) if base < 0 else poses[base]) @ T(*place))
        around = "" if base < 0 else f"l{base}"
        inertia = sorted(draw(st.tuples(*[st.floats(0.5, 0.9)] * 3)))
        mass = draw(st.floats(0.1, 5))
        parts.append(link(f"l{k}", text(place), mass, " ".join(map(str, center)), inertia, relative_to=around))
        parent, at, axis = draw(st.integers(-1, k - 1)), draw(places), draw(axes)
        kind, seen = draw(st.sampled_from(["revolute", "prismatic"])), draw(st.integers(-1, k))
        J = poses[k] @ T(*at)
        R = J[:3, :3] if seen < 0 else poses[seen][:3, :3]
        within = "" if seen < 0 else f' expressed_in="l{seen}"'
        held = "world" if parent < 0 else f"l{parent}"
        parts.append(
            f'<joint name="j{k}" type="{kind}"><pose>{text(at)}</pose><parent>{held}</parent><child>l{k}</child>'
            f"<axis><xyz{within}>{' '.join(map(str, axis))}</xyz></axis></joint>"
        )
        joints.append((parent, kind, J[:3, 3], R @ axis / np.linalg.norm(axis), mass, center, inertia))
    return model("".join(parts)), poses, joints


@settings(max_examples=12, deadline=None, derandomize=True)
@given(trees())
def test_random_trees_against_a_direct_computation(tree):
    """M = sum of m Jv^T Jv + Jw^T I Jw over the bodies, at the pose in which the file is written."""
    text, poses, joints = tree
    m = quiet(text)
    for k, pose in enumerate(poses):
        np.testing.assert_allclose(body_poses(m)[f"l{k}"], pose, atol=1e-12)
    n = len(joints)
    M = np.zeros((n, n))
    for k, (_, _, _, _, mass, center, inertia) in enumerate(joints):
        R, c = poses[k][:3, :3], poses[k][:3, :3] @ center + poses[k][:3, 3]
        Jv, Jw = np.zeros((3, n)), np.zeros((3, n))
        at = k
        while at >= 0:
            parent, kind, p, a, *_ = joints[at]
            Jv[:, at], Jw[:, at] = (np.cross(a, c - p), a) if kind == "revolute" else (a, 0)
            at = parent
        M += mass * Jv.T @ Jv + Jw.T @ (R @ np.diag(inertia) @ R.T) @ Jw
    order = [int(j.name[1:]) for j in m.joints]
    np.testing.assert_allclose(lg.compile(m).mass_matrix(np.zeros(n)), M[np.ix_(order, order)], atol=1e-11)
