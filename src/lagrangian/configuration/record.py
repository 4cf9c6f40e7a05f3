"""Loops closed along a record of some coordinates: all others, row after row, in the same assembly."""

from __future__ import annotations

import numpy as np

from lagrangian.configuration.assemble import assemble
from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.configuration.loops import Loops
from lagrangian.configuration.newton import Newton
from lagrangian.errors import ArgumentError, AssemblyError
from lagrangian.kernels.dynamics import Dynamics

ITERATIONS = 30
CLOSED = 1e-9
STRIDE = 0.05  # how far recorded coordinates move between rows that are closed one after the other


def close_rows(dyn: Dynamics, q: np.ndarray, t: np.ndarray, held: tuple[str, ...] = ()) -> tuple[np.ndarray, np.ndarray]:
    """Rows of configurations with their loops closed nearby, the `held` coordinates as they are; and which rows are closed."""
    loops = Loops(dyn, held=held)
    found = Newton(loops, loops.free, damped=False, iterations=ITERATIONS).solve(q, t)
    return found.q, found.miss < CLOSED


def follow(dyn: Dynamics, q: np.ndarray, names: tuple[str, ...], t: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
    """All coordinates from the recorded ones, called `names`: loops are closed from row to row, so that the assembly is kept.

    Only rows some way apart need to follow one another; those between start from a straight line and are closed all at once.
    """
    places = single_coordinates(dyn.mechanism)
    known = [places[name][0] for name in names]
    at = assemble(dyn, start, dict(zip(names, q[0], strict=True)), t=float(t[0]))
    loops = Loops(dyn, float(t[0]), names)
    others = np.flatnonzero(loops.free)
    slopes = dyn.constraint_jacobian(at, float(t[0]))[loops.rows][:, others]
    if np.linalg.matrix_rank(slopes, tol=1e-6) < len(others):
        raise ArgumentError(f"identify: {', '.join(names)} do not determine the other coordinates; give q for all of them")

    def closed(rows: np.ndarray, when: np.ndarray) -> np.ndarray:
        found, good = close_rows(dyn, rows, when, names)
        if not good.all():
            missed = float(when[np.argmin(good)])
            raise AssemblyError(f"q at t = {missed:g} s: the loops cannot be closed with {', '.join(names)} as recorded")
        return found

    rows = _apart(q) if dyn.nq == dyn.nv else list(range(len(q)))
    found = np.zeros((len(q), dyn.nq))
    for s in rows:
        at = at.copy()
        at[known] = q[s]
        found[s] = at = closed(at[None], t[s : s + 1])[0]
    if len(rows) < len(q):
        for k in range(dyn.nq):
            found[:, k] = np.interp(np.arange(len(q)), rows, found[rows, k])
        found[:, known] = q
        found = closed(found, t)
    return found


def _apart(q: np.ndarray) -> list[int]:
    rows = [0]
    for s in range(1, len(q)):
        if np.abs(q[s] - q[rows[-1]]).max() > STRIDE:
            rows.append(s)
    return rows if rows[-1] == len(q) - 1 else [*rows, len(q) - 1]
