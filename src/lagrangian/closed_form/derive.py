"""`lagrangian.derive`: the equations of motion of a mechanism in closed form."""

from __future__ import annotations

from collections.abc import Callable

from lagrangian.arguments import number
from lagrangian.closed_form.cost import Deadline, TerminalProgress, check_cost, check_early, forecast
from lagrangian.closed_form.equations import EquationsOfMotion
from lagrangian.description.mechanism_like import MechanismLike, as_mechanism
from lagrangian.equations.derivations import lagrange
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.model.single_coordinate import refuse_friction_planes, with_single_coordinates
from lagrangian.proof.prove import DerivedEquations

# the longest time in s that a derivation may take unless the caller gives another limit
DEFAULT_LIMIT = 600.0
STAGES = 3  # of a derivation: velocities, mass matrix, Christoffel symbols


def derive(
    mechanism: MechanismLike,
    symbols: str = "given",
    *,
    limit: float | None = DEFAULT_LIMIT,
    progress: Callable[[float, float], object] | None = None,
) -> EquationsOfMotion:
    """Derive the equations of motion of a mechanism in closed form.

    Lagrange's formulation is carried out exactly: every entry is a polynomial in sines, cosines, coordinates, speeds and
    parameters. Named parameters stay names and numbers become exact fractions. Joints with several coordinates become several
    joints with one coordinate each.

    Parameters
    ----------
    mechanism : Mechanism, str or path
        The mechanism: an object, the name of a library mechanism, or a file in any supported format.
    symbols : {"given", "inertial", "all"}, default "given"
        Which quantities are symbols. `"given"` keeps the names of the description. `"inertial"` names the ten inertial parameters
        of every link (m, m c, I about the origin of its frame), the rotors and gravity. `"all"` names the lengths as well.
    limit : float or None, default 600.0
        Longest time in seconds. A derivation that is forecast to take longer is not begun, and one that takes longer is stopped.
        None sets no limit.
    progress : callable, optional
        A function `progress(done, total)` that is called now and then. Without it, a derivation of more than a second reports
        its progress in the terminal.

    Returns
    -------
    EquationsOfMotion
        The equations of motion.

    Raises
    ------
    CostLimitError
        The derivation would take longer than `limit`. The message gives the forecast of time, terms and memory.
    MechanismError
        The mechanism has an element without exact equations, such as a wall or Coulomb friction in a plane.
    DescriptionError
        The file or the name does not describe a mechanism.

    See Also
    --------
    compile : Compile the dynamics into machine code; this has no limit on size.

    Examples
    --------
    >>> import lagrangian as lg
    >>> eom = lg.derive("two_r")
    >>> print(eom.M)
    M11 = m1*r1^2 + m2*(l1^2 + r2^2 + 2*l1*r2*c2) + I1 + I2
    M12 = m2*(r2^2 + l1*r2*c2) + I2
    M22 = m2*r2^2 + I2
    >>> print(eom.rows[1])
    (m2*(r2^2 + l1*r2*c2) + I2)*qdd1 + (m2*r2^2 + I2)*qdd2 + m2*l1*r2*s2*qd1^2 + m2*r2*g*c12 = tau2
    >>> bool(eom.prove())
    True
    """
    mechanism = as_mechanism(mechanism)
    limit = None if limit is None else number(limit, "limit", least=0.0, infinite=True)
    deadline = Deadline(mechanism.name, limit)
    refuse_friction_planes(mechanism)
    single = with_single_coordinates(mechanism)
    check_early(single, symbols, limit)
    system = SymbolicSystem(single, symbols)
    expected = forecast(system)
    check_cost(expected, limit, mechanism.name, len(system.links))
    terminal = TerminalProgress(mechanism.name, expected)
    tick = deadline.track_stage(_stage_counter(progress) if progress is not None else terminal)
    try:
        with deadline.enforce_on(system.ring):
            jacobians = lagrange.jacobian_columns(system, tick)
            M = lagrange.mass_matrix(system, jacobians, tick)
            V = lagrange.gravity_potential(system)
            christoffel = lagrange.Christoffel(system, M, tick)
        tick("done", 1.0)
    finally:
        terminal.close()
    return EquationsOfMotion(system, DerivedEquations(M, christoffel, lagrange.gradient(system, V), V), jacobians)


def _stage_counter(progress: Callable[[float, float], object]) -> lagrange.StageCallback:
    """A callback for stages that reports the number of finished stages, with the share of the current one, to `progress`."""
    stages: list[str] = []

    def tick(stage: str, share: float) -> None:
        if stage not in stages:
            stages.append(stage)
        progress(min(len(stages) - 1 + share, STAGES), STAGES)

    return tick
