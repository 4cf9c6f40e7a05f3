"""Close loops along a record of some coordinates: the others follow from row to row, in the same assembly mode."""

from __future__ import annotations

import numpy as np

from lagrangian.configuration.assemble import assemble
from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.configuration.loop_closure import LoopClosure
from lagrangian.configuration.newton import Newton
from lagrangian.errors import ArgumentError, AssemblyError
from lagrangian.kernels.dynamics import Dynamics

MAX_ITERATIONS = 30
CLOSED_ROW_TOLERANCE = 1e-9  # of the largest slope: a row with a smaller residual is closed
STRIDE = 0.05  # rad or m: of recorded coordinates, between rows that are closed in sequence


def close_rows(dyn: Dynamics, q: np.ndarray, t: np.ndarray, fixed: tuple[str, ...] = ()) -> tuple[np.ndarray, np.ndarray]:
    """Rows of configurations with their loops closed nearby, without moving `fixed` coordinates; and which rows are closed."""
    loops = LoopClosure(dyn, fixed=fixed)
    closure = Newton(loops, loops.free, damped=False, iterations=MAX_ITERATIONS).solve(q, t)
    return closure.q, closure.violation < CLOSED_ROW_TOLERANCE


def follow_record(
    dyn: Dynamics, q: np.ndarray, names: tuple[str, ...], t: np.ndarray, start: np.ndarray | None = None
) -> np.ndarray:
    """All coordinates from the recorded ones, called `names`: each row starts from the one before, in its assembly mode.

    Only rows at some distance are closed in sequence; those between start on straight lines and are closed all at once.
    """
    places = single_coordinates(dyn.mechanism)
    recorded_columns = [places[name][0] for name in names]
    configuration = assemble(dyn, start, dict(zip(names, q[0], strict=True)), t=float(t[0]))
    loops = LoopClosure(dyn, float(t[0]), names)
    free_speeds = np.flatnonzero(loops.free)
    slopes = dyn.constraint_jacobian(configuration, float(t[0]))[loops.is_holonomic][:, free_speeds]
    if np.linalg.matrix_rank(slopes, tol=1e-6) < len(free_speeds):
        raise ArgumentError(f"identify: {', '.join(names)} do not determine the other coordinates; give q for all of them")

    def close_or_fail(rows: np.ndarray, when: np.ndarray) -> np.ndarray:
        configurations, is_closed = close_rows(dyn, rows, when, names)
        if not is_closed.all():
            failure_time = float(when[np.argmin(is_closed)])
            raise AssemblyError(f"q at t = {failure_time:g} s: the loops cannot be closed with {', '.join(names)} as recorded")
        return configurations

    rows = _spaced_rows(q) if dyn.nq == dyn.nv else list(range(len(q)))
    configurations = np.zeros((len(q), dyn.nq))
    for s in rows:
        configuration = configuration.copy()
        configuration[recorded_columns] = q[s]
        configurations[s] = configuration = close_or_fail(configuration[None], t[s : s + 1])[0]
    if len(rows) < len(q):
        for k in range(dyn.nq):
            configurations[:, k] = np.interp(np.arange(len(q)), rows, configurations[rows, k])
        configurations[:, recorded_columns] = q
        configurations = close_or_fail(configurations, t)
    return configurations


def _spaced_rows(q: np.ndarray) -> list[int]:
    rows = [0]
    for s in range(1, len(q)):
        if np.abs(q[s] - q[rows[-1]]).max() > STRIDE:
            rows.append(s)
    return rows if rows[-1] == len(q) - 1 else [*rows, len(q) - 1]
