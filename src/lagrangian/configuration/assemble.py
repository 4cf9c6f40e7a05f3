"""Configurations that close the loops of a mechanism."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from lagrangian.arguments import count, number, texts
from lagrangian.configuration import reading
from lagrangian.configuration.coordinates import moved, same, single_coordinates, turned_back
from lagrangian.configuration.dynamics_of import dynamics_of
from lagrangian.configuration.loops import CLOSED, STARTS, Loops
from lagrangian.configuration.start import Start
from lagrangian.description.mechanism_of import MechanismLike
from lagrangian.errors import Argument, ArgumentError, one_of
from lagrangian.kernels.dynamics import Dynamics

Fixed = Iterable[str] | Mapping[str, float]


def assemble(
    mechanism: MechanismLike | Dynamics, q0: Any = None, fixed: Fixed = (), t: float = 0.0, starts: int = STARTS
) -> np.ndarray:
    """Find a configuration that closes all loops, near a rough one.

    `q0` is where to begin: an array, a mapping of some coordinates, or a pose's name; the mechanism's own start if it is not
    given. Coordinates that a mapping, a pose or the mechanism's own start gives by name keep their values; or `fixed` names
    those that do, or maps them to the values they are to have. What a mapping does not give is reached from the mechanism's own
    start, so that the assembly is the same. If the nearest descent from q0 does not close the loops, others are tried from around
    it, `starts` times. When no configuration is found, the error says which loops miss, and by how much.
    """
    dyn, t, starts = dynamics_of(mechanism), number(t, "t"), count(starts, "starts", least=0)
    q, held = _begin(dyn, q0, fixed)
    if not fixed or (q0 is None and isinstance(fixed, Mapping)):
        return Start(dyn, fixed or q0, t).closed(starts)
    return Loops(dyn, t, held).closed(q, starts)


def assembly_modes(
    mechanism: MechanismLike | Dynamics, q0: Any = None, fixed: Fixed = (), t: float = 0.0, starts: int = 200
) -> list[np.ndarray]:
    """Find all different configurations that close the loops with the `fixed` coordinates as given.

    Those of a planar four-bar are the two (or one) intersections of two circles. The arguments are those of `assemble`;
    `starts` is how many random configurations the search begins from. Fixed coordinates are as given; the other angles are within
    half a turn of zero.
    """
    dyn = dynamics_of(mechanism)
    q, held = _begin(dyn, q0, fixed)
    starts, t = count(starts, "starts"), number(t, "t")
    loops, rng = Loops(dyn, t, held), np.random.default_rng(0)
    steps = loops.free * rng.uniform(-np.pi, np.pi, (starts, dyn.nv))
    steps[0] = 0.0
    ended = loops.nearest(moved(dyn.mechanism, q, steps))
    found: list[np.ndarray] = []
    for trial in ended.q[(ended.miss <= CLOSED) & loops.alignment.met(ended.q)]:
        trial = turned_back(dyn, trial, t, held)
        if not any(same(dyn, trial, other) for other in found):
            found.append(trial)
    if not found:
        raise loops.error(ended.q[np.argmin(np.nan_to_num(ended.miss, nan=np.inf))])
    return found


def _begin(dyn: Dynamics, q0: Any, fixed: Fixed) -> tuple[np.ndarray, tuple[str, ...]]:
    """Where to begin, and the names of the coordinates that stay there."""
    given = reading.configuration(dyn.mechanism, q0)
    fixed = fixed if isinstance(fixed, Mapping) else texts(fixed, "fixed")
    places = single_coordinates(dyn.mechanism)
    for name in fixed:
        if name not in places:
            raise ArgumentError(one_of("coordinate", name, places), where=Argument("fixed"))
        if isinstance(fixed, Mapping):
            given.q[places[name][0]] = reading.number(dyn.mechanism, fixed[name], (Argument("fixed"), repr(name)))
    return given.q, tuple(fixed) or given.held
