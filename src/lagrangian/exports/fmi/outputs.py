"""What an FMU gives beside its states: accelerations, multipliers, energies, poses of frames, or other functions of the state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from lagrangian.errors import ArgumentError
from lagrangian.exports.functions.catalogue import FUNCTIONS, usual_frames
from lagrangian.exports.routine import Argument, Package, Routine, Straight
from lagrangian.model.mechanism import Mechanism

USUAL = ("multipliers", "kinetic_energy", "potential_energy", "pose")
# what the inputs of a function may be: numbers that an FMU has
KNOWN = ("q", "qd", "qdd", "tau", "t", "multipliers")
ALWAYS = ("forward_dynamics", "coordinate_rates")  # what they give are outputs and derivatives of every FMU


class Wanted(NamedTuple):
    """A function, and the frame it is of, if it is of one."""

    function: str
    frame: str = ""

    @property
    def text(self) -> str:
        return f"{self.function}:{self.frame}" if self.frame else self.function

    @property
    def routine(self) -> str:
        return f"{self.function}_{self.frame}" if self.frame else self.function


@dataclass(frozen=True)
class Output:
    """One number of a routine: which of which of its outputs, what it is called, and on which groups of variables it depends.

    Numbers of a matrix have one name, and their own indices, such as `[1,2]`.
    """

    name: str
    indices: str
    about: str
    routine: str
    argument: str
    index: int
    needs: frozenset[str]


def wanted(mechanism: Mechanism, functions: Sequence[str] | None, frames: Sequence[str] | None) -> list[Wanted]:
    """The functions whose values are outputs. A name that is none is left for the catalogue to refuse."""
    if isinstance(functions, str):
        raise ArgumentError("must be a list of names, such as ['center_of_mass']", argument="functions")
    found: list[Wanted] = []
    for text in USUAL if functions is None else functions:
        name, _, frame = text.partition(":") if isinstance(text, str) else (text, "", "")
        function = FUNCTIONS.get(name)
        if function is None or not function.framed or frame:
            found.append(Wanted(name, frame))
        else:
            found += [Wanted(name, each) for each in (usual_frames(mechanism) if frames is None else frames)]
        for given in function.inputs if function is not None else ():
            if given not in KNOWN:
                raise ArgumentError(f"{name} needs {given}, which is no variable of an FMU", argument="functions")
    if mechanism.equations:  # before others, which may read them
        found.insert(0, Wanted("multipliers"))
    else:
        found = [each for each in found if each.function != "multipliers" or functions is not None]
    return [each for each in dict.fromkeys(found) if each.function not in ALWAYS]


class Needs:
    """On which groups of variables routines depend, by the inputs that they read."""

    def __init__(self, package: Package) -> None:
        routines = {x.name: x for x in package.routines}
        forces = {"inputs", *_read(routines["torque"])} if "torque" in routines else {"inputs"}
        moved = forces | _read(routines["forward_dynamics"]) - {"tau"}
        self._of = {"tau": forces, "qdd": moved, "multipliers": moved}
        self.accelerations = frozenset(moved)
        back = _read(routines["project"]) if "project" in routines else set()
        self.coordinate_rates = frozenset({"q", "qd"} | back)

    def of(self, routine: Routine) -> frozenset[str]:
        return frozenset().union(*(self._of.get(name, {name}) for name in _read(routine)))


def _read(routine: Routine) -> set[str]:
    """The inputs that a routine reads: straight-line code may leave some alone."""
    given = {x.name for x in routine.inputs}
    if isinstance(routine.body, Straight):
        return given & {node[1] for node in routine.body.trace.nodes if node[0] == "input"}
    return given


def outputs(package: Package, given: Sequence[Wanted]) -> list[Output]:
    """The accelerations, and then the numbers of each function."""
    needs, routines = Needs(package), {x.name: x for x in package.routines}
    found = [
        Output(f"qdd_{name}", "", f"acceleration of {name}", "forward_dynamics", "qdd", k, needs.accelerations)
        for k, name in enumerate(package.speeds)
    ]
    for each in given:
        routine = routines[each.routine]
        for x in routine.outputs:
            for name, indices, about, index in _entries(each, x, len(routine.outputs) > 1):
                found.append(Output(name, indices, about, routine.name, x.name, index, needs.of(routine)))
    return found


def _entries(given: Wanted, x: Argument, several: bool) -> Iterator[tuple[str, str, str, int]]:
    """The name of each number of an output, its indices, what it is, and its place."""
    if given.function == "pose":
        for k, axis in enumerate("xyz"):
            yield f"{given.frame}.{axis}", "", f"{axis} of the origin of {given.frame} in the world", 4 * k + 3
        for i, j in product(range(3), range(3)):
            yield f"{given.frame}.R", f"[{i + 1},{j + 1}]", f"rotation matrix of {given.frame} in the world", 4 * i + j
        return
    if given.function == "multipliers":
        for k, name in enumerate(x.entries):
            yield f"lambda_{name}", "", f"force of the constraint {name}", k
        return
    stem = f"{given.function}_{x.name}" if several else given.function
    about = f"{x.about}, of the frame {given.frame}" if given.frame else x.about
    stem = f"{given.frame}.{stem}" if given.frame else stem
    if x.shape == ():
        yield stem, "", about, 0
    elif x.entries:
        for k, entry in enumerate(x.entries):
            yield f"{stem}_{entry}", "", f"{about}: {entry}", k
    else:
        for k, place in enumerate(product(*(range(size) for size in x.shape))):
            yield stem, f"[{','.join(str(i + 1) for i in place)}]", about, k
