"""The parts that source code in all languages shares: legal names, sentences on a mechanism and its functions, preparation."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib.metadata import version

from lagrangian.exports.source import identifiers
from lagrangian.exports.source.identifiers import GREEK, IdentifierTable
from lagrangian.exports.source.language import Language
from lagrangian.exports.source.writer import routine_lines
from lagrangian.functions.parameters import Parameter
from lagrangian.functions.routine import LinkLoops, Package, Routine, RoutineArgument, StraightLineCode
from lagrangian.kernels.trace.node import NUMBERS, Trace
from lagrangian.kernels.trace.schedule import schedule
from lagrangian.model.mechanism import Mechanism

# coordinates up to which their names are listed
MAX_LISTED_COORDINATES = 40


class SourceFiles:
    """The texts of the files for one package, all of whose names are legal in a language.

    `name` is what the code is called as a whole, `fields` are the parameters' names in it, and `constants` how many constants
    its functions read; `changed` says what was made of names that could not stay.
    """

    language: Language

    def __init__(
        self, mechanism: Mechanism, package: Package, name: str, functions: IdentifierTable, fields: IdentifierTable | None
    ) -> None:
        """Choose legal names for the routines and the parameters; without `fields`, the parameters keep theirs."""
        self.mechanism, self.name = mechanism, name
        legal = {routine.name: functions.legal(routine.name) for routine in package.routines}
        self.package = replace(package, routines=tuple(replace(r, name=legal[r.name]) for r in package.routines))
        self.fields = [fields.legal(p.name) if fields else p.name for p in package.parameters]
        # paths such as link2.mass stand beside their fields
        renamed_parameters = {old: new for old, new in fields.changed.items() if "." not in old} if fields else {}
        self.changed = {**({package.name: name} if name != package.name else {}), **functions.changed, **renamed_parameters}
        self.constants = len(package.preparation.outputs)

    # -- code ----------------------------------------------------------------------------------------------------------

    def code(self, routine: Routine) -> list[str]:
        """The function of a routine."""
        return routine_lines(self.language, routine, {r.name: r for r in self.package.routines})

    def preparation(self) -> Routine:
        """The function that computes the constants: its input `NUMBERS` are the parameters."""
        return Routine(
            "prepare",
            "The constants that the functions read, for some parameters.",
            (RoutineArgument(NUMBERS, (len(self.fields),), "the parameters"),),
            (RoutineArgument("constants", (self.constants,), "the constants", output=True),),
            StraightLineCode(self.package.preparation),
        )

    def parameters(self) -> list[tuple[str, Parameter]]:
        """The parameters, each with its name in the code."""
        return list(zip(self.fields, self.package.parameters, strict=True))

    # -- sentences -----------------------------------------------------------------------------------------------------

    @property
    def notes(self) -> tuple[str, ...]:
        return (*self.package.notes, *identifiers.renaming_notes(self.changed))

    def introduction(self, *more: str) -> list[str]:
        """The sentences at the top of the source code, each of which begins a line."""
        return [
            f"Dynamics of the mechanism {self.mechanism.name}, in SI units and radians.",
            f"It is written by lagrangian {version('lagrangian')}.",
            *more,
            *self.notes,
            *self._state_entries(),
        ]

    def _state_entries(self) -> list[str]:
        """Sentences that name the coordinates and speeds in the order of the entries of arrays."""
        if len(self.package.coordinates) > MAX_LISTED_COORDINATES:
            return []
        units = [unit for joint in self.mechanism.joints for unit in joint.kind.units]
        names_with_units = [
            f"{name} [{unit}]" if unit else name for name, unit in zip(self.package.coordinates, units, strict=True)
        ]
        sentences = [f"Coordinates q: {', '.join(names_with_units)}."]
        if self.package.speeds != self.package.coordinates:
            sentences.append(f"Speeds qd: {', '.join(self.package.speeds)}.")
        if any(".inertia." in parameter.name for parameter in self.package.parameters):
            sentences.append("Inertias of bodies are about their centres of mass, along the axes of their frames.")
        return sentences

    def cost(self, routine: Routine) -> str:
        if isinstance(routine.body, LinkLoops):
            return f"loops over {len(routine.body.tree)} links"
        count = sum(_operations(trace) for trace in routine.traces())
        calls = " and its calls" if not isinstance(routine.body, StraightLineCode) else ""
        return f"{count} operations{calls}, always the same"


def shape_text(argument: RoutineArgument) -> str:
    return " x ".join(map(str, argument.shape)) or "a number"


def _operations(trace: Trace) -> int:
    """Operations as they are written: additions, multiplications, functions."""
    return sum(name not in ("input", "angle", "output") for name, _, _ in schedule(trace, fuse_products=False).operations)


def ascii_line(text: str) -> str:
    """A text that is one line of ASCII."""
    plain = "".join(GREEK.get(c, c) for c in text)
    return re.sub(r"[^ -~]", " ", plain.encode("ascii", "backslashreplace").decode())


def comment_lines(text: str, mark: str, hanging: int = 0, width: int = 108) -> list[str]:
    """A text as lines of a comment, which all begin with a mark; lines behind the first are set in further."""
    lines, line = [], mark
    for word in ascii_line(text).split(" "):
        if len(line) + len(word) > width and line.strip() != mark.strip():
            lines.append(line.rstrip())
            line = mark + " " * hanging
        line += f"{word} "
    return [*lines, line.rstrip()]
