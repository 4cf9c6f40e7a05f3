"""Functions of a system for many states (q, qd, u, t) at once: forces, rates, states moved onto the constraints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lagrangian.kernels.kernel import Kernel
from lagrangian.kernels.program import TracedProgram
from lagrangian.kernels.trace.node import Graph
from lagrangian.motion.system.inputs import STUCK
from lagrangian.motion.system.system import System


class Programs:
    """The functions of one system, each compiled when it is first asked for."""

    def __init__(self, system: System) -> None:
        self.system = system
        self._kernels: dict[str, Kernel] = {}

    def _kernel(
        self, name: str, size: int, outputs: Callable[[Graph], list[Any]], more: Mapping[str, int] | None = None
    ) -> Kernel:
        found = self._kernels.get(name)
        if found is None:
            found = self._kernels[name] = Kernel(program(self.system, name, size, outputs, more))
        return found

    @property
    def outputs(self) -> Kernel:
        """What `output_sizes` names."""
        return self._kernel("motion_outputs", sum(output_sizes(self.system).values()), self.traced_outputs)

    @property
    def acting(self) -> Kernel:
        """What `acting_sizes` names: forces, as far as they do not depend on accelerations."""
        return self._kernel("acting", sum(acting_sizes(self.system).values()), self._acting)

    @property
    def projected(self) -> Kernel:
        """States moved onto the constraints."""
        system = self.system
        if not system.constrained:
            return self._kernel("normalised", system.size, system.normalised)
        return self._kernel("projected", system.size, lambda graph: system.project(graph)[: system.size])

    @property
    def rates(self) -> Kernel:
        return self._kernel("motion_rates", self.system.size, self.system.rates)

    @property
    def event_values(self) -> Kernel:
        """Of the events that are compiled; the `response` is given."""
        system = self.system
        return self._kernel("event_values", len(system.table.compiled), system.event_values, {"response": system.responses})

    def traced_outputs(self, graph: Graph) -> list[Any]:
        system = self.system
        state = system.state(graph)
        tau = system.forces.torques(graph, state)
        qdd, multipliers, holding, _ = system.solved(graph, state)
        friction = system.forces.friction(graph, state)
        for j, joint in enumerate(system.holdable):
            # friction that holds is what holds, with the other sign
            friction[joint.speed] = friction[joint.speed] - system.forces.of_joint(graph, j, STUCK) * holding[joint.speed]
        phi: list[Any] = []
        for row in state.rows:
            moving: Any = 0
            for k, x in row.psi.items():
                moving = moving + x * state.qd[k]
            phi.append(row.rate - moving)
        return [*tau, *qdd, *friction, *multipliers, *phi, *system.forces.loads_and_wrenches(graph, state)]

    def _acting(self, graph: Graph) -> list[Any]:
        forces, state = self.system.forces, self.system.state(graph)
        return [*forces.torques(graph, state), *forces.friction(graph, state), *forces.loads_and_wrenches(graph, state)]


def program(
    system: System, name: str, size: int, outputs: Callable[[Graph], list[Any]], more: Mapping[str, int] | None = None
) -> TracedProgram:
    """`more` are inputs beside q, qd, u and t."""
    sizes = {"q": system.nq, "qd": system.nv, "u": system.inputs.size, "t": 1, **(more or {})}
    # the states of a run are finite, or it ends
    key, numbers = b"".join(system.key), system.numbers
    return TracedProgram(name, sizes, size, system.angles, outputs, key, numbers, reads_all=False)


def output_sizes(system: System) -> dict[str, int]:
    """What `outputs` gives, in order: `phi` is what moves constraints."""
    n, m = system.nv, system.mechanism.equation_count
    return {"tau": n, "qdd": n, "friction": n, "multipliers": m, "phi": m} | load_sizes(system)


def acting_sizes(system: System) -> dict[str, int]:
    """What `acting` gives, in order; of friction that holds, nothing is known there."""
    return {"tau": system.nv, "friction": system.nv} | load_sizes(system)


def load_sizes(system: System) -> dict[str, int]:
    """What wrenches exert along the speeds, and the wrenches; nothing where there are none."""
    wrenches = system.torque.wrenches
    return {"loads": system.nv, "wrenches": 6 * len(wrenches)} if wrenches else {}
