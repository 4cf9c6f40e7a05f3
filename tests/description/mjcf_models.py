"""Models for the tests of MJCF, and kinematics in plain numpy to compare with MuJoCo."""

import math
import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from lagrangian.description.mjcf import reader as mjcf
from lagrangian.errors import ReaderWarning

mujoco = pytest.importorskip("mujoco")


@pytest.fixture(autouse=True)
def no_log():
    """MuJoCo writes its warnings to a file in the working directory unless they are taken from it."""
    mujoco.set_mju_user_warning(lambda _: None)
    yield
    mujoco.set_mju_user_warning(None)


def quiet(text, parameters=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReaderWarning)
        return mjcf.read_text(text, "m.xml", parameters)


def model(body, before="", after=""):
    return f"<mujoco>{before}<worldbody>{body}</worldbody>{after}</mujoco>"


BALL = '<geom size=".1"/>'


def motion(joint, q):
    T = np.eye(4)
    axis = np.array(joint.axis, dtype=float) if joint.axes else None
    if joint.type in ("revolute", "continuous"):
        T[:3, :3] = Rotation.from_rotvec(q[0] * axis).as_matrix()
    elif joint.type == "prismatic":
        T[:3, 3] = q[0] * axis
    elif joint.type in ("ball", "free"):
        T[:3, :3] = Rotation.from_quat([*q[1:4], q[0]]).as_matrix()
        T[:3, 3] = q[4:7] if joint.type == "free" else 0
    return T


def world_poses(m, q):
    poses, at = {"ground": np.eye(4)}, 0
    for j in m.joints:  # MuJoCo's order has parents first
        T = j.placement.matrix() @ motion(j, q[at : at + j.kind.nq]) @ np.linalg.inv(j.child_placement.matrix())
        poses[j.child] = poses[j.parent] @ T
        at += j.kind.nq
    return poses


def to_mujoco(m, q):
    qpos, at = [], 0
    for j in m.joints:
        part = list(q[at : at + j.kind.nq])
        at += j.kind.nq
        qpos += part[4:] + part[:4] if j.type == "free" else part
    return np.array(qpos)


def matrix(position, rotation):
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = np.reshape(rotation, (3, 3)), position
    return T


def rotate_diagonal(quat, diagonal):
    R = Rotation.from_quat([*quat[1:], quat[0]]).as_matrix()
    return R @ np.diag(diagonal) @ R.T


def own_names(m):
    """Our body of each of MuJoCo's, in its order: without the massless ones between the joints of one body."""
    between = {j.parent for j in m.joints if "__" in j.parent}
    return [b.name for b in m.bodies if b.name not in between]


def check(text, seed=0):
    """All that both know of a model is the same."""
    return check_same(quiet(text), mujoco.MjModel.from_xml_string(text), seed)


def check_file(path, **options):
    """The same of a file and those that it names."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReaderWarning)
        m = mjcf.read(path, **options)
    return check_same(m, mujoco.MjModel.from_xml_path(str(path)))


def check_same(m, ref, seed=0):
    names = own_names(m)
    assert len(names) == ref.nbody - 1
    assert (m.nq, m.nv) == (ref.nq, ref.nv)
    bodies = {b.name: b for b in m.bodies}
    assert sum(b.mass for b in m.bodies) == pytest.approx(ref.body_mass.sum(), rel=1e-12)
    for i, name in enumerate(names, 1):
        body = bodies[name]
        assert body.mass == pytest.approx(ref.body_mass[i], rel=1e-10), name
        if body.mass:
            np.testing.assert_allclose(np.array(body.center, float), ref.body_ipos[i], atol=1e-10, err_msg=name)
        scale = max(ref.body_inertia[i].max(), 1e-12)
        np.testing.assert_allclose(
            body.inertia_matrix, rotate_diagonal(ref.body_iquat[i], ref.body_inertia[i]), atol=1e-8 * scale, err_msg=name
        )
    check_joints(m, ref)
    data = mujoco.MjData(ref)
    q = random_pose(m, np.random.default_rng(seed))
    data.qpos[:] = to_mujoco(m, q)
    mujoco.mj_kinematics(ref, data)
    poses = world_poses(m, q)
    for i, name in enumerate(names, 1):
        np.testing.assert_allclose(poses[name], matrix(data.xpos[i], data.xmat[i]), atol=1e-9, err_msg=name)
    for frame in m.frames:
        site = ref.site(frame.name.removesuffix("_site")).id
        T = poses[frame.body] @ frame.placement.matrix()
        np.testing.assert_allclose(T, matrix(data.site_xpos[site], data.site_xmat[site]), atol=1e-9)
    start = to_mujoco(m, m.initial.q if m.initial.q is not None else m.neutral())
    np.testing.assert_allclose(up_to_sign(m, start), up_to_sign(m, ref.qpos0), atol=1e-12)
    return m, ref


def up_to_sign(m, qpos):
    """Quaternions with their first nonzero number positive: q and -q are one rotation."""
    out, at = np.array(qpos, float), 0
    for j in m.joints:
        if j.type in ("free", "ball"):
            part = out[at + j.kind.nq - 4 : at + j.kind.nq]
            first = part[np.argmax(np.abs(part) > 1e-9)]
            part *= np.sign(first)
        at += j.kind.nq
    return out


def random_pose(m, rng):
    q = []
    for j in m.joints:
        if j.type in ("free", "ball"):
            w = rng.normal(size=4)
            q += [*(w / np.linalg.norm(w)), *rng.normal(size=j.kind.nq - 4)]
        else:
            q += list(rng.uniform(-2, 2, j.kind.nq))
    return np.array(q)


def check_joints(m, ref):
    moving = [j for j in m.joints if j.kind.nq]
    kinds = {0: ("free",), 1: ("ball",), 2: ("prismatic",), 3: ("revolute", "continuous")}
    for i, j in enumerate(moving):
        assert j.type in kinds[int(ref.jnt_type[i])]
        dof = ref.jnt_dofadr[i]
        if ref.joint(i).name:
            assert j.name == ref.joint(i).name
        assert j.friction.viscous == ref.dof_damping[dof]
        if j.type == "free":
            continue
        assert j.friction.coulomb == j.friction.coulomb_negative == ref.dof_frictionloss[dof]
        assert j.rotor.reflected_inertia == ref.dof_armature[dof]
        if j.type == "ball":
            continue
        assert j.spring.stiffness == ref.jnt_stiffness[i]
        assert j.spring.rest == pytest.approx(ref.qpos_spring[ref.jnt_qposadr[i]], abs=1e-15)
        if ref.jnt_limited[i]:
            assert (j.limits.lower, j.limits.upper) == pytest.approx(tuple(ref.jnt_range[i]))
        else:
            assert (j.limits.lower, j.limits.upper) == (-math.inf, math.inf)
        effort = abs(ref.jnt_actfrcrange[i]).max() if ref.jnt_actfrclimited[i] else math.inf
        assert j.limits.effort == effort


MODELS = {
    "pendulum": model(f'<body name="a" pos="0 0 1"><joint axis="0 1 0" damping=".3" armature=".02"/>{BALL}</body>'),
    "several joints": model(
        '<body name="a" pos="0 0 1" euler="10 20 30">'
        '<joint name="h1" axis="1 1 0" pos="0 .1 .2" ref="25"/><joint name="s" type="slide" axis="0 2 1" ref=".3" range="-1 1"/>'
        '<joint name="h2" axis="0 0 -1" pos=".3 0 0" range="-90 45" stiffness="3" springref="10"/>'
        '<geom type="box" size=".1 .2 .3" pos=".1 0 0"/><site name="s1" pos="1 2 3" zaxis="1 1 1"/></body>'
    ),
    "ball and slide": model(
        f'<body pos="1 0 0" quat="1 1 0 0"><joint type="slide" axis="0 0 1"/><joint type="ball" pos="0 0 .5" damping="2" '
        f'frictionloss=".1" armature=".3"/>{BALL}<body pos="0 0 .3"><geom type="ellipsoid" size=".1 .2 .3"/></body></body>'
    ),
    "free": model(
        '<body name="a" pos="1 2 3" euler="40 50 60"><freejoint name="f"/><inertial pos=".1 .2 .3" mass="2" '
        'diaginertia=".1 .2 .25" euler="10 20 30"/><body name="b" pos="0 0 1"><joint type="ball"/><geom size=".1"/></body></body>'
        '<body name="c"><joint type="free" damping=".5"/><geom size=".2"/></body>'
    ),
    "fullinertia": model(
        '<body><joint/><inertial pos="0 0 .1" mass="1" fullinertia=".03 .04 .05 .001 -.002 .003"/><geom size="5"/></body>'
    ),
    "radians and eulerseq": model(
        f'<body euler=".1 .2 .3"><joint axis="1 0 0" range="-1 2" ref=".5" springref=".2"/>{BALL}'
        f'<body euler="1 2 3" pos="0 1 0"><joint/>{BALL}</body></body>',
        '<compiler angle="radian" eulerseq="zYx"/>',
    ),
    "extrinsic": model(f'<body euler="10 20 30"><joint/>{BALL}</body>', '<compiler eulerseq="XYZ"/>'),
    "orientations": model(
        "".join(
            f'<body {how} pos="{i} 0 0"><joint axis="1 2 3"/>{BALL}</body>'
            for i, how in enumerate(
                [
                    'quat="1 2 3 4"',
                    'axisangle="1 2 3 70"',
                    'xyaxes="1 1 0 0 1 1"',
                    'zaxis="1 2 3"',
                    'zaxis="0 0 -1"',
                    'zaxis="0 0 2"',
                    'euler="200 -100 30"',
                ]
            )
        )
    ),
    "fromto": model(
        '<body><joint/><geom type="capsule" fromto="0 0 0 .3 .2 .5" size=".03"/></body>'
        '<body><joint/><geom type="cylinder" fromto="1 0 0 1 0 -2" size=".1 .7" density="20"/></body>'
        '<body><joint/><geom type="capsule" fromto="0 0 0 .3 .2 .5" size=".03" pos="0 0 0" euler="10 20 30"/></body>'
        '<body><joint/><geom type="box" fromto="0 0 0 0 1 0" size=".2"/>'
        '<geom type="ellipsoid" fromto="0 1 0 1 1 1" size=".2" mass="3"/>'
        '<site name="s" type="capsule" size=".1" fromto="0 0 0 1 1 0"/></body>'
    ),
    "geoms": model(
        '<body><joint/><geom type="sphere" size=".1" pos="1 0 0"/><geom type="box" size=".1 .2 .3" euler="10 20 30" mass="2"/>'
        '<geom type="cylinder" size=".1 .4" pos="0 1 0" quat="1 1 0 0"/><geom type="capsule" size=".05 .2" density="300"/>'
        '<geom type="ellipsoid" size=".1 .2 .3" pos="0 0 1"/><geom size="9" mass="0"/><geom size="9" density="0"/></body>'
    ),
    "inertia groups": model(
        '<body><joint/><geom size=".1" group="1"/><geom size=".3" group="2" pos="1 0 0"/><geom size=".2" group="3"/></body>',
        '<compiler inertiagrouprange="2 3"/>',
    ),
    "inertia from geom": model(
        f'<body><joint/><inertial pos="0 0 0" mass="9" diaginertia="1 1 1"/>{BALL}</body>'
        '<body><joint/><inertial pos="0 0 1" mass="9" diaginertia="1 1 1"/></body>',
        '<compiler inertiafromgeom="true"/>',
    ),
    "bounds": model(
        f'<body><joint/>{BALL}<frame pos="1 0 0"><body pos="0 0 1"/></frame></body>',
        '<compiler boundmass=".5" boundinertia=".01" settotalmass="12"/>',
    ),
    "balance": model(
        '<body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 2 4" quat="1 .2 .3 .4"/></body>',
        '<compiler balanceinertia="true"/>',
    ),
    "defaults": model(
        '<body childclass="a"><joint/><geom/><body><joint class="c"/><geom class="b"/><frame childclass="b"><geom pos="0 0 1"/>'
        '<body><joint axis="0 1 0"/><geom/></body></frame></body></body><body><joint class="main"/><geom quat="1 0 0 0"/></body>'
        '<body><freejoint/><geom size=".1"/></body>',
        '<default><joint damping="1" axis="1 0 0"/><geom size=".1 .2 .3" euler="30 0 0"/>'
        '<default class="a"><geom type="box"/><joint stiffness="2"/>'
        '<default class="b"><geom density="50" zaxis="1 1 0"/></default>'
        '<default class="c"><joint damping="7" range="-10 10"/></default>'
        "</default></default>",
    ),
    "defaults in pieces": model(
        '<body><joint/><geom size=".1 .1 .1"/></body>',
        '<default><geom density="5"/></default><default class="main"><geom type="box"/><joint armature=".1"/></default>',
    ),
    "inner default before outer": model(
        '<body><joint/><geom class="a"/></body>',
        '<default><default class="a"><geom density="7"/></default><geom size=".2" density="5"/></default>',
    ),
    "frames": model(
        f'<frame pos="1 0 0" euler="0 90 0"><body name="a" pos="0 1 0"><frame pos="0 0 1" euler="90 0 0">'
        f'<joint name="j1" pos="0 1 0" axis="0 1 1"/><geom type="box" size=".1 .2 .3"/><site name="s" pos="1 0 0"/>'
        f'<frame pos="0 0 2"><body name="b">{BALL}<joint name="j3"/></body></frame></frame><joint name="j2" axis="1 0 0"/></body>'
        f'<body name="c"><freejoint/>{BALL}</body></frame>'
        '<body name="d"><joint/><frame pos="1 0 0" euler="90 0 0">'
        '<inertial pos="0 1 0" mass="1" diaginertia="1 2 2.5"/></frame></body>'
    ),
    "limits": model(
        f'<body><joint range="-10 10" limited="false"/>{BALL}</body><body><joint range="10 -10"/>{BALL}</body>'
        f'<body><joint range="-30 60" actuatorfrcrange="-5 7" frictionloss=".2"/>{BALL}</body>'
        f'<body><joint type="slide" range="-.1 .2" actuatorfrcrange="-5 5" actuatorfrclimited="false"/>{BALL}</body>'
    ),
    "fixed bodies": model(
        f'<geom type="plane" size="1 1 1"/><site name="origin"/>'
        f'<body pos="0 0 1" euler="0 45 0">{BALL}<body pos="1 0 0"><joint/>{BALL}'
        f'<body pos="0 0 1">{BALL}</body></body><geom type="plane" size="1 1 .1"/></body>'
    ),
    "names": model(
        f'<body name="ground"><joint name="j"/>{BALL}<site name="body2"/><site name="ground"/><body><joint/>{BALL}</body></body>'
    ),
    "two worldbodies": model(f"<body>{BALL}</body>", after=f"<worldbody><body><joint/>{BALL}</body></worldbody>"),
}
