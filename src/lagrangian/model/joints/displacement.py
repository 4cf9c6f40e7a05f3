"""Where a joint puts its child: the product of its steps, over any scalar or over arrays of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar, functions
from lagrangian.model.joints.joint_type import JointStep
from lagrangian.model.placement import rotation_z_to

if TYPE_CHECKING:
    from lagrangian.model.joint import Joint


class NumericState:
    """The coordinates of one step in numbers: each an array with one number for each of many configurations."""

    def __init__(self, q: tuple[Any, ...], type_constant: float) -> None:
        self.q, self.type_constant = q, type_constant
        self.qd: tuple[Any, ...] = ()
        self.c: Any = np.cos(q[0]) if q else 1.0
        self.s: Any = np.sin(q[0]) if q else 0.0

    def function(self, expression: Scalar) -> Any:
        values = [functions.evaluate_univariate(expression, float(x)) for x in np.ravel(self.q[0])]
        return np.array(values, dtype=float).reshape(np.shape(self.q[0]))


def step_frames(joint: Joint, q: np.ndarray) -> list[tuple[JointStep, np.ndarray, np.ndarray]]:
    """The frames before and behind each step of a joint at configurations q (rows, nq).

    They are homogeneous matrices (rows, 4, 4) in the joint's frame on the parent.
    """
    frames = []
    before = np.tile(np.eye(4), (len(q), 1, 1))
    start = 0
    for step in joint.kind.steps(joint):
        columns = tuple(q[:, start + k] for k in range(step.kind.nq))
        state = NumericState(columns, float(joint.kind.type_constant(joint)))
        alignment = np.array(rotation_z_to(step.axis), dtype=float) if step.kind.nq == 1 else np.eye(3)
        transform = np.tile(np.eye(4), (len(q), 1, 1))
        transform[:, :3, :3] = alignment @ _stack_rows(step.kind.rotation(state).matrix(), len(q)) @ alignment.T
        transform[:, :3, 3] = _stack_columns(step.kind.translation(state), len(q)) @ alignment.T
        after = before @ transform
        frames.append((step, before, after))
        before, start = after, start + step.kind.nq
    return frames


def displacement(joint: Joint, q: np.ndarray) -> np.ndarray:
    """The joint's frame on the child in its frame on the parent, as homogeneous matrices (rows, 4, 4), at q (rows, nq)."""
    frames = step_frames(joint, q)
    return frames[-1][2] if frames else np.tile(np.eye(4), (len(q), 1, 1))


def _stack_rows(R: v.Matrix, rows: int) -> np.ndarray:
    return np.stack([_stack_columns(row, rows) for row in R], axis=1)


def _stack_columns(x: Sequence[Any], rows: int) -> np.ndarray:
    return np.stack([np.broadcast_to(np.asarray(c, dtype=float), (rows,)) for c in x], axis=-1)
