"""The compiled functions of a mechanism, kept loaded for the mechanisms that were used last."""

from __future__ import annotations

from lagrangian.description.mechanism_of import MechanismLike, mechanism_of
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.dynamics import compile as compiled

KEPT = 16
_RECENT: dict[int, Dynamics] = {}


def dynamics_of(mechanism: MechanismLike | Dynamics) -> Dynamics:
    """The compiled dynamics of a mechanism, which may be given by its file or by its name in the library."""
    if isinstance(mechanism, Dynamics):
        return mechanism
    mechanism = mechanism_of(mechanism)
    found = _RECENT.pop(id(mechanism), None)
    if found is None or found.mechanism is not mechanism:
        found = compiled(mechanism)
    _RECENT[id(mechanism)] = found
    while len(_RECENT) > KEPT:
        _RECENT.pop(next(iter(_RECENT)))
    return found
