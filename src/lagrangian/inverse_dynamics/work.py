"""Work along a path: of torques, friction, wrenches from outside and constraints that move, until each row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.inverse_dynamics.wrenches import Outside
from lagrangian.kernels.dynamics import Dynamics

if TYPE_CHECKING:
    from lagrangian.kinematics.follower import Follower

LEAST, DENSE = 256, 20_000  # intervals there are at least; rows from which on these are dense enough by themselves
NODES, WEIGHTS = np.polynomial.legendre.leggauss(4)


def work(
    dyn: Dynamics, outside: Outside, follower: Follower | None, t: np.ndarray, states: Any, forces: Any, torques: Any
) -> dict[str, np.ndarray]:
    """By Gauss's quadrature between the rows, and between times enough if these are few; by Simpson's where rows are dense, or
    all there is.

    `forces` are the torques and multipliers of the rows, `torques` the function that gives them at other times.
    """
    n = dyn.nv
    if follower is None or len(t) > DENSE or len(t) < 2:
        from scipy.integrate import cumulative_simpson

        power = _powers(dyn, outside, t, states, *forces)
        done = cumulative_simpson(power, x=t, axis=0, initial=0.0) if len(t) > 2 else _trapezoid(power, t)
    else:
        jumps = outside.breaks(float(t[0]), float(t[-1]))
        inner = [x for x in (*follower.breaks, *jumps, *follower.path.corners) if t[0] < x < t[-1]]
        ends = np.unique(np.concatenate([t, inner, np.linspace(t[0], t[-1], LEAST + 1)]))
        width = np.diff(ends)
        times = (ends[:-1, None] + width[:, None] * (NODES + 1) / 2).ravel()
        between = follower(times)
        power = _powers(dyn, outside, times, between, *torques(dyn, outside, times, *between))
        parts = 0.5 * width[:, None] * np.einsum("snc,n->sc", power.reshape(len(width), len(NODES), -1), WEIGHTS)
        whole = np.vstack([np.zeros(parts.shape[1]), np.cumsum(parts, axis=0)])
        done = whole[np.searchsorted(ends, t)]
    found = {"torque": done[:, :n], "friction": done[:, n : 2 * n]}
    if outside.given:
        found["wrenches"] = done[:, 2 * n]
    if dyn.mechanism.equations:
        found["constraints"] = done[:, 2 * n + 1]
    return found


def _trapezoid(power: np.ndarray, t: np.ndarray) -> np.ndarray:
    steps = 0.5 * np.diff(t)[:, None] * (power[1:] + power[:-1])
    return np.vstack([np.zeros((1, power.shape[1])), np.cumsum(steps, axis=0)])


def _powers(dyn: Dynamics, outside: Outside, t: np.ndarray, states: Any, tau: np.ndarray, multipliers: np.ndarray) -> np.ndarray:
    """Of every torque, of friction at every speed, of all wrenches from outside, of all constraints that move."""
    q, qd, _ = states
    acting = outside(t, q, qd)
    external = np.broadcast_to(dyn.external_torque(q, acting), qd.shape) if acting else np.zeros_like(qd)
    moving = np.zeros(len(t))
    if dyn.mechanism.equations:
        moving = -np.einsum("sm,sm->s", multipliers, dyn.constraint_rate(q, np.zeros_like(qd), t))
    friction = np.asarray(dyn.friction(qd, q=q))
    return np.hstack([tau * qd, -friction * qd, (external * qd).sum(axis=1)[:, None], moving[:, None]])
