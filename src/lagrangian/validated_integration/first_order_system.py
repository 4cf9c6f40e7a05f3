"""The equations of motion of a mechanism without loops, y' = f(t, y), recorded once with exact numbers.

They are the package's own algorithms, run over traced values as for compiled code; but the numbers of the description are read
exactly. y is (q, qd), and where something does work beside gravity and springs, that work besides.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lagrangian.algorithms import springs
from lagrangian.algorithms import tree as trees
from lagrangian.algorithms.constraints.cholesky import dot
from lagrangian.algorithms.constraints.constrained_dynamics import MechanismState
from lagrangian.algorithms.constraints.rows import coordinate_rates
from lagrangian.algorithms.energy import KINETIC_ENERGY, POTENTIAL_ENERGY
from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS
from lagrangian.algorithms.link import Link, is_zero
from lagrangian.algorithms.regroup import regroup
from lagrangian.algorithms.sweep import run
from lagrangian.algorithms.tree import ScalarReader, Tree
from lagrangian.cached import cached_property
from lagrangian.kernels.programs.sweeps import MAX_FACTORISED_SPEEDS, links_at_state
from lagrangian.kernels.trace.derivative import derivatives
from lagrangian.kernels.trace.node import Graph, Node
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.expression import Scalar, free_symbols
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Transform, rotation_z_to
from lagrangian.motion.torque import Torque
from lagrangian.motion.wrench import generalised
from lagrangian.validated_integration.balls import TraceNumbers
from lagrangian.validated_integration.tape import Tape


class BallReader(ScalarReader):
    """Reads the mechanism's scalars into a tree as exact numbers."""

    def __init__(self, numbers: TraceNumbers) -> None:
        self.numbers = numbers

    def placement(self, placement: Transform) -> Transform:
        return Transform(self.numbers.rotation(placement.rotation), self.numbers.vector(placement.position))

    def placements(self, joint: Joint) -> tuple[Transform, Transform]:
        return self.placement(joint.placement), self.placement(joint.child_placement).inverse()

    def axis_rotation(self, joint: Joint, axis: v.Vector) -> v.Matrix:
        return self.numbers.rotation(rotation_z_to(axis))

    def body(self, body: Body) -> tuple[Any, v.Vector, v.Symmetric]:
        return self.numbers.read(body.mass), self.numbers.vector(body.center), self.numbers.vector(body.inertia)

    def rotor_inertia(self, joint: Joint) -> Any:
        ratio = self.numbers.read(joint.rotor.ratio)
        return ratio * ratio * self.numbers.read(joint.rotor.inertia)

    def array(self, column: list[Any]) -> np.ndarray:
        scalars = np.array(column, dtype=object)
        flat = scalars.reshape(-1)
        for k, x in enumerate(flat):
            flat[k] = self.numbers.read(x)
        return scalars

    def rotations(self, R: np.ndarray) -> np.ndarray:
        return R

    def gravity(self, mechanism: Mechanism) -> v.Vector:
        return self.numbers.vector(mechanism.gravity)

    def number(self, scalar: Scalar) -> Any:
        return self.numbers.read(scalar)

    def vector(self, x: v.Vector) -> v.Vector:
        return self.numbers.vector(x)

    def frame_on_link(self, body_placement: Transform, placement: Transform) -> Transform:
        return body_placement @ self.placement(placement)

    def triad(self, axis: v.Vector) -> v.Matrix:
        return self.numbers.rotation(rotation_z_to(axis))


class FirstOrderSystem:
    """The rates f, their Jacobian and the energies of one mechanism with one source of torques, as tapes."""

    def __init__(self, mechanism: Mechanism, torque: Torque) -> None:
        self.mechanism, self.torque = mechanism, torque
        self.graph = Graph()
        self.numbers = TraceNumbers(self.graph)
        self._reader = BallReader(self.numbers)
        self.tree = trees.build_tree(mechanism, reader=self._reader)
        self.nq, self.nv = mechanism.nq, mechanism.nv
        self.t = self.graph.input("t", 0)
        state = self._state(regroup(self.tree))
        tau = self._applied_forces(state)
        power = self._power(state, tau)
        self.has_work = not is_zero(power)
        accelerations = self._accelerations(state, tau)
        self._rates = [*coordinate_rates(mechanism, state.q, state.qd), *accelerations, *([power] if self.has_work else [])]
        self.inputs = [("q", k) for k in range(self.nq)] + [("qd", k) for k in range(self.nv)]

    @property
    def size(self) -> int:
        """The number of entries of y."""
        return len(self._rates)

    # -- recording ---------------------------------------------------------------------------------------------------

    def _state(self, tree: Tree) -> MechanismState:
        state_links = links_at_state(tree, ("q", "qd"), self.graph.input, lambda x: x.cos(), lambda x: x.sin())
        for link in state_links:
            link.function = self._link_function(link)  # type: ignore[method-assign]
        q = [self.graph.input("q", k) for k in range(tree.nq)]
        qd = [self.graph.input("qd", k) for k in range(tree.nv)]
        return MechanismState(self.mechanism, tree, state_links, q, qd, self.t)

    def _link_function(self, link: Link) -> Any:
        def function(expression: Scalar) -> Any:
            names = dict.fromkeys(free_symbols(expression), link.q[0])
            return self.numbers.record_expression(expression, names, f"a joint of type {link.kind.name!r}")

        return function

    def _names(self, state: MechanismState) -> dict[str, Any]:
        names = {f"qd_{name}": x for name, x in zip(self.mechanism.speed_names, state.qd, strict=True)}
        return {**names, **dict(zip(self.mechanism.coordinate_names, state.q, strict=True)), "t": state.t}

    def _applied_forces(self, state: MechanismState) -> list[Any]:
        """Torques and external wrenches, along the speeds."""
        tau: list[Any] = [0] * self.nv
        names = self._names(state)
        for speed, expression in self.torque.formulas.items():
            k = self.mechanism.speed_names.index(speed)
            tau[k] = tau[k] + self.numbers.record_expression(expression, names, f"torque of {speed!r}")
        if self.torque.wrenches:
            values = [
                self.numbers.record_expression(x, names, f"wrench on {w.frame.name!r}")
                for w in self.torque.wrenches
                for x in w.entries
            ]
            loads = generalised(state.world, self.torque.wrenches, values, self.nv)
            tau = [a + b for a, b in zip(tau, loads, strict=True)]
        return tau

    def _power(self, state: MechanismState, tau: list[Any]) -> Any:
        """The power of torques and wrenches, less what friction and dampers dissipate."""
        force = list(tau)
        for link in state.links:
            for k in range(link.nv):
                force[link.iv + k] = force[link.iv + k] - link.viscous * state.qd[link.iv + k]
        for k, damping in springs.torques(self.mechanism, state.world, state.coordinates_by_name, elastic=False).items():
            force[k] = force[k] + damping
        return dot(force, state.qd)

    def _accelerations(self, state: MechanismState, tau: list[Any]) -> list[Any]:
        """The accelerations: through the mass matrix where it is small, else by articulated bodies, as in a simulation."""
        if self.nv <= MAX_FACTORISED_SPEEDS // 2 or self.mechanism.springs:
            return state.factors.solve([a - b for a, b in zip(tau, state.bias, strict=True)])
        for link in state.links:
            link.tau = tuple(tau[link.iv + k] for k in range(link.nv))
        return run(FORWARD_DYNAMICS, state.tree, state.links)

    # -- tapes -------------------------------------------------------------------------------------------------------

    @cached_property
    def rates(self) -> Tape:
        """The rates f."""
        return Tape(self.graph, self.numbers, self._rates)

    @cached_property
    def _jacobian_entries(self) -> list[tuple[int, int, Any]]:
        """The entries of df/dy that are not zero by structure: row, column, node."""
        rows = derivatives(self.graph, self._rates, [self.graph.input(*key) for key in self.inputs])
        return [(i, j, x) for i, row in enumerate(rows) for j, x in enumerate(row) if not is_zero(x)]

    @cached_property
    def jacobian_indices(self) -> list[tuple[int, int]]:
        """The rows and columns of the entries that `jacobian` gives."""
        return [(i, j) for i, j, _ in self._jacobian_entries]

    @cached_property
    def constant_entries(self) -> list[float | None]:
        """Entries of df/dy that are plain numbers, such as the 1 of q' = qd."""
        return [None if isinstance(x, Node) else float(x) for _, _, x in self._jacobian_entries]

    @cached_property
    def jacobian(self) -> Tape:
        """The entries of df/dy at `jacobian_indices`."""
        return Tape(self.graph, self.numbers, [x for _, _, x in self._jacobian_entries])

    @cached_property
    def rates_and_jacobian(self) -> Tape:
        """The rates f, then the entries of df/dy at `jacobian_indices`."""
        return Tape(self.graph, self.numbers, [*self._rates, *(x for _, _, x in self._jacobian_entries)])

    @cached_property
    def energies(self) -> Tape:
        """The kinetic and the potential energy, with the true inertias."""
        state = self._state(self.tree)
        potential = run(POTENTIAL_ENERGY, self.tree, state.links)[0]
        if self.mechanism.springs:
            potential = potential + springs.energy(self.mechanism, state.world, state.coordinates_by_name)
        return Tape(self.graph, self.numbers, [run(KINETIC_ENERGY, self.tree, state.links)[0], potential])
