"""Mechanisms in SDF, and where their bodies are, in plain numpy."""

import warnings

import numpy as np

from lagrangian.description.sdf import reader as sdf
from lagrangian.errors import ReaderWarning
from lagrangian.model.joints.displacement import displacement


def quiet(text, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReaderWarning)
        return sdf.read_text(text, **options)


def model(inside, version="1.9", attributes=""):
    return f'<sdf version="{version}"><model name="m" {attributes}>{inside}</model></sdf>'


def link(name, pose="", mass=1.0, center="0 0 0", inertia=(1.0, 1.0, 1.0), more="", relative_to=""):
    text = f'<pose relative_to="{relative_to}">{pose}</pose>' if pose or relative_to else ""
    ixx, iyy, izz = inertia
    return f"""<link name="{name}">{text}<inertial><pose>{center} 0 0 0</pose><mass>{mass}</mass>
        <inertia><ixx>{ixx}</ixx><iyy>{iyy}</iyy><izz>{izz}</izz></inertia></inertial>{more}</link>"""


def joint(name, parent, child, kind="revolute", xyz="0 0 1", more="", axis=""):
    along = f"<axis><xyz>{xyz}</xyz>{axis}</axis>" if xyz else ""
    return f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>{along}{more}</joint>'


def body_poses(m, q=None):
    """The poses of all bodies in the world, as 4x4 matrices."""
    q = m.neutral() if q is None else np.asarray(q, dtype=float)
    ends = np.cumsum([j.kind.nq for j in m.joints])
    part = {j.name: q[end - j.kind.nq : end] for j, end in zip(m.joints, ends, strict=True)}
    poses = {"ground": np.eye(4)}
    for j in m.outward_joints():
        moved = displacement(j, part[j.name][None, :])[0]
        poses[j.child] = poses[j.parent] @ j.placement.matrix() @ moved @ np.linalg.inv(j.child_placement.matrix())
    return poses


def frame_pose(m, name, q=None):
    frame = m.frame(name)
    return body_poses(m, q)[frame.body] @ frame.placement.matrix()
