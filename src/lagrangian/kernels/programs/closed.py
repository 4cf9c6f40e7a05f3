"""Programs of mechanisms with loops and other constraints: accelerations and multipliers, Psi, gamma, eta."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from lagrangian.algorithms.closed import constraints
from lagrangian.algorithms.closed.constrained import Constrained, State
from lagrangian.algorithms.closed.massless import weights_of
from lagrangian.algorithms.closed.propagated import Propagated, closings, propagates
from lagrangian.algorithms.closed.world import FreeWorld
from lagrangian.algorithms.regroup import regroup
from lagrangian.algorithms.structure import Numbers, Structure, samples_of
from lagrangian.algorithms.tree import Tree
from lagrangian.cached import cached_property
from lagrangian.kernels.program import Straight
from lagrangian.kernels.programs.sweeps import links, numbered
from lagrangian.kernels.trace.node import Graph, Trace
from lagrangian.model.constraint import Constraint, Holonomic, Pfaffian, PfaffianFunction
from lagrangian.model.expression import Scalar, free_symbols
from lagrangian.model.mechanism import Mechanism


def depends_on_time(mechanism: Mechanism) -> bool:
    """Whether its constraints do."""
    return any(of_time(constraint) for constraint in mechanism.constraints)


def of_time(constraint: Constraint) -> bool:
    """Whether a constraint says something of the time; a Python function may."""
    match constraint:
        case Pfaffian():
            scalars = [constraint.phi, *(c for _, c in constraint.coefficients)]
        case Holonomic():
            scalars = [constraint.equation]
        case _:
            return isinstance(constraint, PfaffianFunction)
    return any("t" in free_symbols(x) for x in scalars)


def traced_state(graph: Graph, structure: Structure, t: Any = 0, moving: bool = True, decided: Any = None) -> State:
    """The mechanism at the state that is the graph's input, with its numbers as inputs; at rest, if not `moving`."""
    tree = numbered(graph, structure)
    state = links(tree, ("q", "qd") if moving else ("q",), graph.input, lambda x: x.cos(), lambda x: x.sin())
    q = [graph.input("q", k) for k in range(tree.nq)]
    qd = [graph.input("qd", k) if moving else 0 for k in range(tree.nv)]
    return State(structure.mechanism, tree, state, q, qd, t, decided)


def digest(structure: Structure) -> bytes:
    """Of all that the equations of motion depend on, but for numbers."""
    found = hashlib.sha256(structure.digest)
    if any(isinstance(c, PfaffianFunction) for c in structure.mechanism.constraints):
        # a function is known by what it does
        graph = Graph()
        rows = traced_state(graph, structure, graph.input("t", 0)).rows
        trace = Trace(graph, [x for row in rows for x in (row.rate, row.gamma, *row.psi.values())])
        found.update(repr((trace.nodes, trace.outputs)).encode())
    return found.digest()


Pattern = tuple[list[int], list[int]]


class ClosedPrograms:
    """The programs of one mechanism."""

    def __init__(self, mechanism: Mechanism, tree: Tree) -> None:
        self.tree = regroup(tree)
        numbers = Numbers(samples_of(tree))
        self._structure = Structure(mechanism, self.tree, numbers)
        self.weights = weights(mechanism, self.tree, numbers)
        self.timed = depends_on_time(mechanism)
        self.deep = propagates(mechanism, self.tree)
        # which equations there are, and what they are called, shows when they are written once
        rows = self._rows(relative=self.deep)
        self.names = tuple(row.name for row in rows)
        self.holonomic = tuple(row.eta is not None for row in rows)
        self.says = tuple(bool(row.psi) for row in rows)  # those without speeds say nothing
        self.relative_pattern = _pattern(rows)

    @cached_property
    def pattern(self) -> Pattern:
        """Rows and speeds of Psi's entries."""
        return _pattern(self._rows(relative=False)) if self.deep else self.relative_pattern

    @property
    def elimination_order(self) -> list[int]:
        """The rows in the order in which their multipliers are eliminated."""
        speeds: list[list[int]] = [[] for _ in self.names]
        for i, k in zip(*self.relative_pattern, strict=True):
            speeds[i].append(k)
        rows = list(zip(self.names, speeds, strict=True))
        return [i for some in closings(self.tree, rows).values() for i in some] if self.deep else list(range(len(rows)))

    def _rows(self, relative: bool) -> list[constraints.Row]:
        graph = Graph()
        state = traced_state(graph, self._structure, self._time(graph))
        state.relative = relative
        return state.rows

    def _time(self, graph: Graph) -> Any:
        return graph.input("t", 0) if self.timed else 0

    def _program(
        self,
        name: str,
        inputs: Sequence[str],
        size: int,
        outputs: Callable[[Graph, State], list[Any]],
        relative: bool = False,
    ) -> Straight:
        """`relative` where Psi is of no concern, or is asked for so: see `constraints.rows`."""
        sizes = {n: {"q": self.tree.nq, "t": 1}.get(n, self.tree.nv) for n in (*inputs, *(("t",) if self.timed else ()))}

        def traced(graph: Graph) -> list[Any]:
            state = traced_state(graph, self._structure, self._time(graph), "qd" in inputs)
            state.relative = relative
            return outputs(graph, state)

        return Straight(name, sizes, size, self.tree.angles, traced, self._digest, self._structure.numbers)

    @cached_property
    def _digest(self) -> bytes:
        return digest(self._structure) + repr(sorted(self.weights)).encode()

    def acceleration(self) -> Straight:
        """(qdd, lambda), one after the other."""

        def outputs(graph: Graph, state: State) -> list[Any]:
            qdd, multipliers = self._solved(state, graph)
            return [*qdd, *multipliers]

        return self._program("constrained_dynamics", ("q", "qd", "tau"), self.tree.nv + len(self.names), outputs)

    def forward_dynamics(self) -> Straight:
        return self._program("forward_dynamics", ("q", "qd", "tau"), self.tree.nv, lambda g, s: self._solved(s, g)[0])

    def jacobian(self) -> Straight:
        """The entries of Psi that are not always zero, at the places of `pattern`."""

        def outputs(graph: Graph, state: State) -> list[Any]:
            return [state.rows[i].psi[k] for i, k in zip(*self.pattern, strict=True)]

        return self._program("constraint_jacobian", ("q",), len(self.pattern[0]), outputs)

    def relative_jacobian(self) -> Straight:
        """The same of Psi without the joints that carry a loop as a whole, at the places of `relative_pattern`."""

        def outputs(graph: Graph, state: State) -> list[Any]:
            return [state.rows[i].psi[k] for i, k in zip(*self.relative_pattern, strict=True)]

        return self._program("relative_jacobian", ("q",), len(self.relative_pattern[0]), outputs, relative=True)

    def closure(self) -> Straight:
        def outputs(graph: Graph, state: State) -> list[Any]:
            return [row.eta for row in state.rows if row.eta is not None]

        return self._program("closure", ("q",), sum(self.holonomic), outputs, relative=True)

    def rate(self) -> Straight:
        return self._program("constraint_rate", ("q", "qd"), len(self.names), lambda g, s: [row.rate for row in s.rows], True)

    def bias(self) -> Straight:
        return self._program("constraint_bias", ("q", "qd"), len(self.names), lambda g, s: [row.gamma for row in s.rows], True)

    def position_correction(self) -> Straight:
        """The smallest step along the speeds, measured by M, that closes what is open: one step of Newton's method, from q."""

        def outputs(graph: Graph, state: State) -> list[Any]:
            return self._system(state).correction([row.eta if row.eta is not None else 0 for row in state.rows if row.psi])

        return self._program("position_correction", ("q",), self.tree.nv, outputs)

    def speed_correction(self) -> Straight:
        """The smallest change of the speeds, measured by M, with which they keep the constraints, from q and qd."""

        def outputs(graph: Graph, state: State) -> list[Any]:
            return self._system(state).correction([row.rate for row in state.rows if row.psi])

        return self._program("speed_correction", ("q", "qd"), self.tree.nv, outputs)

    def _system(self, state: State) -> Constrained:
        read = {name: state.tree.read.number(w) for name, w in self.weights.items()}
        return Constrained(state, state.rows, redundant=True, weights=read)

    def _solved(self, state: State, graph: Graph) -> tuple[list[Any], list[Any]]:
        """qdd, and a multiplier for every row: 0 for those that say nothing. Rows may depend on each other anywhere."""
        system: Constrained | Propagated
        if self.deep and not self.weights:
            state.relative = True
            system = Propagated(state, state.rows, redundant=True)
        else:
            system = self._system(state)
        force = [graph.input("tau", k) - b for k, b in enumerate(state.bias)]
        qdd, found, _ = system.acceleration(force, [row.gamma for row in system.rows])
        of = dict(zip((id(row) for row in system.rows), found, strict=True))
        return qdd, [of.get(id(row), 0) for row in state.rows]


def _pattern(rows: Sequence[constraints.Row]) -> Pattern:
    places = [(i, k) for i, row in enumerate(rows) for k in row.psi]
    return [i for i, _ in places], [k for _, k in places]


def weights(mechanism: Mechanism, tree: Tree, numbers: Numbers) -> dict[str, Scalar]:
    """Slots for the weights of constraint equations, where links without mass make the mass matrix singular: see `massless`."""
    return {name: numbers.scalar(weight) for name, weight in weights_of(mechanism, tree).items()}


def wrenches(mechanism: Mechanism, tree: Tree) -> Straight:
    """What the multipliers put on every link: (moment about the world's origin, force), from q, lambda and t."""
    timed = depends_on_time(mechanism)
    m, structure = mechanism.equations, Structure(mechanism, tree)
    sizes = {"q": tree.nq, "multipliers": m, **({"t": 1} if timed else {})}

    def outputs(graph: Graph) -> list[Any]:
        state = traced_state(graph, structure, graph.input("t", 0) if timed else 0, moving=False)
        world = FreeWorld(state.tree, state.links)
        total: list[Any] = [0] * (6 * len(tree))
        for i, row in enumerate(constraints.rows(state.mechanism, world, state.coordinates)):
            for key, slope in row.psi.items():
                if isinstance(key, tuple):  # slopes along a coordinate of its own are forces at that joint
                    link, c = key
                    total[6 * link + c] = total[6 * link + c] + graph.input("multipliers", i) * slope
        return total

    numbers = structure.numbers
    return Straight("constraint_wrenches", sizes, (len(tree), 6), tree.angles, outputs, digest(structure), numbers)
