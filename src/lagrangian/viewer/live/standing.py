"""Which joints stand still while one is moved by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lagrangian.configuration.coordinates import moved
from lagrangian.configuration.loops import Loops
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.mechanism import Mechanism
from lagrangian.viewer.live.handles import Handle, gradients, values

DEPENDENT = 1e-6  # singular values below it: speeds that depend on each other


def standing(dyn: Dynamics, handles: Sequence[Handle], q: np.ndarray, units: np.ndarray) -> list[tuple[int, ...]]:
    """For every handle, which others are held while it is dragged.

    Of an actuated one these are the other motors; of a passive one the rest of its joint, and the passive joints of its own
    chain, so that a platform moves along one axis at a time. As many as leave the handle free to move: counted where the
    mechanism is not singular, so that they are the same everywhere. What rolls or slides goes the shortest way it can, and motors
    are held if all of the others can be.
    """
    count = range(len(handles))
    if not dyn.mechanism.equations:
        return [() for _ in count]
    S = _rates(dyn, handles, q, units)

    def rank(rows: list[int]) -> int:
        return int(np.linalg.matrix_rank(S[rows], tol=DEPENDENT)) if S.size else 0

    degrees = rank(list(count))
    found: list[tuple[int, ...]] = []
    rolls = not dyn.holonomic.all()
    for k in count:
        held: list[int] = []
        if rolls:
            others = [j for j in count if j != k and handles[j].actuated] if handles[k].actuated else []
            found.append(tuple(others) if rank([*others, k]) == len(others) + 1 else ())
            continue
        for j in _candidates(dyn.mechanism, handles, k):
            if len(held) >= degrees - 1:
                break
            if rank([*held, j, k]) == len(held) + 2:
                held.append(j)
        found.append(tuple(held))
    return found


def _candidates(mechanism: Mechanism, handles: Sequence[Handle], k: int) -> list[int]:
    me = handles[k]
    rest = [j for j, h in enumerate(handles) if j != k and h.joint == me.joint]
    if me.actuated:
        return rest + [j for j, h in enumerate(handles) if h.actuated and h.joint != me.joint]
    by_child = {joint.child: i for i, joint in enumerate(mechanism.joints)}

    def inward(i: int) -> set[int]:
        found: set[int] = set()
        while (parent := by_child.get(mechanism.joints[i].parent)) is not None:
            found.add(parent)
            i = parent
        return found

    mine = inward(me.joint)
    chain = [j for j, h in enumerate(handles) if h.joint != me.joint and (h.joint in mine or me.joint in inward(h.joint))]
    return rest + [j for j in chain if not handles[j].actuated]


def _rates(dyn: Dynamics, handles: Sequence[Handle], q: np.ndarray, units: np.ndarray) -> np.ndarray:
    """How fast the handles move with every degree of freedom, where none is lost or won by accident: (handles, degrees)."""
    rng, loops, at = np.random.default_rng(0), Loops(dyn), q
    most, idle, rates = -1, np.eye(dyn.nv), np.zeros((len(handles), 0))
    for reach in (0.0, 0.02, 0.05, 0.1, 0.2):
        if not len(idle):
            break
        if reach:
            step = (rng.normal(size=len(idle)) @ idle) * units
            near = loops.nearest(moved(dyn.mechanism, q, reach * step / np.linalg.norm(step)))
            if near.miss[0] > 1e-9:
                continue
            at = near.q[0]
        _, s, Vt = np.linalg.svd(dyn.constraint_jacobian(at) * units)
        rank = int(np.sum(s > DEPENDENT * s[0])) if s.size and s[0] > 0 else 0
        if rank >= most:
            most, idle = rank, Vt[rank:]
            rates = gradients(handles, at, values(handles, at), dyn.nv) @ (idle * units).T
    return rates
