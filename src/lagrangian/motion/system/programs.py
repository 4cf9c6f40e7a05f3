"""Functions of a system for many states (q, qd, u, t) at once: forces, rates, states moved onto the constraints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lagrangian.kernels.kernel import Kernel
from lagrangian.kernels.program import Straight
from lagrangian.kernels.trace.node import Graph
from lagrangian.motion.system.inputs import STUCK
from lagrangian.motion.system.system import System


class Programs:
    """The functions of one system, each compiled when it is first asked for."""

    def __init__(self, system: System) -> None:
        self.system = system
        self._kernels: dict[str, Kernel] = {}

    def _kernel(self, name: str, size: int, outputs: Callable[[Graph], list[Any]]) -> Kernel:
        found = self._kernels.get(name)
        if found is None:
            found = self._kernels[name] = Kernel(program(self.system, name, size, outputs))
        return found

    @property
    def outputs(self) -> Kernel:
        """What `output_sizes` names."""
        return self._kernel("motion_outputs", sum(output_sizes(self.system).values()), self._outputs)

    @property
    def torques(self) -> Kernel:
        """The torques alone."""
        system = self.system
        return self._kernel("torques", system.nv, lambda g: system.forces.torques(g, system.state(g)))

    @property
    def loads(self) -> Kernel:
        """What `load_sizes` names."""
        system, size = self.system, sum(load_sizes(self.system).values())
        return self._kernel("loads", size, lambda g: system.forces.loads_and_wrenches(g, system.state(g)))

    @property
    def projected(self) -> Kernel:
        """States moved onto the constraints."""
        system = self.system
        if system.large:
            return self._kernel("normalised", system.size, system.normalised)
        return self._kernel("projected", system.size, lambda graph: system.project(graph)[: system.size])

    @property
    def rates(self) -> Kernel:
        return self._kernel("motion_rates", self.system.size, self.system.rates)

    @property
    def event_values(self) -> Kernel:
        """Of the events that are compiled."""
        return self._kernel("event_values", len(self.system.table.compiled), self.system.event_values)

    def _outputs(self, graph: Graph) -> list[Any]:
        system = self.system
        state = system.state(graph)
        tau = system.forces.torques(graph, state)
        qdd, multipliers, _ = system.solved(graph, state)
        friction = system.forces.friction(graph, state)
        for j, joint in enumerate(system.holdable):
            # friction that holds is the multiplier of the row that holds, with the other sign
            stuck = system.forces.of_joint(graph, j, STUCK)
            friction[joint.speed] = friction[joint.speed] - stuck * multipliers[len(state.rows) + j]
        phi: list[Any] = []
        for row in state.rows:
            moving: Any = 0
            for k, x in row.psi.items():
                moving = moving + x * state.qd[k]
            phi.append(row.rate - moving)
        return [*tau, *qdd, *friction, *multipliers, *phi, *system.forces.loads_and_wrenches(graph, state)]


def program(system: System, name: str, size: int, outputs: Callable[[Graph], list[Any]]) -> Straight:
    sizes = {"q": system.nq, "qd": system.nv, "u": system.inputs.size, "t": 1}
    return Straight(name, sizes, size, system.angles, outputs, b"".join(system.key))


def output_sizes(system: System) -> dict[str, int]:
    """What `outputs` gives, in order: `holding` are the forces that hold joints, `phi` is what moves constraints."""
    n, m = system.nv, system.mechanism.equations
    sizes = {"tau": n, "qdd": n, "friction": n, "multipliers": m, "holding": len(system.holdable), "phi": m}
    return sizes | load_sizes(system)


def load_sizes(system: System) -> dict[str, int]:
    """What `loads` gives, in order: what wrenches exert along the speeds, and the wrenches."""
    wrenches = system.torque.wrenches
    return {"loads": system.nv, "wrenches": 6 * len(wrenches)} if wrenches else {}
