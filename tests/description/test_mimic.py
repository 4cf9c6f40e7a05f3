"""Joints that mimic others have no motor: the leader's carries all, by virtual work; against Pinocchio's torques of the tree."""

import re

import numpy as np
import pytest
from tests.description import sdf_models as sdf

import lagrangian as lg

INERTIAL = """<inertial><origin xyz="0.2 0.01 0"/><mass value="1"/>
<inertia ixx=".01" ixy="0" ixz="0" iyy=".02" iyz="0" izz=".02"/></inertial>"""
LIMIT = '<limit lower="-3" upper="3" effort="90" velocity="9"/>'


def hinge(name, parent, child, mimic="", kind="revolute"):
    return (
        f'<link name="{child}">{INERTIAL}</link><joint name="{name}" type="{kind}">'
        f'<parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0.3 0 0"/><axis xyz="0 1 0"/>{LIMIT}{mimic}</joint>'
    )


LED = {"b": -0.5, "c": 2.0, "d": 1.0}  # d follows c, which follows a
HAND = (
    '<robot name="hand"><link name="base"/>'
    + hinge("a", "base", "A")
    + hinge("b", "A", "B", '<mimic joint="a" multiplier="-0.5" offset="0.1"/>')
    + hinge("c", "base", "C", '<mimic joint="a" multiplier="2"/>', "prismatic")
    + hinge("d", "C", "D", '<mimic joint="c" multiplier="0.5"/>')
    + "</robot>"
)


def test_the_leader_of_a_urdf_carries_what_all_its_followers_need():
    pin = pytest.importorskip("pinocchio")
    hand = lg.loads(HAND, "urdf", mimic=True)
    assert [j.name for j in hand.joints if j.actuated and j.kind.nv] == ["a"]
    motion = lg.inverse(hand, lg.paths.formula({"a": "0.4*sin(3*t)"}, 1.0), t_eval=11)
    model = pin.buildModelFromXML(re.sub("<mimic[^>]*>", "", HAND))
    order = [hand.speed_names.index(name) for name in model.names[1:]]
    data, lever = model.createData(), np.array([{"a": 1.0, **LED}[name] for name in model.names[1:]])
    for q, qd, qdd, tau in zip(motion.q, motion.qd, motion.qdd, motion.tau, strict=True):
        alone = pin.rnea(model, data, q[order], qd[order], qdd[order])
        assert tau[hand.speed_names.index("a")] == pytest.approx(lever @ alone, rel=1e-9, abs=1e-9)
        assert np.count_nonzero(tau) <= 1
    assert list(lg.size_actuators(hand, motion, catalogue=False).actuators) == ["a"]


def test_every_joint_that_is_not_coupled_has_a_motor():
    with pytest.warns(lg.ReaderWarning, match="moves independently"):
        hand = lg.loads(HAND, "urdf")
    assert all(j.actuated for j in hand.joints)


def test_motors_that_a_file_of_loops_names_are_the_motors(tmp_path):
    (tmp_path / "hand.urdf").write_text(HAND)
    (tmp_path / "hand.yaml").write_text("closed_loop: []\nname_mot: [b]\n")
    hand = lg.load(tmp_path / "hand.urdf", mimic=True)
    assert [j.name for j in hand.joints if j.actuated and j.kind.nv] == ["b"]


@pytest.mark.parametrize(
    ("axis", "more"),
    [('<mimic joint="a"><multiplier>3</multiplier></mimic>', ""), ("", '<drake:mimic joint="a" multiplier="3"/>')],
    ids=["mimic", "drake"],
)
def test_the_leader_of_an_sdf_carries_what_its_follower_needs(axis, more):
    both = sdf.link("p", center="0.1 0 0") + sdf.link("r", "0 0.5 0 0 0 0", center="0.2 0 0")
    first = sdf.joint("a", "world", "p", xyz="0 1 0")
    m = sdf.quiet(sdf.model(both + first + sdf.joint("b", "world", "r", xyz="0 1 0", axis=axis, more=more)))
    assert {j.name: j.actuated for j in m.joints} == {"a": True, "b": False}
    motion = lg.inverse(m, lg.paths.formula({"a": "0.2*t**2"}, 1.0), t_eval=5)
    # two pendulums: I about the hinge, and the weight at its lever
    for q, tau in zip(motion.q[:, 0], motion.tau, strict=True):
        one = 1.01 * 0.4 - 9.81 * 0.1 * np.cos(q)
        other = 1.04 * 1.2 - 9.81 * 0.2 * np.cos(3 * q)
        assert tau == pytest.approx([one + 3 * other, 0], rel=1e-9)


def test_of_a_universal_joint_the_axis_that_follows_has_no_motor():
    text = "<axis2><xyz>0 1 0</xyz>{}</axis2>"
    follows = '<mimic joint="a"/>'
    parts = sdf.link("p") + sdf.link("r") + sdf.joint("a", "world", "p")
    m = sdf.quiet(sdf.model(parts + sdf.joint("u", "p", "r", "universal", "1 0 0", text.format(follows))))
    assert {j.name: j.actuated for j in m.joints} == {"a": True, "u::1": True, "u::2": False}
    m = sdf.quiet(sdf.model(parts + sdf.joint("u", "p", "r", "universal", "1 0 0", text.format(follows), axis=follows)))
    assert {j.name: j.actuated for j in m.joints} == {"a": True, "u": False}


@pytest.mark.parametrize(("parent", "child"), [("p", "r"), ("r", "p")], ids=["outward", "inward"])
def test_the_axis_of_a_universal_joint_leads_whichever_way_the_tree_runs(parent, child):
    """b = a in SDF's angles: R(x, a) R(y, b) is the child in the parent."""
    parts = sdf.link("p") + sdf.link("r") + sdf.link("c") + sdf.joint("h", "world", "p", "fixed", "")
    u = sdf.joint("u", parent, child, "universal", "1 0 0", "<axis2><xyz>0 1 0</xyz></axis2>")
    m = sdf.quiet(sdf.model(parts + u + sdf.joint("b", "p", "c", axis='<mimic joint="u" axis="axis"/>')))
    q = {"u.1": 0.3, "u.2": 0.5}
    turned = sdf.body_poses(m, [{**q, "b": 0.0}[name] for name in m.coordinate_names])
    R = (np.linalg.inv(turned[parent]) @ turned[child])[:3, :3]
    held = [{**q, "b": np.arctan2(R[2, 1], R[1, 1])}[name] for name in m.coordinate_names]
    assert lg.compile(m).closure(held) == pytest.approx([0], abs=1e-14)
