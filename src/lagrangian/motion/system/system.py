"""A mechanism's motion as a first-order system, traced: y = (q, qd), y' = rates(t, y, u), with what keeps it on its constraints.

`u` is what Python may change during a run (`Inputs`): torques and wrenches from outside, and whether joints are held that can be.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lagrangian.algorithms import springs
from lagrangian.algorithms.constraints.articulated import ArticulatedConstraints, prefers_articulated_bodies
from lagrangian.algorithms.constraints.cholesky import dot
from lagrangian.algorithms.constraints.constrained_dynamics import ConstrainedDynamics, GroupRanks, MechanismState
from lagrangian.algorithms.constraints.rows import ConstraintRow, coordinate_rates
from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS, LOCKED_DYNAMICS
from lagrangian.algorithms.regroup import regroup
from lagrangian.algorithms.samples import sample_evaluator, with_samples
from lagrangian.algorithms.structure import SlotNumbers, Structure, canonical_form, tree_samples
from lagrangian.algorithms.sweep import run
from lagrangian.algorithms.tree import Tree
from lagrangian.algorithms.tree_factorisation import TreeLDL
from lagrangian.cached import cached_property
from lagrangian.kernels.programs.constraints import digest, traced_state, weight_slots
from lagrangian.kernels.programs.sweeps import MAX_FACTORISED_SPEEDS, links_at_state
from lagrangian.kernels.trace.derivative import derivatives, directional_derivative
from lagrangian.kernels.trace.node import Graph
from lagrangian.model.event import DEAD_CENTRE, EventCondition, KinkCondition, PullCondition, SwitchCondition
from lagrangian.model.expression import Expression
from lagrangian.model.expression import functions as f
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion import dead_centre
from lagrangian.motion.settings import Stabilisation
from lagrangian.motion.system.event_table import EventTable, ModeChange, Watched
from lagrangian.motion.system.forces import Forces
from lagrangian.motion.system.holdable import Holdable
from lagrangian.motion.system.inputs import HELD, Inputs
from lagrangian.motion.system.large import too_large
from lagrangian.motion.system.mode_events import contact_event, lock_event, mode_event
from lagrangian.motion.system.slotted import Slotted
from lagrangian.motion.system.traced import TracedTorques
from lagrangian.motion.torque import Torque


class System:
    """Everything compiled code needs to know about a motion."""

    def __init__(
        self,
        mechanism: Mechanism,
        tree: Tree,
        torque: Torque,
        stabilisation: Stabilisation,
        table: EventTable | None = None,
        holdable: Sequence[Holdable] = (),
        redundant: bool = False,
        ranks: GroupRanks = (),
        massless: bool | None = None,
        bodies: Sequence[str] = (),
    ) -> None:
        """`massless` says whether links without mass make the mass matrix singular; it is found out where nobody knows.

        `bodies` are those whose places somebody will ask for.
        """
        self.mechanism, self.torque = mechanism, torque
        self._made_from: tuple[Any, ...] = (tree, torque, stabilisation, table, tuple(holdable), redundant, ranks, massless)
        self.holdable = tuple(holdable)
        self.true_tree = _without_coulomb(tree)
        self.tree = regroup(self.true_tree)
        self.stabilisation, self.redundant, self.ranks = stabilisation, redundant, ranks
        self.table = table if table is not None else EventTable(holdable=self.holdable)
        self.nq, self.nv = tree.nq, tree.nv
        self.size = self.nq + self.nv
        self.inputs = Inputs(self.nv, len(self.holdable), len(torque.wrenches))
        self.numbers = SlotNumbers(tree_samples(tree))
        bodies = [*bodies, *(wrench.frame.body for wrench in torque.wrenches)]
        self.structure = Structure(mechanism, self.tree, self.numbers, bodies)
        self.true_structure = Structure(mechanism, self.true_tree, self.numbers, bodies)
        self.slotted = Slotted.of(mechanism, torque, self.holdable, self.table, self.numbers)
        self._weights = {} if massless is False else weight_slots(mechanism, self.tree, self.numbers)
        traced = None if torque.traced is None else TracedTorques(torque.traced, self.nq, self.nv, self.numbers)
        self.forces = Forces(mechanism, torque, self.inputs, self.slotted, traced)
        self.angles = tree.angles
        self.constrained = bool(mechanism.equation_count)
        self.turning = any(j.kind.quaternion for j in mechanism.joints)
        self.projects = self.turning or (self.constrained and stabilisation.kind == "projection")

    @cached_property
    def large(self) -> bool:
        return too_large(self)

    @cached_property
    def key(self) -> tuple[bytes, bytes]:
        """What its code depends on: the mechanism's structure, and that of all else; numbers are read."""
        known = [entry.event.when if isinstance(entry, Watched) else entry for entry in self.table.compiled]
        parts = (
            canonical_form(self.slotted.formulas),
            [(canonical_form(w.frame), canonical_form(w.entries), w.called is not None) for w in self.slotted.wrenches],
            canonical_form(self.slotted.efforts),
            canonical_form(self.slotted.holdable),
            [canonical_form(self.slotted.when.get(k, x)) for k, x in enumerate(known)],
            len(self.table.functions),
            canonical_form(self._weights),
            canonical_form(self.slotted.no_force),
            self.torque.external,
            self.torque.adjustable,
            self.stabilisation,
            self.redundant,
            self.ranks,
        )
        names = (self.mechanism.coordinate_names, self.mechanism.speed_names)
        known_by = hashlib.sha256(repr((parts, names)).encode())
        if self.forces.traced is not None:
            known_by.update(self.forces.traced.key.encode())
        return digest(self.structure) + self.true_structure.digest, known_by.digest()

    @property
    def weighted(self) -> bool:
        """Whether some of its numbers are found from the mechanism as it is, and not from its expressions: see `massless`."""
        return bool(self._weights)

    def sampled(self, parameters: Mapping[str, np.ndarray], slopes: bool = False, bodies: Sequence[str] = ()) -> System:
        """The same over samples of parameters, one value of each a sample: `numbers.rows` are what a run reads, a sample a row.

        It has a structure of its own where a parameter is zero in some samples: numbers that depend on them are never structure.
        """
        count = len(next(iter(parameters.values())))
        mechanism, values = sample_evaluator(self.mechanism, parameters, slopes)
        tree, torque, *others = self._made_from
        return System(mechanism, with_samples(mechanism, tree, values, count), torque, *others, bodies)  # type: ignore[call-arg]

    # -- equations ---------------------------------------------------------------------------------------------------

    def state(self, graph: Graph) -> MechanismState:
        """The mechanism at the state that is the graph's input."""
        state = traced_state(graph, self.structure, graph.input("t", 0), decision_time=self.decided(graph))
        state.relative = self.propagated
        return state

    def decided(self, graph: Graph) -> Any:
        """The time at which functions of time that jump are decided."""
        return graph.input("u", self.inputs.decided)

    def held(self, graph: Graph) -> dict[int, Any]:
        """By their speeds, of all joints that can be held, whether they are: 1 or 0."""
        return {joint.speed: self.forces.of_joint(graph, j, HELD) for j, joint in enumerate(self.holdable)}

    def acting(self, graph: Graph, state: MechanismState) -> list[Any]:
        """All forces from outside and all dry friction, along the speeds."""
        found = self.forces.driven(graph, state)
        for j, joint in enumerate(self.holdable):
            if joint.friction is not None:
                found[joint.speed] = found[joint.speed] - self.forces.dry(graph, state, j)
        return found

    def solved(
        self, graph: Graph, state: MechanismState, gamma: list[Any] | None = None
    ) -> tuple[list[Any], list[Any], list[Any], ConstrainedDynamics | ArticulatedConstraints | None]:
        """Accelerations, the multipliers of all constraints, what holds each speed; and the constraints' system, if any."""
        tau, held = self.acting(graph, state), self.held(graph)
        if not self.constrained:
            return *self._open(graph, state, tau, held), None
        system = self._constraints(state, held)
        force = [a - b for a, b in zip(tau, state.bias, strict=True)]
        gammas = [self._gamma(row) for row in system.rows] if gamma is None else gamma
        qdd, found, holding = system.acceleration(force, gammas)
        of = dict(zip((id(row) for row in system.rows), found, strict=True))
        return qdd, [of.get(id(row), 0) for row in state.rows], holding, system

    @cached_property
    def propagated(self) -> bool:
        """Whether the equations are solved from link to link, and not through the mass matrix."""
        kept = self.constrained and self.stabilisation.kind == "projection"
        return kept and prefers_articulated_bodies(self.mechanism, self.tree) and not self._weights

    def _constraints(self, state: MechanismState, held: dict[int, Any]) -> ConstrainedDynamics | ArticulatedConstraints:
        if self.propagated:
            return ArticulatedConstraints(state, state.rows, self.redundant, held, self.ranks)
        read = {name: state.tree.reader.number(w) for name, w in self._weights.items()}
        return ConstrainedDynamics(state, state.rows, self.redundant, held, self.ranks, read)

    def _gamma(self, row: ConstraintRow) -> Any:
        if self.stabilisation.kind != "baumgarte":
            return row.gamma
        gamma = row.gamma + (2 * self.stabilisation.alpha) * row.rate
        return gamma if row.eta is None else gamma + self.stabilisation.beta**2 * row.eta

    def _open(
        self, graph: Graph, state: MechanismState, tau: list[Any], held: dict[int, Any]
    ) -> tuple[list[Any], list[Any], list[Any]]:
        """Without constraints: through the mass matrix where it is small, by articulated bodies where not."""
        n = self.nv
        if n <= MAX_FACTORISED_SPEEDS // 2 or self.mechanism.springs:
            factors = TreeLDL(state.tree, state.mass_matrix, locked=held) if held else state.factors
            half = factors.solve_transposed([a - b for a, b in zip(tau, state.bias, strict=True)])
            qdd = factors.back_substitute(half)
            return qdd, [], factors.locking_torques(half, qdd)
        made = links_at_state(state.tree, ("q", "qd"), graph.input, lambda x: x.cos(), lambda x: x.sin())
        for link in made:
            mine = range(link.iv, link.iv + link.nv)
            link.tau, link.locked = tuple(tau[k] for k in mine), tuple(held.get(k, 0) for k in mine)
        found = run(LOCKED_DYNAMICS if held else FORWARD_DYNAMICS, state.tree, made)
        return found[:n], [], found[n:] or [0] * n

    # -- what is compiled --------------------------------------------------------------------------------------------

    def rates(self, graph: Graph) -> list[Any]:
        state = self.state(graph)
        gamma: list[Any] | None = None
        if self.constrained and self.stabilisation.kind == "ggl":
            state, gamma = self._kept_speeds(graph, state)
        qdd = self.solved(graph, state, gamma)[0]
        return [*coordinate_rates(self.mechanism, state.q, state.qd), *qdd]

    def _kept_speeds(self, graph: Graph, state: MechanismState) -> tuple[MechanismState, list[Any]]:
        """Gear, Gupta and Leimkuhler 1985: everything moves by speeds that keep the constraints; qd's own error fades.

        With c the corrected speeds, d/dt (Psi qd) = Psi qdd + Psi'(c) qd, and Psi'(c) (qd - c) is found from gamma, which is
        quadratic in the speeds, by polarisation. What is left of the rate falls as exp(-2 alpha t).
        """
        system = self._constraints(state, self.held(graph))
        moved = system.correction([row.rate for row in system.rows])
        kept = self._with_speeds(graph, state, [a + b for a, b in zip(state.qd, moved, strict=True)])
        other = self._with_speeds(graph, state, [a + 2 * b for a, b in zip(state.qd, moved, strict=True)])
        gamma = [
            c.gamma + 0.25 * (row.gamma - o.gamma) + (2 * self.stabilisation.alpha) * row.rate
            for row, c, o in zip(state.rows, kept.rows, other.rows, strict=True)
            if row.psi
        ]
        return kept, gamma

    def _with_speeds(self, graph: Graph, state: MechanismState, qd: list[Any]) -> MechanismState:
        """The same configuration with other speeds."""
        made = links_at_state(state.tree, ("q",), graph.input, lambda x: x.cos(), lambda x: x.sin())
        for link in made:
            link.qd = tuple(qd[link.iv + k] for k in range(link.nv))
        return MechanismState(state.mechanism, state.tree, made, state.q, qd, state.t, state.decision_time)

    @property
    def second_order(self) -> bool:
        """Whether q' = qd: then only the accelerations have derivatives to be found."""
        return not self.turning and self.stabilisation.kind != "ggl"

    def jacobian(self, graph: Graph) -> list[Any]:
        """d rates / dy by rows, then d rates / dt: exact. Of a second-order system, of the accelerations only."""
        outputs = self.rates(graph)[self.nq if self.second_order else 0 :]
        inputs = [graph.input("q", k) for k in range(self.nq)] + [graph.input("qd", k) for k in range(self.nv)]
        rows = derivatives(graph, outputs, [*inputs, graph.input("t", 0)])
        return [x for row in rows for x in row[:-1]] + [row[-1] for row in rows]

    def momenta(self, graph: Graph) -> list[Any]:
        """p = M qd."""
        state, n = self.state(graph), self.nv
        return [dot(state.mass_matrix[i * n : (i + 1) * n], state.qd) for i in range(n)]

    def canonical(self, graph: Graph) -> list[Any]:
        """q' and p' of coordinates and momenta, the latter in the place of qd: p' = tau - C qd - G - F + M' qd."""
        n = self.nv
        momenta = [graph.input("qd", k) for k in range(n)]
        # M depends on coordinates alone: the speeds are found from it first, then all else from them
        still = traced_state(graph, self.structure, graph.input("t", 0), moving=False, decision_time=self.decided(graph))
        qd = still.factors.solve(momenta)
        state = self._with_speeds(graph, still, qd)
        tau = self.forces.driven(graph, state)
        seeds = {x.index: qd[k] for k, x in enumerate(still.q)}
        growth = directional_derivative(graph, still.mass_matrix, seeds)
        rates = [tau[i] - state.bias[i] + dot(growth[i * n : (i + 1) * n], qd) for i in range(n)]
        return [*qd, *rates]

    def project(self, graph: Graph) -> list[Any]:
        """The state moved onto the constraints, its rates, the size of the move, and how independent the constraints are.

        One factorisation serves accelerations and both corrections, each the smallest as M measures it.
        """
        state = self.state(graph)
        qdd, _, _, system = self.solved(graph, state)
        q, qd = list(state.q), list(state.qd)
        moved: Any = 0.0
        ratio: Any = 1.0
        if system is not None and self.stabilisation.kind == "projection":
            dq = system.correction([0 if row.eta is None else row.eta for row in system.rows])
            dqd = system.correction([row.rate for row in system.rows])
            q = [a + b for a, b in zip(q, coordinate_rates(self.mechanism, q, dq), strict=True)]
            qd = [a + b for a, b in zip(qd, dqd, strict=True)]
            for x in (*dq, *dqd):
                moved = f.maximum(moved, f.absolute(x))
            ratio = system.ratio
        q = self._normalised(q)
        return [*q, *qd, *coordinate_rates(self.mechanism, q, qd), *qdd, moved, ratio]

    def normalised(self, graph: Graph) -> list[Any]:
        state = self.state(graph)
        return [*self._normalised(list(state.q)), *state.qd]

    def _normalised(self, q: list[Any]) -> list[Any]:
        found: list[Any] = []
        iq = 0
        for joint in self.mechanism.joints:
            found += joint.kind.normalise_coordinates(q[iq : iq + joint.kind.nq])
            iq += joint.kind.nq
        return found

    def coordinate_rates(self, graph: Graph) -> list[Any]:
        """q'."""
        q, qd = ([graph.input(name, k) for k in range(count)] for name, count in (("q", self.nq), ("qd", self.nv)))
        return coordinate_rates(self.mechanism, q, qd)

    @property
    def responds(self) -> bool:
        """Whether its `response` is among what is compiled for a run."""
        return self.table.has_forces or self.large

    @property
    def responses(self) -> int:
        """How many numbers `response` gives."""
        return 2 * self.nv + self.mechanism.equation_count

    def response(self, graph: Graph) -> list[Any]:
        """To all that acts: the accelerations, the multipliers of the constraints, and what holds each speed."""
        qdd, multipliers, holding, _ = self.solved(graph, self.state(graph))
        return [*qdd, *multipliers, *holding]

    def event_values(self, graph: Graph) -> list[Any]:
        """What is zero where an event takes place, of all that are compiled; the `response` is an input of its own."""
        state = self.state(graph)
        # what jumps does so here: that is what is looked for
        names = {name: x for name, x in self.forces.names(state).items() if name != f.DECISION_TIME}
        response = [graph.input("response", k) for k in range(self.responses)]
        multipliers, holding = response[self.nv : -self.nv], response[self.responses - self.nv :]
        values = []
        for number, entry in enumerate(self.table.compiled):
            if isinstance(entry, ModeChange) and entry.what == HELD:
                values.append(lock_event(self.forces, graph, state, entry.joint, response[: self.nv]))
            elif isinstance(entry, ModeChange):
                values.append(mode_event(self.forces, graph, state, entry, holding))
            else:
                values.append(self._watched(state, self.slotted.when[number], names, multipliers))
        return values

    def _watched(self, state: MechanismState, when: EventCondition, names: dict[str, Any], multipliers: Sequence[Any]) -> Any:
        if isinstance(when, PullCondition):
            return contact_event(self.forces, state, when, multipliers)
        if isinstance(when, KinkCondition):
            return springs.kink_quantities(state.world, state.mechanism.springs[when.spring], state.coordinates_by_name)[
                when.index
            ]
        if when is DEAD_CENTRE:
            return dead_centre.determinant(self.mechanism, state.rows)
        when = when.argument if isinstance(when, SwitchCondition) else when
        assert isinstance(when, (int, float, Expression))
        return f.evaluate(when, names)


def _without_coulomb(tree: Tree) -> Tree:
    """Dry friction is not a function of the state at rest: it is a matter of the modes, not of the traced equations."""
    none = np.zeros_like(tree.constants["coulomb_positive"])
    lanes = None if tree.sample_tree is None else _without_coulomb(tree.sample_tree)
    return replace(tree, constants={**tree.constants, "coulomb_positive": none, "coulomb_negative": none}, sample_tree=lanes)
