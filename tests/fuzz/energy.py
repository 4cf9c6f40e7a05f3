"""Whether the energy of a run is right, apart from what the run says of it."""

from __future__ import annotations

import numpy as np

import lagrangian as lg
from lagrangian.model.constraint import HolonomicConstraint, PfaffianConstraint
from lagrangian.model.expression import free_symbols

FAR = 1e-6  # by what part of its state a run may be off, and of the energy moved: far more than the tolerances promise


def conserves(mechanism: lg.Mechanism, motion: lg.Motion) -> bool:
    """Whether nothing takes or gives energy in this run, which has no torques."""
    rubs = any(float(s.damping) for s in mechanism.springs) or any(j.friction != lg.Friction() for j in mechanism.joints)
    moved = any(
        (isinstance(c, HolonomicConstraint) and "t" in free_symbols(c.equation))
        or (isinstance(c, PfaffianConstraint) and _driven(c))
        for c in mechanism.constraints
    )
    carried = any(isinstance(s, lg.GravityCompensation) for s in mechanism.springs)
    return not (rubs or moved or carried or motion.events)


def _driven(constraint: PfaffianConstraint) -> bool:
    timed = any("t" in free_symbols(x) for _, x in constraint.coefficients)
    return timed or bool(free_symbols(constraint.phi)) or float(constraint.phi) != 0


def off(motion: lg.Motion, dyn: lg.Dynamics) -> tuple[float, float]:
    """By how much the energy is off that should be constant, from the states alone; and how much is far too much."""
    K, V = np.asarray(dyn.kinetic_energy(motion.q, motion.qd)), np.asarray(dyn.potential_energy(motion.q))
    moved = max(float(K.max()), float(V.max() - V.min()), 1e-300)
    forces = np.abs(dyn.gravity(motion.q)).max(axis=0).sum() * (1 + np.abs(motion.q).max(initial=0))
    momenta = np.abs(np.einsum("sij,sj->si", dyn.mass_matrix(motion.q), motion.qd)).max(axis=0).sum() * (
        1 + np.abs(motion.qd).max(initial=0)
    )
    allowed = FAR * (100 * moved + float(forces) + float(momenta)) + 1e-10 * float(np.abs(V).max())
    return float(np.abs(K + V - K[0] - V[0]).max()), allowed
