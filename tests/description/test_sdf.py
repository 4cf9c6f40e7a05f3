"""SDF against the same mechanisms in URDF and MuJoCo, and its joints against what they are by hand."""

import math

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.description.sdf_models import body_poses, joint, link, model, quiet
from tests.peers.test_mujoco import full_mass_matrix

import lagrangian as lg
from lagrangian.errors import DescriptionError

ARM_SDF = """<?xml version="1.0"?>
<sdf version="1.9"><model name="arm">
  <link name="base"/>
  <link name="upper"><pose>0.1 0 0.3 0.2 0 0</pose>
    <inertial><pose>0 0.1 0.2 0.3 0.4 0.5</pose><mass>2</mass>
      <inertia><ixx>0.05</ixx><ixy>0.001</ixy><ixz>-0.002</ixz><iyy>0.06</iyy><iyz>0.003</iyz><izz>0.04</izz></inertia></inertial></link>
  <link name="fore"><pose relative_to="upper">0 0 0.5 0 0.3 -0.2</pose>
    <inertial><pose>0.05 0 0.2 0 0 0</pose><mass>1.2</mass>
      <inertia><ixx>0.02</ixx><iyy>0.03</iyy><izz>0.01</izz></inertia></inertial></link>
  <link name="slide"><pose relative_to="fore">0.1 0.1 0.4 0 0 0.7</pose>
    <inertial><pose>0 0 0.1 0 0 0</pose><mass>0.7</mass>
      <inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.005</izz></inertia></inertial></link>
  <joint name="hold" type="fixed"><parent>world</parent><child>base</child></joint>
  <joint name="shoulder" type="revolute"><parent>base</parent><child>upper</child>
    <axis><xyz>0 1 0</xyz><limit><lower>-1.5</lower><upper>2</upper><effort>30</effort><velocity>4</velocity></limit>
      <dynamics><damping>0.3</damping><friction>0.1</friction></dynamics></axis></joint>
  <joint name="elbow" type="continuous"><parent>upper</parent><child>fore</child>
    <axis><xyz>0.6 0 0.8</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis></joint>
  <joint name="rail" type="prismatic"><parent>fore</parent><child>slide</child>
    <axis><xyz>0 0 1</xyz><limit><lower>-0.2</lower><upper>0.3</upper></limit>
      <dynamics><damping>2</damping></dynamics></axis></joint>
</model></sdf>"""

ARM_URDF = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0.1 0.2" rpy="0.3 0.4 0.5"/><mass value="2"/>
    <inertia ixx="0.05" ixy="0.001" ixz="-0.002" iyy="0.06" iyz="0.003" izz="0.04"/></inertial></link>
  <link name="fore"><inertial><origin xyz="0.05 0 0.2"/><mass value="1.2"/>
    <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.01"/></inertial></link>
  <link name="slide"><inertial><origin xyz="0 0 0.1"/><mass value="0.7"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.005"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0.1 0 0.3" rpy="0.2 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-1.5" upper="2" effort="30" velocity="4"/><dynamics damping="0.3" friction="0.1"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="fore"/><origin xyz="0 0 0.5" rpy="0 0.3 -0.2"/>
    <axis xyz="0.6 0 0.8"/></joint>
  <joint name="rail" type="prismatic"><parent link="fore"/><child link="slide"/><origin xyz="0.1 0.1 0.4" rpy="0 0 0.7"/>
    <axis xyz="0 0 1"/><limit lower="-0.2" upper="0.3" effort="1e3" velocity="1e3"/><dynamics damping="2"/></joint>
</robot>"""


def test_same_arm_as_a_urdf_and_in_mujoco():
    arm = quiet(ARM_SDF)
    twin = lg.loads(ARM_URDF, format="urdf")
    assert arm.coordinate_names == twin.coordinate_names == ("shoulder", "elbow", "rail")
    assert arm.gravity == twin.gravity
    ours, other = lg.compile(arm), lg.compile(twin)
    peer = mujoco.MjModel.from_xml_string(ARM_URDF.replace('damping="2"', 'damping="0"').replace('damping="0.3"', 'damping="0"'))
    data = mujoco.MjData(peer)
    rng = np.random.default_rng(0)
    for _ in range(3):
        q, qd, qdd = arm.random_configuration(rng), rng.normal(size=3), rng.normal(size=3)
        np.testing.assert_allclose(ours.mass_matrix(q), other.mass_matrix(q), atol=1e-13)
        np.testing.assert_allclose(ours.inverse_dynamics(q, qd, qdd), other.inverse_dynamics(q, qd, qdd), atol=1e-12)
        data.qpos[:] = q
        mujoco.mj_forward(peer, data)
        np.testing.assert_allclose(ours.mass_matrix(q), full_mass_matrix(peer, data), atol=1e-9)


def test_what_sits_at_joints():
    arm = quiet(ARM_SDF)
    shoulder, elbow, rail = (arm.joint(name) for name in ("shoulder", "elbow", "rail"))
    assert shoulder.limits == lg.JointLimits(-1.5, 2.0, 4.0, 30.0)
    assert shoulder.friction == lg.Friction(0.3, 0.1)
    assert elbow.type == "continuous"
    assert elbow.limits == lg.JointLimits()  # it turns without end
    assert rail.limits == lg.JointLimits(-0.2, 0.3)


def one(kind, xyz="0 0 1", axis="", more="", version="1.9"):
    return quiet(model(link("b") + joint("j", "world", "b", kind, xyz, more, axis), version)).joint("j")


def test_springs_motors_and_limits_that_are_none():
    dynamics = "<dynamics><spring_stiffness>5</spring_stiffness><spring_reference>0.2</spring_reference></dynamics>"
    assert one("prismatic", axis=dynamics).spring == lg.JointSpring(5.0, 0.2)
    endless = "<limit><lower>-1e16</lower><upper>1e16</upper><effort>-1</effort><velocity>-1</velocity></limit>"
    assert one("revolute", axis=endless).limits == lg.JointLimits()
    assert one("revolute", axis="<limit><lower>-inf</lower><upper>inf</upper></limit>").limits == lg.JointLimits()
    still = one("revolute", axis="<limit><effort>0</effort></limit>")
    assert not still.actuated
    assert still.limits == lg.JointLimits()
    geared = "<drake:rotor_inertia>0.01</drake:rotor_inertia><drake:gear_ratio>20</drake:gear_ratio>"
    assert one("revolute", more=geared).rotor == lg.Rotor(0.01, 20.0)
    assert one("revolute", more=geared, axis="<limit><effort>0</effort></limit>").rotor == lg.Rotor()


@pytest.mark.parametrize(
    ("value", "pitch"),
    [
        ("<screw_thread_pitch>0.5</screw_thread_pitch>", 0.5 / (2 * math.pi)),
        ("<thread_pitch>-4</thread_pitch>", 0.25),  # rad/m, of a left-handed thread
        ("<thread_pitch>9</thread_pitch><screw_thread_pitch>0.5</screw_thread_pitch>", 0.5 / (2 * math.pi)),
        ("", 1 / (2 * math.pi)),
    ],
)
def test_the_pitch_of_a_screw_is_its_advance_per_radian(value, pitch):
    screw = one("screw", more=value)
    assert screw.type == "helical"
    assert screw.pitch == pytest.approx(pitch)


def test_universal_and_ball():
    cross = one("universal", "1 0 0", more="<axis2><xyz>0 0 2</xyz></axis2>")
    assert (cross.type, cross.axis, cross.axis2) == ("universal", (1, 0, 0), (0, 0, 1))
    assert one("ball", "").type == "ball"
    damped = one("ball", axis="<dynamics><damping>0.4</damping></dynamics>")
    assert damped.friction.viscous == 0.4


def test_two_axes_that_are_not_perpendicular_or_not_alike():
    skew = "<axis2><xyz>0.6 0.8 0</xyz><dynamics><damping>0.5</damping></dynamics></axis2>"
    m = quiet(model(link("b", "0 0 0.5 0 0 0") + joint("j", "world", "b", "revolute2", "1 0 0", skew)))
    assert m.coordinate_names == ("j::1", "j::2")
    assert [j.friction.viscous for j in m.joints] == [0, 0.5]
    q = np.array([0.3, -0.7])
    turned = (Rotation.from_rotvec([q[0], 0, 0]) * Rotation.from_rotvec(q[1] * np.array([0.6, 0.8, 0]))).as_matrix()
    np.testing.assert_allclose(body_poses(m, q)["b"][:3, :3], turned, atol=1e-14)
    np.testing.assert_allclose(body_poses(m, q)["b"][:3, 3], [0, 0, 0.5], atol=1e-15)


def test_mimic_is_coupled_unless_it_is_not_to_be():
    mimic = '<mimic joint="a"><multiplier>2</multiplier><offset>0.1</offset><reference>0.3</reference></mimic>'
    text = model(link("p") + link("r") + joint("a", "world", "p") + joint("b", "p", "r", axis=mimic))
    m = quiet(text)
    # b = 2 (a - 0.3) + 0.1
    np.testing.assert_allclose(lg.compile(m).closure([1.0, 1.5]), [0], atol=1e-15)
    np.testing.assert_allclose(lg.compile(m).closure([1.0, 1.7]), [0.2], atol=1e-15)
    assert not quiet(text, mimic=False).constraints
    drake = model(
        link("p") + link("r") + joint("a", "world", "p") + joint("b", "p", "r", more='<drake:mimic joint="a" offset="1"/>')
    )
    np.testing.assert_allclose(lg.compile(quiet(drake)).closure([0.5, 1.5]), [0], atol=1e-15)


def gears(axis2):
    box = (
        f"<gearbox_ratio>3</gearbox_ratio><gearbox_reference_body>frame</gearbox_reference_body><axis2><xyz>{axis2}</xyz></axis2>"
    )
    return quiet(
        model(
            link("frame")
            + link("wheel")
            + link("pinion", "1 0 0 0 0 0")
            + joint("hold", "world", "frame", "fixed", "")
            + joint("a", "frame", "wheel")
            + joint("b", "frame", "pinion")
            + joint("box", "wheel", "pinion", "gearbox", more=box)
        )
    )


def test_a_gearbox_couples_two_hinges():
    """theta2 = -ratio theta1, about the axes it names."""
    np.testing.assert_allclose(lg.compile(gears("0 0 1")).closure([0.2, -0.6]), [0], atol=1e-15)
    np.testing.assert_allclose(lg.compile(gears("0 0 -1")).closure([0.2, 0.6]), [0], atol=1e-15)
    with pytest.warns(lg.ReaderWarning, match="gearbox"):
        assert not lg.loads(
            model(
                link("a")
                + link("b")
                + joint(
                    "g",
                    "a",
                    "b",
                    "gearbox",
                    more=("<gearbox_reference_body>a</gearbox_reference_body><axis2><xyz>0 0 1</xyz></axis2>"),
                )
            ),
            format="sdf",
        ).constraints


def test_defaults_of_inertia():
    m = quiet(model('<link name="none"/><link name="some"><inertial><inertia><iyy>2</iyy></inertia></inertial></link>'))
    assert (m.body("none").mass, m.body("none").inertia) == (1, (1, 0, 0, 1, 0, 1))
    assert (m.body("some").mass, m.body("some").inertia) == (1, (1, 0, 0, 2, 0, 1))
    assert any("without <inertial>" in note for note in m.notes)


def test_inertia_from_collisions():
    shapes = """<inertial auto="true"><density>500</density></inertial>
      <collision name="a"><pose>0 0 1 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry></collision>
      <collision name="b"><density>100</density>
        <geometry><cone><radius>2</radius><length>4</length></cone></geometry></collision>"""
    body = quiet(model(f'<link name="b">{shapes}</link>')).body("b")
    box, cone = 500 * 6.0, 100 * math.pi * 4 * 4 / 3
    assert body.mass == pytest.approx(box + cone)
    z = (box * 1 + cone * -1) / (box + cone)
    np.testing.assert_allclose(body.center, [0, 0, z], atol=1e-14)
    izz = box * (1 + 4) / 12 + 0.3 * cone * 4
    assert body.inertia[5] == pytest.approx(izz)
    ixx = box * (4 + 9) / 12 + box * (1 - z) ** 2 + cone * (3 / 20 * 4 + 3 / 80 * 16) + cone * (-1 - z) ** 2
    assert body.inertia[0] == pytest.approx(ixx)
    half = quiet(model(f'<link name="b">{shapes.replace("<density>500", "<mass>7</mass><density>500")}</link>')).body("b")
    assert half.mass == pytest.approx(7)
    assert half.inertia[0] == pytest.approx(ixx * 7 / (box + cone))
    with pytest.raises(DescriptionError, match="no <collision>"):
        quiet(model('<link name="b"><inertial auto="1"/></link>'))


def test_drake_extensions():
    point = (
        "<drake:{0}_body_A>a</drake:{0}_body_A><drake:{0}_p_AP>0 0 1</drake:{0}_p_AP>"
        "<drake:{0}_body_B>b</drake:{0}_body_B><drake:{0}_p_BQ>0 2 0</drake:{0}_p_BQ>"
    )
    ball = f"<drake:ball_constraint>{point.format('ball_constraint')}</drake:ball_constraint>"
    rod = (
        f"<drake:distance_constraint>{point.format('distance_constraint')}"
        "<drake:distance_constraint_distance>0.7</drake:distance_constraint_distance></drake:distance_constraint>"
    )
    spring = (
        f"<drake:linear_spring_damper>{point.format('linear_spring_damper')}"
        "<drake:linear_spring_damper_free_length>0.3</drake:linear_spring_damper_free_length>"
        "<drake:linear_spring_damper_stiffness>9</drake:linear_spring_damper_stiffness>"
        "<drake:linear_spring_damper_damping>2</drake:linear_spring_damper_damping></drake:linear_spring_damper>"
    )
    planar = (
        '<drake:joint name="p" type="planar"><drake:parent>a</drake:parent><drake:child>c</drake:child>'
        "<drake:damping>{}</drake:damping></drake:joint>"
    )
    m = quiet(model(link("a") + link("b") + link("c") + ball + rod + spring + planar.format("1 1 1")))
    assert [(loop.type, loop.a, loop.b) for loop in m.loops] == [("ball", "a", "b"), ("distance", "a", "b")]
    assert m.loops[0].a_placement.position == (0, 0, 1)
    assert m.loops[1].length == 0.7
    (actual,) = m.springs
    assert (actual.a_point, actual.b_point, actual.stiffness, actual.rest, actual.damping) == ((0, 0, 1), (0, 2, 0), 9, 0.3, 2)
    assert (m.joint("p").type, m.joint("p").friction.viscous) == ("planar", 1)
    uneven = quiet(model(link("a") + link("c") + planar.format("1 2 3")))
    assert [j.friction.viscous for j in uneven.joints if j.name.startswith("p::")] == [1, 2, 3]
    with pytest.warns(lg.ReaderWarning, match="linear_bushing"):
        lg.loads(model(link("a") + "<drake:linear_bushing_rpy/>"), format="sdf")


def test_a_link_without_gravity():
    """It is carried, and still has its inertia."""
    light = "<gravity>false</gravity>"
    text = model(link("a", center="0.5 0 0", more=light) + joint("j", "world", "a", xyz="0 1 0") + link("b", "0 0 1 0 0 0"))
    m = quiet(text)
    dyn = lg.compile(m)
    np.testing.assert_allclose(dyn.gravity(m.neutral()), [0, 0, 0, 0, 0, 0, 9.81], atol=1e-12)
    np.testing.assert_allclose(dyn.mass_matrix(m.neutral())[0, 0], 1.25)
    assert not quiet(text.replace("<link", "<static>1</static><link", 1)).springs
