"""Programs of walls, springs, dampers and gravity compensations: forces on the joints and on the links, and energy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lagrangian.algorithms import springs
from lagrangian.algorithms.constraints.world import FreeWorld
from lagrangian.algorithms.structure import Structure
from lagrangian.algorithms.tree import Tree
from lagrangian.kernels.program import TracedProgram
from lagrangian.kernels.programs.constraints import digest, traced_state
from lagrangian.kernels.trace.node import Graph
from lagrangian.model.mechanism import Mechanism


class SpringPrograms:
    """The programs of one mechanism's springs, on one of its trees; `Kernels.spring_kernel` looks them up by name."""

    def __init__(self, mechanism: Mechanism, tree: Tree) -> None:
        self.mechanism, self.tree = mechanism, tree
        self._structure = Structure(mechanism, tree)
        self._digest = digest(self._structure)

    def torque(self) -> TracedProgram:
        """Joint forces of springs and dampers, from q and qd."""
        return self._torque("spring_torque", elastic=True, viscous=True)

    def elastic_torque(self) -> TracedProgram:
        """Joint forces of springs alone, from q."""
        return self._torque("spring_elastic_torque", elastic=True, viscous=False)

    def viscous_torque(self) -> TracedProgram:
        """Joint forces of dampers alone, from q and qd."""
        return self._torque("spring_viscous_torque", elastic=False, viscous=True)

    def _torque(self, name: str, elastic: bool, viscous: bool) -> TracedProgram:
        def outputs(graph: Graph) -> list[Any]:
            state = traced_state(graph, self._structure, moving=viscous)
            torques = springs.torques(state.mechanism, state.world, state.coordinates_by_name, elastic, viscous)
            return [torques.get(k, 0) for k in range(self.tree.nv)]

        return self._program(name, viscous, (self.tree.nv,), outputs)

    def energy(self) -> TracedProgram:
        """The energy that all springs store, from q."""

        def outputs(graph: Graph) -> list[Any]:
            state = traced_state(graph, self._structure, moving=False)
            return [springs.energy(state.mechanism, state.world, state.coordinates_by_name)]

        return self._program("spring_energy", False, (), outputs)

    def forces(self) -> TracedProgram:
        """The tension of every spring and the push of every wall, from q and qd."""

        def outputs(graph: Graph) -> list[Any]:
            state = traced_state(graph, self._structure)
            return springs.forces(state.mechanism, state.world, state.coordinates_by_name)

        return self._program("spring_forces", True, (len(self.mechanism.springs),), outputs)

    def wrenches(self) -> TracedProgram:
        """The wrench on every link: (moment about the world's origin, force)."""

        def outputs(graph: Graph) -> list[Any]:
            state = traced_state(graph, self._structure)
            # springs of coordinates act at joints, and not on links
            link_wrenches = springs.torques(state.mechanism, FreeWorld(state.tree, state.links), None)
            return [link_wrenches.get((link, c), 0) for link in range(len(self.tree)) for c in range(6)]

        return self._program("spring_wrenches", True, (len(self.tree), 6), outputs)

    def _program(self, name: str, moving: bool, shape: tuple[int, ...], outputs: Callable[[Graph], list[Any]]) -> TracedProgram:
        sizes = {"q": self.tree.nq, "qd": self.tree.nv} if moving else {"q": self.tree.nq}
        return TracedProgram(name, sizes, shape, self.tree.angles, outputs, self._digest, self._structure.numbers)
