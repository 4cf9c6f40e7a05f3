"""MJCF against MuJoCo: written models, random ones, and the mass matrix of the whole."""

import numpy as np
import pytest
from tests.description.mjcf_models import (  # noqa: F401
    BALL,
    MODELS,
    check,
    model,
    mujoco,
    no_log,
    quiet,
    random_pose,
    to_mujoco,
    world_poses,
)

# -- written models ------------------------------------------------------------------------------------------------------


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


# -- poses ---------------------------------------------------------------------------------------------------------------


def test_a_key_without_a_rotation():
    text = model(f"<body><freejoint/>{BALL}</body>", after='<keyframe><key name="k" qpos="1 2 3 0 0 0 0"/></keyframe>')
    m, ref = check(text)
    assert m.poses["k"] == (1, 0, 0, 0, 1, 2, 3)
    np.testing.assert_array_equal(to_mujoco(m, m.poses["k"]), ref.key_qpos[0])
    assert any("quaternion of length 0" in note for note in m.notes)


def test_a_ball_joint_takes_the_limits_of_its_class():
    default = '<default><joint limited="true"/></default>'
    m, _ = check(model(f'<body><joint type="ball"/>{BALL}</body>', before=default))
    assert any("range of a ball joint" in note for note in m.notes)


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


# -- several joints on a body ----------------------------------------------------------------------------------------------


def test_joints_of_one_body_are_a_chain_of_massless_bodies():
    m = quiet(MODELS["several joints"])
    assert [(j.name, j.parent, j.child) for j in m.joints] == [
        ("h1", "ground", "a__h1"),
        ("s", "a__h1", "a__s"),
        ("h2", "a__s", "a"),
    ]
    assert [b.mass for b in m.bodies[:2]] == [0, 0]


@pytest.mark.slow
def test_ten_thousand_nested_bodies():
    n = 10_000
    m = quiet(model('<body pos="0 0 1"><joint axis="0 1 0"/><geom size=".1"/>' * n + "</body>" * n))
    assert m.nv == n
    m = quiet(model('<frame pos="0 0 1">' * n + f'<body name="b"><joint/>{BALL}</body>' + "</frame>" * n))
    assert m.joints[0].placement.position == (0, 0, n)
    classes = "".join(f'<default class="c{i}"><joint damping="{i}"/>' for i in range(n))
    m = quiet(model(f'<body><joint class="c{n - 1}"/>{BALL}</body>', f"<default>{classes}{'</default>' * (n + 1)}"))
    assert m.joints[0].friction.viscous == n - 1
