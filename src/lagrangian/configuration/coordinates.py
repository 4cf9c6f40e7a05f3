"""Coordinates of a configuration: where they stand in q, how speeds move them, and when two configurations are one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lagrangian.model import quaternion
from lagrangian.model.mechanism import Mechanism

if TYPE_CHECKING:
    from lagrangian.kernels.dynamics import Dynamics

SAME = 1e-6  # rad or m: configurations that are nearer to each other are one
CLOSED = 1e-9  # what loops may miss by after angles were turned back


def single_coordinates(mechanism: Mechanism) -> dict[str, tuple[int, int]]:
    """The coordinates that have a speed of their own, with their places in q and in qd; those of quaternions have none."""
    found: dict[str, tuple[int, int]] = {}
    iq = iv = 0
    for joint in mechanism.joints:
        if joint.kind.nq == joint.kind.nv:
            found |= {name: (iq + k, iv + k) for k, name in enumerate(joint.coordinate_names)}
        iq, iv = iq + joint.kind.nq, iv + joint.kind.nv
    return found


def periodic_coordinates(mechanism: Mechanism) -> list[int]:
    """The places in q of the angles after a whole turn of which a joint is where it was; a screw has moved on by then."""
    found, iq = [], 0
    for joint in mechanism.joints:
        if joint.kind.nq == joint.kind.nv and float(joint.pitch) == 0:
            found += [iq + k for k, slides in enumerate(joint.slides) if not slides]
        iq += joint.kind.nq
    return found


def moved(mechanism: Mechanism, q: np.ndarray, step: np.ndarray) -> np.ndarray:
    """q moved along speeds for a unit of time, one configuration or many; quaternions keep the length one."""
    shape = np.broadcast_shapes(q.shape[:-1], step.shape[:-1])
    q = np.broadcast_to(q, (*shape, q.shape[-1])).copy()
    iq = iv = 0
    for joint in mechanism.joints:
        part = step[..., iv : iv + joint.kind.nv]
        if joint.type in ("ball", "free"):
            turn = q[..., iq : iq + 4]
            if joint.type == "free":
                q[..., iq + 4 : iq + 7] += (quaternion.matrix(turn) @ part[..., 3:, None])[..., 0]
            turn = quaternion.product(turn, quaternion.exponential(part[..., :3]))
            q[..., iq : iq + 4] = turn / np.linalg.norm(turn, axis=-1, keepdims=True)
        else:
            q[..., iq : iq + joint.kind.nq] += part
        iq, iv = iq + joint.kind.nq, iv + joint.kind.nv
    return q


def turned_back(dyn: Dynamics, q: np.ndarray, t: float = 0.0) -> np.ndarray:
    """The same configuration with its angles within half a turn of zero.

    Where an equation counts whole turns, as that of a pair of gears does, the angles stay as they are.
    """
    back, angles = q.copy(), periodic_coordinates(dyn.mechanism)
    back[angles] = (q[angles] + np.pi) % (2 * np.pi) - np.pi
    opens = dyn.holonomic.any() and np.abs(dyn.closure(back, t) - dyn.closure(q, t)).max() > CLOSED
    return q if opens else back


def same(dyn: Dynamics, a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two configurations are one, but for whole turns."""
    angles = periodic_coordinates(dyn.mechanism)
    d = a - b
    d[angles] = np.sin(d[angles] / 2)
    return bool(np.abs(d).max() < SAME)
