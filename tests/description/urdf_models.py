"""Robots in URDF, and kinematics in plain numpy to compare with Pinocchio."""

import math
import warnings

import numpy as np
from scipy.spatial.transform import Rotation

from lagrangian.description.urdf import reader as urdf
from lagrangian.errors import ReaderWarning


def quiet(path, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReaderWarning)
        return urdf.read(path, **options)


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


def link(name, inertial=""):
    return f'<link name="{name}">{inertial}</link>'


def inertial(mass=1, ixx=1, iyy=1, izz=1):
    return f'<inertial><mass value="{mass}"/><inertia ixx="{ixx}" ixy="0" ixz="0" iyy="{iyy}" iyz="0" izz="{izz}"/></inertial>'


def joint(name, parent, child, inside="", kind="fixed"):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>\n'
