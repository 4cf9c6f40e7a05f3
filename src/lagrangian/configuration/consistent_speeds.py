"""`lagrangian.consistent_speeds`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from lagrangian.arguments import texts
from lagrangian.configuration import reading
from lagrangian.configuration.dynamics_of import dynamics_of
from lagrangian.configuration.speeds import nearest_speeds
from lagrangian.configuration.start import Start
from lagrangian.description.mechanism_of import MechanismLike
from lagrangian.errors import Argument, ArgumentError, one_of
from lagrangian.kernels.dynamics import Dynamics


def consistent_speeds(
    mechanism: MechanismLike | Dynamics,
    q: Any = None,
    qd0: Any = None,
    fixed: Iterable[str] | Mapping[str, float] = (),
    t: float = 0.0,
) -> np.ndarray:
    """Find the speeds that keep all constraints and are nearest to `qd0`, as the mass matrix measures it.

    `q` is a configuration that closes the loops, as in simulate: an array, the name of a pose, a mapping of some coordinates,
    or nothing for the mechanism's own start. `qd0` is an array, or a mapping of some speeds, which keep their values; the others
    are then the slowest that keep the constraints. `fixed` names speeds that keep their value in qd0, or maps them to values, as
    those of driven joints.
    """
    dyn = dynamics_of(mechanism)
    names = dyn.mechanism.speed_names
    wanted = reading.speeds(dyn.mechanism, qd0)
    given = wanted if isinstance(wanted, dict) else {}
    qd = wanted if isinstance(wanted, np.ndarray) else np.zeros(dyn.nv)
    kept = tuple(fixed) if isinstance(fixed, Mapping) else texts(fixed, "fixed")
    for name in kept:
        if name not in names:
            raise ArgumentError(one_of("speed", name, names), where=Argument("fixed"))
    if isinstance(fixed, Mapping):
        given = given | {name: reading.number(dyn.mechanism, x, (Argument("fixed"), repr(name))) for name, x in fixed.items()}
    for name, value in given.items():
        qd[names.index(name)] = value
    return nearest_speeds(dyn, Start(dyn, q, t, ("q", "qd0")).q, qd, (*kept, *given), t)
