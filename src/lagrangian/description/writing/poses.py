"""Where the bodies are, in numbers; and which equations of a loop hold in all positions, so that they need not be written."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lagrangian.model.joint import Joint
from lagrangian.model.joints.displacement import displacement
from lagrangian.model.loop import LoopJoint
from lagrangian.model.loops.numeric import closure
from lagrangian.model.mechanism import GROUND, Mechanism

Numbers = Sequence[float] | np.ndarray
_SAMPLES = 3
_ZERO = 1e-9  # m
APART = 0.1  # m: between the two points that hold an axis


def slices(m: Mechanism) -> dict[str, slice]:
    """Where the coordinates of each joint are in q."""
    found, at = {}, 0
    for joint in m.joints:
        found[joint.name] = slice(at, at + joint.kind.nq)
        at += joint.kind.nq
    return found


def shift(joint: Joint, q: Numbers) -> np.ndarray:
    """The joint's frame on the child in its frame on the parent, at its coordinates."""
    return displacement(joint, np.array([q], dtype=float).reshape(1, joint.kind.nq))[0]


def poses(m: Mechanism, q: Numbers) -> dict[str, np.ndarray]:
    """The bodies in the world, as homogeneous matrices."""
    found = {GROUND: np.eye(4)}
    own = slices(m)
    for joint in m.outward():
        there = joint.placement.matrix() @ shift(joint, q[own[joint.name]]) @ joint.child_placement.inverse().matrix()
        found[joint.child] = found[joint.parent] @ there
    return found


def _samples(m: Mechanism) -> list[dict[str, np.ndarray]]:
    """Poses of the open tree at some positions, within a turn and a metre whatever the limits."""
    rng = np.random.default_rng(7)
    found = []
    for _ in range(_SAMPLES):
        q = np.concatenate([np.zeros(0), *(_any(joint, rng) for joint in m.joints)])
        found.append(poses(m, q))
    return found


def _any(joint: Joint, rng: np.random.Generator) -> np.ndarray:
    if joint.kind.quaternion:
        return np.array(joint.kind.random(joint, rng))
    return rng.uniform(-1.0, 1.0, joint.kind.nq)


class Loops:
    """The loops of one mechanism, looked at in some positions of its open tree."""

    def __init__(self, m: Mechanism) -> None:
        self._at = _samples(m) if m.loops else []

    def kind(self, loop: LoopJoint) -> str:
        """The type of a loop as a format may have it: a `point` that holds all it could is a ball."""
        held = loop.type == "point" and (len(loop.directions) == 3 or self.in_plane(loop))
        return "ball" if held else loop.type

    def in_plane(self, loop: LoopJoint) -> bool:
        """Whether the origins of its frames cannot part along the directions that a `point` does not hold."""
        free = [k for k in range(3) if "xyz"[k] not in loop.directions]
        for at in self._at:
            A, B = at[loop.a] @ loop.a_placement.matrix(), at[loop.b] @ loop.b_placement.matrix()
            apart = A[:3, :3].T @ (A[:3, 3] - B[:3, 3])
            if any(abs(apart[k]) > _ZERO for k in free):
                return False
        return True

    def parallel(self, loop: LoopJoint) -> bool:
        """Whether the axes of a revolute loop are parallel in all positions."""
        return all(max(map(abs, closure(loop, at[loop.a], at[loop.b])[3:])) < _ZERO for at in self._at)


def open_by(m: Mechanism, q: Numbers) -> float:
    """How far the loops are from closed at q."""
    at = poses(m, q)
    return max((abs(x) for loop in m.loops for x in closure(loop, at[loop.a], at[loop.b])), default=0.0)
