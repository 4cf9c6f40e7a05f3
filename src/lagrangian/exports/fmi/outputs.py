"""What an FMU gives beside its states: accelerations, multipliers, energies, poses of frames, or other functions of the state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from lagrangian.errors import ArgumentError
from lagrangian.exports.functions.catalogue import FUNCTIONS, Wanted, named
from lagrangian.exports.model import Model
from lagrangian.exports.routine import Argument, Package, Routine, Straight

USUAL = ("multipliers", "kinetic_energy", "potential_energy", "pose")
# what the inputs of a function may be: numbers that an FMU has
KNOWN = ("q", "qd", "qdd", "tau", "t", "multipliers")
ALWAYS = ("forward_dynamics", "coordinate_rates")  # what they give are outputs and derivatives of every FMU


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


def wanted(model: Model, functions: Sequence[str] | None, frames: Sequence[str] | None) -> list[Wanted]:
    """The functions whose values are outputs."""
    found = [each for text in (USUAL if functions is None else functions) for each in named(model, text, frames)]
    for function, _ in found:
        for given in function.inputs:
            if given not in KNOWN:
                raise ArgumentError(f"{function.name} needs {given}, which is not a variable of an FMU", argument="functions")
    if model.equations:  # before others, which may read them
        found.insert(0, Wanted(FUNCTIONS["multipliers"]))
    elif functions is None:
        found = [each for each in found if each.function.name != "multipliers"]
    once = {(function.name, frame): Wanted(function, frame) for function, frame in found}
    return [each for each in once.values() if each.function.name not in ALWAYS]


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
        routine = routines["_".join(filter(None, (each.function.name, each.frame)))]
        for x in routine.outputs:
            for name, indices, about, index in _entries(each, x, len(routine.outputs) > 1):
                found.append(Output(name, indices, about, routine.name, x.name, index, needs.of(routine)))
    return found


def _entries(given: Wanted, x: Argument, several: bool) -> Iterator[tuple[str, str, str, int]]:
    """The name of each number of an output, its indices, what it is, and its place."""
    function, frame = given.function.name, given.frame
    if function == "pose":
        for k, axis in enumerate("xyz"):
            yield f"{frame}.{axis}", "", f"{axis} of the origin of {frame} in the world", 4 * k + 3
        for i, j in product(range(3), range(3)):
            yield f"{frame}.R", f"[{i + 1},{j + 1}]", f"rotation matrix of {frame} in the world", 4 * i + j
        return
    if function == "multipliers":
        for k, name in enumerate(x.entries):
            yield f"lambda_{name}", "", f"force of the constraint {name}", k
        return
    stem = f"{function}_{x.name}" if several else function
    about = f"{x.about}, of the frame {frame}" if frame else x.about
    stem = f"{frame}.{stem}" if frame else stem
    if x.shape == ():
        yield stem, "", about, 0
    elif x.entries:
        for k, entry in enumerate(x.entries):
            yield f"{stem}_{entry}", "", f"{about}: {entry}", k
    else:
        for k, place in enumerate(product(*(range(size) for size in x.shape))):
            yield stem, f"[{','.join(str(i + 1) for i in place)}]", about, k
