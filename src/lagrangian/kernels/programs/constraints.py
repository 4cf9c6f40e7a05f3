"""Programs of mechanisms with loops and other constraints: accelerations and multipliers, Psi, gamma, eta."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from lagrangian.algorithms.constraints import rows as constraints
from lagrangian.algorithms.constraints.articulated import ArticulatedConstraints, loop_rows_by_link, prefers_articulated_bodies
from lagrangian.algorithms.constraints.constrained_dynamics import ConstrainedDynamics, MechanismState
from lagrangian.algorithms.constraints.world import FreeWorld
from lagrangian.algorithms.regroup import regroup
from lagrangian.algorithms.singular_mass import constraint_weights
from lagrangian.algorithms.structure import SlotNumbers, Structure, tree_samples
from lagrangian.algorithms.tree import Tree
from lagrangian.cached import cached_property
from lagrangian.kernels.program import TracedProgram
from lagrangian.kernels.programs.sweeps import links_at_state, tree_with_number_inputs
from lagrangian.kernels.trace.node import Graph, Trace
from lagrangian.model.constraint import Constraint, HolonomicConstraint, PfaffianConstraint, PfaffianFunctionConstraint
from lagrangian.model.expression import Scalar, free_symbols
from lagrangian.model.mechanism import Mechanism


class ConstraintPrograms:
    """The programs of one mechanism."""

    def __init__(self, mechanism: Mechanism, tree: Tree) -> None:
        self.tree = regroup(tree)
        numbers = SlotNumbers(tree_samples(tree))
        self._structure = Structure(mechanism, self.tree, numbers)
        self.weights = weight_slots(mechanism, self.tree, numbers)
        self.depends_on_time = depends_on_time(mechanism)
        self.uses_propagation = prefers_articulated_bodies(mechanism, self.tree)
        # which equations there are, and what they are called, shows when they are written once
        rows = self._rows(relative=self.uses_propagation)
        self.names = tuple(row.name for row in rows)
        self.holonomic = tuple(row.eta is not None for row in rows)
        self.acts_on_speeds = tuple(bool(row.psi) for row in rows)  # those without speeds say nothing
        self.relative_pattern = _pattern(rows)

    @cached_property
    def pattern(self) -> Pattern:
        """Rows and speeds of Psi's entries."""
        return _pattern(self._rows(relative=False)) if self.uses_propagation else self.relative_pattern

    @property
    def elimination_order(self) -> list[int]:
        """The rows in the order in which their multipliers are eliminated."""
        speeds: list[list[int]] = [[] for _ in self.names]
        for i, k in zip(*self.relative_pattern, strict=True):
            speeds[i].append(k)
        rows = list(zip(self.names, speeds, strict=True))
        return (
            [i for closing_rows in loop_rows_by_link(self.tree, rows).values() for i in closing_rows]
            if self.uses_propagation
            else list(range(len(rows)))
        )

    def _rows(self, relative: bool) -> list[constraints.ConstraintRow]:
        graph = Graph()
        state = traced_state(graph, self._structure, self._time(graph))
        state.relative = relative
        return state.rows

    def _time(self, graph: Graph) -> Any:
        return graph.input("t", 0) if self.depends_on_time else 0

    def _program(
        self,
        name: str,
        inputs: Sequence[str],
        size: int,
        outputs: Callable[[Graph, MechanismState], list[Any]],
        relative: bool = False,
    ) -> TracedProgram:
        """`relative` where Psi is of no concern, or is asked for so: see `constraints.rows`."""
        sizes = {
            n: {"q": self.tree.nq, "t": 1}.get(n, self.tree.nv) for n in (*inputs, *(("t",) if self.depends_on_time else ()))
        }

        def record_outputs(graph: Graph) -> list[Any]:
            state = traced_state(graph, self._structure, self._time(graph), "qd" in inputs)
            state.relative = relative
            return outputs(graph, state)

        return TracedProgram(name, sizes, size, self.tree.angles, record_outputs, self._digest, self._structure.numbers)

    @cached_property
    def _digest(self) -> bytes:
        return digest(self._structure) + repr(sorted(self.weights)).encode()

    def acceleration(self) -> TracedProgram:
        """(qdd, lambda), one after the other."""

        def outputs(graph: Graph, state: MechanismState) -> list[Any]:
            qdd, multipliers = self._solve(state, graph)
            return [*qdd, *multipliers]

        return self._program("constrained_dynamics", ("q", "qd", "tau"), self.tree.nv + len(self.names), outputs)

    def forward_dynamics(self) -> TracedProgram:
        return self._program("forward_dynamics", ("q", "qd", "tau"), self.tree.nv, lambda g, s: self._solve(s, g)[0])

    def jacobian(self) -> TracedProgram:
        """The entries of Psi that are not always zero, at the places of `pattern`."""

        def outputs(graph: Graph, state: MechanismState) -> list[Any]:
            return [state.rows[i].psi[k] for i, k in zip(*self.pattern, strict=True)]

        return self._program("constraint_jacobian", ("q",), len(self.pattern[0]), outputs)

    def relative_jacobian(self) -> TracedProgram:
        """The same of Psi without the joints that carry a loop as a whole, at the places of `relative_pattern`."""

        def outputs(graph: Graph, state: MechanismState) -> list[Any]:
            return [state.rows[i].psi[k] for i, k in zip(*self.relative_pattern, strict=True)]

        return self._program("relative_jacobian", ("q",), len(self.relative_pattern[0]), outputs, relative=True)

    def closure(self) -> TracedProgram:
        """eta of every equation of coordinates."""

        def outputs(graph: Graph, state: MechanismState) -> list[Any]:
            return [row.eta for row in state.rows if row.eta is not None]

        return self._program("closure", ("q",), sum(self.holonomic), outputs, relative=True)

    def rate(self) -> TracedProgram:
        return self._program("constraint_rate", ("q", "qd"), len(self.names), lambda g, s: [row.rate for row in s.rows], True)

    def bias(self) -> TracedProgram:
        return self._program("constraint_bias", ("q", "qd"), len(self.names), lambda g, s: [row.gamma for row in s.rows], True)

    def position_correction(self) -> TracedProgram:
        """The smallest step along the speeds, measured by M, that closes what is open: one step of Newton's method, from q."""

        def outputs(graph: Graph, state: MechanismState) -> list[Any]:
            return self._constrained_system(state).correction(
                [row.eta if row.eta is not None else 0 for row in state.rows if row.psi]
            )

        return self._program("position_correction", ("q",), self.tree.nv, outputs)

    def speed_correction(self) -> TracedProgram:
        """The smallest change of the speeds, measured by M, with which they keep the constraints, from q and qd."""

        def outputs(graph: Graph, state: MechanismState) -> list[Any]:
            return self._constrained_system(state).correction([row.rate for row in state.rows if row.psi])

        return self._program("speed_correction", ("q", "qd"), self.tree.nv, outputs)

    def _constrained_system(self, state: MechanismState) -> ConstrainedDynamics:
        weight_values = {name: state.tree.reader.number(w) for name, w in self.weights.items()}
        return ConstrainedDynamics(state, state.rows, redundant=True, weights=weight_values)

    def _solve(self, state: MechanismState, graph: Graph) -> tuple[list[Any], list[Any]]:
        """qdd, and a multiplier for every row: 0 for those that say nothing. Rows may depend on each other anywhere."""
        system: ConstrainedDynamics | ArticulatedConstraints
        if self.uses_propagation and not self.weights:
            state.relative = True
            system = ArticulatedConstraints(state, state.rows, redundant=True)
        else:
            system = self._constrained_system(state)
        force = [graph.input("tau", k) - b for k, b in enumerate(state.bias)]
        qdd, multipliers, _ = system.acceleration(force, [row.gamma for row in system.rows])
        multiplier_of_row = dict(zip((id(row) for row in system.rows), multipliers, strict=True))
        return qdd, [multiplier_of_row.get(id(row), 0) for row in state.rows]


def constraint_wrench_program(mechanism: Mechanism, tree: Tree) -> TracedProgram:
    """What the multipliers put on every link: (moment about the world's origin, force), from q, lambda and t."""
    is_time_dependent = depends_on_time(mechanism)
    m, structure = mechanism.equation_count, Structure(mechanism, tree)
    sizes = {"q": tree.nq, "multipliers": m, **({"t": 1} if is_time_dependent else {})}

    def outputs(graph: Graph) -> list[Any]:
        state = traced_state(graph, structure, graph.input("t", 0) if is_time_dependent else 0, moving=False)
        world = FreeWorld(state.tree, state.links)
        total: list[Any] = [0] * (6 * len(tree))
        for i, row in enumerate(constraints.constraint_rows(state.mechanism, world, state.coordinates)):
            for key, slope in row.psi.items():
                if isinstance(key, tuple):  # slopes along a coordinate of its own are forces at that joint
                    link, c = key
                    total[6 * link + c] = total[6 * link + c] + graph.input("multipliers", i) * slope
        return total

    numbers = structure.numbers
    return TracedProgram("constraint_wrenches", sizes, (len(tree), 6), tree.angles, outputs, digest(structure), numbers)


def weight_slots(mechanism: Mechanism, tree: Tree, numbers: SlotNumbers) -> dict[str, Scalar]:
    """Slots for the weights of constraint equations, where massless links make the mass matrix singular: see `singular_mass`."""
    return {name: numbers.scalar(weight) for name, weight in constraint_weights(mechanism, tree).items()}


def depends_on_time(mechanism: Mechanism) -> bool:
    """Whether its constraints do."""
    return any(constraint_depends_on_time(constraint) for constraint in mechanism.constraints)


def constraint_depends_on_time(constraint: Constraint) -> bool:
    """Whether a constraint says something of the time; a Python function may."""
    match constraint:
        case PfaffianConstraint():
            scalars = [constraint.phi, *(c for _, c in constraint.coefficients)]
        case HolonomicConstraint():
            scalars = [constraint.equation]
        case _:
            return isinstance(constraint, PfaffianFunctionConstraint)
    return any("t" in free_symbols(x) for x in scalars)


def traced_state(
    graph: Graph, structure: Structure, t: Any = 0, moving: bool = True, decision_time: Any = None
) -> MechanismState:
    """The mechanism at the state that is the graph's input, with its numbers as inputs; at rest, if not `moving`."""
    tree = tree_with_number_inputs(graph, structure)
    state = links_at_state(tree, ("q", "qd") if moving else ("q",), graph.input, lambda x: x.cos(), lambda x: x.sin())
    q = [graph.input("q", k) for k in range(tree.nq)]
    qd = [graph.input("qd", k) if moving else 0 for k in range(tree.nv)]
    return MechanismState(structure.mechanism, tree, state, q, qd, t, decision_time)


def digest(structure: Structure) -> bytes:
    """A hash of all that the equations of motion depend on, except for numbers."""
    hasher = hashlib.sha256(structure.digest)
    if any(isinstance(c, PfaffianFunctionConstraint) for c in structure.mechanism.constraints):
        # a function is known by what it does
        graph = Graph()
        rows = traced_state(graph, structure, graph.input("t", 0)).rows
        trace = Trace(graph, [x for row in rows for x in (row.rate, row.gamma, *row.psi.values())])
        hasher.update(repr((trace.nodes, trace.outputs)).encode())
    return hasher.digest()


Pattern = tuple[list[int], list[int]]


def _pattern(rows: Sequence[constraints.ConstraintRow]) -> Pattern:
    places = [(i, k) for i, row in enumerate(rows) for k in row.psi]
    return [i for i, _ in places], [k for _, k in places]
