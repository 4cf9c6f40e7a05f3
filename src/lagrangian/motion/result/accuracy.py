"""What is worse than the tolerances of a run promise: its energy balance, and the drift of its constraints.

The balance over all rows takes as long as the run itself, or longer. So it is estimated first, from few places in every step, and
found exactly where the estimate comes near what is promised.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.polynomial import legendre

from lagrangian.motion.result.work import Pieces, idle, rule, whole_steps
from lagrangian.motion.run.trajectory import Trajectory
from lagrangian.motion.system.prepared import prepared

PLACES = 4  # in a step, for the estimate
NEAR = 0.25  # the part of what is promised from which an estimate is not enough


def promised(rtol: float, steps: int) -> float:
    """The error, as a part of what is moved, that a run may have."""
    return max(100, steps) * rtol


def unbalance(balance: np.ndarray, kinetic: np.ndarray, potential: np.ndarray, scale: float) -> float:
    """By what part of the energy moved the balance is off, at worst."""
    # of a motion that hardly moves, the stored energy is the measure
    stored = float(np.abs(kinetic).max() + np.abs(potential).max())
    return max(0.0, float(np.abs(balance).max()) - 1e-10 * stored) / scale


def is_balanced(trajectory: Trajectory, t: np.ndarray, y: np.ndarray) -> bool:
    """Whether the energy balance of a run with rows at t is surely well within what is promised."""
    if trajectory.impacts or not trajectory.segments:
        return False
    if idle(trajectory):
        T, V = _energies(trajectory, y[:: max(1, len(y) // max(1, trajectory.accepted))])  # a row in every step
        worst = _worst(T + V - (T[0] + V[0]), np.zeros(1), T, V)
    else:
        worst = _estimate(trajectory)
    return worst <= NEAR * promised(trajectory.settings.rtol, trajectory.accepted)


def _worst(balance: np.ndarray, done: np.ndarray, T: np.ndarray, V: np.ndarray) -> float:
    scale = max(float(T.max()), float(V.max() - V.min()), float(np.abs(done).max()), 1e-300)
    return unbalance(balance, T, V, scale)


def _energies(trajectory: Trajectory, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    dyn = trajectory.dyn
    q, qd = y[:, : dyn.nq], y[:, dyn.nq :]
    return np.asarray(dyn.kinetic_energy(q, qd)), np.asarray(dyn.potential_energy(q))


@cache
def _integrals() -> tuple[np.ndarray, np.ndarray]:
    """Gauss's places; and what takes values there to integrals from -1 to each of them, and in the last row to 1."""
    at, fit, integral = rule(PLACES)
    return at, legendre.legvander(np.append(at, 1.0), PLACES) @ integral.T @ fit


def _estimate(trajectory: Trajectory) -> float:
    """The same for forces that do work: at Gauss's places in every step, without moving states onto the constraints."""
    at, inside = _integrals()
    first = trajectory.segments[0].steps[:1, 2:]
    total = 0.0
    parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for pieces in whole_steps(trajectory):
        y, power = _power(trajectory, pieces, (at + 1) / 2)
        width = 0.5 * (pieces.end - pieces.start)
        grown = width * (power @ inside[-1])
        before = total + np.cumsum(grown) - grown
        done = before[:, None] + width[:, None] * (power @ inside[:-1].T)
        T, V = _energies(trajectory, y if parts else np.vstack([first, y]))
        parts.append((T, V, done.ravel() if parts else np.append(0.0, done)))
        total += float(grown.sum())
    T, V, done = (np.concatenate(x) if len(parts) > 1 else x[0] for x in zip(*parts, strict=True))
    return _worst(T + V - (T[0] + V[0]) - done, done, T, V)


def _power(trajectory: Trajectory, pieces: Pieces, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """States at places in every step, and (steps, places) the power of all forces together."""
    times = pieces.times(at)
    y = pieces.states(trajectory, times)
    out = trajectory.outputs_in(pieces.segment, times.ravel(), y)
    force = out["tau"] - out["friction"]
    if "loads" in out:
        force += out["loads"]
    force *= y[:, trajectory.dyn.nq :]
    power = force @ np.ones(force.shape[1])  # of short rows much faster than their sum
    if prepared(trajectory.dyn).moves_constraints:
        power -= (out["multipliers"] * out["phi"]).sum(axis=1)
    return y, power.reshape(times.shape)
