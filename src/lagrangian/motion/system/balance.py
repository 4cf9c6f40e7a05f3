"""What the energy balance of a motion is made of, and the drift of its constraints, traced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lagrangian.algorithms import springs
from lagrangian.algorithms.constraints.cholesky import dot
from lagrangian.algorithms.constraints.constrained_dynamics import MechanismState
from lagrangian.algorithms.energy import KINETIC_ENERGY, POTENTIAL_ENERGY
from lagrangian.algorithms.sweep import run
from lagrangian.kernels.programs.constraints import constraint_depends_on_time, traced_state
from lagrangian.kernels.trace.node import Graph
from lagrangian.model.constraint import PfaffianConstraint
from lagrangian.model.expression import functions as f
from lagrangian.model.mechanism import Mechanism

if TYPE_CHECKING:
    from lagrangian.motion.system.system import System

# the order of what `balance_terms` gives
POWER, KINETIC, POTENTIAL, DRIFT = range(4)
TERMS = 4


def balance_terms(system: System, graph: Graph) -> list[Any]:
    """The power of all that does work beside the potential energy; both energies; the largest violation of a constraint."""
    # energies need the true inertias, not the regrouped ones
    state = traced_state(graph, system.true_structure, graph.input("t", 0), decision_time=system.decided(graph))
    kinetic, potential = run(KINETIC_ENERGY, state.tree, state.links)[0], run(POTENTIAL_ENERGY, state.tree, state.links)[0]
    if system.mechanism.springs:
        potential = potential + springs.energy(state.mechanism, state.world, state.coordinates_by_name)
    drift: Any = 0.0
    for row in state.rows:
        if row.eta is not None:
            drift = f.maximum(drift, f.absolute(row.eta))
    return [_power(system, graph, state), kinetic, potential, drift]


def _power(system: System, graph: Graph, state: MechanismState) -> Any:
    """Of torques, wrenches and friction, and of constraints that move. What holds a joint does no work."""
    driving, friction = system.forces.driven(graph, state), system.forces.friction(graph, state)
    power = dot([a - b for a, b in zip(driving, friction, strict=True)], state.qd)
    if moves_constraints(system.mechanism):
        multipliers = system.solved(graph, state)[1]
        for row, force in zip(state.rows, multipliers, strict=True):
            moving = row.rate - dot(list(row.psi.values()), [state.qd[k] for k in row.psi])
            power = power - force * moving
    return power


def moves_constraints(mechanism: Mechanism) -> bool:
    """Whether some constraint moves by itself, and so does work: with time, or at a constant rate."""
    return bool(moving_constraints(mechanism))


def moving_constraints(mechanism: Mechanism) -> list[str]:
    """The names of those that do; a Python function may give anything."""
    return [
        c.name
        for c in mechanism.constraints
        if constraint_depends_on_time(c) or (isinstance(c, PfaffianConstraint) and c.phi != 0)
    ]
