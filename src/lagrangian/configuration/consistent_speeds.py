"""`lagrangian.consistent_speeds`: find speeds that satisfy all constraints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from lagrangian.arguments import texts
from lagrangian.configuration import state_arguments
from lagrangian.configuration.speeds import nearest_speeds
from lagrangian.configuration.start import Start, as_dynamics
from lagrangian.description.mechanism_like import MechanismLike
from lagrangian.errors import ArgumentError, ArgumentName, unknown_name_message
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.types import State


def consistent_speeds(
    mechanism: MechanismLike | Dynamics,
    q: State = None,
    qd0: State = None,
    fixed: Iterable[str] | Mapping[str, float] = (),
    t: float = 0.0,
) -> np.ndarray:
    """Find the speeds that satisfy all constraints and are nearest to given ones.

    Nearness is measured by the mass matrix: the kinetic energy of the difference is least.

    Parameters
    ----------
    mechanism : Mechanism, Dynamics, str or path
        The mechanism: an object, its compiled dynamics, the name of a library mechanism, or a file.
    q : array_like, mapping, str, optional
        A configuration, in rad and m: all coordinates, which must close the loops, a mapping of some names to values, or the name
        of a pose. The default is the mechanism's own start.
    qd0 : array_like or mapping, optional
        Speeds in rad/s and m/s. The speeds that a mapping names keep their values, and the others are the slowest that satisfy
        the constraints. The default is zeros.
    fixed : sequence of str or mapping of str to float, optional
        Names of speeds that keep their values in `qd0`, or a mapping of names to values, as for driven joints.
    t : float, default 0.0
        Time in seconds; it matters only if a constraint depends on time.

    Returns
    -------
    ndarray, shape (nv,)
        Speeds that satisfy the constraints.

    Raises
    ------
    AssemblyError
        The loops are open at `q`, or no speeds satisfy the constraints with the fixed ones.
    ArgumentError
        A name is not one of the speeds.

    Examples
    --------
    >>> import lagrangian as lg
    >>> q = lg.assemble("four_bar", {"theta1": 0.5})
    >>> print(lg.consistent_speeds("four_bar", q, {"theta1": 1.0}).round(4))
    [ 1.     -1.3399 -0.018 ]
    """
    dyn = as_dynamics(mechanism)
    names = dyn.mechanism.speed_names
    requested = state_arguments.as_speeds(dyn.mechanism, qd0)
    named_speeds = requested if isinstance(requested, dict) else {}
    qd = requested if isinstance(requested, np.ndarray) else np.zeros(dyn.nv)
    fixed_names = tuple(fixed) if isinstance(fixed, Mapping) else texts(fixed, "fixed")
    for name in fixed_names:
        if name not in names:
            raise ArgumentError(unknown_name_message("speed", name, names), where=ArgumentName("fixed"))
    if isinstance(fixed, Mapping):
        named_speeds = named_speeds | {
            name: state_arguments.as_number(dyn.mechanism, x, (ArgumentName("fixed"), repr(name))) for name, x in fixed.items()
        }
    for name, value in named_speeds.items():
        qd[names.index(name)] = value
    return nearest_speeds(dyn, Start(dyn, q, t, ("q", "qd0")).q, qd, (*fixed_names, *named_speeds), t)
