"""States at which exported code is tried: the mechanism's own start, and random ones that keep its constraints."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lagrangian.configuration.assemble import assemble
from lagrangian.configuration.consistent_speeds import consistent_speeds
from lagrangian.errors import LagrangianError
from lagrangian.exports.routine import Routine
from lagrangian.model.mechanism import Mechanism

SEED = 20


def states(mechanism: Mechanism, count: int) -> Iterator[dict[str, np.ndarray]]:
    """Values of every input that a routine may have, by name."""
    rng = np.random.default_rng(SEED)
    for _ in range(count):
        q, qd = _state(mechanism, rng)
        n = mechanism.nv
        found = {name: rng.uniform(-1, 1, n) for name in ("qdd", "tau", "qd_wanted", "qdd_wanted")}
        found |= {"q": q, "qd": qd, "q_wanted": rng.uniform(-1, 1, mechanism.nq)}
        found |= {"kp": rng.uniform(1, 9, n), "kd": rng.uniform(1, 3, n), "wrench": rng.uniform(-1, 1, 6)}
        found |= {"multipliers": rng.uniform(-1, 1, mechanism.equations), "t": rng.uniform(0, 1, 1), "h": np.array([1e-3])}
        yield found


def _state(mechanism: Mechanism, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    q, qd = mechanism.random_configuration(rng), rng.uniform(-1, 1, mechanism.nv)
    if not mechanism.equations:
        return np.asarray(q, dtype=float), qd
    try:
        q = np.asarray(assemble(mechanism), dtype=float)
        return q, np.asarray(consistent_speeds(mechanism, q, qd), dtype=float)
    except LagrangianError:  # equations are defined off the constraints as well
        return np.asarray(q, dtype=float), qd


def inputs(routine: Routine, state: dict[str, np.ndarray]) -> dict[str, list[float]]:
    """What a routine is given at a state."""
    return {x.name: np.asarray(state[x.name], dtype=float).ravel().tolist() for x in routine.inputs}
