"""The compiled functions of a mechanism, kept loaded for the mechanisms that were used last."""

from __future__ import annotations

from lagrangian.errors import ArgumentError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.dynamics import compile as compiled
from lagrangian.model.mechanism import Mechanism

KEPT = 16
_RECENT: dict[int, Dynamics] = {}


def dynamics_of(mechanism: Mechanism | Dynamics) -> Dynamics:
    """The mechanism's `Dynamics`; one that is compiled already is returned as it is."""
    if isinstance(mechanism, Dynamics):
        return mechanism
    if not isinstance(mechanism, Mechanism):
        raise ArgumentError(f"a Mechanism, or its compiled Dynamics, is needed, not {type(mechanism).__name__}")
    found = _RECENT.pop(id(mechanism), None)
    if found is None or found.mechanism is not mechanism:
        found = compiled(mechanism)
    _RECENT[id(mechanism)] = found
    while len(_RECENT) > KEPT:
        _RECENT.pop(next(iter(_RECENT)))
    return found
