"""A function that can be exported: its name, what it is given, what it gives, and how it is computed on a graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lagrangian.algorithms.sweep import Algorithm
from lagrangian.exports.model import Model
from lagrangian.exports.routine import Argument, Sequence

# what arguments of these names are
ABOUT = {
    "q": "the coordinates",
    "qd": "the speeds",
    "qdd": "the accelerations",
    "tau": "the joint forces",
    "t": "the time in seconds",
    "h": "the step in seconds",
    "multipliers": "the multipliers of the constraints",
    "wrench": "the moment, then the force, along the world's axes",
    "q_wanted": "the coordinates that are wanted",
    "qd_wanted": "the speeds that are wanted",
    "qdd_wanted": "the accelerations that are wanted",
    "kp": "the gains of the position error, one for each speed",
    "kd": "the gains of the speed error, one for each speed",
}
SINGLE = ("t", "h")


@dataclass(frozen=True)
class Function:
    """`compute(model, frame)` gives the numbers of all outputs, one after the other; `outputs(model)` says what they are.

    `timed` functions have the time as their last input where constraints depend on it. A function of one `algorithm` over the
    tree, alone, can be rolled into loops.
    """

    name: str
    about: str
    inputs: tuple[str, ...]
    outputs: Callable[[Model], tuple[Argument, ...]]
    compute: Callable[[Model, str], list[Any]]
    framed: bool = False
    timed: bool = False
    refused: Callable[[Model], str] = lambda model: ""  # why it cannot be exported of this mechanism
    algorithm: Algorithm | None = None
    sequence: Callable[[Model], Sequence] | None = None  # in the place of `compute`, of a function that calls others
    calls: Callable[[Model], tuple[str, ...]] = lambda model: ()

    def arguments(self, model: Model) -> tuple[Argument, ...]:
        names = [*self.inputs, *(("t",) if self.timed and model.timed else ())]
        return tuple(self._argument(model, name) for name in names)

    @staticmethod
    def _argument(model: Model, name: str) -> Argument:
        mechanism = model.mechanism
        if name in SINGLE:
            return Argument(name, (), ABOUT[name])
        if name == "multipliers":
            return Argument(name, (model.equations,), ABOUT[name], model.closed.names)
        if name == "wrench":
            return Argument(name, (6,), ABOUT[name], ("mx", "my", "mz", "fx", "fy", "fz"))
        of_coordinates = name in ("q", "q_wanted")
        entries = mechanism.coordinate_names if of_coordinates else mechanism.speed_names
        return Argument(name, (len(entries),), ABOUT[name], tuple(entries))


def speeds(name: str, about: str) -> Callable[[Model], tuple[Argument, ...]]:
    """One output with an entry for every speed."""
    return lambda model: (Argument(name, (model.nv,), about, tuple(model.mechanism.speed_names)),)


def matrix(name: str, about: str) -> Callable[[Model], tuple[Argument, ...]]:
    """One square matrix over the speeds."""
    return lambda model: (Argument(name, (model.nv, model.nv), about),)


def array(
    name: str, shape: tuple[int, ...], about: str, entries: tuple[str, ...] = ()
) -> Callable[[Model], tuple[Argument, ...]]:
    """One output whose shape is the same for all mechanisms."""
    return lambda model: (Argument(name, shape, about, entries),)


def unconstrained(model: Model) -> str:
    """Why a function of constraints cannot be exported."""
    return "" if model.equations else "the mechanism has no constraints"
