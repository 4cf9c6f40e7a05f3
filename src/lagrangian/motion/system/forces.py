"""What acts on a mechanism in motion, traced: torques, wrenches from outside, friction."""

from __future__ import annotations

from typing import Any

from lagrangian.algorithms import springs
from lagrangian.algorithms.constraints.constrained_dynamics import MechanismState
from lagrangian.kernels.trace.node import Graph
from lagrangian.model.expression import functions as f
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.system.inputs import SLIP, WAY, Inputs
from lagrangian.motion.system.slotted import Slotted
from lagrangian.motion.system.traced import TracedTorques
from lagrangian.motion.torque import Torque
from lagrangian.motion.wrench import generalised

# a speed that is none: below it a direction is rounding
TINY = 1e-100


class Forces:
    """Functions of the state, and of what `u` holds."""

    def __init__(
        self, mechanism: Mechanism, torque: Torque, inputs: Inputs, slotted: Slotted, traced: TracedTorques | None
    ) -> None:
        self.mechanism, self.torque, self.inputs, self.slotted, self.traced = mechanism, torque, inputs, slotted, traced
        self.holdable = slotted.holdable
        self.nv = mechanism.nv

    def names(self, state: MechanismState) -> dict[str, Any]:
        """What expressions of the state are made of."""
        names = {**state.tree.reader.symbol_values}
        names |= {f"qd_{name}": x for name, x in zip(self.mechanism.speed_names, state.qd, strict=True)}
        names |= {**dict(zip(self.mechanism.coordinate_names, state.q, strict=True)), "t": state.t}
        return names if state.decision_time is None else {**names, f.DECISION_TIME: state.decision_time}

    def torques(self, graph: Graph, state: MechanismState) -> list[Any]:
        """The torques along the speeds, within the limits of effort if they saturate."""
        n = self.nv
        tau: list[Any] = [0] * n
        if self.torque.external:
            since = state.t - graph.input("u", self.inputs.since)
            tau = [graph.input("u", k) + graph.input("u", self.inputs.rate + k) * since for k in range(n)]
        if self.torque.adjustable:
            tau = [x + graph.input("u", self.inputs.added + k) for k, x in enumerate(tau)]
        names = self.names(state)
        for speed, expression in self.slotted.formulas.items():
            k = self.mechanism.speed_names.index(speed)
            tau[k] = tau[k] + f.evaluate(expression, names)
        if self.traced is not None:
            tau = [a + b for a, b in zip(tau, self.traced.at(graph, state), strict=True)]
        for k, bound in self.slotted.efforts.items():
            effort = state.tree.reader.number(bound)
            tau[k] = f.choose(tau[k], -effort, -effort, tau[k])
            tau[k] = f.choose(effort, tau[k], effort, tau[k])
        return tau

    def wrenches(self, graph: Graph, state: MechanismState) -> list[Any]:
        """The six entries of every wrench from outside."""
        names = self.names(state)
        found: list[Any] = []
        for j, wrench in enumerate(self.slotted.wrenches):
            if wrench.called is not None:
                found += [graph.input("u", self.inputs.wrench + 6 * j + c) for c in range(6)]
            else:
                found += [f.evaluate(x, names) for x in wrench.entries]
        return found

    def loads(self, graph: Graph, state: MechanismState) -> list[Any]:
        """What wrenches from outside exert along the speeds."""
        return generalised(state.world, self.slotted.wrenches, self.wrenches(graph, state), self.nv)

    def loads_and_wrenches(self, graph: Graph, state: MechanismState) -> list[Any]:
        return [*self.loads(graph, state), *self.wrenches(graph, state)] if self.torque.wrenches else []

    def driven(self, graph: Graph, state: MechanismState) -> list[Any]:
        """All forces from outside, along the speeds."""
        tau = self.torques(graph, state)
        if not self.torque.wrenches:
            return tau
        return [a + b for a, b in zip(tau, self.loads(graph, state), strict=True)]

    def of_joint(self, graph: Graph, j: int, what: int) -> Any:
        """What u says of a joint that can be held."""
        return graph.input("u", self.inputs.joint(j) + what)

    def friction(self, graph: Graph, state: MechanismState) -> list[Any]:
        """What is lost: viscous, dry, and in dampers between points."""
        friction: list[Any] = [0] * self.nv
        for link in state.links:
            for k in range(link.nv):
                friction[link.iv + k] = link.viscous * state.qd[link.iv + k]
        if any(float(s.damping) for s in self.mechanism.springs):
            for k, torque in springs.torques(state.mechanism, state.world, state.coordinates_by_name, elastic=False).items():
                friction[k] = friction[k] - torque
        for j, joint in enumerate(self.holdable):
            if joint.friction is not None:
                friction[joint.speed] = friction[joint.speed] + self.dry(graph, state, j)
        return friction

    def together(self, j: int) -> list[int]:
        """The joints whose friction acts with that of a joint."""
        return [k for k, other in enumerate(self.holdable) if other.speed in self.holdable[j].disc]

    def dry(self, graph: Graph, state: MechanismState, j: int) -> Any:
        """The dry friction of a joint that no equation holds.

        That of joints which slide in a plane is against their velocity v, as it was along `way` when they began to: of
        v/(way.v) only the direction counts, and where they come to a stop and would turn back it goes on steadily.
        """
        joint, constant = self.holdable[j], self.of_joint(graph, j, SLIP)
        if not joint.disc or joint.friction is None:
            return constant
        along: Any = 0.0
        square: Any = 0.0
        slips: Any = 0.0
        for k in self.together(j):
            way, speed = self.of_joint(graph, k, WAY), state.qd[self.holdable[k].speed]
            along, square = along + way * speed, square + speed * speed
            slips = f.maximum(slips, f.absolute(way))
        size = f.sqrt(square)
        own = f.choose(along, 0.0, -state.qd[joint.speed], state.qd[joint.speed])
        sliding = f.choose(TINY, size, own * (1 / f.maximum(size, TINY)), self.of_joint(graph, j, WAY))
        return constant + state.tree.reader.number(joint.friction[0]) * f.choose(0.0, slips, sliding, 0.0)
