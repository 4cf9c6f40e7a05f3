"""Configurations that close the loops of a mechanism."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from lagrangian.arguments import count, number, texts
from lagrangian.configuration import state_arguments
from lagrangian.configuration.continuation import follow_to
from lagrangian.configuration.coordinates import integrate, is_same_configuration, single_coordinates, wrap_angles
from lagrangian.configuration.loop_closure import CLOSED_TOLERANCE, DEFAULT_STARTS, LoopClosure
from lagrangian.configuration.newton import ConfigurationEquations
from lagrangian.configuration.start import Start, as_dynamics
from lagrangian.description.mechanism_like import MechanismLike
from lagrangian.errors import ArgumentError, ArgumentName, AssemblyError, unknown_name_message
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.types import State

FixedCoordinates = Iterable[str] | Mapping[str, float]


def assemble(
    mechanism: MechanismLike | Dynamics,
    q0: State = None,
    fixed: FixedCoordinates = (),
    t: float = 0.0,
    starts: int = DEFAULT_STARTS,
) -> np.ndarray:
    """Find a configuration that closes all loops of a mechanism.

    The search starts at `q0` and goes to the nearest closed configuration. If that fails, it starts again from random
    configurations around `q0`.

    Parameters
    ----------
    mechanism : Mechanism, Dynamics, str or path
        The mechanism: an object, its compiled dynamics, the name of a library mechanism, or a file.
    q0 : array_like, mapping, str, optional
        Where the search starts, in rad and m: all coordinates, a mapping of some names to values, or the name of a pose. The
        default is the mechanism's own start. Coordinates that a mapping, a pose or the mechanism's own start gives by name keep
        their values.
    fixed : sequence of str or mapping of str to float, optional
        Names of coordinates that keep their values in `q0`, or a mapping of names to the values they must have.
    t : float, default 0.0
        Time in seconds; it matters only if a constraint depends on time.
    starts : int, default 40
        Number of other starts that are tried if the first fails.

    Returns
    -------
    ndarray, shape (nq,)
        Coordinates that close the loops.

    Raises
    ------
    AssemblyError
        No closed configuration was found. The message says which loops stay open, and by how much.
    ArgumentError
        A name is not one of the coordinates.

    See Also
    --------
    assembly_modes : Find all closed configurations.
    consistent_speeds : Find speeds that satisfy the constraints.

    Notes
    -----
    The coordinates that a mapping does not give are followed continuously from the mechanism's own start, so that the assembly
    mode stays the same.

    Examples
    --------
    >>> import lagrangian as lg
    >>> print(lg.assemble("four_bar", {"theta1": 0.5}).round(4))
    [0.5    0.0298 1.5043]
    >>> lg.assemble("four_bar", fixed={"theta1": 0.5, "phi2": 2.0})
    Traceback (most recent call last):
        ...
    AssemblyError: four_bar: no configuration was found that closes the loops with theta1, phi2 fixed: ...
    """
    dyn, t, starts = as_dynamics(mechanism), number(t, "t"), count(starts, "starts", least=0)
    q, fixed_names = _start_and_fixed(dyn, q0, fixed)
    if not fixed or (q0 is None and isinstance(fixed, Mapping)):
        return Start(dyn, fixed or q0, t, starts=starts).close_loops()
    return LoopClosure(dyn, t, fixed_names).close(q, starts)


def assembly_modes(
    mechanism: MechanismLike | Dynamics, q0: State = None, fixed: FixedCoordinates = (), t: float = 0.0, starts: int = 200
) -> list[np.ndarray]:
    """Find all configurations that close the loops for given values of some coordinates.

    A planar four-bar has two for most angles of its crank: the open and the crossed one.

    Parameters
    ----------
    mechanism : Mechanism, Dynamics, str or path
        The mechanism: an object, its compiled dynamics, the name of a library mechanism, or a file.
    q0 : array_like, mapping, str, optional
        Values of the fixed coordinates and the first start of the search, in rad and m: all coordinates, a mapping of some names
        to values, or the name of a pose. The default is the mechanism's own start.
    fixed : sequence of str or mapping of str to float, optional
        Names of coordinates that keep their values in `q0`, or a mapping of names to the values they must have.
    t : float, default 0.0
        Time in seconds; it matters only if a constraint depends on time.
    starts : int, default 200
        Number of random configurations from which the search starts.

    Returns
    -------
    list of ndarray, shape (nq,)
        The different configurations. Angles that are not fixed are between -pi and pi.

    Raises
    ------
    AssemblyError
        No closed configuration was found.

    Notes
    -----
    The search finds each configuration with high probability, not with certainty; increase `starts` for large mechanisms.

    Examples
    --------
    >>> import lagrangian as lg
    >>> for q in lg.assembly_modes("four_bar", fixed={"theta1": 0.5}):
    ...     print(q.round(4))
    [0.5    0.0298 1.5043]
    [ 0.5    -1.4154 -1.8899]
    """
    dyn = as_dynamics(mechanism)
    q, fixed_names = _start_and_fixed(dyn, q0, fixed)
    starts, t = count(starts, "starts"), number(t, "t")
    loops, rng = LoopClosure(dyn, t, fixed_names), np.random.default_rng(0)
    steps = loops.free * rng.uniform(-np.pi, np.pi, (starts, dyn.nv))
    steps[0] = 0.0
    solution = loops.nearest(integrate(dyn.mechanism, q, steps))
    modes: list[np.ndarray] = []
    for trial in solution.q[(solution.violation <= CLOSED_TOLERANCE) & loops.alignment.is_aligned(solution.q)]:
        trial = wrap_angles(dyn, trial, t, fixed_names)
        if not any(is_same_configuration(dyn, trial, other) for other in modes):
            modes.append(trial)
    if not modes:
        raise loops.error(solution.q[np.argmin(np.nan_to_num(solution.violation, nan=np.inf))])
    return modes


def assemble_along(dyn: Dynamics, leading: Sequence[str], values: np.ndarray) -> np.ndarray:
    """Configurations (rows, nq) with leading coordinates at rows of values, each reached from the one before in one assembly."""
    loops = LoopClosure(dyn, 0.0, tuple(leading))
    columns = [dyn.mechanism.coordinate_names.index(name) for name in leading]
    q, configurations = Start(dyn).close_loops(), list[np.ndarray]()

    def all_loops(part: np.ndarray, rows: np.ndarray) -> tuple[ConfigurationEquations, np.ndarray]:
        return loops, np.ones(len(rows), dtype=bool)

    for target in np.atleast_2d(values):
        solutions, converged = follow_to(all_loops, q[None], target[None], columns, loops.free, 0.0)
        if not converged[0]:
            pose = ", ".join(f"{name} = {x:.6g}" for name, x in zip(leading, target, strict=True))
            raise AssemblyError(
                f"{dyn.mechanism.name}: a configuration with {pose} cannot be reached from the start and the poses before: "
                "the loops do not close there, or a dead centre lies on the way"
            )
        q = solutions[0]
        configurations.append(q)
    return np.array(configurations)


def _start_and_fixed(dyn: Dynamics, q0: State, fixed: FixedCoordinates) -> tuple[np.ndarray, tuple[str, ...]]:
    """The start of the search, and the names of the fixed coordinates."""
    state = state_arguments.as_configuration(dyn.mechanism, q0)
    fixed = fixed if isinstance(fixed, Mapping) else texts(fixed, "fixed")
    places = single_coordinates(dyn.mechanism)
    for name in fixed:
        if name not in places:
            raise ArgumentError(unknown_name_message("coordinate", name, places), where=ArgumentName("fixed"))
        if isinstance(fixed, Mapping):
            state.q[places[name][0]] = state_arguments.as_number(dyn.mechanism, fixed[name], (ArgumentName("fixed"), repr(name)))
    return state.q, tuple(fixed) or state.fixed_coordinates
