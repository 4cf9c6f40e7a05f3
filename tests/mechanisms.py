"""Random mechanisms and motions for tests."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import strategies as st

import lagrangian as lg
from lagrangian.model import joints as joint_types
from lagrangian.model.joints import TYPES
from lagrangian.model.joints.joint_type import JointType
from lagrangian.model.loops import TYPES as LOOP_TYPES
from lagrangian.model.loops.loop_type import LoopType
from lagrangian.model.rotation import quaternion

MOVING = [t for t in TYPES if t != "fixed"]

# the library as far as it has closed forms, which what rolls on bodies has not; long chains of it for the longer checks
ROLLING = ("bicycle", "rolling_disc")
LONG = ("andrews_squeezer", "chain", "jansen", "peaucellier", "snake_chain")
DERIVED = [name for name in lg.library() if name not in ROLLING]
MARKED = [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in DERIVED]


def random_body(rng: np.random.Generator, name: str) -> lg.Body:
    """A real body: its inertia comes from a positive definite matrix of second moments."""
    A = rng.normal(size=(3, 3)) * 0.2
    second = A @ A.T + 0.005 * np.eye(3)
    inertia = np.trace(second) * np.eye(3) - second
    return lg.Body(name, 0.5 + rng.random(), tuple(rng.normal(size=3) * 0.2), tuple(inertia[np.triu_indices(3)]))


def random_placement(rng: np.random.Generator) -> lg.Transform:
    return lg.Transform.from_quaternion(rng.normal(size=3) * 0.3, rng.normal(size=4))


def own_entries(kind: JointType | LoopType, axis: np.ndarray, other: np.ndarray, **more: object) -> dict[str, object]:
    """Entries of a joint's or loop's own type: its axes, pitch, advance, length."""
    axis2 = np.cross(axis, other)
    values = {
        "axis": tuple(axis),
        "axis2": tuple(axis2),
        "axis3": tuple(np.cross(axis2, other)),
        "pitch": 0.3,
        "advance": "0.2*sin(angle) + 0.05*angle^2",
        "length": 0.7,
        **more,
    }
    return {entry.name: values[entry.name] for entry in kind.entries if entry.name in values}


def random_mechanism(types: list[str], seed: int, *, chain: bool = False, passive: bool = False) -> lg.Mechanism:
    """A tree (or chain) with the given joints; `passive` adds rotors, friction, springs at joints and between points."""
    rng = np.random.default_rng(seed)
    bodies, joints = [], []
    for i, kind in enumerate(types):
        bodies.append(random_body(rng, f"b{i}"))
        parent = -1 if i == 0 else i - 1 if chain else int(rng.integers(-1, i))
        axis = rng.normal(size=3)
        extra = {}
        if passive:
            refused = joint_types.TYPES[kind].refuses
            extra["rotor"] = lg.Rotor(rng.random() * 0.01, rng.normal() * 5 + 10)
            extra["friction"] = lg.Friction(*rng.random(3))
            if "spring" not in refused:
                rest = 0.0 if joint_types.TYPES[kind].quaternion else rng.normal()
                extra["spring"] = lg.JointSpring(rng.random() * 5, rest)
            extra = {key: value for key, value in extra.items() if key not in refused}
        joints.append(
            lg.Joint(
                f"j{i}",
                kind,
                f"b{parent}" if parent >= 0 else "ground",
                f"b{i}",
                random_placement(rng),
                random_placement(rng),
                **own_entries(joint_types.TYPES[kind], axis, rng.normal(size=3)),
                **extra,
            )
        )
    springs = []
    if passive:
        points = [tuple(rng.normal(size=3)) for _ in range(2)]
        springs = [lg.PointSpring("stay", "ground", f"b{len(types) - 1}", *points, stiffness=7.0, rest=0.4, damping=0.8)]
    return lg.Mechanism("random", bodies, joints, springs=springs, gravity=tuple(rng.normal(size=3) * 9))


def two_chains(first: list[str], second: list[str], kind: str, seed: int = 0, **more: object) -> lg.Mechanism:
    """Two random chains of joints from the ground, closed by a loop joint of the given type between their ends."""
    one = random_mechanism(first, seed, chain=True)
    other = random_mechanism(second, seed + 1, chain=True)
    bodies = [*one.bodies, *(replace(b, name=f"c{k}") for k, b in enumerate(other.bodies))]
    joints = list(one.joints)
    for k, joint in enumerate(other.joints):
        joints.append(replace(joint, name=f"k{k}", parent=f"c{k - 1}" if k else "ground", child=f"c{k}"))
    rng = np.random.default_rng(seed)
    loop = random_loop(rng, "close", kind, one.bodies[-1].name, bodies[-1].name, **more)
    return lg.Mechanism("two_chains", bodies, joints, [loop], gravity=one.gravity)


def random_loop(rng: np.random.Generator, name: str, kind: str, a: str, b: str, **more: object) -> lg.LoopJoint:
    axis = rng.normal(size=3)
    return lg.LoopJoint(
        name,
        kind,
        a,
        b,
        random_placement(rng),
        random_placement(rng),
        **own_entries(LOOP_TYPES[kind], axis, rng.normal(size=3), **more),
    )


def state(mechanism: lg.Mechanism, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Random q, qd, qdd, tau."""
    rng = np.random.default_rng(seed)
    return (mechanism.random_configuration(rng), *(rng.normal(size=mechanism.nv) for _ in range(3)))


def advance(mechanism: lg.Mechanism, q: np.ndarray, qd: np.ndarray, h: float) -> np.ndarray:
    """q after moving at speeds qd for a time h, to first order in translations and exactly in rotations."""
    q = q.copy()
    iq = iv = 0
    for joint in mechanism.joints:
        nq, nv = joint.kind.nq, joint.kind.nv
        if joint.type in ("ball", "free"):
            turn = qd[iv : iv + 3] * h
            if joint.type == "free":
                R = quaternion.matrix(q[iq : iq + 4])
                q[iq + 4 : iq + 7] += h * R @ qd[iv + 3 : iv + 6]
            angle = np.linalg.norm(turn)
            half = np.concatenate([[np.cos(angle / 2)], 0.5 * np.sinc(angle / 2 / np.pi) * turn])
            a, b = q[iq : iq + 4], half
            q[iq : iq + 4] = [
                a[0] * b[0] - a[1:] @ b[1:],
                *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])),
            ]
        else:
            q[iq : iq + nq] += h * qd[iv : iv + nv]
        iq, iv = iq + nq, iv + nv
    return q


joint_lists = st.lists(st.sampled_from(list(TYPES)), min_size=1, max_size=6).filter(
    lambda types: any(t != "fixed" for t in types)
)
seeds = st.integers(0, 2**31)
