"""Loops closed along a record of some coordinates: all others, row after row, in the same assembly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lagrangian.configuration.assemble import assemble, moved
from lagrangian.errors import ArgumentError, AssemblyError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.linear import RANK

ITERATIONS = 30
CLOSED = 1e-11  # a step that is rounding
STRIDE = 0.05  # how far recorded coordinates move between rows that are closed one after the other


def close(dyn: Dynamics, q: np.ndarray, free: Sequence[int], t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of configurations with loops closed by Newton's method on the `free` coordinates, and which of them are."""
    q, free = q.copy(), list(free)
    step = np.full((len(q), 1), np.inf)
    for _ in range(ITERATIONS):
        eta = dyn.closure(q, t)
        psi = dyn.constraint_jacobian(q, t)[:, holonomic(dyn)][:, :, free]
        step = np.einsum("sij,sj->si", np.linalg.pinv(psi, rcond=RANK), eta)
        q[:, free] -= np.clip(step, -1, 1)
        if np.abs(step).max(initial=0.0) < CLOSED:
            break
    return q, (np.abs(step).max(axis=1, initial=0.0) < 1e3 * CLOSED) & (np.abs(dyn.closure(q, t)).max(axis=1, initial=0.0) < 1e-9)


def follow(dyn: Dynamics, q: np.ndarray, names: tuple[str, ...], t: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
    """All coordinates from the recorded ones, called `names`: loops are closed from row to row, so that the assembly is kept.

    Only rows some way apart need to follow one another; those between start from a straight line and are closed all at once.
    """
    mechanism = dyn.mechanism
    known = [mechanism.coordinate_names.index(name) for name in names]
    speeds = [k for k, name in enumerate(mechanism.speed_names) if name not in names]
    at = assemble(dyn, start, dict(zip(names, q[0], strict=True)), t=float(t[0]))
    rows = _apart(q) if dyn.nq == dyn.nv else list(range(len(q)))
    rows_of_loops = holonomic(dyn)
    if np.linalg.matrix_rank(dyn.constraint_jacobian(at, float(t[0]))[np.ix_(rows_of_loops, speeds)], tol=1e-6) < len(speeds):
        raise ArgumentError(f"identify: {', '.join(names)} do not determine all other coordinates; give q of all of them")
    found = np.zeros((len(q), dyn.nq))
    for s in rows:
        at = at.copy()
        at[known] = q[s]
        time = float(t[s])
        for _ in range(ITERATIONS):
            eta = dyn.closure(at, time)
            step = np.zeros(dyn.nv)
            psi = dyn.constraint_jacobian(at, time)[np.ix_(rows_of_loops, speeds)]
            step[speeds] = -np.linalg.lstsq(psi, eta, rcond=RANK)[0]
            at = moved(mechanism, at, step)
            if np.abs(step).max() < CLOSED:
                break
        if np.abs(dyn.closure(at, time)).max(initial=0.0) > 1e-9:
            raise AssemblyError(f"q at t = {time:g} s: the loops cannot be closed with {', '.join(names)} as recorded")
        found[s] = at
    if len(rows) < len(q):
        for k in range(dyn.nq):
            found[:, k] = np.interp(np.arange(len(q)), rows, found[rows, k])
        found[:, known] = q
        found, closed = close(dyn, found, [k for k in range(dyn.nq) if k not in known], t)
        if not closed.all():
            s = int(np.argmin(closed))
            raise AssemblyError(f"q at t = {t[s]:g} s: the loops cannot be closed with {', '.join(names)} as recorded")
    return found


def holonomic(dyn: Dynamics) -> list[int]:
    """The rows of Psi that are of coordinates."""
    return np.flatnonzero(dyn.holonomic).tolist()


def _apart(q: np.ndarray) -> list[int]:
    rows = [0]
    for s in range(1, len(q)):
        if np.abs(q[s] - q[rows[-1]]).max() > STRIDE:
            rows.append(s)
    return rows if rows[-1] == len(q) - 1 else [*rows, len(q) - 1]
