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
    progress: Callable[[float, float], None] | None = None,
) -> Equations:
    """The equations of motion of a mechanism, by Lagrange's formulation, exact.

    Named parameters stay names and numbers become exact fractions. `symbols="inertial"` names the ten inertial parameters of
    every link (m, m c, I about its frame's origin), the rotors and gravity; `symbols="all"` the lengths too. Joints of several
    coordinates become several of one. A derivation forecast to take more than `limit` seconds is refused, with what it would
    cost, and one that takes more is given up; `progress(done, total)` is told how far it is; without it, the terminal is, if it
    takes longer than a second.
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


def _counted(progress: Callable[[float, float], None]) -> lagrange.Tick:
    """Told the stage and the share of it that is done, it tells how many of all stages are."""
    seen: list[str] = []

    def tick(stage: str, share: float) -> None:
        if stage not in seen:
            seen.append(stage)
        progress(min(len(seen) - 1 + share, STAGES), STAGES)

    return tick
