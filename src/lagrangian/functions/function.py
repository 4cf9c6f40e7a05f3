"""A function that can be exported: its name, its inputs and outputs, and how it is computed on a graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lagrangian.algorithms.sweep import Algorithm
from lagrangian.functions.mechanism_graph import MechanismGraph
from lagrangian.functions.routine import CallSequence, RoutineArgument

# descriptions of arguments by name
ABOUT = {
    "q": "the coordinates",
    "qd": "the speeds",
    "qdd": "the accelerations",
    "tau": "the joint forces",
    "t": "the time in seconds",
    "h": "the step in seconds",
    "multipliers": "the multipliers of the constraints",
    "wrench": "the moment, then the force, along the world's axes",
    "q_desired": "the desired coordinates",
    "qd_desired": "the desired speeds",
    "qdd_desired": "the desired accelerations",
    "kp": "the gains of the position error, one for each speed",
    "kd": "the gains of the speed error, one for each speed",
}
SCALAR_INPUTS = ("t", "h")


@dataclass(frozen=True)
class CatalogueFunction:
    """A function of the catalogue: `compute(model, frame)` returns the numbers of all outputs, which `outputs(model)` describes.

    A function that `takes_time` has the time as its last input if constraints depend on it. A function that is one `algorithm`
    over the tree, and nothing else, can be written as loops.
    """

    name: str
    about: str
    inputs: tuple[str, ...]
    outputs: Callable[[MechanismGraph], tuple[RoutineArgument, ...]]
    compute: Callable[[MechanismGraph, str], list[Any]]
    of_frame: bool = False
    takes_time: bool = False
    refusal: Callable[[MechanismGraph], str] = lambda model: ""  # why it cannot be exported of this mechanism
    algorithm: Algorithm | None = None
    sequence: Callable[[MechanismGraph], CallSequence] | None = None  # replaces `compute` if it calls others
    called_functions: Callable[[MechanismGraph], tuple[str, ...]] = lambda model: ()

    def arguments(self, model: MechanismGraph) -> tuple[RoutineArgument, ...]:
        names = [*self.inputs, *(("t",) if self.takes_time and model.depends_on_time else ())]
        return tuple(self._argument(model, name) for name in names)

    @staticmethod
    def _argument(model: MechanismGraph, name: str) -> RoutineArgument:
        mechanism = model.mechanism
        if name in SCALAR_INPUTS:
            return RoutineArgument(name, (), ABOUT[name])
        if name == "multipliers":
            return RoutineArgument(name, (model.equation_count,), ABOUT[name], model.constraint_programs.names)
        if name == "wrench":
            return RoutineArgument(name, (6,), ABOUT[name], ("mx", "my", "mz", "fx", "fy", "fz"))
        of_coordinates = name in ("q", "q_desired")
        entries = mechanism.coordinate_names if of_coordinates else mechanism.speed_names
        return RoutineArgument(name, (len(entries),), ABOUT[name], tuple(entries))


def speed_output(name: str, about: str) -> Callable[[MechanismGraph], tuple[RoutineArgument, ...]]:
    """Return one output with an entry for every speed."""
    return lambda model: (RoutineArgument(name, (model.nv,), about, tuple(model.mechanism.speed_names)),)


def matrix_output(name: str, about: str) -> Callable[[MechanismGraph], tuple[RoutineArgument, ...]]:
    """Return one output that is a square matrix over the speeds."""
    return lambda model: (RoutineArgument(name, (model.nv, model.nv), about),)


def array_output(
    name: str, shape: tuple[int, ...], about: str, entries: tuple[str, ...] = ()
) -> Callable[[MechanismGraph], tuple[RoutineArgument, ...]]:
    """Return one output whose shape is the same for all mechanisms."""
    return lambda model: (RoutineArgument(name, shape, about, entries),)


def constraint_refusal(model: MechanismGraph) -> str:
    """Return why a function of constraints cannot be exported; '' if it can."""
    return "" if model.equation_count else "the mechanism has no constraints"
