"""Where a joint puts its child: the product of its steps, over any scalar or over arrays of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar, functions
from lagrangian.model.joints.joint_type import Step
from lagrangian.model.placement import turn_z_to

if TYPE_CHECKING:
    from lagrangian.model.joint import Joint


class NumericState:
    """The coordinates of one step in numbers: each an array with one number for each of many configurations."""

    def __init__(self, q: tuple[Any, ...], own: float) -> None:
        self.q, self.own = q, own
        self.qd: tuple[Any, ...] = ()
        self.c: Any = np.cos(q[0]) if q else 1.0
        self.s: Any = np.sin(q[0]) if q else 0.0

    def function(self, expression: Scalar) -> Any:
        one = [functions.of_one(expression, float(x)) for x in np.ravel(self.q[0])]
        return np.array(one, dtype=float).reshape(np.shape(self.q[0]))


def step_frames(joint: Joint, q: np.ndarray) -> list[tuple[Step, np.ndarray, np.ndarray]]:
    """For each step of a joint at configurations q (rows, nq): the frames before and behind it, in the joint's frame on the
    parent, as homogeneous matrices (rows, 4, 4).
    """
    found = []
    before = np.tile(np.eye(4), (len(q), 1, 1))
    at = 0
    for step in joint.kind.steps(joint):
        columns = tuple(q[:, at + k] for k in range(step.kind.nq))
        state = NumericState(columns, float(joint.kind.own(joint)))
        along = np.array(turn_z_to(step.axis), dtype=float) if step.kind.nq == 1 else np.eye(3)
        moved = np.tile(np.eye(4), (len(q), 1, 1))
        moved[:, :3, :3] = along @ _stacked(step.kind.turn(state).matrix(), len(q)) @ along.T
        moved[:, :3, 3] = _columns(step.kind.shift(state), len(q)) @ along.T
        behind = before @ moved
        found.append((step, before, behind))
        before, at = behind, at + step.kind.nq
    return found


def displacement(joint: Joint, q: np.ndarray) -> np.ndarray:
    """The joint's frame on the child in its frame on the parent, as homogeneous matrices (rows, 4, 4), at q (rows, nq)."""
    frames = step_frames(joint, q)
    return frames[-1][2] if frames else np.tile(np.eye(4), (len(q), 1, 1))


def _stacked(R: v.Matrix, rows: int) -> np.ndarray:
    return np.stack([_columns(row, rows) for row in R], axis=1)


def _columns(x: Sequence[Any], rows: int) -> np.ndarray:
    return np.stack([np.broadcast_to(np.asarray(c, dtype=float), (rows,)) for c in x], axis=-1)
