"""A mechanism on a graph: its parameters, state and other inputs are nodes, and its functions are computed on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lagrangian.algorithms import tree as trees
from lagrangian.algorithms.samples import Samples, sampled, snapped
from lagrangian.algorithms.structure import Numbers
from lagrangian.algorithms.sweep import Algorithm
from lagrangian.algorithms.tree import Tree
from lagrangian.cached import cached_property
from lagrangian.exports.parameters import Parameter, traced
from lagrangian.exports.traced_parameter import node_of
from lagrangian.kernels.friction import FrictionConstants, friction_constants
from lagrangian.kernels.program import Straight
from lagrangian.kernels.programs.closed import ClosedPrograms
from lagrangian.kernels.programs.springs import SpringPrograms
from lagrangian.kernels.programs.sweeps import UNROLL_LINKS, Sweeps
from lagrangian.kernels.trace.node import NUMBERS, Graph, TooLarge
from lagrangian.kernels.trace.replay import replay
from lagrangian.model.expression import Scalar
from lagrangian.model.expression import functions as f
from lagrangian.model.loop import Frame
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Placement

Given = Mapping[str, Sequence[Any]]

# operations of one function that are written out; a longer one would be megabytes of source
LARGEST = 100_000


class Model:
    """All functions of one mechanism are computed on one graph."""

    def __init__(self, mechanism: Mechanism, parameters: Sequence[Parameter]) -> None:
        self.graph = Graph()
        self.parameters = tuple(parameters)
        self.mechanism, self._values = traced(mechanism, parameters, self.graph)
        self.nq, self.nv, self.equations = mechanism.nq, mechanism.nv, mechanism.equations

    @cached_property
    def tree(self) -> Tree:
        return sampled(self.mechanism, trees.build(self.mechanism), self._values, 1)

    @cached_property
    def full_tree(self) -> Tree:
        """The tree with a link for every fixed joint, too."""
        return sampled(self.mechanism, trees.build(self.mechanism, False), self._values, 1, merge_fixed=False)

    @cached_property
    def closed(self) -> ClosedPrograms:
        return ClosedPrograms(self.mechanism, self.tree)

    @cached_property
    def springs(self) -> SpringPrograms:
        return SpringPrograms(self.mechanism, self.tree)

    @cached_property
    def friction(self) -> FrictionConstants:
        return friction_constants(self.mechanism)

    @property
    def large(self) -> bool:
        """Whether its functions are loops over the links."""
        return len(self.tree) > UNROLL_LINKS

    @property
    def timed(self) -> bool:
        """Whether its constraints depend on time."""
        return bool(self.equations) and self.closed.timed

    # -- inputs and numbers --------------------------------------------------------------------------------------------

    def input(self, name: str, size: int) -> list[Any]:
        return [self.graph.input(name, k) for k in range(size)]

    def size_of(self, name: str) -> int:
        return {"q": self.nq, "t": 1, "wrench": 6, "multipliers": self.equations, "h": 1}.get(name, self.nv)

    def number(self, scalar: Scalar) -> Any:
        """A number of the description on the graph."""
        return node_of(self._values.of(scalar))

    def placed(self, at: Placement) -> Placement:
        """A placement of the description over traced parameters."""
        return Samples(self._values, 1).placement(at)

    def expression(self, given: Scalar, names: Mapping[str, Any]) -> Any:
        """An expression of the state, whose names have these values; numbers in it follow the parameters."""
        numbers = Numbers(Samples(self._values, 1))
        slotted = numbers.scalar(given)
        slots = {f"{f.SLOT}{k}": node_of(x) for k, x in enumerate(numbers.lanes)}
        return f.evaluate(slotted, {**names, **slots})

    # -- programs on the graph -----------------------------------------------------------------------------------------

    def of(self, program: Straight | Sweeps, **given: Sequence[Any]) -> list[Any]:
        """What a program computes, from the inputs of the same names, or from what is given for some of them."""
        assert isinstance(program.numbers, Numbers)
        trace, lanes = program.trace(2 * LARGEST), program.numbers.lanes

        def read(name: str, index: int) -> Any:
            if name == NUMBERS:
                return node_of(lanes[index])
            return given[name][index] if name in given else self.graph.input(name, index)

        found = replay(trace, read)
        if len(self.graph.nodes) > 20 * LARGEST:
            raise TooLarge
        return found

    def sweep(self, algorithm: Algorithm, **given: Sequence[Any]) -> list[Any]:
        """An algorithm over the tree."""
        return self.of(Sweeps(algorithm, self.tree), **given)

    def path(self, frame: str | Frame) -> Tree:
        """The links from the ground to a frame."""
        found = self.mechanism.frame(frame)
        plain, lanes = replace(self.tree, lanes=None), self.tree.lanes
        assert lanes is not None
        (link, at), (_, beside) = plain.place[found.body], lanes.place[found.body]
        both = beside @ self.placed(found.placement)
        turned = Placement(tuple(tuple(snapped(x) for x in row) for row in both.rotation), both.position)  # type: ignore[arg-type]
        return replace(plain.path(link, at @ found.placement), lanes=lanes.path(link, turned))
