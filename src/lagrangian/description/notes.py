"""Notes on a conversion between a mechanism and a file of another format: what was left out, and what was changed.

Readers collect `ReaderNotes`, which a mechanism has as its `notes`. Writers collect `WriterNotes`, which a `Conversion` has
beside the text of the file. Notes on what changes the dynamics are warnings as well.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from lagrangian.errors import ReaderWarning, WriterWarning, join_names, warn
from lagrangian.model import vector as v
from lagrangian.model.body import Body, inertia_problem
from lagrangian.model.constraint import Constraint, HolonomicConstraint
from lagrangian.model.initial_state import CONTROL_PREFIX
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.shapes import Visual
from lagrangian.model.spring import CoordinateSpring, GravityCompensation, PointSpring

_MAX_NAMES, _MAX_WARNED_NAMES = 5, 20  # in one line of a reader
_MAX_LISTED = 8  # names in one sentence of a writer


class ReaderNotes:
    """Collects the notes of a reader: one line for all things of one kind, with their number and the first few names."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._names_by_note: dict[tuple[str, str], list[str]] = {}
        self._warned: set[tuple[str, str]] = set()

    def add(self, kind: str, meaning: str, name: str = "", *, warn: bool = False) -> None:
        """Note one more thing of this kind. `warn` says that the dynamics differ from those that the file describes."""
        key = (kind, meaning)
        self._names_by_note.setdefault(key, []).append(name)
        if warn:
            self._warned.add(key)

    def lines(self) -> tuple[str, ...]:
        return tuple(self._format_lines())

    def warn(self) -> None:
        """Warn of what changes the dynamics."""
        for line in self._format_lines(only_warned=True):
            warn(ReaderWarning(line, where=self.file))

    def _format_lines(self, only_warned: bool | None = None) -> list[str]:
        """The lines of all kinds, or of those that are warned of (True), or of the others (False).

        Kinds share a line if they are attributes of the same element, mean the same and are found at the same places, such as
        `'D' of a <dynamics>` and `'K' of a <dynamics>`.
        """
        groups: dict[tuple[str, str, tuple[str, ...], bool], list[str]] = {}
        for (kind, meaning), names in self._names_by_note.items():
            head, preposition, element = kind.partition(" of ") if any(names) else (kind, "", "")
            warns = (kind, meaning) in self._warned
            if only_warned is None or only_warned == warns:
                groups.setdefault((preposition + element or kind, meaning, tuple(names), warns), []).append(head)
        lines = []
        for (element, meaning, group_names, warns), heads in groups.items():
            attributes = " and ".join(x for x in (", ".join(heads[:-1]), heads[-1]) if x)
            lines.append(
                self._format_line(attributes + element if element.startswith(" of ") else element, meaning, group_names, warns)
            )
        return lines

    @staticmethod
    def _format_line(subject: str, meaning: str, names: tuple[str, ...], is_warning: bool) -> str:
        non_empty = [name for name in names if name]
        max_names = _MAX_WARNED_NAMES if is_warning else _MAX_NAMES
        name_list = f": {', '.join(non_empty[:max_names])}{', ...' if len(non_empty) > max_names else ''}" if non_empty else ""
        return f"{subject} ({len(names)}{name_list}): {meaning}"


def body_with_noted_inertia(
    name: str, mass: float, center: v.Vector, inertia: v.Symmetric, visuals: tuple[Visual, ...], notes: ReaderNotes
) -> Body:
    """A body as a file of another format has it: an inertia that no real body can have is kept, and noted.

    Inertias in published files are often slightly impossible; refusing them would help nobody, and changing them would be worse.
    """
    finite = all(math.isfinite(x) for x in inertia)  # `Body` refuses an inertia that is not finite
    problem = inertia_problem(mass, inertia) if finite else ""
    if problem:
        name_with_reason = f"{name} [{_explain_inertia(mass, inertia)}]"  # in the name, so that all such bodies share a line
        notes.add(
            "body with an impossible inertia",
            "no real body has such an inertia; it is kept as given",
            name_with_reason,
            warn=True,
        )
    return Body(name, mass, center, inertia, effective=bool(problem), visuals=visuals)


def _explain_inertia(mass: float, inertia: v.Symmetric) -> str:
    """Why no real body has this inertia: by its moments about the file's axes if they show it, else by the principal moments."""
    moments = {"Ixx": float(inertia[0]), "Iyy": float(inertia[3]), "Izz": float(inertia[5])}
    for name, value in moments.items():
        (first, x), (second, y) = ((k, m) for k, m in moments.items() if k != name)
        if value < 0:
            return f"{name} = {value:g} is negative"
        if x >= 0 and y >= 0 and value > (x + y) * 1.0001:
            return (
                f"{name} = {value:g} exceeds {first} + {second} = {x + y:g}" if mass else f"the mass is 0, but {name} = {value:g}"
            )
    return inertia_problem(mass, inertia).partition(": ")[2].partition(";")[0]


# -- writers -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Conversion:
    """A mechanism as text of URDF, MJCF or SDF, as `lagrangian.convert` returns it.

    Attributes
    ----------
    format : str
        "urdf", "mjcf" or "sdf".
    text : str
        The text of the file.
    notes : tuple of str
        What is left out, and what is written in another form.
    warnings : tuple of str
        Those notes that change the motion.
    extra_files : mapping of str to str
        The texts of files that belong beside the main one, by suffix.
    coordinates : mapping of str to str
        For each coordinate of the mechanism its name in the file. Coordinates that the file stores in another form, such as
        a quaternion as angles, are left out.
    offsets : mapping of str to float
        The value that a coordinate has here where the file's coordinate is 0, for coordinates whose value is not 0 there.

    Examples
    --------
    >>> import lagrangian as lg
    >>> conversion = lg.convert("two_r", "mjcf")
    >>> conversion.coordinates
    {'theta1': 'theta1', 'theta2': 'theta2'}
    """

    format: str
    text: str
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    extra_files: Mapping[str, str] = field(default_factory=dict)
    coordinates: Mapping[str, str] = field(default_factory=dict)
    offsets: Mapping[str, float] = field(default_factory=dict)

    def warn(self, where: str) -> None:
        """Give a `WriterWarning` for every note that changes the motion.

        Parameters
        ----------
        where : str
            What the warnings begin with, such as the name of the mechanism.
        """
        for note in self.warnings:
            warn(WriterWarning(note, where=where))


class WriterNotes:
    """Collects the notes of a writer: one sentence for all parts that have the same note."""

    def __init__(self, format: str) -> None:  # noqa: A002
        self.format = format
        self._names_by_note: dict[tuple[str, str], list[str]] = {}
        self._warned: set[tuple[str, str]] = set()

    def add(self, part: str, meaning: str, name: str = "", *, warn: bool = False) -> None:
        """Add a sentence whose subject is `part` with its name.

        `meaning` is the rest of the sentence, in which {is}, {it}, {has} and {its} stand for the singular or the plural. `warn`
        says that the dynamics of the file differ from those of the mechanism.
        """
        key = (part, meaning)
        names = self._names_by_note.setdefault(key, [])
        if name not in names:
            names.append(name)
        if warn:
            self._warned.add(key)

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(map(self._sentence, self._names_by_note))

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(self._sentence(key) for key in self._names_by_note if key in self._warned)

    def _sentence(self, key: tuple[str, str]) -> str:
        part, meaning = key
        names = [repr(name) for name in self._names_by_note[key] if name]
        is_plural = len(names) > 1
        for singular, plural in (("is", "are"), ("it", "them"), ("has", "have"), ("its", "their")):
            meaning = meaning.replace("{" + singular + "}", plural if is_plural else singular)
        subject = f"{part[:-1]}ies" if is_plural and part.endswith("y") else f"{part}s" if is_plural else part
        name_list = join_names(names, _MAX_LISTED)
        return f"{subject} {name_list} {meaning}" if name_list else f"{subject} {meaning}"


# -- what other formats than TOML leave out ----------------------------------------------------------------------------


def note_unsupported(m: Mechanism, remarks: WriterNotes) -> None:
    """Note the parameters and events, which URDF, SDF and MJCF do not have."""
    for name in m.parameters:
        if not name.startswith(CONTROL_PREFIX):
            remarks.add("parameter", f"{{is}} written by {{its}} value because {remarks.format} has no named parameters", name)
    for event in m.events:
        remarks.add("event", f"{{is}} left out because {remarks.format} has none", event.name, warn=True)


def note_spring(spring: object, remarks: WriterNotes) -> None:
    """Note a spring, a wall or a gravity compensation that is left out."""
    name = getattr(spring, "name", "")
    kind, description = "wall", "compliant planes"
    if isinstance(spring, PointSpring):
        kind, description = "spring", "springs of this kind between points"
    elif isinstance(spring, CoordinateSpring):
        kind, description = "spring", "springs of these coordinates"
    elif isinstance(spring, GravityCompensation):
        kind, description = "gravity compensation", "none of this kind"
        remarks.add(kind, f"{{is}} left out because {remarks.format} has {description}", name, warn=True)
        return
    remarks.add(kind, f"{{is}} left out because {remarks.format} has no {description}", name, warn=True)


def note_constraint(constraint: Constraint, remarks: WriterNotes) -> None:
    """Note a constraint that is left out."""
    description = "equations of this form" if isinstance(constraint, HolonomicConstraint) else "constraints of speeds"
    remarks.add("constraint", f"{{is}} left out because {remarks.format} has no {description}", constraint.name, warn=True)


def note_loop(name: str, kind: str, remarks: WriterNotes) -> None:
    """Note a loop joint that is left out."""
    meaning = f"{{is}} left out because {remarks.format} has no {kind} loops; the loop stays open"
    remarks.add("loop", meaning, name, warn=True)
