"""The compiled functions of a mechanism, kept loaded for the mechanisms that were used last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lagrangian.description.mechanism_of import MechanismLike, mechanism_of
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.dynamics import compile as compiled

KEPT = 16
_RECENT: dict[int, Dynamics] = {}


def dynamics_of(mechanism: MechanismLike | Dynamics, parameters: Mapping[str, Any] | None = None) -> Dynamics:
    """The compiled dynamics of a mechanism, which may be given by its file or by its name in the library.

    With `parameters` it is those of the mechanism with these values, which has its code in common with the mechanism itself.
    """
    if parameters is not None:
        nominal = mechanism.mechanism if isinstance(mechanism, Dynamics) else mechanism_of(mechanism)
        revised = nominal.with_parameters(parameters)
        return dynamics_of(mechanism if revised is nominal else revised)
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
