"""MJCF against MuJoCo: masses, inertias, poses, joint data, loops, on written and on random models; and bad input."""

import math
import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from lagrangian.description.mjcf import reader as mjcf
from lagrangian.errors import DescriptionError, ReaderWarning

mujoco = pytest.importorskip("mujoco")


@pytest.fixture(autouse=True)
def no_log():
    """MuJoCo writes its warnings to a file in the working directory unless they are taken from it."""
    mujoco.set_mju_user_warning(lambda _: None)
    yield
    mujoco.set_mju_user_warning(None)


def quiet(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReaderWarning)
        return mjcf.read_text(text, "m.xml")


def model(body, before="", after=""):
    return f"<mujoco>{before}<worldbody>{body}</worldbody>{after}</mujoco>"


BALL = '<geom size=".1"/>'

# -- kinematics in plain numpy, independent of the package's own ---------------------------------------------------------


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


def turned(quat, diagonal):
    R = Rotation.from_quat([*quat[1:], quat[0]]).as_matrix()
    return R @ np.diag(diagonal) @ R.T


def own_names(m):
    """Our body of each of MuJoCo's, in its order: without the massless ones between the joints of one body."""
    between = {j.parent for j in m.joints if "__" in j.parent}
    return [b.name for b in m.bodies if b.name not in between]


def check(text, seed=0):
    """All that both know of a model is the same."""
    m = quiet(text)
    ref = mujoco.MjModel.from_xml_string(text)
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
            body.inertia_matrix, turned(ref.body_iquat[i], ref.body_inertia[i]), atol=1e-8 * scale, err_msg=name
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
        assert j.rotor.reflected == ref.dof_armature[dof]
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


# -- written models ------------------------------------------------------------------------------------------------------

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


@pytest.mark.parametrize("name", MODELS)
def test_agrees_with_mujoco(name):
    for seed in range(3):
        check(MODELS[name], seed)


# -- random models -------------------------------------------------------------------------------------------------------


class Random:
    """Random MJCF, of nested bodies with all ways to say where they are."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def numbers(self, n, scale=1.0):
        return " ".join(f"{x:.6g}" for x in self.rng.normal(size=n) * scale)

    def positive(self, n):
        return " ".join(f"{x:.6g}" for x in self.rng.uniform(0.05, 0.3, n))

    def pick(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def pose(self):
        size = {"quat": 4, "axisangle": 4, "euler": 3, "xyaxes": 6, "zaxis": 3}
        how = self.pick("", *size)
        scale = 50 if how == "euler" else 1
        return f'pos="{self.numbers(3)}"' + (f' {how}="{self.numbers(size[how], scale)}"' if how else "")

    def geom(self):
        kind = self.pick("sphere", "box", "cylinder", "capsule", "ellipsoid")
        weight = self.pick("", f'mass="{self.positive(1)}"', 'density="250"', 'class="light"')
        if kind != "sphere" and self.rng.random() < 0.3:
            return f'<geom type="{kind}" size="{self.positive(1)}" fromto="{self.numbers(6)}" {weight}/>'
        return f'<geom type="{kind}" size="{self.positive(3)}" {self.pose()} {weight}/>'

    def joint(self):
        kind = self.pick("hinge", "hinge", "slide", "ball")
        more = self.pick("", 'class="stiff"', f'damping="{self.positive(1)}" armature=".1" frictionloss=".2"')
        if kind != "ball":
            more += f' axis="{self.numbers(3)}"' + self.pick("", f' ref="{self.numbers(1, 30)}"', ' range="-20 30" springref="7"')
        return f'<joint type="{kind}" pos="{self.numbers(3)}" {more}/>'

    def joints(self, top):
        if top and self.rng.random() < 0.3:
            return "<freejoint/>"
        joints = [self.joint() for _ in range(self.rng.integers(0, 4))]
        turns = [j for j in joints if 'type="ball"' in j]
        if turns:  # MuJoCo allows no rotation after a ball
            joints = [j for j in joints if 'type="slide"' in j] + turns[:1]
        return "".join(joints)

    def body(self, depth, top=False):
        inside = self.joints(top) + "".join(self.geom() for _ in range(self.rng.integers(1, 4)))
        if self.rng.random() < 0.3:
            inside += f'<inertial {self.pose()} mass="{self.positive(1)}" diaginertia=".1 .15 .2"/>'
        inside += f'<site name="s{self.rng.integers(1 << 60)}" {self.pose()}/>'
        children = "".join(self.body(depth - 1) for _ in range(self.rng.integers(0, 3) if depth else 0))
        if self.rng.random() < 0.4:
            children = f"<frame {self.pose()}>{children}</frame>"
        label = self.pick("", 'childclass="stiff"')
        return f"<body {self.pose()} {label}>{inside}{children}</body>"

    def text(self):
        letters = "".join(self.rng.choice(list("xyzXYZ"), 3))
        defaults = (
            '<default><default class="light"><geom density="10"/></default>'
            '<default class="stiff"><joint damping=".4"/></default></default>'
        )
        bodies = "".join(self.body(3, top=True) for _ in range(2))
        return model(bodies, f'<compiler eulerseq="{letters}" angle="{self.pick("degree", "radian")}"/>{defaults}')


@pytest.mark.parametrize("seed", range(40))
def test_random_models_agree_with_mujoco(seed):
    check(Random(seed).text(), seed)


# -- mass matrix and gravity: the whole of it put together -----------------------------------------------------------------


@pytest.mark.parametrize("name", ["several joints", "radians and eulerseq", "frames", "defaults"])
def test_potential_energy_agrees(name):
    text = MODELS[name].replace("<mujoco>", '<mujoco><option gravity="1 2 -3"><flag energy="enable" spring="disable"/></option>')
    m, ref = check(text)
    data = mujoco.MjData(ref)
    q = random_pose(m, np.random.default_rng(5))
    data.qpos[:] = to_mujoco(m, q)
    mujoco.mj_forward(ref, data)
    poses = world_poses(m, q)
    energy = -sum(b.mass * np.dot(m.gravity, (poses[b.name] @ [*map(float, b.center), 1])[:3]) for b in m.bodies)
    assert energy == pytest.approx(data.energy[0], rel=1e-9)
    assert m.gravity == (1, 2, -3)


# -- loops ---------------------------------------------------------------------------------------------------------------

TWO = (
    f'<body name="a" pos="0 0 1" euler="10 20 30"><joint axis="0 1 0" ref="20"/>{BALL}'
    f'<site name="p" pos=".1 .2 .3" euler="5 6 7"/>'
    f'<body name="b" pos=".5 0 0"><joint axis="0 1 0"/>{BALL}</body></body>'
    f'<body name="c" pos="1 1 0" quat="1 2 3 4"><freejoint/>{BALL}<site name="r" pos="0 0 .4"/></body>'
)


def test_connect_is_a_ball_loop():
    text = model(
        TWO,
        after='<equality><connect body1="b" anchor="0 0 .3"/><connect name="k" body1="b" body2="c" anchor="1 2 3"/></equality>',
    )
    m, ref = check(text)
    assert [(x.type, x.a, x.b) for x in m.loops] == [("ball", "b", "ground"), ("ball", "b", "c")]
    assert m.loops[1].name == "k"
    assert m.loops[0].name
    for i, loop in enumerate(m.loops):
        np.testing.assert_allclose(loop.a_placement.position, ref.eq_data[i, :3], atol=1e-12)
        np.testing.assert_allclose(loop.b_placement.position, ref.eq_data[i, 3:6], atol=1e-12)
    assert m.equations == 6


@pytest.mark.parametrize(
    "how",
    [
        "",
        'relpose="0 0 0 0 0 0 0"',
        'relpose="1 2 3 1 2 0 -1"',
        'anchor=".1 .2 .3"',
        'anchor=".1 .2 .3" relpose="1 2 3 1 2 0 -1"',
    ],
)
@pytest.mark.parametrize("other", ["", 'body2="c"'])
def test_weld_is_a_fixed_loop(how, other):
    text = model(TWO, after=f'<equality><weld body1="b" {other} {how}/></equality>')
    m, ref = check(text)
    (loop,) = m.loops
    assert (loop.type, loop.a, loop.b) == ("fixed", "b", "c" if other else "ground")
    np.testing.assert_allclose(np.array(loop.b_placement.position, float), ref.eq_data[0, :3], atol=1e-12)
    np.testing.assert_allclose(np.array(loop.a_placement.position, float), ref.eq_data[0, 3:6], atol=1e-12)
    w, *xyz = ref.eq_data[0, 6:10]
    np.testing.assert_allclose(np.array(loop.a_placement.rotation, float), Rotation.from_quat([*xyz, w]).as_matrix(), atol=1e-12)
    assert loop.b_placement.rotation == ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def test_loops_between_sites():
    text = model(TWO, after='<equality><weld site1="p" site2="r"/><connect site1="r" site2="p"/></equality>')
    m, _ = check(text)
    frames = {f.name: f for f in m.frames}
    assert [(x.type, x.a, x.b) for x in m.loops] == [("fixed", "a", "c"), ("ball", "c", "a")]
    assert m.loops[0].a_placement == frames["p"].placement
    assert m.loops[0].b_placement == frames["r"].placement


def test_welded_without_torque_is_a_ball():
    m = quiet(model(TWO, after='<equality><weld body1="b" torquescale="0"/></equality>'))
    assert m.loops[0].type == "ball"


def test_inactive_and_other_equalities_are_noted():
    defaults = '<default><equality active="false"/></default>'
    m = quiet(model(TWO, defaults, '<equality><connect body1="b" anchor="0 0 0"/></equality>'))
    assert not m.loops
    assert any("not active" in note for note in m.notes)
    two = f'<body><joint name="x"/>{BALL}</body><body><joint name="y"/>{BALL}</body>'
    with pytest.warns(ReaderWarning, match="equality.*joint.*gear") as caught:
        m = mjcf.read_text(model(two, after='<equality><joint name="gear" joint1="x" joint2="y"/></equality>'))
    assert not m.loops
    assert caught[0].filename == __file__


# -- poses ---------------------------------------------------------------------------------------------------------------


def test_keyframes_in_our_order():
    body = (
        f'<body name="a" pos="0 0 1"><joint name="h" ref="30"/>{BALL}</body>'
        f'<body name="b" pos="1 2 3" quat="1 1 0 0"><freejoint name="f"/>{BALL}<body><joint type="ball"/>{BALL}</body></body>'
    )
    keys = '<keyframe><key name="k" qpos=".5  7 8 9  0 2 0 0  0 0 3 0"/><key/></keyframe>'
    m, ref = check(model(body, after=keys))
    assert m.poses["k"] == pytest.approx((0.5, 0, 1, 0, 0, 7, 8, 9, 0, 0, 1, 0))
    np.testing.assert_allclose(to_mujoco(m, m.poses["k"]), ref.key_qpos[0], atol=1e-15)
    np.testing.assert_allclose(to_mujoco(m, m.poses["key1"]), ref.key_qpos[1], atol=1e-15)
    assert m.initial.q == pytest.approx(m.poses["key1"])


# -- what is not carried --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "before", "after", "says"),
    [
        (f'<body name="x" gravcomp="1"><joint/>{BALL}</body>', "", "", "gravcomp.*x"),
        (f'<body><joint name="x" damping="1 2"/>{BALL}</body>', "", "", "nonlinear damping.*x"),
        (f'<body><joint name="x" stiffness="1 0 2"/>{BALL}</body>', "", "", "nonlinear stiffness.*x"),
        (f'<body><joint name="x" springdamper="1 1"/>{BALL}</body>', "", "", "springdamper.*x"),
        (f'<body><joint name="x" type="ball" stiffness="1"/>{BALL}</body>', "", "", "stiffness of a ball.*x"),
        (
            f'<body><joint name="x" type="free"/>{BALL}</body>',
            '<default><joint armature="1"/></default>',
            "",
            "armature of a free.*x",
        ),
        (f"<body><joint/>{BALL}</body>", '<option viscosity="1"/>', "", "viscosity"),
        (f"<body><joint/>{BALL}</body>", '<option><flag equality="disable"/></option>', "", "flag.*equality"),
        (
            f'<body><joint name="j"/>{BALL}</body>',
            "",
            '<actuator><motor joint="j" armature=".1"/></actuator>',
            "actuator.*armature",
        ),
        (
            f'<body><joint name="j"/>{BALL}</body>',
            "",
            '<tendon><fixed name="x" stiffness="1"><joint joint="j" coef="1"/></fixed></tendon>',
            "tendon.*x.*spring",
        ),
    ],
)
def test_what_changes_the_dynamics_warns(body, before, after, says):
    text = model(body, before, after)
    mujoco.MjModel.from_xml_string(text)  # it is a model
    with pytest.warns(ReaderWarning, match=says):
        m = mjcf.read_text(text)
    assert any(says.split(".*")[0] in note for note in m.notes)


def test_the_rest_is_noted_without_a_warning():
    text = model(
        f'<geom type="plane" size="1 1 1"/><body mocap="true" name="mo">{BALL}</body>'
        f'<body name="b"><joint name="j"/>{BALL}<site/>'
        "<camera/><light/></body>",
        after='<actuator><motor joint="j" name="m1"/><motor joint="j"/></actuator><sensor><jointpos joint="j"/></sensor>'
        '<contact><exclude body1="b" body2="mo"/></contact><tendon><fixed><joint joint="j" coef="1"/></fixed></tendon>',
    )
    mujoco.MjModel.from_xml_string(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m = mjcf.read_text(text)
    for what in (
        "actuator> (2: m1)",
        "sensor> (1)",
        "contact> (1)",
        "tendon> (1)",
        "mocap body (1: mo)",
        "geom> of the world (1)",
    ):
        assert sum(what in note for note in m.notes) == 1, (what, m.notes)


def test_an_impossible_inertia_is_kept_and_warned_of():
    text = model('<body name="odd"><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/></body>')
    with pytest.warns(ReaderWarning, match="odd"):
        m = mjcf.read_text(text)
    assert m.bodies[0].effective
    assert m.bodies[0].inertia == (1, 0, 0, 1, 0, 3)


@pytest.mark.parametrize(
    "inside",
    [
        "",
        '<geom size=".1" mass="0"/>',
        '<body name="fixed"><site name="s"/></body>',
        f'<body name="below"><joint/>{BALL}</body>',
        '<joint axis="1 0 0"/>',
    ],
)
def test_a_moving_body_without_mass_is_warned_of(inside):
    text = model(f'<body name="bare"><joint/>{inside}</body>')
    with pytest.raises(ValueError, match="mass and inertia of moving bodies"):
        mujoco.MjModel.from_xml_string(text)
    with pytest.warns(ReaderWarning, match=r"moving body without mass \(1: bare\): its mass is 0") as caught:
        m = mjcf.read_text(text)
    assert len(caught) == 1
    assert m.body("bare").mass == 0
    assert any("moving body without mass (1: bare)" in note for note in m.notes)


@pytest.mark.parametrize(
    "text",
    [
        model(f'<body name="bare"><joint/><body>{BALL}</body></body>'),  # its mass is in what is fixed to it
        model(f'<body><joint/>{BALL}<body name="bare"/></body>'),
        model(f'<body><joint/><joint axis="1 0 0"/>{BALL}</body>'),
        model(f'<body name="bare"/><body><joint/>{BALL}</body>'),
        model('<body name="bare"><joint/></body>', '<compiler boundmass=".1" boundinertia=".1"/>'),
    ],
)
def test_bodies_without_mass_that_are_no_mistake(text):
    known = mujoco.MjModel.from_xml_string(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mjcf.read_text(text).nv == known.nv


def test_gravity():
    body = f"<body><joint/>{BALL}</body>"
    assert quiet(model(body)).gravity == (0, 0, -9.81)
    assert quiet(model(body, '<option gravity="0 0 -1.6"/>')).gravity == (0, 0, -1.6)
    assert quiet(model(body, '<option><flag gravity="disable"/></option>')).gravity == (0, 0, 0)


def test_visuals():
    text = model(
        '<body><joint/><geom type="box" size=".1 .2 .3" material="red" pos="0 0 1"/>'
        '<geom type="capsule" size=".1 .5" rgba="0 1 0 1"/>'
        '<geom type="mesh" mesh="part" mass="0"/><geom size="1" group="3"/></body>',
        '<compiler meshdir="meshes"/>'
        '<asset><mesh file="sub/part.stl" scale="2 2 2"/><material name="red" rgba="1 0 0 1"/></asset>',
    )
    box, capsule, mesh = quiet(text).bodies[0].visuals
    assert (box.kind, box.size, box.color, box.placement.position) == ("box", (0.2, 0.4, 0.6), (1, 0, 0, 1), (0, 0, 1))
    assert (capsule.kind, capsule.size, capsule.color) == ("capsule", (0.1, 1.0), (0, 1, 0, 1))
    assert (mesh.kind, mesh.size, mesh.file) == ("mesh", (2, 2, 2), "meshes/sub/part.stl")


# -- several joints on a body ----------------------------------------------------------------------------------------------


def test_joints_of_one_body_are_a_chain_of_massless_bodies():
    m = quiet(MODELS["several joints"])
    assert [(j.name, j.parent, j.child) for j in m.joints] == [
        ("h1", "ground", "a__h1"),
        ("s", "a__h1", "a__s"),
        ("h2", "a__s", "a"),
    ]
    assert [b.mass for b in m.bodies[:2]] == [0, 0]


def test_ten_thousand_nested_bodies():
    n = 10_000
    m = quiet(model('<body pos="0 0 1"><joint axis="0 1 0"/><geom size=".1"/>' * n + "</body>" * n))
    assert m.nv == n
    m = quiet(model('<frame pos="0 0 1">' * n + f'<body name="b"><joint/>{BALL}</body>' + "</frame>" * n))
    assert m.joints[0].placement.position == (0, 0, n)
    classes = "".join(f'<default class="c{i}"><joint damping="{i}"/>' for i in range(n))
    m = quiet(model(f'<body><joint class="c{n - 1}"/>{BALL}</body>', f"<default>{classes}{'</default>' * (n + 1)}"))
    assert m.joints[0].friction.viscous == n - 1


# -- include -----------------------------------------------------------------------------------------------------------------


def test_include(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "defaults.xml").write_text('<mujocoinclude><default><joint damping="3"/></default></mujocoinclude>')
    (tmp_path / "arm.xml").write_text(
        f'<mujoco><body name="arm"><joint name="j"/>{BALL}<include file="hand.xml"/></body></mujoco>'
    )
    (tmp_path / "hand.xml").write_text(f'<mujoco><body name="hand"><joint name="k"/>{BALL}</body><body name="other"/></mujoco>')
    main = tmp_path / "main.xml"
    main.write_text('<mujoco><include file="parts/defaults.xml"/><worldbody><include file="arm.xml"/></worldbody></mujoco>')
    m = mjcf.read(main)
    ref = mujoco.MjModel.from_xml_path(str(main))
    assert [b.name for b in m.bodies] == [ref.body(i).name for i in range(1, ref.nbody)]
    assert [j.friction.viscous for j in m.joints if j.kind.nv] == list(ref.dof_damping)


@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("main.xml", "second time"),
        ("loop.xml", "second time"),
        ("/etc/hostname", "not a relative path"),
        ("C:/x.xml", "not a relative path"),
        ("~/x.xml", "not a relative path"),
        ("http://localhost/x.xml", "not a relative path"),
        ("../outside.xml", "outside the model's directory"),
        ("a/../../outside.xml", "outside the model's directory"),
        ("none.xml", "none.xml: cannot be read"),
        ("bad.xml", r"bad.xml:2: not XML"),
        ("", "file is empty"),
    ],
)
def test_includes_that_are_refused(tmp_path, file, says):
    (tmp_path / "outside.xml").write_text("<mujoco><body/></mujoco>")
    inside = tmp_path / "model"
    inside.mkdir()
    (inside / "loop.xml").write_text('<mujoco><include file="loop.xml"/></mujoco>')
    (inside / "bad.xml").write_text("<mujoco>\n<body></mujoco>")
    main = inside / "main.xml"
    main.write_text(f'<mujoco><worldbody>\n<include file="{file}"/></worldbody></mujoco>')
    with pytest.raises(DescriptionError, match=says) as error:
        mjcf.read(main)
    assert f":{1 if file == 'loop.xml' else 2}: <include>" in str(error.value)


def test_a_text_includes_nothing():
    with pytest.raises(DescriptionError, match="without a directory"):
        quiet(model('<include file="a.xml"/>'))


# -- bad input ---------------------------------------------------------------------------------------------------------------


def one(inside, how="", before="", after=""):
    return model(f'\n<body name="b" {how}>\n{inside}</body>', before, after)


BAD = {
    "urdf": ("<robot/>", 1, "this is URDF"),
    "other": ("<html/>", 1, "starts with <mujoco>"),
    "section": ("<mujoco>\n<worldbdy/></mujoco>", 2, "Did you mean 'worldbody'"),
    "no body": ("<mujoco/>", 1, "has no body"),
    "element": (one("<jiont/>"), 3, "Did you mean 'joint'"),
    "attribute": (one('<joint dampng="1"/>'), 3, "no attribute 'dampng'. Did you mean 'damping'"),
    "default attribute": (one("", before='<default><geom sice="1"/></default>'), 1, "Did you mean 'size'"),
    "type": (one('<joint type="hing"/>'), 3, "Did you mean 'hinge'"),
    "geom type": (one('<geom type="ball" size="1"/>'), 3, "no choice 'ball'"),
    "class": (one('<joint class="nope"/>'), 3, "no default class 'nope'"),
    "childclass": (one("", 'childclass="nope"'), 2, "no default class 'nope'"),
    "class twice": (one("", before='<default><default class="a"/><default class="a"/></default>'), 1, "already there"),
    "class without name": (one("", before="<default><default/></default>"), 1, "needs the attribute 'class'"),
    "pos": (one("", 'pos="0 0"'), 2, "pos needs 3 numbers, got '0 0'"),
    "nan": (one("", 'pos="0 0 nan"'), 2, "finite"),
    "two orientations": (one("", 'quat="1 0 0 0" euler="0 0 0"'), 2, "quat and euler"),
    "quat zero": (one("", 'quat="0 0 0 0"'), 2, "length 0"),
    "zaxis zero": (one("", 'zaxis="0 0 0"'), 2, "no direction"),
    "xyaxes parallel": (one("", 'xyaxes="1 0 0 2 0 0"'), 2, "no direction"),
    "axis zero": (one('<joint axis="0 0 0"/>'), 3, "direction"),
    "eulerseq": (one("", before='<compiler eulerseq="xyw"/>'), 1, "eulerseq is 'xyw'"),
    "angle": (one("", before='<compiler angle="grad"/>'), 1, "angle: there is no choice 'grad'"),
    "global": (one("", before='<compiler coordinate="global"/>'), 1, "global"),
    "range": (one('<joint range="2 1" limited="true"/>'), 3, "first less than the second"),
    "no autolimits": (one('<joint range="1 2"/>', before='<compiler autolimits="false"/>'), 3, 'limited="true"'),
    "damping": (one('<joint damping="-1"/>'), 3, "cannot be negative"),
    "armature": (one('<joint armature="-1"/>'), 3, "cannot be negative"),
    "mass": (one('<inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/>'), 3, "cannot be negative"),
    "no pos": (one('<inertial mass="1" diaginertia="1 1 1"/>'), 3, "needs the attribute 'pos'"),
    "no mass": (one('<inertial pos="0 0 0" diaginertia="1 1 1"/>'), 3, "needs the attribute 'mass'"),
    "two inertials": (one('<inertial pos="0 0 0" mass="1"/>' * 2), 3, "second inertial"),
    "full and quat": (one('<inertial pos="0 0 0" mass="1" quat="1 0 0 0" fullinertia="1 1 1 0 0 0"/>'), 3, "fullinertia alone"),
    "size missing": (one("<joint/><geom/>"), 3, "a sphere needs 1 numbers in size"),
    "size few": (one('<joint/><geom type="box" size="1 1"/>'), 3, "a box needs 3 numbers"),
    "size negative": (one('<joint/><geom size="-1"/>'), 3, "positive"),
    "fromto sphere": (one('<geom size="1" fromto="0 0 0 0 0 1"/>'), 3, "not a sphere"),
    "fromto point": (one('<geom type="capsule" size="1" fromto="0 0 1 0 0 1"/>'), 3, "must differ"),
    "fromto and pos": (one('<geom type="capsule" size="1" pos="1 1 1" fromto="0 0 0 0 0 1"/>'), 3, "fromto and a pose"),
    "mesh": (one('<joint/><geom type="mesh" mesh="m"/>'), 3, "would come from a mesh.*<inertial>"),
    "mesh fitted": (one('<joint/><geom type="box" mesh="m"/>'), 3, "would come from a mesh"),
    "shell": (one('<joint/><geom size="1" shellinertia="true"/>'), 3, "shellinertia"),
    "density": (one('<joint/><geom size="1" density="-1"/>'), 3, "cannot be negative"),
    "same body": (model('\n<body name="b"/>\n<body name="b"/>'), 3, "already in line 2"),
    "same body, same line": (model('\n<body name="b"/><body name="b"/>'), 2, "already in line 2"),
    "same joint": (one('<joint name="j"/><joint name="j"/>'), 3, "already in line 3"),
    "same site": (one('<site name="j"/><site name="j"/>'), 3, "already in line 3"),
    "world": (model('\n<body name="world"/>'), 2, "cannot be called 'world'"),
    "world joint": (model("<joint/>"), 1, "the worldbody is fixed"),
    "free below": (one("<body><freejoint/></body>"), 3, "not a child of the worldbody"),
    "free and more": (one("<freejoint/><joint/>"), 2, "only joint"),
    "composite": (one('<composite type="cable"/>'), 3, "<composite> is not supported"),
    "flexcomp": (one("<flexcomp/>"), 3, "<flexcomp> is not supported"),
    "replicate": (one('<replicate count="2"/>'), 3, "<replicate> is not supported"),
    "attach": (one('<attach model="m" prefix="p"/>'), 3, "<attach> is not supported"),
    "flex": (one("", after="<deformable>\n<flex/></deformable>"), 4, "<flex> is not supported"),
    "scaled frame": (one('<frame scale="2"/>'), 3, "scales its contents"),
    "equality body": (one("", after='<equality><connect body1="c" anchor="0 0 0"/></equality>'), 3, "no body 'c'"),
    "equality site": (one("", after='<equality><weld site1="c" site2="d"/></equality>'), 3, "no site 'c'"),
    "one site": (one('<site name="c"/>', after='<equality><weld site1="c"/></equality>'), 3, "needs the attribute 'site2'"),
    "no anchor": (one("", after='<equality><connect body1="b"/></equality>'), 3, "needs the attribute 'anchor'"),
    "equality": (one("", after="<equality><conect/></equality>"), 3, "Did you mean 'connect'"),
    "key": (one("<joint/>", after='<keyframe><key qpos="1 2"/></keyframe>'), 3, "qpos needs 1 number, got '1 2'"),
    "key quaternion": (one("<freejoint/>", after='<keyframe><key qpos="0 0 0 0 0 0 0"/></keyframe>'), 3, "length 0"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_where_and_what(case):
    text, line, says = BAD[case]
    with pytest.raises(DescriptionError, match=says) as error:
        quiet(text)
    assert str(error.value).startswith(f"m.xml:{line}: <"), error.value


def test_meshes_without_mass_do_no_harm():
    text = model(
        '<body><joint/><geom size=".1"/><geom type="mesh" mesh="m" group="2"/></body>', '<compiler inertiagrouprange="0 1"/>'
    )
    assert quiet(text).bodies[0].mass == pytest.approx(1000 * 4 / 3 * math.pi * 1e-3)
    text = model('<body><geom type="mesh" mesh="m"/></body>')  # fixed: its mass does not matter
    assert quiet(text).bodies[0].mass == 0
    text = model('<body><joint/><geom type="mesh" mesh="m"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>')
    assert quiet(text).bodies[0].mass == 1


def test_files(tmp_path):
    file = tmp_path / "m.xml"
    file.write_text(MODELS["pendulum"])
    m = mjcf.read(file)
    assert m.nv == 1
    assert m.file == str(file)
    with pytest.raises(DescriptionError, match="cannot be read"):
        mjcf.read(tmp_path / "none.xml")
