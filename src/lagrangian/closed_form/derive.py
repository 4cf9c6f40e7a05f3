"""From a mechanism to its equations."""

from __future__ import annotations

from collections.abc import Callable

from lagrangian.arguments import number
from lagrangian.closed_form.cost import Deadline, Progress, check, check_early
from lagrangian.closed_form.equations import Equations
from lagrangian.description.mechanism_of import MechanismLike, mechanism_of
from lagrangian.equations.derivations import lagrange
from lagrangian.equations.reading.system import System
from lagrangian.model.elementary import elementary, refuse_friction_in_planes
from lagrangian.proof.prove import Derived

# a derivation forecast to take longer than this is not begun unless asked for
LIMIT = 600.0
STAGES = 3  # of a derivation: velocities, mass matrix, Christoffel symbols


def derive(
    mechanism: MechanismLike,
    symbols: str = "given",
    *,
    limit: float | None = LIMIT,
    progress: Callable[[float, float], object] | None = None,
) -> Equations:
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
    Equations
        The equations of motion.

    Raises
    ------
    CostError
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
    mechanism = mechanism_of(mechanism)
    limit = None if limit is None else number(limit, "limit", least=0.0, infinite=True)
    deadline = Deadline(mechanism.name, limit)
    refuse_friction_in_planes(mechanism)
    single = elementary(mechanism)
    check_early(single, symbols, limit)
    system = System(single, symbols)
    expected = check(system, limit)
    shown = Progress(mechanism.name, expected)
    tick = deadline.watching(_counted(progress) if progress is not None else shown)
    try:
        with deadline.over(system.ring):
            jacobians = lagrange.columns(system, tick)
            M = lagrange.mass_matrix(system, jacobians, tick)
            V = lagrange.gravity_potential(system)
            christoffel = lagrange.Christoffel(system, M, tick)
        tick("done", 1.0)
    finally:
        shown.close()
    return Equations(system, Derived(M, christoffel, lagrange.gradient(system, V), V), jacobians)


def _counted(progress: Callable[[float, float], object]) -> lagrange.Tick:
    """Told the stage and the share of it that is done, it tells how many of all stages are."""
    seen: list[str] = []

    def tick(stage: str, share: float) -> None:
        if stage not in seen:
            seen.append(stage)
        progress(min(len(seen) - 1 + share, STAGES), STAGES)

    return tick
