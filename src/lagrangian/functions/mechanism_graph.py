"""A mechanism on a graph: its parameters, state and other inputs are nodes, and its functions are computed on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lagrangian.algorithms import tree as trees
from lagrangian.algorithms.samples import SampleReader, snap_to_exact, with_samples
from lagrangian.algorithms.structure import SlotNumbers
from lagrangian.algorithms.sweep import Algorithm
from lagrangian.algorithms.tree import Tree
from lagrangian.cached import cached_property
from lagrangian.functions.parameters import Parameter, trace_parameters
from lagrangian.functions.traced_parameter import node_of
from lagrangian.kernels.friction import FrictionConstants, friction_constants
from lagrangian.kernels.program import TracedProgram
from lagrangian.kernels.programs.constraints import ConstraintPrograms
from lagrangian.kernels.programs.springs import SpringPrograms
from lagrangian.kernels.programs.sweeps import MAX_UNROLLED_LINKS, TreeProgram
from lagrangian.kernels.trace.node import NUMBERS, Graph, GraphTooLargeError
from lagrangian.kernels.trace.replay import replay
from lagrangian.model.expression import Scalar
from lagrangian.model.expression import functions as f
from lagrangian.model.frame import Frame
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Transform

# the most operations of one function that are written out; more would be megabytes of source
MAX_OPERATIONS = 100_000


class MechanismGraph:
    """A mechanism on a graph, on which all its functions are computed."""

    def __init__(self, mechanism: Mechanism, parameters: Sequence[Parameter]) -> None:
        self.graph = Graph()
        self.parameters = tuple(parameters)
        self.mechanism, self._values = trace_parameters(mechanism, parameters, self.graph)
        self.nq, self.nv, self.equation_count = mechanism.nq, mechanism.nv, mechanism.equation_count

    @cached_property
    def tree(self) -> Tree:
        return with_samples(self.mechanism, trees.build_tree(self.mechanism), self._values, 1)

    @cached_property
    def full_tree(self) -> Tree:
        """The tree with a link for every fixed joint, too."""
        return with_samples(self.mechanism, trees.build_tree(self.mechanism, False), self._values, 1, merge_fixed=False)

    @cached_property
    def constraint_programs(self) -> ConstraintPrograms:
        return ConstraintPrograms(self.mechanism, self.tree)

    @cached_property
    def spring_programs(self) -> SpringPrograms:
        return SpringPrograms(self.mechanism, self.tree)

    @cached_property
    def friction(self) -> FrictionConstants:
        return friction_constants(self.mechanism)

    @property
    def large(self) -> bool:
        """Whether its functions are loops over the links."""
        return len(self.tree) > MAX_UNROLLED_LINKS

    @property
    def depends_on_time(self) -> bool:
        """Whether its constraints depend on time."""
        return bool(self.equation_count) and self.constraint_programs.depends_on_time

    # -- inputs and numbers --------------------------------------------------------------------------------------------

    def input(self, name: str, size: int) -> list[Any]:
        return [self.graph.input(name, k) for k in range(size)]

    def input_size(self, name: str) -> int:
        return {"q": self.nq, "t": 1, "wrench": 6, "multipliers": self.equation_count, "h": 1}.get(name, self.nv)

    def number(self, scalar: Scalar) -> Any:
        """A number of the description on the graph."""
        return node_of(self._values.evaluate(scalar))

    def trace_placement(self, placement: Transform) -> Transform:
        """A placement of the description over traced parameters."""
        return SampleReader(self._values, 1).placement(placement)

    def expression(self, scalar: Scalar, names: Mapping[str, Any]) -> Any:
        """An expression of the state, whose names have these values; numbers in it follow the parameters."""
        numbers = SlotNumbers(SampleReader(self._values, 1))
        with_slots = numbers.scalar(scalar)
        slots = {f"{f.SLOT_PREFIX}{k}": node_of(x) for k, x in enumerate(numbers.sample_values)}
        return f.evaluate(with_slots, {**names, **slots})

    # -- programs on the graph -----------------------------------------------------------------------------------------

    def record(self, program: TracedProgram | TreeProgram, **values: Sequence[Any]) -> list[Any]:
        """Return what a program computes from the inputs of the same names, or from the values given for some of them."""
        assert isinstance(program.numbers, SlotNumbers)
        trace, sample_values = program.trace(2 * MAX_OPERATIONS), program.numbers.sample_values

        def read(name: str, index: int) -> Any:
            if name == NUMBERS:
                return node_of(sample_values[index])
            return values[name][index] if name in values else self.graph.input(name, index)

        outputs = replay(trace, read)
        if len(self.graph.nodes) > 20 * MAX_OPERATIONS:
            raise GraphTooLargeError
        return outputs

    def sweep(self, algorithm: Algorithm, **values: Sequence[Any]) -> list[Any]:
        """An algorithm over the tree."""
        return self.record(TreeProgram(algorithm, self.tree), **values)

    def path_to_frame(self, frame: str | Frame) -> Tree:
        """The links from the ground to a frame."""
        frame_on_body = self.mechanism.frame(frame)
        plain, sample_tree = replace(self.tree, sample_tree=None), self.tree.sample_tree
        assert sample_tree is not None
        (link, nominal_placement), (_, traced_placement) = (
            plain.body_places[frame_on_body.body],
            sample_tree.body_places[frame_on_body.body],
        )
        combined_placement = traced_placement @ self.trace_placement(frame_on_body.placement)
        exact_placement = Transform(
            tuple(tuple(snap_to_exact(x) for x in row) for row in combined_placement.rotation),  # type: ignore[arg-type]
            combined_placement.position,
        )
        return replace(
            plain.path_to_frame(link, nominal_placement @ frame_on_body.placement),
            sample_tree=sample_tree.path_to_frame(link, exact_placement),
        )
