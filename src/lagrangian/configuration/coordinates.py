"""Coordinates of a configuration: where they stand in q, how speeds move them, and when two configurations are one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from lagrangian.model.joint import Joint
from lagrangian.model.joints.displacement import displacement
from lagrangian.model.joints.joint_type import JointType
from lagrangian.model.mechanism import Mechanism

if TYPE_CHECKING:
    from lagrangian.kernels.dynamics import Dynamics

SAME = 1e-6  # rad or m: configurations that are nearer to each other are one
CLOSED = 1e-9  # what loops may miss by after angles were turned back
_PERIODIC: dict[tuple[JointType, ...], tuple[int, ...]] = {}


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
        found += [iq + k for k in _periodic(joint)]
        iq += joint.kind.nq
    return found


def _periodic(joint: Joint) -> tuple[int, ...]:
    """Which coordinates of a joint put the child where it was after a whole turn: tried once for each kind of joint."""
    kinds = tuple(step.kind for step in joint.kind.steps(joint))
    if kinds not in _PERIODIC:
        q = np.array(joint.kind.neutral) + 0.7
        turned = [k for k, unit in enumerate(joint.kind.units) if unit == "rad"]
        there = displacement(joint, np.array([q, *(q + 2 * np.pi * (np.arange(len(q)) == k) for k in turned)]))
        _PERIODIC[kinds] = tuple(k for k, T in zip(turned, there[1:], strict=True) if np.abs(T - there[0]).max() < CLOSED)
    return _PERIODIC[kinds]


def moved(mechanism: Mechanism, q: np.ndarray, step: np.ndarray) -> np.ndarray:
    """q moved along speeds for a unit of time, one configuration or many; quaternions keep the length one."""
    shape = np.broadcast_shapes(q.shape[:-1], step.shape[:-1])
    q = np.broadcast_to(q, (*shape, q.shape[-1])).copy()
    iq = iv = 0
    for joint in mechanism.joints:
        nq, nv = joint.kind.nq, joint.kind.nv
        q[..., iq : iq + nq] = joint.kind.moved(q[..., iq : iq + nq], step[..., iv : iv + nv])
        iq, iv = iq + nq, iv + nv
    return q


def turned_back(dyn: Dynamics, q: np.ndarray, t: float = 0.0, held: Iterable[str] = ()) -> np.ndarray:
    """The same configuration with its angles within half a turn of zero, but for those held, which stay as they were given.

    Where an equation counts whole turns, as that of a pair of gears does, the angles stay as they are.
    """
    places = single_coordinates(dyn.mechanism)
    fixed = {places[name][0] for name in held}
    back, angles = q.copy(), [k for k in periodic_coordinates(dyn.mechanism) if k not in fixed]
    back[angles] = (q[angles] + np.pi) % (2 * np.pi) - np.pi
    opens = dyn.holonomic.any() and np.abs(dyn.closure(back, t) - dyn.closure(q, t)).max() > CLOSED
    return q if opens else back


def same(dyn: Dynamics, a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two configurations are one, but for whole turns."""
    angles = periodic_coordinates(dyn.mechanism)
    d = a - b
    d[angles] = np.sin(d[angles] / 2)
    return bool(np.abs(d).max(initial=0.0) < SAME)
