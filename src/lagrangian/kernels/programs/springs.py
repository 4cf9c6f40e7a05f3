"""Programs of walls, springs, dampers and gravity compensations: forces, on the joints and on the links, and energy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lagrangian.algorithms import springs
from lagrangian.algorithms.closed.world import FreeWorld
from lagrangian.algorithms.structure import Structure
from lagrangian.algorithms.tree import Tree
from lagrangian.kernels.program import Straight
from lagrangian.kernels.programs.closed import digest, traced_state
from lagrangian.kernels.trace.node import Graph
from lagrangian.model.mechanism import Mechanism


class SpringPrograms:
    """Those of one mechanism, on one of its trees."""

    def __init__(self, mechanism: Mechanism, tree: Tree) -> None:
        self.mechanism, self.tree = mechanism, tree
        self._structure = Structure(mechanism, tree)
        self._digest = digest(self._structure)

    def torque(self) -> Straight:
        """Of springs and dampers, from q and qd."""
        return self._torque("spring_torque", elastic=True, viscous=True)

    def elastic_torque(self) -> Straight:
        """Of springs alone, from q."""
        return self._torque("spring_elastic_torque", elastic=True, viscous=False)

    def viscous_torque(self) -> Straight:
        """Of dampers alone, from q and qd."""
        return self._torque("spring_viscous_torque", elastic=False, viscous=True)

    def _torque(self, name: str, elastic: bool, viscous: bool) -> Straight:
        def outputs(graph: Graph) -> list[Any]:
            state = traced_state(graph, self._structure, moving=viscous)
            found = springs.torques(state.mechanism, state.world, state.names, elastic, viscous)
            return [found.get(k, 0) for k in range(self.tree.nv)]

        return self._program(name, viscous, (self.tree.nv,), outputs)

    def energy(self) -> Straight:
        """What is stored in all, from q."""

        def outputs(graph: Graph) -> list[Any]:
            state = traced_state(graph, self._structure, moving=False)
            return [springs.energy(state.mechanism, state.world, state.names)]

        return self._program("spring_energy", False, (), outputs)

    def forces(self) -> Straight:
        """The tension of every spring and the push of every wall, from q and qd."""

        def outputs(graph: Graph) -> list[Any]:
            state = traced_state(graph, self._structure)
            return springs.forces(state.mechanism, state.world, state.names)

        return self._program("spring_forces", True, (len(self.mechanism.springs),), outputs)

    def wrenches(self) -> Straight:
        """What they put on every link: (moment about the world's origin, force)."""

        def outputs(graph: Graph) -> list[Any]:
            state = traced_state(graph, self._structure)
            # springs of coordinates act at joints, and not on links
            found = springs.torques(state.mechanism, FreeWorld(state.tree, state.links), None)
            return [found.get((link, c), 0) for link in range(len(self.tree)) for c in range(6)]

        return self._program("spring_wrenches", True, (len(self.tree), 6), outputs)

    def _program(self, name: str, moving: bool, shape: tuple[int, ...], outputs: Callable[[Graph], list[Any]]) -> Straight:
        sizes = {"q": self.tree.nq, "qd": self.tree.nv} if moving else {"q": self.tree.nq}
        return Straight(name, sizes, shape, self.tree.angles, outputs, self._digest, self._structure.numbers)
